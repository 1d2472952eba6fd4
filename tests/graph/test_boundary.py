"""Every reader of facts against everything that may not reach a prompt, and names that only such facts hold."""

from collections.abc import Callable

import pytest

from graph.facts.ending import invalidate
from graph.facts.linking import known_entities
from graph.facts.merging import merge
from graph.facts.numbers import numbers_of
from graph.facts.parts import Parts
from graph.facts.reading import about, names_here
from graph.facts.suggesting import names_like
from pawflow_web.identity.principal import Principal
from pawflow_web.identity.services import update_agent
from pawflow_web.lib.periods import parse_period
from review import lifecycle, readers
from review.models import GovernanceItem, KindName
from tests.factories import make_conversation
from tests.graph.facts import add, fact, objects
from tests.review.beliefs import Parties, again, let_expire, seal

SHOWING_FACTS = [r.name for r in readers.readers.all() if not r.kinds or KindName.FACT in r.kinds]
# What was true and is over is history, which these show as such.
SHOWING_HISTORY = {"kg_query", "kg_timeline"}

Hide = Callable[[Parties, Parties], GovernanceItem]


def _then(verb: Callable[[Parties, GovernanceItem], object]) -> Hide:
    def hide(parties: Parties, _: Parties) -> GovernanceItem:
        item = fact(parties.coder, "Lotta", "visits", "Zanzibar")
        verb(parties, item)
        return item

    return hide


def _sensitive(parties: Parties, item: GovernanceItem) -> None:
    changes = lifecycle.Changes(privacy="sensitive")
    lifecycle.edit(principal=parties.person, reference=item.ref, revision=item.revision, changes=changes)


def _here(parties: Parties) -> Principal:
    conversation = make_conversation(parties.user)
    return parties.coder.within(conversation.pk, conversation.ref)


HIDDEN: dict[str, Hide] = {
    "needs_review": lambda parties, _: fact(parties.cron, "Lotta", "visits", "Zanzibar"),
    "rejected": _then(lambda parties, item: lifecycle.reject(principal=parties.person, reference=item.ref)),
    "forgotten": _then(lambda parties, item: lifecycle.forget(principal=parties.coder, reference=item.ref)),
    "expired": _then(lambda parties, item: let_expire(parties.person, item)),
    "never true": _then(
        lambda parties, item: lifecycle.correct(
            principal=parties.person, reference=item.ref, text="Lotta → visits → Faro"
        )
    ),
    "secret": _then(seal),
    "sensitive": _then(_sensitive),
    "of another agent": lambda parties, _: fact(parties.writer, "Lotta", "visits", "Zanzibar", scope="agent"),
    "of a conversation": lambda parties, _: fact(_here(parties), "Lotta", "visits", "Zanzibar", scope="conversation"),
    "private elsewhere": lambda parties, _: fact(_here(parties), "Lotta", "visits", "Zanzibar", scope="private"),
    "of another owner": lambda _, strangers: fact(strangers.coder, "Lotta", "visits", "Zanzibar"),
}
OVER: dict[str, Hide] = {
    "ended": _then(
        lambda parties, item: invalidate(
            principal=parties.coder, parts=Parts("Lotta", "visits", "Zanzibar"), ended="2020"
        )
    ),
    "not yet": lambda parties, _: fact(parties.coder, "Lotta", "visits", "Zanzibar", valid_from="2999"),
    "superseded": lambda parties, _: _replaced(parties),
}


def _replaced(parties: Parties) -> GovernanceItem:
    item = fact(parties.coder, "Lotta", "lives_in", "Zanzibar", valid_from="2019")
    fact(parties.coder, "Lotta", "lives_in", "Faro", valid_from="2020")
    return item


@pytest.mark.parametrize("state", [*HIDDEN, *OVER])
def test_no_reader_shows_an_agent_what_may_not_reach_its_prompt(
    parties: Parties, strangers: Parties, state: str
) -> None:
    control = fact(parties.coder, "Lotta", "visits", "Frankfurt", scope="agent")
    hide = HIDDEN.get(state) or OVER[state]
    item = again(hide(parties, strangers))
    shown = {name for name, found in readers.check(parties.coder, item).items() if found}
    assert shown == (SHOWING_HISTORY if state in OVER else set()), state
    assert readers.check(parties.coder, again(control)) == dict.fromkeys(SHOWING_FACTS, True)


