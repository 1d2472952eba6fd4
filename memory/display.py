"""The words a chat shows for the memory tools."""

from collections.abc import Sequence

from review.display.labels import why
from review.display.shape import ItemOut
from review.gate.proposals import Admission
from review.lifecycle import Forgotten
from review.lifecycle.feedback import Vote
from review.models import ArchiveRequest
from review.search.find import Coverage

READERS = {
    "global": "every agent",
    "agent": "this agent",
    "conversation": "this conversation",
    "private": "this agent in this conversation",
}


def remembered(admission: Admission) -> str:
    item = admission.item
    if item is None:
        return "Not stored."
    if admission.outcome == "duplicate":
        return f"Already known as #{item.number}. Nothing was added."
    if admission.status == "active":
        replaced = f" It takes the place of #{admission.superseded[0].number}." if admission.superseded else ""
        return f"Remembered as #{item.number}, for {READERS[item.scope]}.{replaced}"
    return f"Kept as #{item.number}, but it waits for a person: {why(admission.reason)}."


def recalled(items: Sequence[ItemOut], coverage: Coverage) -> str:
    head = "\n".join(f"- {item.text} #{item.number}" for item in items) or "Nothing found."
    return head if coverage.complete else f"{head}\nNot complete: {', '.join(coverage.reasons)}."


def listed(items: Sequence[ItemOut], total: int) -> str:
    shown = "\n".join(f"- {item.text} #{item.number}" for item in items) or "Nothing here."
    return shown if len(items) >= total else f"{shown}\n{len(items)} of {total}."


def forgotten(done: Forgotten) -> str:
    if done.forgotten:
        return f"#{done.item.number} is out of use. A person can bring it back."
    return f"#{done.item.number} stays until a person decides; the request is pending."


def voted(done: Vote) -> str:
    number = done.item.number
    counted = f"{done.helpful} helpful, {done.unhelpful} not"
    if done.item.status == "needs_review":
        return f"Noted for #{number} ({counted}). It waits for a person."
    return f"Noted for #{number} ({counted}). Its confidence is {done.item.confidence / 100:.2f}."


def archive_asked(request: ArchiveRequest) -> str:
    return f"#{request.item.number} stays in use until a person decides; the request is pending."


def duplicates(count: int, *, exact: bool) -> str:
    if exact:
        return "Known already."
    return f"Not known; {count} similar." if count else "Not known."
