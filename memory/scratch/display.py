"""The words a chat shows of scratch notes."""

from memory.models import ScratchNote
from memory.scratch.reading import PREFIX, NotePage, first_line


def created(note: ScratchNote) -> str:
    return f"Noted: {line(note)}"


def updated(note: ScratchNote) -> str:
    return f"Now: {line(note)}"


def deleted(note: ScratchNote) -> str:
    return f"Deleted: {line(note)}"


def cleared(number: int) -> str:
    return f"{number} {'note' if number == 1 else 'notes'} deleted."


def whole(note: ScratchNote) -> str:
    return f"{line(note)}\n{note.content}"


def listed(page: NotePage) -> str:
    shown = "\n".join(f"- {line(note)}: {first_line(note)}" for note in page.notes) or "No note."
    return shown if len(page.notes) >= page.total else f"{shown}\n{len(page.notes)} of {page.total}."


def line(note: ScratchNote) -> str:
    return f"{note.topic} {PREFIX}{note.ref}"
