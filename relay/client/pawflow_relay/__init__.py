"""The client of PawFlow Web for Python programs."""

from .recall import Recall, Refused, Walked

__all__ = ["Recall", "Refused", "Walked"]
