#!/usr/bin/env python3
"""Weaves code, real outputs and measured numbers into the pages.

    weave.py BUILD [PAGE...]            refreshes the pages in place (all of them, if none is named)
    weave.py --notebooks BUILD          writes the pages as executed notebooks: BUILD/notebooks

A page is plain Markdown. Its woven parts stand between comments that a reader does not see; cog
(https://cog.readthedocs.io) runs the first one as Python and replaces what lies between:

    <!-- [[[cog excerpt("chapters/03_tiled/kernel.cuh", "tiled") ]]] -->
    ...
    <!-- [[[end]]] -->

Paths in calls are relative to the top folder. BUILD is the build directory; `output`, `counts`,
`broken`, `predicted` and `traced` run its programs. Where a program or its tracer is not built, a
block keeps the text that it has.

In a notebook each block is a cell: what it emits is shown below it, and a claim that does not hold
is an error. There BUILD comes from the environment, as `build` if it is not set.
"""

import atexit
import difflib
import functools
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

sys.dont_write_bytecode = True  # the source tree stays as it is
if __name__ == "__main__":
    sys.modules["weave"] = sys.modules["__main__"]  # pages import the module that is running

try:
    from cogapp.cogapp import Cog, CogError, CogUserException
except ImportError:
    Cog, CogError, CogUserException = None, Exception, ()

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "plots"))

import records  # noqa: E402

BUILD = ROOT / os.environ.get("BUILD", "build")
GPU = "h200"  # whose records the pages show: plots/data/<GPU>
MISSING = "is missing: run common/bootstrap.sh, or pip install -r plots/requirements.txt"
NO_COG = f"cogapp {MISSING}"

LANGUAGES = {
    **dict.fromkeys(
        (".cuh", ".cu", ".hpp", ".cpp", ".h"), "cpp"
    ),  # jupytext would run a fence named c++
    ".py": "py",  # ... and one named python
    ".sh": "console",
    ".build": "meson",
}
FIELDS = [
    "global_load_requests",
    "global_load_sectors",
    "global_load_lines",
    "global_store_requests",
    "global_store_sectors",
    "global_store_lines",
    "shared_load_requests",
    "shared_load_wavefronts",
    "shared_store_requests",
    "shared_store_wavefronts",
    "barriers",
]

used = set()  # (path, tag) of every excerpt that was cut
kept = set()  # (page, line or cell) of every block that could not be renewed here
opened = ""  # the page that the running notebook was made of


class WeaveError(CogError):
    """What is wrong with a block, with its page and line."""


class NotBuilt(Exception):
    """A program that a block needs is not built here, or built without the tracer."""


# ---- Where we are: the page and block that cog is working on.


def cog():
    """The cog module of the block that is running; None outside of cog."""
    return sys.modules.get("cog")


def shell():
    """IPython's shell, where a notebook's cell is running; None elsewhere."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython else None


def here():
    """The page and line of the block that is running; in a notebook, the page and a number.

    The number is another one for each cell that runs.
    """
    if cog():
        return cog().inFile, cog().firstLineNum
    return (opened, shell().execution_count) if shell() else ("", 0)


def fail(message):
    """Ends the weaving of this page."""
    page, line = here()
    raise WeaveError(f"{page}:{line}: {message}" if cog() else message)


def emit(text):
    """Writes text into the page, with blank lines around it, or shows it below the cell."""
    if here() in kept:
        return
    if cog():
        first = not cog().out.__self__.outstring
        cog().out("\n" * first + text.strip("\n") + "\n\n")
    else:
        from IPython.display import Markdown, display

        display(Markdown(text.strip("\n")))


def keep_block(why):
    """Leaves this block as it is; a notebook's cell says why, and shows nothing more."""
    if cog():
        cog().out.__self__.outstring = cog().previous
    else:
        emit(f"Not shown here: {why}.")
    kept.add(here())


