"""Pasted memories, one on each line."""

import json

import pytest

from memory.importers.formats import dump, markdown
from tests.importers.reading import full, left_out, notes, of_dump

SAVED = """Saved memories
1. [2025-05-12]. The user prefers pytest.
2. [2025-06]. User lives in Porto

User has a cat named Miso. (2025-07-01)
“Is learning Japanese.”
Delete
Manage memories
"""

ANSWER = """```markdown
# Identity
- Name is Ada Example
- Lives in Lisbon (uncertain)

# Preferences
- Prefers pytest and ruff
- Likes green tea; dislikes coffee

# Projects
1. Building a governed memory service in Django
2) Migrating a home server to Debian 13

# Constraints
- An API token exists for the CI system (value not shown)
```
"""


def test_saved_memories_of_a_chat() -> None:
    found = full(dump.read, SAVED)

    assert [(note.text, note.since) for note in found] == [
        ("The user prefers pytest.", "2025-05-12"),
        ("User lives in Porto", "2025-06"),
        ("User has a cat named Miso", "2025-07-01"),
        ("“Is learning Japanese.”", ""),
    ]
    assert [line for line, _ in of_dump(SAVED)] == [2, 3, 5, 6]
    assert left_out(dump.read, SAVED) == [(1, "interface"), (7, "interface"), (8, "interface")]


def test_an_answer_in_a_fence_gives_the_same_as_markdown() -> None:
    found = full(dump.read, ANSWER)

    assert len(found) == 7
    assert [note.uncertain for note in found] == [False, True, False, False, False, False, False]
    assert {note.category for note in found} == {"facts", "preferences", "advice"}
    assert notes(dump.read, ANSWER) == notes(markdown.read, ANSWER)
    assert of_dump("```\n- a\n- b\n```") == [(2, "a"), (3, "b")]


def test_other_languages_and_plain_lines() -> None:
    text = "## Kimlik\n- Adı Ada Örnek\n- Ankara'da yaşıyor\n\nDüz paragraf: haftada bir rapor yazıyor.\n"
    assert of_dump(text) == [
        (2, "Adı Ada Örnek"),
        (3, "Ankara'da yaşıyor"),
        (5, "Düz paragraf: haftada bir rapor yazıyor."),
    ]


def test_lines_hang_under_their_entry_and_names_stand_before() -> None:
    text = (
        "Preferences:\n- Editor:\n  - vim\n  - no plugins\n- tea\n  of all sorts\n\n**Work**\n• Acme\nplain\n  and on\n"
    )

    assert of_dump(text) == [
        (3, "Editor: vim"),
        (4, "Editor: no plugins"),
        (5, "tea of all sorts"),
        (9, "Acme"),
        (10, "plain and on"),
    ]
    assert [note.tags for note in full(dump.read, text)] == [("preferences",)] * 3 + [("work",)] * 2


def test_a_line_that_is_a_date_dates_those_below() -> None:
    text = "May 12, 2025\nlikes tea\n2025-06-01:\nlikes coffee\n## Later\nlikes water\n"
    assert [(note.text, note.since) for note in full(dump.read, text)] == [
        ("likes tea", "2025-05-12"),
        ("likes coffee", "2025-06-01"),
        ("likes water", ""),
    ]


@pytest.mark.parametrize(
    ("line", "since"),
    [
        ("[2025-05-12] x", "2025-05-12"),
        ("(12 May 2025): x", "2025-05-12"),
        ("x [May 5, 2025]", "2025-05-05"),
        ("[2025-02-30] x", ""),
        ("[2025] x", ""),
        ("[1] x", ""),
        ("[9999-12-31] x", ""),
    ],
)
def test_dates_in_brackets(line: str, since: str) -> None:
    (note,) = full(dump.read, f"- {line}\n")
    assert (note.text, note.since) == ("x" if since else line, since)


def test_a_date_alone_dates_nothing() -> None:
    assert [(note.text, note.since) for note in full(dump.read, "- [2025-05-12]\n- x\n")] == [
        ("[2025-05-12]", ""),
        ("x", ""),
    ]


def test_a_json_array_of_texts() -> None:
    values = [
        "likes tea",
        {"content": "lives in Porto", "created_at": "2025-05-12T01:02:03Z", "tags": ["Home"], "type": "identity"},
        {"nothing": 1},
        5,
        "likes tea",
    ]
    raw = json.dumps(values, indent=1).encode()

    found = full(dump.read, raw)

    assert [(note.text, note.tags, note.category, note.since) for note in found[:2]] == [
        ("likes tea", (), "", ""),
        ("lives in Porto", ("identity", "home"), "facts", "2025-05-12"),
    ]
    assert [note.fault and note.fault[0] for note in found] == [None, None, "not_text", None]
    assert [line for line, _ in of_dump(raw)] == [2, 3, 11, 15]
    assert left_out(dump.read, raw) == [(14, "untyped")]
    assert left_out(dump.read, raw[:-10]) == [(14, "untyped"), (15, "bad_json")]
    assert left_out(dump.read, b'["a",\n"b"') == [(2, "torn")]
    assert of_dump(b'["Quoted" words](x)') == [(1, '["Quoted" words](x)')]
