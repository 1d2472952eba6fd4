"""Markdown memory files, as people and agents write them."""

import tracemalloc
from io import BytesIO, RawIOBase

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.importers.formats import dump, markdown
from memory.importers.formats.records import Record
from review.limits import TEXT_MOST
from tests.factories import GITHUB_TOKEN
from tests.importers.reading import Reader, full, left_out, of_markdown, read_all


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- one\n* two\n+ three\n1. four\n2) five\n", [(1, "one"), (2, "two"), (3, "three"), (4, "four"), (5, "five")]),
        ("One sentence\nin two lines.\n\nAnother.", [(1, "One sentence in two lines."), (4, "Another.")]),
        ("- an entry\n  that goes on\nand on\n- next", [(1, "an entry that goes on and on"), (4, "next")]),
        ("- [ ] open\n- [x] done", [(1, "open"), (2, "done")]),
        ("> quoted\n> words\n\n> [!note] Called out", [(1, "quoted words"), (4, "Called out")]),
        ("- **Name**: Ada\n- uses `**/*.md` and src/**/x", [(1, "Name: Ada"), (2, "uses `**/*.md` and src/**/x")]),
        ("# Title\n\nTitle\n=====\nbelow\n\nSub\n---\nlast", [(5, "below"), (9, "last")]),
        ("a\n***\nb\n- - -\nc\n", [(1, "a"), (3, "b"), (5, "c")]),
        ("In 2019. it was so\n2019. is no entry", [(1, "In 2019. it was so 2019. is no entry")]),
        ("- entry\n\n  its second paragraph\n\nnot in the list", [(1, "entry"), (3, "its second paragraph"),
                                                                    (5, "not in the list")]),
        ("#tag is no heading\n", [(1, "#tag is no heading")]),
        ("- \n-\n- said", [(3, "said")]),
        ("", []),
        ("\n \n\t\n", []),
    ],
)  # fmt: skip
def test_each_entry_and_each_paragraph_is_a_note(text: str, expected: list[tuple[int, str]]) -> None:
    assert [pair for pair in of_markdown(text) if pair[1]] == expected


def test_what_ends_with_a_colon_names_what_is_below_it() -> None:
    text = """When writing tests:

- use pytest
- **Speed:**
  - no sleeps
    - not even short ones
  - no network
- mock nothing

- a new list
"""
    assert of_markdown(text) == [
        (3, "When writing tests: use pytest"),
        (5, "When writing tests: Speed: no sleeps"),
        (6, "When writing tests: Speed: not even short ones"),
        (7, "When writing tests: Speed: no network"),
        (8, "When writing tests: mock nothing"),
        (10, "When writing tests: a new list"),
    ]
    assert of_markdown("Rules:\n- a\n\nwords\n\n- b") == [(2, "Rules: a"), (4, "words"), (6, "b")]
    assert left_out(markdown.read, "Run it with:\n```\nmake\n```\nwords") == [(1, "label"), (2, "code")]


def test_rows_of_a_table_name_their_columns() -> None:
    text = "| to | do | |\n|---|:---:|---|\n| test | `make test` | x |\n| a \\| b | | |\nnot a row\n"

    assert of_markdown(text) == [(3, "to: test; do: `make test`; x"), (4, "to: a | b"), (5, "not a row")]
    assert of_markdown("a | b\nc | d") == [(1, "a | b c | d")]


def test_code_comments_and_generated_parts_are_left_out_and_counted() -> None:
    text = """- said

```python
- not said
```
<!-- - hidden -->
- also <!-- not this --> said

words

    indented = code
    - still code

<!-- PROJECT:GENERATED-START -->
<!-- do not edit -->
- generated
<!-- PROJECT-GENERATED-END -->
@docs/more.md
![a picture](x.png)
~~~
open to the end
"""
    assert of_markdown(text) == [(1, "said"), (7, "also said"), (9, "words")]
    assert left_out(markdown.read, text) == [
        (3, "code"), (11, "code"), (14, "generated"), (18, "include"), (19, "image"), (20, "code"), (20, "torn"),
    ]  # fmt: skip
    assert of_markdown("Use `<!-- x -->` for comments") == [(1, "Use `<!-- x -->` for comments")]
    assert left_out(markdown.read, "<!-- never closed\n- a") == [(1, "torn")]


