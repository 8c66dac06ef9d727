#!/usr/bin/env python3
"""Counts the tests that really ran, from Meson's testlog.json: doctest cases and unittest methods, not executables.

    count.py [--runner-exit CODE] build/meson-logs/testlog.json

The last line is "N passed, N failed, N skipped". The exit code is 1 when a test failed, when none passed, or when the
test runner itself failed.

How one executable counts:
  ended with 77            skipped: as many as its line "skipped: N cases" says, else one
  has summaries            what they say (doctest's "[doctest] test cases: ...", unittest's "Ran N tests ... OK")
  failed without a fault   in its summary, or without a summary: one failed more (a crash, a time-out, a leak report)
  passed, no summary       one passed if it is a plain program or script; one failed if it is a doctest program or a
                           unittest script, since then it ended before its tests did
  passed, ran no case      one failed: a misspelt filter looks like this. A test that cannot run exits with 77.
"""

import argparse
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other):
        return Count(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


COLOUR = re.compile(r"\x1b\[[0-9;]*m")
DOCTEST = re.compile(
    r"^\[doctest\] test cases: +\d+ +\| +(\d+) passed +\| +(\d+) failed(?: +\| +(\d+) skipped)?", re.MULTILINE
)
UNITTEST = re.compile(r"^Ran (\d+) tests? in [^\n]*\n+(?:OK|FAILED|NO TESTS RAN)(?: \(([^)\n]*)\))?$", re.MULTILINE)
SKIPPED = re.compile(r"^skipped: (\d+) cases?\b", re.MULTILINE)

# doctest's options that choose cases, in their long and short forms. The cases that such a filter leaves out are
# "skipped" in doctest's summary, although they run elsewhere: they must not count.
FILTER = re.compile(r"--?(dt-)?(test-case|test-suite|source-file|tc|ts|sf)(-exclude|e)?=|--?(dt-)?(first|last|f|l)=")


def doctest_counts(text, filtered):
    for passed, failed, skipped in DOCTEST.findall(text):
        yield Count(int(passed), int(failed), 0 if filtered else int(skipped or 0))


def unittest_counts(text):
    for ran, details in UNITTEST.findall(text):
        number = {name: int(value) for name, value in re.findall(r"([a-z ]+)=(\d+)", details)}
        number = {name.strip(): value for name, value in number.items()}
        failed = number.get("failures", 0) + number.get("errors", 0) + number.get("unexpected successes", 0)
        skipped = number.get("skipped", 0)
        # A class skipped or broken in setUpClass is not among those that "ran", and one test can fail several times
        # (once a subTest): hence the limit.
        yield Count(max(0, int(ran) - failed - skipped), failed, skipped)


def expects_summary(command):
    """Whether the program behind this command is a doctest program or a unittest script."""
    files = [Path(word) for number, word in enumerate(command) if number == 0 or word.endswith(".py")]
    for file in files:
        try:
            content = file.read_bytes()
        except OSError:
            continue
        mark = b"unittest.main" if file.suffix == ".py" else b"doctest version is"
        if mark in content:
            return True
    return False


def count(test):
    """One line of testlog.json -> (Count, why it is no plain pass, or '')."""
    text = COLOUR.sub("", "\n".join((test.get("stdout") or "", test.get("stderr") or ""))).replace("\r\n", "\n")
    command = test.get("command") or []
    result = test["result"]
    filtered = any(FILTER.match(word) for word in command)
    summaries = [*doctest_counts(text, filtered), *unittest_counts(text)]
    total = sum(summaries, Count())

    if result in ("EXPECTEDFAIL", "IGNORED"):  # its summary, if any, tells of the failure that was wanted
        return Count(passed=1), ""
    if result == "SKIP" or test.get("returncode") == 77:
        if total.passed or total.failed:
            return total, "exit code 77 although cases ran"
        said = SKIPPED.search(text)
        return Count(skipped=int(said[1]) if said else max(1, total.skipped)), ""
    if result != "OK":  # FAIL, TIMEOUT, ERROR, INTERRUPT, UNEXPECTEDPASS, and whatever is new
        why = f"{result}, exit code {test.get('returncode')}"
        if not summaries:
            return Count(failed=1), f"{why}, without a readable summary"
        if not total.failed:
            return total + Count(failed=1), f"{why}, although no case failed"
        return total, why
    if not summaries:
        if expects_summary(command):
            return Count(failed=1), "passed, but ended before its summary"
        return Count(passed=1), ""
    if total == Count():
        return Count(failed=1), "ran no case (a test that cannot run exits with 77)"
    if total.failed:
        return total, "its summary has failures although it passed"
    return total, ""


def read(path):
    with open(path, encoding="utf-8", errors="replace") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("testlog")
    parser.add_argument("--runner-exit", type=int, default=0, help="the exit code of `meson test`")
    options = parser.parse_args(argv)

    total = Count()
    try:
        for test in read(options.testlog):
            counted, why = count(test)
            total += counted
            if why:
                print(f"{test['name']}: {why}")
    except FileNotFoundError:
        print("No test ran: Meson wrote no log of tests.")
    except (ValueError, KeyError, TypeError) as fault:
        print(f"{options.testlog} cannot be read: {fault!r}")
        total += Count(failed=1)
    if options.runner_exit and not total.failed:
        print(f"`meson test` ended with exit code {options.runner_exit} although no test failed.")
    if not total.passed and not total.failed:
        print("No test passed: a run that tests nothing is a failure.")
    print(total)
    return 1 if total.failed or not total.passed or options.runner_exit else 0


if __name__ == "__main__":
    sys.exit(main())
