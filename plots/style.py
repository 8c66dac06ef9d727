"""What all figures share: colours, sizes, the card that they are drawn on, and how they are written.

A figure is WIDTH pixels wide, the width of a page on GitHub, and is laid out in pixels from its top left corner.
Everything stands on a light card of its own, so that it reads the same on a light page and on a dark one. The same
data gives the same bytes: no dates, no random names, letters as outlines, coordinates rounded.
"""

import pathlib
import re
import sys

try:
    import matplotlib
    from matplotlib.colors import LinearSegmentedColormap, to_hex, to_rgb
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties
    from matplotlib.patches import FancyBboxPatch, Rectangle
    from matplotlib.textpath import TextPath
except ImportError:
    sys.exit("The figures need matplotlib: pip install -r plots/requirements.txt, or activate build/venv")

WIDTH = 830  # pixels, 96 to the inch: a font size in points is what it is at this width
MARGIN = 18
SMALL, NORMAL, TITLE = 8, 9, 12  # points; nothing is smaller than SMALL

CARD, EDGE, PANEL = "#f6f7f9", "#c9ced6", "#ffffff"
INK, MUTED, FAINT = "#1f2328", "#57606a", "#d5d9df"

# By role: the same colour in every figure. The hues are those of Okabe and Ito, told apart without red and green.
OWN, PREVIOUS, LIBRARY, CEILING, CPU = "#0072b2", "#8c959f", "#d55e00", "#1f2328", "#a04a86"
# By chapter, where one figure has several. None is the colour of the library or of the ceiling.
CHAPTERS = {"01_cpu": CPU, "02_naive": "#56b4e9", "03_tiled": OWN, "04_bounds": "#009e73", "05_padding": "#b8860b"}
MARKERS = {"01_cpu": "v", "02_naive": "s", "03_tiled": "o", "04_bounds": "D", "05_padding": "^"}
SEQUENCE = ["#9fcbee", "#56a3d9", OWN, "#004f7c", "#002a44"]  # one quantity, from small to large

# The lanes of a warp, 0 to 31, from light to dark.
LANES = LinearSegmentedColormap.from_list("lanes", ["#fbe7a1", "#e6a23c", "#b5527e", "#3c3a8c", "#101b4d"])

matplotlib.rcParams.update(
    {
        "font.family": "DejaVu Sans",  # comes with matplotlib, hence the same everywhere
        "font.size": NORMAL,
        "svg.fonttype": "path",
        "svg.hashsalt": "matmul-ladder",
        "path.simplify": False,
        "text.color": INK,
        "axes.edgecolor": EDGE,
        "axes.facecolor": PANEL,
        "axes.labelcolor": INK,
        "axes.labelsize": NORMAL,
        "axes.linewidth": 0.8,
        "axes.axisbelow": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "grid.color": FAINT,
        "grid.linewidth": 0.6,
        "lines.linewidth": 1.6,
        "lines.markersize": 5,
        "xtick.color": MUTED,
        "ytick.color": MUTED,
        "xtick.labelsize": SMALL,
        "ytick.labelsize": SMALL,
        "xtick.major.size": 3,
        "ytick.major.size": 3,
        "xtick.minor.size": 0,
        "ytick.minor.size": 0,
    }
)


def lane_colour(lane):
    return LANES(lane / 31)


def ink_on(colour):
    """Dark or light text, whichever reads better on a colour."""
    red, green, blue = to_rgb(colour)
    return "#ffffff" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.55 else INK


def luminance(colour):
    parts = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in to_rgb(colour)]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def letters(colour):
    """The colour, darkened until letters in it read well on the card (a contrast of 4.5, as WCAG has it)."""
    share = 1.0
    while (luminance(CARD) + 0.05) / (luminance([share * v for v in to_rgb(colour)]) + 0.05) < 4.5:
        share -= 0.05
    return to_hex([share * v for v in to_rgb(colour)])


def box(axes, x, y, width, height, colour):
    """A filled rectangle."""
    axes.add_patch(Rectangle((x, y), width, height, facecolor=colour, linewidth=0))


