"""Values of one exclusive key through the gate: told in any order, the same history comes out."""

from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import IntegrityError, transaction
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from memory.notes.services import remember_note
from pawflow_web.identity.models import UserSettings
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Conflict
from pawflow_web.lib.periods import first_instant, last_instant
from review import lifecycle
from review.lifecycle import accept, deciding
from review.models import GovernanceItem, JournalEntry, Status
from tests.factories import make_person
from tests.review.beliefs import (
    Parties,
    again,
    between,
    differences,
    let_expire,
    moment,
    put_into,
    readable,
    said,
    say,
    since,
)

KEY = "ada / works at"
FOUR = {"Acme": (2005, 1), "Beta": (2010, 6), "Gamma": (2015, 3), "Delta": (2020, 9)}


def employer(principal: Principal, name: str, valid: DateTimeTZRange | None = None, **fields: Any) -> Any:
    if valid is not None:
        fields["valid"] = valid
    return say(principal, f"Ada works at {name}", exclusive_key=KEY, **fields)


def at(principal: Principal, when: datetime, **clocks: Any) -> set[str]:
    return {text.removeprefix("Ada works at ") for text in readable(principal, at=when, **clocks)}


@pytest.mark.parametrize("order", list(permutations(FOUR))[::3], ids="-".join)
def test_four_employers_told_in_any_order_hold_one_after_the_other(parties: Parties, order: tuple[str, ...]) -> None:
    for name in order:
        assert employer(parties.coder, name, since(*FOUR[name])).item.status == Status.ACTIVE
    starts = [*FOUR.values(), (2026, 1)]
    for index, name in enumerate(FOUR):
        first, after = moment(*starts[index]), moment(*starts[index + 1])
        assert at(parties.coder, first) == {name}
        assert at(parties.coder, first + (after - first) / 2) == {name}
        assert at(parties.coder, after - timedelta(microseconds=1)) == {name}
    assert at(parties.coder, moment(2004)) == set()
    assert readable(parties.coder) == {"Ada works at Delta"}
    assert differences(parties.user) == []


def test_what_was_known_earlier_answers_as_it_did_then(parties: Parties) -> None:
    """Told late and out of order: the grid of world time and knowledge time."""
    told = ["Delta", "Acme", "Gamma", "Beta"]
    knew: list[datetime] = []
    for name in told:
        employer(parties.coder, name, since(*FOUR[name]))
        knew.append(JournalEntry.objects.filter(user=parties.user).order_by("seq").last().at)
    moments = {name: moment(*start) + timedelta(days=400) for name, start in FOUR.items()}
    grid = [[at(parties.coder, when, known_at=then) for when in moments.values()] for then in knew]
    assert grid == [
        [set(), set(), set(), {"Delta"}],
        [{"Acme"}, {"Acme"}, {"Acme"}, {"Delta"}],
        [{"Acme"}, {"Acme"}, {"Gamma"}, {"Delta"}],
        [{"Acme"}, {"Beta"}, {"Gamma"}, {"Delta"}],
    ]


def test_a_value_that_begins_later_leaves_todays_value_in_use_until_that_day(parties: Parties) -> None:
    today = employer(parties.coder, "Acme", since(2020)).item
    day = datetime.now(UTC) + timedelta(days=200)
    later = employer(parties.coder, "Beta", DateTimeTZRange(day, None))
    assert later.item.status == Status.ACTIVE
    assert [row.pk for row in later.superseded] == [today.pk]
    assert again(today).status == Status.ACTIVE
    assert again(today).retired_at is None
    assert readable(parties.coder) == {"Ada works at Acme"}
    assert at(parties.coder, day - timedelta(seconds=1)) == {"Acme"}
    assert at(parties.coder, day) == {"Beta"}
    # still in use, so every verb works on it
    assert lifecycle.forget(principal=parties.coder, reference=today.ref).forgotten


