"""Tiles that hang over the edges: what one block loads, what it fills with zeros, and which of its threads store."""

import records
import style

M = N = K = 5
TILE = 4
BLOCK, K0 = (1, 0), 4  # (x, y), as in CUDA; the step that is drawn
COLUMNS, WIDE = 1000, 16  # of the second example: N and TILE
# As in chapters/04_bounds/kernel.cuh: what a thread loads or stores, and whether that lies inside.
PLACE = {"A": "row, k0 + tx", "B": "k0 + ty, col", "C": "row, col"}
INSIDE = {"A": "row < M && k0 + tx < K", "B": "k0 + ty < K && col < N", "C": "row < M && col < N"}

CELL, GAP = 14, 20  # of the matrices
BIG = 26  # cells of the tiles
HEIGHT = 304
LIVE, ZERO, STORES, WAITS = "#bcd9ee", "#f6d9c4", "#009e73", style.FAINT


def ceil_div(a, b):
    return -(-a // b)


def threads(name, block=BLOCK, k0=K0):
    """{(ty, tx): (the place in the matrix, does it lie inside)} of a block's threads at a step."""
    found = {}
    for ty in range(TILE):
        for tx in range(TILE):
            words = {"M": M, "N": N, "K": K, "k0": k0, "tx": tx, "ty": ty}
            words |= {"col": block[0] * TILE + tx, "row": block[1] * TILE + ty}
            found[ty, tx] = eval(PLACE[name], {}, words), eval(INSIDE[name].replace("&&", "and"), {}, words)
    return found


def live(name, *where):
    return {thread for thread, (_, inside) in threads(name, *where).items() if inside}


def colour(name, inside):
    if name == "C":
        return STORES if inside else WAITS
    return LIVE if inside else ZERO


def matrix(card, left, top, name, rows, columns):
    """A matrix in the tiles that cover it, with the chosen block's tile."""
    tall, wide = (TILE * ceil_div(size, TILE) for size in (rows, columns))
    axes = card.cells(left, top, wide, tall, CELL)
    style.box(axes, 0, 0, columns, rows, style.PANEL)
    for (row, column), inside in threads(name).values():
        style.box(axes, column, row, 1, 1, colour(name, inside))
    style.rules(axes, [(0, at, columns, at) for at in range(rows)] + [(at, 0, at, rows) for at in range(columns)])
    outside = [(columns, at, wide, at) for at in range(0, tall + 1, TILE)]
    outside += [(at, rows, at, tall) for at in range(0, wide + 1, TILE)]
    outside += [(0, at, columns, at) for at in range(0, tall + 1, TILE) if at > rows]
    outside += [(at, 0, at, rows) for at in range(0, wide + 1, TILE) if at > columns]
    style.rules(axes, outside, style.PREVIOUS)
    (y, x), _ = threads(name)[0, 0]
    inner = [(x, y + at, x + TILE, y + at) for at in range(1, TILE)]
    style.rules(axes, inner + [(x + at, y, x + at, y + TILE) for at in range(1, TILE)], style.CARD)
    style.rules(axes, [(0, at, columns, at) for at in range(0, rows, TILE)], style.MUTED, 0.9)
    style.rules(axes, [(at, 0, at, rows) for at in range(0, columns, TILE)], style.MUTED, 0.9)
    frame = [(0, 0, columns, 0), (0, rows, columns, rows), (0, 0, 0, rows), (columns, 0, columns, rows)]
    style.rules(axes, frame, style.INK, 1.4)
    edge = [(x, at, x + TILE, at) for at in (y, y + TILE)] + [(at, y, at, y + TILE) for at in (x, x + TILE)]
    style.rules(axes, edge, style.MUTED, 0.9)
    return axes


def tile(card, left, top, name, heading, text):
    """The chosen block's tile, by thread."""
    axes = card.cells(left, top, TILE, TILE, BIG)
    for (ty, tx), ((row, column), inside) in threads(name).items():
        style.box(axes, tx, ty, 1, 1, colour(name, inside))
        written = f"{row},{column}" if inside else "–" if name == "C" else "0"
        axes.text(
            tx + 0.5,
            ty + 0.5,
            written,
            ha="center",
            va="center_baseline",
            size=style.SMALL,
            color=style.ink_on(colour(name, inside)),
        )
    style.rules(axes, [(0, at, TILE, at) for at in range(1, TILE)], style.PANEL, 0.9)
    style.rules(axes, [(at, 0, at, TILE) for at in range(1, TILE)], style.PANEL, 0.9)
    frame = [(0, at, TILE, at) for at in (0, TILE)] + [(at, 0, at, TILE) for at in (0, TILE)]
    style.rules(axes, frame, style.MUTED, 0.9)
    axes.text(0, -0.5, heading, weight="bold", va="center", size=style.SMALL)
    axes.text(0, TILE + 0.35, text, va="top", size=style.SMALL, linespacing=1.4)


def last_tile(card, left, top, width):
    """The columns of a wide matrix in tiles, and the last of these."""
    tiles = ceil_div(COLUMNS, WIDE)
    columns = range((tiles - 1) * WIDE, tiles * WIDE)
    inside = [col for col in columns if eval("col < N", {}, {"col": col, "N": COLUMNS})]
    outside = columns[len(inside) :]
    text = f"{COLUMNS} columns are {COLUMNS / WIDE:g} tiles of {WIDE}: the last of {tiles} has {len(inside)} live ones"
    card.text(left, card.top + top + 6, text, weight="bold", va="center", size=style.SMALL)

    high, low, step, scale = 20, 50, width / WIDE, width / (tiles * WIDE)  # pixels
    axes = card.canvas(left, top, width + 2, low + 40)
    whole = [(0, COLUMNS, LIVE), (COLUMNS, tiles * WIDE - COLUMNS, ZERO)]
    for first, count, fill in whole:
        style.box(axes, first * scale, high, count * scale, 10, fill)
    walls = [n * WIDE * scale for n in range(tiles + 1)]
    style.rules(axes, [(x, high, x, high + 10) for x in walls], style.PANEL, 0.9)
    style.rules(axes, [(0, high, width, high), (0, high + 10, width, high + 10)], style.PREVIOUS)
    style.rules(axes, [(walls[-2], high + 11, 0, low), (width, high + 11, width, low)], style.PREVIOUS)

    for number, col in enumerate(columns):
        style.box(axes, number * step, low, step, 20, LIVE if col in inside else ZERO)
        at = (number + 0.5) * step
        axes.text(at, low + 10, str(col), ha="center", va="center_baseline", size=style.SMALL)
    style.rules(axes, [(n * step, low, n * step, low + 20) for n in range(1, WIDE)], style.PANEL, 0.9)
    ends = [(0, y, width, y) for y in (low, low + 20)] + [(x, low, x, low + 20) for x in (0, width)]
    style.rules(axes, ends, style.MUTED, 0.9)
    for some, words in ((inside, "live"), (outside, "dead")):
        middle = ((some[0] + some[-1] + 1) / 2 - columns[0]) * step
        axes.text(middle, low + 30, f"{len(some)} {words}", ha="center", va="center", size=style.SMALL)


def main(out_folder, data_folder):
    a, b, c = (live(name) for name in "ABC")
    everyone = set(threads("C"))
    words, loaded = 2 * len(everyone), len(a) + len(b)
    helped = live("A", BLOCK, 0) - c
    card = style.Card(
        HEIGHT,
        f"At an edge {loaded} of {words} words are loaded, {words - loaded} are zeros; {len(c)} of {len(everyone)}"
        f" threads store, {len(everyone - c)} only help",
        f"The kernel of 04_bounds for M = N = K = {N}, TILE = {TILE}, drawn from its conditions: block (x, y) ="
        f" ({BLOCK[0]}, {BLOCK[1]}) at its last step, k0\u00a0=\u00a0{K0}. In the tiles: row,column, or 0. At k0\u00a0=\u00a00 the"
        f" {len(everyone - c)} threads without an element of C load {len(helped)} floats of A that the others need.",
    )
    left, top = style.MARGIN, 12
    wide, tall = TILE * ceil_div(K, TILE) * CELL, TILE * ceil_div(K, TILE) * CELL
    right, below = left + wide + GAP, top + tall + GAP
    matrix(card, right, top, "B", K, N).text(-0.6, 0.5, "B", ha="right", va="center", weight="bold", size=style.SMALL)
    matrix(card, left, below, "A", M, K).text(0, -0.7, "A", va="center", weight="bold", size=style.SMALL)
    matrix(card, right, below, "C", M, N).text(0, -0.7, "C", va="center", weight="bold", size=style.SMALL)
    start = right + TILE * ceil_div(N, TILE) * CELL + 44
    room = style.WIDTH - style.MARGIN - start
    texts = {
        "A": ("tile_A[ty][tx]", f"{len(a)} live, {len(everyone - a)} zeros"),
        "B": ("tile_B[ty][tx]", f"{len(b)} live, {len(everyone - b)} zeros"),
        "C": ("C, by thread", f"{len(c)} store, {len(everyone - c)} wait"),
    }
    for number, (name, (heading, text)) in enumerate(texts.items()):
        tile(card, start + number * room / 3, 16, name, heading, f"{INSIDE[name]}\n{text}")
    last_tile(card, start, 182, room)
    card.key(
        HEIGHT - 26,
        [
            (LIVE, "bar", "inside: loaded"),
            (ZERO, "bar", "outside: filled with zero"),
            (STORES, "bar", "inside: stored"),
            (WAITS, "bar", "outside: its thread only loads and waits"),
        ],
    )
    return card.save(out_folder, "edges")


if __name__ == "__main__":
    records.run(main)