def rules(axes, lines, colour=FAINT, width=0.6):
    """Straight lines, as one path: (x, y, x, y) each."""
    xs = [x for a, _, b, _ in lines for x in (a, b, float("nan"))]
    ys = [y for _, a, _, b in lines for y in (a, b, float("nan"))]
    axes.plot(xs, ys, "-", color=colour, linewidth=width, solid_capstyle="butt")


def text_width(text, size=NORMAL, weight="normal"):
    """Pixels."""
    path = TextPath((0, 0), text, size=size, prop=FontProperties(weight=weight))
    return (path.vertices[:, 0].max() if len(path.vertices) else 0) * 96 / 72


def wrap(text, pixels, size=NORMAL, weight="normal"):
    """Lines of a text, none wider than so many pixels. "10 %" and "N = 8" stay together."""
    text = re.sub(r"(?<=\d) (?=%)|(?<=\b[A-Z]) (?==)|(?<==) (?=\w)", "\u00a0", text)
    lines = []
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if line and text_width(longer, size, weight) > pixels:
            lines.append(line)
            line = word
        else:
            line = longer
    return [*lines, line]


class Card:
    """A figure with its title and the lines under it. `top` is the first free pixel below them."""

    def __init__(self, height, title, about):
        """`height` is that of what is drawn under the head, in pixels; `about` says what, where, in which units."""
        room = WIDTH - 2 * MARGIN
        heads, lines = wrap(title, room, TITLE, "bold"), wrap(about, room)
        self.title = title
        self.about = about
        self.top = MARGIN + 21 * len(heads) + 5 + 16 * len(lines) + 8
        self.height = self.top + height
        self.figure = Figure(figsize=(WIDTH / 96, self.height / 96), facecolor="none")
        self.figure.add_artist(
            FancyBboxPatch(
                (1 / WIDTH, 1 / self.height),
                1 - 2 / WIDTH,
                1 - 2 / self.height,
                boxstyle="round,pad=0,rounding_size=0.012",
                mutation_aspect=WIDTH / self.height,
                facecolor=CARD,
                edgecolor=EDGE,
                linewidth=0.8,
                transform=self.figure.transFigure,
                zorder=-10,
            )
        )
        y = MARGIN
        for head in heads:
            self.text(MARGIN, y, head, size=TITLE, weight="bold")
            y += 21
        y += 5
        for line in lines:
            self.text(MARGIN, y, line, color=MUTED)
            y += 16

    def text(self, x, y, text, size=NORMAL, ha="left", va="top", **how):
        """A text at pixels from the top left corner."""
        return self.figure.text(x / WIDTH, 1 - y / self.height, text, size=size, ha=ha, va=va, **how)

    def axes(self, left, top, width, height, **how):
        """Axes at pixels from the top left corner, `top` counted from below the head."""
        top += self.top
        box = (left / WIDTH, 1 - (top + height) / self.height, width / WIDTH, height / self.height)
        return self.figure.add_axes(box, **how)

    def canvas(self, left, top, width, height):
        """Empty axes whose units are pixels, from their top left corner."""
        axes = self.axes(left, top, width, height)
        axes.set_xlim(0, width)
        axes.set_ylim(height, 0)
        axes.axis("off")
        return axes

    def cells(self, left, top, columns, rows, cell):
        """Empty axes whose units are cells of so many pixels, with a little room around them for the lines' width."""
        axes = self.canvas(left - 2, top - 2, columns * cell + 4, rows * cell + 4)
        axes.set_xlim(-2 / cell, columns + 2 / cell)
        axes.set_ylim(rows + 2 / cell, -2 / cell)
        return axes

    def key(self, top, entries, left=MARGIN):
        """A line of explanations: (colour, form, text) each, where form is a marker, "-", "--" or "bar"."""
        height = 18
        axes = self.canvas(left, top, WIDTH - MARGIN - left, height)
        x = 0
        for colour, form, text in entries:
            if form in ("-", "--", ":"):
                axes.plot([x, x + 20], [9, 9], form, color=colour, clip_on=False)
                x += 25
            elif form == "bar":
                box(axes, x, 3, 12, 12, colour)
                x += 17
            else:
                hollow = form.startswith("hollow ")
                axes.plot([x + 5], [9], form.split()[-1], color=colour, mfc=PANEL if hollow else colour, clip_on=False)
                x += 14
            axes.text(x, 9, text, size=SMALL, va="center")
            x += text_width(text, SMALL) + 20
        return axes

    def machine(self, top, machine, machines):
        """The machine's name over its part, where there are several; returns the first free pixel below."""
        if len(machines) < 2:
            return top
        self.text(MARGIN, self.top + top, machine.name, weight="bold", color=MUTED)
        return top + 20

    def parts(self, top, machines, heights):
        """Each machine with the first free pixel of its part: one below the other from `top` on, under their names."""
        for machine, height in zip(machines, heights):
            yield machine, self.machine(top, machine, machines)
            top += height

    def missing(self, left, top, width, height, text):
        """In place of a panel for which there are no records."""
        axes = self.axes(left, top, width, height)
        axes.set_xticks([])
        axes.set_yticks([])
        lines = "\n".join(wrap(text, width - 20))
        axes.text(0.5, 0.5, lines, ha="center", va="center", color=MUTED, transform=axes.transAxes)
        return axes

    def save(self, out_folder, name):
        """Writes out_folder/name.svg and returns its path."""
        out = pathlib.Path(out_folder)
        out.mkdir(parents=True, exist_ok=True)
        file = out / f"{name}.svg"
        metadata = {"Date": None, "Creator": None, "Title": self.title, "Description": self.about}
        self.figure.savefig(file, format="svg", metadata=metadata)
        file.write_text(rounded(file.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
        return file


def rounded(svg):
    """Coordinates to a hundredth of a point: smaller files, and no last digits that differ between processors."""

    def short(number):
        text = f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
        return "0" if text == "-0" else text

    def line(text):
        kept = text[0]
        if "scale(" in kept or kept.startswith("<?xml"):  # scales are small numbers: there every digit counts
            return re.sub(r"translate\([^)]*\)", lambda move: re.sub(r"-?\d+\.\d{3,}", short, move[0]), kept)
        return re.sub(r"-?\d+\.\d{3,}", short, kept)

    # Numbers for matplotlib's hashes, which depend on the last digits and on how this NumPy prints a float.
    names = {
        name: f"s{number}" for number, name in enumerate(dict.fromkeys(re.findall(r'id="([mp][0-9a-f]{10})"', svg)))
    }
    svg = re.sub(r'(?<=["#])[mp][0-9a-f]{10}(?=[")])', lambda name: names.get(name[0], name[0]), svg)
    return re.sub(r"[^\n]+", line, svg)


def spread(places, gap):
    """Moves labels apart along one axis until neighbours are `gap` apart; returns their new places in order given."""
    order = sorted(range(len(places)), key=lambda i: (places[i], i))
    groups = []  # [centre, members]: labels that touch are centred together
    for i in order:
        groups.append([places[i], [i]])
        while len(groups) > 1:
            (low, below), (high, above) = groups[-2:]
            if high - low >= gap * (len(below) + len(above)) / 2 - 1e-9:
                break
            together = below + above
            groups[-2:] = [[sum(places[j] for j in together) / len(together), together]]
    result = [0.0] * len(places)
    for centre, members in groups:
        for number, i in enumerate(members):
            result[i] = centre + gap * (number - (len(members) - 1) / 2)
    return result


def end_labels(axes, labels, gap=13, pad=8):
    """Names lines at their right ends: (x, y, text, colour) each, in data units, moved apart where they would meet."""
    figure = axes.figure
    dpi = figure.dpi / 96
    pixels = [axes.transData.transform((x, y)) for x, y, _, _ in labels]
    right = max((p[0] for p in pixels), default=0) + pad * dpi
    heights = spread([p[1] / dpi for p in pixels], gap)
    for place, height, (_, _, text, colour) in zip(pixels, heights, labels):
        x, y = axes.transData.inverted().transform((right, height * dpi))
        near = axes.transData.inverted().transform((place[0] + 3 * dpi, place[1]))
        far = axes.transData.inverted().transform((right - 2 * dpi, height * dpi))
        axes.plot([near[0], far[0]], [near[1], far[1]], "-", color=colour, linewidth=0.6, clip_on=False)
        axes.text(x, y, text, size=SMALL, color=letters(colour), va="center", clip_on=False)
