"""Which lane of a warp touches which word, and which sectors that takes: drawn from the tracer's first requests."""

import records
import style

CELL, ROW, LEFT, WORDS = 21.5, 21, 106, 32
STRIPS = [  # variant, request, heading, what a row is called, words in a row of the array (or of banks)
    ("naive-32x8", "global load A", "naive loads A[row][k]: every lane wants the same word", "A, row {}", 64),
    ("naive-32x8", "global load B", "naive loads B[k][col]: neighbouring lanes, neighbouring words", "B, row {}", 64),
    (
        "swapped-32x8",
        "global load A",
        "swapped loads A[row][k]: neighbouring lanes, words one row apart",
        "A, row {}",
        64,
    ),
    ("swapped-32x8", "global load B", "swapped loads B[k][col]: every lane wants the same word", "B, row {}", 64),
    ("tiled-16", "global load A", "tiled-16 loads its tile of A: two rows of 16 words", "A, row {}", 64),
    (
        "transposed-32",
        "shared store tile_A",
        "transposed-32 stores tile_A[tx][ty] to shared memory, by columns",
        "tile_A, row {}",
        32,
    ),
]


def rows_of(offsets, words):
    """{row: {column: [lanes]}} of a request."""
    rows = {}
    for lane, offset in enumerate(offsets):
        if offset is not None:
            row, column = divmod(offset // 4, words)
            rows.setdefault(row, {}).setdefault(column, []).append(lane)
    return rows


def cost(offsets, shared):
    active = [offset for offset in offsets if offset is not None]
    if shared:
        banks = {}
        for word in {offset // 4 for offset in active}:
            banks[word % 32] = banks.get(word % 32, 0) + 1
        passes = max(banks.values())
        return f"{passes} wavefront{'s' * (passes > 1)}, where one would do"
    sectors = len({offset // 32 for offset in active})
    return (
        f"{sectors} sector{'s' * (sectors > 1)} = {32 * sectors} bytes moved, "
        f"{4 * len({offset // 4 for offset in active})} of them wanted"
    )


def shown(rows):
    """The rows that are drawn: all, or the first three, a gap and the last."""
    rows = sorted(rows)
    return rows if len(rows) <= 4 else [*rows[:3], None, rows[-1]]


def strip(axes, top, label, rows, words, shared):
    for number, row in enumerate(shown(rows)):
        y = top + number * ROW
        if row is None:
            axes.text(
                LEFT + WORDS * CELL / 2,
                y + ROW / 2,
                f"and so on, {len(rows)} rows in all",
                ha="center",
                va="center",
                size=style.SMALL,
                color=style.MUTED,
            )
            continue
        axes.text(LEFT - 8, y + ROW / 2, label.format(row), ha="right", va="center", size=style.SMALL)
        for sector in range(WORDS // 8):
            touched = not shared and any(column // 8 == sector for column in rows[row])
            style.box(axes, LEFT + sector * 8 * CELL, y + 1, 8 * CELL, ROW - 2, "#c8dff0" if touched else style.PANEL)
        walls = [(LEFT + word * CELL, y + 1, LEFT + word * CELL, y + ROW - 1) for word in range(WORDS + 1)]
        style.rules(axes, walls)
        style.rules(axes, [(LEFT, edge, LEFT + WORDS * CELL, edge) for edge in (y + 1, y + ROW - 1)], style.EDGE)
        if not shared:
            style.rules(axes, walls[::8], style.MUTED, 1.2)
        for column, lanes in rows[row].items():
            if column >= WORDS:
                continue
            x = LEFT + column * CELL
            colour = style.lane_colour(lanes[0] if len(lanes) == 1 else 16)
            style.box(axes, x + 1, y + 2, CELL - 2, ROW - 4, colour)
            if len(lanes) == 1:
                axes.text(
                    x + CELL / 2,
                    y + ROW / 2,
                    str(lanes[0]),
                    ha="center",
                    va="center",
                    size=style.SMALL,
                    color=style.ink_on(colour),
                )
            else:
                axes.text(x + CELL + 5, y + ROW / 2, f"lanes {lanes[0]} to {lanes[-1]}", va="center", size=style.SMALL)


def main(out_folder, data_folder):
    requests = records.traced(data_folder)["requests"]
    laid = [
        (rows_of(requests[variant][request], words), variant, request, head, label, words)
        for variant, request, head, label, words in STRIPS
    ]
    heights = [34 + ROW * len(shown(rows)) for rows, *_ in laid]
    naive = len({o // 32 for o in requests["naive-32x8"]["global load B"]})
    swapped = len({o // 32 for o in requests["swapped-32x8"]["global load A"]})
    card = style.Card(
        sum(heights) + 22,
        f"Swapping threadIdx.x and threadIdx.y turns a request of {naive} sectors into one of {swapped}",
        "One request of one warp, traced on the CPU at M = N = K = 64 (warp 0 of block (0,0), at last warp 5: its first request of the"
        " array). A cell is a word of 4 bytes with the number of the lane that touches it; heavy lines divide the row"
        " into sectors of 32 bytes, and touched sectors are blue.",
    )
    axes = card.canvas(0, 0, style.WIDTH, sum(heights) + 22)
    y = 2
    for (rows, variant, request, head, label, words), height in zip(laid, heights):
        shared = "shared" in request
        axes.text(style.MARGIN, y + 9, head, weight="bold", va="center")
        axes.text(
            style.WIDTH - style.MARGIN,
            y + 9,
            cost(requests[variant][request], shared),
            ha="right",
            va="center",
            color=style.MUTED,
        )
        strip(axes, y + 20, label, rows, words, shared)
        y += height
    axes.text(LEFT, y + 2, "word 0", size=style.SMALL, color=style.MUTED, va="center")
    axes.text(LEFT + WORDS * CELL, y + 2, "word 31", size=style.SMALL, color=style.MUTED, va="center", ha="right")
    return card.save(out_folder, "access_map")


if __name__ == "__main__":
    records.run(main)
