"""Roofline: rate against arithmetic intensity, once by the bytes asked of the caches, once by those of DRAM."""

import math

import records
import style

PLOT, LEFT = 400, 62
SIZE, COUNTED = 4096, 1024


def asked(traffic):
    """flop per byte that the kernel's sectors move between the L1 cache and the threads."""
    return traffic["flops"] / (32 * (traffic["global_load_sectors"] + traffic["global_store_sectors"]))


def points(machine, traffic):
    """(chapter, variant, intensity, rate) at SIZE, by sectors."""
    for chapter in records.KERNEL_CHAPTERS:
        for variant in machine.own_variants(chapter):
            rate = machine.rate(chapter, variant, SIZE)
            if rate and variant in traffic:
                yield chapter, variant, asked(traffic[variant]), rate


def dram_points(machine):
    """The same at COUNTED, by the bytes of DRAM that the hardware counted."""
    for (chapter, variant), row in machine.counters().items():
        rate = machine.rate(chapter, variant, COUNTED)
        moved = row["more"]["dram_read_bytes"] + row["more"]["dram_write_bytes"]
        if rate and moved:
            yield chapter, variant, 2 * COUNTED**3 / moved, rate


def draw(card, machine, traffic, top):
    axes = card.axes(LEFT, top, style.WIDTH - LEFT - style.MARGIN - 4, PLOT)
    axes.set_xscale("log")
    axes.set_yscale("log")
    peak, stream = machine.ceiling("ceiling_flops_per_s"), machine.ceiling("ceiling_bytes_per_s")
    low, high = 0.008, 1500
    axes.set_xlim(low, high)
    axes.set_ylim(0.2, peak / 1e12 * 2.2)
    ticks = [1 / 64, 1 / 16, 0.25, 1, 4, 16, 64, 256, 1024]
    axes.set_xticks(ticks, ["1/64", "1/16", "1/4", *(str(t) for t in ticks[3:])])
    values = [t for t in (0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200) if t < peak / 1e12 * 2]
    axes.set_yticks(values, [f"{t:g}" for t in values])
    axes.set_xlabel("arithmetic intensity, flop per byte")
    axes.set_ylabel("TFLOP/s")
    axes.grid()
    ridge = peak / stream
    axes.plot(
        [low, ridge, high], [low * stream / 1e12, peak / 1e12, peak / 1e12], "--", color=style.CEILING, linewidth=1.4
    )
    axes.text(
        high / 1.1,
        peak / 1e12 * 1.07,
        f"measured fp32 peak: {records.tera(peak)} TFLOP/s",
        ha="right",
        va="bottom",
        size=style.SMALL,
    )
    # Along the slope, as it stands on the page.
    place = 1.75
    ends = axes.transData.transform([(1, stream / 1e12), (10, 10 * stream / 1e12)])
    angle = math.degrees(math.atan2(ends[1][1] - ends[0][1], ends[1][0] - ends[0][0]))
    axes.text(
        place,
        place * stream / 1e12 * 1.12,
        f"measured DRAM: {stream / 1e12:.2f} TB/s",
        rotation=angle,
        rotation_mode="anchor",
        va="bottom",
        size=style.SMALL,
    )
    library = machine.library(SIZE)
    if library:
        rate = library["flops_per_s"] / 1e12
        axes.plot([ridge * 1.05, high], [rate, rate], "-", color=style.LIBRARY, linewidth=1.4)
        axes.text(
            high / 1.1,
            rate / 1.06,
            f"library at N = {SIZE}: {rate:.1f} (its bytes are not counted)",
            ha="right",
            va="top",
            size=style.SMALL,
            color=style.letters(style.LIBRARY),
        )
    labels = {}
    for chapter, variant, x, rate in points(machine, traffic):
        colour = style.CHAPTERS[chapter]
        axes.plot([x], [rate / 1e12], style.MARKERS[chapter], color=colour)
        labels.setdefault(round(math.log2(x) / (1 if x > 1 else 1.5)), []).append((x, rate / 1e12, variant, colour))
    name_groups(axes, labels)
    far = []
    for chapter, _, x, rate in dram_points(machine):
        axes.plot([x], [rate / 1e12], style.MARKERS[chapter], color=style.CHAPTERS[chapter], mfc=style.PANEL)
        far.append((x, rate / 1e12))
    if far:
        x, y = max(far, key=lambda p: p[1])
        axes.annotate(
            f"the same kernels at N = {COUNTED},\nby the bytes that DRAM delivered",
            (x, y),
            (x, y * 1.5),
            ha="center",
            va="bottom",
            size=style.SMALL,
            color=style.MUTED,
        )