def test_an_answer_inside_one_fence_is_read() -> None:
    text = "```markdown\n# Identity\n- Name is Ada\n```python\nx\n```\n- Likes tea\n```\n"
    assert of_markdown(text) == [(3, "Name is Ada"), (7, "Likes tea")]
    assert left_out(markdown.read, text) == [(4, "code")]


def test_comments_with_a_date_say_since_when() -> None:
    found = full(markdown.read, "# Notes\nfirst\n\n<!-- 2026-06-01 10:00 -->\nsecond\n\n<!-- 2026-13-01 -->\nthird\n")
    assert [(note.text, note.since) for note in found] == [("first", ""), ("second", "2026-06-01"), ("third", "")]


@pytest.mark.parametrize(
    ("heading", "tags", "category"),
    [
        ("# Identity", ("identity",), "facts"),
        ("## About me", ("identity", "about-me"), "facts"),
        ("## Preferences", ("preferences",), "preferences"),
        ("### Coding style", ("coding-style",), "preferences"),
        ("## Rules", ("rule", "rules"), "advice"),
        ("## Decisions", ("decision", "decisions"), "facts"),
        ("## Timeline", ("timeline",), "events"),
        ("## Lessons learned", ("lessons-learned",), "discoveries"),
        ("## Tips", ("tips",), "advice"),
        ("## Project", ("project",), "facts"),
        ("## Küche & Bad", ("küche-bad",), ""),
        ("# CLAUDE.md", (), ""),
        (f"## The key {GITHUB_TOKEN}", (), ""),
    ],
)
def test_headings_become_tags_and_where_plain_a_category(heading: str, tags: tuple[str, ...], category: str) -> None:
    (note,) = full(markdown.read, f"{heading}\n- words\n")
    assert (note.tags, note.category) == (tags, category)


def test_the_nearest_headings_count() -> None:
    text = "# Shop\n## Preferences\n- a\n### Editor\n- b\n## Backend\n- c\n# Other\n- d\n"
    found = full(markdown.read, text)

    assert [(note.text, note.tags, note.category) for note in found] == [
        ("a", ("shop", "preferences"), "preferences"),
        ("b", ("shop", "preferences", "editor"), "preferences"),
        ("c", ("shop", "backend"), ""),
        ("d", (), ""),
    ]


def test_the_head_of_a_note_is_data() -> None:
    text = """---
name: testing
type: feedback
tags: [Pytest, "Two Words"]
aliases:
  - x
created: 2026-05-12T10:00:00Z
status: active
scope: global
---
# Testing
Mock nothing.
"""
    (note,) = full(markdown.read, text)
    assert (note.text, note.tags, note.category, note.since) == (
        "Mock nothing.",
        ("rule", "pytest", "two-words", "testing"),
        "advice",
        "2026-05-12",
    )
    assert of_markdown("---\nnot a head\n---\n- said\n")[-1] == (4, "said")
    assert of_markdown("---\nkey: never closed\n- said\n") == [(2, "key: never closed"), (3, "said")]
    (listed,) = full(markdown.read, "---\ntags:\n  - Person\n  - '#friend'\ncategory: events\n---\nwords")
    assert (listed.tags, listed.category) == (("person", "friend"), "events")


def test_the_quote_is_the_passage_and_doubt_is_kept() -> None:
    (note,) = full(markdown.read, "- **Lives** in\n  Lisbon (uncertain)\n")
    assert (note.text, note.quote) == ("Lives in Lisbon (uncertain)", "**Lives** in\nLisbon (uncertain)")
    assert (note.uncertain, note.tags) == (True, ("uncertain",))
    (sure,) = full(markdown.read, "- Lives in Lisbon\n")
    assert (sure.uncertain, sure.tags) == (False, ())


ENCODED = {
    "utf-8": "- Дарья\r\n- likes tea\r\n".encode(),
    "utf-8 with mark": b"\xef\xbb\xbf" + "- Дарья\n- likes tea".encode(),
    "utf-16": "- Дарья\n- likes tea\n".encode("utf-16"),
    "utf-16 without mark": "- likes tea and more\n- likes tea".encode("utf-16-be"),
    "utf-32": "- Дарья\n- likes tea\n".encode("utf-32"),
    "old line ends": "- Дарья\r- likes tea\r".encode(),
    "zeros": "- Да\0рья\n\0- likes tea\n".encode(),
}


