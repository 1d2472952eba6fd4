"""Room that one thing may not take from others: names of projects, pinned beliefs, projects before the one at hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.context import build_context, projects
from memory.context.digest import LONGEST, MOST_CHARS, digest
from memory.context.projects import Named, Projects, projects_of
from memory.context.scoped import _NAMED_MOST, _SHARE, GLOBAL_TOKENS, _others, scoped_view
from pawflow_web.lib.blocks import Ask
from tests.memory.notes import conversation_in, pin, project, tell, texts, within
from tests.review.beliefs import Parties

# --- names of projects ----------------------------------------------------------------------------------------------


def named(names: list[str]) -> Projects:
    return Projects(None, (), tuple(Named(at, f"p-{at}", name, listed=True) for at, name in enumerate(names)))


def test_names_stand_there_while_they_fit_and_the_rest_is_counted() -> None:
    some = named([f"Project number {n}" for n in range(30)])
    (line,) = _others(some, 10_000).lines
    assert line.words.endswith("Project number 19 and 10 more")
    (line,) = _others(some, 30).lines
    assert line.words.startswith("Project number 0, Project number 1")
    assert line.words.endswith(f" and {30 - line.words.count('Project')} more")
    assert _others(some, 5).lines == ()
    assert _others(named([]), 10_000).lines == ()
    assert _others(named(["Web shop"]), 10_000).lines[0].words == "Web shop"


@given(st.lists(st.text("ab c", min_size=1, max_size=200), max_size=40), st.integers(0, 300))
def test_they_never_take_more_than_their_share(names: list[str], tokens: int) -> None:
    section = _others(named(names), tokens)

    assert section.tokens <= tokens
    if section.lines:
        assert section.lines[0].words.startswith(names[0])
    if len(names) <= _NAMED_MOST and _others(named(names), 100_000).tokens <= tokens:
        assert [line.words for line in section.lines] == ([", ".join(names)] if names else [])


def test_long_names_leave_the_room_to_what_is_remembered(parties: Parties) -> None:
    for n in range(12):
        project(parties, f"{n} " + "very long name " * 10)
    for n in range(60):
        tell(parties.coder, f"Fact number {n} about the bakery in Porto")
    titles = {section.title: section for section in scoped_view(Ask(parties.coder)).sections}

    assert 0 < titles["Other projects"].tokens <= GLOBAL_TOKENS // _SHARE
    assert " more" in titles["Other projects"].lines[0].words
    view = scoped_view(Ask(parties.coder), global_tokens=100)
    assert [section.title for section in view.sections] == ["About you"]
    assert sum(section.tokens for section in view.sections) <= 100


def test_without_tokens_nothing_is_sent(parties: Parties) -> None:
    shop = project(parties, "Web shop")
    tell(parties.coder, "Lives in Porto")
    tell(within(parties.coder, conversation_in(parties, shop)), "Runs on Django", scope="agent")
    project(parties, "Tool")
    ask = Ask(parties.coder, "web-shop")

    assert [one.title for one in scoped_view(ask, global_tokens=0).sections] == ["This project: Web shop"]
    assert scoped_view(ask, global_tokens=0, project_tokens=0).sections == ()
    assert len(scoped_view(ask).sections) == 3


# --- pinned beliefs -------------------------------------------------------------------------------------------------


def test_a_pinned_belief_that_cannot_fit_takes_nobodys_place(parties: Parties) -> None:
    facts = [tell(parties.coder, f"Fact number {n}") for n in range(5)]
    long = [tell(parties.coder, f"{n} " + "x" * MOST_CHARS) for n in range(5)]
    fits = tell(parties.coder, "y" * (LONGEST + 50))
    for item in (*long, fits):
        pin(parties, item)
    content = digest(Ask(parties.coder))
    context = build_context(parties.coder, patient=True)

    assert content is not None
    assert texts(content) == [fits.text, *(item.text for item in reversed(facts[1:]))]
    assert {row.ref: row.reason for row in content.left_out} == {
        **{item.ref: "budget" for item in long},
        facts[0].ref: "limit",
    }
    assert {line.ref for line in context.lines()} == {fits.ref, *(item.ref for item in facts[1:])}
    (memory,) = (block for block in context.built if block.name == "persistent_memory")
    assert set(memory.left_out) == set(content.left_out)


@pytest.mark.parametrize("more", [0, 1])
def test_the_longest_that_fits_is_shown(parties: Parties, more: int) -> None:
    around = len(build_context(_told(parties, "z" * 100), patient=True).text) - 100
    # The number of the next belief is as long as that of the first.
    item = tell(parties.writer, "w" * (MOST_CHARS - around + more), scope="agent")
    pin(parties, item)
    shown = build_context(parties.writer, patient=True).text

    assert (item.text in shown) is (more == 0)
    assert ("z" * 100 in shown) is (more == 1)


def _told(parties: Parties, text: str) -> object:
    tell(parties.writer, text)
    return parties.writer


def test_where_nothing_else_is_known_the_block_is_named_as_left_out(parties: Parties) -> None:
    pin(parties, tell(parties.coder, "x" * MOST_CHARS))
    context = build_context(parties.coder, patient=True)

    assert context.text == ""
    assert dict(context.omitted) == {"persistent_memory": "budget"}


# --- many projects --------------------------------------------------------------------------------------------------


def test_past_the_most_that_is_looked_at_an_agent_keeps_its_own_project(
    parties: Parties, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projects, "MOST", 2)
    for name in ("Alpha", "Beta", "Gamma"):
        project(parties, name)
    last = project(parties, "Zeta")
    here = within(parties.coder, conversation_in(parties, last))

    for found in (projects_of(here, None, ""), projects_of(parties.coder, "zeta", "")):
        assert found.this is not None
        assert found.this.slug == "zeta"
        assert [one.slug for one in found.others] == ["alpha"]
    elsewhere = projects_of(here, "beta", "")
    assert elsewhere.this is not None
    assert elsewhere.this.slug == "beta"
    assert projects_of(here, "unknown", "").this is None
    assert projects_of(parties.coder, None, "").this is None
