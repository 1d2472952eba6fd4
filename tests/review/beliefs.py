"""Beliefs and parties for the tests of the core, made through the gate and through real tokens."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import connection
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from pawflow_web.identity.models import User
from pawflow_web.identity.principal import Principal
from review.gate import admit_one
from review.gate.proposals import Admission, Nearness, Place, Proposal
from review.journal.acts import act
from review.journal.chain import verify
from review.journal.snapshots import Snapshot, snapshot
from review.lifecycle.sealing import seal_item
from review.models import GovernanceItem, JournalEntry, Status
from tests.factories import AUTOMATION, make_person, make_principal


@dataclass(frozen=True)
class Parties:
    """Everybody who may speak for one owner."""

    user: User
    person: Principal
    coder: Principal
    writer: Principal
    cron: Principal
    unknown: Principal

    @classmethod
    def of(cls, user: User) -> "Parties":
        return cls(
            user,
            make_person(user),
            make_principal(user, agent="coder"),
            make_principal(user, agent="writer"),
            make_principal(user, agent="cron", origin=AUTOMATION),
            make_principal(user, agent="silent", origin=None),
        )


def note(principal: Principal, text: str, *, scope: str = "global", **fields: Any) -> Proposal:
    """A note on its way to the gate; tags and category as keywords, everything else of a proposal too."""
    tags = [str(tag) for tag in fields.pop("tags", [])]
    facet = {"category": fields.pop("category", ""), "tags": tags}
    return Proposal("note", text, Place.of(principal, scope), facet=facet, also_shown=tuple(tags), **fields)


def say(
    principal: Principal, text: str, *, origin: str | None = None, near: Nearness | None = None, **fields: Any
) -> Admission:
    """Bring one note to the gate."""
    return admit_one(note(principal, text, **fields), principal, origin=origin, near=near)


def said(principal: Principal, text: str, **fields: Any) -> GovernanceItem:
    """The same, for a note that is stored or known."""
    item = say(principal, text, **fields).item
    assert item is not None
    return item


def again(item: GovernanceItem) -> GovernanceItem:
    """The row as it is now."""
    return GovernanceItem.objects.select_related("memory").get(pk=item.pk)


def row(item: GovernanceItem) -> dict[str, Any]:
    """Every column of the row, to be compared with itself later."""
    return GovernanceItem.objects.filter(pk=item.pk).values().get()


def readable(principal: Principal, **clocks: Any) -> set[str]:
    """The texts that may reach a prompt of this party."""
    return set(GovernanceItem.objects.recallable(principal, **clocks).values_list("text", flat=True))


def entries(user: User) -> int:
    return JournalEntry.objects.filter(user=user).count()


def differences(user: User) -> list[dict[str, Any]]:
    return verify(user).differences


def states(parties: Parties) -> dict[int, Snapshot]:
    """Everything that can change, of every belief of the owner."""
    rows = GovernanceItem.objects.owned_by(parties.user.pk).select_related(
        "memory", "contradicts", "supersedes", "scope_agent", "scope_conversation"
    )
    return {row.pk: snapshot(row) for row in rows}


def let_expire(principal: Principal, item: GovernanceItem) -> None:
    """Give the belief an end that lies in the past for every later statement."""
    with act(principal) as current:
        locked = GovernanceItem.objects.locked().get(pk=item.pk)
        current.write(locked, "edit", expires_at=current.clock.at)


def seal(parties: Parties, item: GovernanceItem) -> GovernanceItem:
    """Make its words secret."""
    with act(parties.person) as current:
        seal_item(current, GovernanceItem.objects.locked().get(pk=item.pk))
    return again(item)


def put_into(status: str, principal: Principal, item: GovernanceItem) -> GovernanceItem:
    """Move a belief to any status, for tests of what may be done from there."""
    with act(principal) as current:
        locked = GovernanceItem.objects.locked().get(pk=item.pk)
        current.write(locked, "edit", status=Status(status))
    return again(item)


def since(*parts: int) -> DateTimeTZRange:
    """``[date, unbounded)`` in UTC."""
    return DateTimeTZRange(datetime(*_date(parts), tzinfo=UTC), None)


def between(start: tuple[int, ...], end: tuple[int, ...]) -> DateTimeTZRange:
    return DateTimeTZRange(datetime(*_date(start), tzinfo=UTC), datetime(*_date(end), tzinfo=UTC))


def moment(*parts: int) -> datetime:
    return datetime(*_date(parts), tzinfo=UTC)


def _date(parts: tuple[int, ...]) -> tuple[int, int, int]:
    year, month, day = (*parts, 1, 1)[:3] if len(parts) < 3 else parts[:3]
    return year, month, day


def age(item: GovernanceItem, days: int) -> None:
    """As if it had been recorded so long ago."""
    with connection.cursor() as cursor:
        # a table with checks that still wait for the commit cannot be altered
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE review_governanceitem DISABLE TRIGGER USER")
        cursor.execute(
            "UPDATE review_governanceitem SET recorded_at = recorded_at - %s * interval '1 day' WHERE id = %s",
            [days, item.pk],
        )
        cursor.execute("ALTER TABLE review_governanceitem ENABLE TRIGGER USER")
