"""Median time against N, both logarithmic, with the line along which it grows eightfold when N doubles."""

import itertools

import records
import style

PLOT, LABELS, LEFT = 440, 168, 58
SIZES = [512, 1024, 2048, 4096, 8192]


def lines(machine):
    """(name, colour, marker, line style, [(N, seconds), ...]) of everything that is drawn."""
    drawn = []
    for variant, name in (("ijk", "three loops, CPU"), ("ikj", "loops in order ikj, CPU"), ("blocked", "blocked, CPU")):
        drawn.append((name, style.CPU, "v", "-", [machine.cube("01_cpu", variant, n) for n in SIZES]))
    drawn.append(
        (
            "02 swapped-32x8",
            style.CHAPTERS["02_naive"],
            "s",
            ":",
            [machine.cube("02_naive", "swapped-32x8", n) for n in SIZES],
        )
    )
    for chapter in records.KERNEL_CHAPTERS:
        drawn.append(
            (
                f"{records.short(chapter)}, best",
                style.CHAPTERS[chapter],
                style.MARKERS[chapter],
                "-",
                [machine.best(chapter, n) for n in SIZES],
            )
        )
    drawn.append(("library (cuBLAS)", style.LIBRARY, "P", "-", [machine.library(n) for n in SIZES]))
    for name, colour, marker, form, results in drawn:
        points = [(r["shape"]["N"], r["time"]["median_s"]) for r in results if r]
        if points:
            yield name, colour, marker, form, points


def growth(machine, small, large):
    """By which factors the kernels' times grow between two sizes, without the CPU's."""
    factors = []
    for name, _, _, _, points in lines(machine):
        at = dict(points)
        if "CPU" not in name and small in at and large in at:
            factors.append(at[large] / at[small])
    return factors


def draw(card, machine, top):
    axes = card.axes(LEFT, top, style.WIDTH - LEFT - LABELS - style.MARGIN, PLOT)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    drawn = list(lines(machine))
    times = [t for line in drawn for _, t in line[4]]
    # The N^3 line lies below all others.
    start = min(t / n**3 for line in drawn for n, t in line[4]) / 2.5
    axes.set_xlim(460, 9200)
    axes.set_ylim(start * SIZES[0] ** 3 / 1.6, max(times) * 2)
    axes.set_xticks(SIZES, SIZES)
    ticks = [
        (1e-6, "1 µs"),
        (1e-5, "10 µs"),
        (1e-4, "100 µs"),
        (1e-3, "1 ms"),
        (1e-2, "10 ms"),
        (0.1, "100 ms"),
        (1, "1 s"),
        (10, "10 s"),
        (100, "100 s"),
    ]
    low, high = axes.get_ylim()
    axes.set_yticks(*zip(*[tick for tick in ticks if low <= tick[0] <= high]))
    axes.set_xlabel("N (M = N = K)")
    axes.grid()
    for a, b in itertools.pairwise(SIZES):  # one doubling: right by one, up by eight
        axes.plot([a, b, b], [start * a**3, start * a**3, start * b**3], "-", color=style.PREVIOUS, linewidth=0.8)
        axes.text(b * 1.04, start * (a * b) ** 1.5, "× 8", size=style.SMALL, color=style.MUTED, va="center")
    axes.plot(
        [SIZES[0], SIZES[-1]], [start * SIZES[0] ** 3, start * SIZES[-1] ** 3], "--", color=style.CEILING, linewidth=1.2
    )
    labels = [(SIZES[-1], start * SIZES[-1] ** 3, "N³: × 8 a doubling", style.INK)]
    for name, colour, marker, form, points in drawn:
        axes.plot(*zip(*points), form, color=colour, marker=marker)
        labels.append((*points[-1], name, colour))
    style.end_labels(axes, [label for label in labels if label[0] == SIZES[-1]])
    inner = [label for label in labels if label[0] != SIZES[-1]]
    for x, y, text, colour in inner:
        axes.text(x * 1.07, y, text, size=style.SMALL, color=style.letters(colour), va="center")


def main(out_folder, data_folder):
    machines = records.gpus(data_folder)
    first, last = growth(machines[0], 512, 1024), growth(machines[0], 4096, 8192)
    title = "On a GPU time grows eightfold when N doubles"
    if first and last:
        title = (
            f"On the GPU time grows about eightfold when N doubles: {records.span(last, '{:.1f}')} times from 4096 to 8192,"
            f" but only {records.span(first, '{:.1f}')} times from 512 to 1024"
        )
    card = style.Card(
        len(machines) * (PLOT + 56 + records.head(machines)),
        records.finding(machines, title),
        f"{records.names(machines)}, and its host's CPU. Median time of one product, caches warm, against N; both axes"
        " logarithmic.",
    )
    for number, machine in enumerate(machines):
        top = number * (PLOT + 56 + records.head(machines))
        draw(card, machine, card.machine(top, machine, machines))
    return card.save(out_folder, "time_vs_n")


if __name__ == "__main__":
    records.run(main)
