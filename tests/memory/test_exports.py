"""Taking a memory along, in each of its formats."""

import io
import json
from pathlib import Path

import pytest

from memory import exports
from memory.importers.formats.mcp_memory import read
from memory.importers.formats.records import Note, Record
from memory.importers.formats.registry import FORMATS as IMPORTS
from memory.importers.run import import_file
from review import lifecycle
from tests.graph.facts import add
from tests.memory.notes import tell
from tests.review.beliefs import Parties, said, seal
from tests.surfaces.conftest import Asked, Rest

FORMATS = ("jsonl", "markdown", "mcp-memory")


def exported(rest: Rest, name: str) -> Asked:
    reply = rest.get(f"/export?format={name}")
    assert reply.status == 200
    assert "attachment" in reply.headers["content-disposition"]
    return reply


@pytest.mark.parametrize("name", FORMATS)
def test_an_agent_takes_along_what_it_may_recall(parties: Parties, agent: Rest, name: str) -> None:
    tell(parties.coder, "Prefers pytest")
    tell(parties.writer, "Of the writer", scope="agent")
    said(parties.cron, "Waits for review")
    lifecycle.reject(principal=parties.person, reference=tell(parties.coder, "Was rejected").ref)
    words = exported(agent, name).body.decode()

    assert "Prefers pytest" in words
    for hidden in ("Of the writer", "Waits for review", "Was rejected"):
        assert hidden not in words


def test_a_person_takes_everything_along_and_secrets_masked(parties: Parties, person: Rest) -> None:
    tell(parties.writer, "Of the writer", scope="agent")
    said(parties.cron, "Waits for review")
    secret = tell(parties.coder, "The door code is a secret")
    seal(parties, secret)
    lines = [json.loads(line) for line in exported(person, "jsonl").body.decode().splitlines()]
    markdown = exported(person, "markdown").body.decode()

    assert lines[0]["type"] == "header"
    assert lines[0]["items"] == len(lines) - 1 == 3
    assert {line["text"] for line in lines[1:]} == {"Of the writer", "Waits for review", "••••"}
    assert "\n## In use\n" in markdown
    assert "\n## Waiting for review\n\n### Other\n\n- Waits for review\n" in markdown
    assert "- ••••\n" in markdown
    for name in FORMATS:
        assert "door code" not in exported(person, name).body.decode()


def test_as_markdown_each_belief_is_one_item_of_a_list(parties: Parties, agent: Rest) -> None:
    tell(parties.coder, "First line\nsecond line", category="preferences")
    tell(parties.coder, "Moved in June", category="events")
    text = exported(agent, "markdown").body.decode()

    assert "### Preferences\n\n- First line\n  second line\n" in text
    assert "### Events\n\n- Moved in June\n" in text
    assert text.startswith("# Memory of alice\n\nExported ")


def test_what_was_imported_comes_out_as_it_went_in(parties: Parties, agent: Rest) -> None:
    tell(parties.coder, "Ada Lovelace: wrote the first program", tags=["person"])
    tell(parties.coder, "Ada Lovelace: was born in 1815")
    tell(parties.coder, "Prefers pytest")
    body = exported(agent, "mcp-memory").body
    entities = {row["name"]: row for row in map(json.loads, body.decode().splitlines())}

    assert entities["Ada Lovelace"] == {
        "type": "entity",
        "name": "Ada Lovelace",
        "entityType": "person",
        "observations": ["wrote the first program", "was born in 1815"],
    }
    assert entities["alice"]["observations"] == ["Prefers pytest"]
    records = [record for record in read(io.BytesIO(body)) if isinstance(record, Record)]
    notes = [note.text for record in records for note in record.notes if isinstance(note, Note)]
    assert notes == ["alice: Prefers pytest", "Ada Lovelace: wrote the first program", "Ada Lovelace: was born in 1815"]
    assert "mcp-memory" in IMPORTS


def test_facts_come_out_as_relations_and_go_in_as_the_same_facts(parties: Parties, agent: Rest, tmp_path: Path) -> None:
    tell(parties.coder, "Ada Lovelace: wrote the first program")
    for predicate, last in (("works_with", "Charles Babbage"), ("email", "ada@example.org")):
        add(parties.coder, "Ada Lovelace", predicate, last)
    add(parties.writer, "Ada Lovelace", "trusts", "the writer", scope="agent")
    add(parties.cron, "Ada Lovelace", "waits_for", "review")
    path = tmp_path / "memory.jsonl"
    path.write_bytes(exported(agent, "mcp-memory").body)

    assert [json.loads(line) for line in path.read_text().splitlines()][1:] == [
        {"type": "relation", "from": "Ada Lovelace", "to": "Charles Babbage", "relationType": "works_with"},
        {"type": "relation", "from": "Ada Lovelace", "to": "ada@example.org", "relationType": "email"},
    ]
    again = import_file(format_name="mcp-memory", path=path, owner=parties.user.username).value()
    assert (again["items"]["proposed"], again["items"]["duplicates"]) == (3, 3)


def test_more_than_one_part_is_complete_and_in_order(
    parties: Parties, agent: Rest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "_CHUNK", 5)
    monkeypatch.setattr(exports, "_PART_CHARS", 300)
    for n in range(40):
        tell(parties.coder, f"Thing {n % 7}: has the number {n}")
    lines = exported(agent, "mcp-memory").body.decode().splitlines()

    assert [json.loads(line)["name"] for line in lines] == [f"Thing {n}" for n in range(7)]
    assert sum(len(json.loads(line)["observations"]) for line in lines) == 40
    assert exported(agent, "markdown").body.decode().count("\n- Thing") == 40


def test_another_format_is_refused(agent: Rest) -> None:
    assert agent.get("/export?format=pdf").status == 422
