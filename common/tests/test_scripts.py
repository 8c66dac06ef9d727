#!/usr/bin/env python3
"""Tests of what surrounds the programs: count.py, ladder.py, bootstrap.sh, tour.sh and check.sh."""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMMON = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(COMMON), str(COMMON / "tests")]
sys.dont_write_bytecode = True  # the source tree stays as it is

import count  # noqa: E402
import ladder  # noqa: E402


def ran(stdout="", stderr="", result="OK", code=0, command=("/nowhere/program",)):
    """A line of testlog.json, as Meson writes it."""
    test = {"name": "suite:name", "result": result, "returncode": code, "stdout": stdout, "command": list(command)}
    if stderr:
        test["stderr"] = stderr
    return test


def failed(stdout="", stderr="", code=1, **more):
    return ran(stdout, stderr, "FAIL", code, **more)


def counted(test):
    return str(count.count(test)[0])


def doctest(passed, failures, skipped):
    # Built from pieces, so that this file's own output, should a test here fail, never reads as a summary.
    return (
        '[doctest] doctest version is "2.4.9"\n'
        + "=" * 79
        + f"\n[doctest] test cases: {passed + failures:2} | {passed:2} passed | {failures} failed | {skipped} skipped\n"
        "[doctest] assertions: 99 | 90 passed | 9 failed |\n[doctest] Status: DONE\n"
    )


def unit(number, verdict):
    return "." * number + "\n" + "-" * 70 + f"\nRan {number} test{'' if number == 1 else 's'} in 0.012s\n\n{verdict}\n"


