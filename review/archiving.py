"""Wishes of agents that a person takes a belief out of use."""

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.storable import without_secrets
from review.ledger import Act
from review.models import ArchiveRequest, ArchiveState, GovernanceItem


def ask_for_archive(current: Act, item: GovernanceItem, principal: Principal, comment: str) -> ArchiveRequest:
    """Ask a person, once: a wish that is pending already is answered with itself."""
    pending = ArchiveRequest.objects.filter(item=item, state=ArchiveState.PENDING).first()
    if pending is not None:
        return pending
    request = ArchiveRequest.objects.create(
        user_id=item.user_id,
        item=item,
        principal=f"{principal.kind}:{principal.name}",
        reason=without_secrets(comment, field="reason"),
        at=current.clock.at,
    )
    current.mention(item, "archive_request", comment=comment)
    return request


def approve_archive(current: Act, item: GovernanceItem) -> None:
    """The belief is out of use, so what was asked for is done."""
    ArchiveRequest.objects.filter(item=item, state=ArchiveState.PENDING).update(
        state=ArchiveState.APPROVED, decided_at=current.clock.at
    )
