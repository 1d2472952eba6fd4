"""The digest: tiers in order, newest first, whole lines, nothing twice and nothing that is not for this reader."""

import pytest
from pytest_django import DjangoAssertNumQueries

from memory.blocks import persistent_memory
from memory.context import build_context
from memory.context.digest import FOOT, LONGEST, MOST_CHARS, TIERS, digest
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.blocks import Ask
from review import lifecycle
from review.models import GovernanceItem
from tests.factories import make_conversation
from tests.memory.notes import pin, tell, texts, within
from tests.review.beliefs import Parties, moment

SAID = {
    "identity": ("Is called Ada", {"category": "facts", "tags": ["identity"]}),
    "facts": ("Lives in Porto", {"category": "facts"}),
    "preferences": ("Prefers pytest", {"category": "preferences"}),
    "events": ("Moved in June", {"category": "events"}),
    "decisions": ("We use PostgreSQL", {"category": "facts", "tags": ["decision"]}),
    "discoveries": ("The cache is cold after a deploy", {"category": "discoveries"}),
    "advice": ("Read the plan first", {"category": "advice"}),
}


def shown(principal: Principal) -> list[str]:
    return texts(digest(Ask(principal)))


def test_tiers_stand_in_their_order_each_under_its_label(parties: Parties) -> None:
    for text, options in reversed(SAID.values()):
        tell(parties.coder, text, **options)
    content = digest(Ask(parties.coder))

    assert content is not None
    assert [group.label for group in content.groups] == [tier.label for tier in TIERS]
    assert texts(content) == [text for text, _ in SAID.values()]
    assert [line.tier for line in content.lines()] == ["L0", "L1", "L1", "L2", "L3", "L4", "L4"]


def test_each_line_ends_with_the_number_of_its_belief(parties: Parties) -> None:
    item = tell(parties.coder, "Lives\nin   Porto")
    text = build_context(parties.coder, patient=True).text

    assert f"- Lives in Porto #{item.number}\n" in text
    assert f"{FOOT}\n</memory-" in text


@pytest.mark.parametrize("tier", TIERS, ids=lambda tier: tier.name)
def test_a_tier_holds_so_many_the_newest_first(parties: Parties, tier: object) -> None:
    name, most = tier.name, tier.most  # type: ignore[attr-defined]
    text, options = SAID[name]
    items = [tell(parties.coder, f"{text}, part {n}", **options) for n in range(most + 3)]
    content = digest(Ask(parties.coder))

    assert texts(content) == [f"{text}, part {n}" for n in reversed(range(3, most + 3))]
    assert content is not None
    assert [(row.ref, row.reason) for row in content.left_out] == [(items[2].ref, "limit")]


def test_what_a_person_pinned_stands_first_however_old_or_long(parties: Parties) -> None:
    old = tell(parties.coder, "Old and pinned " + "x" * LONGEST)
    pin(parties, old)
    for n in range(10):
        tell(parties.coder, f"Fact number {n}")

    assert shown(parties.coder)[0] == old.text
    assert len(shown(parties.coder)) == 5


def test_what_has_no_sort_counts_as_a_fact(parties: Parties) -> None:
    tell(parties.coder, "Nobody said what sort of thing this is")

    assert shown(parties.coder) == ["Nobody said what sort of thing this is"]


def test_one_memory_does_not_fill_it_alone(parties: Parties) -> None:
    tell(parties.coder, "y" * (LONGEST + 1))
    tell(parties.coder, "short")

    assert shown(parties.coder) == ["short"]


def test_it_never_exceeds_its_characters_and_cuts_between_memories(parties: Parties) -> None:
    for _, options in SAID.values():
        for n in range(6):
            tell(parties.coder, f"{options} number {n} " + "word " * (10 + n), **options)
    context = build_context(parties.coder, patient=True)
    (block,) = (block for block in context.built if block.name == "persistent_memory")
    lines = block.text.splitlines()

    assert 1000 < len(block.text) <= MOST_CHARS
    assert lines[0] == "## Persistent memory"
    words = set(GovernanceItem.objects.values_list("text", flat=True))
    shown_words = [line.removeprefix("- ").rpartition(" #")[0] for line in lines if line.startswith("- ")]
    assert len(shown_words) > 5
    assert {text.strip() for text in shown_words} <= {text.strip() for text in words}
    assert any(row.reason == "budget" for row in block.left_out)


def test_no_belief_stands_there_twice(parties: Parties) -> None:
    item = tell(
        parties.coder, "Decided to be called Ada", category="preferences", tags=["identity", "decision", "profile"]
    )
    pin(parties, item)

    assert shown(parties.coder) == ["Decided to be called Ada"]


def test_where_nothing_is_known_there_is_no_block(parties: Parties, strangers: Parties) -> None:
    tell(strangers.coder, "Of somebody else")

    assert digest(Ask(parties.coder)) is None
    assert build_context(parties.coder).text == ""
    assert shown(strangers.coder) == ["Of somebody else"]


def test_each_reader_gets_its_scopes_its_conversation_included(parties: Parties) -> None:
    here, there = make_conversation(parties.user, "here"), make_conversation(parties.user, "there")
    coder = within(parties.coder, here)
    for scope in ("global", "agent", "conversation", "private"):
        tell(coder, f"In scope {scope}", scope=scope)
    tell(parties.writer, "Of the writer", scope="agent")

    assert set(shown(coder)) == {f"In scope {scope}" for scope in ("global", "agent", "conversation", "private")}
    assert set(shown(within(parties.coder, there))) == {"In scope global", "In scope agent"}
    assert set(shown(within(parties.writer, here))) == {"In scope global", "In scope conversation", "Of the writer"}
    assert set(shown(parties.person)) == {
        *(f"In scope {s}" for s in ("agent", "conversation", "private", "global")),
        "Of the writer",
    }


def test_a_newcomer_among_many_rows_of_others_finds_its_own(parties: Parties) -> None:
    tell(parties.writer, "The writer's only fact", scope="agent")
    for n in range(30):
        tell(parties.coder, f"Fact {n} of the coder", scope="agent")

    assert shown(parties.writer) == ["The writer's only fact"]


def test_it_costs_one_statement_and_one_for_the_graph_whatever_there_is(
    parties: Parties, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(2):
        digest(Ask(parties.coder))
    for n in range(30):
        tell(parties.coder, f"Fact number {n}")
    with django_assert_num_queries(2):
        assert len(shown(parties.coder)) == 5
    # and whose form it is
    with django_assert_num_queries(3):
        assert persistent_memory(Ask(parties.coder)) is not None


def test_an_earlier_moment_is_shown_as_it_was_known_then(parties: Parties) -> None:
    item = tell(parties.coder, "Lives in Porto")
    known = GovernanceItem.objects.get(pk=item.pk).recorded_at
    lifecycle.reject(principal=parties.person, reference=item.ref)
    lifecycle.restore(principal=parties.person, reference=item.ref)
    lifecycle.accept(principal=parties.person, reference=item.ref)
    tell(parties.coder, "Likes bread")

    assert set(shown(parties.coder)) == {"Lives in Porto", "Likes bread"}
    assert texts(digest(Ask(parties.coder, at=known))) == ["Lives in Porto"]
    assert texts(digest(Ask(parties.coder, at=moment(2020)))) == []
