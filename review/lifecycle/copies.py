"""Words of beliefs beside their rows: kept replies, quotes, the search index. They go when a belief becomes secret or
is erased.

Nothing else holds words of a belief: jobs, reports and frozen blocks name beliefs, logs hold references.
"""

from collections.abc import Sequence

from pawflow_web.identity.idempotency import Looked, forget_replies, look_through_replies
from pawflow_web.lib.db import execute
from review.journal.acts import Act
from review.models import GovernanceItem, Privacy
from review.plaintext import WordsUnreadable, words_of
from review.search.index import let_go_of_words

# One quoted passage can stand behind several beliefs. Where another belief says these words itself, its quote gives
# nothing away that is not there anyway.
_QUOTED_ELSEWHERE = f"""
UPDATE review_evidence AS e SET quote = '', span_start = NULL, span_end = NULL
FROM review_governanceitem AS i
WHERE i.id = e.item_id AND e.user_id = %(user)s AND e.item_id <> %(item)s
  AND e.quote <> '' AND position(%(words)s IN e.quote) > 0
  AND (i.privacy = '{Privacy.SECRET}' OR position(%(words)s IN i.text) = 0)
"""


def look_for_copies(user_id: int, items: Sequence[GovernanceItem]) -> Looked:
    """Look through the owner's kept replies for these beliefs, which is slow work: before the clock is taken."""
    return look_through_replies(user_id, holding=_said_by(items))


def forget_copies(current: Act, items: Sequence[GovernanceItem], looked: Looked | None) -> None:
    """Let kept replies and the search index forget these beliefs.

    Args:
        looked: what was found of them before the clock was taken; a belief's reference and words never change.
    """
    forget_replies(current.clock.user_id, holding=_said_by(items), looked=looked)
    let_go_of_words(current.clock)


def unquote_elsewhere(current: Act, item: GovernanceItem) -> None:
    """Empty the quotes behind other beliefs that hold the words of this one."""
    words = _words_of(item)
    if words:
        execute(_QUOTED_ELSEWHERE, {"user": current.clock.user_id, "item": item.pk, "words": words})


def _said_by(items: Sequence[GovernanceItem]) -> list[str]:
    return [text for item in items for text in (item.ref, _words_of(item)) if text]


def _words_of(item: GovernanceItem) -> str:
    """Those of a secret whose key is gone nobody can look for, and it has to be erasable all the same."""
    try:
        return words_of(item)
    except WordsUnreadable:
        return ""
