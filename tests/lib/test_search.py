import os
import stat
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from pawflow_web.lib.search import (
    All,
    Any,
    AnyOf,
    Busy,
    Document,
    Filter,
    HasWordLike,
    Index,
    Moved,
    Not,
    Range,
    Schema,
    Term,
    TooBroad,
    Unwritable,
)
from pawflow_web.lib.search import index as index_module
from pawflow_web.lib.text import analyse

SCHEMA = Schema("things", 1, terms=("scope", "tag"), numbers=("at",))
MICROSECONDS = 1_752_000_000_000_000


def thing(number: int, text: str, *, key: str = "", scope: str = "global", tags: tuple[str, ...] = ()) -> Document:
    return Document(
        number, analyse(text), key or f"k{number}", {"scope": scope, "tag": tags}, {"at": MICROSECONDS + number}
    )


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    yield Index.open(tmp_path / "owner" / "things", SCHEMA)
    index_module._shared_reader.cache_clear()


@pytest.fixture
def filled(index: Index) -> Index:
    index.write(
        [
            thing(1, "the red kestrel", tags=("bird", "red")),
            thing(2, "a red apple", scope="private", tags=("red",)),
            thing(3, "kestrels hunt voles", scope="private", tags=("bird",)),
        ],
        after=None,
        watermark=10,
    )
    return index


def ids(index: Index, words: str, where: Filter | None = None) -> set[int]:
    found = index.search(analyse(words)) if where is None else index.search(analyse(words), where=where)
    assert found is not None
    return set(found.ids)


def anew() -> None:
    """As another process would see it."""
    index_module._shared_reader.cache_clear()


def test_words_and_stems_are_found_and_frequencies_told(filled: Index) -> None:
    found = filled.search(analyse("kestrel"))
    assert found is not None
    assert found.ids == (1, 3)
    assert found.document_frequency == {"kestrel": 1}
    assert found.stats.stem_frequency == {"kestrel": 2}
    assert found.documents == 3
    assert found.average_length == pytest.approx(3)
    assert (found.watermark, found.more) == (10, False)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (Term("scope", "private"), {2, 3}),
        (AnyOf("tag", ["bird", "none"]), {1, 3}),
        (AnyOf("tag", [f"t{n}" for n in range(40)] + ["bird"]), {1, 3}),
        (AnyOf("tag", []), set()),
        (Range("at", least=MICROSECONDS + 2), {2, 3}),
        (Range("at", most=MICROSECONDS + 2), {1, 2}),
        (Range("at", MICROSECONDS + 2, MICROSECONDS + 2), {2}),
        (Range("at", 5, 4), set()),
        (Range("at", -(2**70), 2**70), {1, 2, 3}),
        (All(), {1, 2, 3}),
        (Any(), set()),
        (Not(Term("scope", "private")), {1}),
        (All(Term("tag", "red"), Not(Term("tag", "bird"))), {2}),
        (Any(Term("tag", "bird"), All(Term("scope", "private"), Term("tag", "red"))), {1, 2, 3}),
        (Any(Not(Term("tag", "red")), Term("scope", "global")), {1, 3}),
    ],
)
def test_filters_select_what_they_say(filled: Index, where: Filter, expected: set[int]) -> None:
    assert ids(filled, "red kestrel apple", where) == expected
    assert filled.count(where) == len(expected)


def test_a_narrow_viewer_is_not_starved_by_the_rows_of_others(index: Index) -> None:
    others = [thing(n, "kestrel " * 5) for n in range(500)]
    index.write([*others, thing(900, "one kestrel among many words", scope="private")], after=None, watermark=1)
    found = index.search(analyse("kestrel"), where=Term("scope", "private"))
    assert found is not None
    assert found.ids == (900,)
    everyone = index.search(analyse("kestrel"))
    assert everyone is not None
    assert len(everyone.ids) == 60
    assert everyone.more
    assert 900 not in everyone.ids


def test_unknown_fields_are_refused(filled: Index) -> None:
    with pytest.raises(LookupError):
        filled.count(Term("colour", "red"))
    with pytest.raises(LookupError):
        filled.write([Document(9, analyse("x"), "k9", {"colour": "red"})], after=10, watermark=11)
    assert filled.watermark == 10


def test_text_of_a_user_is_never_parsed(filled: Index) -> None:
    assert ids(filled, 'scope:private AND (red OR "') >= {1, 2}
    assert ids(filled, "*") == set()
    assert ids(filled, "") == set()


def test_a_pattern_that_is_too_long_is_no_fault_of_the_files(filled: Index) -> None:
    snapshot = filled.snapshot()
    assert snapshot is not None
    with pytest.raises(TooBroad):
        snapshot.best((), where=HasWordLike(".*" + "a" * 3000), limit=5)
    assert list(filled.folder.glob("broken")) == []


