"""Taking a memory along: everything as JSON lines, as Markdown, or as the file of the MCP memory server.

Row ids are fixed first, so nothing comes twice whatever is written meanwhile; each part is asked for again when its
turn comes, so what was forgotten meanwhile stays behind.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.db.models.functions import Left

from memory.models import Category
from pawflow_web.identity.clock import now
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.periods import iso
from review.display.shape import ItemOut, present_all
from review.models import GovernanceItem, KindName, Status
from review.querysets import ItemQuerySet

_CHUNK = 500
_PART_CHARS = 64_000
Rows = Callable[[], ItemQuerySet]


@dataclass(frozen=True, slots=True)
class Format:
    """How an export is written."""

    lines: Callable[[Principal], Iterator[str]]
    content_type: str
    file_name: str

    def parts(self, principal: Principal) -> Iterator[str]:
        """The whole export in order."""
        return _gathered(self.lines(principal))


# --- everything -----------------------------------------------------------------------------------------------


def json_lines(principal: Principal) -> Iterator[str]:
    """A header, then every belief: of an agent what it may recall, of a person all, secret words masked."""
    ids = list(_open_to(principal).order_by("pk").values_list("pk", flat=True))
    yield _json({"type": "header", "version": 1, "owner": principal.user_name, "at": iso(now()), "items": len(ids)})
    for shown in _shown(ids, lambda: _open_to(principal)):
        yield _json({"type": "item", **shown.model_dump(mode="json")})


# --- for people to read ---------------------------------------------------------------------------------------

_STANDING = {
    Status.ACTIVE: "In use",
    Status.NEEDS_REVIEW: "Waiting for review",
    Status.CANDIDATE: "Waiting for review",
    Status.STALE: "No longer in use",
    Status.SUPERSEDED: "No longer in use",
    Status.REJECTED: "Rejected",
}
_STANDINGS = tuple(dict.fromkeys(_STANDING.values()))
_CATEGORIES = (*(str(category.value) for category in Category), "")


def markdown(principal: Principal) -> Iterator[str]:
    """The same beliefs as lists, by how they stand and by category."""
    rows = _open_to(principal).order_by("pk").values_list("pk", "status", "memory__category")
    places = sorted(
        (_STANDINGS.index(_standing(principal, status)), _CATEGORIES.index(category or ""), pk)
        for pk, status, category in rows
    )
    yield f"# Memory of {principal.user_name}\n\nExported {iso(now())}.\n"
    for standing, of_standing in groupby(places, key=lambda place: place[0]):
        yield f"\n## {_STANDINGS[standing]}\n"
        for category, of_category in groupby(of_standing, key=lambda place: place[1]):
            yield f"\n### {(_CATEGORIES[category] or 'other').title()}\n\n"
            for shown in _shown([pk for *_, pk in of_category], lambda: _open_to(principal)):
                yield "- " + "\n  ".join(line.strip() for line in shown.text.splitlines()) + "\n"


def _standing(principal: Principal, status: str) -> str:
    return _STANDING[Status(status)] if principal.is_person else _STANDINGS[0]


# --- for other programs ---------------------------------------------------------------------------------------

# An observation begins with the name of what it is about; the importer puts it there.
_ABOUT = re.compile(r"([^\n:]{1,100}): (?=\S)")
_ABOUT_MOST = 102
# The words of a belief and its first tag.
_Said = tuple[str, str | None]


def mcp_memory(principal: Principal) -> Iterator[str]:
    """What may reach a prompt, as entities with observations and, of facts, as relations: the format has no word for
    what waits or was rejected."""

    def readable() -> ItemQuerySet:
        return GovernanceItem.objects.recallable(principal).exclude(kind=KindName.FACT)

    entities: dict[str, list[int]] = {}
    for pk, start in readable().order_by("pk").values_list("pk", Left("text", _ABOUT_MOST)):
        entities.setdefault(_about(start), []).append(pk)
    for ids in _together(entities.values()):
        said: dict[str, list[_Said]] = {}
        for text, tag in _words(ids, readable):
            said.setdefault(_about(text), []).append((text, tag))
        for name, of_name in sorted(said.items()):
            yield _json(_entity(name, principal.user_name, of_name))
    yield from _relations(principal)


def _relations(principal: Principal) -> Iterator[str]:
    rows = GovernanceItem.objects.recallable(principal).filter(kind=KindName.FACT).order_by("pk")
    ids = list(rows.values_list("pk", flat=True))
    for start in range(0, len(ids), _CHUNK):
        part = rows.filter(pk__in=ids[start : start + _CHUNK])
        for said in part.values_list("triple__subject_name", "triple__object_name", "triple__predicate"):
            yield _json({"type": "relation", **dict(zip(("from", "to", "relationType"), said, strict=True))})


def _words(ids: Sequence[int], rows: Rows) -> Iterator[_Said]:
    """Those of these ids that are still there, in their order. A whole entity is held at once, so no more of each
    belief than the format takes along."""
    for start in range(0, len(ids), _CHUNK):
        part = rows().filter(pk__in=ids[start : start + _CHUNK]).order_by("pk")
        yield from part.values_list("text", "memory__tags__0")


def _about(text: str) -> str:
    found = _ABOUT.match(text)
    return found[1] if found else ""


def _together(groups: Iterable[Sequence[int]]) -> Iterator[list[int]]:
    """Whole groups, so many at once that it is worth a statement."""
    ids: list[int] = []
    for group in groups:
        ids += group
        if len(ids) >= _CHUNK:
            yield ids
            ids = []
    if ids:
        yield ids


def _entity(name: str, owner: str, said: Sequence[_Said]) -> dict[str, Any]:
    """What names nothing is about the owner."""
    observations = [text[len(name) + 2 :] if name else text for text, _ in said]
    tag = next((tag for _, tag in said if tag), "memory")
    return {
        "type": "entity",
        "name": name or owner,
        "entityType": tag if name else "person",
        "observations": observations,
    }


FORMATS = {
    "jsonl": Format(json_lines, "application/x-ndjson; charset=utf-8", "pawflow-export.jsonl"),
    "markdown": Format(markdown, "text/markdown; charset=utf-8", "pawflow-memory.md"),
    "mcp-memory": Format(mcp_memory, "application/x-ndjson; charset=utf-8", "memory.jsonl"),
}


def _open_to(principal: Principal) -> ItemQuerySet:
    return GovernanceItem.objects.open_to(principal)


def _shown(ids: Sequence[int], rows: Rows) -> Iterator[ItemOut]:
    """Those of these ids that are still there, in their order."""
    for start in range(0, len(ids), _CHUNK):
        part = rows().filter(pk__in=ids[start : start + _CHUNK])
        yield from present_all(list(part.for_display().order_by("pk")))


def _gathered(lines: Iterator[str]) -> Iterator[str]:
    """In parts that are worth a step of their own."""
    part: list[str] = []
    size = 0
    for line in lines:
        part.append(line)
        size += len(line)
        if size >= _PART_CHARS:
            yield "".join(part)
            part, size = [], 0
    yield "".join(part)


def _json(value: dict[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"
