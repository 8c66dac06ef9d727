"""Runs every broken kernel of every chapter on the GPU and writes down what the verifier says.

Usage: broken.py PROGRAMS [FOLDER]

PROGRAMS is the folder of the chapters' programs. Writes broken.json into FOLDER, by default plots/data/<gpu>. Each
kernel is run several times, since a race may come out right.
"""

import json
import pathlib
import re
import subprocess
import sys

from programs import KERNEL_CHAPTERS, broken_kernels, data_folder

RUNS = 10


def judge(command: list) -> tuple[int, str]:
    """The exit code, and in a line what was wrong ("" if nothing was)."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stderr}")
    said = re.search(r"WRONG: (.*)|^\w+: (.+)", done.stdout + done.stderr if "WRONG" in done.stdout else done.stderr, re.M)
    return done.returncode, (said[1] or said[2]) if done.returncode and said else ""


def main() -> None:
    programs = pathlib.Path(sys.argv[1])
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else data_folder()
    rows = []
    for chapter in KERNEL_CHAPTERS:
        for name, _ in broken_kernels(programs / chapter):
            print(f"{chapter} --break {name} ...", end=" ", flush=True)
            runs = [judge([programs / chapter, "--break", name, "--repeats", "1", "--device", "0"]) for _ in range(RUNS)]
            messages = [text for code, text in runs if code]
            print(f"wrong in {len(messages)} of {RUNS} runs", flush=True)
            rows.append({"chapter": chapter, "broken": name, "runs": RUNS, "wrong": len(messages),
                         "message": messages[0] if messages else ""})
    (folder / "broken.json").write_text(json.dumps({"broken": rows}, indent=1) + "\n")
    print(f"wrote {folder / 'broken.json'}: {len(rows)} kernels")


if __name__ == "__main__":
    main()
