from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from pawflow_web.lib.search import Document, Found, Index, Schema, Term, search_with_tail
from pawflow_web.lib.search import index as index_module
from pawflow_web.lib.text import Tokens, analyse

SCHEMA = Schema("things", 1, terms=("scope",))


@dataclass(frozen=True)
class Thing:
    id: int
    changed: int
    text: str
    scope: str = "global"

    @property
    def key(self) -> str:
        return f"k{self.id}"

    @property
    def tokens(self) -> Tokens | None:
        return analyse(self.text) if self.scope == "global" else None


class Table:
    """Stands for the owner's rows in the database; answers the one statement a search makes."""

    def __init__(self, *rows: Thing) -> None:
        self.rows = {row.id: row for row in rows}
        self.statements = 0

    def put(self, *rows: Thing) -> None:
        self.rows |= {row.id: row for row in rows}

    def fetch(self, *, ids: Sequence[int], after: int, newest: int) -> list[Thing]:
        self.statements += 1
        tail = sorted((row for row in self.rows.values() if row.changed > after), key=lambda row: -row.changed)
        found = {row.id: row for row in tail[:newest]}
        found |= {row_id: self.rows[row_id] for row_id in ids if row_id in self.rows}
        return list(found.values())


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    yield Index.open(tmp_path / "things", SCHEMA)
    index_module._shared_reader.cache_clear()


def catch_up(index: Index, table: Table) -> None:
    after = index.watermark
    behind = [row for row in table.rows.values() if row.changed > (-1 if after is None else after)]
    index.write(
        [Document(row.id, analyse(row.text), row.key, {"scope": row.scope}) for row in behind],
        after=after,
        watermark=max(row.changed for row in table.rows.values()),
    )


def search(index: Index, table: Table, words: str) -> Found[Thing]:
    return search_with_tail(index, analyse(words), table.fetch, where=Term("scope", "global"))


def ids(found: Found[Thing]) -> list[int]:
    return [hit.id for hit in found.ranked]


def test_a_row_is_found_as_soon_as_it_is_committed_and_stays_found(index: Index) -> None:
    table = Table(*(Thing(n, n, f"owl number{n}") for n in range(20)))
    catch_up(index, table)
    table.put(Thing(50, 50, "fresh kestrel"))
    before = search(index, table, "kestrel")
    assert (ids(before), before.coverage.complete, before.coverage.searched) == ([50], True, 21)
    catch_up(index, table)
    after = search(index, table, "kestrel")
    assert (ids(after), after.coverage.complete, after.coverage.searched) == ([50], True, 21)
    assert after.rows[50].text == "fresh kestrel"


def test_a_search_makes_one_statement(index: Index) -> None:
    table = Table(*(Thing(n, n, f"owl number{n}") for n in range(20)))
    catch_up(index, table)
    search(index, table, "owl")
    assert table.statements == 1


def test_a_changed_row_is_found_by_its_new_words_alone_and_counted_once(index: Index) -> None:
    table = Table(*(Thing(n, n, f"owl number{n}") for n in range(20)))
    catch_up(index, table)
    assert ids(search(index, table, "number7")) == [7]
    table.put(Thing(7, 30, "kestrel"))
    assert ids(search(index, table, "number7")) == []
    changed = search(index, table, "kestrel")
    assert (ids(changed), changed.coverage.searched) == ([7], 20)


def test_a_row_that_became_invisible_is_neither_found_nor_counted(index: Index) -> None:
    table = Table(*(Thing(n, n, f"owl number{n}") for n in range(20)))
    catch_up(index, table)
    table.put(Thing(7, 30, "owl number7", scope="private"))
    found = search(index, table, "owl number7")
    assert 7 not in ids(found)
    assert 8 in ids(found)
    assert found.coverage.searched == 19


def test_a_deleted_row_is_not_found_although_the_index_holds_it(index: Index) -> None:
    table = Table(*(Thing(n, n, f"owl number{n}") for n in range(20)))
    catch_up(index, table)
    assert ids(search(index, table, "number7")) == [7]
    del table.rows[7]
    assert ids(search(index, table, "number7")) == []


def test_far_behind_the_newest_rows_are_found_and_the_gap_is_told(index: Index) -> None:
    table = Table(*(Thing(n, n, "owl") for n in range(20)))
    catch_up(index, table)
    table.put(*(Thing(n, n, f"kestrel number{n}") for n in range(100, 300)))
    within = search(index, table, "number299")
    assert (ids(within), within.coverage.reasons, within.coverage.searched) == ([299], (), 220)
    table.put(*(Thing(n, n, f"kestrel number{n}") for n in range(300, 400)))
    behind = search(index, table, "number399")
    assert (ids(behind), behind.coverage.reasons) == ([399], ("index_behind",))
    assert ids(search(index, table, "number100")) == []


def test_more_matches_than_candidates_are_told(index: Index) -> None:
    table = Table(*(Thing(n, n, f"owl number{n}") for n in range(100)))
    catch_up(index, table)
    found = search(index, table, "owl")
    assert (len(found.ranked), found.coverage.reasons) == (60, ("candidate_budget",))
    assert search(index, table, "number5").coverage.complete


def test_old_and_new_rows_rank_by_one_measure(index: Index) -> None:
    table = Table(*(Thing(n, n, f"owl number{n}") for n in range(50)), Thing(60, 60, "kestrel nest"))
    catch_up(index, table)
    table.put(Thing(61, 61, "kestrel nest"))
    old, new = sorted(search(index, table, "kestrel").ranked, key=lambda hit: hit.id)
    assert old.score == new.score


def test_without_an_index_a_small_store_is_searched_completely(index: Index) -> None:
    table = Table(*(Thing(n, n, f"owl number{n}") for n in range(2000)))
    table.put(Thing(3, 3, "kestrel"), Thing(4, 4, "kestrel", scope="private"))
    found = search(index, table, "kestrel")
    assert (ids(found), found.coverage.complete, found.coverage.searched) == ([3], True, 1999)


def test_without_an_index_a_large_store_is_searched_from_its_newest_end(index: Index) -> None:
    table = Table(*(Thing(n, n, f"owl number{n}") for n in range(2001)))
    found = search(index, table, "number2000")
    assert (ids(found), found.coverage.reasons) == ([2000], ("index_unavailable",))
    assert ids(search(index, table, "number0")) == []


def test_an_index_that_turns_out_damaged_is_answered_around(index: Index) -> None:
    table = Table(*(Thing(n, n, f"owl number{n}") for n in range(20)))
    catch_up(index, table)
    for segment in [path for path in index.folder.iterdir() if path.suffix == ".idx"]:
        segment.unlink()
    index_module._shared_reader.cache_clear()
    found = search(index, table, "number7")
    assert (ids(found), found.coverage.complete) == ([7], True)


def test_a_query_without_words_finds_nothing_and_counts_everything(index: Index) -> None:
    table = Table(*(Thing(n, n, f"owl number{n}") for n in range(20)))
    catch_up(index, table)
    found = search(index, table, "  ")
    assert (ids(found), found.coverage.searched) == ([], 20)