@pytest.mark.parametrize("name", ENCODED)
def test_lines_are_those_of_an_editor_in_any_encoding(name: str) -> None:
    assert of_markdown(ENCODED[name])[-1] == (2, "likes tea")


def test_what_is_not_text_costs_itself() -> None:
    text = b"- before\n" + b"x" * 70_000 + b"\n- \xff\xfe broken\n- after"

    assert of_markdown(text) == [(1, "before"), (3, "\ufffd\ufffd broken"), (4, "after")]
    assert left_out(markdown.read, text) == [(2, "line_too_long")]
    assert of_markdown("- " + "y" * (64 * 1024 - 2) + "\n- after")[-1] == (2, "after")


def test_what_is_too_long_for_a_belief_stays_too_long() -> None:
    (note,) = full(markdown.read, "\n".join(["word " * 100] * 100))
    assert TEXT_MOST < len(note.text) < TEXT_MOST + 200


class Endless(RawIOBase):
    """A file of so many bytes that is never whole anywhere."""

    def __init__(self, block: bytes, size: int) -> None:
        self._block = block
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0, /) -> int:
        self._at = offset
        return offset

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1, /) -> bytes:
        size = max(0, min(size, self._size - self._at))
        begin = self._at % len(self._block)
        self._at += size
        return (self._block * (size // len(self._block) + 2))[begin : begin + size]


@pytest.mark.parametrize("reader", [markdown.read, dump.read])
@pytest.mark.parametrize(
    "block",
    [
        b"- likes tea" + b" of every sort" * 20 + b"\n",
        b"x" * 4096,
        b"<!--" + b"x" * 300 + b"\n",
        b"word " * 60 + b"\n",
        b"\0" * 100,
        b"```\n" + b"x" * 500 + b"\n",
    ],
    ids=["entries", "one line", "comment", "one paragraph", "zeros", "code"],
)
def test_a_file_of_any_length_takes_little_memory(reader: Reader, block: bytes) -> None:
    tracemalloc.start()
    try:
        for _ in reader(Endless(block, 3 * 2**20)):  # type: ignore[arg-type]  # as much of a stream as is asked
            pass
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2 * 2**20


PIECES = st.sampled_from(
    [
        "- ", "* ", "1. ", "# ", "## ", "---", "===", "```", "~~~", "```markdown", "<!--", "-->", "|", "|---|---|",
        "> ", "[ ] ", ":", "**", "\t", "    ", "\n", "\n\n", "\r\n", "\r", "\0", "\ufeff", "\u2028", "@x", "![a](b)",
        "word", "[2026-05-12]", "GENERATED-START", "GENERATED-END", "2026-06-01", "tags: [a", "\u202e", "é",
        "(uncertain)", '["', '"]', '{"', "Saved memories", ",",
    ]
)  # fmt: skip
MANGLED = st.one_of(
    st.lists(st.one_of(PIECES, st.text(max_size=12)), max_size=60).map(lambda parts: "".join(parts).encode()),
    st.binary(max_size=400),
    st.lists(PIECES, max_size=40).map(lambda parts: "".join(parts).encode("utf-16")[1:]),
)


@pytest.mark.parametrize("reader", [markdown.read, dump.read])
@settings(max_examples=1000, deadline=None)
@given(raw=MANGLED)
def test_no_file_raises_and_every_line_is_one_of_the_file(reader: Reader, raw: bytes) -> None:
    found = read_all(reader, raw)

    lines = raw.count(b"\n") + raw.count(b"\r") + 1
    assert all(1 <= one.line <= lines for one in found)
    assert [note for one in found if isinstance(one, Record) for note in one.notes] == full(reader, raw)


def test_a_stream_stays_open_for_the_next_look() -> None:
    stream = BytesIO(b"- one\n- two\n")
    next(iter(markdown.read(stream)))
    assert [one.line for one in markdown.read(stream)] == [1, 2]
    assert not stream.closed
