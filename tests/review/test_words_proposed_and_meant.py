"""An automation says that words replace a belief, then the owner says those words: the belief gives way as if the
owner had named it, unless a person has decided on it."""

import pytest

from memory.notes.services import remember_note
from pawflow_web.identity.principal import Principal
from review import lifecycle
from review.gate import assess
from review.models import GovernanceItem
from tests.review.beliefs import Parties, again, differences, note, readable, said, say, since

OLD, NEW = "Lives in Porto", "Lives in Berlin"
KEY = "ada / works at"


@pytest.fixture
def old(parties: Parties) -> GovernanceItem:
    return said(parties.coder, OLD)


def proposed(parties: Parties, old: GovernanceItem) -> GovernanceItem:
    item = remember_note(principal=parties.cron, text=NEW, supersedes=old.ref, scope="global").admission.item
    assert item is not None
    assert (item.status, item.contradicts_id) == ("needs_review", old.pk)
    return item


@pytest.mark.parametrize("who", ["coder", "person"])
def test_what_is_contradicted_gives_way_to_the_owners_own_word(parties: Parties, old: GovernanceItem, who: str) -> None:
    item = proposed(parties, old)
    control = said(parties.coder, "Likes tea")
    principal: Principal = getattr(parties, who)
    (foreseen,) = assess([note(principal, NEW)], principal)
    done = say(principal, NEW)
    assert (done.outcome, done.item, done.superseded) == ("restated", item, (old,))
    assert (foreseen.outcome, foreseen.superseded) == (done.outcome, (old,))
    assert readable(parties.coder) == {NEW, control.text}
    assert (again(old).status, again(item).supersedes_id, again(item).contradicts_id) == ("superseded", old.pk, None)
    lifecycle.undo(principal=parties.person, reference=item.ref)
    assert (again(old).status, again(item).status, again(item).contradicts_id) == ("active", "needs_review", old.pk)
    assert differences(parties.user) == []


@pytest.mark.parametrize("who", ["coder", "person"])
@pytest.mark.parametrize("how", ["pinned", "accepted"])
def test_what_a_person_decided_on_does_not_go_by_that_alone(
    parties: Parties, old: GovernanceItem, who: str, how: str
) -> None:
    if how == "pinned":
        lifecycle.edit(principal=parties.person, reference=old.ref, revision=1, changes={"pinned": True})
    else:
        lifecycle.forget(principal=parties.person, reference=old.ref)
        lifecycle.accept(principal=parties.person, reference=old.ref)
    item = proposed(parties, old)
    done = say(getattr(parties, who), NEW)
    assert (done.outcome, done.status) == ("duplicate", "needs_review")
    assert readable(parties.coder) == {OLD}
    assert again(item).contradicts_id == old.pk
    lifecycle.accept(principal=parties.person, reference=item.ref)
    assert readable(parties.coder) == {NEW}


def test_an_agent_does_not_take_it_from_readers_who_would_not_read_the_new_words(parties: Parties) -> None:
    old = said(parties.writer, OLD)
    narrow = remember_note(principal=parties.coder.narrowed(), text=NEW, supersedes=old.ref, scope="agent")
    item = narrow.admission.item
    assert item is not None
    assert say(parties.coder, NEW, scope="agent").status == "needs_review"
    assert readable(parties.coder) == readable(parties.writer) == {OLD}
    assert again(item).contradicts_id == old.pk


def test_what_is_gone_already_stands_in_nobodys_way(parties: Parties, old: GovernanceItem) -> None:
    item = proposed(parties, old)
    lifecycle.forget(principal=parties.person, reference=old.ref)
    done = say(parties.coder, NEW)
    assert (done.outcome, done.superseded, again(item).status) == ("restated", (), "active")
    assert again(old).status == "stale"


def test_stale_words_on_a_key_wait_for_a_person_where_a_person_decided(parties: Parties) -> None:
    stale = said(parties.coder, "Ada works at Acme", exclusive_key=KEY, valid=since(2010))
    lifecycle.forget(principal=parties.person, reference=stale.ref)
    standing = said(parties.cron, "Ada works at Beta", exclusive_key=KEY, valid=since(2005))
    lifecycle.accept(principal=parties.person, reference=standing.ref)
    done = say(parties.coder, "Ada works at Acme", exclusive_key=KEY)
    assert (done.status, done.reason) == ("needs_review", "contradicts_active")
    assert (again(stale).contradicts_id, readable(parties.coder)) == (standing.pk, {"Ada works at Beta"})
    assert say(parties.person, "Ada works at Acme", exclusive_key=KEY).status == "needs_review"
    lifecycle.accept(principal=parties.person, reference=stale.ref)
    assert readable(parties.coder) == {"Ada works at Acme"}
    assert differences(parties.user) == []
