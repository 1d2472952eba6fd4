"""The memory tools of agents, one module per sort."""

from memory.tools import catalog, listing, notes, semantic, votes

__all__ = ["catalog", "listing", "notes", "semantic", "votes"]
