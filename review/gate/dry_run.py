"""What the gate would answer, without a write."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import DomainError
from review.gate.judgement import origin_of
from review.gate.look_up import peek_many
from review.gate.plan import Found, Newcomer, admission_of, decide
from review.gate.preparing import Prepared, prepare
from review.gate.proposals import Admission, Proposal
from review.gate.slices import SLICE_PROPOSALS
from review.models import Origin, Status


@dataclass(frozen=True, slots=True)
class Examined:
    """One proposal, looked through without a write. ``prepared`` is None for words that have no acceptable shape."""

    proposal: Proposal
    prepared: Prepared | None
    admission: Admission


def assess(proposals: Iterable[Proposal], principal: Principal, *, origin: str | None = None) -> Iterator[Admission]:
    """What :func:`~review.gate.slices.admit` would answer now, in order, without storing anything.

    Repeats within the proposals count as duplicates of their first occurrence, of which there is no row yet.
    Values of one key among the proposals themselves are not held against each other.
    """
    return (examined.admission for examined in examine(proposals, principal, origin=origin))


def examine(proposals: Iterable[Proposal], principal: Principal, *, origin: str | None = None) -> Iterator[Examined]:
    """The same with what was found in each proposal on the way."""
    channel = origin or origin_of(principal)
    met = _Met()
    waiting = iter(proposals)
    while slice_ := [_prepared(proposal) for proposal in islice(waiting, SLICE_PROPOSALS)]:
        found = iter(peek_many([one for one in slice_ if isinstance(one, Prepared)], principal, channel))
        for one in slice_:
            yield _examined(one, next(found), principal, channel, met) if isinstance(one, Prepared) else one


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


def _prepared(proposal: Proposal) -> Prepared | Examined:
    try:
        return prepare(proposal)
    except DomainError as error:
        return Examined(proposal, None, _invalid(error))


def _examined(prepared: Prepared, found: Found, principal: Principal, origin: str, met: _Met) -> Examined:
    proposal = prepared.proposal
    try:
        plan = decide(found, prepared, principal, origin)
    except DomainError as error:
        return Examined(proposal, prepared, _invalid(error))
    answer = admission_of(plan)
    if isinstance(plan, Newcomer) and _stands_for_its_words(plan, prepared, origin) and not met.add(prepared):
        answer = replace(answer, outcome="duplicate", contradicts=None, superseded=())
    return Examined(proposal, prepared, answer)


def _invalid(error: DomainError) -> Admission:
    return Admission("invalid", error=error, reason=error.code)


def _stands_for_its_words(plan: Newcomer, prepared: Prepared, origin: str) -> bool:
    """Whether the row that it would become is found when the same words come again."""
    valid = prepared.proposal.valid if plan.room is None else plan.room.valid
    return plan.status != Status.REJECTED and (valid.upper is None or origin == Origin.IMPORTER)
