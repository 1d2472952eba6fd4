"""What a list or a search is narrowed to, said twice on purpose: in SQL, which decides, and inside the index,
so that a narrow reader is not starved by the candidates of others."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from django.db.models import Q

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.search import All, AnyOf, Filter, Not, Range, Term
from pawflow_web.lib.search import Any as AnyFilter
from review.kinds import kinds
from review.querysets import readable_privacy, recallable, visible

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
BEGINNING, END = -(2**62), 2**62
NOBODY = "-"
Hold = Literal["always", "bounded", "then"]


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
        return condition & self._of_kinds()

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {
            "status__in": self.statuses,
            "kind": self.kind,
            "scope": self.scope,
            "scope_agent__name": self.agent,
            "origin": self.origin,
            "privacy": self.privacy,
            "reason__in": self.reasons,
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
        """``recallable``. Only what is bounded in time is asked for its bounds: a range looks at every document."""
        moment = micros(self.at or now)
        bounds = [
            Range("expires_at", least=micros(now) + 1),
            Range("valid_from", most=moment),
            Range("valid_to", least=moment + 1),
        ]
        if self.known_at is not None:
            known = micros(self.known_at)
            bounds += [Range("known_from", most=known), Range("known_to", least=known + 1)]
            return All(self._on_shelves(principal, "always", "bounded", "then"), *bounds)
        return AnyFilter(
            self._on_shelves(principal, "always"),
            All(self._on_shelves(principal, "bounded"), *bounds),
        )

    def _on_shelves(self, principal: Principal, *holds: Hold) -> Filter:
        names = [self.kind] if self.kind else [kind.name for kind in kinds.all()]

        def of(*scopes: str) -> Filter:
            return AnyOf(
                "shelf",
                [
                    shelf(hold, kind=kind, privacy=privacy, scope=scope)
                    for hold in holds
                    for kind in names
                    for privacy in readable_privacy(principal)
                    for scope in scopes
                ],
            )

        if principal.is_person:
            return of("global", "agent", "conversation", "private")
        own = [All(of(scope), *parts) for scope, parts in _narrow_scopes(principal)]
        return AnyFilter(of("global"), *own)

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


def shelf(hold: Hold, *, kind: str, privacy: str, scope: str) -> str:
    """Where a readable document stands: what every reader asks at once, as one word of the index.

    ``hold``: it holds now without any bound in time, or within bounds, or it is an earlier state.
    """
    return "/".join((hold, kind, privacy, scope))


def _scopes(principal: Principal) -> Filter:
    """``visible`` inside the index, which holds one owner's beliefs only."""
    if principal.is_person:
        return All()
    narrow = [All(Term("scope", scope), *parts) for scope, parts in _narrow_scopes(principal)]
    return AnyFilter(Term("scope", "global"), *narrow)


def _narrow_scopes(principal: Principal) -> list[tuple[str, tuple[Filter, ...]]]:
    """The scopes beside global that an agent sees, and what a document there must name."""
    agent = Term("agent_id", str(principal.agent_id))
    conversation = Term("conversation_id", str(principal.conversation_id))
    seen: list[tuple[str, tuple[Filter, ...]]] = []
    if principal.agent_id is not None:
        seen.append(("agent", (agent,)))
    if principal.conversation_id is not None:
        seen.append(("conversation", (conversation,)))
    if principal.agent_id is not None and principal.conversation_id is not None:
        seen.append(("private", (agent, conversation)))
    return seen


def micros(instant: datetime) -> int:
    """Microseconds since 1970: the resolution of the database's own times."""
    delta = instant - EPOCH
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds
