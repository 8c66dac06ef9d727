"""The ladder: the fastest own variant of each chapter at four sizes, beside the library and the ceiling."""

import records
import style
from records import percent, tera

SIZES = [1024, 2048, 4096, 8192]
LABELS, GAP, PANEL, HEAD = 76, 22, 132, 22


def title(machine):
    naive, tiled, padded = (machine.best(c, 4096) for c in ("02_naive", "03_tiled", "05_padding"))
    if not (naive and tiled and padded and tiled.get("library_ratio")):
        return "The ladder: every chapter's fastest kernel beside the library"
    turn = "slower" if padded["flops_per_s"] < tiled["flops_per_s"] else "faster"
    return (
        f"At N = 4096 tiles are {tiled['flops_per_s'] / naive['flops_per_s']:.1f} times as fast as the naive kernel,"
        f" and"
        f" the library is {1 / tiled['library_ratio']:.1f} times as fast as tiles; chapter 05's variants are {turn}"
        f" than tiles"
    )


def panel(card, machine, size, left, top, width):
    rows = []
    for chapter in records.CHAPTERS:
        rows.append(
            (records.short(chapter), machine.best(chapter, size), style.CPU if chapter == "01_cpu" else style.OWN)
        )
    rows.append(("library", machine.library(size), style.LIBRARY))
    ceiling = machine.ceiling("ceiling_flops_per_s")
    card.text(left + LABELS, card.top + top - 4, f"N = {size}", va="bottom", weight="bold")
    axes = card.axes(left + LABELS, top, width - LABELS, PANEL)
    most = ceiling or max((r["flops_per_s"] for _, r, _ in rows if r), default=1e12)
    axes.set_xlim(0, most / 1e12 * 1.03)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), [name for name, _, _ in rows], color=style.INK)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    for y, (name, result, colour) in enumerate(rows):
        if result is None:
            axes.text(most * 0.012e-12, y, "not measured", va="center", size=style.SMALL, color=style.MUTED)
            continue
        rate = result["flops_per_s"]
        axes.barh(y, rate / 1e12, 0.66, color=colour, linewidth=0)
        text = tera(rate)
        if name == "library":
            text += f"  {percent(result['ceiling_fraction'])} of ceiling  {result['variant']}"
        elif name == "01 cpu":  # another machine: neither this library nor this ceiling is its measure
            text += f"  {result['variant']}, on the host's CPU"
        else:
            library = f"{percent(result['library_ratio'])} / " if result.get("library_ratio") else ""
            text += f"  {library}{percent(result['ceiling_fraction'])}  {result['variant']}"
        inside = rate > most / 2
        place = rate / 1e12 + (-1 if inside else 1) * most * 0.012e-12
        axes.text(
            place,
            y,
            text,
            ha="right" if inside else "left",
            va="center",
            size=style.SMALL,
            color=style.ink_on(colour) if inside else style.INK,
        )
    if ceiling:
        axes.axvline(ceiling / 1e12, color=style.CEILING, linestyle="--", linewidth=1.2)


def main(out_folder, data_folder):
    machines = records.gpus(data_folder)
    block = 2 * (HEAD + PANEL + 22)
    card = style.Card(
        26 + len(machines) * (block + records.head(machines)) + 6,
        records.finding(machines, title(machines[0])),
        f"{records.names(machines)}. The fastest own variant of each chapter at M = N = K, caches warm, in TFLOP/s"
        f" (fp32),"
        " verified; more is better. Behind each number: % of the library / % of the ceiling, then the variant.",
    )
    ceilings = ", ".join(
        f"{tera(m.ceiling('ceiling_flops_per_s'))} TFLOP/s" for m in machines if m.ceiling("ceiling_flops_per_s")
    )
    card.key(
        0,
        [
            (style.OWN, "bar", "a chapter's own, GPU"),
            (style.CPU, "bar", "CPU"),
            (style.LIBRARY, "bar", "library (cuBLAS, no tensor cores)"),
            (style.CEILING, "--", f"ceiling: measured fp32 peak, {ceilings}"),
        ],
    )
    width = (style.WIDTH - 2 * style.MARGIN - GAP) / 2
    top = 26
    for machine in machines:
        top = card.machine(top, machine, machines)
        for number, size in enumerate(SIZES):
            left = style.MARGIN + number % 2 * (width + GAP)
            panel(card, machine, size, left, top + HEAD + number // 2 * (PANEL + HEAD + 22), width)
        top += block
    return card.save(out_folder, "ladder")


if __name__ == "__main__":
    records.run(main)