def name_groups(axes, groups):
    """Names beside points of nearly the same intensity, where there is room: left of the line, below or right of it."""
    dpi = axes.figure.dpi / 96
    back = axes.transData.inverted().transform
    for members in groups.values():
        members.sort(key=lambda member: (-member[1], member[2]))
        pixels = [axes.transData.transform((x, y)) / dpi for x, y, _, _ in members]
        x = members[0][0]
        if 1 < x < 6:  # below, the next group lower than the one before
            low, top = pixels[-1][1] - 6, pixels[-1][1] - (18 if x < 3 else 62)
            line = back([(pixels[-1][0] * dpi, low * dpi), (pixels[-1][0] * dpi, (top + 7) * dpi)])
            axes.plot(line[:, 0], line[:, 1], "-", color=style.PREVIOUS, linewidth=0.6)
            places = [(pixels[0][0], top - 12 * number) for number in range(len(members))]
            align = "center"
        else:
            side = 1 if x > 6 else -1
            heights = style.spread([-p[1] for p in pixels], 12)
            edge = pixels[0][0] if side > 0 else min(p[0] for p in pixels)
            places = [(edge + 19 * side, -height) for height in heights]
            for pixel, place, member in zip(pixels, places, members):
                line = back(
                    [((pixel[0] + 6 * side) * dpi, pixel[1] * dpi), ((place[0] - 2 * side) * dpi, place[1] * dpi)]
                )
                axes.plot(line[:, 0], line[:, 1], "-", color=member[3], linewidth=0.6)
            align = "left" if side > 0 else "right"
        for place, (_, _, text, colour) in zip(places, members):
            axes.text(
                *back((place[0] * dpi, place[1] * dpi)),
                text,
                size=style.SMALL,
                color=style.letters(colour),
                ha=align,
                va="center",
            )


def main(out_folder, data_folder):
    machines = [m for m in records.gpus(data_folder) if m.ceiling("ceiling_flops_per_s")]
    traffic = records.traced(data_folder)["traffic"]
    title = "Roofline of the chapters' kernels"
    above = [
        (rate / (x * machines[0].ceiling("ceiling_bytes_per_s")), variant)
        for _, variant, x, rate in points(machines[0], traffic)
    ]
    over = [ratio for ratio, variant in above if ratio > 1]
    if over:
        title = (
            f"{len(over)} of {len(above)} kernels get more bytes a second than DRAM could deliver, up to"
            f" {max(over):.1f} times as many: the caches serve them"
        )
    card = style.Card(
        len(machines) * (PLOT + 76 + records.head(machines)),
        records.finding(machines, title),
        f"{records.names(machines)}. Full marks: every variant at N = {SIZE}, caches warm, against flop per byte of"
        f" the sectors"
        " that its requests touch (traced). Hollow marks: the same variants at N = 1024 against flop per byte that DRAM"
        " delivered (hardware counters, caches emptied before). Both axes logarithmic.",
    )
    for number, machine in enumerate(machines):
        top = card.machine(number * (PLOT + 76 + records.head(machines)), machine, machines)
        entries = [(style.CHAPTERS[c], style.MARKERS[c], records.short(c)) for c in records.KERNEL_CHAPTERS]
        card.key(top, [*entries, (style.MUTED, "hollow o", "by DRAM's bytes, N = 1024")], left=LEFT)
        draw(card, machine, traffic, top + 24)
    return card.save(out_folder, "roofline")


if __name__ == "__main__":
    records.run(main)
