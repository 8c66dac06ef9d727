"""The loop over tiles as a strip of small pictures: who loads what, who reads what, in every step."""

import records
import style

TILE, M, N, K = 4, 12, 8, 8
BLOCK, THREAD = (1, 2), (3, 1)  # (x, y), as in CUDA
ROW, COL = BLOCK[1] * TILE + THREAD[1], BLOCK[0] * TILE + THREAD[0]
CELL, GAP = 8.4, 7
TILE_COLOUR, MINE, DONE = "#bcd9ee", style.LIBRARY, "#009e73"


def steps():
    """(heading, lines of text, cells of A, of B, of C) for every picture; cells are {(row, column): colour}."""
    rows = range(BLOCK[1] * TILE, (BLOCK[1] + 1) * TILE)
    cols = range(BLOCK[0] * TILE, (BLOCK[0] + 1) * TILE)
    c = {(r, q): TILE_COLOUR for r in rows for q in cols} | {(ROW, COL): MINE}
    for number, k0 in enumerate(range(0, K, TILE)):
        ks = range(k0, k0 + TILE)
        a = {(r, k): TILE_COLOUR for r in rows for k in ks}
        b = {(k, q): TILE_COLOUR for k in ks for q in cols}
        loaded = (ROW, k0 + THREAD[0]), (k0 + THREAD[1], COL)
        yield (
            f"k0 = {k0}: load",
            f"16 threads load 16 + 16\nwords. Ours: A[{loaded[0][0]}][{loaded[0][1]}]\nand"
            f" B[{loaded[1][0]}][{loaded[1][1]}]. Barrier.",
            a | {loaded[0]: MINE},
            b | {loaded[1]: MINE},
            c,
        )
        yield (
            f"k0 = {k0}: multiply",
            f"Ours adds A[{ROW}][{k0}…{k0 + TILE - 1}]\ntimes B[{k0}…{k0 + TILE - 1}][{COL}] to its\nsum. Barrier.",
            a | {(ROW, k): MINE for k in ks},
            b | {(k, COL): MINE for k in ks},
            c,
        )
    yield (
        "after the loop: store",
        f"16 threads store the\nblock's tile of C.\nOurs: C[{ROW}][{COL}].",
        {},
        {},
        {cell: DONE for cell in c} | {(ROW, COL): MINE},
    )


def matrix(axes, left, top, rows, columns, cells, name):
    style.box(axes, left, top, columns * CELL, rows * CELL, style.PANEL)
    for (row, column), colour in cells.items():
        x, y = left + column * CELL, top + row * CELL
        style.box(axes, x, y, CELL, CELL, colour)
    for every, colour, line in ((1, style.FAINT, 0.5), (TILE, style.MUTED, 0.9)):
        columns_at = [left + column * CELL for column in range(0, columns + 1, every)]
        rows_at = [top + row * CELL for row in range(0, rows + 1, every)]
        style.rules(axes, [(x, top, x, rows_at[-1]) for x in columns_at], colour, line)
        style.rules(axes, [(left, y, columns_at[-1], y) for y in rows_at], colour, line)
    axes.text(
        left - 3 if name == "B" else left,
        top - 7 if name != "B" else top + 5,
        name,
        ha="right" if name == "B" else "left",
        va="center",
        weight="bold",
        size=style.SMALL,
    )


def main(out_folder, data_folder):
    pictures = list(steps())
    width = (style.WIDTH - 2 * style.MARGIN) / len(pictures)
    card = style.Card(
        300,
        f"One block walks along K: {K // TILE} tiles of A and {K // TILE} of B for one tile of C; each word loaded"
        f" once is used"
        f" {TILE} times",
        f"The loop of 03_tiled for N = K = {N}, M = {M}, TILE = {TILE}, drawn from the kernel's index expressions."
        f" Block (x, y) ="
        f" ({BLOCK[0]}, {BLOCK[1]}) computes a tile of C; its thread ({THREAD[0]}, {THREAD[1]}) computes"
        f" C[{ROW}][{COL}].",
    )
    axes = card.canvas(0, 0, style.WIDTH, 300)
    for number, (heading, text, a, b, c) in enumerate(pictures):
        left = style.MARGIN + number * width
        axes.text(left, 6, heading, weight="bold", va="center")
        top = 22
        right = left + K * CELL + GAP
        below = top + K * CELL + GAP
        matrix(axes, right, top, K, N, b, "B")
        matrix(axes, left, below, M, K, a, "A")
        matrix(axes, right, below, M, N, c, "")
        axes.text(right + N * CELL, below + M * CELL + 9, "C", ha="right", va="center", weight="bold", size=style.SMALL)
        axes.text(left, below + M * CELL + 22, text, va="top", size=style.SMALL, linespacing=1.4)
    card.key(
        276,
        [
            (TILE_COLOUR, "bar", "tiles that the block works with"),
            (MINE, "bar", "words of the thread that is followed"),
            (DONE, "bar", "stored"),
        ],
    )
    return card.save(out_folder, "tile_steps")


if __name__ == "__main__":
    records.run(main)
