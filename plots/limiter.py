"""What limits each variant: how busy the hardware's parts are, by its own counters."""

import records
import style

ROW, LEFT, GAP = 20, 148, 24
PANELS = [
    ("shared_pipe_percent", "LSU data pipe (L1 and\nshared memory), % busy"),
    ("issue_slots_percent", "issue slots, % used"),
    ("active_warps_percent", "warps resident, %\nof the most possible"),
    ("l1_hit_rate_percent", "L1 hit rate, % of sectors"),
]


def draw(card, machine, top):
    rows = machine.counters()
    width = (style.WIDTH - LEFT - style.MARGIN - 14 - 3 * GAP) / 4
    for number, (key, name) in enumerate(PANELS):
        axes = card.axes(LEFT + number * (width + GAP), top + 30, width, ROW * len(rows) + 6)
        axes.set_title(name, size=style.SMALL, loc="left", color=style.INK)
        axes.set_xlim(0, 100)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xticks([0, 50, 100], ["0", "50", "100"])
        axes.set_yticks(range(len(rows)), [v for _, v in rows] if number == 0 else [], color=style.INK)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")
        before = None
        for y, ((chapter, _), row) in enumerate(rows.items()):
            if before not in (None, chapter):
                axes.axhline(y - 0.5, color=style.EDGE, linewidth=0.8)
            before = chapter
            value = row["more"][key]
            axes.barh(y, value, 0.66, color=style.OWN if number == 0 else style.PREVIOUS, linewidth=0)
            inside = value > 60
            colour = style.ink_on(style.OWN if number == 0 else style.PREVIOUS) if inside else style.INK
            axes.text(
                value - 3 if inside else value + 3,
                y,
                f"{value:.0f}" if value >= 9.5 else f"{value:.1f}",
                va="center",
                ha="right" if inside else "left",
                size=style.SMALL,
                color=colour,
            )


def main(out_folder, data_folder):
    machines = records.gpus(data_folder)
    rows = [row["more"] for machine in machines[:1] for row in machine.counters().values()]
    title = "What limits each variant"
    if rows and all(row["shared_pipe_percent"] > row["issue_slots_percent"] for row in rows):
        pipe = [row["shared_pipe_percent"] for row in rows]
        slots = [row["issue_slots_percent"] for row in rows]
        title = (
            f"The busiest part is the pipe that brings words from L1 and shared memory: {records.span(pipe)} % busy,"
            f" while"
            f" {records.span(slots)} % of the issue slots are used"
        )
    heights = [max(ROW * len(machine.counters()), 50) + 66 + records.head(machines) for machine in machines]
    card = style.Card(
        sum(heights),
        records.finding(machines, title),
        f"{records.names(machines)}. Every variant at M = N = K = 1024, counted by the hardware (Nsight Compute,"
        f" caches emptied before"
        " each launch), in % of what the hardware can do while the kernel runs.",
    )
    for machine, inner in card.parts(2, machines, heights):
        if machine.counters():
            draw(card, machine, inner)
        else:
            card.missing(LEFT, inner, style.WIDTH - LEFT - 40, 40, "no hardware counters were read on this machine")
    return card.save(out_folder, "limiter")


if __name__ == "__main__":
    records.run(main)
