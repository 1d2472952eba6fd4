"""When an agent uses the tools of this app."""

from pawflow_web.lib.selection import route

route(
    "past conversations",
    family="cognition",
    tools=("conversation_search", "search_conversation_history", "read_turn"),
    use_when="what was actually said, here or elsewhere, when no memory holds it; read a hit before you use it.",
    not_for="what is believed: recall that.",
    order=20,
)
route(
    "exact recall",
    family="cognition",
    tools=("memory_recall", "memory_expand", "memory_sessions"),
    use_when="exact words, commands, files and failures of past sessions; follow a hit with call.",
    not_for="questions in everyday words.",
    order=25,
)
