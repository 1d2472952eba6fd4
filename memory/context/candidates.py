"""What a view may hold: the newest of each tier, those of the projects it is about, and what the latest words call to
mind; each with what decides where it stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import BigIntegerField, Case, Exists, F, OuterRef, Subquery, When
from django.db.models.expressions import RawSQL

from memory.context.ageing import tier_of
from memory.context.newest import Row, newest_of_each, read_rows
from memory.notes.types import FactType, type_of
from pawflow_web.lib.blocks import Ask
from review.limits import TEXT_MOST
from review.models import ArchiveRequest, Evidence, GovernanceItem
from review.search.filters import ItemFilter
from review.search.find import Match, best_matches

# More of what has no sort of its own; together more than fits into a view of short memories.
EACH_MOST = {
    "identity": 15, "facts": 60, "preferences": 15, "events": 15, "decisions": 15, "discoveries": 15, "advice": 15,
}  # fmt: skip
PROJECT_MOST = 80
TALKS_MOST = 100
MATCHES_MOST = 40


@dataclass(frozen=True, slots=True)
class Candidate:
    """A readable belief. ``project`` is where it was first said; ``words`` are those asked for that it holds."""

    row: Row
    type: FactType
    tier: str
    aged: bool
    project: int | None
    happened: datetime
    archive_pending: bool
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Facts:
    category: str
    tags: Sequence[str]
    project: int | None
    since: datetime | None
    archive_pending: bool


def candidates(ask: Ask, projects: Sequence[int], *, now: datetime) -> list[Candidate]:
    """Pinned ones first, then those that answer to the latest words, best first, then the newest."""
    matches = _matches(ask)
    rows = {row.id: row for row in newest_of_each(ask.principal, EACH_MOST, longest=TEXT_MOST, at=ask.at)}
    more = _more(ask, projects, [pk for pk in matches if pk not in rows])
    rows.update((row.id, row) for row in more)
    facts = _facts(list(rows))
    ranks = {pk: rank for rank, pk in enumerate(matches)}
    ordered = sorted(rows.values(), key=lambda row: (row.recorded_at, row.id), reverse=True)
    ordered.sort(key=lambda row: (not row.pinned, ranks.get(row.id, len(ranks))))
    return [_candidate(row, facts[row.id], matches.get(row.id), now) for row in ordered if row.id in facts]


def _matches(ask: Ask) -> Mapping[int, Match]:
    if not ask.query.strip():
        return {}
    narrowed_to = ItemFilter(fit_for_prompt=True, at=ask.at, known_at=ask.at)
    found = best_matches(ask.principal, narrowed_to=narrowed_to, query=ask.query, limit=MATCHES_MOST)
    return {match.id: match for match in found}


# A large project has more evidence than can be sorted in time; of each conversation the end is asked for.
_SAID_LAST = """
SELECT said.item_id FROM (
    SELECT id FROM conversations_conversation WHERE project_id = ANY(%s::bigint[]) ORDER BY updated_at DESC LIMIT %s
) AS talks CROSS JOIN LATERAL (
    SELECT item_id FROM review_evidence WHERE conversation_id = talks.id ORDER BY id DESC LIMIT %s
) AS said
"""


def _more(ask: Ask, projects: Sequence[int], ids: Sequence[int]) -> list[Row]:
    """These rows by id, and the newest that were said in these projects, in the conversations that changed last.

    What one conversation alone reads is among the newest of each tier anyway.
    """
    readable = GovernanceItem.objects.recallable(ask.principal, at=ask.at, known_at=ask.at).exclude(tier="")
    rows = read_rows(readable.filter(pk__in=list(ids))) if ids else []
    if projects:
        said = RawSQL(_SAID_LAST, [list(projects), TALKS_MOST, PROJECT_MOST])  # noqa: S611 - names and parameters
        rows += read_rows(readable.filter(pk__in=said).order_by("-recorded_at", "-pk")[:PROJECT_MOST])
    return rows


def _facts(ids: Sequence[int]) -> dict[int, _Facts]:
    """Of each row what its line and its place depend on, in one statement."""
    first = Evidence.objects.filter(item_id=OuterRef("pk")).order_by("pk")
    rows = (
        GovernanceItem.objects.filter(pk__in=list(ids))
        .annotate(
            filed=Case(
                When(scope_conversation=None, then=Subquery(first.values("conversation__project_id")[:1])),
                default=F("scope_conversation__project_id"),
                output_field=BigIntegerField(),
            ),
            pending=Exists(ArchiveRequest.objects.filter(item_id=OuterRef("pk"), state="pending")),
        )
        .values_list("pk", "memory__category", "memory__tags", "filed", "valid__startswith", "pending")
    )
    return {
        pk: _Facts(category or "", tags or (), project, since, pending)
        for pk, category, tags, project, since, pending in rows
    }


def _candidate(row: Row, facts: _Facts, match: Match | None, now: datetime) -> Candidate:
    kind = type_of(facts.category, facts.tags)
    happened = facts.since or row.recorded_at
    tier, aged = tier_of(kind, said=row.last_seen_at, happened=happened, now=now)
    return Candidate(
        row=row,
        type=kind,
        tier=tier,
        aged=aged and not row.pinned,
        project=facts.project,
        happened=happened,
        archive_pending=facts.archive_pending,
        words=match.words if match else (),
    )
