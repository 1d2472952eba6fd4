"""Wishes of agents that a person takes a belief out of use, as decisions meet them under the clock."""

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.storable import without_secrets
from review.journal.acts import Act
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


def answer_wishes(current: Act, item: GovernanceItem, state: ArchiveState = ArchiveState.APPROVED) -> None:
    """What was asked for is done, or a person does not want it."""
    pending = ArchiveRequest.objects.filter(item=item, state=ArchiveState.PENDING)
    pending.update(state=state, decided_at=current.clock.at)
