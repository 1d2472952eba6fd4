"""Shapes of the conversation and project routes."""

import json
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, ValidationError
from pydantic_core import PydanticCustomError

from conversations.models import Conversation, Project, StepKind
from conversations.models.turn import RUN_PATTERN
from conversations.record.slices import steps_of
from conversations.record.telling import NewStep, NewTurn, Told
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.jsonbody import mended
from pawflow_web.lib.periods import TimeInput, first_instant, iso
from pawflow_web.lib.text import clean, is_blank


def _visible(text: str) -> str:
    if is_blank(text):
        raise PydanticCustomError("blank", "must hold something visible")
    return text


# Of one request, and of one turn.
TURNS_MOST = 500
STEPS_MOST = 500


class _Sent(BaseModel):
    model_config = ConfigDict(extra="forbid")


Title = Annotated[str, Field(max_length=300, description="what a list shows")]
ProjectName = Annotated[
    str, Field(min_length=1, max_length=200, description="what a list shows"), AfterValidator(_visible)
]
Description = Annotated[str, Field(max_length=2000, description="what it is about")]
Root = Annotated[str, Field(max_length=1000, description='an existing absolute directory, ~ allowed; "" for none')]


class ConversationIn(_Sent):
    title: Title = ""
    external_id: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=200,
            description="the client's own name; the same again gives the old one",
        ),
    ] = None
    encrypted: Annotated[StrictBool, Field(description="its turns are sealed at rest, and never indexed")] = False
    temporary: Annotated[StrictBool, Field(description="kept with it; without effect in this version")] = False


class ConversationChangesIn(_Sent):
    title: Title | None = None
    project: Annotated[str | None, Field(max_length=80, description='slug of the project; "" for none')] = None


class StepIn(_Sent):
    kind: Annotated[StepKind, Field(description="what sort of thing was done")]
    role: Annotated[str, Field(max_length=40, description="whose it is, where it is not the turn's")] = ""
    content: Annotated[Any, Field(description="text, or any JSON")] = ""
    tool: Annotated[str, Field(max_length=200, description="the tool that was called")] = ""
    call_id: Annotated[str, Field(max_length=200, description="what joins a call and its result")] = ""


class TurnIn(_Sent):
    id: Annotated[
        str, Field(max_length=200, description="the client's own name; told again under it, it is kept once")
    ] = ""
    role: Annotated[
        str,
        Field(min_length=1, max_length=40, description="user, assistant, system or tool"),
        AfterValidator(_visible),
    ]
    at: Annotated[TimeInput | None, Field(description="when it was said; now where nothing is given")] = None
    steps: Annotated[list[StepIn], Field(min_length=1, max_length=STEPS_MOST)]


class TurnsIn(_Sent):
    run: Annotated[str, Field(pattern=RUN_PATTERN, description="one call of an agent, by the client's own name")]
    turns: Annotated[list[TurnIn], Field(min_length=1, max_length=TURNS_MOST)]


def new_turns(sent: TurnsIn, body: str, zone: ZoneInfo) -> list[NewTurn]:
    """What is to be told, each step with its own part of the request's ``body``.

    Raises :class:`~pawflow_web.lib.errors.Invalid` for a time that is none and a name that cannot be stored.
    """
    kept = steps_of(body)
    if [len(turn.steps) for turn in sent.turns] != [len(raws) for raws in kept]:
        raise _ambiguous()
    return [
        NewTurn(
            role=clean(turn.role, field="role"),
            steps=[_new_step(raw) for raw in raws],
            external_id=clean(turn.id, field="id"),
            at=first_instant(turn.at, zone, field="at"),
        )
        for turn, raws in zip(sent.turns, kept, strict=True)
    ]


def _new_step(raw: str) -> NewStep:
    """Looked at once more, as it is stored: with a key that is there twice, or that holds a control character, the
    request can be read in two ways."""
    try:
        return NewStep(StepIn.model_validate(mended(json.loads(raw))).kind, raw)
    except ValidationError:
        raise _ambiguous() from None


def _ambiguous() -> Invalid:
    return Invalid(
        "These turns can be read in two ways: a key is there twice, or is none.",
        fields={"turns": "can be read in two ways"},
    )


class ToldOut(BaseModel):
    accepted: int
    duplicates: int
    turns: list[str]

    @classmethod
    def of(cls, told: Told) -> "ToldOut":
        return cls(accepted=told.accepted, duplicates=told.duplicates, turns=list(told.turns))


class ProjectIn(_Sent):
    name: ProjectName
    description: Description = ""
    root: Root | None = None


class ProjectChangesIn(_Sent):
    name: ProjectName | None = None
    description: Description | None = None
    root: Root | None = None
    archived: StrictBool | None = None


class ConversationOut(BaseModel):
    ref: str
    external_id: str | None
    title: str
    project: str | None
    source: str
    encrypted: bool
    temporary: bool
    turns: int
    created_at: str | None
    updated_at: str | None

    @classmethod
    def of(cls, row: Conversation) -> "ConversationOut":
        return cls(
            ref=row.ref,
            external_id=row.external_id or None,
            title=row.title,
            project=row.project.slug if row.project else None,
            source=row.source,
            encrypted=row.encrypted,
            temporary=row.temporary,
            turns=row.turns,
            created_at=iso(row.created_at),
            updated_at=iso(row.updated_at),
        )


class ConversationsOut(BaseModel):
    items: list[ConversationOut]
    next: str | None


class ProjectOut(BaseModel):
    slug: str
    name: str
    description: str
    root: str
    archived: bool

    @classmethod
    def of(cls, row: Project) -> "ProjectOut":
        return cls(slug=row.slug, name=row.name, description=row.description, root=row.root, archived=row.archived)


class ProjectsOut(BaseModel):
    items: list[ProjectOut]
    next: str | None
