"""Records out of streams in every layout and every state."""

import io
import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.importers.formats.json_stream import RECORD_MOST, Value, read_values
from memory.importers.formats.records import Broken
from tests.importers.files import SMALL, entity, lines, relation
from tests.startup.product import CHECKOUT

RECORDS = list(SMALL)
DOCUMENT = {"entities": RECORDS[:3], "relations": RECORDS[3:]}


def found(content: bytes) -> list[Value | Broken]:
    return list(read_values(io.BytesIO(content)))


def values(content: bytes) -> list[Any]:
    return [one.value for one in found(content) if isinstance(one, Value)]


def broken(content: bytes) -> list[tuple[int, str]]:
    return [(one.line, one.code) for one in found(content) if isinstance(one, Broken)]


LAYOUTS = {
    "one a line": lines(RECORDS),
    "with a last line end": lines(RECORDS) + b"\n",
    "with empty lines": lines(RECORDS).replace(b"\n", b"\n\n   \n"),
    "windows": b"\xef\xbb\xbf" + lines(RECORDS).replace(b"\n", b"\r\n"),
    "files joined with their marks": b"\xef\xbb\xbf" + lines(RECORDS[:2]) + b"\n\xef\xbb\xbf" + lines(RECORDS[2:]),
    "glued": lines(RECORDS).replace(b"\n", b""),
    "two glued": lines(RECORDS).replace(b"\n", b"", 1),
    "escaped": "\n".join(json.dumps(record) for record in RECORDS).encode(),
    "pretty": "\n".join(json.dumps(record, indent=2) for record in RECORDS).encode(),
    "pretty and glued": "".join(json.dumps(record, indent=1) for record in RECORDS).encode(),
    "array": json.dumps(RECORDS).encode(),
    "pretty array": json.dumps(RECORDS, indent=4).encode(),
    "array of lines": b"[\n" + lines(RECORDS).replace(b"\n", b",\n") + b"\n]\n",
    "document": json.dumps(DOCUMENT).encode(),
    "pretty document": json.dumps(DOCUMENT, indent=2).encode(),
    "document with more": json.dumps({"meta": {"a": [{"b": "x"}]}, **DOCUMENT, "z": [{"c": 1}]}, indent=2).encode(),
    "a crash's zeros": lines(RECORDS[:2]) + b"\n" + b"\x00" * 5000 + lines(RECORDS[2:]),
    "record separators": b"".join(b"\x1e" + lines([record]) + b"\n" for record in RECORDS),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_records(layout: str) -> None:
    assert values(LAYOUTS[layout]) == RECORDS
    assert broken(LAYOUTS[layout]) == []


def test_records_know_the_line_on_which_they_begin() -> None:
    assert [one.line for one in found(LAYOUTS["one a line"])] == [*range(1, len(RECORDS) + 1)]
    pretty = json.dumps(RECORDS[0], indent=2)
    assert [one.line for one in found(f"\n{pretty}\n{pretty}".encode())] == [2, 2 + len(pretty.splitlines())]


A, B, C = (lines([entity(name, ["x", "y"])]) for name in "ABC")
CUTS = {
    "in a string": A[:30],
    "after a comma": A[: A.index(b"[") - 16],
    "in a list": A[: A.index(b'"y"')],
    "in a literal": b'{"a": tru',
    "with a quote too many": A.replace(b'"x"', b'"x""'),
    "with a bracket too few": A.replace(b"]", b""),
    "without a colon": A.replace(b'"name":', b'"name"'),
}


@pytest.mark.parametrize("cut", CUTS)
def test_a_damaged_line_costs_only_itself(cut: str) -> None:
    content = b"\n".join([B, CUTS[cut], C, B])

    assert values(content) == values(b"\n".join([B, C, B]))
    assert broken(content) == [(2, "bad_json")]


@pytest.mark.parametrize("cut", ["in a string", "after a comma", "in a list", "in a literal"])
def test_a_last_line_that_was_cut_is_torn(cut: str) -> None:
    content = B + b"\n" + CUTS[cut]

    assert values(content) == values(B)
    assert broken(content) == [(2, "torn")]


def test_what_was_appended_to_half_a_record_is_found() -> None:
    content = b"\n".join([B, A[:40] + C, B])

    assert values(content) == values(b"\n".join([B, C, B]))
    assert broken(content) == [(2, "bad_json")]


def test_a_damaged_record_inside_a_pretty_document_is_one_error() -> None:
    document = json.dumps(DOCUMENT, indent=2, ensure_ascii=False).encode()
    spoilt = document.replace(b'"lives in Porto"', b'"lives "in" Porto"')
    assert spoilt != document

    assert values(spoilt) == RECORDS[1:]
    assert broken(spoilt) == [(3, "bad_json")]


def test_a_document_that_is_cut_keeps_what_was_whole() -> None:
    document = json.dumps(DOCUMENT, indent=2).encode()
    content = document[: document.index(b'"has 14')]

    assert values(content) == RECORDS[:1]
    assert {code for _, code in broken(content)} == {"torn"}


@pytest.mark.parametrize("depth", [150, 5_000, 300_000])
def test_deep_nesting_is_an_error_and_not_an_exception(depth: int) -> None:
    open_only = b'{"a":' + b"[" * depth
    assert broken(open_only + b"\n" + B) == [(1, "too_deep")]
    assert values(open_only + b"\n" + B) == values(B)
    if depth > 1000:
        assert broken(open_only + b"]" * depth + b"}\n" + B) == [(1, "too_deep")]


def test_a_record_may_have_sixteen_mebibytes_and_no_more() -> None:
    shell = len(b'{"a":""}')
    most = b'{"a":"' + b"x" * (RECORD_MOST - shell) + b'"}'
    more = b'{"a":"' + b"x" * (RECORD_MOST - shell + 1) + b'"}'

    assert len(values(most + b"\n" + B)) == 2
    assert broken(more + b"\n" + B) == [(1, "line_too_long")]
    assert values(more + b"\n" + B) == values(B)
    assert broken(b'"' + b"x" * (RECORD_MOST + 2**21) + b"\n" + B) == [(1, "line_too_long")]


def test_escapes_and_wide_characters_survive_the_seams_between_pieces() -> None:
    text = "\\" * 700_001 + '"' * 300_000 + "ы🐾" * 300_000
    assert values(json.dumps({"a": text}, ensure_ascii=False).encode()) == [{"a": text}]
    assert values(json.dumps([{"a": text}, {"b": text}]).encode()) == [{"a": text}, {"b": text}]


def test_bytes_that_are_no_text_become_marks() -> None:
    assert values(b'{"a":"caf\xe9 \xff"}\n{"b":1}') == [{"a": "caf\ufffd \ufffd"}, {"b": 1}]


def test_numbers_beyond_all_bounds_are_an_error() -> None:
    assert broken(b'{"a":' + b"9" * 5000 + b"}\n" + B) == [(1, "bad_json")]
    assert len(values(b'{"a":1e999}\n{"a":NaN}\n')) == 2


@pytest.mark.parametrize("junk", [b"hello", b'"a string"', b"42", b"}", b"null", b"<html>"])
def test_a_line_that_is_no_object_is_one_error(junk: bytes) -> None:
    assert broken(B + b"\n" + junk + b"\n" + C) == [(2, "bad_json")]
    assert values(B + b"\n" + junk + b"\n" + C) == values(B + b"\n" + C)


PIECES = st.one_of(
    st.sampled_from([b"{", b"}", b"[", b"]", b'"', b",", b":", b"\n", b"\\", b"\x00", b"\xff", b'{"entities":['])
    | st.sampled_from([A, B, lines([relation("A", "B")]), json.dumps(DOCUMENT, indent=1).encode()]),
    st.binary(max_size=8),
)


@settings(deadline=None)
@given(st.lists(PIECES, max_size=12), st.data())
def test_a_mangled_file_never_raises(pieces: list[bytes], data: st.DataObject) -> None:
    content = b"".join(pieces)
    begin = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(begin, min(len(content), begin + 20)))
    content = content[:begin] + data.draw(st.binary(max_size=4)) + content[end:]

    results = found(content)

    last = content.count(b"\n") + 1
    assert all(1 <= one.line <= last for one in results)
    assert all(one.message.isascii() for one in results if isinstance(one, Broken))


@settings(deadline=None)
@given(st.sampled_from(sorted(LAYOUTS)), st.integers(0, 1000), st.integers(1, 5))
def test_the_seams_between_pieces_make_no_difference(layout: str, seam: int, width: int) -> None:
    """The same with spaces that move every record against the seams of one mebibyte."""
    content = LAYOUTS[layout]
    pad = b" " * (2**20 - seam % (len(content) + 1) * width)
    assert values(pad + content.removeprefix(b"\xef\xbb\xbf")) == RECORDS


MEASURE = """
import io, sys
from memory.importers.formats.json_stream import read_values
class Endless(io.RawIOBase):
    def __init__(self, block, times): self.block, self.left, self.rest = block, times, b""
    def readable(self): return True
    def readinto(self, buffer):
        if not self.rest and self.left: self.rest, self.left = self.block, self.left - 1
        part, self.rest = self.rest[:len(buffer)], self.rest[len(buffer):]
        buffer[:len(part)] = part
        return len(part)
count = sum(1 for _ in read_values(io.BufferedReader(Endless(bytes.fromhex(sys.argv[1]), int(sys.argv[2])))))
status = open("/proc/self/status").read()
print(count, status.split("VmHWM:")[1].split()[0])
"""


def read_apart(block: bytes, times: int) -> tuple[int, int]:
    """Records in ``times`` blocks, and the most memory that a process of its own held for them, in KiB."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, block.hex(), str(times)],
        cwd=CHECKOUT,
        env={"DJANGO_SETTINGS_MODULE": "pawflow_web.settings", "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    count, most = done.stdout.split()
    return int(count), int(most)


@pytest.mark.parametrize("layout", ["one a line", "glued", "pretty"])
def test_memory_does_not_grow_with_the_file(layout: str) -> None:
    end = b"" if layout == "glued" else b"\n"
    block = (LAYOUTS[layout] + end) * 40

    few, small = read_apart(block, 2)
    lot, large = read_apart(block, 400)

    assert (few, lot) == (2 * 40 * len(RECORDS), 400 * 40 * len(RECORDS))
    assert large - small < 12_000
