"""The memory's levels: how long a load waits for each, and what each delivers. From the probe's record."""

import math
import statistics

import records
import style

PLOT, LEFT, BARS, MISSING = 310, 48, 204, 60
COLOURS = dict(zip(("registers", "shared", "L1", "L2", "DRAM"), style.SEQUENCE))
FAR = "far part of L2"
NAMES = {"shared": "shared memory"}


def levels(record):
    return {level["level"]: level for level in record["levels"]}


def steps(record):
    """Where the latency stays the same while the footprint grows: (name, its chases) each, from small to large.

    A step's chases are each within 3 % of the one before. It has the name of the level that the probe measured with a
    chase of this footprint. Three chases or more between the step of L2 and the footprint that L2 could hold are
    served by L2, but not by the part of it that is near to their SM.
    """
    runs = [[]]
    for chase in record["latency"]:
        if runs[-1] and abs(chase["cycles"] / runs[-1][-1]["cycles"] - 1) > 0.03:
            runs.append([])
        runs[-1].append(chase)
    known = {name: levels(record)[name]["latency"]["footprint_bytes"] for name in ("L1", "L2", "DRAM")}
    found = []
    for run in runs:
        low, high = run[0]["footprint_bytes"], run[-1]["footprint_bytes"]
        name = next((name for name, footprint in known.items() if low <= footprint <= high), None)
        beyond = found and found[-1][0] == "L2" and len(run) > 2
        if name is None and beyond and high <= levels(record)["L2"]["capacity_bytes"]:
            name = FAR
        if name:
            found.append((name, run))
    return found


def cycles(record, name, run):
    """Of a step: the probe's own number where there is one, as in its table."""
    level = levels(record).get(name)
    return level["latency"]["cycles"] if level else statistics.median(chase["cycles"] for chase in run)


def size(footprint):
    """32 KiB, 215 KiB, 60 MiB."""
    power = min((int(footprint).bit_length() - 1) // 10, 3)
    return f"{footprint / 1024**power:.0f} {('bytes', 'KiB', 'MiB', 'GiB')[power]}"


def count(value):
    """4.4 cycles, 23 cycles."""
    return f"{value:.1f}" if value < 9.95 else f"{value:.0f}"


def draw_latency(card, record, top, width):
    axes = card.axes(LEFT, top, width, PLOT)
    axes.set_title(
        "latency of a dependent load, cycles of the SM's clock", loc="left", size=style.NORMAL, weight="bold"
    )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    chases = [(chase["footprint_bytes"], chase["cycles"]) for chase in record["latency"]]
    first, last = chases[0][0], chases[-1][0]
    every = [level["latency"]["cycles"] for level in record["levels"]] + [latency for _, latency in chases]
    axes.set_xlim(first / 2.2, last * 1.5)
    axes.set_ylim(min(every) / 2, max(every) * 1.5)
    low, high = axes.get_ylim()
    ticks = [2**power for power in range(15, 41, 3) if 2**power <= last]
    axes.set_xticks(ticks, [size(tick) for tick in ticks])
    ticks = [tick for tick in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000) if low <= tick <= high]
    axes.set_yticks(ticks, ticks)
    axes.set_xlabel("footprint: the bytes that the loads go through")
    axes.grid()

    for name in ("L1", "L2"):  # from the axis to the staircase
        holds = levels(record)[name]["capacity_bytes"]
        below = [latency for footprint, latency in chases if footprint <= holds]
        if below:
            axes.plot([holds] * 2, [low, below[-1]], ":", color=style.CEILING, linewidth=1)
            axes.text(holds * 1.15, low * 1.1, f"{name} holds\n{size(holds)}", size=style.SMALL, color=style.MUTED)

    axes.plot(*zip(*chases), "-", color=style.PREVIOUS, linewidth=1.2)
    for name, run in steps(record):
        colour = COLOURS["L2" if name == FAR else name]
        points = [(chase["footprint_bytes"], chase["cycles"]) for chase in run]
        axes.plot(*zip(*points), "-o", color=colour, markersize=4, mfc=style.PANEL if name == FAR else colour)
        value = cycles(record, name, run)
        how = {"size": style.SMALL, "color": style.letters(colour)}
        if name == FAR:  # left of its step: the next one is close above it
            axes.text(points[0][0] / 1.25, value * 1.02, f"{name}: {count(value)}", ha="right", va="center", **how)
        else:
            middle = math.sqrt(points[0][0] * points[-1][0])
            axes.text(middle, value * 1.13, f"{name}: {count(value)}", ha="center", va="bottom", **how)

    for name, note in (("registers", "registers: {}\n(a multiply-add)"), ("shared", "shared memory: {}")):
        value = levels(record)[name]["latency"]["cycles"]
        axes.plot([first / 2.2, first / 1.3], [value] * 2, "-", color=COLOURS[name], linewidth=4, solid_capstyle="butt")
        # The first line stands beside the mark.
        axes.text(first / 1.12, value * 1.12, note.format(count(value)), size=style.SMALL, va="top")


