"""What the person's latest words call to mind, beside what every turn shows anyway."""

from pawflow_web.lib.blocks import Ask, Content, Group, Line
from pawflow_web.lib.prepared import RowsByIds
from pawflow_web.lib.text import excerpt
from review.models import GovernanceItem
from review.search.filters import ItemFilter
from review.search.find import Match, best_matches

MOST = 5
CANDIDATES = 20
LINE_CHARS = 220
MOST_CHARS = 1400
# Measured: 30 ms are enough on a quiet machine and seldom on a busy one, where the context then lacked it most times.
DEADLINE_MS = 60


def relevant(ask: Ask) -> Content | None:
    """At most five lines of at most 220 characters, best first; None without words, or when nothing answers to them."""
    query = ask.query.strip()
    if not query:
        return None
    narrowed_to = ItemFilter(fit_for_prompt=True, kind="note", at=ask.at, known_at=ask.at)
    # Half of the time goes by the candidate, and past this many none gets into the first five.
    found = best_matches(ask.principal, narrowed_to=narrowed_to, query=query, limit=CANDIDATES + len(ask.shown))
    fresh = [match for match in found if match.id not in ask.shown][:MOST]
    rows = {row.pk: row for row in _rows([match.id for match in fresh])}
    lines = [_line(rows[match.id], match) for match in fresh if match.id in rows]
    return Content((Group("", tuple(lines)),)) if lines else None


_rows = RowsByIds(lambda: GovernanceItem.objects.order_by())


def _line(item: GovernanceItem, match: Match) -> Line:
    before, after = "- ", f" #{item.number}"
    return Line(
        excerpt(item.text, match.words, chars=LINE_CHARS - len(before) - len(after)),
        before=before,
        after=after,
        item=item.pk,
        ref=item.ref,
        number=item.number,
        revision=item.revision,
        matched=match.words,
    )
