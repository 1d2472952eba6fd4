"""The memory tools of agents, one module per sort."""

from memory.tools import notes

__all__ = ["notes"]
