"""What a list or a search is narrowed to, said twice on purpose: in SQL, which decides, and inside the index,
so that a narrow reader is not starved by the candidates of others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from django.db.models import Q

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.search import All, AnyOf, Filter, Not, Range, Term
from pawflow_web.lib.search import Any as AnyFilter
from review.kinds import kinds
from review.querysets import SCOPES, Named, has_first_reason, readable_privacy, recallable, scopes_of, visible

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
BEGINNING, END = -(2**62), 2**62
NOBODY = "-"
Hold = Literal["open", "bounded", "past", "then"]
# The place of everything, for those who read in all scopes.
ANYWHERE = "*"


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """Every way to narrow beliefs. Empty means all.

    ``fit_for_prompt`` asks the second door instead of the first; ``at`` and ``known_at`` are its two clocks.
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
    origin: str = ""
    privacy: str = ""
    pinned: bool | None = None
    reasons: Sequence[str] = ()
    project: str = ""

    def condition(self, principal: Principal) -> Q:
        """The filter in SQL."""
        door = recallable(principal, at=self.at, known_at=self.known_at) if self.fit_for_prompt else visible(principal)
        condition = door & Q(**self._columns())
        if self.at is not None and not self.fit_for_prompt:
            condition &= Q(valid__contains=self.at)
        if self.reasons:
            condition &= has_first_reason(self.reasons)
        return condition & self._of_kinds()

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {
            "status__in": self.statuses,
            "kind": self.kind,
            "scope": self.scope,
            "scope_agent__name": self.agent,
            "origin": self.origin,
            "privacy": self.privacy,
            "scope_conversation__project__slug": self.project,
        }
        given = {name: value for name, value in columns.items() if value}
        if self.pinned is not None:
            given["pinned"] = self.pinned
        return given

    def _of_kinds(self) -> Q:
        if not (self.categories or self.tags):
            return Q()
        condition = Q(pk__in=())
        for kind in kinds.all():
            condition |= Q(kind=kind.name) & kind.narrow(
                categories=self.categories, tags=self.tags, all_tags=self.all_tags
            )
        return condition

    def in_index(self, principal: Principal, now: datetime) -> Filter:
        """The same inside the index; ``now`` is the present of the question."""
        if self.fit_for_prompt:
            return All(self._readable(principal, now), *self._terms())
        parts: list[Filter] = [Term("doc", "item"), _scopes(principal)]
        if self.at is not None:
            parts += [Range("valid_from", most=micros(self.at)), Range("valid_to", least=micros(self.at) + 1)]
        if self.kind:
            parts.append(Term("kind", self.kind))
        return All(*parts, *self._terms())

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

    def _terms(self) -> list[Filter]:
        terms: list[Filter] = [
            Term(name, value)
            for name, value in (
                ("scope", self.scope),
                ("agent", self.agent),
                ("origin", self.origin),
                ("privacy", self.privacy),
                ("project", self.project),
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
