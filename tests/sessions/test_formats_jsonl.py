"""Records of sources that hold one object after another: every byte in its place, and no hostile source slow."""

import json
import time

import pytest

from conversations.sessions.entries import Bad, Record
from conversations.sessions.formats.jsonl import records_of_lines

MEGABYTES = 5_000_000


def found(source: bytes, **where: int) -> list[object]:
    """The values of the records, and the codes of what is none."""
    return [one.code if isinstance(one, Bad) else one.value for one in records_of_lines(source, **where)]


def pieces(source: bytes) -> list[bytes]:
    return [source[one.start : one.end] for one in records_of_lines(source)]


def test_a_mark_of_byte_order_blank_lines_and_either_end_of_line_are_no_part_of_a_record():
    source = '\ufeff{"a":1}\r\n\r\n \n{"é":2} \n\ufeff{"c":3}'.encode()
    assert pieces(source) == [b'{"a":1}', '{"é":2}'.encode(), b'{"c":3}']
    assert found(source) == [{"a": 1}, {"é": 2}, {"c": 3}]


def test_places_are_bytes_where_characters_are_longer():
    source = '{"a":"日本 😀"}\n{"b":"é"}{"c":"ü"}\n'.encode()
    records = [one for one in records_of_lines(source) if isinstance(one, Record)]
    assert [json.loads(source[one.start : one.end]) for one in records] == [one.value for one in records]
    assert [one.ordinal for one in records] == [0, 1, 2]


def test_bytes_that_are_no_text_are_replaced_and_still_counted():
    source = b'{"a":"x\xff\xfey"}\n{"a":"\xff"}{"b":1}\n'
    assert found(source) == [{"a": "x\ufffd\ufffdy"}, {"a": "\ufffd"}, {"b": 1}]
    assert pieces(source)[2] == b'{"b":1}'


def test_two_objects_on_one_line_are_two_records():
    assert found(b'{"a":1}{"b":2} {"c":3}\n{"d":4}') == [{"a": 1}, {"b": 2}, {"c": 3}, {"d": 4}]


def test_an_object_over_many_lines_is_one_record():
    source = b"".join(json.dumps({"n": n, "in": [{"deep": True}]}, indent=2).encode() + b"\n" for n in range(3))
    assert [value["n"] for value in found(source)] == [0, 1, 2]
    assert found(b'{\n"a":1\n}{"b":2}\n{\n"c":3}') == [{"a": 1}, {"b": 2}, {"c": 3}]


@pytest.mark.parametrize("line", [b"null", b"42", b'"text"', b"[1]", b"true"])
def test_a_line_that_holds_no_object_is_bad_and_reading_goes_on(line):
    assert found(b'{"a":1}\n' + line + b'\n{"b":2}\n') == [{"a": 1}, "not_an_object", {"b": 2}]


@pytest.mark.parametrize(
    "line",
    [b"{no quotes}", b'{"a":"cut', b'{"a":', b'{"a":[', b'{"a":1,', b'{"a":1 "b"', b'{"a":' + b"9" * 5000 + b"}"],
)
def test_a_broken_line_is_bad_and_reading_goes_on(line):
    source = b'{"a":1}\n' + line + b'\n{"b":2}\n{"c":3}\n'
    assert found(source) == [{"a": 1}, "bad_json", {"b": 2}, {"c": 3}]
    assert pieces(source)[1] == line


def test_a_record_of_too_many_levels_is_bad_and_reading_goes_on():
    assert found(b'{"a":' * 20_000 + b'\n{"b":2}\n') == ["too_deep", {"b": 2}]
    assert found(b'{"a":' * 50 + b"1" + b"}" * 50)[0] != "too_deep"


@pytest.mark.parametrize(
    "tail", ['{"a":tru', '{"a":"\\u12', "{", '{"a":1,', '{"a":1', '{"a"', '{"a":', '{"a":-', '{"a":"é']
)
def test_what_may_become_a_record_waits_for_its_end(tail):
    source = b'{"b":2}\n' + tail.encode()
    assert found(source) == [{"b": 2}]
    assert found(source[:-1]) == [{"b": 2}]


def test_what_can_become_no_record_does_not_wait():
    assert found(b'{"b":2}\n{"a":garbage') == [{"b": 2}, "bad_json"]
    assert found(b"garbage") == ["bad_json"]


def test_reading_goes_on_behind_any_record():
    source = '\ufeff{"a":"é"}{"b":2}\r\n{\n"c":3\n}\n{"d":4}'.encode()
    whole = list(records_of_lines(source))
    for number, one in enumerate(whole):
        assert list(records_of_lines(source, begin=one.end, ordinal=number + 1)) == whole[number + 1 :]
        assert next(iter(records_of_lines(source, begin=one.start, ordinal=number))) == one


@pytest.mark.parametrize(
    "source",
    [
        b"{" * MEGABYTES,
        b"[" * MEGABYTES,
        b'{"a":' * (MEGABYTES // 5),
        b'{"a":"' + b"x" * MEGABYTES + b'"}',
        b'{"' + b'\\"' * (MEGABYTES // 2),
        b" " * MEGABYTES,
        b"\n" * MEGABYTES,
        b'{"a":[\n' * 400 + b"1,\n" * 20_000 + b"}",
    ],
    ids=["braces", "brackets", "nested", "one line", "escapes", "blanks", "blank lines", "nested over lines"],
)
def test_a_hostile_source_is_read_in_linear_time(source):
    begun = time.process_time()
    assert sum(1 for _ in records_of_lines(source)) <= len(source)
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("line", [b"{\n", b'{"a":[\n', b'{"a":1,\n', b'{"a":\n', b'{"a":1}{\n', b"1 "])
def test_twice_as_much_hostile_source_takes_about_twice_as_long(line):
    def once(count: int) -> float:
        begun = time.process_time()
        assert sum(1 for _ in records_of_lines(line * count)) <= 2 * count
        return time.process_time() - begun

    def seconds(count: int) -> float:
        """Of the best of some: others on the machine only ever make it longer."""
        return min(once(count) for _ in range(3))

    assert seconds(16_000) < 20 * max(seconds(2000), 0.02)
