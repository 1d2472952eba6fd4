"""All that the queue was narrowed to at one moment."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from django.db.models import Count, Max

from pawflow_web.identity.principal import Principal
from review.querysets import ItemQuerySet
from review.queue.folding import imports_of
from review.queue.waiting import Wanted, waiting_items


@dataclass(frozen=True, slots=True)
class Matching:
    """``upto`` is the last change among them then: what came or changed later is not among them.

    ``plain``: of a file only what waits for nothing but a look, and came with that file first.
    """

    wanted: Wanted
    plain: bool
    upto: int
    number: int

    @classmethod
    def now(cls, principal: Principal, wanted: Wanted, *, plain: bool = False, upto: int | None = None) -> Self:
        """Args:
        upto: of an earlier look; what came since is left out.
        """
        items = _items(principal, wanted, plain=plain)
        if upto is not None:
            items = items.filter(changed_seq__lte=upto)
        found = items.order_by().aggregate(number=Count("pk"), upto=Max("changed_seq"))
        return cls(wanted, plain, found["upto"] or 0, found["number"])

    @classmethod
    def kept(cls, given: Mapping[str, Any]) -> Self:
        """From :meth:`value`."""
        wanted = Wanted(given["reason"], given["file"], among=tuple(given["among"]), kind=given.get("kind", ""))
        return cls(wanted, given["plain"], given["upto"], given["number"])

    def value(self) -> dict[str, Any]:
        """As a row may keep it, so without the words that were searched for: those may be a belief's."""
        wanted = {"reason": self.wanted.reason, "file": self.wanted.file, "among": list(self.wanted.among)}
        return {**wanted, "kind": self.wanted.kind, "plain": self.plain, "upto": self.upto, "number": self.number}

    def items(self, principal: Principal) -> ItemQuerySet:
        """Those that are still as they were then."""
        return _items(principal, self.wanted, plain=self.plain).filter(changed_seq__lte=self.upto)


def _items(principal: Principal, wanted: Wanted, *, plain: bool) -> ItemQuerySet:
    return imports_of(principal, wanted.file) if plain else wanted.narrow(waiting_items(principal))