class CountOneProgram(unittest.TestCase):
    def test_doctest_counts_cases_not_assertions(self):
        self.assertEqual(counted(ran(doctest(12, 0, 3))), "12 passed, 0 failed, 3 skipped")
        self.assertEqual(counted(failed(doctest(11, 1, 3))), "11 passed, 1 failed, 3 skipped")

    def test_doctest_in_colour(self):
        text = (
            doctest(2, 0, 0)
            .replace("[doctest] ", "\x1b[0;36m[doctest] \x1b[0m")
            .replace("2 passed", "\x1b[0;32m2 passed\x1b[0m")
        )
        self.assertEqual(counted(ran(text)), "2 passed, 0 failed, 0 skipped")

    def test_doctest_without_the_skipped_column(self):
        self.assertEqual(counted(ran(doctest(2, 0, 0).replace(" | 0 skipped", ""))), "2 passed, 0 failed, 0 skipped")

    def test_several_summaries_in_one_output_add_up(self):
        self.assertEqual(counted(failed(doctest(2, 0, 1) + doctest(3, 4, 0))), "5 passed, 4 failed, 1 skipped")

    def test_cases_that_a_filter_leaves_out_are_not_skipped(self):
        for option in (
            "--test-case=one*",
            "-tc=one",
            "-ts=gpu",
            "--test-suite-exclude=gpu",
            "-tse=gpu",
            "--dt-tc=a",
            "-sf=x",
        ):
            test = ran(doctest(2, 0, 40), command=("/nowhere/program", option))
            self.assertEqual(counted(test), "2 passed, 0 failed, 0 skipped", option)
        test = ran(doctest(2, 0, 40), command=("/nowhere/program", "--size=512", "-s=true"))
        self.assertEqual(counted(test), "2 passed, 0 failed, 40 skipped")

    def test_a_filter_that_finds_nothing_fails(self):
        test = ran(doctest(0, 0, 40), command=("/nowhere/program", "-ts=mispelt"))
        self.assertEqual(counted(test), "0 passed, 1 failed, 0 skipped")

    def test_unittest(self):
        self.assertEqual(counted(ran(stderr=unit(12, "OK"))), "12 passed, 0 failed, 0 skipped")
        self.assertEqual(counted(ran(stderr=unit(1, "OK"))), "1 passed, 0 failed, 0 skipped")
        self.assertEqual(counted(ran(stderr=unit(12, "OK (skipped=1)"))), "11 passed, 0 failed, 1 skipped")
        text = unit(12, "FAILED (failures=1, errors=1, skipped=2)")
        self.assertEqual(counted(failed(stderr=text)), "8 passed, 2 failed, 2 skipped")
        text = unit(5, "FAILED (expected failures=1, unexpected successes=2)")
        self.assertEqual(counted(failed(stderr=text)), "3 passed, 2 failed, 0 skipped")
        self.assertEqual(counted(ran(stderr=unit(3, "OK (expected failures=1)"))), "3 passed, 0 failed, 0 skipped")

    def test_unittest_errors_before_any_test(self):
        self.assertEqual(counted(failed(stderr=unit(0, "FAILED (errors=1)"))), "0 passed, 1 failed, 0 skipped")

    def test_unittest_that_ran_nothing_fails(self):
        self.assertEqual(counted(ran(stderr=unit(0, "OK"))), "0 passed, 1 failed, 0 skipped")
        self.assertEqual(counted(failed(stderr=unit(0, "NO TESTS RAN"), code=5)), "0 passed, 1 failed, 0 skipped")
        text = unit(0, "NO TESTS RAN (skipped=2)")
        self.assertEqual(counted(failed(stderr=text, code=5)), "0 passed, 1 failed, 2 skipped")

    def test_both_streams_are_read(self):
        self.assertEqual(counted(ran(doctest(2, 0, 0), unit(3, "OK"))), "5 passed, 0 failed, 0 skipped")

    def test_no_device(self):
        self.assertEqual(counted(ran("no device\n", result="SKIP", code=77)), "0 passed, 0 failed, 1 skipped")
        self.assertEqual(counted(ran("skipped: 9 cases\n", result="SKIP", code=77)), "0 passed, 0 failed, 9 skipped")
        self.assertEqual(counted(ran("skipped: 1 case\n", result="SKIP", code=77)), "0 passed, 0 failed, 1 skipped")
        self.assertEqual(counted(ran(doctest(0, 0, 12), result="SKIP", code=77)), "0 passed, 0 failed, 12 skipped")
        # Cases that ran before the end with 77 keep what they showed.
        self.assertEqual(counted(ran(doctest(4, 1, 0), result="SKIP", code=77)), "4 passed, 1 failed, 0 skipped")

    def test_a_crash_fails(self):
        self.assertEqual(counted(failed("starting\n", code=-11)), "0 passed, 1 failed, 0 skipped")
        self.assertEqual(counted(ran(result="TIMEOUT", code=-9)), "0 passed, 1 failed, 0 skipped")
        self.assertEqual(counted(ran(result="INTERRUPT", code=-2)), "0 passed, 1 failed, 0 skipped")
        # All cases right, and then a sanitizer or a destructor ends it.
        self.assertEqual(counted(failed(doctest(7, 0, 0))), "7 passed, 1 failed, 0 skipped")

    def test_a_summary_with_failures_counts_even_if_the_exit_code_hides_them(self):
        self.assertEqual(counted(ran(doctest(7, 2, 0))), "7 passed, 2 failed, 0 skipped")

    def test_a_plain_program_counts_once(self):
        self.assertEqual(counted(ran("fine\n")), "1 passed, 0 failed, 0 skipped")
        self.assertEqual(counted(ran("wrong\n", result="EXPECTEDFAIL", code=1)), "1 passed, 0 failed, 0 skipped")
        self.assertEqual(counted(ran("fine\n", result="UNEXPECTEDPASS")), "0 passed, 1 failed, 0 skipped")

    def test_a_framework_that_ended_before_its_summary_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            program, script = Path(folder, "program"), Path(folder, "test_x.py")
            program.write_bytes(b'\x7fELF...doctest version is "2.4.9"')
            script.write_text("import os, unittest\nos._exit(0)\nunittest.main()\n")
            for command in ([str(program)], ["/usr/bin/python3", str(script)]):
                self.assertEqual(counted(ran("begin\n", command=command)), "0 passed, 1 failed, 0 skipped", command)
            script.write_text("print('a plain script')\n")
            self.assertEqual(counted(ran(command=["/usr/bin/python3", str(script)])), "1 passed, 0 failed, 0 skipped")