def needs_programs(function):
    """A function that leaves its block alone where the program that it runs is not built."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except NotBuilt as why:
            if not cog() and not shell():
                raise WeaveError(str(why)) from None
            keep_block(why)
            return Unknown("nan")

    return wrapper


def read(path):
    """The text of a file of the project."""
    try:
        return (ROOT / path).read_text(encoding="utf-8")
    except OSError as fault:
        fail(f"{path} cannot be read: {fault.strerror}")


# ---- Numbers.


def significant(value):
    """Three significant digits, or all that stand before the point: 0.466, 5.60, 12.3, 1092."""
    if value != value or abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:#.3g}".rstrip(".")


def number(value):
    """A whole number with thin spaces between its thousands; a dash for one that cannot be had here."""
    return "–" if value != value else f"{round(value):,}".replace(",", "\u202f")


class Figure(float):
    """A float that shows with three significant digits, as do its sums, products and ratios."""

    def __format__(self, spec):
        return float.__format__(self, spec) if spec else significant(self)

    def __str__(self):
        return significant(self)


def _figure_operator(name):
    plain = getattr(float, name)

    def operator(self, other):
        result = plain(self, other)
        return result if result is NotImplemented else Figure(result)

    return operator


for _name in ("add", "sub", "mul", "truediv", "radd", "rsub", "rmul", "rtruediv"):
    setattr(Figure, f"__{_name}__", _figure_operator(f"__{_name}__"))


class Unknown(Figure):
    """Stands for the number that a program would give; a notebook does not show it."""

    def _ipython_display_(self):
        pass


# ---- Code.

TAG = re.compile(r"^\s*(?://|#)\s*\[(/?)([A-Za-z][\w-]*)\]\s*$")


def tags(path):
    """The tagged regions of a file: {tag: (first line, line after the last)}, counted from 0."""
    opened, regions = {}, {}
    for at, line in enumerate(read(path).splitlines()):
        mark = TAG.match(line)
        if not mark:
            continue
        closing, tag = mark.groups()
        if not closing:
            if tag in opened or tag in regions:
                fail(f"{path}: the tag [{tag}] is there twice (line {at + 1})")
            opened[tag] = at + 1
        elif tag not in opened:
            fail(f"{path}: [/{tag}] closes nothing (line {at + 1})")
        else:
            regions[tag] = (opened.pop(tag), at)
    for tag, at in opened.items():
        fail(f"{path}: the tag [{tag}] is never closed (line {at})")
    return regions


def cut(path, tag=None):
    """The lines of a tagged region, or of a file, without shared indentation and without tags."""
    regions, lines = tags(path), read(path).splitlines()
    if tag is not None:
        if tag not in regions:
            fail(f"{path} has no tag [{tag}]; it has {', '.join(sorted(regions)) or 'none'}")
        used.add((str(path), tag))
        lines = lines[slice(*regions[tag])]
    lines = [line.rstrip() for line in lines if not TAG.match(line)]
    return textwrap.dedent("\n".join(lines)).strip("\n").splitlines()


def link(path):
    """A link to a file of the project, from the page."""
    page = ROOT / here()[0]
    return f"[{path}]({os.path.relpath(ROOT / path, page.parent)})"


def fence(language, lines):
    return "\n".join([f"```{language}", *lines, "```"])


def excerpt(path, tag):
    """The code between `// [tag]` and `// [/tag]`, and where it stands."""
    language = LANGUAGES.get(Path(path).suffix, "text")
    emit(f"{fence(language, cut(path, tag))}\n\n<sub>{link(path)}</sub>")


def diff(a, b, tag_a=None, tag_b=None):
    """What changes from one file, or from one excerpt of it, to another."""
    before, after = cut(a, tag_a), cut(b, tag_b)
    lines = list(difflib.unified_diff(before, after, a, b, lineterm=""))
    if not lines:
        fail(f"{a} and {b} do not differ")
    emit(fence("diff", [line.rstrip() for line in lines]))


# ---- Programs.


@functools.lru_cache
def stage(root, build):
    """A stand-in for the top folder, with `build` in its place: what commands write stays there."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for entry in root.iterdir():
        if entry.name != "build":
            (folder / entry.name).symlink_to(entry)
    (folder / "build").symlink_to(build)
    return folder


