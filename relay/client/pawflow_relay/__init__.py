"""The client of PawFlow Web for Python programs."""

from .recall import Recall, Walked

__all__ = ["Recall", "Walked"]