class CountALog(unittest.TestCase):
    def run_on(self, tests, *options):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "testlog.json")
            if tests is not None:
                log.write_text("".join(t if isinstance(t, str) else json.dumps(t) + "\n" for t in tests))
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                code = count.main([*options, str(log)])
            return code, out.getvalue().splitlines()

    def test_the_last_line_is_the_sum(self):
        code, lines = self.run_on([ran(doctest(2, 0, 1)), ran(stderr=unit(3, "OK")), ran(result="SKIP", code=77)])
        self.assertEqual((code, lines), (0, ["5 passed, 0 failed, 2 skipped"]))

    def test_a_failure_is_named_and_fails(self):
        code, lines = self.run_on([ran(doctest(2, 0, 0)), failed("", code=-11)])
        self.assertEqual((code, lines[-1]), (1, "2 passed, 1 failed, 0 skipped"))
        self.assertIn("suite:name", lines[0])
        self.assertIn("-11", lines[0])

    def test_nothing_ran_fails(self):
        self.assertEqual(self.run_on(None)[0], 1)
        self.assertEqual(self.run_on(None)[1][-1], "0 passed, 0 failed, 0 skipped")
        self.assertIn("tests nothing", self.run_on(None)[1][-2])
        self.assertEqual(self.run_on([])[0], 1)
        self.assertEqual(self.run_on([ran(result="SKIP", code=77)])[0], 1)

    def test_a_failing_runner_fails(self):
        code, lines = self.run_on([ran(doctest(2, 0, 0))], "--runner-exit", "2")
        self.assertEqual((code, lines[-1]), (1, "2 passed, 0 failed, 0 skipped"))

    def test_a_broken_log_fails(self):
        code, lines = self.run_on([ran(doctest(2, 0, 0)), '{"name": "cut of'])
        self.assertEqual((code, lines[-1]), (1, "0 passed, 1 failed, 0 skipped"))


def result(size, variant, rate, role="own", right=True, **more):
    shape = dict(zip("MNK", size if isinstance(size, tuple) else (size, size, size)))
    return {
        "shape": shape,
        "variant": variant,
        "role": role,
        "verdict": {"right": right},
        "time": {"median_s": 1.0},
        "flops_per_s": rate,
        **more,
    }


def record(name, results, kind="gpu", machine="NVIDIA H200"):
    return {"chapter": name, "machine": {"name": machine, "kind": kind}, "results": results}


CPU = record(
    "01_cpu",
    [
        result(512, "ikj", 4e9),
        result(512, "blocked", 5e10),
        result(1024, "blocked", 1e11),
        result(1024, "OpenBLAS", 1.25e11, "library"),
    ],
    "cpu",
    "A CPU",
)
NAIVE = record(
    "02_naive",
    [
        result(1024, "swapped", 5e11),
        result(1024, "naive-32", 6e12),
        result(4096, "naive-32", 7e12),
        result(1024, "blocked", 2e11, "previous"),
        result(1024, "cuBLAS", 3e13, "library"),
    ],
)
TILED = record(
    "03_tiled",
    [
        result(1024, "tiled-16", 8e12),
        result(1024, "tiled-32", 9e12, library_ratio=0.25),
        result(4096, "tiled-32", 8e12),
        result(1024, "broken", 9e13, right=False),
        result(1024, "cuBLAS", 3e13, "library"),
        result(8192, "cuBLAS", 5e13, "library"),
    ],
)


