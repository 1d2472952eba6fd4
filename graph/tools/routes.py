"""When an agent uses the tools of the graph."""

from pawflow_web.lib.selection import route

route(
    "knowledge graph",
    family="cognition",
    tools=("kg_add", "kg_query", "kg_invalidate", "kg_timeline", "query_graph", "kg_path", "kg_god_nodes"),
    use_when="who or what is related to what, and since when; to find what hangs together.",
    not_for="beliefs that need a sentence: remember those.",
    order=20,
)
