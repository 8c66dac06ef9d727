#!/usr/bin/env python3
"""Checks the pages against the code, the records and each other.

    check_pages.py BUILD

BUILD is the build directory with the compiled programs. Each test is one promise, over all pages.
"""

import functools
import html
import json
import os
import re
import shlex
import sys
import unittest
from difflib import unified_diff
from pathlib import Path
from urllib.parse import unquote

sys.dont_write_bytecode = True  # the source tree stays as it is
sys.path.insert(0, str(Path(__file__).resolve().parent))

import weave  # noqa: E402

SECTIONS = [
    "The idea",
    "The code",
    "The arithmetic",
    "What changed",
    "Run it",
    "What it costs",
    "What limits it now",
    "Break it",
    "Exercises",
    "Questions",
]
NOT_IN_THE_FIRST = ["What changed", "Break it"]


def page_text(page):
    return (weave.ROOT / page).read_text(encoding="utf-8")


# ---- Reading Markdown. What is taken out leaves its line ends: line numbers stay right.


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def blank(match):
    """What stays of a piece that does not matter."""
    return "\n" * match[0].count("\n")


FENCE = re.compile(
    r"^(?P<indent>[ >]*)(?P<mark>`{3,}|~{3,})(?P<info>[^`\n]*)\n(?P<body>.*?)"
    r"(?:^[ >]*(?P=mark)[`~]*[ ]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
WOVEN = re.compile(r"<!--\s*\[\[\[cog.*?\[\[\[end\]\]\]\s*-->", re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n[ ]*\n).)+?(?<!`)\1(?!`)", re.DOTALL)
FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


def without_code(text):
    """Without fenced code and code spans."""
    return CODE_SPAN.sub(blank, FENCE.sub(blank, text))


