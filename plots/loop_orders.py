"""How the innermost loop of ijk and that of ikj walk through A, B and C, and which cache lines they touch."""

import itertools

import records
import style

SIZE = 8  # M, N and K
LINE = 4  # floats in a cache line, that some lines fit into a row; real ones have 16
AT = {"i": 2, "j": 5, "k": 3}  # the run that is drawn, but for the loop's own index
INDEX = {"A": "i * K + k", "B": "k * N + j", "C": "i * N + j"}  # as in chapters/01_cpu/kernel.hpp
ORDERS = ["ijk", "ikj"]

CELL, GAP, HEIGHT = 14, 18, 234
TOUCHED, WALK, HELD = "#bcd9ee", style.LIBRARY, style.CPU


def walk(order):
    """{matrix: the places of its floats, in the order in which one run of the innermost loop touches them}."""
    sizes = {"M": SIZE, "N": SIZE, "K": SIZE}
    steps = [{**sizes, **AT, order[-1]: step} for step in range(SIZE)]
    return {name: list(dict.fromkeys(eval(index, {}, step) for step in steps)) for name, index in INDEX.items()}


def lines(places):
    return sorted({place // LINE for place in places})


def way(places):
    """What a walk looks like."""
    strides = {b - a for a, b in itertools.pairwise(places)}
    return {1: "along a row", SIZE: "down a column"}[strides.pop()] if strides else "held in a register"


def plural(count, thing):
    return f"{count} {thing}{'s' * (count != 1)}"


def matrix(card, left, top, name, places):
    axes = card.cells(left, top, SIZE, SIZE, CELL)
    style.box(axes, 0, 0, SIZE, SIZE, style.PANEL)
    for line in lines(places):
        row, column = divmod(line * LINE, SIZE)
        style.box(axes, column, row, LINE, 1, TOUCHED)
    style.rules(axes, [(0, at, SIZE, at) for at in range(1, SIZE)] + [(at, 0, at, SIZE) for at in range(1, SIZE)])
    for number, place in enumerate(places):
        row, column = divmod(place, SIZE)
        colour = WALK if len(places) > 1 else HELD
        style.box(axes, column, row, 1, 1, colour)
        if len(places) > 1:
            axes.text(
                column + 0.5,
                row + 0.5,
                str(number),
                ha="center",
                va="center_baseline",
                size=style.SMALL,
                color=style.ink_on(colour),
            )
    walls = [(at, 0, at, SIZE) for at in range(0, SIZE + 1, LINE)] + [(0, at, SIZE, at) for at in (0, SIZE)]
    style.rules(axes, walls, style.MUTED, 0.9)
    for line in lines(places):
        row, column = divmod(line * LINE, SIZE)
        style.rules(axes, [(column, at, column + LINE, at) for at in (row, row + 1)], style.OWN, 0.9)
        style.rules(axes, [(at, row, at, row + 1) for at in (column, column + LINE)], style.OWN, 0.9)
    axes.text(0, -0.75, name, weight="bold", va="center", size=style.SMALL)
    text = (
        f"{name}[{INDEX[name]}]\n{way(places)}\n{plural(len(lines(places)), 'line')} for {plural(len(places), 'float')}"
    )
    axes.text(0, SIZE + 0.6, text, va="top", size=style.SMALL, linespacing=1.4)


def main(out_folder, data_folder):
    walks = {order: walk(order) for order in ORDERS}
    taken = {order: sum(len(lines(places)) for places in walks[order].values()) for order in ORDERS}
    ijk, ikj = ORDERS
    (down,) = (name for name, places in walks[ijk].items() if way(places) == "down a column")
    at = ", ".join(f"{index}\u00a0=\u00a0{value}" for index, value in AT.items())
    card = style.Card(
        HEIGHT,
        f"{SIZE} products touch {taken[ijk]} cache lines in {ijk}, {len(lines(walks[ijk][down]))} of them down a column"
        f" of {down}, and {taken[ikj]} in {ikj}",
        f"One run of the innermost loop of either order for M = N = K = {SIZE}, at {at}, drawn from the kernels' index"
        f" expressions. A cell is a float of 4 bytes. Pretend that a cache line holds {LINE}"
        f" of them, {4 * LINE} bytes, between two heavy lines; a real one holds 16.",
    )
    side = CELL * SIZE
    for order, left in zip(ORDERS, (style.MARGIN, style.WIDTH - style.MARGIN - 3 * side - 2 * GAP)):
        top = card.top + 6
        card.text(left, top, f"{order}: the innermost loop is over {order[-1]}", weight="bold", va="center")
        card.text(
            left + 3 * side + 2 * GAP,
            top,
            plural(taken[order], "line"),
            ha="right",
            va="center",
            weight="bold",
            color=style.letters(style.LIBRARY) if taken[order] == max(taken.values()) else style.INK,
        )
        for number, (name, places) in enumerate(walks[order].items()):
            matrix(card, left + number * (side + GAP), 36, name, places)
    card.key(
        HEIGHT - 26,
        [
            (WALK, "bar", "floats of the walk, numbered in its order"),
            (HELD, "bar", "the one float that stays the same"),
            (TOUCHED, "bar", "the rest of the cache lines that these lie in"),
        ],
    )
    return card.save(out_folder, "loop_orders")


if __name__ == "__main__":
    records.run(main)
