"""Putting blocks together: one budget, one deadline for each, and a failure alone."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from pawflow_web.lib import assembly, blocks
from pawflow_web.lib.assembly import Assembled, assemble
from pawflow_web.lib.blocks import Ask, Block, Build, Content, Group, Line
from pawflow_web.lib.db import execute

Register = Callable[..., None]
# Longer than the busiest machine takes: where a deadline is not what a test is about.
NEVER_MS, SOON_MS = 60_000, 20


class Clock:
    """What a builder's time is measured with; it goes on when a builder says so."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now

    perf_counter = monotonic


CLOCK = Clock()


def content(*words: str, **options: Any) -> Content:
    return Content((Group("", tuple(Line(text, before="- ", item=n) for n, text in enumerate(words, 1))),), **options)


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch) -> Register:
    """Make these the only registered blocks, each under its name with its builder."""
    entries: dict[str, Block] = {}
    monkeypatch.setattr(blocks.registry, "_entries", entries)
    monkeypatch.setattr(assembly, "time", CLOCK)

    def register(name: str, build: Build, *, place: str = "turn", **options: Any) -> None:
        options.setdefault("deadline_ms", NEVER_MS)
        entries[name] = Block(name, name.title(), place, build, **options)  # type: ignore[arg-type]

    return register


def names(done: Assembled) -> list[str]:
    return [built.name for built in done.built]


def fails(_: Ask) -> Content:
    raise ValueError("broken")


def fails_in_the_database(_: Ask) -> Content:
    execute("SELECT 1 / 0")
    raise AssertionError


def sleeps_in_the_database(_: Ask) -> Content:
    execute("SELECT pg_sleep(5)")
    raise AssertionError


def sleeps(_: Ask) -> Content:
    CLOCK.now += 2 * SOON_MS / 1000
    return content("too late")


def asks_the_database(_: Ask) -> Content:
    return content(f"answer {execute('SELECT 42')[0][0]}")


FAULTS: dict[str, tuple[Build, int, str]] = {
    "raises": (fails, NEVER_MS, "error"),
    "raises in the database": (fails_in_the_database, NEVER_MS, "error"),
    "sleeps in the database": (sleeps_in_the_database, SOON_MS, "deadline"),
    "sleeps": (sleeps, SOON_MS, "deadline"),
}


OUTSIDE = [
    pytest.param(True, marks=pytest.mark.django_db(transaction=True), id="without a transaction"),
    pytest.param(False, marks=pytest.mark.django_db, id="within one"),
]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("outside", OUTSIDE)
def test_a_block_that_fails_or_sleeps_is_left_out_alone(only: Register, fault: str, *, outside: bool) -> None:
    build, deadline_ms, reason = FAULTS[fault]
    only("persistent_memory", asks_the_database)
    only("diary", build, deadline_ms=deadline_ms)
    only("todo", asks_the_database)
    before = execute("SHOW statement_timeout")
    done = assemble(Ask(None), budget=6000)

    assert connection.in_atomic_block is not outside
    assert names(done) == ["persistent_memory", "todo"]
    assert done.omitted == (("diary", reason),)
    assert done.text.count("answer 42") == 2
    assert execute("SHOW statement_timeout") == before
    assert execute("SELECT 1") == [(1,)]


def test_whoever_is_patient_waits(only: Register, db: None) -> None:
    only("diary", sleeps, deadline_ms=SOON_MS)

    assert names(assemble(Ask(None), budget=6000)) == []
    assert names(assemble(Ask(None), budget=6000, patient=True)) == ["diary"]


def test_deadlines_cost_a_statement_for_each_change_and_none_for_each_block(
    only: Register, transactional_db: None, django_assert_num_queries: Any
) -> None:
    for name in ("persistent_memory", "diary", "knowledge_graph", "todo"):
        only(name, asks_the_database)
    only("relevant_memories", asks_the_database, deadline_ms=NEVER_MS // 2)
    # two deadlines, the end of them, and what the five ask
    with django_assert_num_queries(3 + 5):
        assert len(assemble(Ask(None), budget=6000).built) == 5


def test_blocks_stand_from_stable_to_volatile_and_get_room_by_priority(only: Register, db: None) -> None:
    for name in ("usage_hints", "tool_selection"):
        only(name, lambda _: content("hint"), place="system")
    for name in ("relevant_memories", "todo", "diary", "persistent_memory", "project_wiki"):
        only(name, lambda _: content("words"))
    done = assemble(Ask(None), budget=6000)

    assert names(done) == [
        *("tool_selection", "usage_hints"),
        *("project_wiki", "persistent_memory", "diary", "todo", "relevant_memories"),
    ]
    assert done.system.startswith("## Tool_Selection")
    assert done.text.startswith("## Project_Wiki")
    small = assemble(Ask(None), budget=400)
    assert "persistent_memory" in names(small)
    assert dict(small.omitted)["relevant_memories"] == "budget"


def test_a_block_knows_what_blocks_before_it_show(only: Register, db: None) -> None:
    seen: list[frozenset[int]] = []

    def look(ask: Ask) -> Content | None:
        seen.append(ask.shown)
        return None

    only("persistent_memory", lambda _: content("one", "two", "x" * 9000))
    only("relevant_memories", look)
    done = assemble(Ask(None), budget=600)

    assert seen == [frozenset({1, 2})]
    assert names(done) == ["persistent_memory"]
    assert done.omitted == ()


def test_kept_content_stands_in_place_of_a_builder_and_blocks_can_be_left_out(only: Register, db: None) -> None:
    only("persistent_memory", fails)
    only("relevant_memories", fails)
    done = assemble(
        Ask(None), budget=600, kept={"persistent_memory": content("kept")}, without={"relevant_memories": "frozen"}
    )

    assert "- kept" in done.text
    assert done.omitted == (("relevant_memories", "frozen"),)


sizes = st.lists(st.tuples(st.sampled_from(blocks.PRIORITY), st.lists(st.integers(0, 300), max_size=6)), max_size=8)


@given(sizes, st.integers(500, 3000), st.integers(100, 900))
def test_the_budget_holds_to_the_character(plan: list[tuple[str, list[int]]], budget: int, cap: int) -> None:
    contents = {name: content(*("x" * size for size in lengths)) for name, lengths in plan}
    built: list[blocks.Built] = []
    for name in sorted(contents, key=blocks.PRIORITY.index):
        place = "system" if blocks.ORDER.index(name) < 3 else "turn"
        block = Block(name, name, place, lambda _: None, cap)
        one = blocks.fitted(block, contents[name], assembly._room(block, budget, built))
        if one is not None:
            built.append(one)
            assert one.chars <= cap
    done = Assembled(tuple(built), (), budget)

    assert done.chars == len(done.system) + len(done.text) <= budget


def test_what_keeps_its_own_budget_is_not_counted(only: Register, db: None) -> None:
    only("persistent_memory", lambda _: content("x" * 5000, counted=False))
    only("todo", lambda _: content("y" * 100))
    done = assemble(Ask(None), budget=500)

    assert names(done) == ["persistent_memory", "todo"]
    assert done.chars == done.built[1].chars < 500 < len(done.text)
