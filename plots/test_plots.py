"""Tests the figures: test_plots.py [PROGRAMS]

Redrawn from the same records, every figure must be the one in docs/figures, byte for byte. Their texts must fit and
must not meet, with one machine or two, and with records missing. With PROGRAMS, the folder of the chapters' programs,
what trace_maps.py wrote must be what it writes now.
"""

import ast
import itertools
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PINNED = re.search(r"^matplotlib==(\S+)", (HERE / "requirements.txt").read_text(), re.MULTILINE)[1]
PROGRAMS = pathlib.Path(sys.argv.pop()) if pathlib.Path(sys.argv[-1]).is_dir() else None

CASES = len(re.findall(r"^    def test_", pathlib.Path(__file__).read_text(), re.MULTILINE))

try:
    import matplotlib
    from matplotlib import ft2font
except ImportError:
    print(f"skipped: {CASES} cases. The figures need matplotlib {PINNED}, which is not installed.")
    sys.exit(77)
if matplotlib.__version__ != PINNED or ft2font.__freetype_build_type__ != "local":
    print(
        f"skipped: {CASES} cases. The figures are drawn with matplotlib {PINNED} as PyPI has it, and this is"
        f" {matplotlib.__version__}."
    )
    sys.exit(77)

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.text import Text

import draw
import memory_levels
import pipe
import records
import style


def texts(card):
    """(text, bounding box in pixels of the page, font size, upright) of everything written in a figure."""
    canvas = FigureCanvasAgg(card.figure)
    canvas.draw()
    scale = 96 / card.figure.dpi
    for text in card.figure.findobj(Text):
        words = text.get_text().strip()
        on = text.axes is None or text.axes.axison or text in text.axes.texts
        if words and text.get_visible() and on:
            box = text.get_window_extent(canvas.get_renderer())
            yield words, [scale * v for v in box.extents], text.get_size(), text.get_rotation() in (0, 90)


def unused_tick(card):
    """Texts of ticks that lie outside their axis: matplotlib keeps them, but does not draw them."""
    for axes in card.figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in axis.get_major_ticks() + axis.get_minor_ticks():
                if not low <= tick.get_loc() <= high:
                    yield tick.label1.get_text().strip()


def faults(card):
    """What is wrong with the texts of a figure."""
    written = list(texts(card))
    hidden = set(unused_tick(card))
    for words, (left, bottom, right, top), size, _ in written:
        if words not in hidden and (left < 4 or bottom < 4 or right > style.WIDTH - 4 or top > card.height - 4):
            yield f"{words!r} is cut off"
        if size < style.SMALL:
            yield f"{words!r} is set in {size} points"
    for (one, a, _, upright), (other, b, _, straight) in itertools.combinations(written, 2):
        wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
        # A line's box has room above and below its letters.
        if upright and straight and wide > 0.5 and high > 4 and not {one, other} & hidden:
            yield f"{one!r} and {other!r} overlap"


def drawn(data, out, main=draw.main):
    """{name: card} of all figures, or of those that `main` draws."""
    cards = {}
    save = style.Card.save

    def keep(card, folder, name):
        cards[name] = card
        return save(card, folder, name)

    style.Card.save = keep
    try:
        main(out, data)
    finally:
        style.Card.save = save
    return cards


def squares(axes):
    """{(row, column): the colour seen there} of axes whose units are cells."""
    seen = {}
    for patch in axes.patches:
        x, y, width, height = (round(v) for v in (*patch.get_xy(), patch.get_width(), patch.get_height()))
        for row, column in itertools.product(range(y, y + height), range(x, x + width)):
            seen[row, column] = to_hex(patch.get_facecolor())
    return seen


def written_in(axes):
    """{(row, column): text} of what stands in the middle of a cell."""
    found = [(text.get_position(), text.get_text()) for text in axes.texts if text.get_ha() == "center"]
    assert all(x % 1 == y % 1 == 0.5 for (x, y), _ in found)
    return {(int(y), int(x)): text for (x, y), text in found}


def segments(axes, colour):
    """{(x, y, x, y)} of all straight lines of a colour."""
    found = set()
    for line in axes.lines:
        if line.get_color() == colour:
            points = [tuple(point) for point in line.get_xydata()]
            found |= {(*a, *b) for a, b in zip(points[::3], points[1::3])}
    return found


def framed(axes, colour, width, height):
    """{(row, column)} where a rectangle begins that has lines of a colour on its four sides."""
    lines = segments(axes, colour)
    return {
        (y, x)
        for x, y, *_ in lines
        if lines >= {(x, y, x + width, y), (x, y + height, x + width, y + height)}
        and lines >= {(x, y, x, y + height), (x + width, y, x + width, y + height)}
    }