@functools.lru_cache(maxsize=None)
def _run(command, root, build):
    for program in re.findall(r"\bbuild/chapters/(\w+)", command):
        if not (root / "chapters" / program).is_dir():
            fail(f"`{command}`: there is no chapter {program}")
        if not (build / "chapters" / program).is_file():
            raise NotBuilt(f"chapters/{program} is not built in {build}")
    done = subprocess.run(
        ["timeout", "300", "bash", "-c", command],
        cwd=stage(root, build),
        env={**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "80"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    )
    if "built without the tracer" in done.stdout:
        raise NotBuilt(f"this build has no tracer for: {command}")
    return done.returncode, done.stdout


def run(command):
    """Runs a shell command in (a stand-in for) the top folder: (exit code, stdout and stderr)."""
    return _run(command, ROOT, BUILD)


@needs_programs
def output(command, exit=0, first=None, last=None):
    """A command and what it prints; of a long output the first and last lines, if so asked."""
    code, text = run(command)
    if code != exit:
        fail(f"`{command}` ended with {code}, not {exit}:\n{text[-2000:]}")
    lines = [line.rstrip() for line in text.rstrip("\n").splitlines()]
    if (first or last) and (first or 0) + (last or 0) < len(lines):
        lines = [*lines[: first or 0], "...", *lines[len(lines) - (last or 0) :]]
    note = ["$ echo $?", str(code)] if exit else []
    emit(fence("console", [f"$ {command}", *lines, *note]))


@functools.lru_cache(maxsize=None)
def _trace(chapter, size, root, build):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "trace.json")
        code, text = _run(
            f"build/chapters/{chapter} --trace --size {size} --json {file}", root, build
        )
        if code != 0:
            fail(f"tracing {chapter} at {size} ended with {code}:\n{text[-2000:]}")
        return {row["variant"]: row for row in json.loads(file.read_text())["trace"]}


def traces(chapter, size=1024):
    """The rows of a chapter's trace, by variant."""
    return _trace(chapter, size, ROOT, BUILD)


@needs_programs
def predicted(chapter, variant, key, size=1024):
    """What a chapter's arithmetic says, by the names of common/arithmetic.hpp."""
    return look_up(traces(chapter, size), variant, chapter)["predicted"][key]


@needs_programs
def traced(chapter, variant, key, size=1024):
    """What the tracer counts."""
    return look_up(traces(chapter, size), variant, chapter)["traced"][key]


def look_up(rows, name, where):
    """A row by its name; an unknown name is an error that lists the known ones."""
    if name not in rows:
        fail(f"{where} has no '{name}'; it has {', '.join(map(str, rows))}")
    return rows[name]


# ---- Records.


@functools.lru_cache(maxsize=None)
def _json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def data(name):
    """A record of plots/data/<GPU>."""
    path = ROOT / "plots/data" / GPU / name
    if not path.is_file():
        fail(f"there is no record plots/data/{GPU}/{name}")
    return _json(path)


def record(chapter, cache="warm", suite="cubes"):
    """What a chapter measured: machine, commit and results."""
    return data(f"{chapter}_{suite}_{cache}.json")


def shape_of(size):
    return (size,) * 3 if isinstance(size, int) else tuple(size)


def result(chapter, variant, size, cache="warm"):
    """The measurement of one variant (or of "library") at N, or at (M, N, K)."""
    shape = shape_of(size)
    suite = "cubes" if len(set(shape)) == 1 else "deepbench"
    rows = {}
    for row in record(chapter, cache, suite)["results"]:
        if tuple(row["shape"][axis] for axis in "MNK") == shape:
            rows[row["variant"]] = row
            if row["role"] == "library":
                rows["library"] = row
    row = look_up(rows, variant, f"{chapter} at {' x '.join(map(str, shape))}, {cache},")
    if "time" not in row:
        fail(f"{chapter} has no time of {variant} at {size}: {row.get('refused', 'it was wrong')}")
    return row


UNITS = {"TFLOP/s": 1e12, "GFLOP/s": 1e9, "TB/s": 1e12, "GB/s": 1e9}


def rate(chapter, variant, size, cache="warm", unit="TFLOP/s"):
    """Useful operations in a second."""
    return Figure(result(chapter, variant, size, cache)["flops_per_s"] / UNITS[unit])


