"""Traces the chapters' kernels on the CPU and writes what the figures draw from it, into plots/data/maps.

Usage: trace_maps.py PROGRAMS [FOLDER]

PROGRAMS is the folder of the chapters' programs (build/chapters). No GPU is needed; `meson compile -C build maps`
does the same. Two files are written:

    requests.json   at M = N = K = 64, for one warp of the first block: the first request of each kind for each array,
                    as the byte offset of every lane from the start of the array
    traffic.json    at M = N = K = 4096: requests, sectors and wavefronts of each variant
"""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = ["02_naive", "03_tiled", "04_bounds", "05_padding"]
# Those that access_map.py and bank_map.py draw, by program and warp. In a block of 32 x 32 threads warp 5 has ty = 5,
# which tells the swizzle, ty ^ tx, from a column that is only padded.
DRAWN = [
    ("02_naive", 0, ["naive-32x8", "swapped-32x8"]),
    ("03_tiled", 0, ["tiled-16"]),
    ("05_padding", 0, ["padded-16"]),
    ("05_padding", 5, ["transposed-32", "transposed-padded-32", "swizzled-32"]),
]


def trace(program, *arguments):
    """Runs a program with --trace, which must write its last argument, and returns what it wrote."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "out.json"
        done = subprocess.run([program, "--trace", *arguments, file], check=False, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(
                f"{program} --trace {' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
            )
        return json.loads(file.read_text())


def requests(programs):
    drawn = {}
    for program, warp, variants in DRAWN:
        which = ["--variant", ",".join(variants), "--trace-warp", str(warp)]
        for traced in trace(programs / program, "--size", "64", *which, "--trace-map"):
            first = drawn.setdefault(traced["variant"], {})
            for request in traced["requests"]:
                offsets = [lane and lane["offset"] for lane in request["lanes"]]
                first.setdefault(f"{request['kind']} {request['array']}", offsets)
    return drawn


def traffic(programs):
    counts = {}
    for program in PROGRAMS:
        for traced in trace(programs / program, "--size", "4096", "--json")["trace"]:
            counts.setdefault(traced["variant"], traced["traced"])
    return counts


def write(file, table):
    """JSON with one line for each entry of the inner tables: small, and a diff shows what changed."""
    blocks = []
    for name, inner in table.items():
        rows = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in inner.items())
        blocks.append(f" {json.dumps(name)}: {{\n{rows}\n }}")
    file.write_text("{\n" + ",\n".join(blocks) + "\n}\n")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    programs = pathlib.Path(sys.argv[1])
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else HERE / "data" / "maps"
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "requests.json", requests(programs))
    write(folder / "traffic.json", traffic(programs))


if __name__ == "__main__":
    main()