def excerpt(file, name):
    """The code between a chapter's marks [name] and [/name]."""
    code = (HERE.parent / "chapters" / file).read_text(encoding="utf-8")
    return code.partition(f"// [{name}]\n")[2].partition(f"// [/{name}]")[0]


class Figures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.redrawn = pathlib.Path(folder.name)
        cls.cards = drawn(records.DATA, cls.redrawn)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)

    def check(self, cards, machines):
        for name, card in cards.items():
            with self.subTest(figure=name):
                self.assertEqual(list(faults(card)), [])
                if name not in ("access_map", "bank_map", "edges", "loop_orders", "tile_steps"):
                    for machine in machines:
                        self.assertIn(machine, card.about)

    def copy(self, without=""):
        """A copy of one machine's records beside the traced maps."""
        data = self.top / "data"
        shutil.copytree(records.DATA / "maps", data / "maps")
        shutil.copytree(records.DATA / "h200", data / "h200", ignore=shutil.ignore_patterns(*without.split()))
        return data

    def test_every_figure_is_what_its_records_give(self):
        stale = [
            f"{name}.svg"
            for name in draw.FIGURES
            if not (records.FIGURES / f"{name}.svg").exists()
            or (self.redrawn / f"{name}.svg").read_bytes() != (records.FIGURES / f"{name}.svg").read_bytes()
        ]
        self.assertEqual(stale, [], "redraw them: meson compile -C build plots")

    def test_drawing_twice_gives_the_same_bytes(self):
        """Even by another process in another place, time zone and language, with another order of sets."""
        environment = {
            **os.environ,
            "PYTHONHASHSEED": "4711",
            "TZ": "Asia/Tokyo",
            "LC_ALL": "C",
            "SOURCE_DATE_EPOCH": "0",
        }
        subprocess.run(
            [sys.executable, HERE / "draw.py", self.top],
            env=environment,
            cwd=self.top,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        for name in draw.FIGURES:
            one, two = ((folder / f"{name}.svg").read_bytes() for folder in (self.redrawn, self.top))
            self.assertTrue(one == two, name)

    def test_scripts_and_figures_belong_together(self):
        scripts = {
            f.stem
            for f in HERE.glob("*.py")
            if any(
                isinstance(node, ast.FunctionDef) and node.name == "main" and len(node.args.args) == 2
                for node in ast.parse(f.read_text()).body
            )
        } - {"draw"}
        self.assertEqual(scripts, set(draw.FIGURES))
        self.assertEqual({f.stem for f in records.FIGURES.glob("*.svg")} & scripts, scripts)

    def test_every_chapter_is_drawn(self):
        chapters = sorted(p.name for p in (HERE.parent / "chapters").glob("[0-9]*"))
        self.assertEqual(chapters, records.CHAPTERS)
        self.assertEqual([sorted(style.CHAPTERS), sorted(style.MARKERS)], [chapters, chapters])

    def test_texts_fit(self):
        self.check(self.cards, [machine.name for machine in records.gpus()])

    def test_two_machines(self):
        data = self.copy()
        other = data / "other"
        other.mkdir()
        for file in sorted((data / "h200").glob("*.json")):
            record = json.loads(file.read_text())
            if "machine" in record and record["machine"]["kind"] == "gpu":
                record["machine"]["name"] = "NVIDIA GeForce RTX 4090"
                record["machine"]["ceiling_bytes_per_s"] *= 0.25
            for result in record.get("results", []):
                if "time" in result:
                    result["flops_per_s"] *= 0.6
                    result["time"]["median_s"] /= 0.6
            for level in record.get("levels", []):
                level["bytes_per_s"] *= 0.04
            (other / file.name).write_text(json.dumps(record))
        self.check(drawn(data, self.top / "out"), ["NVIDIA H200", "NVIDIA GeForce RTX 4090"])

    def test_loop_orders_walks_as_the_kernels_do(self):
        """Floats, their order and their lines are computed here from the kernels' own loops and expressions."""
        size, line, at = 8, 4, {"i": 2, "j": 5, "k": 3}
        card = self.cards["loop_orders"]
        *matrices, key = card.figure.axes
        walked, held, touched = (to_hex(square.get_facecolor()) for square in key.patches)
        self.assertEqual(len({walked, held, touched, style.PANEL}), 4)
        words = ["floats of the walk, numbered in its order", "the one float that stays the same"]
        self.assertEqual(
            [text.get_text() for text in key.texts], [*words, "the rest of the cache lines that these lie in"]
        )
        totals = {}
        for order, panels in (("ijk", matrices[:3]), ("ikj", matrices[3:])):
            code = re.sub("//.*", "", excerpt("01_cpu/kernel.hpp", order))
            for pointer, base, offset in re.findall(r"float\* (\w) = (\w)(?: \+ ([^;]+))?;", code):
                code = re.sub(rf"\b{pointer}\[(\w)\]", rf"{base}[{offset} + \1]", code)
            loops = re.findall(r"for \(std::int64_t (\w) = 0;", code)
            self.assertEqual("".join(loops), order)
            accesses = dict(re.findall(r"\b([ABC])\[([^]]+)\]", code))
            self.assertEqual(sorted(accesses), ["A", "B", "C"])
            totals[order] = {}
            for axes, (name, index) in zip(panels, sorted(accesses.items()), strict=True):
                with self.subTest(order=order, matrix=name):
                    places = [eval(index, dict(at, N=size, K=size) | {loops[-1]: step}) for step in range(size)]
                    moves = len(set(places)) > 1
                    cells = dict.fromkeys(itertools.product(range(size), repeat=2), style.PANEL)
                    lines = {place // line for place in places}
                    for number in lines:
                        cells |= {divmod(number * line + rest, size): touched for rest in range(line)}
                    cells |= {divmod(place, size): walked if moves else held for place in places}
                    self.assertEqual(squares(axes), cells)
                    numbers = {divmod(place, size): str(n) for n, place in enumerate(places)} if moves else {}
                    self.assertEqual(written_in(axes), numbers)
                    outlines = {divmod(number * line, size) for number in lines}
                    self.assertEqual(framed(axes, style.OWN, line, 1), outlines)
                    walls = segments(axes, style.MUTED)
                    self.assertTrue({(x, 0, x, size) for x in range(0, size + 1, line)} <= walls, "between lines")
                    letter, text = (t.get_text() for t in axes.texts if t.get_text() not in numbers.values())
                    count, floats = len(lines), len(set(places))
                    how = {0: "held in a register", 1: "along a row", size: "down a column"}[places[1] - places[0]]
                    self.assertEqual(
                        [letter, *text.split("\n")],
                        [
                            name,
                            f"{name}[{index}]",
                            how,
                            f"{count} line{'s' * (count > 1)} for {floats} float{'s' * (floats > 1)}",
                        ],
                    )
                    totals[order][name] = count
        ijk, ikj = (sum(counts.values()) for counts in totals.values())
        self.assertEqual(
            card.title,
            f"8 products touch {ijk} cache lines in ijk, {totals['ijk']['B']} of them down a column of B, and {ikj} in"
            " ikj",
        )
        heads = {text.get_text(): text.get_color() for text in card.figure.texts}
        self.assertLessEqual({f"{order}: the innermost loop is over {order[-1]}" for order in totals}, set(heads))
        self.assertEqual(heads[f"{ijk} lines"], style.letters(style.LIBRARY), "the larger one stands out")
        self.assertEqual(heads[f"{ikj} lines"], style.INK)
        ends = [style.WIDTH * edge for axes in matrices for edge in axes.get_position().intervalx]
        self.assertTrue(all(left - right > 10 for right, left in zip(ends[1::2], ends[2::2])), "side by side")
        self.assertIn("i = 2, j = 5, k = 3", card.about.replace("\u00a0", " "))
        self.assertIn("Pretend that a cache line holds 4 of them, 16 bytes", card.about)

    def test_edges_are_those_of_the_kernel(self):
        """What lies inside is computed here from the kernel's own conditions."""
        size, tile, block, k0 = 5, 4, (1, 0), 4
        code = excerpt("04_bounds/kernel.cuh", "bounded")
        conditions = {
            "A": re.search(r"tile_A\[ty\]\[tx\] = (.*?) \?", code)[1],
            "B": re.search(r"tile_B\[ty\]\[tx\] = (.*?) \?", code)[1],
            "C": re.search(r"if \((.*?)\) C\[", code)[1],
        }
        places = {"A": ("row", "k0 + tx"), "B": ("k0 + ty", "col"), "C": ("row", "col")}
        for name, (row, column) in places.items():
            self.assertIn(f" {name}[std::int64_t({row}) * {'K' if name == 'A' else 'N'} + {column}]", code)

        def threads(name, k0):
            """{thread: (its place in the matrix, is it inside)}"""
            found = {}
            for ty, tx in itertools.product(range(tile), repeat=2):
                words = {"M": size, "N": size, "K": size, "k0": k0, "tx": tx, "ty": ty}
                words |= {"col": block[0] * tile + tx, "row": block[1] * tile + ty}
                place = tuple(eval(index, {}, words) for index in places[name])
                found[ty, tx] = place, eval(conditions[name].replace("&&", "and"), {}, words)
            return found

        card = self.cards["edges"]
        *panels, wide, key = card.figure.axes
        colours = [to_hex(square.get_facecolor()) for square in key.patches]
        self.assertEqual(len({*colours, style.PANEL}), 5)
        loaded, zero, stored, waits = colours
        self.assertEqual(
            [text.get_text() for text in key.texts],
            [
                "inside: loaded",
                "outside: filled with zero",
                "inside: stored",
                "outside: its thread only loads and waits",
            ],
        )
        named = {axes.texts[-1].get_text(): axes for axes in panels[:3]}
        self.assertEqual(sorted(named), ["A", "B", "C"])
        inside = {}
        for axes, (name, condition) in zip(panels[3:], conditions.items(), strict=True):
            with self.subTest(matrix=name):
                here = threads(name, k0)
                paints = {True: stored, False: waits} if name == "C" else {True: loaded, False: zero}
                inside[name] = {thread for thread, (_, lies) in here.items() if lies}
                cells = dict.fromkeys(itertools.product(range(size), repeat=2), style.PANEL)
                self.assertEqual(squares(named[name]), cells | {place: paints[lies] for place, lies in here.values()})
                ((x, y),) = {(x, y) for y, x in framed(named[name], style.MUTED, tile, tile)}
                self.assertEqual((y, x), here[0, 0][0])
                self.assertEqual(framed(named[name], style.INK, size, size), {(0, 0)}, "where the matrix ends")
                lines = set().union(*(segments(named[name], c) for c in (style.INK, style.MUTED, style.PREVIOUS)))
                for at in range(0, 2 * tile + 1, tile):
                    across = {x for a, y, b, end in lines if y == end == at for x in range(round(a), round(b))}
                    down = {y for x, a, end, b in lines if x == end == at for y in range(round(a), round(b))}
                    self.assertEqual([across, down], [set(range(2 * tile))] * 2, "tiles are whole")

                self.assertEqual(squares(axes), {thread: paints[lies] for thread, (_, lies) in here.items()})
                nothing = "–" if name == "C" else "0"
                self.assertEqual(
                    written_in(axes),
                    {thread: "{},{}".format(*place) if lies else nothing for thread, (place, lies) in here.items()},
                )
                live, other = len(inside[name]), tile**2 - len(inside[name])
                text = f"{live} store, {other} wait" if name == "C" else f"{live} live, {other} zeros"
                self.assertEqual(axes.texts[-1].get_text(), f"{condition}\n{text}")
                self.assertEqual(
                    axes.texts[-2].get_text(), {"C": "C, by thread"}.get(name, f"tile_{name}[ty][tx]"), "its heading"
                )
        live, store = len(inside["A"]) + len(inside["B"]), len(inside["C"])
        self.assertEqual(
            card.title,
            f"At an edge {live} of 32 words are loaded, {32 - live} are zeros; {store} of 16 threads store,"
            f" {16 - store} only help",
        )
        early = {thread for thread, (_, lies) in threads("A", 0).items() if lies} - inside["C"]
        self.assertIn(
            f"the {16 - store} threads without an element of C load {len(early)} floats of A that the others need",
            card.about,
        )

        # 1000 columns in tiles of 16: the whole, and the last tile below it.
        columns, across = 1000, 16
        tiles = math.ceil(columns / across)
        last = range((tiles - 1) * across, tiles * across)
        whole, rest, *cells = wide.patches
        self.assertEqual([to_hex(bar.get_facecolor()) for bar in (whole, rest)], [loaded, zero])
        room = whole.get_width() + rest.get_width()
        self.assertAlmostEqual(whole.get_width() / room, columns / (tiles * across))
        self.assertAlmostEqual(rest.get_x(), whole.get_x() + whole.get_width())
        self.assertEqual(
            [to_hex(cell.get_facecolor()) for cell in cells], [loaded if col < columns else zero for col in last]
        )
        walls = [n * room / tiles for n in range(tiles + 1)]
        seen = sorted(x for x, y, end, _ in segments(wide, style.PANEL) if x == end and y == whole.get_y())
        self.assertEqual([round(x, 6) for x in seen], [round(x, 6) for x in walls])
        ((x, _, end, y),) = (
            (x, y, end, to) for x, y, end, to in segments(wide, style.PREVIOUS) if x != end and y != to
        )
        self.assertAlmostEqual(x, walls[-2])
        self.assertEqual([end, y], list(cells[0].get_xy()), "from the last tile to its picture")
        for number, cell in enumerate(cells):
            self.assertAlmostEqual(cell.get_x(), number * room / across)
            self.assertAlmostEqual(wide.texts[number].get_position()[0], (number + 0.5) * room / across)
        counts = [f"{sum(col < columns for col in last)} live", f"{sum(col >= columns for col in last)} dead"]
        self.assertEqual([text.get_text() for text in wide.texts], [*map(str, last), *counts])
        self.assertIn(
            f"1000 columns are 62.5 tiles of 16: the last of {tiles} has {counts[0]} ones",
            [text.get_text() for text in card.figure.texts],
        )

    def test_records_missing(self):
        data = self.copy(without="counters.json memory.json 01_cpu* *deepbench* *cold* 03_* 05_*")
        self.check(drawn(data, self.top / "out"), ["NVIDIA H200"])

    def memory(self, data, machine, change):
        """The figure of the memory's levels where `change` has changed the record of a machine, or given it one."""
        record = json.loads((records.DATA / "h200" / "memory.json").read_text())
        change(record)
        (data / machine / "memory.json").write_text(json.dumps(record))
        return drawn(data, self.top / "out", memory_levels.main)["memory_levels"]

    def test_memory_levels_are_those_of_the_record(self):
        record = json.loads((records.DATA / "h200" / "memory.json").read_text())
        levels = {level["level"]: level for level in record["levels"]}
        chases = [(chase["footprint_bytes"], chase["cycles"]) for chase in record["latency"]]
        latency, rates = self.cards["memory_levels"].figure.axes

        lines = [[tuple(point) for point in line.get_xydata()] for line in latency.lines]
        self.assertIn(chases, lines)
        named = {text.get_text().partition(":")[0]: text for text in latency.texts if ":" in text.get_text()}
        self.assertEqual(
            set(named), {"registers", "shared memory", "L1", "L2", "far part of L2", "DRAM"}, "the levels' names"
        )
        for name, text in named.items():
            with self.subTest(name=name):
                x, y = text.get_position()
                value = float(re.search(r": ([\d.]+)", text.get_text())[1])
                self.assertLess(abs(math.log(y / value)), math.log(1.25), "stands where it belongs")
                if name == "far part of L2":
                    (far,) = (line for line in latency.lines if to_hex(line.get_mfc()) == style.PANEL)
                    footprints, cycles = zip(*(tuple(point) for point in far.get_xydata()))
                    self.assertTrue(levels["L2"]["capacity_bytes"] / 2.5 < min(footprints) <= max(footprints))
                    self.assertLessEqual(max(footprints), levels["L2"]["capacity_bytes"])
                    self.assertEqual(value, round(sorted(cycles)[len(cycles) // 2]))
                    self.assertTrue(x < min(footprints) < 1.5 * x, "beside its step")
                    continue
                level = levels[{"shared memory": "shared"}.get(name, name)]
                self.assertEqual(value, float(f"{level['latency']['cycles']:.{1 if value < 9.95 else 0}f}"))
                if level["latency"]["footprint_bytes"] >= chases[0][0] and name != "shared memory":
                    there = min(chases, key=lambda chase: abs(math.log(chase[0] / x)))[1]
                    self.assertLess(abs(there / value - 1), 0.06, "above its step")
                else:  # a mark at the left
                    (mark,) = (line for line in lines if {y for _, y in line} == {level["latency"]["cycles"]})
                    self.assertTrue(mark[-1][0] < x < chases[0][0])
        for step in (
            [chase for chase in chases if chase[0] <= levels["L1"]["capacity_bytes"]],
            [chase for chase in chases if abs(chase[1] / levels["L2"]["latency"]["cycles"] - 1) < 0.03],
            [chase for chase in chases if chase[0] > levels["L2"]["capacity_bytes"]],
        ):
            self.assertIn(step, lines)
        for level in ("L1", "L2"):
            holds = levels[level]["capacity_bytes"]
            self.assertEqual(len([line for line in lines if {x for x, _ in line} == {holds}]), 1, level)
        units = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
        for place, text in zip(latency.get_xticks(), latency.get_xticklabels()):
            number, unit = text.get_text().split()
            self.assertEqual(int(number) * units[unit], place)

        for number, (level, bar, text) in enumerate(zip(record["levels"], rates.patches, rates.texts)):
            rate = level["bytes_per_s"] / 1e12
            with self.subTest(bar=level["level"]):
                self.assertAlmostEqual(bar.get_x() + bar.get_width(), rate)
                self.assertEqual(rates.get_yticklabels()[number].get_text().split()[0], level["level"])
                self.assertEqual(round(bar.get_y() + bar.get_height() / 2, 6), text.get_position()[1])
                written, unit = text.get_text().split()
                self.assertEqual([float(written), unit], [float(f"{rate:.3g}"), "TB/s"])
                self.assertEqual(len(written.replace(".", "").lstrip("0")), 3, "significant digits")
        self.assertEqual([len(rates.patches), len(rates.texts)], [5, 5])

    def test_memory_levels_of_another_machine(self):
        """Its title has the record's numbers, and says nothing that the record does not show."""

        def slower(record):
            for name, cycles, rate in (("L1", 30, 20e12), ("DRAM", 900, 0.9996e12)):
                (level,) = (level for level in record["levels"] if level["level"] == name)
                level["latency"]["cycles"], level["bytes_per_s"] = cycles, rate
            # One chase between the steps of L2 and DRAM is no step of its own.
            record["latency"] = [chase for chase in record["latency"] if not 3.5e7 < chase["footprint_bytes"] < 6e7]

        data = self.copy()
        card = self.memory(data, "h200", slower)
        self.assertEqual(
            card.title,
            "DRAM keeps a load waiting 30 times as long as L1 does (900 cycles against 30) and delivers 5 % of the"
            " bytes (1.00 TB/s against 20.0)",
        )
        written = " ".join(words for words, *_ in texts(card))
        self.assertIn("900", written)
        self.assertNotIn("far part", written)

        def no_step(record):
            """L2's chase is still served by L1: what comes after is not the far part of L2."""
            for chase in record["latency"]:
                if chase["footprint_bytes"] < 1e7:
                    chase["cycles"] = 32

        self.assertNotIn("far part", " ".join(words for words, *_ in texts(self.memory(data, "h200", no_step))))

        def no_slower(record):
            record["levels"][-1]["latency"]["cycles"] = record["levels"][2]["latency"]["cycles"]

        self.assertEqual(self.memory(data, "h200", no_slower).title, "The levels of the memory")

    def test_memory_levels_not_measured(self):
        """A machine without them is left out; where no machine has them, the figure says so."""

        def name(record):
            record["machine"]["name"] = "NVIDIA GeForce RTX 4090"

        data = self.copy(without="memory.json")
        other = shutil.copytree(data / "h200", data / "other")
        for file in other.glob("0[2-5]*.json"):
            record = json.loads(file.read_text())
            name(record)
            file.write_text(json.dumps(record))
        card = drawn(data, self.top / "out", memory_levels.main)["memory_levels"]
        written = [words for words, *_ in texts(card)]
        self.assertEqual(written.count("the memory's levels were not measured on this machine"), 2)
        self.check({"memory_levels": card}, ["NVIDIA H200", "NVIDIA GeForce RTX 4090"])

        card = self.memory(data, "other", name)
        self.assertEqual(len(card.figure.axes), 2)
        self.assertTrue(card.about.startswith("NVIDIA GeForce RTX 4090. "), card.about)
        self.assertNotIn("NVIDIA", card.title)

        card = self.memory(data, "h200", lambda record: None)
        self.assertEqual(len(card.figure.axes), 4)
        self.assertTrue(card.title.startswith("NVIDIA H200: DRAM keeps"), card.title)
        self.check({"memory_levels": card}, ["NVIDIA H200", "NVIDIA GeForce RTX 4090"])

    def counted(self):
        """{variant: (chapter, its passes in three parts, flop/s)} of the chapters' own variants, from the records."""
        found = {}
        for row in json.loads((records.DATA / "h200" / "counters.json").read_text())["counters"]:
            record = json.loads((records.DATA / "h200" / f"{row['chapter']}_cubes_warm.json").read_text())
            for result in record["results"]:
                own = result["variant"] == row["variant"] and result["role"] == "own"
                if own and result["shape"] == {"M": 1024, "N": 1024, "K": 1024}:
                    counts = row["counted"]
                    lines = counts["global_load_lines"] + counts["global_store_lines"]
                    parts = lines, counts["shared_store_wavefronts"], counts["shared_load_wavefronts"]
                    passes = [part / (1024**3 / 32) for part in parts]
                    found[row["variant"]] = row["chapter"], passes, result["flops_per_s"]
        return found

    def test_pipe_has_the_passes_that_were_counted(self):
        counted = self.counted()
        kinds, _, bars, _ = self.cards["pipe"].figure.axes
        self.assertEqual([t.get_text() for t in kinds.texts], ["global lines", "shared stores", "shared loads"])
        colours = [to_hex(square.get_facecolor()) for square in kinds.patches]
        self.assertEqual(len({*colours, *style.CHAPTERS.values()}), 3 + len(records.CHAPTERS))
        self.assertEqual([label.get_text() for label in bars.get_yticklabels()], list(counted))
        self.assertEqual([chapter for chapter, *_ in counted.values()], sorted(c for c, *_ in counted.values()))
        rectangles = [patch for patch in bars.patches if hasattr(patch, "get_width")]
        gaps = [patch.get_xy() for patch in bars.patches if not hasattr(patch, "get_width")]
        limit = 132 * 1.98e9 * 64
        cut = []
        for y, (variant, (chapter, passes, rate)) in enumerate(counted.items()):
            with self.subTest(variant=variant):
                stack = [bar for bar in rectangles if abs(bar.get_y() + bar.get_height() / 2 - y) < 1e-6]
                self.assertEqual([to_hex(bar.get_facecolor()) for bar in stack], colours)
                at = 0
                for bar, part in zip(stack, passes):
                    self.assertAlmostEqual(bar.get_x(), at)
                    at += bar.get_width()
                    if sum(passes) < 4:
                        self.assertAlmostEqual(bar.get_width(), part)
                gap = [corners[:, 0] for corners in gaps if corners[:, 1].min() < y < corners[:, 1].max()]
                if sum(passes) > 4:
                    cut.append(at)
                    self.assertEqual(len(gap), 1, "a bar that goes on shows it")
                    self.assertTrue(3.2 < min(gap[0]) < max(gap[0]) < at < bars.get_xlim()[1])
                else:
                    self.assertEqual(gap, [])
                total, share = sorted(
                    (text for text in bars.texts if text.get_position()[1] == y), key=lambda text: text.get_ha()
                )
                self.assertEqual(total.get_text(), f"{sum(passes):#.3g}")
                self.assertEqual(len(total.get_text().replace(".", "")), 3, "significant digits")
                self.assertTrue(at < total.get_position()[0] < at + 0.1, "at the bar's end")
                self.assertEqual(share.get_text(), f"{100 * rate * sum(passes) / limit:.0f} %")
                (mark,) = (line for line in bars.lines if list(line.get_ydata()) == [y])
                self.assertEqual(
                    [mark.get_color(), mark.get_marker()], [style.CHAPTERS[chapter], style.MARKERS[chapter]]
                )
                name = bars.get_yticklabels()[y]
                self.assertEqual(name.get_color(), style.letters(style.CHAPTERS[chapter]))
                left = mark.get_transform().transform(mark.get_xydata()[0])[0] - mark.get_markersize() / 2
                self.assertLess(name.get_window_extent().x1, left, "the name ends before the mark")
        self.assertEqual([len(cut), len(gaps), len(set(cut))], [3, 3, 1], "the swapped ones")
        self.assertEqual(len(bars.texts), 2 * len(counted))

    def test_pipe_has_every_rate_below_its_limit(self):
        counted = self.counted()
        card = self.cards["pipe"]
        _, key, _, rates = card.figure.axes
        self.assertEqual([rates.get_xscale(), rates.get_yscale()], ["log", "log"])
        limit = 132 * 1.98e9 * 64 / 1e12
        shares = {v: rate / 1e12 * sum(passes) / limit for v, (_, passes, rate) in counted.items()}
        self.assertEqual(
            card.title,
            "One pipe sets the rate: with 1.63 to 33.0 passes for a warp and a k, the 18 kernels reach"
            f" {100 * min(shares.values()):.0f} to {100 * max(shares.values()):.0f} % of what it allows",
        )
        (line,) = (line for line in rates.lines if line.get_linestyle() == "--")
        self.assertEqual(tuple(line.get_xdata()), rates.get_xlim())
        for x, y in line.get_xydata():
            self.assertAlmostEqual(x * y, limit)
        (band,) = rates.patches
        edges = sorted(x * y / limit for x, y in band.get_xy())
        for edge, share in zip(edges, [min(shares.values())] * 2 + [1] * 2):
            self.assertAlmostEqual(edge, share)
        written = {text.get_text(): text for text in rates.texts}
        self.assertIn("the limit: 132 SMs × 1.98 GHz × 64 / passes", written)
        self.assertIn(f"{100 * min(shares.values()):.0f} % of the limit", written)

        marks = [mark for mark in rates.lines if len(mark.get_xdata()) == 1]
        self.assertEqual(len(marks), len(counted))
        for mark, (variant, (chapter, passes, rate)) in zip(marks, counted.items()):
            with self.subTest(variant=variant):
                ((x, y),) = mark.get_xydata()
                self.assertAlmostEqual(x, sum(passes))
                self.assertAlmostEqual(y, rate / 1e12)
                self.assertEqual(
                    [mark.get_color(), mark.get_marker()], [style.CHAPTERS[chapter], style.MARKERS[chapter]]
                )
                for (low, high), place in ((rates.get_xlim(), x), (rates.get_ylim(), y)):
                    self.assertTrue(low < place < high, "inside")
        chapters = list(dict.fromkeys(chapter for chapter, *_ in counted.values()))
        self.assertEqual([text.get_text() for text in key.texts], [records.short(chapter) for chapter in chapters])
        self.assertEqual([mark.get_color() for mark in key.lines], [style.CHAPTERS[chapter] for chapter in chapters])
        # No later mark hides an earlier one at nearly the same place.
        for one, other in itertools.combinations(marks, 2):
            (a, b), (c, d) = one.get_xydata()[0], other.get_xydata()[0]
            if one.get_marker() != other.get_marker() and max(abs(a / c - 1), abs(b / d - 1)) < 0.03:
                self.assertGreater(one.get_markersize(), 1.3 * other.get_markersize())

        names = {text for text in written if text in counted}
        self.assertEqual(
            names, {min(shares, key=shares.get), *(v for v, (_, passes, _) in counted.items() if sum(passes) > 4)}
        )
        for name in names:
            chapter, passes, rate = counted[name]
            (leader,) = (  # from the name to the point
                line
                for line in rates.lines
                if len(line.get_xdata()) == 2 and list(line.get_xydata()[1]) == [sum(passes), rate / 1e12]
            )
            self.assertEqual(leader.get_color(), style.CHAPTERS[chapter])
            self.assertEqual(written[name].get_color(), style.letters(style.CHAPTERS[chapter]))
            y = leader.get_xydata()[0][1]
            self.assertLess(abs(math.log(y / written[name].get_position()[1])), 0.1)
            x, y = rates.transData.inverted().transform(written[name].get_window_extent().max)
            self.assertLess(x * y / limit, min(shares.values()), "below the band")

    def pipe(self, data, change):
        """The figure of the pipe where `change` has changed the results of the chapters' records."""
        for file in (data / "h200").glob("0[2-5]*_cubes_warm.json"):
            record = json.loads(file.read_text())
            record["results"] = change(file.name, record["results"])
            file.write_text(json.dumps(record))
        return drawn(data, self.top / "out", pipe.main)["pipe"]

    def test_pipe_of_another_machine(self):
        """Its title says nothing that its records do not show; what was not measured is absent."""

        def scaled(factor):
            def change(_, results):
                for result in results:
                    if "time" in result:
                        result["flops_per_s"] *= factor
                return results

            return change

        data = self.copy()
        for factor, share in ((0.5, "38 to 48"), (3, "114 to 143")):  # 1.5 times what was measured
            card = self.pipe(data, scaled(factor))
            self.assertEqual(
                card.title,
                f"With 1.63 to 33.0 passes for a warp and a k, the 18 kernels reach {share} % of what the pipe allows",
            )
            self.check({"pipe": card}, ["NVIDIA H200"])

        # Chapter 03 is not measured, and of chapter 02 only what is wrong.
        def less(name, results):
            for result in results:
                if name.startswith("02") and "verdict" in result:
                    result["verdict"]["right"] = False
            return [] if name.startswith("03") else results

        card = self.pipe(data, less)
        self.assertIn("the 9 kernels", card.title)
        _, _, bars, rates = card.figure.axes
        self.assertEqual(len(bars.get_yticklabels()), 18)
        self.assertEqual([text.get_text() for text in bars.texts].count("–"), 9)
        self.assertEqual(len([mark for mark in rates.lines if len(mark.get_xdata()) == 1]), 9)
        self.check({"pipe": card}, ["NVIDIA H200"])

        card = self.pipe(data, lambda _, results: [r for r in results if r["shape"]["N"] != 1024])
        self.assertEqual(card.title, "What the variants ask of the SM's data pipe, and what it allows")
        written = " ".join(" ".join(words for words, *_ in texts(card)).split())
        self.assertIn("no rates at N = 1024 were measured on this machine", written.replace("\u00a0", " "))
        self.check({"pipe": card}, ["NVIDIA H200"])

    def test_pipe_not_counted(self):
        """Of two machines the one whose counters were not read says so, and has no part in the title."""
        data = self.copy()
        other = shutil.copytree(data / "h200", data / "other", ignore=shutil.ignore_patterns("counters.json"))
        for file in other.glob("0[2-5]*.json"):
            record = json.loads(file.read_text())
            record["machine"]["name"] = "NVIDIA GeForce RTX 4090"
            file.write_text(json.dumps(record))
        card = drawn(data, self.top / "out", pipe.main)["pipe"]
        written = [words for words, *_ in texts(card)]
        self.assertEqual(written.count("no hardware counters were read on this machine"), 1)
        self.assertTrue(card.title.startswith("NVIDIA H200: One pipe sets the rate"), card.title)
        self.check({"pipe": card}, ["NVIDIA H200", "NVIDIA GeForce RTX 4090"])

        (data / "h200" / "counters.json").rename(other / "counters.json")
        card = drawn(data, self.top / "out", pipe.main)["pipe"]
        self.assertNotIn("One pipe", card.title)

    @unittest.skipUnless(PROGRAMS, "what the tracer gives is compared where its programs are built")
    def test_maps_are_what_the_tracer_gives(self):
        import trace_maps

        sys.argv[1:] = [str(PROGRAMS), str(self.top)]
        trace_maps.main()
        for name in ("requests.json", "traffic.json"):
            now, then = (folder / name for folder in (self.top, records.DATA / "maps"))
            self.assertEqual(now.read_text(), then.read_text(), f"{name}: meson compile -C build maps writes it anew")


if __name__ == "__main__":
    unittest.main()