def seconds(chapter, variant, size, cache="warm", which="median"):
    """The time of one product; which: first, min, median or p95."""
    return Figure(result(chapter, variant, size, cache)["time"][which + "_s"])


def milliseconds(*args, **kwargs):
    return 1e3 * seconds(*args, **kwargs)


def microseconds(*args, **kwargs):
    return 1e6 * seconds(*args, **kwargs)


def ratio(chapter, variant, other, size, cache="warm"):
    """How many times as fast as another variant of the same run."""
    return rate(chapter, variant, size, cache) / rate(chapter, other, size, cache)


def share(chapter, variant, size, cache="warm", of="library"):
    """The rate in percent of the library's, or of the ceiling."""
    row = result(chapter, variant, size, cache)
    return Figure(100 * row["library_ratio" if of == "library" else "ceiling_fraction"])


def ceiling(chapter, cache="warm", unit="TFLOP/s"):
    """What the machine reached with independent multiply-adds alone."""
    return Figure(record(chapter, cache)["machine"]["ceiling_flops_per_s"] / UNITS[unit])


def bandwidth(chapter, cache="warm", unit="TB/s"):
    """What the machine's memory delivered to a plain copy."""
    return Figure(record(chapter, cache)["machine"]["ceiling_bytes_per_s"] / UNITS[unit])


def machine(chapter, key="name", cache="warm"):
    """A fact about the machine, by its name in the record."""
    return look_up(record(chapter, cache)["machine"], key, "the machine")


def commit(chapter, cache="warm"):
    """The commit that was measured."""
    return record(chapter, cache)["commit"]


def counter_row(chapter, variant):
    rows = {
        row["variant"]: row
        for row in data("counters.json")["counters"]
        if row["chapter"] == chapter
    }
    return look_up(rows, variant, f"counters.json of {chapter}")


def counted(chapter, variant, key):
    """What the hardware counted at 1024."""
    row = counter_row(chapter, variant)
    value = look_up({**row["counted"], **row["more"]}, key, f"counters.json of {variant}")
    return Figure(value) if isinstance(value, float) and value % 1 else int(value)


def passes(chapter, variant):
    """What the LSU data pipe of the L1 passes for one warp and one k, at 1024, all that is modelled."""
    return Figure(sum(records.passes(counter_row(chapter, variant))))


def pipe_rate(chapter, variant):
    """TFLOP/s that a kernel's passes allow, if its SMs' pipes never pause."""
    return Figure(
        records.pipe_limit(record(chapter)["machine"]) / passes(chapter, variant) / UNITS["TFLOP/s"]
    )


def pipe_share(chapter, variant):
    """What a variant reaches of that at 1024, in percent."""
    return 100 * rate(chapter, variant, 1024) / pipe_rate(chapter, variant)


def memory(level, key):
    """What common/probe measured of a level: capacity_bytes, cycles, seconds, bytes_per_s, ..."""
    rows = {row["level"]: {**row, **row["latency"]} for row in data("memory.json")["levels"]}
    return Figure(look_up(look_up(rows, level, "memory.json"), key, f"memory.json of {level}"))


def broken_row(chapter, name):
    """How often a broken kernel was wrong on the GPU, and what the verifier said: the last size tried."""
    rows = {r["broken"]: r for r in data("broken.json")["broken"] if r["chapter"] == chapter}
    return look_up(rows, name, f"broken.json of {chapter}")


def recorded(name):
    """A command and its output on the GPU, as they were recorded."""
    emit(fence("console", read(f"plots/data/{GPU}/output/{name}.txt").rstrip("\n").splitlines()))


def ladder():
    """What common/ladder.py says of the records: the last thing that a tour prints."""
    chapters = sorted(path.name for path in (ROOT / "chapters").glob("0*"))
    with tempfile.TemporaryDirectory() as folder:
        for chapter in chapters:
            Path(folder, f"{chapter}.json").write_text(json.dumps(record(chapter)))
        states = [f"{chapter}=ran" for chapter in chapters]
        command = [sys.executable, ROOT / "common/ladder.py", folder, *states]
        done = subprocess.run(
            command, capture_output=True, encoding="utf-8", env={**os.environ, "COLUMNS": "80"}
        )
    if done.returncode != 0:
        fail(f"common/ladder.py ended with {done.returncode}: {done.stderr}")
    emit(fence("text", done.stdout.strip("\n").splitlines()))


