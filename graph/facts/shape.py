"""The public shape of a fact, the same for REST, MCP and the panels."""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from django.utils import timezone
from pydantic import BaseModel, Field

from graph.facts.dates import said_date
from graph.facts.parts import label_of
from graph.facts.reading import is_current
from pawflow_web.identity.principal import Principal
from review.display.shape import MASK, Time
from review.models import GovernanceItem


class TripleOut(BaseModel):
    """A fact: subject, predicate and object, and when it holds."""

    ref: str
    subject: str
    predicate: str
    object: str
    object_kind: Literal["entity", "value"]
    valid_from: str | None = Field(description="since when it is true, as precisely as it was said")
    valid_to: str | None = Field(description="since when it no longer is; null: it still holds")
    current: bool = Field(description="whether it holds now")
    status: str
    confidence: float = Field(description="how it was obtained: 1 said outright, less inferred")
    confidence_label: str = Field(description="EXTRACTED, INFERRED or AMBIGUOUS")
    source: str
    recorded_at: Time
    retired_at: Time


def triple_of(item: GovernanceItem, principal: Principal, now: datetime | None = None) -> TripleOut:
    """A fact that was read with its facet. A secret shows nothing of its parts."""
    row, zone = item.triple, principal.zone
    empty = item.valid.isempty
    return TripleOut(
        ref=item.ref,
        subject=row.subject_name or MASK,
        predicate=row.predicate or MASK,
        object=row.object_name or MASK,
        object_kind="value" if row.is_value else "entity",
        valid_from=None if empty else said_date(item.valid.lower, item.valid_from_precision, zone),
        valid_to=None if empty else said_date(item.valid.upper, item.valid_to_precision, zone),
        current=item.status in {"active", "superseded"} and is_current(item, now or timezone.now()),
        status=item.status,
        confidence=row.score / 100,
        confidence_label=label_of(row.score),
        source=row.source,
        recorded_at=item.recorded_at,
        retired_at=item.retired_at,
    )


def triples_of(items: Iterable[GovernanceItem], principal: Principal) -> list[TripleOut]:
    now = timezone.now()
    return [triple_of(item, principal, now) for item in items]
