"""Lines as long as a line may be, made to have a pattern try the same characters again and again."""

import importlib
import io
import pkgutil
import re
import time
from collections.abc import Iterator

import pytest

from memory import importers
from memory.importers.formats import dump, markdown
from memory.importers.formats.dates import lone_date, trailing_date
from memory.importers.formats.detection import detect
from memory.importers.formats.text_lines import LINE_MOST
from tests.importers.reading import Reader, of_dump, of_markdown

# What a pattern begins with, and what disappoints it after a long row of blanks or full stops.
STARTS = (
    "", "# a", "#", "a|b", "|", "| -", "-", "- ", "---", "===", "1.", "> ", "*", "**a", "```", "~~~", "<!--", "@a",
    "![", "![a](", "[x]", "[!a]", "2025-05-12", "[2025-05-12]", "[May", "(12 May", "key", "key:", "tags: [", '"',
    "{", "[{",
)  # fmt: skip
FILLERS = (" ", ".", "\t", "- ", "| ", "[May ")
ENDS = ("x", "`", "|", "")

# Linear work on one line takes milliseconds; work by its square takes ten seconds and more.
SECONDS_FOR_A_LINE = 1.0


def hostile() -> Iterator[str]:
    for start in STARTS:
        for filler in FILLERS[:2]:
            yield from (f"{start}{filler * LINE_MOST}"[: LINE_MOST - 1] + end for end in ENDS)
    for filler in FILLERS[2:]:
        yield from (f"{filler * LINE_MOST}"[: LINE_MOST - 1] + end for end in ENDS)


def patterns() -> dict[str, re.Pattern[str]]:
    """Every one that a module of the importers makes."""
    found = {}
    for module in pkgutil.walk_packages(importers.__path__, "memory.importers."):
        short = module.name.rpartition(".")[2]
        for name, value in vars(importlib.import_module(module.name)).items():
            values = value if isinstance(value, dict) else {name: value}
            found |= {f"{short}.{key}": one for key, one in values.items() if isinstance(one, re.Pattern)}
    return found


LINES = list(hostile())
# Patterns that the code never gives a whole line.
GIVEN_AT_MOST = {"sections._NO_SLUG": 1000}


@pytest.mark.parametrize("name", patterns())
def test_no_pattern_takes_the_square_of_a_line(name: str) -> None:
    pattern = patterns()[name]
    for line in LINES:
        began = time.process_time()
        pattern.match(line, 0, GIVEN_AT_MOST.get(name, len(line)))
        assert time.process_time() - began < SECONDS_FOR_A_LINE, line[:20]


def test_there_are_patterns_to_look_at() -> None:
    assert {"markdown.HEADING", "markdown.image", "detection._MARKED", "dates._TRAILING", "regions._FENCE"} <= set(
        patterns()
    )


@pytest.mark.parametrize("reader", [markdown.read, dump.read], ids=["markdown", "dump"])
def test_a_file_of_such_lines_is_read_in_time(reader: Reader) -> None:
    for line in LINES:
        raw = f"said before\n{line}\na|b\n{line}\n".encode()
        began = time.process_time()
        detect(io.BytesIO(raw)) if not line.startswith(("{", "[")) else None
        list(reader(io.BytesIO(raw)))
        assert time.process_time() - began < SECONDS_FOR_A_LINE, line[:20]


def test_a_date_is_looked_for_in_time() -> None:
    line = "." * LINE_MOST + "b" + "." * LINE_MOST
    began = time.process_time()

    assert trailing_date(f"{line}x") == (f"{line}x", "")
    assert trailing_date(f"a{line} [2025-05-12]") == ("a" + line.rstrip("."), "2025-05-12")
    assert time.process_time() - began < SECONDS_FOR_A_LINE


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("# Rules", "Rules"),
        ("#\tRules \t", "Rules"),
        ("## Rules ##", "Rules"),
        ("## Rules #####  ", "Rules"),
        ("# C#", "C#"),
        ("# C# #", "C#"),
        ("# #Rules", "#Rules"),
        ("# #", ""),
        ("###", ""),
        ("#   ", ""),
        ("   ###### a  b", "a  b"),
    ],
)
def test_the_words_of_a_heading(line: str, title: str) -> None:
    heading = markdown.HEADING.match(line)

    assert heading is not None
    assert markdown.title_of(heading) == title


@pytest.mark.parametrize("line", ["#Rules", "####### Rules", "    # Rules", "Rules #"])
def test_what_is_no_heading(line: str) -> None:
    assert markdown.HEADING.match(line) is None


def test_what_the_patterns_find_stays_the_same() -> None:
    assert of_markdown("| a | b |\n|:--|--:|\n| 1 | 2 |\n") == [(3, "a: 1; b: 2")]
    assert of_markdown("a | b\n- | -\n1 | 2\n") == [(3, "a: 1; b: 2")]
    assert of_markdown("~~~~  py ~\nx = 1\n~~~~\n- said\n") == [(4, "said")]
    assert of_dump("- said . . [2025-05-12]\n") == [(1, "said")]
    assert [lone_date(text) for text in ("2025-05-12", " [May 3, 2025] : ", "2025-05:", "2025-05 x")] == [
        "2025-05-12",
        "2025-05-03",
        "2025-05",
        "",
    ]
