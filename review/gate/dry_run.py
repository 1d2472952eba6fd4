"""What the gate would answer, without a write."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import DomainError
from review.gate.look_up import peek
from review.gate.plan import Newcomer, admission_of, decide
from review.judgement import origin_of
from review.models import Origin, Status
from review.preparing import Prepared, prepare
from review.proposals import Admission, Proposal


def assess(proposals: Iterable[Proposal], principal: Principal, *, origin: str | None = None) -> Iterator[Admission]:
    """What :func:`~review.gate.slices.admit` would answer now, in order, without storing anything.

    Repeats within the proposals count as duplicates of their first occurrence, of which there is no row yet.
    Values of one key among the proposals themselves are not held against each other.
    """
    channel = origin or origin_of(principal)
    met = _Met()
    return (_assess(proposal, principal, channel, met) for proposal in proposals)


class _Met:
    """Which words were met before, in 16 bytes each: files are long."""

    def __init__(self) -> None:
        self._digests: set[bytes] = set()

    def add(self, prepared: Prepared) -> bool:
        """Put them in, with their place. Returns whether they are new."""
        key = repr((prepared.proposal.kind, prepared.digest, prepared.proposal.place))
        digest = hashlib.blake2b(key.encode(), digest_size=16).digest()
        before = len(self._digests)
        self._digests.add(digest)
        return len(self._digests) > before


def _assess(proposal: Proposal, principal: Principal, origin: str, met: _Met) -> Admission:
    try:
        prepared = prepare(proposal)
        plan = decide(peek(prepared, principal, origin), prepared, principal, origin)
    except DomainError as error:
        return Admission("invalid", error=error, reason=error.code)
    answer = admission_of(plan)
    if isinstance(plan, Newcomer) and _stands_for_its_words(plan, prepared, origin) and not met.add(prepared):
        return replace(answer, outcome="duplicate", contradicts=None, superseded=())
    return answer


def _stands_for_its_words(plan: Newcomer, prepared: Prepared, origin: str) -> bool:
    """Whether the row that it would become is found when the same words come again."""
    valid = prepared.proposal.valid if plan.room is None else plan.room.valid
    return plan.status != Status.REJECTED and (valid.upper is None or origin == Origin.IMPORTER)
