"""Which verb does what to which status, asked of the services and compared with the table as data."""

from collections.abc import Callable

import pytest

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import InvalidTransition, StaleRevision
from review import lifecycle
from review.display import news, steps
from review.models import EventKind, GovernanceItem, Status
from review.transitions import EVENTS, TABLE, check_transition
from tests.review.beliefs import Parties, again, differences, entries, put_into, row, said

Verb = Callable[[Principal, GovernanceItem], object]

VERBS: dict[str, Verb] = {
    "accept": lambda who, item: lifecycle.accept(principal=who, reference=item.ref),
    "reject": lambda who, item: lifecycle.reject(principal=who, reference=item.ref),
    "restore": lambda who, item: lifecycle.restore(principal=who, reference=item.ref),
    "forget": lambda who, item: lifecycle.forget(principal=who, reference=item.ref),
}
ARRIVES = {
    "accept": Status.ACTIVE,
    "reject": Status.REJECTED,
    "restore": Status.NEEDS_REVIEW,
    "forget": Status.STALE,
}
MATRIX = [(verb, status) for verb in VERBS for status in Status]
LISTED = [(verb, status) for verb, status in MATRIX if verb in TABLE[status]]
UNLISTED = [pair for pair in MATRIX if pair not in LISTED]


def test_the_matrix_has_both_sides() -> None:
    assert len(LISTED) + len(UNLISTED) == 24
    assert len(LISTED) == 3 + 5 + 1 + 4


@pytest.mark.parametrize(("verb", "status"), LISTED)
def test_a_listed_verb_moves_the_belief_and_says_so_in_the_journal(parties: Parties, verb: str, status: Status) -> None:
    item = put_into(status, parties.person, said(parties.coder, "The office is in Porto"))
    before, counted = item.revision, entries(parties.user)
    VERBS[verb](parties.person, item)
    after = again(item)
    assert after.status == ARRIVES[verb]
    assert after.status in TABLE[status][verb]
    assert after.revision == before + 1
    assert entries(parties.user) == counted + 1
    assert differences(parties.user) == []


@pytest.mark.parametrize(("verb", "status"), UNLISTED)
def test_any_other_verb_is_refused_and_leaves_the_row_as_it_was(parties: Parties, verb: str, status: Status) -> None:
    item = put_into(status, parties.person, said(parties.coder, "The office is in Porto"))
    before, counted = row(item), entries(parties.user)
    with pytest.raises(InvalidTransition) as refused:
        VERBS[verb](parties.person, item)
    assert refused.value.fields == {"status": status}
    assert refused.value.status == 409
    assert row(item) == before
    assert entries(parties.user) == counted


@pytest.mark.parametrize("status", Status)
def test_the_check_itself_allows_exactly_what_is_listed(status: Status) -> None:
    verbs = {verb for row_of in TABLE.values() for verb in row_of}
    for verb in verbs:
        for target in Status:
            if target in TABLE[status].get(verb, frozenset()):
                check_transition(status, verb, target)
            else:
                with pytest.raises(InvalidTransition):
                    check_transition(status, verb, target)


def test_no_verb_leads_out_of_rejected_but_restore() -> None:
    assert set(TABLE[Status.REJECTED]) == {"restore"}


def test_every_verb_of_the_table_has_a_name_in_the_journal() -> None:
    assert {verb for verbs in TABLE.values() for verb in verbs} <= EVENTS.keys()
    assert set(EVENTS.values()) <= set(EventKind)


def test_what_the_journal_tells_has_words_for_a_person() -> None:
    """On a belief's page and among the news; without words a name of the code would be shown."""
    assert EVENTS.keys() == steps.DEEDS.keys()
    assert EVENTS.keys() == news.TOLD.keys()


def test_a_stale_revision_is_refused_before_the_verb_is_looked_at(parties: Parties) -> None:
    item = said(parties.cron, "The office is in Porto")
    with pytest.raises(StaleRevision) as refused:
        lifecycle.accept(principal=parties.person, reference=item.ref, revision=item.revision + 1)
    assert refused.value.fields == {"revision": item.revision, "ref": item.ref}
    assert again(item).status == Status.NEEDS_REVIEW
    lifecycle.accept(principal=parties.person, reference=item.ref, revision=item.revision)
    assert again(item).status == Status.ACTIVE
