"""When an agent uses the tools of this app."""

from pawflow_web.lib.selection import route

route(
    "memory",
    family="cognition",
    tools=("remember", "recall", "semantic_recall", "forget", "check_duplicate"),
    use_when="facts, preferences, decisions and lessons that stay true; recall before saying that you do not know.",
    not_for="what is to be done or will expire.",
    order=10,
)
route(
    "diary",
    family="cognition",
    tools=("diary_write", "diary_read"),
    use_when="what you learned about your own work, in the first person.",
    not_for="facts that others need: remember those.",
    order=30,
)
route(
    "to-do list",
    family="cognition",
    tools=("todolist",),
    use_when="what must be finished, with its state and what it waits for.",
    not_for="evidence or lessons.",
    order=40,
)
route(
    "scratch notes",
    family="cognition",
    tools=("scratchpad",),
    use_when="evidence and drafts that should expire; update a note rather than write it twice.",
    not_for="what must last.",
    order=50,
)
