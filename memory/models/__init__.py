from memory.models.frozen import FrozenBlock
from memory.models.note import Category, Durability, Importance, Memory

__all__ = ["Category", "Durability", "FrozenBlock", "Importance", "Memory"]
