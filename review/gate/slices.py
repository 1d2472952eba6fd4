"""Many proposals: in slices, so that the owner's other writers get in between."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import DomainError
from review.gate.admit import admit_prepared
from review.gate.judgement import origin_of
from review.gate.preparing import Prepared, prepare
from review.gate.proposals import Admission, Proposal
from review.journal.acts import act

# One owner's clock is not held longer than this by a list of proposals; others of that owner wait meanwhile.
SLICE_PROPOSALS = 100
SLICE_SECONDS = 0.05


def admit(
    proposals: Iterable[Proposal],
    principal: Principal,
    *,
    origin: str | None = None,
    before_commit: Callable[[Sequence[Admission]], None] | None = None,
) -> Iterator[Admission]:
    """Decide proposals in order; each stands alone. A proposal that fails is answered with its error.

    A slice is one transaction, and its admissions are yielded once it is committed.

    Args:
        before_commit: is told the admissions of a slice inside its transaction, so that what it writes about
            them is kept exactly when they are.
    """
    channel = origin or origin_of(principal)
    waiting = iter(proposals)
    while True:
        ready = deque(_prepared(waiting))
        if not ready:
            return
        while ready:
            yield from _slice(ready, principal, channel, before_commit)


def _prepared(proposals: Iterator[Proposal]) -> Iterator[Prepared | Admission]:
    for _, proposal in zip(range(SLICE_PROPOSALS), proposals, strict=False):
        try:
            yield prepare(proposal)
        except DomainError as error:
            yield Admission("invalid", error=error, reason=error.code)


def _slice(
    ready: deque[Prepared | Admission],
    principal: Principal,
    origin: str,
    before_commit: Callable[[Sequence[Admission]], None] | None,
) -> list[Admission]:
    answers: list[Admission] = []
    with act(principal) as current:
        until = time.monotonic() + SLICE_SECONDS
        while ready and (not answers or time.monotonic() < until):
            prepared = ready.popleft()
            if isinstance(prepared, Admission):
                answers.append(prepared)
                continue
            try:
                with current.savepoint(), current.decision():
                    answers.append(admit_prepared(current, prepared, principal, origin))
            except DomainError as error:
                answers.append(Admission("invalid", error=error, reason=error.code))
        if before_commit is not None:
            before_commit(answers)
    return answers
