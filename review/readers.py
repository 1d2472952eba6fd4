"""Every way in which the words of a belief can leave the product, by name.

A reader answers: can this principal find this item through you right now? The tests of every negative, and
the receipt after a reject, go through this list; a test fails when a surface is not on it.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.registry import Registry
from review.filters import ItemFilter
from review.find import find_items
from review.models import GovernanceItem

Probe = Callable[[Principal, GovernanceItem], bool]


@dataclass(frozen=True, slots=True)
class Reader:
    """``surfaces`` are the tools and routes whose answers come from this reader."""

    name: str
    title: str
    surfaces: tuple[str, ...]
    finds: Probe


readers: Registry[Reader] = Registry("reader")


def reader(name: str, *, title: str, surfaces: tuple[str, ...]) -> Callable[[Probe], Probe]:
    """Register a function as a reader."""

    def register(probe: Probe) -> Probe:
        readers.add(name, Reader(name, title, surfaces, probe))
        return probe

    return register


def check(principal: Principal, item: GovernanceItem) -> dict[str, bool]:
    """For each registered reader whether it finds the item for this principal, asked now."""
    return {entry.name: entry.finds(principal, item) for entry in readers.all()}


def shown_in(principal: Principal, item: GovernanceItem, narrowed_to: ItemFilter, query: str | None) -> bool:
    """Whether paging through a list to its end meets the item."""
    cursor = None
    while True:
        page = find_items(principal, narrowed_to=narrowed_to, query=query, sort="newest", limit=100, cursor=cursor)
        if any(hit.item.pk == item.pk for hit in page.hits):
            return True
        if page.next is None:
            return False
        cursor = page.next


@reader("items", title="List of beliefs in use", surfaces=("GET /items",))
def _in_items(principal: Principal, item: GovernanceItem) -> bool:
    return shown_in(principal, item, ItemFilter(fit_for_prompt=True), None)


@reader("items_search", title="Search in the list of beliefs", surfaces=("GET /items",))
def _in_items_search(principal: Principal, item: GovernanceItem) -> bool:
    return shown_in(principal, item, ItemFilter(fit_for_prompt=True), item.text[:4000])


@reader("item", title="The belief by its reference", surfaces=("GET /items/{ref}",))
def _by_reference(principal: Principal, item: GovernanceItem) -> bool:
    return GovernanceItem.objects.recallable(principal).filter(ref=item.ref).exists()
