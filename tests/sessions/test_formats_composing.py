"""Times, paths and words out of loosely typed values."""

import pytest

from conversations.sessions.formats.composing import call_text, milliseconds, paths_in, string_of, text_of_blocks


@pytest.mark.parametrize(
    ("value", "time"),
    [
        ("2026-01-01T00:00:00Z", 1767225600000),
        ("2026-01-01T00:00:00.123456Z", 1767225600123),
        ("2026-01-01T01:00:00+01:00", 1767225600000),
        ("2026-01-01T00:00:00", 1767225600000),
        (1767225600, 1767225600000),
        (1767225600.5, 1767225600500),
        (1767225600000, 1767225600000),
        (3000000000.0, 3000000000000),
        (0, 0),
    ],
)
def test_a_time_is_read_as_milliseconds(value, time):
    assert milliseconds(value) == time


@pytest.mark.parametrize(
    "value",
    [None, True, "yesterday", "", "12", "20260101", -1, 1e400, float("nan"), 10**400, [], {}, "0001-01-01T00:00:00Z"],
)
def test_what_is_no_time_is_none(value):
    assert milliseconds(value) is None


@pytest.mark.parametrize(
    "key",
    [
        "file",
        "files",
        "Path",
        "paths",
        "file_path",
        "old_paths",
        "a_file",
        "filePath",
        "inputFiles",
        "filename",
        "fileName",
    ],
)
def test_a_key_that_names_files_gives_paths(key):
    assert paths_in({key: " a.py "}) == ("a.py",)


@pytest.mark.parametrize("key", ["profile", "Profile", "dir", "cwd", "command", "xpath", "pathology", "files_count"])
def test_a_key_that_names_none_gives_none(key):
    assert paths_in({key: "a.py"}) == ()


def test_paths_are_found_inside_once_and_in_order():
    arguments = {
        "edits": [{"path": "b"}, {"path": "a"}],
        "files": ["b", ["c"], {"text": "no"}, " "],
        "path": {"x": "no"},
    }
    assert paths_in(arguments) == ("b", "a", "c")


def test_the_words_of_a_call_are_compact_and_whole():
    assert call_text("run", {"é": ["x" * 1000, None]}) == f'Tool: run({{"é":["{"x" * 1000}",null]}})'
    assert call_text("run", None) == "Tool: run({})"


def test_words_can_be_kept():
    assert string_of("half \ud83d, zero \0, whole 😀") == "half \ufffd, zero \ufffd, whole 😀"
    assert text_of_blocks(["a", {"text": "b"}, {"text": 1}, None, {"image": "x"}]) == "a\nb"
