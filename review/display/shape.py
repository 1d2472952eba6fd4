"""The public shape of a belief, the same for REST, MCP, export and the panels."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from django.utils.text import Truncator
from pydantic import BaseModel, ConfigDict, Field, PlainSerializer

from pawflow_web.lib.periods import iso
from pawflow_web.lib.prepared import RowsByIds
from review.kinds import kind_of
from review.models import Evidence, GovernanceItem, Privacy
from review.search.find import Hit

MASK = "••••"

Time = Annotated[datetime | None, PlainSerializer(iso, return_type=str | None)]


class SourceOut(BaseModel):
    """Where the words first came from."""

    type: str = Field(description="agent, person, import or worker")
    name: str = Field(description="who or what that was")
    file: str | None = Field(description="the file of an import")
    line: int | None = Field(description="the line in it")
    turn: str | None = Field(description="the turn in which it was said")


class ItemOut(BaseModel):
    """A belief. Secret words are masked."""

    model_config = ConfigDict(ser_json_inf_nan="null")

    ref: str
    number: int
    kind: str
    text: str
    status: str
    scope: str
    agent: str | None
    conversation: str | None
    project: str | None
    category: str | None
    tags: list[str]
    confidence: float
    privacy: str
    origin: str
    importance: str
    durability: str
    pinned: bool
    valid_from: Time
    valid_to: Time
    ended_at: Time
    never_valid: bool = Field(description="it was corrected or replaced from its very start: it held at no time")
    expires_at: Time
    recorded_at: Time
    retired_at: Time
    updated_at: Time
    last_seen_at: Time
    last_used_at: Time
    use_count: int
    reason: str
    supersedes: str | None
    superseded_by: str | None
    contradicts: str | None
    archive: str | None
    revision: int
    source: SourceOut


class ExplainOut(BaseModel):
    """Why a hit was found. Frequencies of words are left out: they count other readers' beliefs too."""

    matched: list[str]
    bm25: float
    bm25_rank: int | None
    vector: float | None
    vector_rank: int | None
    fused: float | None
    why: str


class HitOut(ItemOut):
    """A belief as an answer to a question."""

    score: float
    explain: ExplainOut | None = Field(default=None, exclude_if=lambda value: value is None)


def present(item: GovernanceItem) -> ItemOut:
    """One belief. ``item`` comes from ``for_display()``."""
    return present_all([item])[0]


def present_all(items: Sequence[GovernanceItem], sources: Mapping[int, Evidence] | None = None) -> list[ItemOut]:
    """Many, with one more query for all their ``sources``: the first evidence of each, with its conversation."""
    if sources is None:
        sources = _sources(item.pk for item in items)
    return [ItemOut(**_fields(item, sources.get(item.pk))) for item in items]


def present_hits(hits: Sequence[Hit], *, explain: bool) -> list[HitOut]:
    """Found beliefs with their scores."""
    sources = _sources(hit.item.pk for hit in hits)
    return [
        HitOut(
            **_fields(hit.item, sources.get(hit.item.pk)),
            score=hit.score,
            explain=_explanation(hit) if explain else None,
        )
        for hit in hits
    ]


def shown_text(item: GovernanceItem) -> str:
    """The words of a belief where they may be shown: a secret is masked everywhere."""
    return MASK if item.privacy == Privacy.SECRET else item.text


def first_words(item: GovernanceItem, most: int) -> str:
    """As many of them in one line as tell it from others, at most so many characters."""
    return Truncator(" ".join(shown_text(item).split())).chars(most)


_first_evidence = RowsByIds(
    lambda: Evidence.objects.select_related("conversation__project").order_by("item_id", "pk").distinct("item_id"),
    by="item_id",
)


def _sources(ids: Iterable[int]) -> dict[int, Evidence]:
    """The first evidence of each item."""
    return {row.item_id: row for row in _first_evidence(list(ids))}


def _fields(item: GovernanceItem, source: Evidence | None) -> dict[str, Any]:
    shown = kind_of(item).shown(item)
    secret = item.privacy == Privacy.SECRET
    conversation = item.scope_conversation
    said_in = conversation or (source.conversation if source else None)
    project = said_in.project if said_in else None
    ended = item.valid.upper if not item.valid.isempty else None
    return {
        "ref": item.ref,
        "number": item.number,
        "kind": item.kind,
        "text": shown_text(item),
        "status": item.status,
        "scope": item.scope,
        "agent": item.scope_agent.name if item.scope_agent else None,
        "conversation": conversation.ref if conversation else None,
        "project": project.slug if project else None,
        "category": shown.category,
        "tags": [] if secret else list(shown.tags),
        "confidence": item.confidence / 100,
        "privacy": item.privacy,
        "origin": item.origin,
        "importance": shown.importance,
        "durability": shown.durability,
        "pinned": item.pinned,
        "valid_from": None if item.valid.isempty else item.valid.lower,
        "valid_to": ended,
        "ended_at": ended,
        "never_valid": bool(item.valid.isempty),
        "expires_at": item.expires_at,
        "recorded_at": item.recorded_at,
        "retired_at": item.retired_at,
        "updated_at": item.updated_at,
        "last_seen_at": item.last_seen_at,
        "last_used_at": item.last_used_at,
        "use_count": item.use_count,
        "reason": item.reason,
        "supersedes": item.supersedes_ref,
        "superseded_by": item.superseded_by_ref,
        "contradicts": item.contradicts_ref,
        "archive": "pending" if item.archive_pending else None,
        "revision": item.revision,
        "source": _source(item, source),
    }


def _source(item: GovernanceItem, evidence: Evidence | None) -> SourceOut:
    if evidence is None:
        return SourceOut(type=item.origin, name="", file=None, line=None, turn=None)
    kind, _, name = evidence.principal.partition(":")
    return SourceOut(type=kind, name=name, file=evidence.file or None, line=evidence.line, turn=evidence.turn or None)


def _explanation(hit: Hit) -> ExplainOut:
    found = hit.ranked
    if found is None:
        return ExplainOut(
            matched=[], bm25=0, bm25_rank=None, vector=None, vector_rank=None, fused=None, why="nothing was asked for"
        )
    reasons = [f"holds {', '.join(found.matched)}"] if found.matched else []
    if found.vector is not None:
        reasons.append(f"close in meaning ({found.vector:.2f})")
    return ExplainOut(
        matched=list(found.matched),
        bm25=round(found.bm25, 4),
        bm25_rank=found.bm25_rank,
        vector=None if found.vector is None else round(found.vector, 4),
        vector_rank=found.vector_rank,
        fused=None if found.fused is None else round(found.fused, 4),
        why="; ".join(reasons),
    )
