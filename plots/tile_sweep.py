"""Rate against the width of the tile, for chapters 03 and 04."""

import records
import style

PLOT, LEFT, GAP = 250, 52, 92
SIZES = [512, 1024, 2048, 4096, 8192]
FAMILIES = [("03_tiled", "tiled"), ("04_bounds", "bounded")]
TILES = [8, 16, 32]


def line(machine, chapter, family, size):
    points = [(tile, machine.rate(chapter, f"{family}-{tile}", size)) for tile in TILES]
    return [(tile, rate) for tile, rate in points if rate]


def gains(machine, small, large):
    """rate(large tile) / rate(small tile), for both chapters and all sizes."""
    ratios = []
    for chapter, family in FAMILIES:
        for size in SIZES:
            at = dict(line(machine, chapter, family, size))
            if small in at and large in at:
                ratios.append(at[large] / at[small])
    return ratios


def main(out_folder, data_folder):
    machines = records.gpus(data_folder)
    wide, narrow = gains(machines[0], 16, 32), gains(machines[0], 8, 16)
    title = "The width of the tile"
    if wide and narrow:
        verdict = "wins at every size" if min(wide) > 1 else "does not win at every size"
        title = (
            f"The widest tile {verdict}: 32 does {records.span(wide, '{:.2f}')} times what 16 does,"
            f" and 16 does {records.span(narrow, '{:.2f}')} times what 8 does"
        )
    card = style.Card(
        len(machines) * (PLOT + 52 + records.head(machines)),
        records.finding(machines, title),
        f"{records.names(machines)}. TFLOP/s (fp32) against TILE, a line for each size M = N = K, caches warm; more"
        f" is better."
        " The naive kernel's fastest variant at N = 4096 is the dashed line.",
    )
    width = (style.WIDTH - LEFT - 2 * GAP) / 2 + 6
    for number, machine in enumerate(machines):
        top = card.machine(number * (PLOT + 52 + records.head(machines)), machine, machines)
        naive = machine.best("02_naive", 4096)
        rates = [rate for c, f in FAMILIES for n in SIZES for _, rate in line(machine, c, f, n)]
        most = max([*rates, naive["flops_per_s"] if naive else 0], default=1e12) / 1e12 * 1.1
        for column, (chapter, family) in enumerate(FAMILIES):
            axes = card.axes(LEFT + column * (width + GAP), top + 20, width, PLOT - 20)
            axes.set_title(f"{records.short(chapter)} ({family}-TILE)", loc="left", size=style.NORMAL, weight="bold")
            axes.set_xlim(-0.2, 2.2)
            axes.set_ylim(0, most)
            axes.set_xticks(range(len(TILES)), [f"TILE = {tile}\n{tile * tile} threads a block" for tile in TILES])
            axes.set_ylabel("TFLOP/s")
            axes.grid(axis="y")
            if naive:
                axes.axhline(naive["flops_per_s"] / 1e12, linestyle="--", color=style.PREVIOUS, linewidth=1.2)
            labels = []
            for size, colour in zip(SIZES, style.SEQUENCE):
                points = line(machine, chapter, family, size)
                if points:
                    axes.plot([TILES.index(t) for t, _ in points], [r / 1e12 for _, r in points], "-o", color=colour)
                    labels.append((TILES.index(points[-1][0]), points[-1][1] / 1e12, f"N = {size}", colour))
            style.end_labels(axes, labels, pad=14)
    return card.save(out_folder, "tile_sweep")


if __name__ == "__main__":
    records.run(main)
