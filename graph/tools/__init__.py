"""The tools of agents over the knowledge graph."""

from graph.tools import facts, reading, routes, walking

__all__ = ["facts", "reading", "routes", "walking"]
