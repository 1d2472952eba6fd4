"""The belief that a decision is about, read under the owner's clock."""

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import StaleRevision
from review.models import GovernanceItem
from review.search.find import by_reference, nameable


def locked_item(
    principal: Principal, reference: str, revision: int | None, *, readable: bool = False
) -> GovernanceItem:
    """The row under the clock. What an agent may not recall does not exist for its decisions either."""
    rows = GovernanceItem.objects.locked()
    items = rows.recallable(principal) if readable else rows.visible_to(principal)
    item = by_reference(items, reference)
    if revision is not None and revision != item.revision:
        raise StaleRevision(
            f"#{item.ref} has changed since you read it.", fields={"revision": item.revision, "ref": item.ref}
        )
    return item


def locked_named(principal: Principal, reference: str) -> GovernanceItem:
    """The row under the clock, for what an agent may say about a belief without reading it: see
    :func:`~review.search.find.nameable`."""
    return by_reference(nameable(GovernanceItem.objects.locked(), principal, reference), reference)
