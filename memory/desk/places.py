"""Whose list a call means: tasks and notes belong to one party in one place, and no other agent reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, TypeVar

from django.db import models

from pawflow_web.identity.principal import Principal

Row = TypeVar("Row", bound=models.Model)

# The order of every list; the index ``..._list`` of each table serves it.
RECENT_FIRST = ("-updated_at", "-id")


@dataclass(frozen=True, slots=True)
class Place:
    """One list: an owner's, of one agent (None: of the owner themself), in one conversation (None: outside of any)."""

    user_id: int
    agent_id: int | None = None
    conversation_id: int | None = None

    @classmethod
    def of(cls, principal: Principal) -> Self:
        """What is asked in a conversation is about the list of that conversation, else about the caller's own."""
        return cls(principal.user_id, principal.agent_id, principal.conversation_id)


class DeskQuerySet(models.QuerySet[Row]):
    def in_list(self, place: Place) -> Self:
        return self.filter(user_id=place.user_id, agent_id=place.agent_id, conversation_id=place.conversation_id)

    def visible_to(self, principal: Principal) -> Self:
        """A person sees every list of theirs, an agent the one that it works with."""
        if principal.is_person:
            return self.filter(user_id=principal.user_id)
        return self.in_list(Place.of(principal))