def test_on_the_day_of_the_handover_only_the_new_value_holds_in_the_owners_zone(parties: Parties) -> None:
    UserSettings.objects.filter(user=parties.user).update(time_zone="Pacific/Auckland")
    person = make_person(parties.user)
    zone = person.zone
    assert zone == ZoneInfo("Pacific/Auckland")
    employer(person, "Acme", DateTimeTZRange(first_instant("2010", zone, field="at"), None))
    employer(person, "Beta", DateTimeTZRange(first_instant("2024-07-01", zone, field="at"), None))
    expected = {
        "2009-12-31": set(),
        "2010-01-01": {"Acme"},
        "2024-06": {"Acme"},
        "2024-06-30": {"Acme"},
        "2024-07-01": {"Beta"},
        "2024-07": {"Beta"},
        "2024": {"Beta"},
        "2023": {"Acme"},
        # noon of the last day in UTC is the first day there
        "2024-06-30T11:59:59.999999Z": {"Acme"},
        "2024-06-30T12:00:00Z": {"Beta"},
    }
    for asked, names in expected.items():
        assert at(person, last_instant(asked, zone, field="as_of")) == names, asked


@pytest.mark.parametrize(
    ("given", "precision", "first"),
    [
        ("2024", "year", datetime(2023, 12, 31, 23, tzinfo=UTC)),
        ("2024-03", "month", datetime(2024, 2, 29, 23, tzinfo=UTC)),
        ("2024-04-01", "day", datetime(2024, 3, 31, 22, tzinfo=UTC)),
        ("2024-04-01T00:00:00Z", "instant", datetime(2024, 4, 1, tzinfo=UTC)),
        (1711929600, "instant", datetime(2024, 4, 1, tzinfo=UTC)),
    ],
)
def test_each_precision_begins_at_the_first_instant_of_its_period_in_the_owners_zone(
    parties: Parties, given: Any, precision: str, first: datetime
) -> None:
    UserSettings.objects.filter(user=parties.user).update(time_zone="Europe/Berlin")
    person = make_person(parties.user)
    remember_note(principal=person, text="The office is in Porto", valid_from=given)
    item = GovernanceItem.objects.get(user=parties.user)
    assert (item.valid.lower, item.valid.upper, item.valid_from_precision) == (first, None, precision)
    assert readable(person, at=first) == {"The office is in Porto"}
    assert readable(person, at=first - timedelta(microseconds=1)) == set()


def test_an_automation_never_takes_a_place_and_a_person_can_give_it_one(parties: Parties) -> None:
    old = employer(parties.coder, "Acme", since(2020)).item
    new = employer(parties.cron, "Beta", since(2024))
    assert (new.item.status, new.contradicts.pk, new.superseded) == (Status.NEEDS_REVIEW, old.pk, ())
    assert readable(parties.coder) == {"Ada works at Acme"}
    done = accept(principal=parties.person, reference=new.item.ref)
    assert done.demoted.pk == old.pk
    assert again(old).status == Status.SUPERSEDED
    assert again(new.item).supersedes_id == old.pk
    assert readable(parties.coder) == {"Ada works at Beta"}
    assert at(parties.coder, moment(2023)) == {"Acme"}


def test_a_past_value_with_an_end_inside_the_present_one_waits_and_cuts_only_by_a_person(parties: Parties) -> None:
    employer(parties.coder, "Acme", since(2000))
    inside = employer(parties.coder, "Beta", between((2005,), (2010,)))
    assert (inside.item.status, inside.item.reason) == (Status.NEEDS_REVIEW, "contradicts_active")
    assert readable(parties.coder) == {"Ada works at Acme"}
    accept(principal=parties.person, reference=inside.item.ref)
    assert at(parties.coder, moment(2007)) == {"Beta"}
    assert at(parties.coder, moment(2003)) == {"Acme"}
    # the gap behind it is what the person chose
    assert at(parties.coder, moment(2012)) == set()


def test_an_ended_value_without_a_known_start_waits_where_another_held(parties: Parties) -> None:
    employer(parties.coder, "Acme", between((2010,), (2015,)))
    vague = employer(parties.coder, "Beta", DateTimeTZRange(None, moment(2020)))
    assert vague.item.status == Status.NEEDS_REVIEW
    assert vague.contradicts is not None
    with pytest.raises(Conflict) as refused:
        accept(principal=parties.person, reference=vague.item.ref)
    assert refused.value.fields == {"contradicts": vague.contradicts.ref}
    assert at(parties.coder, moment(2012)) == {"Acme"}


def test_an_expired_value_is_no_rival(parties: Parties) -> None:
    gone = employer(parties.coder, "Acme", since(2000), ttl_days=5).item
    let_expire(parties.person, gone)
    new = employer(parties.cron, "Beta")
    assert new.contradicts is None
    assert new.item.reason == "automation_review"
    accept(principal=parties.person, reference=new.item.ref)
    assert readable(parties.coder) == {"Ada works at Beta"}
    assert again(gone).reason == "expired"
    assert differences(parties.user) == []


