"""Checks docs/tracing.md against the program that it shows and that program's real output.

    simt_docs.py SOURCE_ROOT EXAMPLE_PROGRAM
"""

import pathlib
import re
import subprocess
import sys


def fenced(page: str, marker: str) -> str:
    """The code block after the line `<!-- marker -->`; a page without it is an error."""
    before, found, after = page.partition(f"<!-- {marker} -->\n")
    if not found:
        sys.exit(f"docs/tracing.md has no block marked {marker}")
    _, _, block = after.partition("\n")  # the line of the opening fence
    return block.partition("\n```")[0] + "\n"


def main() -> None:
    root, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    page = (root / "docs/tracing.md").read_text()
    run = subprocess.run([program], capture_output=True, text=True)
    wrong = []
    if run.returncode != 0:
        wrong.append(f"{program} ended with {run.returncode}")
    if fenced(page, "trace_saxpy.cpp") != (root / "docs/examples/trace_saxpy.cpp").read_text():
        wrong.append("the page's program is not docs/examples/trace_saxpy.cpp")
    if fenced(page, "trace_saxpy output") != run.stdout:
        wrong.append(f"the page's output is not the program's, which is\n{run.stdout}")
    source = (root / "common/simt/finding.cpp").read_text()
    faults = re.findall(r'case Fault::\w+:\s+return "(.*)";', source)
    wrong += [f"the page does not say what '{f}' means" for f in faults if f"| {f} |" not in page]
    if not faults:
        wrong.append("no faults in common/simt/finding.cpp: has to_string(Fault) changed?")
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
