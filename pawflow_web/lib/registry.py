"""A registry: filled while the apps load, frozen at the start, the same for the rest of the process's life."""

from typing import Generic, TypeVar

Entry = TypeVar("Entry")


class Registry(Generic[Entry]):
    """Named entries of one sort. Two of one name, or one after the start, are mistakes that stop the start."""

    def __init__(self, noun: str) -> None:
        self.noun = noun
        self._entries: dict[str, Entry] = {}
        self._frozen = False

    def add(self, name: str, entry: Entry) -> None:
        if self._frozen:
            raise RuntimeError(f"the {self.noun} {name} came after the start")
        if name in self._entries:
            raise RuntimeError(f"two {self.noun}s are called {name}")
        self.refuse(name, entry)
        self._entries[name] = entry

    def refuse(self, name: str, entry: Entry) -> None:
        """Raises :class:`RuntimeError` for an entry that cannot stand beside those that came before."""

    def freeze(self) -> None:
        self._frozen = True

    def find(self, name: str) -> Entry | None:
        return self._entries.get(name)

    def all(self) -> list[Entry]:
        """In the order in which they came."""
        return list(self._entries.values())

    def items(self) -> list[tuple[str, Entry]]:
        return list(self._entries.items())

    def names(self) -> list[str]:
        return list(self._entries)