@pytest.mark.parametrize("state", HIDDEN)
def test_a_name_that_only_such_a_fact_holds_is_nowhere(parties: Parties, strangers: Parties, state: str) -> None:
    fact(parties.coder, "Zacharias", "visits", "Frankfurt")
    before = numbers_of(parties.coder)
    HIDDEN[state](parties, strangers)
    seen = objects(parties.coder, "Lotta")
    after = numbers_of(parties.coder)
    replaced = 2 if state == "never true" else 0
    assert "Zanzibar" not in seen
    assert about(principal=parties.coder, name="Zanzibar").entity is None
    assert names_like(parties.coder, "Zanzibat") == []
    assert names_here(parties.coder, ["ZANZIBAR"]).get("zanzibar") in {None, "Zanzibar"}
    assert (after.entities - replaced, after.triples - (replaced > 0)) == (before.entities, before.triples)
    assert after.in_review == (state == "needs_review")
    control = fact(parties.coder, "Bea", "visits", "Zanzibar")
    assert about(principal=parties.coder, name="Zanzibar").page.rows == [control]
    assert names_like(parties.coder, "Zanzibat") == ["Zanzibar"]


def test_what_waits_or_was_rejected_leaves_no_row_of_a_name(parties: Parties) -> None:
    waiting = fact(parties.cron, "Lotta", "visits", "Zanzibar")
    assert known_entities(parties.user.pk, ["Lotta", "Zanzibar"]) == {}
    lifecycle.accept(principal=parties.person, reference=waiting.ref)
    assert len(known_entities(parties.user.pk, ["Lotta", "Zanzibar"])) == 2


def test_a_name_known_elsewhere_is_not_put_into_the_words_of_who_may_not_know_it(parties: Parties) -> None:
    fact(parties.writer, "Lotta Berg", "knows", "Ada", scope="agent")
    fact(parties.writer, "lotta", "knows", "Bea", scope="agent")
    merge(principal=parties.person, keep="Lotta Berg", drop="lotta")
    assert fact(parties.writer, "Lotta", "uses", "vim").text == "Lotta Berg → uses → vim"
    lifecycle.forget(principal=parties.person, reference=GovernanceItem.objects.latest("pk").ref)
    assert fact(parties.coder, "Lotta", "uses", "emacs").text == "Lotta → uses → emacs"


def test_a_person_sees_all_places_and_what_they_marked_sensitive(parties: Parties, strangers: Parties) -> None:
    for state in ("sensitive", "of another agent", "of a conversation", "private elsewhere"):
        HIDDEN[state](parties, strangers)
    assert objects(parties.person, "Lotta") == {"Zanzibar"}
    assert len(about(principal=parties.person, name="Lotta").page.rows) == 4
    update_agent(user=parties.user, name="coder", reads_sensitive=True)
    assert numbers_of(parties.person).triples == 4


def test_facts_at_other_moments(parties: Parties) -> None:
    person = parties.person
    learned_before = parse_period("2020", person.zone, field="known_at").last
    add(parties.coder, "Lotta", "lives_in", "Porto", valid_from="2020-01")
    add(parties.coder, "Lotta", "lives_in", "Lisbon", valid_from="2023-06-01")
    assert objects(parties.coder, "Lotta", known_at=learned_before) == set()
    for asked, expected in {
        "2019": set(), "2020": {"Porto"}, "2020-01": {"Porto"}, "2022": {"Porto"}, "2023-05-31": {"Porto"},
        "2023-06-01": {"Lisbon"}, "2023-06": {"Lisbon"}, "2023": {"Lisbon"}, "2023-06-02": {"Lisbon"},
    }.items():  # fmt: skip
        moment = parse_period(asked, person.zone, field="as_of").last
        assert objects(parties.coder, "Lotta", as_of=moment) == expected, asked
    add(parties.coder, "Lotta", "lives_in", "Faro", valid_from="2999")
    assert objects(parties.coder, "Lotta", current=True) == {"Lisbon"}
    assert objects(parties.coder, "Lotta", current=False) == {"Porto", "Faro"}