# ---- Text.

RULE = {"l": ":--", "r": "--:", "c": ":-:"}


def table(header, rows, align=None, caption=None):
    """A Markdown table. `align` has a letter a column: l, r or c."""
    align = align or "l" + "r" * (len(header) - 1)
    lines = ["| " + " | ".join(str(cell) for cell in row) + " |" for row in [header, *rows]]
    lines.insert(1, "|" + "|".join(RULE[letter] for letter in align) + "|")
    emit("\n".join(lines) + (f"\n\n<sub>{caption}</sub>" if caption else ""))


# Words that at the start of a line would be a list, a quotation, a heading or a rule.
STARTS_A_BLOCK = re.compile(r" (?=(?:[-+*>#=|]+|\d+[.)])(?:\s|$))")


def wrap(text, width=110):
    """Paragraphs, wrapped; a blank line separates them."""
    paragraphs = [
        " ".join(re.split(r"[ \t\n]+", part.strip())) for part in re.split(r"\n\s*\n", text.strip())
    ]
    wrapped = []
    for paragraph in paragraphs:
        bound = STARTS_A_BLOCK.sub("\0", paragraph)
        lines = textwrap.wrap(bound, width, break_long_words=False, break_on_hyphens=False)
        wrapped.append("\n".join(lines).replace("\0", " "))
    return "\n\n".join(wrapped)


def say(text):
    """A paragraph, with numbers in it."""
    emit(wrap(text))


def claim(condition, text):
    """Says the text, if the condition holds. If it does not, the page is wrong."""
    if here() in kept:
        return
    if not condition:
        fail(f"this does not hold: {' '.join(text.split())}")
    say(text)


# ---- Tables.

JOINED = (
    "nvcc reads four values of k of tile_A at a time (`LDS.128` in the machine code). Of the 4 + 4 "
    "requests that the source makes for four k, 1 + 4 are left. A 128-bit request that is the same "
    "for a whole row of lanes takes two wavefronts, so these are 2 + 4."
)


def explained(row, key, expected):
    """Whether the machine code explains what the hardware counted for a shared load."""
    eighths = {"shared_load_requests": 5, "shared_load_wavefronts": 6}.get(key)
    loads = row["shared_loads_in_sass"]
    return (
        eighths is not None
        and loads.get("LDS.128", 0) > 0
        and row["counted"][key] == expected * eighths // 8
    )


def counted_cell(row, key, expected):
    """What the hardware counted, marked where it differs for a known reason, or an error."""
    if key not in row["counted"]:
        return "–"
    value = row["counted"][key]
    if value == expected:
        return number(value)
    if not explained(row, key, expected):
        fail(
            f"{row['chapter']} {row['variant']}: the {GPU} counted {value} {key}, "
            f"the formula says {expected}"
        )
    return number(value) + " <sup>1</sup>"


@needs_programs
def counts(chapter, variants=None, fields=None):
    """Formula, trace and hardware side by side, at 1024."""
    rows, all_traces = [], traces(chapter)
    for variant in variants or all_traces:
        trace, hardware = look_up(all_traces, variant, chapter), counter_row(chapter, variant)
        name = f"`{variant}`"
        for key in fields or FIELDS:
            formula, walked = trace["predicted"][key], trace["traced"][key]
            if formula != walked:
                fail(f"{chapter} {variant}: the formula says {formula} {key}, the trace {walked}")
            if formula or hardware["counted"].get(key):
                cells = number(formula), number(walked), counted_cell(hardware, key, formula)
                rows.append((name, key.replace("_", " "), *cells))
                name = ""
    joined = any("<sup>" in row[-1] for row in rows)
    header = (
        "variant",
        "at M = N = K = 1024",
        "formula",
        "traced",
        f"counted by the {GPU.upper()}",
    )
    table(header, rows, "llrrr", f"<sup>1</sup> {JOINED}" if joined else None)


