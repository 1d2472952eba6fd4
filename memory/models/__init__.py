from memory.models.note import Category, Durability, Importance, Memory

__all__ = ["Category", "Durability", "Importance", "Memory"]
