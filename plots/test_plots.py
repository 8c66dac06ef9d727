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
            for level in record.get("levels", []):
                level["bytes_per_s"] *= 0.04
            (other / file.name).write_text(json.dumps(record))
        self.check(drawn(data, self.top / "out"), ["NVIDIA H200", "NVIDIA GeForce RTX 4090"])

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
