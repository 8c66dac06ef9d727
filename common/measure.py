"""Measures every chapter on the machine at hand and writes the records that the plots are drawn from.

Usage: measure.py PROGRAMS [FOLDER [WHAT...]]

PROGRAMS is the folder of the chapters' programs; FOLDER defaults to plots/data/<gpu>. WHAT limits the runs to
those whose name contains one of the words ("03_tiled", "cold", "deepbench"). A run is a chapter, over squares
or over the shapes of plots/data/deepbench.csv, with warm or cold caches; its record is CHAPTER_SHAPES_CACHE.json.
The run "memory" is common/probe's.
"""

import subprocess
import sys
import time

from programs import KERNEL_CHAPTERS, ROOT, command_line

SHAPES = ["--shapes", str(ROOT / "plots" / "data" / "deepbench.csv")]
# Real shapes are many: fewer batches each than the squares, which repeat until the median is stable.
FEWER = ["--repeats", "3", "--warmup", "1"]
# The CPU's plain loops would take hours over real shapes, where a GPU takes seconds.
CPU_RUNS = {
    "cubes_warm": ["--sizes", "512,1024,2048"],
    "cubes_cold": ["--sizes", "512,1024", "--cold"],
    "deepbench_warm": [*SHAPES, *FEWER, "--variant", "blocked"],
    "deepbench_cold": [*SHAPES, *FEWER, "--variant", "blocked", "--cold"],
}
GPU_RUNS = {
    "cubes_warm": ["--sizes", "512,1024,2048,4096,8192"],
    "cubes_cold": ["--sizes", "512,1024,2048,4096,8192", "--cold"],
    "deepbench_warm": [*SHAPES, *FEWER],
    "deepbench_cold": [*SHAPES, *FEWER, "--cold"],
}


def main() -> None:
    programs, folder, words = command_line()
    plan = []
    for chapter, runs in [("01_cpu", CPU_RUNS), *((c, GPU_RUNS) for c in KERNEL_CHAPTERS)]:
        plan += [(f"{chapter}_{run}", [programs / chapter, *arguments]) for run, arguments in runs.items()]
    plan.append(("memory", [programs.parent / "common" / "probe" / "probe"]))
    plan = [run for run in plan if not words or any(word in run[0] for word in words)]
    failed = 0
    for number, (name, command) in enumerate(plan, 1):
        print(f"[{number}/{len(plan)}] {name} ...", end=" ", flush=True)
        began = time.monotonic()
        done = subprocess.run([*command, "--json", folder / f"{name}.json"], capture_output=True, text=True)
        print(f"{time.monotonic() - began:.0f} s", flush=True)
        if done.returncode != 0:
            failed += 1
            print(done.stdout[-1500:] + done.stderr[-1500:])
    sys.exit(f"{failed} of {len(plan)} runs failed" if failed else 0)


if __name__ == "__main__":
    main()
