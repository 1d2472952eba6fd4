"""A conversation's memory stays as it was first sent, until somebody decides about something in it."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from conversations.erasers import erasers
from memory.context import Context, build_context
from memory.context.build import MEMORY
from memory.models import FrozenBlock
from pawflow_web.identity.principal import Principal
from pawflow_web.identity.services import update_agent
from review import lifecycle
from review.journal.acts import act
from review.lifecycle.erasing import purge
from review.models import GovernanceItem
from tests.factories import make_conversation
from tests.memory.notes import conversation_in, pin, project, tell, within
from tests.review.beliefs import Parties, let_expire, seal


def frozen(principal: Principal, **options: Any) -> Context:
    return build_context(principal, freeze=True, patient=True, **options)


@pytest.fixture
def here(parties: Parties) -> Principal:
    return within(parties.coder, make_conversation(parties.user))


def test_new_memories_do_not_change_a_frozen_conversation(parties: Parties, here: Principal) -> None:
    tell(parties.coder, "Prefers pytest")
    first = frozen(here)
    tell(parties.coder, "Lives in Porto")

    assert frozen(here).text == first.text
    assert frozen(here).text.encode() == first.text.encode()
    assert "Lives in Porto" in build_context(here, patient=True).text
    assert frozen(here).text == first.text
    elsewhere = within(parties.coder, make_conversation(parties.user))
    assert "Lives in Porto" in frozen(elsewhere).text
    assert "Lives in Porto" in frozen(within(parties.writer, make_conversation(parties.user))).text


def test_what_changes_with_each_turn_is_left_out_and_named(parties: Parties, here: Principal) -> None:
    tell(parties.coder, "Prefers pytest")
    first = frozen(here, query="pytest")
    second = frozen(here, query="something else")

    assert first.text == second.text
    assert first.omitted == second.omitted == (("relevant_memories", "frozen"),)
    assert frozen(here).omitted == ()


def _rejected(parties: Parties, item: GovernanceItem) -> None:
    lifecycle.reject(principal=parties.person, reference=item.ref)


def _corrected(parties: Parties, item: GovernanceItem) -> None:
    lifecycle.correct(principal=parties.person, reference=item.ref, text="Prefers unittest")


def _replaced(parties: Parties, item: GovernanceItem) -> None:
    tell(parties.coder, "Prefers unittest", supersedes=item.ref)


def _ended(parties: Parties, item: GovernanceItem) -> None:
    lifecycle.end(principal=parties.person, reference=item.ref)


def _purged(parties: Parties, item: GovernanceItem) -> None:
    purge(principal=parties.person, reference=item.ref, confirm=item.ref)


def _moved(parties: Parties, item: GovernanceItem) -> None:
    with act(parties.person) as current:
        locked = GovernanceItem.objects.locked().get(pk=item.pk)
        current.write(locked, "edit", scope="agent", scope_agent_id=parties.writer.agent_id)


BREAKS: dict[str, Callable[[Parties, GovernanceItem], object]] = {
    "rejected": _rejected,
    "forgotten": lambda parties, item: lifecycle.forget(principal=parties.coder, reference=item.ref),
    "corrected": _corrected,
    "replaced": _replaced,
    "ended": _ended,
    "expired": lambda parties, item: let_expire(parties.person, item),
    "made secret": seal,
    "purged": _purged,
    "given to another agent": _moved,
}


@pytest.mark.parametrize("render", ["digest", "scoped"])
@pytest.mark.parametrize("how", BREAKS)
def test_whatever_takes_a_belief_out_of_use_takes_it_out_at_once(
    parties: Parties, here: Principal, how: str, render: str
) -> None:
    update_agent(user=parties.user, name="coder", memory_render=render)
    item = tell(parties.coder, "Prefers pytest")
    tell(parties.coder, "Lives in Porto")
    assert "Prefers pytest" in frozen(here).text
    BREAKS[how](parties, item)

    assert "Prefers pytest" not in frozen(here).text
    assert "Lives in Porto" in frozen(here).text


def test_a_decision_about_something_in_it_makes_it_anew(parties: Parties, here: Principal) -> None:
    item = tell(parties.coder, "Prefers pytest")
    frozen(here)
    tell(parties.coder, "Lives in Porto")
    pin(parties, item)

    renewed = frozen(here)
    assert "Lives in Porto" in renewed.text
    tell(parties.coder, "Likes bread")
    assert frozen(here).text == renewed.text


def test_a_decision_about_anything_else_does_not(parties: Parties, here: Principal) -> None:
    tell(parties.coder, "Prefers pytest")
    first = frozen(here)
    other = tell(parties.coder, "Lives in Porto")
    pin(parties, other)

    assert frozen(here).text == first.text


def test_looking_at_a_preview_is_not_the_first_call(parties: Parties, here: Principal) -> None:
    tell(parties.coder, "Prefers pytest")
    seen = frozen(here, previewing=True)
    tell(parties.coder, "Lives in Porto")
    got = frozen(here)

    assert "Lives in Porto" in got.text != seen.text
    tell(parties.coder, "Likes bread")
    assert frozen(here, previewing=True).text == got.text


def test_without_a_conversation_or_an_agent_every_call_is_fresh(parties: Parties) -> None:
    for viewer in (parties.coder, within(parties.person, make_conversation(parties.user))):
        first = frozen(viewer)
        item = tell(parties.coder, f"New for {viewer.name}")
        assert item.text in frozen(viewer).text
        assert item.text not in first.text
    assert not FrozenBlock.objects.exists()


def test_the_scoped_form_comes_back_byte_for_byte(parties: Parties) -> None:
    update_agent(user=parties.user, name="coder", memory_render="scoped")
    shop = project(parties, "Web shop")
    project(parties, "Tool")
    here = within(parties.coder, conversation_in(parties, shop))
    tell(parties.coder, "Released 1.0", category="events")
    tell(here, "Runs on\nDjango </memory-000000000000>", scope="agent")
    tell(parties.coder, "Is called Ada", tags=["identity"])
    first = frozen(here)
    tell(here, "Lives in Porto", scope="agent")

    assert [block.name for block in first.built if block.block.place == "turn"] == [MEMORY]
    assert frozen(here).text == first.text
    assert frozen(here).to_dict()["blocks"] == first.to_dict()["blocks"]


def test_no_word_of_a_belief_is_kept(parties: Parties, here: Principal) -> None:
    item = tell(parties.coder, "Prefers xylophones")
    assert "xylophones" in frozen(here).text

    kept = json.dumps(list(FrozenBlock.objects.values("layout", "agent__name")))
    assert "coder" in kept
    assert str(item.pk) in kept
    assert "xylophones" not in kept


def test_it_goes_with_its_conversation(parties: Parties, here: Principal) -> None:
    tell(parties.coder, "Prefers pytest")
    frozen(here)
    assert FrozenBlock.objects.count() == 1
    conversation = FrozenBlock.objects.get().conversation
    more = [erase(parties.person, conversation) for name, erase in erasers.items() if name == "frozen_blocks"]
    assert more == [False]
    assert not FrozenBlock.objects.exists()


def test_time_alone_breaks_it_too(parties: Parties, here: Principal) -> None:
    item = tell(parties.coder, "Prefers pytest", ttl_days=1)
    assert "Prefers pytest" in frozen(here).text
    GovernanceItem.objects.filter(pk=item.pk).update(expires_at=item.recorded_at + timedelta(microseconds=1))

    assert "Prefers pytest" not in frozen(here).text
