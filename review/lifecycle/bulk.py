"""One decision over many beliefs, each by itself: what cannot be decided stays and is named."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import DomainError
from review.journal.acts import act
from review.journal.comments import Comment
from review.lifecycle.deciding import Decision, Forgotten, accept, forget, reject
from review.models import Batch

# The kind of the runs that decide more than a request waits for; the rows of one name their batch.
WORK = "review_bulk"
# One owner's clock is not held longer than this by many decisions; others of that owner wait meanwhile.
SLICE_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class BulkResult:
    """``number`` is the decision that was made."""

    ref: str
    status: str = ""
    error: DomainError | None = None
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Deed:
    """One decision that is still to be made; ``do`` raises a :class:`DomainError` where it cannot be."""

    ref: str
    do: Callable[[], BulkResult]


def decide_many(
    *,
    principal: Principal,
    action: str,
    references: Sequence[str],
    revisions: Mapping[str, int] | None = None,
    comment: str = "",
) -> tuple[Batch, list[BulkResult]]:
    """Accept, reject or forget up to :data:`~review.limits.BULK_MOST` beliefs. Contradicting and flagged beliefs are
    never accepted this way. The clock is held for one decision at a time, so that the owner's agents get in between."""
    principal.require_person()
    comment = Comment.of(comment)
    results: list[BulkResult] = []
    for reference in dict.fromkeys(references):
        revision = (revisions or {}).get(reference)
        try:
            done = decide_one(
                principal=principal, action=action, reference=reference, revision=revision, comment=comment
            )
        except DomainError as error:
            done = BulkResult(reference, error=error)
        results.append(done)
    decisions = [result.number for result in results if result.number is not None]
    return open_batch(principal=principal, action=action, decisions=decisions), results


def decide_one(*, principal: Principal, action: str, reference: str, revision: int | None, comment: str) -> BulkResult:
    """One of many. Raises what the decision raises."""
    verbs: dict[str, Callable[..., Decision | Forgotten]] = {
        "accept": partial(accept, in_bulk=True),
        "reject": reject,
        "forget": forget,
    }
    done = verbs[action](principal=principal, reference=reference, revision=revision, comment=comment)
    return BulkResult(reference, done.item.status, number=done.number)


def open_batch(*, principal: Principal, action: str, decisions: Sequence[int] = ()) -> Batch:
    """The row that names decisions together, so that they can be taken back together."""
    with act(principal) as current:
        return Batch.objects.create(
            user_id=principal.user_id, action=action, decisions=list(decisions), at=current.clock.at
        )


def one_slice(
    principal: Principal, deeds: Iterable[Deed], before_commit: Callable[[Sequence[BulkResult]], None]
) -> list[BulkResult]:
    """As many of the deeds, in order and at least one, as the clock may be held for, in one transaction.

    Args:
        before_commit: is told the results inside the transaction, so that what it writes about them is kept exactly
            when they are.
    """
    results: list[BulkResult] = []
    with act(principal) as current:
        until = time.monotonic() + SLICE_SECONDS
        for deed in deeds:
            try:
                with current.savepoint():
                    results.append(deed.do())
            except DomainError as error:
                results.append(BulkResult(deed.ref, error=error))
            if time.monotonic() >= until:
                break
        before_commit(results)
    return results


def cause_of(error: DomainError) -> str:
    """Why one of many stayed: flagged, changed, decided, contradicts, said (elsewhere), gone."""
    by_code = {"needs_approval": "flagged", "stale_revision": "changed", "invalid_transition": "decided"}
    if error.code in by_code:
        return by_code[error.code]
    if "contradicts" in error.fields:
        return "contradicts"
    return "said" if "duplicate_of" in error.fields else "gone"
