#!/usr/bin/env python3
"""Prints the ladder: every chapter's best variant side by side, from the records that chapters wrote with --json.

    ladder.py FOLDER NAME=STATE...

FOLDER holds NAME.json for each chapter; STATE is ran, no-device or not-built. The chapters are compared at the largest
shape that all of them measured. Only results that were found right and were timed count.
"""

import json
import sys
import textwrap
from pathlib import Path


def operations(shape):
    return 2 * shape[0] * shape[1] * shape[2]


class Chapter:
    """What one chapter's record says, by shape: {(M, N, K): [result, ...]}."""

    def __init__(self, name, record):
        self.name = name
        self.machine = record["machine"]
        self.by_shape = {}
        for result in record["results"]:
            right = (result.get("verdict") or {}).get("right")
            if right and result.get("time") and result.get("flops_per_s"):
                shape = tuple(result["shape"][axis] for axis in "MNK")
                self.by_shape.setdefault(shape, []).append(result)
        # A shape that only the library ran is of no use for comparing chapters.
        self.by_shape = {shape: rows for shape, rows in self.by_shape.items() if any(r["role"] == "own" for r in rows)}

    def best(self, shape, role):
        rows = [result for result in self.by_shape.get(shape, []) if result["role"] == role]
        return max(rows, key=lambda result: result["flops_per_s"], default=None)


def common_shape(chapters):
    """The largest shape that all of these measured, or None."""
    shapes = set.intersection(*(set(chapter.by_shape) for chapter in chapters)) if chapters else set()
    return max(shapes, key=lambda shape: (operations(shape), shape), default=None)


def choose_shapes(chapters):
    """One shape for all chapters; if there is none, one for those on the CPU and one for those on the GPU; if not even
    that, each chapter's own largest."""
    together = common_shape(chapters)
    if together:
        return {chapter.name: together for chapter in chapters}
    chosen = {}
    for chapter in chapters:
        kind = [other for other in chapters if other.machine.get("kind") == chapter.machine.get("kind")]
        chosen[chapter.name] = common_shape(kind) or common_shape([chapter])
    return chosen


def rate_text(rate):
    if rate >= 1e12:
        return f"{rate / 1e12:.2f} TFLOP/s"
    return f"{rate / 1e9:.1f} GFLOP/s" if rate >= 1e9 else f"{rate / 1e6:.1f} MFLOP/s"


def times_text(ratio):
    return "-" if ratio is None else f"x {ratio:.2f}" if ratio < 100 else f"x {ratio:.0f}"


def shape_text(shape):
    return " x ".join(str(side) for side in shape)


def rows(chapters, shapes):
    """(name, variant, rate, ratio to the chapter before or None, share of the library or None, shape) for each."""
    before = None
    for chapter in chapters:
        shape = shapes[chapter.name]
        own = chapter.best(shape, "own")
        rate = own["flops_per_s"]
        # The chapter before ran in this chapter's own run, too: a ratio within one run is the sounder one.
        previous = chapter.best(shape, "previous")
        if previous is None and before:
            previous = before.best(shape, "own")
        library = chapter.best(shape, "library")
        share = own.get("library_ratio")
        if share is None and library:
            share = rate / library["flops_per_s"]
        yield chapter.name, own["variant"], rate, previous and rate / previous["flops_per_s"], share, shape
        before = chapter


def cut(text, width):
    return text if len(text) <= width else text[: width - 2] + ".."


def table(chapters):
    """The ladder's lines, none wider than 80 characters."""
    shapes = choose_shapes(chapters)
    sizes = set(shapes.values())
    machines = list(dict.fromkeys(cut(chapter.machine.get("name", "?"), 60) for chapter in chapters))
    lines = []
    if len(sizes) == 1:
        lines.append(f"The ladder at M x N x K = {shape_text(sizes.pop())}")
    else:
        lines.append("The ladder (the chapters have no size in common: each at the size in its row)")
    lines += [f"  on {machine}" for machine in machines]
    lines += ["", f"{'chapter':<16}{'best variant':<22}{'rate':>15}{'chapter before':>16}{'library':>11}"]
    lines.append("-" * 80)
    several = len(set(shapes.values())) > 1
    for name, variant, rate, ratio, share, shape in rows(chapters, shapes):
        percent = "-" if share is None else f"{100 * share:.1f} %"
        lines.append(
            f"{cut(name, 15):<16}{cut(variant, 21):<22}{rate_text(rate):>15}{times_text(ratio):>16}{percent:>11}"
        )
        if several:
            lines.append(f"    at {shape_text(shape)}")
    return lines


def main(argv=None):
    arguments = sys.argv[1:] if argv is None else argv
    if not arguments or any("=" not in word for word in arguments[1:]):
        print("usage: ladder.py FOLDER NAME=STATE...", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    states = dict(word.rsplit("=", 1) for word in arguments[1:])
    chapters, silent, traced = [], [], []
    for name, state in states.items():
        if state != "ran":
            continue
        file = folder / f"{name}.json"
        try:
            record = json.loads(file.read_text(encoding="utf-8"))
            if "trace" in record:
                traced.append(name)
                continue
            chapter = Chapter(name, record)
        except FileNotFoundError:
            silent.append(name)
            continue
        except (ValueError, KeyError, TypeError, AttributeError) as fault:
            print(f"{file} is no record of a chapter: {fault!r}", file=sys.stderr)
            return 1
        (chapters if chapter.by_shape else silent).append(chapter if chapter.by_shape else name)

    if chapters:
        print("\n".join(table(chapters)))
    else:
        print("The ladder is empty: no chapter measured anything.")
    for reason, names in (
        ("Ran without a result", silent),
        ("Traced on the CPU, for there is no CUDA device", traced),
        ("Did not run, for there is no CUDA device", [name for name in states if states[name] == "no-device"]),
        ("Not built", [name for name in states if states[name] == "not-built"]),
    ):
        if names:
            print(textwrap.fill(f"{reason}: {', '.join(names)}.", 80))
    return 0


if __name__ == "__main__":
    sys.exit(main())
