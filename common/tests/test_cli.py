"""The command line of the chapters: every kind of bad input has its exit code and one clear sentence.

Usage: test_cli.py FOLDER [-DHAVE_TRACER], where FOLDER holds the chapters' programs. Needs no GPU: what is refused here is
refused before a device is looked for.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.dont_write_bytecode = True  # the source tree stays as it is

from programs import broken_kernels  # noqa: E402

PROGRAMS = pathlib.Path(sys.argv.pop(1))
GPU_PROGRAMS = [name for name in ("02_naive", "03_tiled", "04_bounds", "05_padding") if (PROGRAMS / name).exists()]


HAVE_TRACER = any("-DHAVE_TRACER" == a for a in sys.argv[1:])
sys.argv = [a for a in sys.argv if not a.startswith("-D")]


PROBE = PROGRAMS.parent / "common" / "probe" / "probe"


def run(program, *arguments):
    return subprocess.run(
        [PROGRAMS / program, *map(str, arguments)], capture_output=True, text=True, timeout=120
    )


class Refusals(unittest.TestCase):
    def refused(self, arguments, *parts, program="01_cpu", exit_code=2):
        """Checks the exit code, that standard error is one line, and that it says each of `parts`."""
        done = run(program, *arguments)
        self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertNotIn("terminate", done.stderr)

    def test_sizes_that_are_no_sizes(self):
        for size in ("-1", "x", "1.5", "1e3", "2147483648", "99999999999999999999999"):
            self.refused([f"--size={size}"], "--size must be a whole number from 0 to 2147482623", size)
        self.refused(["--sizes", "64,-1"], "--size must be a whole number", "'-1'")
        self.refused(["-m", "-5", "-n", "1", "-k", "1"], "-m")

    def test_dimensions_come_together(self):
        self.refused(["-m", "5"], "-m, -n and -k must be given together")
        self.refused(["-m", "5", "-k", "7"], "-m, -n and -k must be given together")

    def test_unknown_options_and_values(self):
        self.refused(["--sise", "64"], "--sise")
        self.refused(["64"], "64")
        self.refused(["--fill", "ones"], "--fill takes random, unit, integers or zeros", "ones")
        self.refused(["--variant", "nothing"], "--variant", "nothing", "--list")
        self.refused(["--repeats", "-1"], "--repeats must be a whole number")
        self.refused(["--repeats=many"], "--repeats must be a whole number", "many")
        self.refused(["--warmup=-2"], "--warmup must be a whole number")
        self.refused(["--seed=x"], "--seed must be a whole number")
        self.refused(["--device=-1"], "--device must be a whole number")
        self.refused(["--size"], "--size")
        self.refused(["--size="], "--size")

    def test_empty_values(self):
        for option in ("--device", "--break", "--shapes", "--json", "--size", "--seed", "-m"):
            self.refused([option, ""], option, "needs a value")

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAMS / "01_cpu", "--size", "16", "--repeats", "1"], stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("standard output cannot be written", done.stderr)

    def test_memory_beyond_what_is_free(self):
        self.refused(["--size", "2000000"], "--size", "TiB", "free")

    def test_shapes_files(self):
        self.refused(["--shapes", "no/such.csv"], "cannot read 'no/such.csv'")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "shapes.csv")
            file.write_text("M,N,K\n1,2,3\n4,five,6\n")
            self.refused(["--shapes", file], "line 3: N must be a whole number", "five")
            file.write_bytes(bytes(range(256)))
            self.refused(["--shapes", file], "--shapes")
            self.refused(["--shapes", folder], "--shapes")

    def test_integers_stay_exact(self):
        self.refused(
            ["--fill", "integers", "-m", "1", "-n", "1", "-k", "5000000"], "--fill integers", "K = 5000000"
        )

    def test_json_that_cannot_be_written(self):
        self.refused(["--json", "no/such/folder/x.json"], "--json", "no/such/folder/x.json")

    @unittest.skipUnless("03_tiled" in GPU_PROGRAMS, "built without CUDA")
    def test_tiles_that_do_not_fit(self):
        refused = lambda *a: self.refused(*a, program="03_tiled")
        refused(["--size", "1001"], "= 1001 is no multiple of", "04_bounds")
        refused(["-m", "64", "-n", "64", "-k", "65"], "K = 65 is no multiple of 32", "04_bounds")
        refused(["-m", "64", "-n", "33", "-k", "64"], "N = 33 is no multiple of")
        refused(["--variant", "tiled-16", "--size", "24"], "tiled-16", "M = 24 is no multiple of 16")

    @unittest.skipUnless("02_naive" in GPU_PROGRAMS, "built without CUDA")
    def test_grids_beyond_the_limit(self):
        self.refused(
            ["--variant", "naive-16x16", "-m", "1048561", "-n", "1", "-k", "1"],
            "naive-16x16", "-m: grid y is 65536; CUDA's limit is 65535", program="02_naive",
        )


def no_device():
    return run("03_tiled", "--device", "0", "--size", "32", "--repeats", "1").returncode == 3


@unittest.skipUnless(PROBE.exists(), "built without CUDA")
class Probe(unittest.TestCase):
    def test_bad_input(self):
        for arguments, part in (
            (["--device", "x"], "--device must be a whole number"),
            (["--device=-1"], "--device must be a whole number"),
            (["--device", ""], "--device needs a value"),
            (["--json", "no/such/folder/x.json"], "--json: cannot write"),
            (["--size", "64"], "--size"),
        ):
            done = run(PROBE, *arguments)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(part, done.stderr)

    def test_help_and_no_device(self):
        self.assertIn("--json FILE", run(PROBE, "--help").stdout)
        if no_device():
            done = run(PROBE)
            self.assertEqual(done.returncode, 77, done.stdout)
            self.assertIn("no CUDA device here", done.stderr)


class Runs(unittest.TestCase):
    def test_help_is_readable(self):
        for program in ["01_cpu", *GPU_PROGRAMS]:
            done = run(program, "--help")
            self.assertEqual(done.returncode, 0)
            for option in ("--size", "-m", "--shapes", "--variant", "--list", "--repeats", "--warmup", "--cold",
                           "--fill", "--seed", "--json", "--device"):
                self.assertIn(option, done.stdout)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), 110)

    def test_list_names_what_variant_takes(self):
        listed = run("01_cpu", "--list").stdout
        for name in ("ijk", "ikj", "blocked"):
            self.assertIn(f"\n{name} ", listed)
            done = run("01_cpu", "--variant", name, "--size", "33", "--repeats", "2")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"\n{name} ", done.stdout)

    def test_every_kind_of_input_and_size(self):
        for fill in ("random", "unit", "integers", "zeros"):
            done = run("01_cpu", "--sizes", "0,1,7,64", "-m", 5, "-n", 7, "-k", 11, "--fill", fill, "--repeats", 2)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertNotIn("WRONG", done.stdout)
        done = run("01_cpu", "-m", 3, "-n", 4, "-k", 0, "--cold", "--repeats", 1)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_table_fits_a_terminal(self):
        done = run("01_cpu", "--size", "128", "--repeats", "2")
        for line in done.stdout.splitlines()[2:]:
            self.assertLessEqual(len(line), 80, line)

    def test_a_record_holds_everything_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "record.json")
            done = run("01_cpu", "--sizes", "64,65", "--repeats", "3", "--json", file, "--seed", "9")
            self.assertEqual(done.returncode, 0, done.stderr)
            record = json.loads(file.read_text())
        self.assertEqual(record["chapter"], "01_cpu")
        self.assertEqual(record["seed"], 9)
        for key in ("commit", "compiler", "cache", "fill"):
            self.assertTrue(record[key])
        for key in ("name", "kind", "threads", "ceiling_flops_per_s", "ceiling_bytes_per_s"):
            self.assertTrue(record["machine"][key])
        names = [r["variant"] for r in record["results"] if r["shape"] == {"M": 65, "N": 65, "K": 65}]
        self.assertEqual(names[:3], ["ijk", "ikj", "blocked"])
        for result in record["results"]:
            self.assertTrue(result["verdict"]["right"])
            self.assertLessEqual(result["verdict"]["worst_error_over_bound"], 1)
            time = result["time"]
            self.assertEqual(time["batches"], 3)
            self.assertTrue(0 < time["min_s"] <= time["median_s"] <= time["p95_s"])
            self.assertGreater(time["first_s"], 0)
            flops = 2 * result["shape"]["M"] ** 3
            self.assertAlmostEqual(result["flops_per_s"] * time["median_s"] / flops, 1)

    def test_inputs_and_verdicts_repeat(self):
        def errors():
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder, "r.json")
                run("01_cpu", "--size", "100", "--variant", "ijk", "--repeats", "1", "--json", file)
                return [r["verdict"]["error"] for r in json.loads(file.read_text())["results"]][:1]

        self.assertEqual(errors(), errors())


@unittest.skipUnless(HAVE_TRACER, "built without the tracer")
class Traces(unittest.TestCase):
    def test_every_chapter_is_traced_as_predicted(self):
        for program in GPU_PROGRAMS:
            done = run(program, "--trace")
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn("no findings", done.stdout)
            self.assertNotIn("DIFFERS", done.stdout)
            self.assertLessEqual(max(map(len, done.stdout.splitlines()[1:])), 80)

    def test_without_a_device_a_chapter_is_traced_instead(self):
        done = run("03_tiled")
        if "CUDA device" not in done.stdout:
            self.skipTest("there is a device")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no CUDA device here", done.stdout)
        self.assertIn("The kernels run on the CPU instead, traced.", done.stdout)
        done = run("03_tiled", "--device", "0")
        self.assertEqual(done.returncode, 3)
        self.assertIn("no CUDA device here", done.stderr)

    def test_every_broken_kernel_ends_with_1_when_traced(self):
        for program in GPU_PROGRAMS:
            listed = broken_kernels(PROGRAMS / program)
            self.assertTrue(listed)
            for name, seen_by in listed:
                done = run(program, "--break", name, "--trace")
                if seen_by == "gpu":
                    self.assertEqual(done.returncode, 0, f"{program} {name}: {done.stdout}")
                    self.assertIn("it is wrong on a GPU only", done.stdout)
                    continue
                self.assertEqual(done.returncode, 1, f"{program} {name}: {done.stdout}")
                noticed = "FOUND" in done.stdout or "DIFFERS" in done.stdout
                self.assertEqual(noticed, seen_by != "verifier", name)
                if "one block was run" not in done.stdout:  # else the result as a whole is not known
                    self.assertEqual("the result is WRONG" in done.stdout, seen_by != "tracer", name)

    def test_every_broken_kernel_on_a_gpu(self):
        if no_device():
            self.skipTest("there is no device")
        for program in GPU_PROGRAMS:
            for name, seen_by in broken_kernels(PROGRAMS / program):
                done = run(program, "--break", name, "--device", "0")
                # Some that the tracer alone sees are only slow, and a race may come out right.
                may_pass = seen_by == "tracer" or name.endswith("-barrier")
                self.assertIn(done.returncode, [0, 1] if may_pass else [1], f"{program} {name}: {done.stdout}{done.stderr}")

    def test_large_sizes_are_traced_by_one_block_and_odd_ones_refused(self):
        done = run("03_tiled", "--trace", "--size", 1024)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("one block was run; all 4096 are alike", done.stdout)
        done = run("04_bounds", "--trace", "--size", 3001)
        self.assertEqual(done.returncode, 2)
        self.assertIn("would take minutes", done.stderr)

    def test_a_map_holds_the_addresses_of_one_warp(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "map.json")
            done = run("03_tiled", "--trace", "--variant", "tiled-16", "--size", 32, "--trace-map", file)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            (tiled,) = json.loads(file.read_text())
            run("03_tiled", "--trace", "--variant", "tiled-16", "--size", 32, "--trace-map", file, "--trace-warp", 3)
            (fourth,) = json.loads(file.read_text())
        self.assertEqual(fourth["requests"][0]["lanes"][16]["row"], 7)  # a warp is two rows
        first, second = tiled["requests"][:2]
        self.assertEqual((first["kind"], first["array"]), ("global load", "A"))
        self.assertEqual((second["kind"], second["array"]), ("shared store", "tile_A"))
        for lane, at in enumerate(first["lanes"]):  # lane 16 begins row 1
            self.assertEqual((at["row"], at["col"]), (lane // 16, lane % 16))

    def test_a_trace_record_holds_both_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "trace.json")
            done = run("02_naive", "--trace", "--size", 40, "--json", file)
            self.assertEqual(done.returncode, 0, done.stderr)
            record = json.loads(file.read_text())
        self.assertEqual(record["trace"][0]["variant"], "naive-16x16")
        for traced in record["trace"]:
            self.assertEqual(traced["predicted"], traced["traced"])
            self.assertEqual(traced["predicted"]["flops"], 2 * 40**3)
            self.assertEqual(traced["findings"], [])

    def test_options_that_do_not_go_together(self):
        for arguments, part in (
            (["--trace-map", "x.json"], "--trace-map needs --trace"),
            (["--trace", "--trace-warp", "5"], "--trace-warp needs --trace-map"),
            (["--trace", "--trace-map", "/dev/null", "--trace-warp", "32"], "--trace-warp must be a whole number"),
            (["--trace", "--trace-map", "/dev/null", "--variant", "tiled-8", "--trace-warp", "2"],
             "--trace-warp: a block of tiled-8 has 2 warps"),
            (["--break", "no-first-barrier", "--variant", "tiled-8"], "exclude each other"),
            (["--break", "nothing"], "--break: 03_tiled has no 'nothing'"),
            (["--trace", "--size", "33"], "is no multiple of"),
            (["--trace", "--trace-map", "no/such/folder/x.json"], "--trace-map"),
        ):
            done = run("03_tiled", *arguments)
            self.assertEqual(done.returncode, 2, f"{arguments}: {done.stdout}{done.stderr}")
            self.assertIn(part, done.stderr)
        self.assertEqual(run("01_cpu", "--trace").returncode, 2)


if __name__ == "__main__":
    unittest.main(verbosity=0)
