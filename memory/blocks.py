"""The blocks of an agent's context that hold beliefs."""

from memory.context import digest, relevant
from memory.context.scoped import scoped_view
from pawflow_web.identity.models import Agent, MemoryRender
from pawflow_web.lib.blocks import Ask, Content, block


@block("persistent_memory", title=digest.TITLE, place="turn", cap=digest.MOST_CHARS)
def persistent_memory(ask: Ask) -> Content | None:
    """In the form that the agent's owner chose for it."""
    if _render_of(ask) == MemoryRender.SCOPED:
        view = scoped_view(ask)
        return view.content() if view.sections else None
    return digest.digest(ask)


@block(
    "relevant_memories",
    title="Memories relevant to this turn",
    place="turn",
    cap=relevant.MOST_CHARS,
    deadline_ms=relevant.DEADLINE_MS,
)
def relevant_memories(ask: Ask) -> Content | None:
    return relevant.relevant(ask)


def _render_of(ask: Ask) -> str:
    if ask.principal.agent_id is None:
        return MemoryRender.DIGEST
    render = Agent.objects.filter(pk=ask.principal.agent_id).values_list("memory_render", flat=True).first()
    return render or MemoryRender.DIGEST