def test_writing_a_key_replaces_all_of_its_documents(filled: Index) -> None:
    two = [thing(5, "old barn", key="k5"), thing(5, "older barn", key="k5")]
    filled.write(two, after=10, watermark=11)
    assert filled.count() == 5
    assert ids(filled, "barn") == {5}
    filled.write([thing(5, "new house", key="k5")], after=11, watermark=12)
    assert (filled.count(), ids(filled, "barn"), ids(filled, "house")) == (4, set(), {5})
    filled.write([], delete=["k5"], after=12, watermark=13)
    assert (filled.count(), ids(filled, "house"), filled.watermark) == (3, set(), 13)


def test_several_documents_of_one_id_take_one_place(index: Index) -> None:
    many = [thing(1, "kestrel kestrel", key="same") for _ in range(100)]
    index.write([*many, thing(2, "a kestrel in a long text about barns")], after=None, watermark=1)
    found = index.search(analyse("kestrel"), limit=10)
    assert found is not None
    assert found.ids == (1, 2)


def test_keys_can_be_left_out_of_a_count(filled: Index) -> None:
    assert filled.count(Term("scope", "private"), without_keys=["k3", "unknown"]) == 1


def test_common_words_are_left_out_of_a_large_index_when_a_rarer_one_is_there(index: Index) -> None:
    texts = ["what is common"] * 3000 + ["what is the kestrel"] * 3
    index.write([thing(n, text) for n, text in enumerate(texts)], after=None, watermark=1)
    question = index.search(analyse("what is kestrel"))
    assert question is not None
    assert set(question.ids) == {3000, 3001, 3002}
    assert question.searched == ("kestrel",)
    assert question.more
    only_common = index.search(analyse("what is"))
    assert only_common is not None
    assert (only_common.searched, len(only_common.ids)) == (("what", "is"), 60)


def test_in_a_small_index_every_word_counts(filled: Index) -> None:
    assert ids(filled, "red voles") == {1, 2, 3}


def test_nothing_there_answers_none_and_not_an_error(index: Index) -> None:
    assert (index.watermark, index.count(), index.search(analyse("kestrel"))) == (None, None, None)


def test_a_folder_deleted_while_serving_answers_none_and_can_be_built_again(filled: Index) -> None:
    assert ids(filled, "kestrel") == {1, 3}
    filled.drop()
    assert filled.search(analyse("kestrel")) is None
    with pytest.raises(Moved):
        filled.write([thing(7, "late")], after=10, watermark=11)
    filled.write([thing(8, "kestrel again")], after=None, watermark=12)
    assert (ids(filled, "kestrel"), filled.watermark) == ({8}, 12)
    assert sorted(path.name for path in filled.folder.parent.iterdir()) == ["things", "things.lock"]


def test_another_version_of_the_schema_is_no_index(filled: Index) -> None:
    changed = Index.open(filled.folder, Schema("things", 2, terms=("scope",)))
    assert changed.watermark is None
    changed.write([Document(1, analyse("owl"), "k1", {"scope": "global"})], after=None, watermark=3)
    assert (changed.watermark, filled.watermark) == (3, None)


def test_an_older_epoch_is_not_read_by_anybody_who_knows_of_the_new_one(filled: Index) -> None:
    later = Index.open(filled.folder, SCHEMA, epoch=1)
    assert (later.watermark, filled.watermark) == (None, 10)
    later.write([thing(1, "kestrel")], after=None, watermark=20)
    assert (later.watermark, filled.watermark) == (20, 20)


@pytest.mark.parametrize("damage", ["meta", "empty_meta", "half_segment", "no_segment", "noise", "marker"])
def test_damaged_files_are_no_index_and_never_an_error(filled: Index, damage: str) -> None:
    assert filled.watermark == 10
    _damage(filled.folder, damage)
    anew()
    assert filled.search(analyse("kestrel")) is None
    anew()
    assert filled.watermark is None
    filled.write([thing(1, "kestrel")], after=None, watermark=11)
    assert (ids(filled, "kestrel"), filled.watermark) == ({1}, 11)


