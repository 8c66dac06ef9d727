#!/usr/bin/env python3
"""Tests of weave.py and check_pages.py, on a made-up project: each check meets its fault."""

import contextlib
import importlib.util
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # the source tree stays as it is
sys.path.insert(0, str(Path(__file__).resolve().parent))

import check_pages  # noqa: E402
import weave  # noqa: E402

# Its tags are not written as tags here: this file has none.
KERNEL = """// A kernel.
namespace ladder {
  @[tiled]
  void tiled() {
    @[inner]
    work();
    @[/inner]
  }
  @[/tiled]
}
""".replace("@[", "// [")

# What the made-up program prints, by its option.
PROGRAM = """#!/bin/sh
case "$*" in
*nonsense*) echo "no such option"; exit 2 ;;
*--list*) printf 'x: idea\\n\\nvariant  launch\\nplain    1 block\\n\\n'
          printf -- '--break   seen by   what is wrong\\n'
          printf 'no-wait   both      it does not wait\\nhidden    tracer    nobody  sees it\\nsplit     gpu       two values\\n' ;;
*--json*) while [ "$1" != --json ]; do shift; done; cp "$(dirname "$0")/trace.json" "$2" ;;
*--break*) echo WRONG; exit 1 ;;
*) seq 5; echo said >&2 ;;
esac
"""


def time_of(variant, role, size, rate, library=1.0):
    return {
        "shape": dict.fromkeys("MNK", size),
        "variant": variant,
        "role": role,
        "flops_per_s": rate,
        "time": {"median_s": 2 * size**3 / rate},
        "library_ratio": library,
        "ceiling_fraction": rate / 64e12,
    }


def record(kind="gpu"):
    machine = {
        "kind": kind,
        "name": "NVIDIA X",
        "threads": 4,
        "ceiling_flops_per_s": 64e12,
        "ceiling_bytes_per_s": 4e12,
    }
    refused = {
        "shape": dict.fromkeys("MNK", 9),
        "variant": "plain",
        "role": "own",
        "refused": "9 is odd",
    }
    results = [
        time_of("cublas", "library", 1024, 40e12),
        time_of("naive", "previous", 1024, 4e12, 0.1),
        time_of("plain", "own", 1024, 5.6e12, 0.14),
        refused,
    ]
    return {
        "machine": machine,
        "commit": "abc",
        "cache": "warm",
        "fill": "random",
        "seed": 1,
        "results": results,
    }


def traffic(**values):
    return {**dict.fromkeys(weave.FIELDS, 0), **values}


