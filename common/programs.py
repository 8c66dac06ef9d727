"""What the scripts that need a GPU share: the chapters' programs, their variants, and where records go."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNEL_CHAPTERS = sorted(p.parent.name for p in ROOT.glob("chapters/*/main.cu"))


def data_folder() -> pathlib.Path:
    """plots/data/<gpu>, named after the first GPU: "NVIDIA H200" is h200. Ends the program without a GPU."""
    try:
        query = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
        name = subprocess.run(query, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        sys.exit("no GPU here: nvidia-smi finds none")
    words = [w for w in name.lower().split() if w not in ("nvidia", "geforce", "tesla")]
    folder = ROOT / "plots" / "data" / "-".join(words)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def command_line() -> tuple[pathlib.Path, pathlib.Path, list[str]]:
    """What such a script is given, PROGRAMS [FOLDER [WORD...]]: the folder of the chapters' programs, the folder for
    records (by default plots/data/<gpu>), and the words."""
    if len(sys.argv) < 2:
        sys.exit(f"usage: {pathlib.Path(sys.argv[0]).name} PROGRAMS [FOLDER]")
    programs, *more = sys.argv[1:]
    return pathlib.Path(programs), pathlib.Path(more[0]) if more else data_folder(), more[1:]


def variants(program: pathlib.Path) -> list[str]:
    """The variants of a chapter in the order in which it runs them."""
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout
    table = listed.split("\nvariant ", 1)[1].split("\n\n")[0]
    return [line.split()[0] for line in table.splitlines()[1:]]


def broken_kernels(program: pathlib.Path) -> list[list[str]]:
    """The names of a chapter's broken kernels, each with who notices it: verifier, tracer, both or gpu."""
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout
    return [line.split()[:2] for line in listed.split("\n--break ")[1].splitlines()[1:]]


def kernel_names(chapter: str) -> list[str]:
    """The names of a chapter's kernels, as its main.cu uses them."""
    return sorted(set(re.findall(r"(\w+)<Element\b", (ROOT / "chapters" / chapter / "main.cu").read_text())) - {"KernelChapter"})
