"""Wishes of agents that a person takes a belief out of use, as decisions meet them under the clock."""

from pawflow_web.identity.principal import Principal
from review.journal.acts import Act
from review.journal.comments import Comment
from review.models import ArchiveRequest, GovernanceItem


def ask_for_archive(current: Act, item: GovernanceItem, principal: Principal, comment: Comment) -> ArchiveRequest:
    """Ask a person, once: a wish that is pending already is answered with itself."""
    pending = ArchiveRequest.objects.pending().filter(item=item).first()
    if pending is not None:
        return pending
    request = ArchiveRequest.objects.create(
        user_id=item.user_id,
        item=item,
        principal=f"{principal.kind}:{principal.name}",
        reason=comment,
        at=current.clock.at,
    )
    current.mention(item, "archive_request", comment=comment)
    return request
