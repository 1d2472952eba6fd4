"""What agents say about beliefs that they read: of use or not, and no longer wanted."""

from typing import Annotated

from pydantic import BaseModel, Field

from memory import display
from memory.tools.notes import Reference
from pawflow_web.identity.call import Call
from pawflow_web.lib.tools import Effect, Result, tool
from review.lifecycle.archiving import suggest
from review.lifecycle.feedback import vote
from review.limits import COMMENT_MOST

Reason = Annotated[str, Field(min_length=1, max_length=COMMENT_MOST)]


class VotesOut(BaseModel):
    helpful: int = Field(description="how many parties found it helpful")
    unhelpful: int = Field(description="how many did not")


class FeedbackResult(Result):
    ref: str
    status: str = Field(description="needs_review: it was found unhelpful too often and waits for a person")
    confidence: float = Field(description="0..1, after the vote")
    votes: VotesOut


@tool("memory_feedback", family="memory", effect=Effect.WRITE, core=True)
def memory_feedback(
    call: Call,
    ref: Annotated[Reference, Field(description="the belief that was read")],
    helpful: Annotated[bool, Field(description="whether it was true and of use")],
    note: Annotated[str, Field(max_length=COMMENT_MOST, description="what was right or wrong with it")] = "",
) -> FeedbackResult:
    """Say whether a belief was of use. Each caller has one vote on it, and the last one counts.

    Beliefs that several found unhelpful wait for a person; what a person decided does not move.
    """
    done = vote(principal=call.principal, reference=ref, helpful=helpful, note=note)
    return FeedbackResult(
        ref=done.item.ref,
        status=done.item.status,
        confidence=done.item.confidence / 100,
        votes=VotesOut(helpful=done.helpful, unhelpful=done.unhelpful),
        display=display.voted(done),
    )


class ArchiveResult(Result):
    ref: str
    archive: str = Field(description="pending: a person was asked")
    request: str = Field(description="the request that waits for an answer")


@tool("memory_archive_suggestion", family="memory", effect=Effect.WRITE, core=True)
def memory_archive_suggestion(
    call: Call,
    ref: Annotated[Reference, Field(description="the belief in use that is no longer wanted")],
    reason: Annotated[Reason, Field(description="why, for the person who decides")],
) -> ArchiveResult:
    """Ask a person to take a belief out of use. Until they answer it stays in use."""
    request = suggest(principal=call.principal, reference=ref, reason=reason)
    return ArchiveResult(
        ref=request.item.ref, archive="pending", request=request.ref, display=display.archive_asked(request)
    )