def test_an_expired_value_does_not_stand_in_the_way_of_accept(parties: Parties) -> None:
    new = employer(parties.cron, "Beta").item
    gone = employer(parties.coder, "Acme", ttl_days=5).item
    let_expire(parties.person, gone)
    done = accept(principal=parties.person, reference=new.ref)
    assert done.demoted is None
    assert (again(gone).status, again(gone).reason) == (Status.STALE, "expired")
    assert readable(parties.coder) == {"Ada works at Beta"}
    assert differences(parties.user) == []


def test_an_unnamed_value_in_the_way_is_named_and_can_then_be_demoted(parties: Parties) -> None:
    waiting = employer(parties.cron, "Beta").item
    arrived = employer(parties.coder, "Acme").item
    with pytest.raises(Conflict) as refused:
        accept(principal=parties.person, reference=waiting.ref)
    assert refused.value.fields == {"contradicts": arrived.ref}
    assert again(waiting).status == Status.NEEDS_REVIEW
    for name in (arrived.ref, f"#{arrived.ref}", f"#{arrived.number}"):
        assert deciding._is_named(arrived, waiting, name)
    done = accept(principal=parties.person, reference=waiting.ref, demote=f"#{arrived.number}")
    assert done.demoted.pk == arrived.pk
    assert readable(parties.coder) == {"Ada works at Beta"}


def test_forgotten_words_said_again_take_the_place_of_what_holds_now(parties: Parties) -> None:
    old = employer(parties.coder, "Munich GmbH").item
    lifecycle.forget(principal=parties.coder, reference=old.ref)
    new = employer(parties.coder, "Berlin AG").item
    back = employer(parties.coder, "Munich GmbH")
    assert back.item.status == Status.ACTIVE
    assert [row.pk for row in back.superseded] == [new.pk]
    assert readable(parties.coder) == {"Ada works at Munich GmbH"}
    assert differences(parties.user) == []


def test_waiting_words_that_the_owner_says_take_the_place_of_what_holds_now(parties: Parties) -> None:
    waiting = employer(parties.cron, "Munich GmbH").item
    holds = employer(parties.coder, "Berlin AG").item
    done = employer(parties.coder, "Munich GmbH")
    assert (done.item.pk, done.outcome, done.item.status) == (waiting.pk, "restated", Status.ACTIVE)
    assert again(holds).status == Status.SUPERSEDED
    assert readable(parties.coder) == {"Ada works at Munich GmbH"}
    assert differences(parties.user) == []


def test_a_corrected_value_that_is_accepted_again_can_be_read(parties: Parties) -> None:
    """Its range was emptied; put back into use it holds from then on."""
    old = employer(parties.coder, "Acme", since(2020)).item
    employer(parties.coder, "Beta", since(2020))
    assert again(old).valid.isempty
    lifecycle.reject(principal=parties.person, reference=old.ref)
    lifecycle.restore(principal=parties.person, reference=old.ref)
    beta = GovernanceItem.objects.get(text="Ada works at Beta")
    done = accept(principal=parties.person, reference=old.ref, demote=beta.ref)
    assert done.demoted.pk == beta.pk
    assert readable(parties.coder) == {"Ada works at Acme"}
    assert differences(parties.user) == []


def test_the_database_itself_refuses_two_values_at_one_moment(parties: Parties) -> None:
    employer(parties.coder, "Acme", since(2020))
    rival = employer(parties.cron, "Beta", since(2021)).item
    with pytest.raises(IntegrityError), transaction.atomic():
        GovernanceItem.objects.filter(pk=rival.pk).update(status="active")
    other = said(parties.cron, "Bo works at Beta", exclusive_key="bo / works at", valid=since(2021))
    assert put_into(Status.ACTIVE, parties.person, other).status == Status.ACTIVE


def test_keys_of_two_owners_do_not_meet(parties: Parties, strangers: Parties) -> None:
    mine = employer(parties.coder, "Acme").item
    theirs = employer(strangers.coder, "Beta")
    assert theirs.item.status == Status.ACTIVE
    assert theirs.superseded == ()
    assert again(mine).status == Status.ACTIVE
