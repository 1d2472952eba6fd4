"""The block of an agent's context that comes from the knowledge graph."""

from graph.facts.hubs import shared_hubs
from graph.facts.newest import newest_facts
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.blocks import Ask, Content, Group, LeftOut, Line, block
from review.models import GovernanceItem

TITLE = "Knowledge graph"
MOST_CHARS = 600
RECENT_MOST = 6
CONNECTED_MOST = 5
# What one fact names connects nothing.
CONNECTED_FROM = 2


@block("knowledge_graph", title=TITLE, place="turn", cap=MOST_CHARS)
def knowledge_graph(ask: Ask) -> Content | None:
    """What most facts name, as it is now, and the facts that came last; None where there are none."""
    rows = newest_facts(ask.principal, limit=RECENT_MOST + 1, at=ask.at)
    if not rows:
        return None
    recent = Group("Recent facts:", tuple(_line(row) for row in rows[:RECENT_MOST]))
    left_out = tuple(LeftOut(row.ref, "limit") for row in rows[RECENT_MOST:])
    line = most_connected(ask.principal) if ask.at is None else None
    connected = (Group("Most connected:", (line,)),) if line else ()
    return Content((*connected, recent), left_out=left_out)


def most_connected(principal: Principal) -> Line | None:
    """``- Lotta Berg (3), Lisbon (2)``"""
    found = [hub for hub in shared_hubs(principal, limit=CONNECTED_MOST) if hub.connections >= CONNECTED_FROM]
    words = ", ".join(f"{hub.entity} ({hub.connections})" for hub in found)
    return Line(words, before="- ", tier="KG") if words else None


def _line(item: GovernanceItem) -> Line:
    return Line(
        " ".join(item.text.split()),
        before="- ",
        after=f" #{item.number}",
        item=item.pk,
        ref=item.ref,
        number=item.number,
        revision=item.revision,
    )
