"""Tests the figures: test_plots.py [PROGRAMS]

Redrawn from the same records, every figure must be the one in docs/figures, byte for byte. Their texts must fit and
must not meet, with one machine or two, and with records missing. With PROGRAMS, the folder of the chapters' programs,
what trace_maps.py wrote must be what it writes now.
"""

import ast
import itertools
import json
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
from matplotlib.text import Text

import draw
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


def drawn(data, out):
    """{name: card} of all figures."""
    cards = {}
    save = style.Card.save

    def keep(card, folder, name):
        cards[name] = card
        return save(card, folder, name)

    style.Card.save = keep
    try:
        draw.main(out, data)
    finally:
        style.Card.save = save
    return cards


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
                if name not in ("access_map", "bank_map", "tile_steps"):
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
            (other / file.name).write_text(json.dumps(record))
        self.check(drawn(data, self.top / "out"), ["NVIDIA H200", "NVIDIA GeForce RTX 4090"])

    def test_records_missing(self):
        data = self.copy(without="counters.json 01_cpu* *deepbench* *cold* 03_* 05_*")
        self.check(drawn(data, self.top / "out"), ["NVIDIA H200"])

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
