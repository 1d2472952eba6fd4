"""Every way in which the words of a belief can leave the product, by name.

A reader answers: can this principal find this item through you right now? The tests of every negative, and
the receipt after a reject, go through this list; a test fails when a surface is not on it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.registry import Registry
from review.models import GovernanceItem
from review.plaintext import words_of
from review.search.filters import ItemFilter
from review.search.find import find_items

Probe = Callable[[Principal, GovernanceItem], bool]


@dataclass(frozen=True, slots=True)
class Reader:
    """``surfaces`` are the tools and routes whose answers come from this reader, ``kinds`` those of the beliefs that it
    may show; none named stands for every kind. ``whole``: it gives its owner everything, whatever the status, so that
    finding a belief there says nothing of who may use it."""

    name: str
    title: str
    surfaces: tuple[str, ...]
    finds: Probe
    whole: bool = False
    kinds: tuple[str, ...] = ()

    def may_show(self, item: GovernanceItem) -> bool:
        """Whether it is a reader of beliefs like this one at all."""
        return not self.kinds or item.kind in self.kinds


readers: Registry[Reader] = Registry("reader")


def reader(
    name: str, *, title: str, surfaces: tuple[str, ...], whole: bool = False, kinds: tuple[str, ...] = ()
) -> Callable[[Probe], Probe]:
    """Register a function as a reader."""

    def register(probe: Probe) -> Probe:
        readers.add(name, Reader(name, title, surfaces, probe, whole, kinds))
        return probe

    return register


def check(principal: Principal, item: GovernanceItem) -> dict[str, bool]:
    """For each reader of the item's kind whether it finds the item for this principal, asked now, one after the
    other."""
    return {entry.name: entry.finds(principal, item) for entry in readers.all() if entry.may_show(item)}


def shown_in(principal: Principal, item: GovernanceItem, narrowed_to: ItemFilter, query: str | None) -> bool:
    """Whether a list, or the search for ``query``, holds the item: the reader's own question, about this one alone.

    Every condition of the question stands; so the answer is what paging to the end would give, at the price of a row.
    """
    alone = replace(narrowed_to, only=item.pk)
    page = find_items(principal, narrowed_to=alone, query=query, sort="newest", limit=1, counted=False)
    return any(hit.item.pk == item.pk for hit in page.hits)


@reader("items", title="List of beliefs in use", surfaces=("GET /items",))
def _in_items(principal: Principal, item: GovernanceItem) -> bool:
    return shown_in(principal, item, ItemFilter(fit_for_prompt=True), None)


@reader("items_search", title="Search in the list of beliefs", surfaces=("GET /items",))
def _in_items_search(principal: Principal, item: GovernanceItem) -> bool:
    return shown_in(principal, item, ItemFilter(fit_for_prompt=True), words_of(item)[:4000])


@reader("item", title="The belief by its reference", surfaces=("GET /items/{ref}",))
def _by_reference(principal: Principal, item: GovernanceItem) -> bool:
    return GovernanceItem.objects.recallable(principal).filter(ref=item.ref).exists()
