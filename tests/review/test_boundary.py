"""Who sees what: the scopes, and every registered reader against everything that may not reach a prompt."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from pawflow_web.identity.principal import Principal
from pawflow_web.identity.services import update_agent
from review import lifecycle, readers
from review.journal.acts import act
from review.models import GovernanceItem, KindName, Privacy
from review.search.index import catch_up
from tests.factories import make_conversation, make_principal
from tests.review.beliefs import Parties, again, let_expire, readable, said, seal, since

SCOPES = ("global", "agent", "conversation", "private")

# Those that show notes; what shows facts is asked in tests/graph/test_boundary.py.
NAMES = [entry.name for entry in readers.readers.all() if not entry.kinds or KindName.NOTE in entry.kinds]

WORDS = "Prefers sourdough bread"


def viewers(parties: Parties) -> dict[str, Principal]:
    here, there = make_conversation(parties.user, "here"), make_conversation(parties.user, "there")
    coder, writer = parties.coder, parties.writer
    return {
        "coder here": coder.within(here.pk, here.ref),
        "coder there": coder.within(there.pk, there.ref),
        "coder nowhere": coder,
        "writer here": writer.within(here.pk, here.ref),
        "writer nowhere": writer,
        "person": parties.person,
        "person there": parties.person.within(there.pk, there.ref),
    }


MATRIX = {
    "coder here": {"global", "agent", "conversation", "private"},
    "coder there": {"global", "agent"},
    "coder nowhere": {"global", "agent"},
    "writer here": {"global", "conversation"},
    "writer nowhere": {"global"},
    "person": set(SCOPES),
    "person there": set(SCOPES),
}


def test_each_viewer_sees_its_scopes_and_no_other(parties: Parties, strangers: Parties) -> None:
    everybody = viewers(parties)
    for scope in SCOPES:
        said(everybody["coder here"], f"In scope {scope}", scope=scope)
    for name, viewer in everybody.items():
        assert readable(viewer) == {f"In scope {scope}" for scope in MATRIX[name]}, name
        seen = GovernanceItem.objects.visible_to(viewer).values_list("scope", flat=True)
        assert set(seen) == MATRIX[name], name
    for stranger in (strangers.person, strangers.coder, strangers.cron):
        assert readable(stranger) == set()


# --- every reader ---------------------------------------------------------------------------------------------


Hide = Callable[[Parties, Parties], GovernanceItem]


def _then(verb: Callable[[Parties, GovernanceItem], object]) -> Hide:
    def hide(parties: Parties, _: Parties) -> GovernanceItem:
        item = said(parties.coder, WORDS)
        verb(parties, item)
        return item

    return hide


def _sensitive(parties: Parties, item: GovernanceItem) -> None:
    with act(parties.person) as current:
        locked = GovernanceItem.objects.locked().get(pk=item.pk)
        current.write(locked, "edit", privacy=Privacy.SENSITIVE)


def _ends(parties: Parties, item: GovernanceItem) -> None:
    with act(parties.person) as current:
        locked = GovernanceItem.objects.locked().get(pk=item.pk)
        current.write(locked, "end", valid=type(locked.valid)(None, current.clock.at + timedelta(days=1)))


def _ended(parties: Parties, item: GovernanceItem) -> None:
    with act(parties.person) as current:
        locked = GovernanceItem.objects.locked().get(pk=item.pk)
        current.write(locked, "end", valid=type(locked.valid)(None, current.clock.at - timedelta(seconds=1)))


HIDDEN: dict[str, Hide] = {
    "needs_review": lambda parties, _: said(parties.cron, WORDS),
    "rejected": _then(lambda parties, item: lifecycle.reject(principal=parties.person, reference=item.ref)),
    "forgotten": _then(lambda parties, item: lifecycle.forget(principal=parties.coder, reference=item.ref)),
    "expired": _then(lambda parties, item: let_expire(parties.person, item)),
    "ended": _then(_ended),
    "superseded": _then(lambda parties, item: said(parties.coder, "Bakes daily", replaces=item)),
    "superseded, never true": _then(
        lambda parties, item: lifecycle.correct(principal=parties.person, reference=item.ref, text="Bakes daily")
    ),
    "secret": _then(seal),
    "sensitive": _then(_sensitive),
    "not yet": lambda parties, _: said(parties.coder, WORDS, valid=since(2999)),
    "of another agent": lambda parties, _: said(parties.writer, WORDS, scope="agent"),
    "of a conversation": lambda parties, _: said(
        parties.coder.within(*_conversation(parties)), WORDS, scope="conversation"
    ),
    "private elsewhere": lambda parties, _: said(parties.coder.within(*_conversation(parties)), WORDS, scope="private"),
    "of another owner": lambda _, strangers: said(strangers.coder, WORDS),
}


def _conversation(parties: Parties) -> tuple[int, str]:
    conversation = make_conversation(parties.user)
    return conversation.pk, conversation.ref


@pytest.mark.parametrize("indexed", [False, True], ids=["tail", "index"])
@pytest.mark.parametrize("state", HIDDEN)
def test_no_reader_shows_an_agent_what_may_not_reach_its_prompt(
    parties: Parties, strangers: Parties, state: str, *, indexed: bool
) -> None:
    control = said(parties.coder, f"{WORDS} and rye", scope="agent")
    item = HIDDEN[state](parties, strangers)
    if indexed:
        while catch_up(parties.user.pk):
            pass
    found = readers.check(parties.coder, again(item))
    assert found == dict.fromkeys(NAMES, False), state
    assert readers.check(parties.coder, control) == dict.fromkeys(NAMES, True)


def _replaced_later(parties: Parties, item: GovernanceItem) -> None:
    said(parties.coder, "Bakes daily", replaces=item, valid=since(2999))


# What looks like the states above and still holds.
STILL_SHOWN: dict[str, Hide] = {
    "superseded in the future": _then(_replaced_later),
    "ends in the future": _then(_ends),
    "expires in the future": lambda parties, _: said(parties.coder, WORDS, ttl_days=1),
    "its own": lambda parties, _: said(parties.coder, WORDS, scope="agent"),
    "restored and accepted": _then(
        lambda parties, item: [
            verb(principal=parties.person, reference=item.ref)
            for verb in (lifecycle.reject, lifecycle.restore, lifecycle.accept)
        ]
    ),
}


@pytest.mark.parametrize("indexed", [False, True], ids=["tail", "index"])
@pytest.mark.parametrize("state", STILL_SHOWN)
def test_every_reader_shows_what_still_holds(
    parties: Parties, strangers: Parties, state: str, *, indexed: bool
) -> None:
    item = STILL_SHOWN[state](parties, strangers)
    if indexed:
        while catch_up(parties.user.pk):
            pass
    assert readers.check(parties.coder, again(item)) == dict.fromkeys(NAMES, True)
    assert readers.check(strangers.coder, again(item)) == dict.fromkeys(NAMES, False)


@pytest.mark.parametrize("indexed", [False, True], ids=["tail", "index"])
def test_what_takes_over_in_the_future_is_not_read_before(parties: Parties, *, indexed: bool) -> None:
    successor = said(parties.coder, "Bakes daily", replaces=said(parties.coder, WORDS), valid=since(2999))
    if indexed:
        catch_up(parties.user.pk)
    assert readers.check(parties.coder, successor) == dict.fromkeys(NAMES, False)


@pytest.mark.parametrize("indexed", [False, True], ids=["tail", "index"])
@pytest.mark.parametrize("scope", ["conversation", "private"])
def test_words_of_a_conversation_are_read_in_it_and_nowhere_else(
    parties: Parties, scope: str, *, indexed: bool
) -> None:
    here, there = (parties.coder.within(*_conversation(parties)) for _ in range(2))
    item = said(here, WORDS, scope=scope)
    if indexed:
        catch_up(parties.user.pk)
    assert readers.check(here, item) == dict.fromkeys(NAMES, True)
    for elsewhere in (there, parties.coder):
        assert readers.check(elsewhere, item) == dict.fromkeys(NAMES, False)
    writer_here = parties.writer.within(here.conversation_id, here.conversation_ref)
    assert readers.check(writer_here, item) == dict.fromkeys(NAMES, scope == "conversation")


@pytest.mark.parametrize("indexed", [False, True], ids=["tail", "index"])
def test_an_agent_that_its_owner_lets_reads_what_is_sensitive(parties: Parties, *, indexed: bool) -> None:
    item = said(parties.coder, WORDS)
    _sensitive(parties, item)
    update_agent(user=parties.user, name="coder", reads_sensitive=True)
    if indexed:
        catch_up(parties.user.pk)
    allowed = make_principal(parties.user, agent="coder")
    assert readers.check(allowed, again(item)) == dict.fromkeys(NAMES, True)
    assert readers.check(parties.writer, again(item)) == dict.fromkeys(NAMES, False)
    seal(parties, item)
    assert readers.check(allowed, again(item)) == dict.fromkeys(NAMES, False)


@pytest.mark.parametrize("indexed", [False, True], ids=["tail", "index"])
def test_what_was_read_everywhere_is_gone_everywhere_at_once(parties: Parties, *, indexed: bool) -> None:
    """The index still holds it; no reader does."""
    item = said(parties.coder, WORDS)
    if indexed:
        catch_up(parties.user.pk)
    assert readers.check(parties.coder, item) == dict.fromkeys(NAMES, True)
    lifecycle.reject(principal=parties.person, reference=item.ref)
    assert readers.check(parties.coder, item) == dict.fromkeys(NAMES, False)
    lifecycle.restore(principal=parties.person, reference=item.ref)
    assert readers.check(parties.coder, item) == dict.fromkeys(NAMES, False)
    lifecycle.accept(principal=parties.person, reference=item.ref)
    assert readers.check(parties.coder, item) == dict.fromkeys(NAMES, True)