FILLS = {
    "random": "random inputs in [−1, 1)",
    "unit": "random inputs in [0, 1)",
    "integers": "integer inputs",
    "zeros": "zeros as inputs",
}


def provenance(taken):
    """On which machine, commit and inputs a record was made."""
    facts = taken["machine"]
    name = re.sub(r"\((?:R|TM)\)", "", facts["name"])
    where = name if facts["kind"] == "gpu" else f"{name}, {facts['threads']} threads"
    inputs = f"{FILLS[taken['fill']]}, seed {taken['seed']}"
    return f"{where}, commit `{taken['commit']}`, {taken['cache']} cache, {inputs}"


def pipe(chapter, variants):
    """What each variant asks of the LSU data pipe, what that allows, and what was measured, at 1024."""
    rows = []
    for variant in variants:
        row = counter_row(chapter, variant)
        cells = [f"{x:.3g}" if x >= 0.005 else "" for x in records.passes(row)]
        cells += [
            f"{passes(chapter, variant):.3g}",
            f"{row['more']['pipe_wavefronts'] / (math.prod(row['shape'].values()) / 32):.3g}",
            pipe_rate(chapter, variant),
            rate(chapter, variant, 1024),
            f"{pipe_share(chapter, variant):.0f} %",
        ]
        rows.append((f"`{variant}`", *cells))
    header = (
        "passes for a warp and a k",
        "global lines",
        "shared stores",
        "shared loads",
        "sum",
        "all that the pipe passed",
        "TFLOP/s if it never pauses",
        "measured",
        "of that",
    )
    shown = [at for at in range(len(header)) if any(row[at] for row in rows)]  # no empty columns
    note = (
        f"Passes at 1024, counted by the {GPU.upper()}. All that the pipe passed "
        "(`l1tex__data_pipe_lsu_wavefronts`) includes barriers and what waits; rates are of the sum."
    )
    table([header[at] for at in shown], [[row[at] for at in shown] for row in rows], caption=note)


def of_the_pipe(chapter, variants):
    """The smallest and the largest share, in percent, of what the pipe allows that a variant reaches."""
    shares = [pipe_share(chapter, variant) for variant in variants]
    return min(shares), max(shares)


def measured_cell(row, what, unit):
    """One cell: a rate, a time, or a share."""
    if row is None:
        return ""
    if "refused" in row:
        return "refused"
    if what == "rate":
        return significant(row["flops_per_s"] / UNITS[unit])
    if what == "time":
        return significant(1e3 * row["time"]["median_s"])
    return significant(100 * row["library_ratio" if what == "library" else "ceiling_fraction"])


def measured(chapter, sizes=None, cache="warm", what="rate", variants=None):
    """Variants by sizes, the library last. what: rate, time (ms), library or ceiling (percent)."""
    taken = record(chapter, cache)
    unit = "TFLOP/s" if taken["machine"]["kind"] == "gpu" else "GFLOP/s"
    heads = {
        "rate": unit,
        "time": "Milliseconds",
        "library": "% of the library's rate",
        "ceiling": "% of the ceiling",
    }
    rows = {}
    for row in taken["results"]:
        rows.setdefault((row["role"] == "library", row["variant"], row["role"]), {})[
            row["shape"]["N"]
        ] = row
    sizes = sizes or sorted({row["shape"]["N"] for row in taken["results"]})
    known = {size for cells in rows.values() for size in cells}
    for size in sizes:
        look_up(dict.fromkeys(sorted(known)), size, f"the record of {chapter}")
    for name in variants or []:
        look_up({key[1]: 1 for key in rows}, name, f"the record of {chapter}")
    lines = []
    for (library, name, role), cells in sorted(rows.items(), key=lambda item: item[0][0]):
        if variants and name not in variants and not library or library and what == "library":
            continue
        note = {"previous": " (the chapter before)", "library": " (the library)"}.get(role, "")
        lines.append(
            (f"`{name}`{note}", *(measured_cell(cells.get(size), what, unit) for size in sizes))
        )
    header = ("M = N = K", *map(str, sizes))
    table(header, lines, caption=f"{heads[what]}, from the median time: {provenance(taken)}.")


