"""Bodies and replies of the routes of this app."""

from typing import Annotated, Any, Literal

from django.db.models import TextChoices
from pydantic import BaseModel, ConfigDict, Field, PlainValidator, StrictBool, WithJsonSchema
from pydantic_core import PydanticCustomError

from pawflow_web.lib.periods import TimeInput
from pawflow_web.lib.tools import WHOLE_NUMBER
from review.display.shape import ItemOut, Time
from review.limits import BULK_MOST, COMMENT_MOST, TEXT_MOST
from review.models import KindName, Origin, Privacy, Scope, Status


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


def _moment(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int | float | None):
        raise PydanticCustomError("moment", "must be an ISO time with zone, a date, a month, a year or epoch seconds")
    return value


Moment = Annotated[TimeInput | None, PlainValidator(_moment, json_schema_input_type=str | float | None)]


class CommentIn(Body):
    reason: Comment = ""


class DecisionIn(CommentIn):
    revision: Revision = None


class AcceptIn(DecisionIn):
    demote: Annotated[str | None, Field(max_length=40, description="the belief whose place it takes")] = None


class CorrectIn(DecisionIn):
    text: Annotated[str, Field(max_length=TEXT_MOST, description="the words that are true")]
    override_tombstone: Annotated[StrictBool, Field(description="insist on words that were rejected before")] = False


class EndIn(DecisionIn):
    ended_at: Annotated[Moment, Field(description="since when it is not true any more; null: now")] = None


class EditIn(Body):
    """What is left out stays as it is."""

    revision: Annotated[int, Field(ge=1, description="the revision that was read"), WHOLE_NUMBER]
    tags: list[str] = []
    category: str | None = None
    importance: str = ""
    durability: str = ""
    pinned: StrictBool = False
    expires_at: Moment = None
    privacy: PrivacyWord = Privacy.NORMAL
    scope: ScopeWord = Scope.GLOBAL
    agent: Annotated[str, Field(max_length=80, description="whom those of an agent name")] = ""
    conversation: Annotated[str, Field(max_length=40, description="which those of a conversation name")] = ""
    reason: Comment = ""


class ArchiveAnswerIn(CommentIn):
    decision: Literal["approve", "decline"]


class BulkIn(Body):
    action: Literal["accept", "reject", "forget"]
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


class PurgeIn(Body):
    confirm: Annotated[str, Field(max_length=40, description="the belief's reference once more")]


class PurgedOut(BaseModel):
    ref: str
    purged: bool
    tombstone: str
    same_words: list[str]


class RevealedOut(BaseModel):
    ref: str
    text: str


class UndoneOut(BaseModel):
    item: ItemOut
    restored: str | None = Field(description="another belief that came back with it")
    left: list[str] = Field(description="beliefs of the same decision that moved on since and stayed as they are")
    decision: int


class ArchiveRequestOut(BaseModel):
    ref: str
    item: ItemOut
    by: str = Field(description="who asked, for example agent:coder")
    reason: str
    created_at: Time


class ArchiveRequestsOut(BaseModel):
    items: list[ArchiveRequestOut]
    next: str | None


class ArchiveAnswerOut(BaseModel):
    item: ItemOut
    decision: int


class SeenOut(BaseModel):
    agent: str
    ref: str


class SentenceOut(BaseModel):
    text: str
    ref: str | None = Field(description="the other belief that it is about")


class PreviewOut(BaseModel):
    """What would follow, had the decision been made now."""

    verb: str
    sentences: list[SentenceOut]
    agents: list[str] = Field(description="for whom anything changes")
    gains: list[SeenOut]
    loses: list[SeenOut]


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
