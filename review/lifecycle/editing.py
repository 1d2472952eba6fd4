"""What a person changes of a belief beside its words, its status and its validity."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict

from conversations.models import Conversation
from pawflow_web.identity.models import Agent
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.ids import parse_ref
from review.gate.preparing import require_plain
from review.gate.proposals import Place
from review.journal.acts import Act, act
from review.journal.comments import Comment
from review.kinds import kind_of
from review.lifecycle.conditions import require_no_twin, require_room
from review.lifecycle.copies import look_for_copies
from review.lifecycle.locked import locked_item
from review.lifecycle.sealing import open_item, seal_item
from review.models import LIVE, READABLE, GovernanceItem, Privacy, Scope
from review.search.find import by_reference

_FACET = ("tags", "category", "importance", "durability")


class Changes(TypedDict, total=False):
    """What is to be different; what is left out stays. None empties a category and an expiry."""

    tags: Sequence[str]
    category: str | None
    importance: str
    durability: str
    pinned: bool
    expires_at: datetime | None
    privacy: str
    scope: str
    # whom the scope names: an agent by its name, a conversation by its ref; without them those it names now
    agent: str
    conversation: str


def edit(*, principal: Principal, reference: str, revision: int, changes: Changes, comment: str = "") -> GovernanceItem:
    """Change what belongs to a belief. Words never change: see :func:`~review.lifecycle.correcting.correct`.

    Raises:
        NotFound, StaleRevision: as for every decision.
        Invalid: a value that it cannot have, an expiry in the past, a scope without whom it names, a tag that holds
            a secret or an instruction.
        Conflict: the same words stand where it would go (``fields.duplicate_of``), or another value of its key does
            (``fields.contradicts``).
    """
    principal.require_person()
    comment = Comment.of(comment)
    # Looking through tags is slow work, so it happens before the clock; whoever changes the belief in between makes
    # the revision stale.
    known = by_reference(GovernanceItem.objects.visible_to(principal), reference)
    wanted = {name: value for name, value in changes.items() if name in _FACET}
    facet = kind_of(known).edited(known, wanted)
    # As they were written: tags are stored in small letters, in which a key no longer looks like one.
    require_plain([*changes.get("tags", ())], changes.get("privacy", known.privacy))
    seals = changes.get("privacy") == Privacy.SECRET and known.privacy != Privacy.SECRET
    looked = look_for_copies(principal.user_id, [known]) if seals else None
    with act(principal) as current, current.decision():
        item = locked_item(principal, reference, revision)
        columns = {**_columns(current, changes), **_place_columns(current, item, changes)}
        privacy = changes.get("privacy", item.privacy)
        _open(current, item, privacy, columns)
        current.write(item, "edit", facet=_different(item, facet), comment=comment, **columns)
        if privacy == Privacy.SECRET:
            # Last: what the same edit took away may say what the words say, and goes with what was kept before.
            seal_item(current, item, looked)
        return item


def _different(item: GovernanceItem, facet: Mapping[str, Any]) -> dict[str, Any]:
    now = kind_of(item).snapshot(item)
    return {name: value for name, value in facet.items() if now[name] != value}


def _columns(current: Act, changes: Changes) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    if "pinned" in changes:
        columns["pinned"] = changes["pinned"]
    if "expires_at" in changes:
        expires_at = changes["expires_at"]
        if expires_at is not None and expires_at <= current.clock.at:
            raise Invalid("A belief cannot expire in the past. Forget it.", fields={"expires_at": "must lie ahead"})
        columns["expires_at"] = expires_at
    return columns


def _open(current: Act, item: GovernanceItem, privacy: str, columns: dict[str, Any]) -> None:
    """Opening is an entry of its own, as sealing is; between normal and sensitive only the column changes."""
    if privacy not in Privacy.values:
        words = ", ".join(Privacy.values)
        raise Invalid(f"There is no privacy {ascii(privacy)[:40]}.", fields={"privacy": f"must be one of {words}"})
    if privacy == Privacy.SECRET:
        return
    if item.privacy == Privacy.SECRET:
        open_item(current, item, privacy=privacy)
    else:
        columns["privacy"] = privacy


# --- where it is read ---------------------------------------------------------------------------------------------


def _place_columns(current: Act, item: GovernanceItem, changes: Changes) -> dict[str, Any]:
    if not changes.keys() & {"scope", "agent", "conversation"}:
        return {}
    scope = changes.get("scope", item.scope)
    if scope not in Scope.values:
        words = ", ".join(Scope.values)
        raise Invalid(f"There is no scope {ascii(scope)[:40]}.", fields={"scope": f"must be one of {words}"})
    agent = _agent(item, changes.get("agent"), needed=scope in {Scope.AGENT, Scope.PRIVATE})
    conversation = _conversation(item, changes.get("conversation"), needed=scope in {Scope.CONVERSATION, Scope.PRIVATE})
    place = Place(
        scope, agent_id=agent.pk if agent else None, conversation_id=conversation.pk if conversation else None
    )
    if item.status in LIVE:
        require_no_twin(current, item, item.valid, place=place)
    columns = {"scope": scope, "scope_agent": agent, "scope_conversation": conversation}
    key = kind_of(item).key(item, place)
    if key != item.exclusive_key:
        if item.status in READABLE:
            require_room(current, item, item.valid, key=key)
        columns["exclusive_key"] = key
    return columns


def _agent(item: GovernanceItem, name: str | None, *, needed: bool) -> Agent | None:
    if name is not None and not needed:
        raise _names_none("agent")
    if name is None:
        if needed and item.scope_agent is None:
            raise Invalid("This scope needs an agent.", fields={"agent": "must be one of your agents"})
        return item.scope_agent if needed else None
    agent = Agent.objects.filter(user_id=item.user_id, name=name).first()
    if agent is None:
        raise Invalid(f"You have no agent {ascii(name)[:40]}.", fields={"agent": "must be one of your agents"})
    return agent


def _conversation(item: GovernanceItem, ref: str | None, *, needed: bool) -> Conversation | None:
    if ref is not None and not needed:
        raise _names_none("conversation")
    if ref is None:
        if needed and item.scope_conversation is None:
            raise Invalid(
                "This scope needs a conversation.", fields={"conversation": "must be one of your conversations"}
            )
        return item.scope_conversation if needed else None
    conversation = Conversation.objects.filter(user_id=item.user_id, ref=parse_ref(ref) or "").first()
    if conversation is None:
        raise Invalid(
            f"You have no conversation {ascii(ref)[:40]}.", fields={"conversation": "must be one of your conversations"}
        )
    return conversation


def _names_none(field: str) -> Invalid:
    return Invalid(f"This scope names no {field}.", fields={field: "must be left out with this scope"})
