"""What a list or a search is narrowed to, said twice on purpose: in SQL, which decides, and inside the index,
so that a narrow reader is not starved by the candidates of others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from django.db.models import Q

from conversations.models import Conversation
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.search import All, AnyOf, Filter, Not, OfKey, Range, Term
from pawflow_web.lib.search import Any as AnyFilter
from review.kinds import kinds
from review.querysets import (
    SCOPES,
    Named,
    filed_under,
    has_first_reason,
    readable_privacy,
    recallable,
    scopes_of,
    unused_for,
    visible,
    was_readable,
)

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
BEGINNING, END = -(2**62), 2**62
NOBODY = "-"
Hold = Literal["open", "bounded", "past", "then"]
# The place of everything, for those who read in all scopes.
ANYWHERE = "*"


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """Every way to narrow beliefs. Empty means all.

    ``fit_for_prompt`` asks the second door instead of the first. ``at`` and ``known_at`` are the two clocks; through
    the first door they show what became of things since, rejected and forgotten ones included.
    ``other_categories`` and ``other_tags`` leave out what has one of them. ``only`` is the row id of one belief: with
    it the same question answers whether that one is among the others.
    """

    fit_for_prompt: bool = False
    at: datetime | None = None
    known_at: datetime | None = None
    statuses: Sequence[str] = ()
    kind: str = ""
    scope: str = ""
    agent: str = ""
    categories: Sequence[str] = ()
    tags: Sequence[str] = ()
    all_tags: bool = False
    other_categories: Sequence[str] = ()
    other_tags: Sequence[str] = ()
    origin: str = ""
    privacy: str = ""
    pinned: bool | None = None
    reasons: Sequence[str] = ()
    project: str = ""
    never_used: bool = False
    # shown to no agent for so many days, and at least so old; 0: does not matter
    unused_days: int = 0
    only: int | None = None

    def condition(self, principal: Principal) -> Q:
        """The filter in SQL."""
        door = recallable(principal, at=self.at, known_at=self.known_at) if self.fit_for_prompt else visible(principal)
        condition = door & Q(**self._columns())
        if self.known_at is not None and not self.fit_for_prompt:
            condition &= was_readable(at=self.at, known_at=self.known_at)
        elif self.at is not None and not self.fit_for_prompt:
            condition &= Q(valid__contains=self.at)
        if self.never_used:
            condition &= Q(use__isnull=True)
        if self.unused_days:
            condition &= unused_for(self.unused_days)
        if self.reasons:
            condition &= has_first_reason(self.reasons)
        if self.project:
            condition &= filed_under(principal.user_id, self.project)
        return condition & self._of_kinds()

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {
            "status__in": self.statuses,
            "kind": self.kind,
            "scope": self.scope,
            "scope_agent__name": self.agent,
            "origin": self.origin,
            "privacy": self.privacy,
            "pk": self.only,
        }
        given = {name: value for name, value in columns.items() if value}
        if self.pinned is not None:
            given["pinned"] = self.pinned
        return given

    def _of_kinds(self) -> Q:
        condition = Q()
        if self.categories or self.tags:
            condition = Q(pk__in=())
            for kind in kinds.all():
                condition |= Q(kind=kind.name) & kind.narrow(
                    categories=self.categories, tags=self.tags, all_tags=self.all_tags
                )
        if self.other_categories or self.other_tags:
            for kind in kinds.all():
                condition &= ~Q(kind=kind.name) | kind.exclude(categories=self.other_categories, tags=self.other_tags)
        return condition

    def in_index(self, principal: Principal, now: datetime) -> Filter:
        """The same inside the index; ``now`` is the present of the question."""
        if self.fit_for_prompt:
            return All(self._readable(principal, now), *self._terms(principal))
        parts: list[Filter] = [Term("doc", "item"), _scopes(principal)]
        # What was believed earlier the index tells only of what is readable still: there the database decides alone.
        if self.at is not None and self.known_at is None:
            parts += [Range("valid_from", most=micros(self.at)), Range("valid_to", least=micros(self.at) + 1)]
        if self.kind:
            parts.append(Term("kind", self.kind))
        return All(*parts, *self._terms(principal))

    def _readable(self, principal: Principal, now: datetime) -> Filter:
        """``recallable``. A range looks at every document, so only what time may still change is asked for its
        bounds when the question is about the present."""
        moment = micros(self.at or now)
        bounds = [
            Range("expires_at", least=micros(now) + 1),
            Range("valid_from", most=moment),
            Range("valid_to", least=moment + 1),
        ]
        if self.known_at is not None:
            known = micros(self.known_at)
            bounds += [Range("known_from", most=known), Range("known_to", least=known + 1)]
            return All(self._on_shelves(principal, "open", "bounded", "past", "then"), *bounds)
        if self.at is not None:
            return All(self._on_shelves(principal, "open", "bounded", "past"), *bounds)
        return AnyFilter(self._on_shelves(principal, "open"), All(self._on_shelves(principal, "bounded"), *bounds))

    def _on_shelves(self, principal: Principal, *holds: Hold) -> Filter:
        names = [self.kind] if self.kind else [kind.name for kind in kinds.all()]
        return AnyOf(
            "shelf",
            [
                shelf(hold, kind, privacy, place)
                for hold in holds
                for kind in names
                for privacy in readable_privacy(principal)
                for place in _places(principal)
            ],
        )

    def _terms(self, principal: Principal) -> list[Filter]:
        terms: list[Filter] = [
            Term(name, value)
            for name, value in (
                ("scope", self.scope),
                ("agent", self.agent),
                ("origin", self.origin),
                ("privacy", self.privacy),
            )
            if value
        ]
        terms += [
            AnyOf(name, values)
            for name, values in (
                ("status", self.statuses),
                ("reason", self.reasons),
                ("category", self.categories),
            )
            if values
        ]
        if self.pinned is not None:
            terms.append(Term("pinned", "yes") if self.pinned else Not(Term("pinned", "yes")))
        if self.tags:
            terms += [Term("tag", tag) for tag in self.tags] if self.all_tags else [AnyOf("tag", self.tags)]
        terms += [
            Not(AnyOf(name, values))
            for name, values in (("category", self.other_categories), ("tag", self.other_tags))
            if values
        ]
        if self.project:
            # By conversation: those of a project change without any of its beliefs.
            talks = Conversation.objects.visible_to(principal).in_project(self.project).values_list("pk", flat=True)
            terms.append(AnyOf("said_in", [str(pk) for pk in talks]))
        if self.only is not None:
            terms.append(OfKey(str(self.only)))
        return terms


def shelf(hold: Hold, kind: str, privacy: str, place: str) -> str:
    """Where a readable document stands: what every reader asks at once, as one word of the index.

    ``hold``: it holds now and nothing in time will change that; time may change whether it holds; its time is
    over; it is an earlier state.
    """
    return "/".join((hold, kind, privacy, place))


def place(scope: str, named: Mapping[Named, int]) -> str:
    """A scope with the ids that it names, as part of a word of the index."""
    return ":".join((scope, *(str(named[name]) for name in SCOPES[scope])))


def _places(principal: Principal) -> list[str]:
    if principal.is_person:
        return [ANYWHERE]
    return [place(scope, named) for scope, named in scopes_of(principal).items()]


def _scopes(principal: Principal) -> Filter:
    """``visible`` inside the index, which holds one owner's beliefs only."""
    if principal.is_person:
        return All()
    return AnyFilter(
        *(
            All(Term("scope", scope), *(Term(f"{name}_id", str(pk)) for name, pk in named.items()))
            for scope, named in scopes_of(principal).items()
        )
    )


def micros(instant: datetime) -> int:
    """Microseconds since 1970: the resolution of the database's own times."""
    delta = instant - EPOCH
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds
