"""The memory tools of agents, one module per sort."""

from memory.tools import catalog, diary, listing, notes, routes, scratch, semantic, todo, votes

__all__ = ["catalog", "diary", "listing", "notes", "routes", "scratch", "semantic", "todo", "votes"]
