"""Runs every broken kernel of every chapter on the GPU and writes down what the verifier says.

Usage: broken.py PROGRAMS [FOLDER]

PROGRAMS is the folder of the chapters' programs. Writes broken.json into FOLDER, by default plots/data/<gpu>. Each
kernel is run several times, since a race may come out right; and if it never is wrong, then at a size that fills a
GPU, too.
"""

import json
import re
import subprocess
import sys

from programs import KERNEL_CHAPTERS, broken_kernels, command_line

RUNS = 5
SIZES = ([], ["--size", "1024"])  # the shape that shows the fault to the tracer, and one that fills a GPU


def judge(command: list) -> str:
    """What the program says is wrong, in a line; "" if nothing is."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        return ""
    if done.returncode != 1:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stderr}")
    wrong = re.search(r"WRONG: (.*(?:\n    .*)*)", done.stdout)
    return " ".join(wrong[1].split()) if wrong else done.stderr.split(": ", 1)[1].strip()


def main() -> None:
    programs, folder, _ = command_line()
    rows = []
    for chapter in KERNEL_CHAPTERS:
        for name, _ in broken_kernels(programs / chapter):
            for size in SIZES:
                command = [programs / chapter, "--break", name, *size, "--repeats", "1", "--device", "0"]
                print(f"{chapter} --break {name} {' '.join(size)} ...", end=" ", flush=True)
                messages = list(filter(None, (judge(command) for _ in range(RUNS))))
                print(f"wrong in {len(messages)} of {RUNS} runs", flush=True)
                rows.append({"chapter": chapter, "broken": name, "size": size[1] if size else "", "runs": RUNS,
                             "wrong": len(messages), "message": messages[0] if messages else ""})
                if messages:
                    break
    (folder / "broken.json").write_text(json.dumps({"broken": rows}, indent=1) + "\n")
    print(f"wrote {folder / 'broken.json'}: {len(rows)} rows")


if __name__ == "__main__":
    main()
