"""The export as entities: each whole, whatever was read at once, and no more of a belief than its words and a tag."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory import exports
from review import lifecycle
from tests.memory.notes import tell
from tests.review.beliefs import Parties


def entities(parties: Parties) -> list[dict[str, object]]:
    return [json.loads(line) for line in exports.mcp_memory(parties.coder)]


def test_an_entity_of_many_chunks_is_one_line_in_order(parties: Parties, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "_CHUNK", 5)
    for n in range(12):
        tell(parties.coder, f"Ada: said {n}", tags=["mathematician", "person"] if n == 7 else [])
        tell(parties.coder, f"Prefers number {n}")
    found = entities(parties)

    assert [(one["name"], one["entityType"]) for one in found] == [("Ada", "mathematician"), ("alice", "person")]
    said = {str(one["name"]): one["observations"] for one in found}
    assert said == {"Ada": [f"said {n}" for n in range(12)], "alice": [f"Prefers number {n}" for n in range(12)]}


def test_what_is_forgotten_between_its_two_looks_stays_behind(parties: Parties) -> None:
    kept, gone = tell(parties.coder, "Ada: was kept"), tell(parties.coder, "Ada: was forgotten")
    lines = exports.mcp_memory(parties.coder)
    assert kept.ref != gone.ref
    original = exports._words

    def words(ids: list[int], rows: exports.Rows) -> object:
        lifecycle.forget(principal=parties.person, reference=gone.ref)
        return original(ids, rows)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exports, "_words", words)
        assert json.loads("".join(lines))["observations"] == ["was kept"]


def test_three_statements_are_enough(parties: Parties) -> None:
    for n in range(20):
        tell(parties.coder, f"Ada: said {n}", tags=["person"])
    with CaptureQueriesContext(
        connection,
    ) as asked:
        entities(parties)

    assert len(asked) == 3
    assert not any("review_evidence" in query["sql"] for query in asked)
