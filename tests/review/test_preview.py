"""What would follow from a decision is said by making it and taking it back; nothing of it stays."""

from typing import Any

import pytest
from django.db import connection

from memory.notes.services import remember_note
from pawflow_web.lib.errors import Conflict, Invalid, InvalidTransition, NotAllowed, NotFound
from review import lifecycle
from review.lifecycle.preview import VERBS, Preview, preview
from review.models import GovernanceItem
from review.readership.audience import AGENTS_MOST, agents_reading
from tests.factories import AUTOMATION, make_conversation, make_principal
from tests.review.beliefs import Parties, again, differences, moment, said, seal, since

KEY = "ada / works at"


def seen(parties: Parties, item: GovernanceItem, verb: str, **more: Any) -> Preview:
    return preview(principal=parties.person, reference=item.ref, verb=verb, **more)


def told(parties: Parties, item: GovernanceItem, verb: str, **more: Any) -> list[str]:
    return [sentence.text for sentence in seen(parties, item, verb, **more).sentences]


def stored() -> dict[str, Any]:
    """Every row of every table of the product, by table."""
    with connection.cursor() as cursor:
        tables = sorted(
            name for name in connection.introspection.table_names(cursor)
            if name.startswith(("review_", "memory_", "identity_userclock"))
        )  # fmt: skip
        rows = {}
        for table in tables:
            cursor.execute(f"SELECT md5(coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '')) FROM \"{table}\" t")
            rows[table] = cursor.fetchone()
    return rows


def test_nothing_is_written_not_even_the_clock(parties: Parties) -> None:
    old = said(parties.coder, "Lives in Porto")
    item = remember_note(principal=parties.cron, text="Lives in Berlin", supersedes=old.ref).admission.item
    assert item is not None
    rejected = said(parties.coder, "Likes tea")
    lifecycle.reject(principal=parties.person, reference=rejected.ref)
    before = stored()
    for verb in VERBS:
        for about in (old, item, rejected):
            try:
                seen(parties, about, verb)
            except (InvalidTransition, Conflict):
                continue
    assert stored() == before
    lifecycle.accept(principal=parties.person, reference=item.ref)
    assert stored() != before
    assert differences(parties.user) == []


def test_accepting_says_who_reads_it_and_what_ends(parties: Parties) -> None:
    old = said(parties.coder, "Ada works at Acme", exclusive_key=KEY, valid=since(2010))
    item = said(parties.cron, "Ada works at Beta", exclusive_key=KEY, valid=since(2020, 4))
    answer = seen(parties, item, "accept")
    names = ("coder", "cron", "silent", "writer")
    assert answer.agents == names
    assert {(each.agent, each.ref) for each in answer.gains} == {(name, item.ref) for name in names}
    assert {(each.agent, each.ref) for each in answer.loses} == {(name, old.ref) for name in names}
    assert [sentence.text for sentence in answer.sentences] == [
        "4 agents may read it from the next turn.",
        f"#{old.number} Ada works at Acme ends on 1 April 2020.",
    ]
    assert [sentence.ref for sentence in answer.sentences] == ["", old.ref]


def test_only_those_who_may_are_named(parties: Parties) -> None:
    waiting = said(parties.coder.narrowed(), "Prefers tabs", scope="agent")
    assert told(parties, waiting, "accept") == ["coder may read it from the next turn."]
    conversation = make_conversation(parties.user)
    within = parties.cron.within(conversation.pk, conversation.ref)
    private = said(within, "Talks of tabs", scope="private")
    assert seen(parties, private, "accept").agents == ("cron",)


def test_what_agents_may_not_read_is_said_so(parties: Parties) -> None:
    item = said(parties.cron, "My son has asthma")
    assert told(parties, item, "accept") == ["No agent reads it, because it is sensitive."]
    future = said(parties.cron, "Moves to Porto", valid=since(2090))
    assert told(parties, future, "accept") == ["No agent reads it before 1 January 2090."]
    waiting = said(parties.cron, "Likes tea")
    assert told(parties, waiting, "reject")[0] == "No agent reads it, before or after."