def broken_rows(text):
    """From the text of --list: (fault, who sees it or "", what is wrong)."""
    lines = text.split("\n--break", 1)
    if len(lines) < 2:
        return
    for line in lines[1].splitlines()[1:]:
        if not line.strip():
            return
        name, _, rest = line.strip().partition(" ")
        seen, _, what = rest.strip().partition(" ")
        if seen in FINDERS:
            yield name, seen, what.strip()
        else:
            yield name, "", rest.strip()


# Who finds a fault, by the words of --list: the verifier, and the tracer.
FINDERS = {
    "verifier": ("finds it", "–"),
    "tracer": ("–", "finds it"),
    "both": ("finds it", "finds it"),
    "gpu": ("on a GPU only", "–"),
}


@needs_programs
def broken(chapter):
    """The faults that a chapter's kernels can be given, and who notices."""
    code, text = run(f"build/chapters/{chapter} --list")
    rows = list(broken_rows(text))
    if code != 0 or not rows:
        fail(f"{chapter} --list names no faults")
    if not all(seen for _, seen, _ in rows):
        fail(f"{chapter} --list does not say who sees the faults")
    cells = [(f"`{name}`", what, *FINDERS[seen]) for name, seen, what in rows]
    table(("`--break`", "what is wrong", "verifier", "tracer"), cells, "llcc")


# ---- Pages.


def pages():
    """Every Markdown file of the project, relative to the top folder."""
    found = list(ROOT.glob("*.md"))
    for folder in ("chapters", "common", "docs", "plots"):
        found += (ROOT / folder).rglob("*.md")
    return sorted(str(path.relative_to(ROOT)) for path in found)


def check_markers(page, text):
    """Refuses code that cog would drop: beside the opening mark of a block of several lines."""
    for at, line in enumerate(text.splitlines(), 1):
        opening, mark, code = line.partition("[[[cog")
        if mark and "]]]" not in code and code.strip():
            raise WeaveError(f"{page}:{at}: code of several lines begins on the line after [[[cog")


def weave_text(page, text):
    """The page with its blocks renewed."""
    if Cog is None:
        raise WeaveError(NO_COG)
    check_markers(page, text)
    worker = Cog()
    worker.options.prologue = "from weave import *"
    try:
        return worker.process_string(text, page)
    except CogUserException as fault:  # a mistake in the page's own code: the last line says which
        raise WeaveError(
            f"{page}:{worker.cogmodule.firstLineNum}: {str(fault).splitlines()[-1]}"
        ) from fault
    finally:
        sys.modules.pop("cog", None)


def refresh(page):
    """Renews a page in place; whether it changed."""
    path = ROOT / page
    before = path.read_text(encoding="utf-8")
    after = weave_text(page, before)
    if after == before:
        return False
    if path.read_text(encoding="utf-8") != before:
        raise WeaveError(f"{page} was changed by someone else meanwhile: run this again")
    path.write_text(after, encoding="utf-8")
    return True


def refresh_all(names):
    """Renews pages; the number of those that could not be."""
    failed = 0
    for page in names:
        try:
            print(f"{page}: {'renewed' if refresh(page) else 'fresh'}")
        except CogError as fault:
            print(fault, file=sys.stderr)
            failed += 1
    for page, line in sorted(kept):
        print(
            f"{page}:{line}: left as it was: a program that it needs is not built here",
            file=sys.stderr,
        )
    return failed


# ---- Notebooks.

BLOCK = re.compile(r"<!--\s*\[\[\[cog\b(.*?)\]\]\]\s*-->.*?<!--\s*\[\[\[end\]\]\]\s*-->", re.DOTALL)
LINKED = re.compile(r"""(?:\]\(|src=["'])([^\s()#"']+)""")
# Tells jupytext that the kernel is Python: else it would be the language of most fences.
HEADER = """\
---
jupyter:
  kernelspec: {name: python3, display_name: Python 3, language: python}
---
"""
SETUP = """\
import sys

sys.path.insert(0, "{docs}")
from weave import *

open_page("{page}")"""


def open_page(page):
    """Says which page a notebook was made of: links start there."""
    global opened
    opened = page


