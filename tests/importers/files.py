"""Files of the MCP memory server, made here."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any


def entity(name: str, observations: Sequence[Any], kind: str | None = "Person", **more: Any) -> dict[str, Any]:
    given = {"type": "entity", "name": name, "entityType": kind, "observations": list(observations), **more}
    return {key: value for key, value in given.items() if value is not None}


def relation(source: str, target: str, kind: str = "knows", **more: Any) -> dict[str, Any]:
    return {"type": "relation", "from": source, "to": target, "relationType": kind, **more}


SMALL = (
    entity("Alice", ["likes oolong tea", "lives in Porto"]),
    entity("Web shop", ["is written in Kotlin", "has 14 tables"], kind="Code Project"),
    entity("Дарья", ["любит шахматы"], kind="Человек"),
)
RELATIONS = (relation("Alice", "Web shop", "maintains"), relation("Дарья", "Nobody", "misses"))
RELATION_TEXTS = {"Alice → maintains → Web shop", "Дарья → misses → Nobody"}
SMALL_TEXTS = {
    "Alice: likes oolong tea",
    "Alice: lives in Porto",
    "Web shop: is written in Kotlin",
    "Web shop: has 14 tables",
    "Дарья: любит шахматы",
}


def lines(records: Iterable[Any]) -> bytes:
    """One record a line, as the server writes them: without a line end after the last."""
    return "\n".join(json.dumps(record, ensure_ascii=False) for record in records).encode()


def many(entities: int, each: int = 10) -> bytes:
    """A file of ``entities * each`` different notes."""
    return lines(
        entity(f"Component {number}", [f"has property {number * each + one} of its own" for one in range(each)])
        for number in range(entities)
    )


def written(folder: Path, content: bytes | Iterable[Any], name: str = "memory.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else lines(content))
    return path
