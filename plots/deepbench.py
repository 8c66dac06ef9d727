"""The fastest kernel of all chapters over real shapes, in % of the library's rate."""

import records
import style

ROW, LEFT, TABLE = 14.5, 150, 250


def best(machine):
    """{(M, N, K): (chapter, result)}: the fastest own variant of all kernel chapters at each shape."""
    found = {}
    for chapter in records.KERNEL_CHAPTERS:
        for result in machine.results(chapter, "deepbench", "cold", "own"):
            shape = tuple(result["shape"][axis] for axis in "MNK")
            if result.get("library_ratio") and (
                shape not in found or result["flops_per_s"] > found[shape][1]["flops_per_s"]
            ):
                found[shape] = chapter, result
    return found


def draw(card, machine, top):
    found = sorted(best(machine).items(), key=lambda item: (-item[1][1]["library_ratio"], item[0]))
    axes = card.axes(LEFT, top, style.WIDTH - LEFT - TABLE - style.MARGIN, ROW * len(found) + 8)
    axes.set_xscale("log")
    axes.set_xlim(1, 250)
    axes.set_ylim(len(found) - 0.3, -0.7)
    ticks = [1, 2, 5, 10, 20, 50, 100, 200]
    axes.set_xticks(ticks, [f"{tick} %" for tick in ticks])
    axes.set_yticks(range(len(found)), [" × ".join(map(str, shape)) for shape, _ in found], color=style.INK)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    axes.axvline(100, color=style.LIBRARY, linewidth=1.4)
    for y, (shape, (chapter, result)) in enumerate(found):
        share = 100 * result["library_ratio"]
        axes.plot([1, share], [y, y], "-", color=style.FAINT, linewidth=1)
        axes.plot([share], [y], style.MARKERS[chapter], color=style.CHAPTERS[chapter])
        percent = f"{share:.0f}" if share >= 9.5 else f"{share:.1f}"
        right = axes.get_yaxis_transform()  # x in widths of the axes, y in rows
        for pixels, text in (
            (48, f"{percent} %"),
            (64, result["variant"]),
            (TABLE, f"{records.tera(result['flops_per_s'])} TFLOP/s"),
        ):
            axes.text(
                1 + pixels / (style.WIDTH - LEFT - TABLE - style.MARGIN),
                y,
                text,
                va="center",
                size=style.SMALL,
                ha="left" if pixels == 64 else "right",
                transform=right,
            )


def main(out_folder, data_folder):
    machines = records.gpus(data_folder)
    shares = sorted(100 * result["library_ratio"] for machine in machines[:1] for _, result in best(machine).values())
    title = "Real shapes, in % of the library"
    if shares:
        over = sum(share > 100 for share in shares)
        title = (
            f"Real shapes reach {shares[len(shares) // 2]:.0f} % of the library in the median, {shares[0]:.1f} % at"
            f" worst;"
            f" {over or 'none'} of {len(shares)} {'are' if over > 1 else 'is'} faster than it"
        )
    heights = [max(ROW * len(best(machine)) + 8, 60) + 44 + records.head(machines) for machine in machines]
    card = style.Card(
        sum(heights) + 26,
        records.finding(machines, title),
        f"{records.names(machines)}. The fastest of all chapters' own variants at each shape M × N × K of"
        f" plots/data/deepbench.csv,"
        " caches flushed before each product, in % of cuBLAS (fp32) in the same run; logarithmic, more is better.",
    )
    entries = [(style.CHAPTERS[c], style.MARKERS[c], records.short(c)) for c in records.KERNEL_CHAPTERS]
    card.key(0, [*entries, (style.LIBRARY, "-", "library = 100 %")])
    for machine, inner in card.parts(28, machines, heights):
        if best(machine):
            draw(card, machine, inner)
        else:
            card.missing(LEFT, inner, style.WIDTH - LEFT - 40, 50, "the real shapes were not measured on this machine")
    return card.save(out_folder, "deepbench")


if __name__ == "__main__":
    records.run(main)
