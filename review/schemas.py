"""Bodies and replies of the routes of this app."""

from typing import Annotated, Any, Literal

from django.db.models import TextChoices
from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from pawflow_web.lib.tools import WHOLE_NUMBER
from review.limits import BULK_MOST, COMMENT_MOST
from review.models import KindName, Origin, Privacy, Scope, Status
from review.present import ItemOut, Time


def one_of(choices: type[TextChoices]) -> WithJsonSchema:
    """The schema of a choice in its place: what agents read has no references to follow."""
    return WithJsonSchema({"type": "string", "enum": choices.values})


StatusWord = Annotated[Status, one_of(Status)]
KindWord = Annotated[KindName, one_of(KindName)]
ScopeWord = Annotated[Scope, one_of(Scope)]
PrivacyWord = Annotated[Privacy, one_of(Privacy)]
OriginWord = Annotated[Origin, one_of(Origin)]


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


Comment = Annotated[str, Field(max_length=COMMENT_MOST, description="why, in the person's words")]
Revision = Annotated[int | None, Field(ge=1, description="the revision that was read"), WHOLE_NUMBER]


class DecisionIn(Body):
    reason: Comment = ""
    revision: Revision = None


class AcceptIn(DecisionIn):
    demote: Annotated[str | None, Field(max_length=40, description="the belief whose place it takes")] = None


class BulkIn(Body):
    action: Literal["accept", "reject"]
    refs: Annotated[list[Annotated[str, Field(max_length=40)]], Field(min_length=1, max_length=BULK_MOST)]
    revisions: dict[str, Annotated[int, Field(ge=1), WHOLE_NUMBER]] = {}
    reason: Comment = ""


class ItemsOut(BaseModel):
    items: list[ItemOut]
    next: str | None


class FlagOut(BaseModel):
    rule: str
    excerpt: str


class WaitingOut(ItemOut):
    rival: ItemOut | None
    flags: list[FlagOut]


class QueueOut(BaseModel):
    items: list[WaitingOut]
    next: str | None
    counts: dict[str, Any]


class DecisionOut(BaseModel):
    item: ItemOut
    demoted: str | None
    decision: int


class RejectedOut(DecisionOut):
    tombstone: str


class ForgottenOut(BaseModel):
    ref: str
    forgotten: bool
    archive: str | None


class BulkRowOut(BaseModel):
    ref: str
    ok: bool
    status: str | None = Field(default=None, exclude_if=lambda value: value is None)
    error: dict[str, Any] | None = Field(default=None, exclude_if=lambda value: value is None)


class BulkOut(BaseModel):
    batch: str
    done: int
    results: list[BulkRowOut]


class TombstoneOut(BaseModel):
    ref: str
    item: str
    key: str | None
    created_at: Time
    hits: int


class TombstonesOut(BaseModel):
    items: list[TombstoneOut]
    next: str | None


class ActorOut(BaseModel):
    kind: str
    name: str
    token: str | None


class EventOut(BaseModel):
    model_config = ConfigDict(populate_by_name=True)

    seq: int
    at: Time
    event: str
    verb: str
    actor: ActorOut
    reason: str
    note: str
    from_: str | None = Field(alias="from")
    to: str | None
    changes: dict[str, list[Any]]
    decision: int
    hash: str


class HistoryOut(BaseModel):
    items: list[EventOut]
    next: str | None