class Ladder(unittest.TestCase):
    def run_on(self, records, states=None):
        with tempfile.TemporaryDirectory() as folder:
            for name, content in records.items():
                Path(folder, f"{name}.json").write_text(content if isinstance(content, str) else json.dumps(content))
            out, err = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = ladder.main([folder, *(states or [f"{name}=ran" for name in records])])
            return code, out.getvalue(), err.getvalue()

    def row(self, text, name):
        return next(line for line in text.splitlines() if line.startswith(name)).split()

    def test_chapters_that_were_traced_for_lack_of_a_gpu_are_named(self):
        trace = {"chapter": "02_naive", "commit": "x", "trace": [{"variant": "naive-16x16"}]}
        code, out, err = self.run_on({"01_cpu": CPU, "02_naive": trace})
        self.assertEqual((code, err), (0, ""))
        self.assertIn("blocked", out)
        self.assertIn("Traced on the CPU, for there is no CUDA device: 02_naive.", out)

    def test_best_own_variants_at_the_largest_common_size(self):
        code, text, _ = self.run_on({"01_cpu": CPU, "02_naive": NAIVE, "03_tiled": TILED})
        self.assertEqual(code, 0)
        self.assertIn("1024 x 1024 x 1024", text)
        self.assertIn("A CPU", text)
        self.assertIn("NVIDIA H200", text)
        self.assertEqual(self.row(text, "01_cpu"), ["01_cpu", "blocked", "100.0", "GFLOP/s", "-", "80.0", "%"])
        # 6e12 over the 2e11 that its own run measured for the chapter before, not over the 1e11 of that chapter's run
        self.assertEqual(
            self.row(text, "02_naive"), ["02_naive", "naive-32", "6.00", "TFLOP/s", "x", "30.00", "20.0", "%"]
        )
        # no "previous" in its own run: 9e12 over the chapter before; the library's share as recorded
        self.assertEqual(
            self.row(text, "03_tiled"), ["03_tiled", "tiled-32", "9.00", "TFLOP/s", "x", "1.50", "25.0", "%"]
        )

    def test_a_wrong_result_is_never_shown(self):
        _, text, _ = self.run_on({"03_tiled": TILED})
        self.assertNotIn("broken", text)

    def test_what_was_not_timed_is_never_shown(self):
        untimed = record("02_naive", [result(64, "a", None), result(128, "a", 1e12, time=None), result(32, "b", 1e12)])
        code, text, _ = self.run_on({"02_naive": untimed})
        self.assertEqual(code, 0)
        self.assertIn("32 x 32 x 32", text)

    def test_no_size_in_common(self):
        small = record("01_cpu", [result(256, "blocked", 1e11)], "cpu", "A CPU")
        code, text, _ = self.run_on({"01_cpu": small, "02_naive": NAIVE, "03_tiled": TILED})
        self.assertEqual(code, 0)
        self.assertIn("at 256 x 256 x 256", text)
        self.assertEqual(text.count("at 4096 x 4096 x 4096"), 2)
        # sizes differ, so no ratio between them
        self.assertEqual(self.row(text, "02_naive")[4], "-")

    def test_rectangles_compare_by_their_work(self):
        sizes = [(64, 64, 64), (8192, 8, 8), (256, 128, 64)]
        chapters = {n: record(n, [result(s, "a", 1e12) for s in sizes]) for n in ("02_naive", "03_tiled")}
        self.assertIn("256 x 128 x 64", self.run_on(chapters)[1])

    def test_no_line_is_wider_than_80(self):
        long = record(
            "99_a_very_long_chapter_name",
            [result((123456, 123456, 123456), "a-variant-with-a-long-name", 123.4e12)],
            machine="NVIDIA " + "X" * 90,
        )
        states = [f"{n:02}_name_of_a_chapter=no-device" for n in range(12)]
        _, text, _ = self.run_on({"99_a_very_long_chapter_name": long}, ["99_a_very_long_chapter_name=ran", *states])
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_without_a_device(self):
        states = ["01_cpu=ran", "02_naive=no-device", "03_tiled=no-device", "04_bounds=not-built"]
        code, text, _ = self.run_on({"01_cpu": CPU}, states)
        self.assertEqual(code, 0)
        self.assertIn("01_cpu", text)
        self.assertIn("no CUDA device: 02_naive, 03_tiled.", text)
        self.assertIn("Not built: 04_bounds.", text)

    def test_no_result_at_all(self):
        code, text, _ = self.run_on({"02_naive": record("02_naive", [])}, ["01_cpu=ran", "02_naive=ran"])
        self.assertEqual(code, 0)
        self.assertIn("empty", text)
        self.assertIn("Ran without a result: 01_cpu, 02_naive.", text)

    def test_a_broken_record_is_named(self):
        for content in ('{"machine"', '{"results": []}', "[]"):
            code, _, err = self.run_on({"01_cpu": content})
            self.assertEqual(code, 1, content)
            self.assertIn("01_cpu.json", err)


