"""The blocks of an agent's context that come from this app."""

from memory.context import digest, relevant
from memory.context.scoped import scoped_view
from memory.diary import blocks as diary_blocks
from memory.diary.reflection import BLOCK as REFLECTION
from memory.scratch import blocks as scratch_blocks
from memory.todo import blocks as todo_blocks
from pawflow_web.identity.models import Agent, MemoryRender
from pawflow_web.identity.services import abilities_of
from pawflow_web.lib import selection
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


@block("diary", title=diary_blocks.TITLE, place="turn", cap=diary_blocks.MOST_CHARS)
def diary(ask: Ask) -> Content | None:
    return diary_blocks.latest_entries(ask)


@block(REFLECTION, title=diary_blocks.REFLECTION_TITLE, place="turn", cap=diary_blocks.REFLECTION_CHARS)
def reflection_due(ask: Ask) -> Content | None:
    return diary_blocks.reflection_due(ask)


@block("todo", title=todo_blocks.TITLE, place="turn", cap=todo_blocks.MOST_CHARS)
def todo(ask: Ask) -> Content | None:
    return todo_blocks.todo(ask)


@block("scratch_hint", title=scratch_blocks.TITLE, place="turn", cap=scratch_blocks.MOST_CHARS)
def scratch_hint(ask: Ask) -> Content | None:
    return scratch_blocks.scratch_hint(ask)


@block("tool_selection", title=selection.TITLE, place="system", cap=2000)
def tool_selection(ask: Ask) -> Content | None:
    """It changes with the product alone, so that the beginning of a prompt stays the same."""
    return selection.selection(abilities_of(ask.principal))


def _render_of(ask: Ask) -> str:
    if ask.principal.agent_id is None:
        return MemoryRender.DIGEST
    render = Agent.objects.filter(pk=ask.principal.agent_id).values_list("memory_render", flat=True).first()
    return render or MemoryRender.DIGEST
