"""What the gate and the lifecycle need to know of each kind of belief.

A kind lives in the app that owns its facet and registers itself in that app's ``kinds.py``; this layer never
imports it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from django.db.models import Q
from django.utils.functional import Promise

from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.registry import Registry

if TYPE_CHECKING:
    from review.models import GovernanceItem, Status


@dataclass(frozen=True, slots=True)
class Shown:
    """The part of a belief's public shape that its facet holds."""

    category: str | None = None
    tags: tuple[str, ...] = ()
    importance: str = "medium"
    durability: str = "durable"


class Where(Protocol):
    """Where a belief is read: a scope and the rows that it names."""

    @property
    def scope(self) -> str: ...
    @property
    def agent_id(self) -> int | None: ...
    @property
    def conversation_id(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Part:
    """A part that a belief's words are made of; ``url`` leads to what else is known of it."""

    label: str | Promise
    text: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Restated:
    """Other words for a belief, as its kind writes them, with the facet and the exclusive key that belong to them."""

    text: str
    facet: Mapping[str, Any]
    exclusive_key: str


class Kind:
    """Base of every kind: how it writes, snapshots and shows its facet."""

    name: str
    # the reverse accessor of the facet on GovernanceItem
    relation: str
    # lookups from GovernanceItem to lists of words, for the searching statement
    found_by_paths: tuple[str, ...] = ()
    # hundredths; what a proposal from the owner's own channel starts with
    confidence: int
    # the best that new words of this kind can come to, whoever says them: active or candidate
    best_status: Status
    # how a person writes the words of such a belief, where they may not write them as they like
    wording: str | Promise = ""

    def write(self, item: GovernanceItem, facet: Mapping[str, Any]) -> None:
        """Insert the facet of a new item, under the clock."""
        raise NotImplementedError

    def update(self, item: GovernanceItem, changes: Mapping[str, Any]) -> None:
        """Change the facet's changeable part, under the clock."""
        raise NotImplementedError

    def snapshot(self, item: GovernanceItem) -> dict[str, Any]:
        """The facet's changeable part as JSON values, for the journal."""
        raise NotImplementedError

    def tier(self, facet: Mapping[str, Any]) -> str:
        """The part of the digest that a belief with this facet stands in; '' for none."""
        return ""

    def words(self, item: GovernanceItem) -> tuple[str, ...]:
        """Immutable words beside the text, covered by ``words_mac``."""
        return ()

    def shown(self, item: GovernanceItem) -> Shown:
        raise NotImplementedError

    def parts(self, item: GovernanceItem) -> Sequence[Part]:
        """What the words are made of, for the page of the belief; nothing of a secret."""
        return ()

    def follow(self, item: GovernanceItem, at: datetime) -> None:
        """Keep what hangs on the facet in step, under the clock: the item's status, validity, expiry, privacy or place
        has just become different, at the moment ``at``."""

    def erase(self, items: Sequence[GovernanceItem]) -> None:
        """Let go of what hangs on the facets of these items, whose rows are about to be deleted."""

    def copies(self, item: GovernanceItem) -> dict[str, tuple[Any, Any]]:
        """What the facet repeats of the item's state, by its column: as it should be, and as it is."""
        return {}

    def key(self, item: GovernanceItem, place: Where) -> str:
        """The exclusive key of the item, read in ``place``, as things are now."""
        return item.exclusive_key

    def restated(self, item: GovernanceItem, text: str) -> Restated:
        """What a person's other words for the item come to. Raises :class:`Invalid` for words it cannot take."""
        return Restated(text, self.snapshot(item), item.exclusive_key)

    def merged(self, item: GovernanceItem, facet: Mapping[str, Any]) -> dict[str, Any]:
        """What changes in the facet when the owner says the same words again with ``facet``."""
        return {}

    def edited(self, item: GovernanceItem, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """What a person wants changed of the facet, in the shape in which it is stored.

        Raises :class:`Invalid` for a part that this kind does not have and for a value that it cannot take.
        """
        if wanted:
            fields = dict.fromkeys(wanted, f"a belief of the kind {self.name} has none")
            raise Invalid(f"A belief of the kind {self.name} has no {', '.join(wanted)}.", fields=fields)
        return {}

    def narrow(self, *, categories: Sequence[str], tags: Sequence[str], all_tags: bool) -> Q:
        """A filter by what only this kind knows; kinds without it match nothing when something is asked."""
        return Q(pk__in=()) if categories or tags else Q()

    def exclude(self, *, categories: Sequence[str], tags: Sequence[str]) -> Q:
        """The opposite filter: what has none of them; kinds without such things have none."""
        return Q()

    def index_terms(self, item: GovernanceItem) -> dict[str, list[str]]:
        """The filter fields ``category`` and ``tag`` of the search index."""
        return {}

    def found_by(self, item: GovernanceItem) -> tuple[str, ...]:
        """Words beside the text by which the item is found; the values at :attr:`found_by_paths`."""
        return ()


kinds: Registry[Kind] = Registry("kind")


def kind_of(item: GovernanceItem) -> Kind:
    """See :func:`kind_named`."""
    return kind_named(item.kind)


def kind_named(name: str) -> Kind:
    """A registered kind. Raises :class:`RuntimeError` for that of an app that is not installed."""
    kind = kinds.find(name)
    if kind is None:
        raise RuntimeError(f"no app registered the kind {name}")
    return kind
