"""The data pipe's passes: what each variant asks of it, and how close each comes to the rate that it then allows."""

import math

import records
import style

ROW, LEFT, BARS, SHARES = 20, 164, 214, 44
PLOT = LEFT + BARS + SHARES + 36  # where the plot on the right begins
COUNTED = 1024
PARTS = [  # of records.passes, with colours that are no chapter's
    ("global lines", "#3c3a8c"),
    ("shared stores", "#b5527e"),
    ("shared loads", "#b3b0de"),
]
BAND = "#eceaf6"
NEAR = 0.7  # of what the pipe allows: above that it is what sets the rate


def points(machine):
    """{(chapter, variant): (passes, rate, share of what the pipe allows)} of those whose rate was measured."""
    found = {}
    for (chapter, variant), row in machine.counters().items():
        rate = machine.rate(chapter, variant, COUNTED)
        if rate:
            total = sum(records.passes(row))
            found[chapter, variant] = total, rate, rate * total / records.pipe_limit(machine.machine)
    return found


def bars_end(totals):
    """How far the axis of the bars goes: what is much more than the others would make their bars too short to read."""
    median = sorted(totals)[len(totals) // 2]
    return max(total for total in totals if total <= 2.5 * median)


def draw_bars(card, machine, left, top, height):
    rows, reached = machine.counters(), points(machine)
    longest = bars_end([sum(records.passes(row)) for row in rows.values()])
    end = longest * 1.14  # of a bar that is cut
    card.text(left, card.top + top - 6, "passes for a warp and a k", va="bottom", weight="bold")
    how = {"size": style.SMALL, "ha": "right", "color": style.MUTED}  # of the shares, and of what stands over them
    card.text(left + BARS + SHARES, card.top + top - 6, "of the limit", va="bottom", **how)
    axes = card.axes(left, top, BARS, height)
    axes.set_xlim(0, end * 1.17)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    ticks = [tick for tick in range(0, 100, max(1, round(longest / 4))) if tick <= longest]
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.set_yticks(range(len(rows)), [variant for _, variant in rows])
    axes.tick_params(axis="y", length=0, pad=15)
    axes.grid(axis="x")
    across = {"transform": axes.get_yaxis_transform(), "clip_on": False}
    before = None
    for y, ((chapter, variant), row) in enumerate(rows.items()):
        if before not in (None, chapter):
            axes.plot([0, 1 + SHARES / BARS], [y - 0.5] * 2, color=style.EDGE, linewidth=0.8, **across)
        before = chapter
        colour = style.CHAPTERS[chapter]
        axes.get_yticklabels()[y].set_color(style.letters(colour))
        axes.plot([-9 / BARS], [y], style.MARKERS[chapter], color=colour, **across)
        parts = records.passes(row)
        total, at = sum(parts), 0
        for part, (_, shade) in zip(parts, PARTS):
            part = part if total <= longest else min(part, end - at)
            axes.barh(y, part, 0.66, left=at, color=shade, linewidth=0)
            at += part
        if total > longest:  # cut: a slanted gap where the bar leaves the scale
            place, slant = (longest + end) / 2, 0.012 * end
            xs = [place - slant, place - 2 * slant, place, place + slant]
            axes.fill(xs, [y + 0.4, y + 0.4, y - 0.4, y - 0.4], color=style.PANEL, linewidth=0)
        axes.text(at + 0.016 * end, y, records.three(total), va="center", size=style.SMALL)
        share = records.percent(reached[chapter, variant][2]) if (chapter, variant) in reached else "–"
        axes.text(1 + SHARES / BARS, y, share, va="center", **how, **across)


def draw_rates(card, machine, left, top, height):
    width = style.WIDTH - style.MARGIN - 8 - left
    rows, limit = points(machine), records.pipe_limit(machine.machine) / 1e12
    if not rows:
        card.missing(left, top, width, height, f"no rates at N = {COUNTED} were measured on this machine")
        return
    card.text(left, card.top + top - 6, "TFLOP/s, measured", va="bottom", weight="bold")
    axes = card.axes(left, top, width, height)
    axes.set_xscale("log")
    axes.set_yscale("log")
    shares = [share for _, _, share in rows.values()]
    low, high = min(x for x, _, _ in rows.values()) / 1.35, max(x for x, _, _ in rows.values()) * 1.35
    axes.set_xlim(low, high)
    axes.set_ylim(min(min(shares), 1) * limit / high / 1.1, max(*shares, 1) * limit / low * 1.15)
    bottom, top = axes.get_ylim()
    ticks = [tick for power in (0.01, 0.1, 1, 10, 100, 1000) for tick in (power, 2 * power, 5 * power)]
    for axis, (start, stop) in ((axes.xaxis, (low, high)), (axes.yaxis, (bottom, top))):
        inside = [tick for tick in ticks if start <= tick <= stop]
        axis.set_ticks(inside, [f"{tick:g}" for tick in inside])
        axis.set_ticks([], minor=True)
    axes.set_xlabel("passes for a warp and a k")
    axes.grid()

    least = min(shares)
    if least < 1:
        xs, ys = [low, high, high, low], [limit / low, limit / high, least * limit / high, least * limit / low]
        axes.fill(xs, ys, color=BAND, linewidth=0)
    axes.plot([low, high], [limit / low, limit / high], "--", color=style.CEILING, linewidth=1.4)
    # Along the line, as it stands on the page.
    ends = axes.transData.transform([(low, limit / low), (high, limit / high)])
    angle = math.degrees(math.atan2(ends[1][1] - ends[0][1], ends[1][0] - ends[0][0]))
    facts = machine.machine
    formula = f"the limit: {facts['sms']} SMs × {facts['clock_hz'] / 1e9:.2f} GHz × {records.WORK} / passes"
    place = (low * high) ** 0.5
    how = {"rotation": angle, "rotation_mode": "anchor", "ha": "center", "size": style.SMALL}
    axes.text(place, max(*shares, 1) * limit / place * 1.07, formula, va="bottom", **how)
    if least < 1:
        text = f"{records.percent(least)} of the limit"
        axes.text(place, least * limit / place / 1.06, text, va="top", color=style.MUTED, **how)
    for (chapter, _), (x, rate, _) in rows.items():
        size = 10 if chapter == "03_tiled" else 6  # to be seen behind chapter 04's, which ask for as much
        how = {"color": style.CHAPTERS[chapter], "markersize": size, "mec": style.PANEL, "mew": 0.6}
        axes.plot([x], [rate / 1e12], style.MARKERS[chapter], **how)
    name_points(axes, rows, least * limit)


def name_points(axes, rows, edge):
    """Names the points that are not among many, left of the band, and the one at its edge, below it."""
    low, high = axes.get_xlim()
    dpi = axes.figure.dpi / 96
    alone = [(chapter, variant, *row[:2]) for (chapter, variant), row in rows.items() if row[0] > (low * high) ** 0.5]
    heights = style.spread([axes.transData.transform((x, r / 1e12))[1] / dpi for *_, x, r in alone], 13)
    for (chapter, variant, x, rate), height in zip(alone, heights):
        y = axes.transData.inverted().transform((0, height * dpi))[1]
        colour, end = style.CHAPTERS[chapter], edge / (rate / 1e12) / 1.2
        axes.plot([end * 1.03, x], [y, rate / 1e12], "-", color=colour, linewidth=0.6, zorder=1.5)
        how = {"ha": "right", "va": "center", "size": style.SMALL, "color": style.letters(colour)}
        axes.text(end, y, variant, **how)
    (chapter, variant), (x, rate, _) = min(rows.items(), key=lambda item: item[1][2])
    if (chapter, variant) not in [point[:2] for point in alone]:
        colour, y = style.CHAPTERS[chapter], rate / 1e12 / 2.2
        axes.plot([x, x], [y * 1.08, rate / 1e12], "-", color=colour, linewidth=0.6, zorder=1.5)
        how = {"va": "top", "size": style.SMALL, "color": style.letters(colour)}
        axes.text(low * 1.08, y, variant, **how)


def main(out_folder, data_folder):
    machines = records.gpus(data_folder)
    title = "What the variants ask of the SM's data pipe, and what it allows"
    found = list(points(machines[0]).values())
    if found:
        shares, totals = [share for *_, share in found], [total for total, *_ in found]
        title = (
            f"with {records.three(min(totals))} to {records.three(max(totals))} passes for a warp and a k, the {len(found)} kernels"
            f" reach {records.span([100 * share for share in shares])} % of what the pipe allows"
        )
        near = all(NEAR <= share <= 1 for share in shares)
        title = f"One pipe sets the rate: {title.replace('the pipe', 'it')}" if near else f"W{title[1:]}"
    heights = [
        (max(ROW * len(m.counters()), 180) + 6 + 90 if m.counters() else 64) + records.head(machines) for m in machines
    ]
    card = style.Card(
        sum(heights),
        records.finding(machines, title),
        f"{records.names(machines)}. An SM's LSU data pipe passes one line of global memory or one wavefront of shared"
        " memory a cycle. Left: passes at M = N = K = 1024, counted by the hardware (bars with a gap are cut), and the"
        " share of the limit that is reached. Right: the rate there, caches warm, both axes logarithmic.",
    )
    for (machine, inner), height in zip(card.parts(0, machines, heights), heights):
        if machine.counters():
            plot = height - records.head(machines) - 90
            card.key(inner, [(colour, "bar", name) for name, colour in PARTS])
            chapters = dict.fromkeys(chapter for chapter, _ in machine.counters())
            card.key(inner, [(style.CHAPTERS[c], style.MARKERS[c], records.short(c)) for c in chapters], left=PLOT)
            draw_bars(card, machine, LEFT, inner + 46, plot)
            draw_rates(card, machine, PLOT, inner + 46, plot)
        else:
            text = "no hardware counters were read on this machine"
            card.missing(LEFT, inner, style.WIDTH - LEFT - 40, 40, text)
    return card.save(out_folder, "pipe")


if __name__ == "__main__":
    records.run(main)
