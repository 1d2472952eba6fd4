"""Erasing beliefs for good: rows, quotes, what the journal kept, and every copy. The chain itself stays whole."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pawflow_web.identity.idempotency import Looked
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import execute
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.ids import parse_ref
from review.gate import tombstones
from review.journal.acts import Act, act
from review.kinds import kinds
from review.lifecycle.copies import forget_copies, look_for_copies, unquote_elsewhere
from review.lifecycle.locked import locked_item
from review.models import GovernanceItem
from review.search.find import by_reference


@dataclass(frozen=True, slots=True)
class Purged:
    """``tombstone`` refuses the words from now on. ``same_words`` are the refs of beliefs that hold them too, in
    another place or time, and were not touched."""

    ref: str
    tombstone: str
    same_words: tuple[str, ...]


def purge(*, principal: Principal, reference: str, confirm: str) -> Purged:
    """Erase a belief everywhere, which nothing takes back, and refuse its words from now on.

    Args:
        confirm: the belief's reference once more.

    Raises:
        NotAllowed: only a person may.
        NotFound: there is no such belief.
        Invalid: ``confirm`` is another one.
    """
    principal.require_person()
    known = by_reference(GovernanceItem.objects.visible_to(principal), reference)
    looked = look_for_copies(principal.user_id, [known])
    with act(principal) as current, current.decision():
        item = locked_item(principal, reference, None)
        if parse_ref(confirm) != item.ref:
            raise Invalid(
                f"To erase this belief for good, confirm with its reference {item.ref}.",
                fields={"confirm": f"must be {item.ref}"},
            )
        tombstone = tombstones.bury(current, item)
        unquote_elsewhere(current, item)
        erase_items(current, [item], looked)
        same = GovernanceItem.objects.owned_by(item.user_id).filter(text_digest=item.text_digest).order_by("pk")
        return Purged(item.ref, tombstone.ref, tuple(same.values_list("ref", flat=True)))


def erase_items(current: Act, items: Sequence[GovernanceItem], looked: Looked) -> None:
    """Erase beliefs that were read ``locked()``: an entry without payload for each, and nothing else of them.
    ``looked``: of :func:`~review.lifecycle.copies.look_for_copies`."""
    ids = [item.pk for item in items]
    forget_copies(current, items, looked)
    _let_neighbours_go(current, ids)
    for item in items:
        current.erase(item)
    for kind in kinds.all():
        if of_it := [item for item in items if item.kind == kind.name]:
            kind.erase(of_it)
    for statement in _deletions():
        execute(statement, [ids])


def _let_neighbours_go(current: Act, ids: Sequence[int]) -> None:
    """Beliefs that name one of these as replaced or contradicted name nothing from now on."""
    rows = GovernanceItem.objects.locked().filter(user_id=current.clock.user_id).exclude(pk__in=ids)
    for neighbour in rows.filter(contradicts_id__in=ids) | rows.filter(supersedes_id__in=ids):
        named = {"contradicts": neighbour.contradicts_id, "supersedes": neighbour.supersedes_id}
        nobody: dict[str, Any] = {name: None for name, pk in named.items() if pk in ids}
        current.write(neighbour, "edit", **nobody)


@cache
def _deletions() -> tuple[str, ...]:
    """One statement a table that points at a belief, whatever app it is of, then the beliefs themselves."""
    pointing = [
        (relation.related_model._meta.db_table, relation.field.column)
        for relation in GovernanceItem._meta.related_objects
        if relation.related_model is not GovernanceItem
    ]
    return tuple(f"DELETE FROM {table} WHERE {column} = ANY(%s)" for table, column in [*pointing, _OWN])


_OWN = (GovernanceItem._meta.db_table, "id")
