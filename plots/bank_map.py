"""Which lane's word lies in which bank of shared memory when a warp stores its part of a tile."""

import records
import style

BANKS = 32
CELL, ROW, LEFT = 21.5, 21, 106  # of the two strips
HEIGHT = 542
SMALL_CELL = 7.4  # of the three pictures
STRIPS = [("tiled-16", "plain tile 16 × 16, stored by rows"), ("padded-16", "padded tile 16 × 17, stored by rows")]
PICTURES = [
    ("transposed-32", "32 × 32, by columns", 32),
    ("transposed-padded-32", "32 × 33, by columns", 33),
    ("swizzled-32", "32 × 32, column ty ^ tx", 32),
]
REQUEST = "shared store tile_A"


def words_of(offsets):
    return [offset // 4 for offset in offsets]


def in_bank(words):
    """How many distinct words of a request lie in each bank."""
    return [sum(word % BANKS == bank for word in set(words)) for bank in range(BANKS)]


def write_passes(axes, right, y, words):
    """How many wavefronts a request takes, in the colour of a warning if that is more than one."""
    count = max(in_bank(words))
    colour = style.LIBRARY if count > 1 else style.INK
    text = f"{count} wavefront{'s' * (count > 1)}"
    axes.text(right, y, text, ha="right", va="center", weight="bold", color=colour)


def strip(axes, top, words):
    rows = max(word // BANKS for word in words) + 1
    for row in range(rows):
        y = top + row * ROW
        axes.text(
            LEFT - 8,
            y + ROW / 2,
            f"words {row * BANKS} to {row * BANKS + 31}",
            ha="right",
            va="center",
            size=style.SMALL,
        )
        style.box(axes, LEFT, y, BANKS * CELL, ROW, style.PANEL)
        style.rules(axes, [(LEFT + bank * CELL, y, LEFT + bank * CELL, y + ROW) for bank in range(BANKS + 1)])
        style.rules(axes, [(LEFT, edge, LEFT + BANKS * CELL, edge) for edge in (y, y + ROW)])
    for lane, word in enumerate(words):
        row, bank = divmod(word, BANKS)
        x, y, colour = LEFT + bank * CELL, top + row * ROW, style.lane_colour(lane)
        style.box(axes, x + 1, y + 1, CELL - 2, ROW - 2, colour)
        axes.text(
            x + CELL / 2, y + ROW / 2, str(lane), ha="center", va="center", size=style.SMALL, color=style.ink_on(colour)
        )
    counts = in_bank(words)
    for bank in range(BANKS):
        colour = style.MUTED if counts[bank] == 1 else style.LIBRARY
        axes.text(
            LEFT + (bank + 0.5) * CELL,
            top + rows * ROW + 9,
            str(counts[bank]),
            ha="center",
            va="center",
            size=style.SMALL,
            color=colour,
            weight="normal" if counts[bank] == 1 else "bold",
        )
    axes.text(
        LEFT - 8, top + rows * ROW + 9, "words a bank", ha="right", va="center", size=style.SMALL, color=style.MUTED
    )
    return rows * ROW + 20


def picture(axes, left, top, words, pitch):
    """The whole tile as it lies in memory, 32 words a line."""
    lines = -(-32 * pitch // BANKS)
    side, height = BANKS * SMALL_CELL, lines * SMALL_CELL
    style.box(axes, left, top, side, height, style.PANEL)
    style.rules(
        axes, [(x, top, x, top + height) for x in (left + bank * SMALL_CELL for bank in range(0, BANKS + 1, 4))]
    )
    style.rules(axes, [(left, y, left + side, y) for y in (top + line * SMALL_CELL for line in range(0, lines + 1, 4))])
    for lane, word in enumerate(words):
        line, bank = divmod(word, BANKS)
        x, y = left + bank * SMALL_CELL, top + line * SMALL_CELL
        style.box(axes, x, y, SMALL_CELL, SMALL_CELL, style.lane_colour(lane))
    for bank in (0, 8, 16, 24, 31):
        axes.text(
            left + (bank + 0.5) * SMALL_CELL,
            top + 33 * SMALL_CELL + 8,
            str(bank),
            ha="center",
            va="center",
            size=style.SMALL,
            color=style.MUTED,
        )


def main(out_folder, data_folder):
    requests = records.traced(data_folder)["requests"]
    words = {variant: words_of(requests[variant][REQUEST]) for variant, *_ in [*STRIPS, *PICTURES]}
    plain, padded = (max(in_bank(words[v])) for v in ("tiled-16", "padded-16"))
    columns, cured = (max(in_bank(words[v])) for v in ("transposed-32", "transposed-padded-32"))
    card = style.Card(
        HEIGHT,
        f"Padding a 16-wide tile turns {plain} wavefront into {padded}; a tile stored by columns takes {columns},"
        f" and padding"
        f" or a swizzle brings them back to {cured}",
        "Where the 32 lanes of a warp store their words of tile_A, traced on the CPU. Shared memory has 32 banks;"
        " word w lies"
        " in bank w mod 32. In one wavefront each bank takes one word, so a store needs as many as its busiest bank"
        " has words. The warp's ty is 0 and 1 in the upper two and 5 in the lower three.",
    )
    axes = card.canvas(0, 0, style.WIDTH, HEIGHT)
    y = 2
    for variant, name in STRIPS:
        axes.text(style.MARGIN, y + 9, f"{variant}: {name}", weight="bold", va="center")
        write_passes(axes, style.WIDTH - style.MARGIN, y + 9, words[variant])
        y += 22 + strip(axes, y + 20, words[variant]) + 14
    axes.text(LEFT - 8, y + 2, "bank", ha="right", va="center", size=style.SMALL, color=style.MUTED)
    for bank in (0, 8, 16, 24, 31):
        axes.text(
            LEFT + (bank + 0.5) * CELL, y + 2, str(bank), ha="center", va="center", size=style.SMALL, color=style.MUTED
        )
    y += 30
    gap = (style.WIDTH - 2 * style.MARGIN - 3 * BANKS * SMALL_CELL) / 2
    for number, (variant, name, pitch) in enumerate(PICTURES):
        left = style.MARGIN + number * (BANKS * SMALL_CELL + gap)
        axes.text(left, y, variant, weight="bold", va="center")
        axes.text(left, y + 16, name, va="center", size=style.SMALL, color=style.MUTED)
        write_passes(axes, left + BANKS * SMALL_CELL, y + 16, words[variant])
        picture(axes, left, y + 28, words[variant], pitch)
    foot = y + 28 + 33 * SMALL_CELL + 36
    axes.text(
        style.MARGIN,
        foot,
        "Each picture is the whole tile, a line for 32 words, a column for each bank; the colour is the lane:",
        size=style.SMALL,
        color=style.MUTED,
        va="center",
    )
    for lane in range(32):
        style.box(axes, 568 + 6 * lane, foot - 6, 6, 12, style.lane_colour(lane))
    axes.text(562, foot, "0", ha="right", va="center", size=style.SMALL, color=style.MUTED)
    axes.text(766, foot, "31", va="center", size=style.SMALL, color=style.MUTED)
    return card.save(out_folder, "bank_map")


if __name__ == "__main__":
    records.run(main)