def headings(text):
    """(level, text) of each heading outside of code and comments."""
    lines = COMMENT.sub(blank, FENCE.sub(blank, FRONT_MATTER.sub(blank, text))).splitlines()
    for line, below in zip(lines, [*lines[1:], ""]):
        if mark := re.match(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$", line):
            yield len(mark[1]), mark[2]
        elif (
            line.strip()
            and re.fullmatch(r" {0,3}(=+|-{3,})[ \t]*", below)
            and not line.startswith((" ", "|", ">"))
        ):
            yield (1 if "=" in below else 2), line.strip()


def anchor(heading):
    """GitHub's anchor of a heading: small letters, no punctuation, hyphens for blanks."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", heading)
    text = re.sub(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", text)
    text = re.sub(r"<[^>]*>", "", text)
    text = re.sub(r"(?<!\w)_+(\S.*?)_+(?!\w)", r"\1", text)
    return re.sub(r"[^\w\- ]", "", html.unescape(text).strip().lower()).replace(" ", "-")


def anchors(text):
    """All anchors of a page: its headings', numbered where they repeat, and those set by hand."""
    found, seen = set(), {}
    for _, heading in headings(text):
        name = anchor(heading)
        found.add(f"{name}-{seen[name]}" if name in seen else name)
        seen[name] = seen.get(name, 0) + 1
    return found | set(
        re.findall(r"<\w+[^>]*\s(?:id|name)=[\"']([^\"']+)[\"']", without_code(text))
    )


LINK = re.compile(
    r"""
    \]\( \s* <?(?P<inline> [^\s()<>]* (?: \([^\s()]*\) [^\s()<>]* )* )>?
        (?: \s+ ["'(] [^\n]*? ["')] )? \s* \)
  | ^[ ]{0,3}\[(?!\^)[^\]]+\]: \s* <?(?P<reference> [^\s<>]+ )
  | <[^>]* \b(?: src|href|srcset )= ["'](?P<html> [^"']* )["']
""",
    re.VERBOSE | re.MULTILINE,
)


def links(text):
    """(line, target) of every link and picture, in Markdown or HTML."""
    plain = COMMENT.sub(blank, without_code(text))
    for match in LINK.finditer(plain):
        targets = match["inline"] or match["reference"] or match["html"] or ""
        for target in targets.split(",") if "srcset" in match[0] else [targets]:
            yield (
                line_of(plain, match.start()),
                html.unescape(target.split()[0] if target.split() else ""),
            )


def is_external(target):
    return bool(re.match(r"[a-z][a-z0-9+.-]*:|//", target, re.IGNORECASE))


def linked_file(page, target):
    """The file that an internal link leads to, and the anchor there."""
    name, _, fragment = target.partition("#")
    name = unquote(name)
    base = weave.ROOT if name.startswith("/") else (weave.ROOT / page).parent
    file = base / name.lstrip("/") if name else weave.ROOT / page
    return Path(os.path.normpath(file)), unquote(fragment)


# ---- One function a promise. Each gives its complaints as lines "page:line: what is wrong".


def freshness(page):
    """The page is what weaving makes of it."""
    text = page_text(page)
    woven = weave.weave_text(page, text)
    if woven == text:
        return []
    lines = unified_diff(
        text.splitlines(), woven.splitlines(), page, f"{page}, woven anew", lineterm=""
    )
    return ["\n".join([f"{page} is stale; `meson compile -C build docs` renews it:", *lines])]


def sources():
    """The files that excerpts may be cut from."""
    for folder in ("chapters", "common", "docs", "plots"):
        for path in sorted((weave.ROOT / folder).rglob("*")):
            if path.suffix in weave.LANGUAGES and path.is_file():
                yield str(path.relative_to(weave.ROOT))


def tag_faults(used):
    """Tags are well formed, and each is used in some page."""
    wrong = []
    for path in sources():
        try:
            regions = weave.tags(path)
        except weave.WeaveError as fault:
            wrong.append(str(fault))
            continue
        wrong += [
            f"{path}: no page uses the tag [{tag}]" for tag in regions if (path, tag) not in used
        ]
    return wrong


def link_faults(page):
    """Links within the project lead to files and headings that exist."""
    wrong = []
    for line, target in links(page_text(page)):
        if is_external(target):
            continue
        file, fragment = linked_file(page, target)
        if not target:
            wrong.append(f"{page}:{line}: a link to nothing")
        elif not file.is_relative_to(weave.ROOT):
            wrong.append(f"{page}:{line}: {target} leads out of the project")
        elif not file.exists():
            wrong.append(f"{page}:{line}: {target} does not exist")
        elif fragment and not has_anchor(file, fragment):
            wrong.append(f"{page}:{line}: {target}: no such heading or line there")
    return wrong


def has_anchor(file, fragment):
    """Whether a page has this heading, or a source file this line."""
    if file.is_dir():
        return False
    if file.suffix == ".svg":
        return fragment in ("gh-light-mode-only", "gh-dark-mode-only")
    if file.suffix == ".md":
        return fragment in anchors(file.read_text(encoding="utf-8"))
    lines = re.fullmatch(r"L(\d+)(?:-L(\d+))?", fragment)
    return bool(lines) and int(lines[2] or lines[1]) <= len(
        file.read_text(encoding="utf-8").splitlines()
    )


def figure_faults(pages):
    """Every figure is shown in some page."""
    shown = {
        linked_file(page, target)[0]
        for page in pages
        for _, target in links(page_text(page))
        if not is_external(target)
    }
    figures = sorted((weave.ROOT / "docs/figures").rglob("*.svg"))
    return [
        f"no page shows {file.relative_to(weave.ROOT)}" for file in figures if file not in shown
    ]


MEASURED = re.compile(
    r"(?<![\w.])\d[\d.,\u2009\u202f\u00a0]*(?:[ ]\d{3})*[*_`$~]*"  # the number
    r"(?:\s|&nbsp;|\\,|\\;)*(?:\\?text\w*\{)?[*_`$]*"
    r"(?:(?:[TGM]?FLOP/?s|[KMGT]i?B/s|ms|us|[µμ]s)(?![\w/])"  # and its unit
    r"|(?:times|×|x|%|percent|\$?\\times\$?)\s*(?:as\s+fast|faster|slower)\b)"
)
ALLOWED = re.compile(r"<!-- not measured: \S.*?-->")


def number_faults(page):
    """No measured number is typed by hand. A number that was not measured says so in a comment."""
    text = FENCE.sub(blank, WOVEN.sub(blank, page_text(page)))
    allowed = {line for line, content in enumerate(text.splitlines(), 1) if ALLOWED.search(content)}
    wrong, excused = [], set()
    plain = COMMENT.sub(blank, text)
    for match in MEASURED.finditer(plain):
        first, last = line_of(plain, match.start()), line_of(plain, match.end())
        if reasons := allowed & set(range(first - 1, last + 1)):
            excused |= reasons
        else:
            shown = f"{page}:{first}: '{' '.join(match[0].split())}'"
            wrong.append(f"{shown} is typed by hand; weave it, or add <!-- not measured: why -->")
    wrong += [
        f"{page}:{line}: 'not measured' excuses no number" for line in sorted(allowed - excused)
    ]
    return wrong


def section_faults(page):
    """A chapter's page has its sections in order."""
    first = Path(page).parent.name.startswith("01_")
    wanted = [name for name in SECTIONS if not (first and name in NOT_IN_THE_FIRST)]
    have = [text for level, text in headings(page_text(page)) if level == 2]
    if have == wanted:
        return []
    missing, extra = [n for n in wanted if n not in have], [n for n in have if n not in wanted]
    what = [f"missing: {', '.join(missing)}"] * bool(missing) + [
        f"not expected: {', '.join(extra)}"
    ] * bool(extra)
    return [f"{page}: sections {'; '.join(what) or 'are not in order: ' + ', '.join(have)}"]


# ---- Commands.


def commands(page):
    """(line, command, whether weaving ran it) of each command in a console block."""
    text = page_text(page)
    woven = [match.span() for match in WOVEN.finditer(text)]
    for block in FENCE.finditer(text):
        if block["info"].strip() != "console":
            continue
        ran = any(first <= block.start() < last for first, last in woven)
        line = line_of(text, block.start("body"))
        body = block["body"].replace("\\\n", "\0")
        for content in body.split("\n"):
            if mark := re.match(r"\s*\$ (.*)", content, re.DOTALL):
                yield line, " ".join(mark[1].replace("\0", " ").split()), ran
            line += 1 + content.count("\0")


def words_of(command):
    """The words of a shell command up to its first operator, without VARIABLE=value before them."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split, words = True, []
    for word in lexer:
        if set(word) <= set("();<>|&"):
            break
        if words or not re.match(r"\w+=", word):
            words.append(word)
    return words


def values(words, *options):
    """The values of an option, given as --option VALUE or --option=VALUE, at commas apart."""
    found = []
    for at, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in options:
            found += (value if equals else "".join(words[at + 1 : at + 2])).split(",")
    return found


def needs_gpu(program, words):
    """Whether a command needs a GPU, or takes long on a CPU."""
    if {"--trace", "--list", "--help", "-h"} & set(words):
        return False
    sizes = values(words, "--size", "--sizes", "-m", "-n", "-k")
    return (
        program != "01_cpu"
        or not sizes
        or any(not size.isdigit() or int(size) > 256 for size in sizes)
    )


def program_fault(command):
    """Runs a chapter's command, or has its options parsed if it needs a GPU. The fault, or None."""
    words = words_of(command)
    program = Path(words[0]).name
    broken = values(words, "--break")
    if not needs_gpu(program, words):
        code, text = weave.run(command)
        if code == 0 or code == 1 and broken:
            return None
        return f"ends with {code}: {text.strip()[-500:]}"
    code, text = weave.run(shlex.join([*words, "--list"]))
    if code != 0:
        return f"its options are not understood: {text.strip()[-500:]}"
    known = {line.split()[0] for line in text.splitlines() if line.strip()}
    unknown = [name for name in [*values(words, "--variant"), *broken] if name not in known]
    return f"{program} has no {', '.join(unknown)}" if unknown else None


@functools.lru_cache
def targets(build):
    """The names that `meson compile` takes."""
    return {
        target["name"]
        for target in json.loads((build / "meson-info/intro-targets.json").read_text())
    }


def meson_fault(command):
    """Whether the targets of `meson compile` exist. Without CUDA some do not."""
    words = words_of(command)[2:]
    folder = values(words, "-C")
    if folder != ["build"]:
        return "`meson compile` needs -C build"
    before = ["", *words]
    named = [
        word
        for at, word in enumerate(words)
        if not word.startswith("-") and before[at] not in ("-C", "-j")
    ]
    unknown = [name for name in named if name not in targets(weave.BUILD)]
    if unknown and "measure" not in targets(weave.BUILD):
        raise weave.NotBuilt(f"without CUDA there is no target {', '.join(unknown)}")
    return f"no target {', '.join(unknown)}" if unknown else None


def script_fault(command):
    """Whether a script of common/ exists and can be run."""
    script = weave.ROOT / words_of(command)[0]
    return (
        None
        if script.is_file() and os.access(script, os.X_OK)
        else f"{words_of(command)[0]} is no program"
    )


CHECKS = [
    ("build/chapters/", program_fault),
    ("meson compile", meson_fault),
    ("common/", script_fault),
]


def command_faults(page, skipped):
    """Commands work. Weaving ran its own; those that cannot run here go into `skipped`."""
    wrong = []
    for line, command, ran in commands(page):
        for beginning, check in CHECKS:
            if ran or not re.match(r"(\w+=\S* )*" + re.escape(beginning), command):
                continue
            try:
                fault = check(command)
            except weave.NotBuilt as why:
                skipped.append(f"{page}:{line}: {why}")
                continue
            except (ValueError, weave.WeaveError) as why:
                fault = str(why)
            if fault:
                wrong.append(f"{page}:{line}: `{command}`: {fault}")
    return wrong


# ---- Claims.

CLAIMS = 23  # that articles make: each has a row in docs/claims.md


def claim_faults(text):
    """Complaints about the ledger: a claim without its row, or a row with an empty cell or no link."""
    rows = {}
    for line in text.splitlines():
        if re.match(r"\| \d+ \|", line):
            number, *cells = [cell.strip() for cell in line.strip("|\n").split(" |")]
            rows[int(number)] = cells
    wrong = [f"claim {number} has no row" for number in range(1, CLAIMS + 1) if number not in rows]
    for number, cells in rows.items():
        if len(cells) != 4 or not all(cells) or not LINK.search(cells[-1]):
            wrong.append(f"claim {number} lacks its verdict, its figure or where that is shown")
    return wrong


# ---- The tests.


class Pages(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.pages = weave.pages()
        cls.chapters = sorted(
            str(folder.relative_to(weave.ROOT) / "README.md")
            for folder in (weave.ROOT / "chapters").iterdir()
            if folder.is_dir()
        )

    def settle(self, wrong, skipped=()):
        """Fails with all complaints; skips where something could not be looked at."""
        if wrong:
            self.fail("\n" + "\n".join(wrong))
        if skipped:
            self.skipTest("not all could be checked here:\n" + "\n".join(skipped))

    def test_woven_text_is_fresh(self):
        if weave.Cog is None:
            self.fail(weave.NO_COG)
        wrong, _ = weave_all(tuple(self.pages))
        self.settle(
            wrong, [f"{page}:{line}: a program is not built" for page, line in sorted(weave.kept)]
        )

    def test_every_tag_is_whole_and_used(self):
        if weave.Cog is None:
            self.fail(weave.NO_COG)
        _, errors = weave_all(tuple(self.pages))
        wrong = tag_faults(weave.used)
        if errors and wrong:
            wrong.append("(some pages cannot be woven, and what they use may not be known)")
        self.settle(wrong)

    def test_every_link_leads_somewhere(self):
        self.settle([fault for page in self.pages for fault in link_faults(page)])

    def test_every_figure_is_shown(self):
        self.settle(figure_faults(self.pages))

    def test_no_measured_number_is_typed_by_hand(self):
        self.settle([fault for page in self.pages for fault in number_faults(page)])

    def test_every_chapter_has_its_page(self):
        self.settle(
            [f"{page} is missing" for page in self.chapters if not (weave.ROOT / page).is_file()]
        )

    def test_chapters_have_their_sections_in_order(self):
        there = [page for page in self.chapters if (weave.ROOT / page).is_file()]
        self.settle([fault for page in there for fault in section_faults(page)])

    def test_every_claim_is_settled(self):
        self.settle(claim_faults(page_text("docs/claims.md")))

    def test_commands_work(self):
        skipped = []
        self.settle(
            [fault for page in self.pages for fault in command_faults(page, skipped)], skipped
        )


@functools.lru_cache
def weave_all(pages):
    """Weaves every page once: (complaints, how many pages could not be woven)."""
    wrong, errors = [], 0
    for page in pages:
        try:
            wrong += freshness(page)
        except weave.CogError as fault:
            wrong.append(str(fault))
            errors += 1
    return wrong, errors


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    weave.BUILD = Path(sys.argv.pop(1)).resolve()
    if not (weave.BUILD / "meson-info").is_dir():
        sys.exit(f"{weave.BUILD} is no build directory")
    unittest.main()
