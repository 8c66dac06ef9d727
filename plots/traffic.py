"""How many bytes each variant asks for, and how many of them reach which level of the memory."""

import records
import style

ROW, LEFT = 21, 150
LEVELS = [  # name, marker, bytes from a row of counters.json
    ("asked by the lanes (32 × 4 bytes a request)", "o", lambda r: r["counted"]["global_load_requests"] * 128),
    ("sectors, L1 to the lanes", "s", lambda r: r["counted"]["global_load_sectors"] * 32),
    ("L2 to L1", "D", lambda r: r["more"]["l2_read_sectors"] * 32),
    ("DRAM to L2", "^", lambda r: r["more"]["dram_read_bytes"]),
]
COLOURS = [style.SEQUENCE[0], style.SEQUENCE[1], style.SEQUENCE[2], style.SEQUENCE[4]]
TICKS = [(1e6, "1 MB"), (1e7, "10 MB"), (1e8, "100 MB"), (1e9, "1 GB"), (1e10, "10 GB"), (1e11, "100 GB")]


def size_text(count):
    value, unit = (count / 1e9, "GB") if count >= 0.9995e9 else (count / 1e6, "MB")
    return f"{value:.1f} {unit}" if value < 9.95 else f"{value:.0f} {unit}"


def draw(card, machine, top):
    counters = machine.counters()
    height = ROW * len(counters) + 8
    axes = card.axes(LEFT, top, style.WIDTH - LEFT - style.MARGIN - 12, height)
    axes.set_xscale("log")
    axes.set_xlim(3e6, 9e10)
    axes.set_ylim(len(counters) - 0.4, -0.6)
    axes.set_xticks(*zip(*[t for t in TICKS if 3e6 < t[0] < 9e10]))
    axes.set_yticks(range(len(counters)), [variant for _, variant in counters], color=style.INK)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    chapter_before = None
    for y, ((chapter, _), row) in enumerate(counters.items()):
        if chapter_before not in (None, chapter):
            axes.axhline(y - 0.5, color=style.EDGE, linewidth=0.8)
        chapter_before = chapter
        values = [level(row) for _, _, level in LEVELS]
        axes.plot([min(values), max(values)], [y, y], "-", color=style.FAINT, linewidth=3, solid_capstyle="round")
        for (_, marker, _), value, colour in zip(LEVELS, values, COLOURS):
            size = 10 if marker == "o" else 6.5  # the first is larger, to be seen behind a mark at the same place
            axes.plot([value], [y], marker, color=colour, markersize=size, mec=style.INK, mew=0.5)
        axes.text(max(values) * 1.2, y, size_text(max(values)), va="center", size=style.SMALL)
        for value in values[2:]:
            axes.text(
                value / 1.17,
                y,
                size_text(value),
                va="center",
                ha="right",
                size=style.SMALL,
                bbox={"facecolor": style.PANEL, "edgecolor": "none", "pad": 0.6},
            )


def main(out_folder, data_folder):
    machines = records.gpus(data_folder)
    title = "What the variants ask for, and what reaches DRAM"
    rows = [row for machine in machines[:1] for row in machine.counters().values()]
    if rows:
        sectors = [LEVELS[1][2](row) for row in rows]
        dram = [LEVELS[3][2](row) for row in rows]
        title = (
            f"Sectors differ {max(sectors) / min(sectors):.0f}-fold between variants, DRAM's bytes by"
            f" {100 * (max(dram) / min(dram) - 1):.1f} %: the inputs fit into L2 and come from DRAM once"
        )
    heights = [max(ROW * len(machine.counters()), 40) + 42 + records.head(machines) for machine in machines]
    card = style.Card(
        sum(heights) + 26,
        records.finding(machines, title),
        f"{records.names(machines)}. Bytes of global loads at M = N = K = 1024, counted by the hardware (Nsight"
        f" Compute,"
        " caches emptied before each launch); logarithmic. A and B together hold 8.4 MB. Numbers: the largest, L2,"
        " DRAM.",
    )
    card.key(0, [(colour, marker, name) for (name, marker, _), colour in zip(LEVELS, COLOURS)])
    for machine, inner in card.parts(26, machines, heights):
        if machine.counters():
            draw(card, machine, inner)
        else:
            card.missing(LEFT, inner, style.WIDTH - LEFT - 40, 30, "no hardware counters were read on this machine")
    return card.save(out_folder, "traffic")


if __name__ == "__main__":
    records.run(main)
