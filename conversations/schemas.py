"""Shapes of the conversation and project routes."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool
from pydantic_core import PydanticCustomError

from conversations.models import Conversation, Project
from pawflow_web.lib.periods import iso
from pawflow_web.lib.text import is_blank


def _visible(text: str) -> str:
    if is_blank(text):
        raise PydanticCustomError("blank", "must hold something visible")
    return text


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
    encrypted: Annotated[StrictBool, Field(description="kept with it; without effect in this version")] = False
    temporary: Annotated[StrictBool, Field(description="kept with it; without effect in this version")] = False


class ConversationChangesIn(_Sent):
    title: Title | None = None
    project: Annotated[str | None, Field(max_length=80, description='slug of the project; "" for none')] = None


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
            turns=0,
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