class Project(unittest.TestCase):
    """A top folder of its own, with a chapter, its program and its records."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        top = Path(folder.name).resolve()
        for name, value in (
            ("ROOT", top),
            ("BUILD", top / "out"),
            ("used", set()),
            ("kept", set()),
        ):
            before = getattr(weave, name)
            self.addCleanup(setattr, weave, name, before)
            setattr(weave, name, value)
        check_pages.weave_all.cache_clear()
        self.write("chapters/03_tiled/kernel.cuh", KERNEL)
        self.write("out/chapters/03_tiled", PROGRAM).chmod(0o755)
        self.write(
            "out/meson-info/intro-targets.json",
            json.dumps([{"name": "03_tiled"}, {"name": "measure"}]),
        )
        self.trace(predicted={"shared_load_requests": 80000, "barriers": 5000})
        self.counters({"shared_load_requests": 80000}, {})
        self.write("plots/data/h200/03_tiled_cubes_warm.json", json.dumps(record()))

    def write(self, name, text):
        file = weave.ROOT / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def trace(self, predicted, traced=None):
        row = {
            "variant": "plain",
            "predicted": traffic(**predicted),
            "traced": traffic(**(traced or predicted)),
        }
        self.write("out/chapters/trace.json", json.dumps({"trace": [row]}))

    def counters(self, counted, loads):
        hardware = {key: 0 for key in weave.FIELDS if key != "barriers"}
        row = {
            "chapter": "03_tiled",
            "variant": "plain",
            "counted": {**hardware, **counted},
            "more": {"time_ns": 5.0, "hit_percent": 2.5},
            "shared_loads_in_sass": loads,
        }
        self.write("plots/data/h200/counters.json", json.dumps({"counters": [row]}))

    def page(self, code, name="chapters/03_tiled/README.md", old=""):
        """A page with one block, and its text after weaving."""
        text = f"# A page\n\n<!-- [[[cog {code} ]]] -->\n{old}<!-- [[[end]]] -->\n"
        self.write(name, text)
        return name, text

    def woven(self, code, **more):
        name, text = self.page(code, **more)
        lines = weave.weave_text(name, text).splitlines()
        return "\n".join(lines[3:-1]).strip("\n")

    def refused(self, code, *words):
        with self.assertRaises(weave.WeaveError) as caught:
            self.woven(code)
        for word in ("chapters/03_tiled/README.md:3: ", *words):
            self.assertIn(word, str(caught.exception))


@unittest.skipIf(weave.Cog is None, weave.NO_COG)
class Weaving(Project):
    def test_excerpt(self):
        self.assertEqual(
            self.woven('excerpt("chapters/03_tiled/kernel.cuh", "tiled")'),
            "```cpp\nvoid tiled() {\n  work();\n}\n```\n\n"
            "<sub>[chapters/03_tiled/kernel.cuh](kernel.cuh)</sub>",
        )
        self.assertEqual(weave.used, {("chapters/03_tiled/kernel.cuh", "tiled")})

    def test_excerpt_links_from_the_page(self):
        woven = self.woven('excerpt("chapters/03_tiled/kernel.cuh", "inner")', name="docs/x.md")
        self.assertIn("](../chapters/03_tiled/kernel.cuh)", woven)

    def test_excerpt_of_a_missing_tag_or_file(self):
        self.refused(
            'excerpt("chapters/03_tiled/kernel.cuh", "tilde")',
            "kernel.cuh has no tag [tilde]",
            "tiled",
        )
        self.refused(
            'excerpt("chapters/03_tiled/nothing.cuh", "tiled")', "nothing.cuh cannot be read"
        )

    def test_faulty_tags(self):
        for text, fault in (
            ("// [a]\n// [/a]\n// [a]\n// [/a]\n", "the tag [a] is there twice"),
            ("// [a]\n// [a]\n// [/a]\n", "the tag [a] is there twice"),
            ("// [a]\n", "the tag [a] is never closed"),
            ("// [/a]\n", "[/a] closes nothing"),
        ):
            self.write("chapters/03_tiled/faulty.hpp", text)
            self.refused('excerpt("chapters/03_tiled/faulty.hpp", "a")', "faulty.hpp", fault)

    def test_diff(self):
        self.write(
            "chapters/04/kernel.cuh", KERNEL.replace("work", "play").replace("tiled", "bounded")
        )
        code = 'diff("chapters/03_tiled/kernel.cuh", "chapters/04/kernel.cuh", "{}", "{}")'
        woven = self.woven(code.format("inner", "inner"))
        self.assertEqual(
            woven,
            "```diff\n--- chapters/03_tiled/kernel.cuh\n+++ chapters/04/kernel.cuh\n"
            "@@ -1 +1 @@\n-work();\n+play();\n```",
        )
        self.assertIn(("chapters/04/kernel.cuh", "inner"), weave.used)
        whole = self.woven('diff("chapters/03_tiled/kernel.cuh", "chapters/04/kernel.cuh")')
        self.assertNotIn("// [", whole)
        self.refused(
            'diff("chapters/03_tiled/kernel.cuh", "chapters/03_tiled/kernel.cuh")', "do not differ"
        )

    def test_output(self):
        self.assertEqual(
            self.woven('output("build/chapters/03_tiled --trace")'),
            "```console\n$ build/chapters/03_tiled --trace\n1\n2\n3\n4\n5\nsaid\n```",
        )
        self.assertIn(
            "\n1\n...\n5\nsaid\n```",
            self.woven('output("build/chapters/03_tiled", first=1, last=2)'),
        )
        self.assertIn("\n1\n2\n...\n```", self.woven('output("build/chapters/03_tiled", first=2)'))
        self.assertIn(
            "WRONG\n$ echo $?\n1\n",
            self.woven('output("build/chapters/03_tiled --break x", exit=1)'),
        )

    def test_output_with_another_exit_code(self):
        self.refused('output("build/chapters/03_tiled --break x")', "ended with 1, not 0")
        self.refused('output("build/chapters/03_tiled", exit=1)', "ended with 0, not 1")

    def test_what_commands_write_stays_out_of_the_project(self):
        self.woven('output("echo x > written && cat chapters/03_tiled/kernel.cuh")')
        self.assertFalse((weave.ROOT / "written").exists())

    def test_a_program_that_is_not_built_leaves_the_block(self):
        (weave.BUILD / "chapters/03_tiled").unlink()
        for code in (
            'output("build/chapters/03_tiled --trace")',
            'counts("03_tiled")',
            'broken("03_tiled")',
            'claim(predicted("03_tiled", "plain", "barriers") > 1, "yes")',
        ):
            self.assertEqual(self.woven(code, old="as before\n"), "as before")
            self.assertEqual(weave.kept, {("chapters/03_tiled/README.md", 3)})
        self.refused('output("build/chapters/03_tilde --trace")', "no chapter 03_tilde")

    def test_a_program_without_the_tracer_leaves_the_block(self):
        self.write(
            "out/chapters/03_tiled", "#!/bin/sh\necho '--trace: built without the tracer'; exit 2\n"
        )
        self.assertEqual(self.woven('counts("03_tiled")', old="as before\n"), "as before")

    def test_counts(self):
        woven = self.woven('counts("03_tiled")')
        self.assertIn(
            "| `plain` | shared load requests | 80\u202f000 | 80\u202f000 | 80\u202f000 |", woven
        )
        self.assertIn("|  | barriers | 5\u202f000 | 5\u202f000 | – |", woven)
        self.assertNotIn("stores", woven)
        self.assertNotIn("LDS", woven)

    def test_counts_with_joined_loads(self):
        self.counters({"shared_load_requests": 50000}, {"LDS.128": 4})
        woven = self.woven('counts("03_tiled")')
        self.assertIn("50\u202f000 <sup>1</sup> |", woven)
        self.assertIn("<sub><sup>1</sup> nvcc reads four", woven)

    def test_counts_that_nothing_explains(self):
        self.counters({"shared_load_requests": 50000}, {"LDS": 4})
        self.refused(
            'counts("03_tiled")', "counted 50000 shared_load_requests, the formula says 80000"
        )
        self.counters({"shared_load_requests": 50001}, {"LDS.128": 4})
        weave._json.cache_clear()
        self.refused('counts("03_tiled")', "counted 50001")
        weave._trace.cache_clear()
        self.trace({"shared_load_requests": 80000}, {"shared_load_requests": 80001})
        self.refused('counts("03_tiled")', "says 80000 shared_load_requests, the trace 80001")
        self.refused('counts("03_tiled", ["fancy"])', "has no 'fancy'; it has plain")

    def test_measured(self):
        woven = self.woven('measured("03_tiled")')
        rows = [line for line in woven.splitlines() if line.startswith("| ")]
        self.assertEqual(
            rows,
            [
                "| M = N = K | 9 | 1024 |",
                "| `naive` (the chapter before) |  | 4.00 |",
                "| `plain` | refused | 5.60 |",
                "| `cublas` (the library) |  | 40.0 |",
            ],
        )
        self.assertIn(
            "<sub>TFLOP/s, from the median time: NVIDIA X, commit `abc`, warm cache, random inputs",
            woven,
        )
        share = self.woven('measured("03_tiled", [1024], what="library", variants=["plain"])')
        self.assertIn("| `plain` | 14.0 |\n\n<sub>% of the library", share)
        self.assertNotIn("cublas", share)
        self.refused('measured("03_tiled", [7])', "has no '7'; it has 9, 1024")
        self.refused(
            'measured("03_tiled", cache="cold")',
            "no record plots/data/h200/03_tiled_cubes_cold.json",
        )

    def test_measured_on_a_cpu(self):
        self.write("plots/data/h200/01_cpu_cubes_warm.json", json.dumps(record("cpu")))
        woven = self.woven('measured("01_cpu", [1024])')
        self.assertIn("| `plain` | 5600 |", woven)
        self.assertIn("<sub>GFLOP/s, from the median time: NVIDIA X, 4 threads,", woven)

    def test_broken(self):
        self.assertEqual(
            self.woven('broken("03_tiled")').splitlines()[2:],
            [
                "| `no-wait` | it does not wait | finds it | finds it |",
                "| `hidden` | nobody  sees it | – | finds it |",
                "| `split` | two values | on a GPU only | – |",
            ],
        )

    def test_numbers_in_text(self):
        for code, text in (
            ('rate("03_tiled", "plain", 1024)', "5.60"),
            ('rate("03_tiled", "library", (1024, 1024, 1024))', "40.0"),
            ('ratio("03_tiled", "plain", "naive", 1024)', "1.40"),
            ('share("03_tiled", "plain", 1024)', "14.0"),
            ('share("03_tiled", "plain", 1024, of="ceiling")', "8.75"),
            ('microseconds("03_tiled", "plain", 1024)', "383"),
            ('ceiling("03_tiled")', "64.0"),
            ('bandwidth("03_tiled")', "4.00"),
            ('counted("03_tiled", "plain", "shared_load_requests")', "80000"),
            ('counted("03_tiled", "plain", "hit_percent")', "2.50"),
            ('traced("03_tiled", "plain", "barriers")', "5000"),
            ("number(1234567)", "1\u202f234\u202f567"),
            ('number(Figure("nan"))', "–"),  # as traced() gives it where there is no tracer
        ):
            self.assertEqual(self.woven(f"say(f'It is {{{code}}}.')"), f"It is {text}.", code)
        self.refused(
            'say(f"{rate("03_tiled", "plain", 9)}")'.replace('f"', "f'").replace('}"', "}'"),
            "9 is odd",
        )
        self.refused('rate("03_tiled", "fancy", 1024)', "has no 'fancy'")

    def test_claim(self):
        self.assertEqual(self.woven('claim(2 > 1, "It  holds.")'), "It holds.")
        self.refused('claim(1 > 2, "It holds.")', "this does not hold: It holds.")
        self.refused('claim(weave_nothing, "")', "NameError: name 'weave_nothing' is not defined")

    def test_text_is_wrapped_and_makes_no_list(self):
        text = " ".join(["word"] * 21 + ["12345", "-", "x", "\n\n", "next"])
        woven = weave.wrap(text)
        self.assertTrue(all(len(line) <= 110 for line in woven.splitlines()))
        self.assertNotIn("\n- x", woven)
        self.assertTrue(woven.endswith("\n\nnext"))

    def test_code_beside_an_opening_mark_is_refused(self):
        with self.assertRaisesRegex(weave.WeaveError, "p.md:1: code of several lines"):
            weave.weave_text(
                "p.md", "<!-- [[[cog say('a')\nsay('b')\n]]] -->\n<!-- [[[end]]] -->\n"
            )

    def test_several_calls_in_a_block(self):
        text = weave.weave_text(
            "p.md", "<!-- [[[cog\nsay('a')\nsay('b')\n]]] -->\n<!-- [[[end]]] -->\n"
        )
        self.assertIn("]]] -->\n\na\n\nb\n\n<!--", text)

    def test_refreshing_renews_once_and_goes_on_after_a_fault(self):
        page, _ = self.page('say("new")')
        bad, _ = self.page('claim(False, "no")', name="docs/bad.md")
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            self.assertEqual(weave.refresh_all([bad, page]), 1)
            self.assertEqual(weave.refresh_all([page]), 0)
        self.assertEqual(out.getvalue(), f"{page}: renewed\n{page}: fresh\n")
        self.assertIn("docs/bad.md:3: this does not hold: no", err.getvalue())

    def test_a_stale_block_is_found(self):
        page, text = self.page('say("new")', old="\nold\n\n")
        self.assertIn("-old\n+new", check_pages.freshness(page)[0])
        self.write(page, weave.weave_text(page, text))
        self.assertEqual(check_pages.freshness(page), [])

    def test_an_unused_tag_is_found(self):
        self.page('excerpt("chapters/03_tiled/kernel.cuh", "tiled")')
        wrong, errors = check_pages.weave_all(tuple(weave.pages()))
        self.assertEqual((len(wrong), errors), (1, 0))  # it is stale
        self.assertEqual(
            check_pages.tag_faults(weave.used),
            ["chapters/03_tiled/kernel.cuh: no page uses the tag [inner]"],
        )


class Checks(Project):
    def links(self, text):
        return check_pages.link_faults(
            str(self.write("docs/page.md", text).relative_to(weave.ROOT))
        )

    def test_good_links(self):
        self.write(
            "docs/other.md",
            '# 03_tiled: the *idea*, `A[i]` & more\n\n## Same\n\n## Same\n\n<a id="here"></a>\n',
        )
        self.assertEqual(
            self.links(
                "# Top\n[a](other.md) [b](other.md#03_tiled-the-idea-ai--more) [c](#top)\n"
                "[d](other.md#same-1)\n"
                "[e](other.md#here) [f](../chapters/03_tiled) [g](/docs/other.md)\n"
                '![h](other.md "title")\n'
                "[i](../chapters/03_tiled/kernel.cuh#L3-L9) [j](https://example.org/x#y)\n"
                "[k][ref] `[l](gone.md)`\n"
                '<img src="other.md"> <!-- [m](gone.md) -->\n\n'
                "[ref]: other.md\n\n```\n[n](gone.md)\n```\n"
            ),
            [],
        )

    def test_dead_links(self):
        for text, fault in (
            ("\n[a](gone.md)", "docs/page.md:2: gone.md does not exist"),
            ("![a](gone.svg)", "docs/page.md:1: gone.svg does not exist"),
            ("<img src='gone.svg'>", "docs/page.md:1: gone.svg does not exist"),
            ("[r]: gone.md", "docs/page.md:1: gone.md does not exist"),
            ("[a](../../x)", "docs/page.md:1: ../../x leads out of the project"),
            ("[a]()", "docs/page.md:1: a link to nothing"),
            ("[![x](page.md)](gone.md)", "docs/page.md:1: gone.md does not exist"),
        ):
            self.assertEqual(self.links(text), [fault])

    def test_dead_anchors(self):
        for target in (
            "#nowhere",
            "page.md#Top",
            "../chapters/03_tiled#top",
            "../chapters/03_tiled/kernel.cuh#L99",
        ):
            self.assertEqual(
                self.links(f"# Top\n[a]({target})"),
                [f"docs/page.md:2: {target}: no such heading or line there"],
            )
        self.assertEqual(len(self.links("```\n# Not a heading\n```\n[a](#not-a-heading)")), 1)

    def test_a_figure_that_no_page_shows(self):
        self.write("docs/figures/a.svg", "")
        self.write("docs/figures/b.svg", "")
        self.write("docs/page.md", "![a](figures/a.svg)\n")
        self.assertEqual(
            check_pages.figure_faults(weave.pages()), ["no page shows docs/figures/b.svg"]
        )

    def test_claims_that_are_not_settled(self):
        def ledger(**other):
            rows = {n: f"| {n} | c | true | 8 | [02](a.md) |" for n in range(1, 24)}
            return "\n".join({**rows, **{int(k[1:]): row for k, row in other.items()}}.values())

        self.assertEqual(check_pages.claim_faults(ledger()), [])
        self.assertEqual(check_pages.claim_faults(ledger(n7="")), ["claim 7 has no row"])
        for row in (
            "| 9 | c | true |  | [02](a.md) |",
            "| 9 | c |  | 8 | [02](a.md) |",
            "| 9 | c | true | 8 | somewhere |",
            "| 9 | c | true | 8 |",
        ):
            self.assertEqual(
                check_pages.claim_faults(ledger(n9=row)),
                ["claim 9 lacks its verdict, its figure or where that is shown"],
            )

    def numbers(self, text):
        return check_pages.number_faults(
            str(self.write("docs/page.md", text).relative_to(weave.ROOT))
        )

    def test_numbers_typed_by_hand(self):
        for text in (
            "5.6 TFLOP/s",
            "661 GFLOP/s",
            "4.25 TB/s",
            "**76** GB/s",
            "3 ms",
            "48 us",
            "48 µs",
            "1.5× faster",
            "1.5 times faster",
            "1.5 times as fast",
            "20 % slower",
            "20% faster",
            "5.6\nTFLOP/s",
            "`3 ms`",
            r"$5.6\,\text{TFLOP/s}$",
            "1 024 GB/s",
            "3&nbsp;ms",
            "2.5x faster",
        ):
            self.assertEqual(len(self.numbers(f"It is {text}.")), 1, text)
        self.assertEqual(
            self.numbers("a\n3 ms"),
            [
                "docs/page.md:2: '3 ms' is typed by hand; "
                "weave it, or add <!-- not measured: why -->"
            ],
        )

    def test_numbers_that_may_be_typed(self):
        for text in (
            "TFLOP/s and 1024 elements",
            "12 msgs",
            "32 lanes, 4 bytes",
            "```\n3 ms\n```",
            "<!-- [[[cog say('3 ms') ]]] -->\n3 ms\n<!-- [[[end]]] -->",
            "<!-- 3 ms -->",
            "4.8 TB/s <!-- not measured: data sheet -->",
            "<!-- not measured: data sheet -->\n4.8 TB/s",
        ):
            self.assertEqual(self.numbers(text), [], text)

    def test_an_excuse_needs_a_reason_and_a_number(self):
        self.assertEqual(len(self.numbers("3 ms <!-- not measured: -->")), 1)
        self.assertEqual(
            self.numbers("a <!-- not measured: data sheet -->"),
            ["docs/page.md:1: 'not measured' excuses no number"],
        )

    def sections(self, names, chapter="03_tiled"):
        page = f"chapters/{chapter}/README.md"
        self.write(
            page, "# T\n\n" + "".join(f"## {name}\n\ntext\n\n### more\n\n" for name in names)
        )
        return check_pages.section_faults(page)

    def test_sections(self):
        wanted = check_pages.SECTIONS
        self.assertEqual(self.sections(wanted), [])
        first = [name for name in wanted if name not in ("What changed", "Break it")]
        self.assertEqual(self.sections(first, "01_cpu"), [])
        self.assertEqual(
            self.sections(wanted[:-1]), ["chapters/03_tiled/README.md: sections missing: Questions"]
        )
        self.assertIn("not expected: Thanks", self.sections([*wanted, "Thanks"])[0])
        self.assertIn(
            "not in order: The code, The idea",
            self.sections([wanted[1], wanted[0], *wanted[2:]])[0],
        )
        self.assertIn("not expected: What changed, Break it", self.sections(wanted, "01_cpu")[0])

    def commands(self, *lines):
        self.skipped = []
        self.write("docs/page.md", "# T\n\n```console\n" + "\n".join(lines) + "\n```\n")
        return check_pages.command_faults("docs/page.md", self.skipped)

    def test_commands_that_work(self):
        self.write("common/tour.sh", "").chmod(0o755)
        self.assertEqual(
            self.commands(
                "$ build/chapters/03_tiled --trace | head -3  # three lines",
                "1",
                "2",
                "3",
                "$ build/chapters/03_tiled --size 4096 --variant plain > file",
                "$ ls /nowhere",
                "$ build/chapters/03_tiled --trace --break no-wait",
                "$ common/tour.sh --size 64",
                "$ meson compile -C build 03_tiled",
                "$ meson compile -C build",
                "$ X=1 build/chapters/03_tiled \\",
                "    --size 64",
            ),
            [],
        )
        self.assertEqual(self.skipped, [])

    def test_commands_that_do_not(self):
        for command, fault in (
            ("build/chapters/03_tiled --trace nonsense", "ends with 2: no such option"),
            (
                "build/chapters/03_tiled --size 4096 nonsense",
                "its options are not understood: no such option",
            ),
            ("build/chapters/03_tiled --variant fancy,plain", "03_tiled has no fancy"),
            ("build/chapters/03_tiled --break fancy", "03_tiled has no fancy"),
            ("build/chapters/03_tilde", "there is no chapter 03_tilde"),
            ("build/chapters/03_tiled 'open", "No closing quotation"),
            ("meson compile -C build 03_tilde", "no target 03_tilde"),
            ("meson compile 03_tiled", "needs -C build"),
            ("common/gone.sh", "common/gone.sh is no program"),
        ):
            wrong = self.commands("$ ls", f"$ {command}")
            self.assertEqual(len(wrong), 1, command)
            self.assertIn("docs/page.md:5: ", wrong[0])
            self.assertIn(fault, wrong[0])

    def test_commands_that_cannot_be_checked_here(self):
        (weave.BUILD / "chapters/03_tiled").unlink()
        self.assertEqual(self.commands("$ build/chapters/03_tiled --trace"), [])
        self.assertEqual(len(self.skipped), 1)
        self.write("out/meson-info/intro-targets.json", json.dumps([{"name": "01_cpu"}]))
        check_pages.targets.cache_clear()
        self.assertEqual(self.commands("$ meson compile -C build 03_tiled"), [])
        self.assertEqual(len(self.skipped), 1)

    def test_small_products_on_the_cpu_are_run_and_large_ones_are_not(self):
        for words, gpu in (
            (["--size", "256"], False),
            (["--sizes=64,512"], True),
            ([], True),
            (["--list"], False),
            (["-m", "9", "-n", "9", "-k", "300"], True),
        ):
            self.assertEqual(check_pages.needs_gpu("01_cpu", words), gpu, words)
        self.assertTrue(check_pages.needs_gpu("03_tiled", ["--size", "64"]))


MISSING = [
    name for name in ("jupytext", "nbclient", "ipykernel") if not importlib.util.find_spec(name)
]


@unittest.skipIf(MISSING, f"{', '.join(MISSING)} {weave.MISSING}")
class Notebooks(Project):
    """Pages as notebooks, whose kernels import weave.py from the made-up project."""

    def setUp(self):
        super().setUp()
        for module, file in (weave, "docs/weave.py"), (weave.records, "plots/records.py"):
            self.write(file, Path(module.__file__).read_text(encoding="utf-8"))

    def blocks(self, *codes):
        """The text of a page with these blocks."""
        return "# T\n" + "".join(
            f"\n<!-- [[[cog {code} ]]] -->\nwoven before\n<!-- [[[end]]] -->\n" for code in codes
        )

    def cells(self, text, page="chapters/03_tiled/README.md"):
        """(type, source) of the cells that a page becomes, not executed."""
        self.write(page, text)
        folder = (weave.BUILD / "notebooks" / page).parent
        return [(cell.cell_type, cell.source) for cell in weave.as_notebook(page, folder).cells]

    def executed(self, text, page="chapters/03_tiled/README.md"):
        """How many notebooks fail (of one), what is said of that, and each code cell's outputs."""
        self.write(page, text)
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            failed = weave.notebooks([page], weave.BUILD / "notebooks")
        file = (weave.BUILD / "notebooks" / page).with_suffix(".ipynb")
        cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
        return (
            failed,
            err.getvalue(),
            [cell["outputs"] for cell in cells if cell["cell_type"] == "code"],
        )

    def shown(self, outputs):
        """The Markdown below a cell; nothing else may be there."""
        for output in outputs:
            self.assertEqual(output["output_type"], "display_data", output)
        return "\n\n".join("".join(output["data"]["text/markdown"]) for output in outputs)

    def test_blocks_become_cells_in_the_order_of_the_page(self):
        text = (
            "# T\n\n<!-- [[[cog say('a [1]') ]]] -->\n\na [1]\n\n<!-- [[[end]]] -->\n"
            "\nbetween\n\n<!-- [[[cog\nfor x in 'bc':\n    say(x)\n]]] -->\n\nb\n\nc\n\n"
            "<!-- [[[end]]] -->\n\n<!-- [[[cog say('d') ]]] -->\n<!-- [[[end]]] -->\n\nlast\n"
        )
        setup, *cells = self.cells(text)
        self.assertEqual(
            cells,
            [
                ("markdown", "# T"),
                ("code", "say('a [1]')"),
                ("markdown", "between"),
                ("code", "for x in 'bc':\n    say(x)"),
                ("code", "say('d')"),
                ("markdown", "last"),
            ],
        )
        self.assertEqual(setup[0], "code")
        self.assertIn('"../../../../docs"', setup[1])
        self.assertEqual(weave.read("chapters/03_tiled/README.md"), text)

    def test_a_page_without_blocks_stays_text(self):
        text = "# T\n\n```console\n$ ls\n```\n\n```cpp\nint x;\n```\n\n```bash\nls\n```\n"
        cells = self.cells(text)
        self.assertEqual({kind for kind, _ in cells}, {"markdown"})
        self.assertEqual("\n\n".join(source.strip() for _, source in cells) + "\n", text)

    def test_a_block_that_is_no_comment_is_refused(self):
        with self.assertRaisesRegex(weave.WeaveError, "does not stand between comments"):
            self.cells("# [[[cog say('a') ]]]\n# [[[end]]]\n")

    def test_cells_show_what_the_page_says(self):
        codes = (
            'excerpt("chapters/03_tiled/kernel.cuh", "tiled")',
            'output("build/chapters/03_tiled --break x", exit=1)',
            'counts("03_tiled")',
            'measured("03_tiled")',
            'claim(traced("03_tiled", "plain", "barriers") == 5000, "It waits.")',
        )
        failed, said, (setup, *outputs) = self.executed(self.blocks(*codes))
        self.assertEqual((failed, said, setup), (0, "", []))
        self.assertEqual(len(outputs), len(codes))
        for code, cell in zip(codes, outputs):
            self.assertEqual(self.shown(cell), self.woven(code), code)

    def test_a_claim_that_does_not_hold_fails_the_run(self):
        text = self.blocks('claim(2 > 1, "yes")', 'claim(1 > 2, "no")', 'say("not reached")')
        failed, said, (_, held, broke, rest) = self.executed(text)
        self.assertEqual(failed, 1)
        self.assertIn("WeaveError: this does not hold: no", said)
        self.assertNotIn("\x1b", said)
        self.assertEqual(self.shown(held), "yes")
        self.assertEqual([output["output_type"] for output in broke], ["error"])
        self.assertEqual(rest, [])

    def test_other_pages_are_written_after_a_fault(self):
        bad = self.write("docs/bad.md", self.blocks("1 / 0"))
        good = self.write("docs/good.md", "# T\n")
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            with self.assertRaises(SystemExit) as end:
                weave.main(["--notebooks", str(weave.BUILD), str(bad), str(good)])
        self.assertEqual(end.exception.code, 1)
        self.assertIn("docs/bad.md: An error occurred", err.getvalue())
        self.assertIn("ZeroDivisionError", err.getvalue())
        self.assertEqual(out.getvalue(), f"{weave.BUILD / 'notebooks/docs/good.ipynb'}\n")

    def test_a_program_that_is_not_built_is_said_to_be_missing(self):
        (weave.BUILD / "chapters/03_tiled").unlink()
        codes = (
            'output("build/chapters/03_tiled")',
            'claim(traced("03_tiled", "plain", "barriers") == 5000, "It waits.")',
            'traced("03_tiled", "plain", "barriers")',
        )
        failed, _, (_, *outputs) = self.executed(self.blocks(*codes, 'say("on")'))
        self.assertEqual(failed, 0)
        missing = f"Not shown here: chapters/03_tiled is not built in {weave.BUILD}."
        self.assertEqual([self.shown(cell) for cell in outputs], [missing] * 3 + ["on"])

    def test_fences_named_python_run(self):
        self.assertEqual(self.executed("# T\n\n```python\nassert 2 > 1\n```\n")[0], 0)
        failed, said, _ = self.executed("# T\n\n```python\nassert 1 > 2\n```\n")
        self.assertEqual(failed, 1)
        self.assertIn("AssertionError", said)

    def test_what_a_page_links_to_lies_beside_its_notebook(self):
        self.write("docs/figures/a.svg", "<svg/>")
        self.write("docs/figures/b.svg", "<svg/>")
        outside = tempfile.NamedTemporaryFile(dir=weave.ROOT.parent)
        self.addCleanup(outside.close)
        name = Path(outside.name).name
        links = f"![a](figures/a.svg) [b](../chapters/03_tiled/kernel.cuh#L1) [c](../../{name})"
        self.executed(f"# T\n\n{links} [d](.) [e](https://example.org/x)\n", "docs/page.md")
        self.assertFalse((weave.BUILD / name).exists())
        written = {
            str(file.relative_to(weave.BUILD / "notebooks"))
            for file in (weave.BUILD / "notebooks").rglob("*")
            if file.is_file()
        }
        self.assertEqual(
            written, {"docs/page.ipynb", "docs/figures/a.svg", "chapters/03_tiled/kernel.cuh"}
        )


if __name__ == "__main__":
    unittest.main()