def draw_rates(card, record, left, top, width):
    axes = card.axes(left, top, width, PLOT)
    axes.set_title("what all SMs together read", loc="left", size=style.NORMAL, weight="bold")
    rows = list(levels(record).values())
    rates = [row["bytes_per_s"] / 1e12 for row in rows]
    axes.set_xscale("log")
    axes.set_xlim(10 ** math.floor(math.log10(min(rates)) - 0.05), max(rates) * 8)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    low, high = axes.get_xlim()
    ticks = [power for power in (0.01, 0.1, 1, 10, 100, 1000) if low <= power <= high]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_yticks(range(len(rows)), [NAMES.get(row["level"], row["level"]) for row in rows], color=style.INK)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("TB/s")
    axes.grid(axis="x")
    for y, (row, rate) in enumerate(zip(rows, rates)):
        axes.barh(y, rate - low, 0.6, left=low, color=COLOURS[row["level"]], linewidth=0)
        axes.text(rate * 1.12, y, f"{records.three(row['bytes_per_s'] / 1e12)} TB/s", va="center", size=style.SMALL)


def draw(card, record, top):
    left = style.WIDTH - style.MARGIN - 8 - BARS
    draw_latency(card, record, top + 22, left - 102 - LEFT)
    draw_rates(card, record, left, top + 22, BARS)


def main(out_folder, data_folder):
    every = records.gpus(data_folder)
    machines = [machine for machine in every if machine.read("memory.json")] or every
    title = "The levels of the memory"
    if record := machines[0].read("memory.json"):
        near, far = (levels(record)[name] for name in ("L1", "DRAM"))
        slow, share = far["latency"]["cycles"] / near["latency"]["cycles"], far["bytes_per_s"] / near["bytes_per_s"]
        if slow > 1 > share:
            title = (
                f"DRAM keeps a load waiting {count(slow)} times as long as L1 does"
                f" ({count(far['latency']['cycles'])} cycles against {count(near['latency']['cycles'])})"
                f" and delivers {records.percent(share)} of the bytes"
                f" ({records.three(far['bytes_per_s'] / 1e12)} TB/s against {records.three(near['bytes_per_s'] / 1e12)})"
            )
    heights = [(PLOT + 76 if m.read("memory.json") else MISSING + 24) + records.head(machines) for m in machines]
    card = style.Card(
        sum(heights),
        records.finding(machines, title),
        f"{records.names(machines)}. Left: one thread in random order; each address is the value that was loaded"
        " before. Right: 1024 threads on each SM, 16 bytes a load; from registers, three operands a multiply-add. All"
        " axes logarithmic.",
    )
    for machine, inner in card.parts(0, machines, heights):
        if record := machine.read("memory.json"):
            draw(card, record, inner)
        else:
            text = "the memory's levels were not measured on this machine"
            card.missing(LEFT, inner, style.WIDTH - LEFT - 40, MISSING, text)
    return card.save(out_folder, "memory_levels")


if __name__ == "__main__":
    records.run(main)