def _damage(folder: Path, damage: str) -> None:
    segment = next(path for path in folder.iterdir() if path.suffix == ".term")
    target, content = {
        "meta": (folder / "meta.json", b'{"segments": 3'),
        "empty_meta": (folder / "meta.json", b""),
        "half_segment": (segment, segment.read_bytes()[: segment.stat().st_size // 2]),
        "no_segment": (segment, None),
        "noise": (segment, bytes(255 - byte for byte in segment.read_bytes())),
        "marker": (folder / "index_epoch", b"{}"),
    }[damage]
    target.unlink()  # never in place: another test's maps would see it
    if content is not None:
        target.write_bytes(content)


def test_files_are_for_their_owner_alone(filled: Index) -> None:
    filled.write([thing(4, "four")], after=10, watermark=11)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in filled.folder.iterdir()}
    assert modes == {0o600}
    assert stat.S_IMODE(filled.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(filled.lock_file.stat().st_mode) == 0o600


def test_no_word_of_a_text_is_stored_as_text(filled: Index) -> None:
    stores = [path.read_bytes() for path in filled.folder.iterdir() if path.suffix == ".store"]
    assert stores
    assert not any(b"kestrel" in store for store in stores)


def test_a_failing_source_of_documents_leaves_the_index_as_it_was(filled: Index) -> None:
    def broken() -> Iterator[Document]:
        yield thing(7, "half written")
        raise ConnectionError("the database went away")

    with pytest.raises(ConnectionError):
        filled.write(broken(), delete=["k1"], after=10, watermark=11)
    assert (ids(filled, "kestrel"), ids(filled, "written"), filled.watermark) == ({1, 3}, set(), 10)
    filled.write([thing(7, "wholly written")], after=10, watermark=11)
    assert ids(filled, "written") == {7}


def test_a_batch_that_begins_elsewhere_is_refused(filled: Index) -> None:
    with pytest.raises(Moved):
        filled.write([thing(7, "late")], after=9, watermark=12)
    filled.write([thing(7, "late")], after=10, watermark=12)
    assert ids(filled, "late") == {7}


def test_a_writer_whose_folder_is_dropped_fails_and_resurrects_nothing(filled: Index) -> None:
    def dropped_meanwhile() -> Iterator[Document]:
        yield thing(7, "secret")
        filled.drop()
        yield thing(8, "secret")

    with pytest.raises(Unwritable):
        filled.write(dropped_meanwhile(), after=10, watermark=11)
    assert filled.watermark is None
    assert not filled.folder.exists()


# A second process that writes: it says when it is in the middle of a batch and then waits to be killed.
WRITER = """
    import sys
    from pathlib import Path
    from pawflow_web.lib.search import Document, Index, Schema, Unwritable
    from pawflow_web.lib.text import analyse

    index = Index.open(Path(sys.argv[1]), Schema("things", 1, terms=("scope", "tag"), numbers=("at",)))

    def endless():
        number = 100
        while True:
            yield Document(number, analyse(f"half kestrel word{number} other{number * 7}"), f"k{number}")
            number += 1
            if number == 3000 and sys.argv[2] == "wait":
                print("writing", flush=True)
                sys.stdin.read()

    if sys.argv[2] == "full":
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
    try:
        documents = (document for document, _ in zip(endless(), range(20_000)))
        index.write(documents, after=index.watermark, watermark=99)
    except Unwritable:
        print("unwritable", index.watermark, flush=True)
"""


def other_process(index: Index, mode: str) -> subprocess.Popen[str]:
    code = textwrap.dedent(WRITER)
    return subprocess.Popen(
        [sys.executable, "-c", code, str(index.folder), mode],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_a_writer_killed_in_a_batch_leaves_the_last_one_and_no_lock(filled: Index) -> None:
    with other_process(filled, "wait") as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "writing\n"
        assert (ids(filled, "kestrel"), filled.watermark) == ({1, 3}, 10)
        with pytest.raises(Busy):
            filled.write([thing(7, "late")], after=10, watermark=11)
        writer.kill()
    anew()
    assert (ids(filled, "half kestrel"), filled.watermark) == ({1, 3}, 10)
    filled.write([thing(7, "late")], after=10, watermark=11)
    assert ids(filled, "late") == {7}


def test_a_full_disk_fails_the_batch_and_reads_go_on(filled: Index) -> None:
    with other_process(filled, "full") as writer:
        output, _ = writer.communicate(timeout=60)
    assert output == "unwritable 10\n"
    assert (ids(filled, "half kestrel"), filled.watermark) == ({1, 3}, 10)
    filled.write([thing(7, "late")], after=10, watermark=11)
    assert ids(filled, "late") == {7}


def test_what_another_process_commits_is_seen_at_the_next_question(filled: Index) -> None:
    assert ids(filled, "half") == set()
    with other_process(filled, "write") as writer:
        assert writer.communicate(timeout=60)[0] == ""
    assert filled.watermark == 99
    assert filled.count() == 20_003


def test_schemas_refuse_names_that_could_meet_ours() -> None:
    with pytest.raises(ValueError, match="distinct plain field names"):
        Schema("x", 1, terms=("_id",))
    with pytest.raises(ValueError, match="distinct plain field names"):
        Schema("x", 1, terms=("a",), numbers=("a",))
