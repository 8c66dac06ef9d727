"""Draws every figure: draw.py [OUT [DATA]]. `meson compile -C build plots` runs it."""

import importlib
import pathlib

import records

# One script a figure, in the order of the pages. Each has main(out_folder, data_folder), which returns the file.
FIGURES = [
    "ladder",
    "loop_orders",
    "time_vs_n",
    "roofline",
    "traffic",
    "access_map",
    "bank_map",
    "tile_sweep",
    "tile_steps",
    "edges",
    "cold_warm",
    "deepbench",
    "limiter",
    "pipe",
    "memory_levels",
]


def main(out_folder, data_folder):
    files = [importlib.import_module(name).main(out_folder, data_folder) for name in FIGURES]
    return "\n".join(str(pathlib.Path(file)) for file in files)


if __name__ == "__main__":
    records.run(main)