def of_markdown(text):
    """The notebook that jupytext makes of Markdown; only fences named python become code."""
    import jupytext
    from nbformat.v4 import new_markdown_cell

    notebook = jupytext.reads(HEADER + text.strip("\n"), "md")
    for at, cell in enumerate(notebook.cells):
        if cell.cell_type == "code" and cell.source.startswith("%%"):  # as in %%bash
            language, *lines = cell.source[2:].splitlines()
            notebook.cells[at] = new_markdown_cell(fence(language, lines))
    notebook.cells = [cell for cell in notebook.cells if cell.source.strip()]
    return notebook


def as_notebook(page, folder):
    """A page as a notebook for this folder: text and, in place of its woven blocks, their code."""
    from nbformat.v4 import new_code_cell

    first, *rest = BLOCK.split(read(page))
    notebook = of_markdown(first)
    for code, text in zip(rest[::2], rest[1::2]):
        notebook.cells.append(new_code_cell(textwrap.dedent(code).strip()))
        notebook.cells += of_markdown(text).cells
    if any("[[[cog" in cell.source or "[[[end" in cell.source for cell in notebook.cells):
        raise WeaveError(f"{page}: a block does not stand between comments of its own")
    if any(cell.cell_type == "code" for cell in notebook.cells):
        docs = Path(os.path.relpath(ROOT / "docs", folder)).as_posix()
        notebook.cells.insert(0, new_code_cell(SETUP.format(docs=docs, page=page)))
    return notebook


def execute(notebook, folder):
    """Runs the cells of a notebook that lies in this folder, without the user's own settings."""
    from nbclient import NotebookClient
    from traitlets.config import Config

    with tempfile.TemporaryDirectory() as private:
        settings = {
            "BUILD": str(BUILD),
            "IPYTHONDIR": private,
            "PYTHONDONTWRITEBYTECODE": "1",  # the source tree stays as it is
        }
        sockets = {"transport": "ipc", "connection_file": f"{private}/kernel.json"}
        NotebookClient(
            notebook,
            timeout=600,
            kernel_name="python3",
            resources={"metadata": {"path": str(folder)}},
            config=Config(KernelManager=sockets),
        ).execute(env={**os.environ, **settings})


def write_notebook(page, target):
    """Writes a page as an executed notebook; one that fails has the error in it. The new file."""
    import nbformat

    file = (target / page).with_suffix(".ipynb")
    file.parent.mkdir(parents=True, exist_ok=True)
    notebook = as_notebook(page, file.parent)
    try:
        if any(cell.cell_type == "code" for cell in notebook.cells):
            execute(notebook, file.parent)
    finally:
        nbformat.write(notebook, file)
    return file


def copy_linked(page, target):
    """Copies the files of the project that a page links to: its notebook's links lead to them."""
    for name in LINKED.findall(read(page)):
        path = os.path.normpath(os.path.join(os.path.dirname(page), name))
        if not path.startswith("..") and (ROOT / path).is_file():
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, target / path)


def notebooks(names, target):
    """Writes pages as notebooks, and beside them what they link to; how many notebooks fail."""
    try:
        import ipykernel  # noqa: F401
        import jupytext  # noqa: F401
        from nbclient.exceptions import CellExecutionError
    except ImportError as fault:
        sys.exit(f"{fault.name} {MISSING}")
    failed = 0
    for page in names:
        try:
            copy_linked(page, target)
            print(write_notebook(page, target))
        except (CogError, CellExecutionError) as fault:
            plain = re.sub(r"\x1b\[[\d;]*m", "", str(fault))  # without colours
            print(f"{page}: {plain}", file=sys.stderr)
            failed += 1
    return failed


def main(arguments):
    global BUILD
    as_notebooks = arguments[:1] == ["--notebooks"]
    arguments = arguments[as_notebooks:]
    if not arguments or arguments[0].startswith("-"):
        sys.exit(__doc__)
    BUILD = Path(arguments[0]).resolve()
    names = [os.path.relpath(Path(name).resolve(), ROOT) for name in arguments[1:]] or pages()
    failed = notebooks(names, BUILD / "notebooks") if as_notebooks else refresh_all(names)
    if failed:
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
