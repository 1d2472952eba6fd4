"""Owners, tokens and what they own, made by the services that the product uses."""

from collections.abc import Sequence

from conversations.models import Conversation, Project
from conversations.services import create_conversation, create_project
from pawflow_web.identity.auth import principal_of_token
from pawflow_web.identity.models import User
from pawflow_web.identity.principal import Principal
from pawflow_web.identity.services import create_owner, create_token

# Holds a secret as a scanner knows it; it opens nothing.
GITHUB_TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
USER_CHANNEL = "user_channel"
AUTOMATION = "automation"
READ_WRITE = ("read", "write")
PERSON = ("read", "write", "relay", "review")


def make_owner(name: str = "alice") -> User:
    return create_owner(name)


def make_token(
    user: User,
    *,
    agent: str | None = "coder",
    origin: str | None = USER_CHANNEL,
    abilities: Sequence[str] = READ_WRITE,
) -> str:
    """The text of a new token, ``pf_...``."""
    return create_token(user=user, agent=agent, origin=origin, abilities=abilities)[1]


def make_person_token(user: User) -> str:
    """The text of a token with which the owner themself speaks."""
    return make_token(user, agent=None, abilities=PERSON)


def make_principal(
    user: User,
    *,
    agent: str | None = "coder",
    origin: str | None = USER_CHANNEL,
    abilities: Sequence[str] = READ_WRITE,
) -> Principal:
    """The party behind a new token."""
    return principal_of_token(f"Bearer {make_token(user, agent=agent, origin=origin, abilities=abilities)}")


def make_person(user: User) -> Principal:
    """The owner themself."""
    return principal_of_token(f"Bearer {make_person_token(user)}")


def make_conversation(user: User, title: str = "Release notes", external_id: str | None = None) -> Conversation:
    return create_conversation(principal=make_person(user), title=title, external_id=external_id)[0]


def make_project(user: User, name: str = "Web shop") -> Project:
    return create_project(principal=make_person(user), name=name)
