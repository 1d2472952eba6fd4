"""The tools of this app."""

from conversations.tools import history, recall, routes, search

__all__ = ["history", "recall", "routes", "search"]
