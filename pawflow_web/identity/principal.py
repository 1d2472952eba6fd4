"""Who speaks, for whom, from where: decided by the credentials alone and carried through every call."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Self
from zoneinfo import ZoneInfo

from pawflow_web.lib.errors import NotAllowed

UTC = ZoneInfo("UTC")


class PrincipalKind(StrEnum):
    PERSON = "person"
    AGENT = "agent"
    WORKER = "worker"


@dataclass(frozen=True, slots=True)
class Principal:
    """The authenticated party of a call.

    ``agent_id`` and ``conversation_id`` say from where it looks; together with ``user_id`` they are all that
    decides what it may see. ``origin`` is ``user_channel`` or ``automation``; ``origin_known`` is False for a
    token that was made without one, which is treated as automation.
    """

    user_id: int
    user_name: str
    kind: PrincipalKind
    origin: str
    origin_known: bool = True
    agent_id: int | None = None
    agent_name: str | None = None
    # of its agent: see identity.models.agent.Profile
    profile: str = "assistant"
    reads_sensitive: bool = False
    token_ref: str | None = None
    abilities: frozenset[str] = field(default_factory=frozenset)
    conversation_id: int | None = None
    conversation_ref: str | None = None
    zone: ZoneInfo = UTC

    @property
    def is_person(self) -> bool:
        return self.kind is PrincipalKind.PERSON

    @property
    def is_user_channel(self) -> bool:
        return self.origin == "user_channel" and self.origin_known

    @property
    def name(self) -> str:
        """What the journal calls this party."""
        return self.agent_name or (self.user_name if self.is_person else "worker")

    def require(self, ability: str) -> None:
        """Raises :class:`NotAllowed` naming the ability when it is missing."""
        if ability not in self.abilities:
            raise NotAllowed(f"This token lacks the ability {ability}.", fields={})

    def require_person(self, *, to_propose: bool = False) -> None:
        """Raises :class:`NotAllowed` unless a person speaks who may decide over beliefs, and for themself: a call that
        was narrowed counts as an automation, and those decide nothing. ``to_propose``: it alone decides nothing."""
        if not self.is_person or "review" not in self.abilities:
            raise NotAllowed("Only a person may do this: sign in, or use a person's token with the ability review.")
        if not self.is_user_channel and not to_propose:
            raise NotAllowed("This call counts as an automation, and only a person may do this.")

    def within(self, conversation_id: int | None, conversation_ref: str | None) -> Self:
        return replace(self, conversation_id=conversation_id, conversation_ref=conversation_ref)

    def narrowed(self) -> Self:
        """The same party, its words counted as automation."""
        return replace(self, origin="automation", origin_known=True)


ALL_ABILITIES = frozenset({"read", "write", "relay", "review"})


def worker_principal(user_id: int, user_name: str) -> Principal:
    """The server's own jobs, on behalf of an owner."""
    return Principal(user_id, user_name, PrincipalKind.WORKER, "automation", abilities=frozenset({"read", "write"}))
