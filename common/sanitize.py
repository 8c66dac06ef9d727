"""Runs compute-sanitizer's four tools over every kernel of every chapter, at sizes that are no multiples.

Usage: sanitize.py PROGRAMS [FOLDER]

PROGRAMS is the folder of the chapters' programs. Writes sanitizer.json into FOLDER, by default plots/data/<gpu>.
Ends with 1 if a tool reports anything.
"""

import json
import subprocess
import sys

from programs import KERNEL_CHAPTERS, command_line

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
# Kernels without bounds checks refuse the first shape, so that all of them run at least at the second.
SHAPES = ((37, 61, 97), (96, 64, 160))


def main() -> None:
    programs, folder, _ = command_line()
    runs = []
    for chapter in KERNEL_CHAPTERS:
        for tool in TOOLS:
            print(f"{tool} over {chapter} ...", flush=True)
            for M, N, K in SHAPES:
                if chapter == "03_tiled" and M % 8:
                    continue
                command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "99", str(programs / chapter),
                           "-m", str(M), "-n", str(N), "-k", str(K), "--repeats", "1", "--warmup", "0"]
                done = subprocess.run(command, capture_output=True, text=True)
                summary = [line for line in done.stdout.splitlines() if "SUMMARY" in line]
                runs.append({"chapter": chapter, "tool": tool, "shape": {"M": M, "N": N, "K": K},
                             "exit": done.returncode, "summary": " ".join(summary).replace("=", "").strip()})
    (folder / "sanitizer.json").write_text(json.dumps({"runs": runs}, indent=1) + "\n")
    bad = [run for run in runs if run["exit"] != 0]
    for run in bad:
        print(f"{run['tool']} over {run['chapter']}: exit {run['exit']}: {run['summary']}")
    print(f"wrote {folder / 'sanitizer.json'}: {len(runs)} runs, {len(bad)} with findings")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
