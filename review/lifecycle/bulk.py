"""One decision over many beliefs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import DomainError
from review.ledger import act
from review.lifecycle.deciding import Decision, Forgotten, accept, forget, reject
from review.models import Batch


@dataclass(frozen=True, slots=True)
class BulkResult:
    ref: str
    status: str = ""
    error: DomainError | None = None


def decide_many(
    *,
    principal: Principal,
    action: str,
    references: Sequence[str],
    revisions: Mapping[str, int] | None = None,
    comment: str = "",
) -> tuple[Batch, list[BulkResult]]:
    """Accept, reject or forget up to :data:`~review.limits.BULK_MOST` beliefs, each by itself: what cannot be
    decided stays and is named. Contradicting and flagged beliefs are never accepted this way. The clock is held for
    one decision at a time, so that the owner's agents get in between."""
    principal.require_person()
    verbs: dict[str, Callable[..., Decision | Forgotten]] = {
        "accept": partial(accept, in_bulk=True),
        "reject": reject,
        "forget": forget,
    }
    decide = verbs[action]
    results: list[BulkResult] = []
    decisions: list[int] = []
    for reference in dict.fromkeys(references):
        revision = (revisions or {}).get(reference)
        try:
            done = decide(principal=principal, reference=reference, revision=revision, comment=comment)
        except DomainError as error:
            results.append(BulkResult(reference, error=error))
        else:
            if done.number is not None:
                decisions.append(done.number)
            results.append(BulkResult(reference, status=done.item.status))
    with act(principal) as current:
        batch = Batch.objects.create(user_id=principal.user_id, action=action, decisions=decisions, at=current.clock.at)
    return batch, results
