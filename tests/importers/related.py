"""Files with relations, what an import says of them, and what the graph then says."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from graph.facts.hubs import hubs
from graph.facts.reading import about
from graph.facts.walking import walk
from memory.importers.run import import_file
from pawflow_web.identity.principal import Principal
from review.models import GovernanceItem
from tests.importers.files import RELATIONS, SMALL, relation

FILE = (*SMALL, *RELATIONS)
MAINTAINS, MISSES = (f"{one['from']} → {one['relationType']} → {one['to']}" for one in RELATIONS)
# None of them can be a fact.
BAD = (
    relation("A" * 201, "Bob"),
    relation("Alice", "b" * 5_000_000),
    relation("Alice", "Bob", "k" * 81),
    relation("...", "Bob"),
    relation("Alice", "!!!"),
    relation("Alice", "Bob", "--"),
    relation("A → B", "Bob"),
    relation("Alice", "half a character \ud800"),
)


def bring(path: Path, **more: Any) -> dict[str, Any]:
    return import_file(**{"format_name": "mcp-memory", "path": path, "owner": "alice", **more}).value()


def item(text: str) -> GovernanceItem:
    return GovernanceItem.objects.for_display().get(text=text)


def counts(report: dict[str, Any]) -> tuple[int, ...]:
    return tuple(report["items"].values())


def ascii_lines(records: Iterable[Any]) -> bytes:
    """Half a character can stand in a file only as JSON writes it."""
    return "\n".join(json.dumps(record) for record in records).encode()


def told(principal: Principal, name: str) -> set[str]:
    """Facts about an entity, by asking for it and by walking from it, which must say the same."""
    asked = about(principal=principal, name=name).page.rows
    walked = walk(principal=principal, question=name, depth=1).edges
    assert {row.ref for row in asked} == {fact.ref for fact, _hop in walked}
    return {row.text for row in asked}


def connected(principal: Principal) -> set[str]:
    return {hub.entity for hub in hubs(principal=principal, limit=10)}