def test_a_value_that_is_replaced_from_its_start_and_a_gap_are_told(parties: Parties) -> None:
    old = said(parties.coder, "Ada works at Acme", exclusive_key=KEY, valid=since(2010))
    same_start = said(parties.cron, "Ada works at Beta", exclusive_key=KEY, valid=since(2010))
    label = f"#{old.number} Ada works at Acme"
    assert (
        told(parties, same_start, "accept")[1] == f"{label} is replaced from its very start; it stays in the history."
    )
    lifecycle.reject(principal=parties.person, reference=same_start.ref)
    bounded = said(
        parties.cron, "Ada works at Gamma", exclusive_key=KEY,
        valid=type(old.valid)(moment(2012), moment(2014)),
    )  # fmt: skip
    assert told(parties, bounded, "accept")[1:] == [
        f"{label} ends on 1 January 2012.",
        "From 1 January 2014 on neither holds.",
    ]


def test_out_of_use_is_told_with_what_stays_replaced(parties: Parties) -> None:
    old = said(parties.coder, "Lives in Porto", scope="agent")
    new = remember_note(principal=parties.coder, text="Lives in Braga", supersedes=old.ref).admission.item
    assert new is not None
    stays = f"#{old.number} Lives in Porto, which it replaced, does not come back by itself."
    assert told(parties, new, "forget") == ["coder no longer reads it.", stays]
    assert told(parties, new, "reject") == [
        "coder no longer reads it.",
        "Its words are refused from then on, whoever offers them.",
        stays,
    ]
    assert told(parties, new, "end") == ["coder no longer reads it."]
    assert told(parties, new, "undo") == ["coder no longer reads it.", f"#{old.number} Lives in Porto is in use again."]


def test_a_correction_is_told_without_its_words(parties: Parties) -> None:
    used = said(parties.coder, "Lives in Prto", scope="agent")
    waiting = said(parties.coder.narrowed(), "Likes te", scope="agent")
    for item in (used, waiting):
        assert told(parties, item, "correct") == [
            "coder reads the new words from the next turn; the old ones stay in the history."
        ]
    with pytest.raises(InvalidTransition):
        seen(parties, lifecycle.forget(principal=parties.person, reference=used.ref).item, "correct")


def test_what_would_be_refused_is_refused(parties: Parties, strangers: Parties) -> None:
    old = said(parties.coder, "Ada works at Acme", exclusive_key=KEY, valid=since(2020))
    item = said(parties.cron, "Ada works at Beta", exclusive_key=KEY)
    other = said(parties.coder, "Ada works at Gamma", exclusive_key=KEY, valid=since(2022))
    with pytest.raises(Conflict) as refused:
        seen(parties, item, "accept")
    assert refused.value.fields == {"contradicts": other.ref}
    assert len(told(parties, item, "accept", demote=other.ref)) > 1
    calls: list[tuple[Any, Any, str, type[Exception]]] = [
        (parties.coder, item, "accept", NotAllowed),
        (strangers.person, item, "accept", NotFound),
        (parties.person, item, "purge", Invalid),
        (parties.person, old, "accept", InvalidTransition),
    ]
    for principal, about, verb, error in calls:
        with pytest.raises(error):
            preview(principal=principal, reference=about.ref, verb=verb)


def test_secret_words_are_masked(parties: Parties) -> None:
    old = said(parties.coder, "The plan is Alpha")
    new = remember_note(principal=parties.coder, text="The plan is Beta", supersedes=old.ref).admission.item
    assert new is not None
    seal(parties, old)
    assert told(parties, new, "forget")[-1] == f"#{old.number} ••••, which it replaced, does not come back by itself."


def test_it_costs_the_same_for_one_agent_and_for_many(parties: Parties, django_assert_max_num_queries: Any) -> None:
    old = said(parties.coder, "Lives in Porto")
    item = remember_note(principal=parties.cron, text="Lives in Berlin", supersedes=old.ref).admission.item
    assert item is not None
    for number in range(20):
        make_principal(parties.user, agent=f"agent-{number}")
    with django_assert_max_num_queries(17):
        assert len(seen(parties, item, "accept").agents) == 24


def test_with_many_agents_it_agrees_with_what_is_said_after_it(parties: Parties) -> None:
    """Of so many not all are asked; the one that alone may read a belief is."""
    for number in range(AGENTS_MOST):
        make_principal(parties.user, agent=f"agent-{number}")
    waits = said(parties.cron, "Lives in Porto")
    alone = said(make_principal(parties.user, agent="zoe", origin=AUTOMATION), "Likes tea", scope="agent")
    for item, number in ((waits, AGENTS_MOST), (alone, 1)):
        before = seen(parties, item, "accept").agents
        lifecycle.accept(principal=parties.person, reference=item.ref)
        assert before == agents_reading(parties.person, again(item))
        assert len(before) == number
    assert before == ("zoe",)
