"""What empty caches cost: the time of a product with cold caches over that with warm ones."""

import math

import records
import style

PLOT, LEFT = 280, 60
SIZES = [512, 1024, 2048, 4096, 8192]


def ratio(machine, chapter, size, role="own"):
    """Cold over warm time of the variant of this chapter that is fastest when warm, or None."""
    warm = machine.best(chapter, size, "warm", role)
    cold = warm and machine.cube(chapter, warm["variant"], size, "cold")
    return cold and cold["time"]["median_s"] / warm["time"]["median_s"]


def points(machine, chapter, role="own"):
    found = [(size, ratio(machine, chapter, size, role)) for size in SIZES]
    return [(size, value) for size, value in found if value]


def draw(card, machine, top):
    axes = card.axes(LEFT, top, style.WIDTH - LEFT - style.MARGIN - 8, PLOT)
    axes.set_xscale("log", base=2)
    axes.set_xlim(440, 9200)
    axes.set_xticks(SIZES, SIZES)
    axes.set_xlabel("N (M = N = K)")
    axes.set_ylabel("cold time / warm time")
    axes.grid()
    axes.axhline(1, color=style.CEILING, linestyle="--", linewidth=1.2)
    library = [p for chapter in records.KERNEL_CHAPTERS for p in points(machine, chapter, "library")]
    if library:
        axes.plot(*zip(*library), "P", color=style.LIBRARY, mfc=style.PANEL, linestyle="none")
    for chapter in records.KERNEL_CHAPTERS:
        line = points(machine, chapter)
        if line:
            axes.plot(*zip(*line), "-", color=style.CHAPTERS[chapter], marker=style.MARKERS[chapter])


def main(out_folder, data_folder):
    machines = records.gpus(data_folder)
    own = {size: [r for c in records.KERNEL_CHAPTERS if (r := ratio(machines[0], c, size))] for size in SIZES}
    title = "Cold caches against warm ones"
    if own[512] and own[8192]:
        small = records.span([100 * (r - 1) for r in own[512]])
        large = math.ceil(10 * max(abs(100 * (r - 1)) for r in own[8192])) / 10
        title = f"Cold caches cost the chapters' kernels {small} % at N = 512, and less than {large:.1f} % at N = 8192"
    card = style.Card(
        len(machines) * (PLOT + 56 + records.head(machines)) + 24,
        records.finding(machines, title),
        f"{records.names(machines)}. Median time with the caches flushed before every product, over that with warm"
        f" caches: 1 is no"
        " difference, 1.1 is 10 % slower. Each chapter's own variant that is fastest when warm.",
    )
    entries = [(style.CHAPTERS[c], style.MARKERS[c], records.short(c)) for c in records.KERNEL_CHAPTERS]
    card.key(0, [*entries, (style.LIBRARY, "hollow P", "library, once for each chapter's runs (they differ)")])
    for number, machine in enumerate(machines):
        top = card.machine(26 + number * (PLOT + 56 + records.head(machines)), machine, machines)
        if any(points(machine, chapter) for chapter in records.KERNEL_CHAPTERS):
            draw(card, machine, top)
        else:
            card.missing(LEFT, top, style.WIDTH - LEFT - 40, 60, "not measured with both warm and cold caches")
    return card.save(out_folder, "cold_warm")


if __name__ == "__main__":
    records.run(main)
