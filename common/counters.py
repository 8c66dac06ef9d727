"""Reads the hardware's counters for every variant of every chapter, with Nsight Compute.

Usage: counters.py PROGRAMS [FOLDER]

PROGRAMS is the folder of the chapters' programs. Writes counters.json into FOLDER, by default plots/data/<gpu>.
Each variant is profiled once, at M = N = K = 1024: the launch by which its result is verified. Beside the
counters stands how often the kernel's machine code has each kind of shared load, since the compiler may join
several loads of the source into one. Needs ncu, cuobjdump and c++filt on PATH, and the right to read counters
(https://developer.nvidia.com/ERR_NVGPUCTRPERM says how to get it).
"""

import collections
import csv
import io
import json
import pathlib
import re
import subprocess
import sys

from programs import KERNEL_CHAPTERS, command_line, kernel_names, variants

SIZE = 1024
L1 = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum"
# The names of common/arithmetic.hpp, in the words of Nsight Compute for Hopper.
COUNTED = {
    "global_load_requests": L1.format("requests", "ld"),
    "global_load_sectors": L1.format("sectors", "ld"),
    "global_load_lines": "l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": L1.format("requests", "st"),
    "global_store_sectors": L1.format("sectors", "st"),
    "global_store_lines": "l1tex__t_set_accesses_pipe_lsu_mem_global_op_st.sum",
    "shared_load_requests": "smsp__sass_inst_executed_op_shared_ld.sum",
    "shared_load_wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_requests": "smsp__sass_inst_executed_op_shared_st.sum",
    "shared_store_wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
}
MORE = {
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_write_bytes": "dram__bytes_write.sum",
    "l2_read_sectors": "lts__t_sectors_srcunit_tex_op_read.sum",
    "l1_hit_rate_percent": "l1tex__t_sector_hit_rate.pct",
    "l2_hit_rate_percent": "lts__t_sector_hit_rate.pct",
    "active_warps_percent": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "pipe_wavefronts": "l1tex__data_pipe_lsu_wavefronts.sum",
    "shared_pipe_percent": "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
    "issue_slots_percent": "sm__inst_issued.avg.pct_of_peak_sustained_elapsed",
    "fma_thread_instructions": "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    "registers_per_thread": "launch__registers_per_thread",
    "time_ns": "gpu__time_duration.sum",
}


def plain(kernel: str) -> str:
    """A kernel's name and template arguments, the same from ncu and from c++filt."""
    return kernel.replace("(int)", "").split("(")[0].removeprefix("void ").removeprefix("ladder::").strip()


def profile(program: pathlib.Path, chapter: str, names: list[str]) -> list[dict]:
    """One row of metrics for each variant, in order."""
    metrics = {**COUNTED, **MORE}
    command = ["ncu", "--clock-control", "none", "--csv", "--print-units", "base", "--print-kernel-base", "demangled",
               "--metrics", ",".join(metrics.values()), "-k", "regex:" + "|".join(kernel_names(chapter)),
               "--kernel-name-base", "function", "-c", str(len(names)),
               str(program), "--size", str(SIZE), "--repeats", "1", "--warmup", "0"]
    done = subprocess.run(command, capture_output=True, text=True)
    if "ERR_NVGPUCTRPERM" in done.stdout + done.stderr:
        sys.exit("no right to read the counters: https://developer.nvidia.com/ERR_NVGPUCTRPERM says how to get it")
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    launches = collections.OrderedDict()
    for cell in csv.DictReader(io.StringIO("\n".join(lines))):
        row = launches.setdefault(cell["ID"], {"kernel": plain(cell["Kernel Name"])})
        row[cell["Metric Name"]] = float(cell["Metric Value"].replace(",", ""))
    if len(launches) != len(names):
        sys.exit(f"{chapter}: ncu saw {len(launches)} of {len(names)} launches:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return list(launches.values())


def shared_loads(program: pathlib.Path) -> dict[str, dict[str, int]]:
    """For each kernel in a program: how many LDS instructions of each width its machine code holds."""
    sass = subprocess.run(["cuobjdump", "--dump-sass", program], capture_output=True, text=True, check=True).stdout
    sass = subprocess.run(["c++filt"], input=sass, capture_output=True, text=True, check=True).stdout
    kinds = {}
    for function in sass.split("Function : ")[1:]:
        name = plain(function.splitlines()[0])
        kinds[name] = dict(collections.Counter(re.findall(r"\b(LDS(?:\.U)?(?:\.64|\.128)?)\b", function)))
    return kinds


def main() -> None:
    programs, folder, _ = command_line()
    rows = []
    for chapter in KERNEL_CHAPTERS:
        print(f"counting {chapter} ...", flush=True)
        names = variants(programs / chapter)
        loads = shared_loads(programs / chapter)
        for name, row in zip(names, profile(programs / chapter, chapter, names)):
            rows.append({"chapter": chapter, "variant": name, "kernel": row["kernel"],
                         "shape": {"M": SIZE, "N": SIZE, "K": SIZE},
                         "counted": {key: int(row[metric]) for key, metric in COUNTED.items()},
                         "more": {key: row[metric] for key, metric in MORE.items() if metric in row},
                         "shared_loads_in_sass": loads.get(row["kernel"], {})})
    version = subprocess.run(["ncu", "--version"], capture_output=True, text=True).stdout.strip().splitlines()[-1]
    (folder / "counters.json").write_text(json.dumps({"ncu": version, "counters": rows}, indent=1) + "\n")
    print(f"wrote {folder / 'counters.json'}: {len(rows)} variants")


if __name__ == "__main__":
    main()
