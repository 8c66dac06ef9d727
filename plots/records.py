"""Reads what the project measured and counted: plots/data/<gpu>/*.json, one folder for each machine."""

import json
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE / "data"
FIGURES = HERE.parent / "docs" / "figures"

# Also to be given a colour and a mark in style.py.
CHAPTERS = ["01_cpu", "02_naive", "03_tiled", "04_bounds", "05_padding"]
KERNEL_CHAPTERS = CHAPTERS[1:]


class Gpu:
    """The records of one machine. What was not measured there is absent, never an error."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.files = {}  # those read so far
        machines = [
            self.record(c, s, t)["machine"]
            for c in KERNEL_CHAPTERS
            for s in ("cubes", "deepbench")
            for t in ("warm", "cold")
            if self.record(c, s, t)
        ]
        self.machine = machines[0] if machines else {}
        self.name = self.machine.get("name", self.folder.name)

    def read(self, name):
        if name not in self.files:
            file = self.folder / name
            self.files[name] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else None
        return self.files[name]

    def record(self, chapter, shapes, cache):
        return self.read(f"{chapter}_{shapes}_{cache}.json")

    def results(self, chapter, shapes="cubes", cache="warm", role=None):
        """The results that were found right and timed."""
        record = self.record(chapter, shapes, cache) or {"results": []}
        return [
            r
            for r in record["results"]
            if r.get("time") and (r.get("verdict") or {}).get("right") and role in (None, r["role"])
        ]

    def rate(self, chapter, variant, size, cache="warm"):
        """flop/s at a square size, or None."""
        found = self.cube(chapter, variant, size, cache)
        return found and found["flops_per_s"]

    def cube(self, chapter, variant, size, cache="warm"):
        for r in self.results(chapter, cache=cache):
            if r["variant"] == variant and r["shape"]["N"] == size:
                return r
        return None

    def best(self, chapter, size, cache="warm", role="own"):
        """The fastest result of a chapter in a role at a square size, or None."""
        rows = [r for r in self.results(chapter, cache=cache, role=role) if r["shape"]["N"] == size]
        return max(rows, key=lambda r: r["flops_per_s"], default=None)

    def library(self, size, cache="warm"):
        """The library's median result of those that the kernel chapters measured, each in a run of its own."""
        rows = [self.best(c, size, cache, "library") for c in KERNEL_CHAPTERS]
        rows = sorted((r for r in rows if r), key=lambda r: r["flops_per_s"])
        return rows[len(rows) // 2] if rows else None

    def own_variants(self, chapter, cache="warm"):
        """In the order in which the chapter runs them."""
        return list(dict.fromkeys(r["variant"] for r in self.results(chapter, cache=cache, role="own")))

    def ceiling(self, key):
        """The median of what the chapters' runs measured of this machine's ceilings, or None."""
        records = [self.record(c, "cubes", "warm") for c in KERNEL_CHAPTERS]
        values = sorted(r["machine"][key] for r in records if r)
        return values[len(values) // 2] if values else None

    def counters(self):
        """{(chapter, variant): {"counted": ..., "more": ...}} of each chapter's own variants, in order."""
        record = self.read("counters.json") or {"counters": []}
        seen, rows = set(), {}
        for row in record["counters"]:
            if row["variant"] not in seen:  # a chapter's "previous" variants were an earlier chapter's own
                seen.add(row["variant"])
                rows[row["chapter"], row["variant"]] = row
        return rows


def gpus(data_folder=DATA):
    """Every machine on which kernels were measured, by the name of its folder."""
    folders = sorted(p for p in pathlib.Path(data_folder).iterdir() if p.is_dir())
    return [Gpu(f) for f in folders if any((f / f"{c}_cubes_warm.json").exists() for c in KERNEL_CHAPTERS)]


def head(machines):
    """The height in pixels of the names over the machines' parts: none where there is only one."""
    return 20 if len(machines) > 1 else 0


def finding(machines, title):
    """A title says what the first machine's records show; with several machines it names that one."""
    return f"{machines[0].name}: {title}" if len(machines) > 1 else title


def names(machines):
    return ", ".join(machine.name for machine in machines)


def traced(data_folder=DATA):
    """What trace_maps.py wrote: {"maps": {variant: {request: ...}}, "traffic": {variant: ...}}."""
    folder = pathlib.Path(data_folder) / "maps"
    return {name: json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in ("requests", "traffic")}


def short(chapter):
    return chapter.replace("_", " ", 1)


def passes(row):
    """What an SM's LSU data pipe passes for a warp and a k, of a row of counters.json: lines of global memory, and the
    wavefronts of shared memory's stores and loads."""
    counted, shape = row["counted"], row["shape"]
    parts = (
        counted["global_load_lines"] + counted["global_store_lines"],
        counted["shared_store_wavefronts"],
        counted["shared_load_wavefronts"],
    )
    return [part / (shape["M"] * shape["N"] * shape["K"] / 32) for part in parts]


WORK = 2 * 32  # the operations of a warp and a k: 32 lanes, each with a multiply and an add


def pipe_limit(machine):
    """flop/s of a kernel with one pass for a warp and a k, if no SM's pipe ever pauses; of a record's "machine"."""
    return machine["sms"] * machine["clock_hz"] * WORK


def three(value):
    """391, 26.4, 3.00, 0.192: three significant digits."""
    exponent = int(f"{value:.2e}".partition("e")[2])
    return f"{value:.{max(0, 2 - exponent)}f}"


def tera(rate):
    """12.3, 8.97, 0.50: a rate in TFLOP/s with three digits."""
    value = rate / 1e12
    return f"{value:.1f}" if value >= 9.995 else f"{value:.2f}" if value >= 0.01 else f"{value:.2g}"


def percent(share):
    return f"{100 * share:.0f} %" if share >= 0.0095 else f"{100 * share:.1f} %"


def span(values, form="{:.0f}"):
    """'3 to 5', or '3' where both ends read the same."""
    low, high = form.format(min(values)), form.format(max(values))
    return low if low == high else f"{low} to {high}"


def run(main):
    """The command line that every figure has: [OUT [DATA]]."""
    import sys

    words = sys.argv[1:]
    if len(words) > 2 or any(word.startswith("-") for word in words):
        sys.exit(f"usage: {pathlib.Path(sys.argv[0]).name} [OUT [DATA]]   (default: docs/figures and plots/data)")
    out, data = [*words, *(FIGURES, DATA)[len(words) :]]
    print(main(pathlib.Path(out), pathlib.Path(data)))
