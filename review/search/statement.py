"""The one statement of a search: it takes the index's candidates and the newest rows past it, and answers with whatever
the search compares."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import BooleanField, Case, Q, Value, When
from django.db.models.expressions import RawSQL

from pawflow_web.lib.db import execute
from pawflow_web.lib.text import Tokens
from review.kinds import kinds
from review.models import GovernanceItem, Privacy
from review.search.index import found_by_tokens


@dataclass(frozen=True, slots=True)
class FoundRow:
    """A row as the searching statement returns it. ``tokens`` is None where the principal may not see it."""

    id: int
    key: str
    changed: int
    tokens: Tokens | None
    scope: str
    recorded_at: datetime


_YES, _NO = Value(value=True), Value(value=False)
# The same text for any number of candidates, so that the statement is prepared once. The limit stands in it:
# without knowing it the planner would prepare for thousands of rows.
_CANDIDATES_AND_TAIL = """
SELECT unnest(%s::bigint[]) UNION ALL
(SELECT id FROM review_governanceitem WHERE user_id = %s AND changed_seq > %s ORDER BY changed_seq DESC LIMIT {:d})
"""


class SearchStatement:
    """The one statement of a search: the index's candidates and the newest rows, with "may see" as a column."""

    def __init__(self, user_id: int, condition: Q) -> None:
        self._user_id = user_id
        # Sealed words are found by nobody, in the index and past it.
        self._condition = condition & ~Q(privacy=Privacy.SECRET)

    def __call__(self, *, ids: Sequence[int], after: int, newest: int) -> list[FoundRow]:
        extra = [path for kind in kinds.all() for path in kind.found_by_paths]
        wanted = RawSQL(_CANDIDATES_AND_TAIL.format(newest), [list(ids), self._user_id, after])  # noqa: S611 - numbers
        rows = (
            GovernanceItem.objects.owned_by(self._user_id)
            .filter(pk__in=wanted)
            .annotate(seen=Case(When(self._condition, then=_YES), default=_NO, output_field=BooleanField()))
            .order_by()
            .values_list("pk", "changed_seq", "seen", "text", "scope", "recorded_at", *extra)
        )
        return [self._row(row) for row in execute(*rows.query.sql_with_params())]

    @staticmethod
    def _row(row: tuple[Any, ...]) -> FoundRow:
        pk, changed, seen, text, scope, recorded_at, *extra = row
        words = tuple(word for words in extra if words for word in words)
        tokens = found_by_tokens(text, words) if seen else None
        return FoundRow(pk, str(pk), changed, tokens, scope, recorded_at)
