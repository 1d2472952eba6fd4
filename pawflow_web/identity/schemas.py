"""Shapes of tokens and owners, the same from routes and commands."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from pawflow_web.identity.models import ApiToken
from pawflow_web.identity.services.tokens import LONGEST_LIFE_DAYS
from pawflow_web.lib.periods import iso

Ability = Literal["read", "write", "relay", "review"]


class TokenIn(BaseModel):
    model_config = ConfigDict(extra="forbid")

    agent: Annotated[
        str | None,
        Field(max_length=64, description="name of the agent, made when new; null: the person's own token"),
    ] = None
    origin: Annotated[
        Literal["user_channel", "automation"] | None,
        Field(description="where the agent's words come from; null: unknown, treated as automation"),
    ] = None
    abilities: Annotated[list[Ability], Field(min_length=1, max_length=4, description="what it may do")]
    expires: Annotated[
        int | None, Field(ge=1, le=LONGEST_LIFE_DAYS, strict=True, description="days from now; null: never")
    ] = None


class TokenOut(BaseModel):
    id: str
    agent: str | None
    origin: str | None
    abilities: list[str]
    created_at: str | None
    expires_at: str | None
    last_used_at: str | None
    revoked_at: str | None

    @classmethod
    def of(cls, row: ApiToken) -> "TokenOut":
        return cls(
            id=row.ref,
            agent=row.agent.name if row.agent else None,
            origin=row.origin,
            abilities=list(row.abilities),
            created_at=iso(row.created_at),
            expires_at=iso(row.expires_at),
            last_used_at=iso(row.last_used_at),
            revoked_at=iso(row.revoked_at),
        )


class TokensOut(BaseModel):
    items: list[TokenOut]
    next: str | None


class MadeTokenOut(BaseModel):
    """A token with its text, which is shown this once."""

    token: str
    id: str
    owner: str
    agent: str | None
    origin: str | None
    abilities: list[str]
    expires_at: str | None
    created_at: str | None

    @classmethod
    def of(cls, row: ApiToken, text: str) -> "MadeTokenOut":
        return cls(
            token=text,
            id=row.ref,
            owner=row.user.username,
            agent=row.agent.name if row.agent else None,
            origin=row.origin,
            abilities=list(row.abilities),
            expires_at=iso(row.expires_at),
            created_at=iso(row.created_at),
        )


class RevokedTokenOut(BaseModel):
    id: str
    revoked: bool
