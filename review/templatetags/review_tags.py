"""Tags of the review queue."""

from django import template

from review.pages.item import actions
from review.queue.waiting import Wanted

register = template.Library()
register.simple_tag(actions.row_actions)


@register.simple_tag
def review_query(wanted: Wanted, after: int = 0, item: object = "") -> str:
    """``?reason=…&after=…&item=…``: the queue as it is narrowed now, from ``after`` on, with ``item`` in front."""
    return wanted.query(after=after, item=item)
