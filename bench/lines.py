"""What is measured: each line is a name and the calls that it consists of."""

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import quote

from django.urls import Resolver404, resolve

from bench.clients import Case, Request
from bench.loading import SCOPED, Owner

TOOLS = "/api/v1/tools"


@dataclass(frozen=True, slots=True)
class Line:
    """``speaks``: with the token of an agent, or as the person in a browser."""

    name: str
    speaks: Literal["agent", "person"]
    cases: Callable[[Owner, int], list[Case]]


def lines() -> list[Line]:
    """Every line that this version can run; a page that is not built has none."""
    pages = [
        Line("page_memories", "person", _page("/memories")),
        Line("page_review", "person", _page("/review")),
        Line("page_memories_search", "person", _searched_page("/memories")),
    ]
    return [
        Line("health", "agent", _page("/health")),
        Line("remember", "agent", _remember),
        Line("recall_keyword", "agent", _recall_question),
        Line("recall_rare", "agent", _recall_rare),
        Line("recall_after_write", "agent", _recall_after_write),
        Line("recall_browse", "agent", _recall_browse),
        Line("digest", "agent", _page("/api/v1/context")),
        Line("context", "agent", _context),
        Line("context_scoped", "person", _context_scoped),
        Line("memory_md", "agent", _memory_md),
        Line("items_list", "person", _page("/api/v1/items?status=any&limit=50")),
        Line("review_list", "person", _page("/api/v1/review?limit=50")),
        *(line for line in pages if _built("/review" if line.name == "page_review" else "/memories")),
    ]


def lines_by_meaning() -> list[Line]:
    """What is measured where a model is on this machine."""
    return [Line("recall_hybrid", "agent", _recall_hybrid), Line("semantic", "agent", _semantic)]


def _built(path: str) -> bool:
    try:
        resolve(path)
    except Resolver404:
        return False
    return True


def _page(path: str) -> Callable[[Owner, int], list[Case]]:
    return lambda _owner, count: [Case(Request("GET", path))] * count


def _searched_page(path: str) -> Callable[[Owner, int], list[Case]]:
    return lambda owner, count: [
        Case(Request("GET", f"{path}?q={quote(owner.writer.question(text))}")) for text in _texts(owner, count)
    ]


def _remember(owner: Owner, count: int) -> list[Case]:
    notes = [owner.writer.note() for _ in range(count)]
    return [
        Case(tool_request("remember", text=note.text, tags=list(note.tags), category=note.category or None))
        for note in notes
    ]


def _recall_question(owner: Owner, count: int) -> list[Case]:
    return [Case(tool_request("recall", query=owner.writer.question(text))) for text in _texts(owner, count)]


def _recall_hybrid(owner: Owner, count: int) -> list[Case]:
    """The same questions with their meaning, unless that comes too late on a busy machine."""
    return _recall_question(owner, count)


def _semantic(owner: Owner, count: int) -> list[Case]:
    return [Case(tool_request("semantic_recall", query=owner.writer.question(text))) for text in _texts(owner, count)]


def _recall_rare(owner: Owner, count: int) -> list[Case]:
    """A word that few notes have finds the note it was taken from."""
    return [
        Case(tool_request("recall", query=owner.writer.rare_word(text), sort="relevance"), expected='"score":')
        for text in _texts(owner, count)
    ]


def _recall_after_write(owner: Owner, count: int) -> list[Case]:
    """A question about what was said a moment ago; not to find it is a failure of the run."""
    cases = []
    for _ in range(count):
        word, text = owner.writer.new_word(), owner.writer.note().text
        written = tool_request("remember", text=f"{text} {word}")
        asked = tool_request("recall", query=f"What do we know about {word}?")
        cases.append(Case(asked, before=written, expected=json.dumps(word)[1:-1]))
    return cases


def _recall_browse(_owner: Owner, count: int) -> list[Case]:
    return [Case(tool_request("recall"))] * count


def _context(owner: Owner, count: int) -> list[Case]:
    """What an agent asks for before each turn: from its conversation, with the person's words."""
    return [
        Case(Request("GET", f"/api/v1/context?conversation={owner.conversation}&query={quote(question)}"))
        for question in _questions(owner, count)
    ]


def _context_scoped(owner: Owner, count: int) -> list[Case]:
    """The same for the agent whose owner chose the other form."""
    return [Case(replace(case.request, path=f"{case.request.path}&agent={SCOPED}")) for case in _context(owner, count)]


def _memory_md(owner: Owner, count: int) -> list[Case]:
    return [
        Case(Request("GET", f"/api/v1/memory.md?conversation={owner.conversation}&query={quote(question)}"))
        for question in _questions(owner, count)
    ]


def _questions(owner: Owner, count: int) -> list[str]:
    return [owner.writer.question(text) for text in _texts(owner, count)]


def _texts(owner: Owner, count: int) -> Sequence[str]:
    return list(itertools.islice(itertools.cycle(owner.samples), count))


def tool_request(name: str, **arguments: object) -> Request:
    return Request("POST", f"{TOOLS}/{name}", arguments)