class Scripts(unittest.TestCase):
    """tour.sh and check.sh in a little tree of their own, with stand-ins for the set-up, for Ninja and for Meson."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name)
        for name in ("tour.sh", "check.sh", "ladder.py", "tests/count.py"):
            self.write(f"common/{name}", (COMMON / name).read_text())
        self.write(
            "common/bootstrap.sh",
            f'set -euo pipefail\ncd "{self.top}"\nBUILD=$PWD/build shown=build venv=build/venv nvcc=${{NVCC:-}}\n'
            'step() { shift 2; "$@"; }\nstop() { echo "${@:2}" >&2; exit "$1"; }\n',
        )
        (self.top / "build/meson-logs").mkdir(parents=True)

    def write(self, name, text):
        file = self.top / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)

    def chapter(self, name, script=None):
        (self.top / "chapters" / name).mkdir(parents=True)
        if script is not None:
            self.write(f"build/chapters/{name}", "#!/bin/sh\n" + script)

    def run_script(self, name, *arguments, **environment):
        built = sorted(file.name for file in (self.top / "build/chapters").glob("*"))
        targets = "".join(f"chapters/{file}: cpp_LINKER\\n" for file in built)
        self.write(
            "bin/ninja",
            f'#!/bin/sh\n[ -z "$BROKEN" ] || exit 1\ncase "$*" in *targets*) printf "all: phony\\n{targets}" ;; esac\n',
        )
        path = f"{self.top}/bin:{os.environ['PATH']}"
        return subprocess.run(
            ["bash", str(self.top / "common" / name), *arguments],
            env={**os.environ, "NVCC": "", "BROKEN": "", "PATH": path, **environment},
            stdin=subprocess.DEVNULL,
            text=True,
            capture_output=True,
        )

    def test_tour_goes_in_order_and_passes_arguments_on(self):
        for name in ("10_last", "02_naive", "01_cpu"):
            self.chapter(name, f'echo "{name} got: $*"\n')
        tour = self.run_script("tour.sh", "--size", "64")
        self.assertEqual(tour.returncode, 0, tour.stderr)
        lines = [line for line in tour.stdout.splitlines() if "got:" in line]
        records = self.top / "build/tour"
        self.assertEqual(
            lines, [f"{n} got: --json {records}/{n}.json --size 64" for n in ("01_cpu", "02_naive", "10_last")]
        )

    def test_tour_goes_on_without_a_device_or_a_compiler(self):
        self.chapter("01_cpu", "echo here\n")
        self.chapter("02_naive", "echo no device; exit 77\n")
        self.chapter("03_tiled")
        tour = self.run_script("tour.sh")
        self.assertEqual(tour.returncode, 0, tour.stderr)
        self.assertIn("Not built, because there is no nvcc.", tour.stdout)
        self.assertIn("no CUDA device: 02_naive.", tour.stdout)
        self.assertIn("Not built: 03_tiled.", tour.stdout)
        self.assertIn("though there is an nvcc", self.run_script("tour.sh", NVCC="/usr/bin/nvcc").stdout)

    def test_tour_stops_with_the_code_of_a_failing_chapter(self):
        self.chapter("01_cpu", "exit 1\n")
        self.chapter("02_naive", "echo not reached\n")
        for code in (1, 2, 3, 139):
            self.write("build/chapters/01_cpu", f"#!/bin/sh\nexit {code}\n")
            tour = self.run_script("tour.sh")
            self.assertEqual(tour.returncode, code)
            self.assertNotIn("not reached", tour.stdout)

    def test_tour_stops_when_the_build_fails(self):
        self.chapter("01_cpu", "echo not reached\n")
        tour = self.run_script("tour.sh", BROKEN="yes")
        self.assertEqual(tour.returncode, 1)
        self.assertNotIn("not reached", tour.stdout)

    def test_tour_forgets_the_records_of_an_older_tour(self):
        self.chapter("01_cpu", "echo no record this time\n")
        self.write("build/tour/01_cpu.json", json.dumps(CPU))
        tour = self.run_script("tour.sh")
        self.assertEqual(tour.returncode, 0, tour.stderr)
        self.assertNotIn("GFLOP/s", tour.stdout)

    def test_check_ends_with_the_count(self):
        log = json.dumps(ran(doctest(3, 0, 1)))
        self.write(
            "bin/meson", f"#!/bin/sh\necho \"meson $*\"\ncat >build/meson-logs/testlog.json <<'END'\n{log}\nEND\n"
        )
        check = self.run_script("check.sh", "--suite", "verify")
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr)
        self.assertEqual(check.stdout.splitlines()[-1], "3 passed, 0 failed, 1 skipped")
        self.assertIn("--suite verify", check.stdout)

    def test_check_never_counts_an_older_log(self):
        self.write("build/meson-logs/testlog.json", json.dumps(ran(doctest(3, 0, 1))))
        self.write("bin/meson", "#!/bin/sh\necho 'No tests defined.'\n")
        check = self.run_script("check.sh")
        self.assertEqual(check.returncode, 1)
        self.assertEqual(check.stdout.splitlines()[-1], "0 passed, 0 failed, 0 skipped")

    def test_check_fails_with_its_tests(self):
        log = json.dumps(failed(doctest(3, 1, 0)))
        self.write("bin/meson", f"#!/bin/sh\ncat >build/meson-logs/testlog.json <<'END'\n{log}\nEND\nexit 1\n")
        check = self.run_script("check.sh")
        self.assertEqual(check.returncode, 1)
        self.assertEqual(check.stdout.splitlines()[-1], "3 passed, 1 failed, 0 skipped")

    def test_check_stops_when_the_build_fails(self):
        self.write("bin/meson", "#!/bin/sh\necho not reached\n")
        check = self.run_script("check.sh", BROKEN="yes")
        self.assertEqual(check.returncode, 1)
        self.assertNotIn("not reached", check.stdout)

    def test_check_fails_with_meson(self):
        log = json.dumps(ran(doctest(3, 0, 0)))
        self.write("bin/meson", f"#!/bin/sh\ncat >build/meson-logs/testlog.json <<'END'\n{log}\nEND\nexit 2\n")
        check = self.run_script("check.sh")
        self.assertEqual(check.returncode, 1)
        self.assertIn("exit code 2", check.stdout)
        self.assertEqual(check.stdout.splitlines()[-1], "3 passed, 0 failed, 0 skipped")


class Bootstrap(unittest.TestCase):
    def test_missing_packages_are_named_in_one_line_to_run(self):
        # A compiler that finds none of its headers, as on a machine that has none; then no compiler at all.
        for blind in ({"CPPFLAGS": "-nostdinc -nostdinc++ -I."}, {"CXX": "/nowhere/c++"}):
            with tempfile.TemporaryDirectory() as folder:
                environment = {**os.environ, "BUILD": folder, "INSTALL": "no", **blind}
                done = subprocess.run(
                    ["bash", str(COMMON / "bootstrap.sh")],
                    env=environment,
                    text=True,
                    capture_output=True,
                    stdin=subprocess.DEVNULL,
                )
            self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
            line = next(line for line in done.stderr.splitlines() if line.startswith("    "))
            for package in ("g++", "libcli11-dev", "nlohmann-json3-dev", "doctest-dev", "libboost-context-dev"):
                self.assertIn(package, line.split(), blind)
        if shutil.which("apt-get"):
            self.assertIn("apt-get install -y", line)

    def steps(self, script):
        """Runs a script after bootstrap.sh's functions, without its last part, which sets up the machine."""
        source = (COMMON / "bootstrap.sh").read_text()
        functions = source[: source.index("\ninstall_packages\n")]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "common/bootstrap.sh")
            file.parent.mkdir()
            file.write_text(functions + "\n" + script + "\n")
            return subprocess.run(["bash", str(file)], env={**os.environ, "BUILD": "b"}, text=True, capture_output=True)

    def test_a_step_is_one_line_with_its_time(self):
        done = self.steps("step 'Making it' log sh -c 'echo noise; echo noise >&2'")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\AMaking it \.\.\. \d+\.\d s\n\Z")
        self.assertEqual(done.stderr, "")

    def test_a_failed_step_shows_the_end_of_its_log(self):
        done = self.steps("step 'Making it' log sh -c 'seq 100; exit 7' || exit $?")
        self.assertEqual(done.returncode, 7)
        lines = done.stdout.splitlines()
        self.assertIn("failed", lines[0])
        self.assertIn("b/logs/log.log", lines[1])
        self.assertEqual(lines[2:-1], [str(n) for n in range(61, 101)])


if __name__ == "__main__":
    unittest.main()
