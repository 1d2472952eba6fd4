"""Exact recall over everything said and done: the contract of `memory_recall`, `memory_sessions`, `memory_expand`."""
