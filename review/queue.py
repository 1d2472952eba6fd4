"""The review queue: what waits for a person, and the numbers above it."""

from typing import Any

from django.db.models import Count

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.scanner import describe
from review.models import ArchiveRequest, ArchiveState, GovernanceItem, Privacy, Status
from review.present import MASK

_EXCERPT = 120


def counts(principal: Principal) -> dict[str, Any]:
    """``needs_review``, ``candidate``, ``archive_requests`` and ``by_reason`` of the owner's queue."""
    rows = (
        GovernanceItem.objects.visible_to(principal)
        .filter(status__in=(Status.NEEDS_REVIEW, Status.CANDIDATE))
        .order_by()
        .values_list("status", "reason")
        .annotate(n=Count("pk"))
    )
    totals = {Status.NEEDS_REVIEW: 0, Status.CANDIDATE: 0}
    by_reason: dict[str, int] = {}
    for status, reason, n in rows:
        totals[Status(status)] += n
        by_reason[reason] = by_reason.get(reason, 0) + n
    requests = ArchiveRequest.objects.filter(user_id=principal.user_id, state=ArchiveState.PENDING).count()
    return {
        "needs_review": totals[Status.NEEDS_REVIEW],
        "candidate": totals[Status.CANDIDATE],
        "archive_requests": requests,
        "by_reason": by_reason,
    }


def waiting(principal: Principal) -> int:
    """How many beliefs wait; the one number the navigation shows."""
    return GovernanceItem.objects.visible_to(principal).filter(status=Status.NEEDS_REVIEW).count()


def flags_of(item: GovernanceItem) -> list[dict[str, str]]:
    """What the scanner found, as rule, sentence and the words it means."""
    shown = []
    for flag in item.flags:
        start, end = int(flag["start"]), int(flag["end"])
        excerpt = MASK if item.privacy == Privacy.SECRET else item.text[start : min(end, start + _EXCERPT)]
        shown.append({"rule": flag["rule"], "sentence": describe(flag["rule"]), "excerpt": excerpt})
    return shown
