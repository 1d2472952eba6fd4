"""What deleting a conversation or erasing an agent means for beliefs: those that only it could read go, or come before
the owner; of others a label stays."""

from collections.abc import Callable, Sequence

from django.db.models import Q
from django.utils.translation import ngettext

from conversations.erasers import erases_conversation
from conversations.models import Conversation
from pawflow_web.identity.erasers import Leaving, erases_agent, holding_of_agents
from pawflow_web.identity.models import Agent
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import execute
from review.journal.acts import Act, act
from review.lifecycle.copies import look_for_copies
from review.lifecycle.erasing import erase_items
from review.lifecycle.leaving import hand_to_owner
from review.models import Evidence, GovernanceItem, ImportJob, UseEvent
from review.querysets import ItemQuerySet

# The owner's clock is not held longer than for so many at once.
SLICE = 50
# Kept replies are looked through once for so many.
ROUND = 1000

# Evidence and uses that let go of the conversation in one statement.
LABELS = 5000

# The party said it on that day already, outside of any conversation: one voice a day is kept.
_SAID_OUTSIDE_TOO = """
DELETE FROM review_evidence AS e WHERE e.id = ANY(%(ids)s) AND EXISTS (
  SELECT 1 FROM review_evidence AS other
  WHERE other.item_id = e.item_id AND other.principal = e.principal AND other.day = e.day
    AND other.conversation_id IS NULL)
"""
_LABEL_ONLY = """
UPDATE review_evidence SET conversation_id = NULL, quote = '', span_start = NULL, span_end = NULL
WHERE id = ANY(%(ids)s)
"""


@erases_conversation("beliefs")
def erase_beliefs(principal: Principal, conversation: Conversation) -> bool:
    """Purge what only this conversation could read, a part of it at once. Its words may be said again elsewhere."""
    if _purge_some(principal, Q(scope_conversation=conversation)):
        return True
    _let_go_of_uses(Q(conversation=conversation), conversation=None)
    while _forget_where_it_was_said(principal, conversation):
        pass
    return False


@erases_agent("beliefs")
def let_beliefs_go(leaving: Leaving) -> bool:
    """Purge what only this agent could read, or bring it before the owner, a part of it at once."""
    theirs = Q(scope_agent=leaving.agent)
    some = _purge_some if leaving.purge else _hand_over_some
    if some(leaving.principal, theirs):
        return True
    _let_go_of_uses(Q(agent=leaving.agent), agent=None)
    while _forget_by_whom_it_was_said(leaving):
        pass
    ImportJob.objects.filter(agent=leaving.agent).update(agent=None)
    return False


@holding_of_agents("beliefs")
def _beliefs_of(agent: Agent) -> str:
    number = GovernanceItem.objects.filter(scope_agent=agent).count()
    words = ngettext("%d belief that only it could read", "%d beliefs that only it could read", number)
    return words % number if number else ""


def _purge_some(principal: Principal, whose: Q) -> bool:
    """Returns whether there was any."""
    items = list(_beliefs(principal, whose).only("ref", "text", "privacy")[:ROUND])
    if not items:
        return False
    looked = look_for_copies(principal.user_id, items)

    def erase(current: Act, found: Sequence[GovernanceItem]) -> None:
        erase_items(current, found, looked)

    for start in range(0, len(items), SLICE):
        _decide(principal, whose, items[start : start + SLICE], erase)
    return True


def _hand_over_some(principal: Principal, whose: Q) -> bool:
    """Returns whether there was any."""
    items = list(_beliefs(principal, whose)[:SLICE])
    _decide(principal, whose, items, _hand_over)
    return bool(items)


def _hand_over(current: Act, items: Sequence[GovernanceItem]) -> None:
    for item in items:
        hand_to_owner(current, item)


def _beliefs(principal: Principal, whose: Q) -> ItemQuerySet:
    return GovernanceItem.objects.owned_by(principal.user_id).filter(whose).order_by("pk")


def _decide(
    principal: Principal,
    whose: Q,
    items: Sequence[GovernanceItem],
    do: Callable[[Act, Sequence[GovernanceItem]], None],
) -> None:
    with act(principal) as current, current.decision():
        # One that was moved elsewhere meanwhile stays.
        found = list(GovernanceItem.objects.locked().filter(whose, pk__in=[item.pk for item in items]))
        if found:
            do(current, found)


def _let_go_of_uses(whose: Q, **nobody: None) -> None:
    """Nothing is decided by uses, so they need no clock."""
    uses = UseEvent.objects.filter(whose)
    while uses.filter(pk__in=uses.values("pk")[:LABELS]).update(**nobody):
        pass


def _forget_by_whom_it_was_said(leaving: Leaving) -> bool:
    """A part of the evidence; the agent's name stays as its label. Returns whether there was any."""
    with act(leaving.principal):
        rows = Evidence.objects.filter(agent=leaving.agent)
        return bool(rows.filter(pk__in=rows.values("pk")[:LABELS]).update(agent=None))


def _forget_where_it_was_said(principal: Principal, conversation: Conversation) -> bool:
    """A part of the evidence. Returns whether there was any."""
    with act(principal):
        rows = Evidence.objects.filter(conversation=conversation).order_by("pk")
        ids = list(rows.values_list("pk", flat=True)[:LABELS])
        if ids:
            execute(_SAID_OUTSIDE_TOO, {"ids": ids})
            execute(_LABEL_ONLY, {"ids": ids})
    return bool(ids)
