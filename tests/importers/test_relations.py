"""Relations of a file: facts that wait in review, and what is in the graph before and after a person decides."""

from pathlib import Path

import pytest
from django.utils import timezone

from graph.facts.reading import about
from graph.models import Entity, EntityName, Triple
from pawflow_web.identity.models import Agent, User
from pawflow_web.lib.errors import Conflict
from review.display.shape import present
from review.journal.chain import verify
from review.lifecycle import accept, reject
from review.models import Evidence, GovernanceItem, ImportJob, ImportState
from tests.factories import make_owner, make_person, make_principal
from tests.importers.files import RELATION_TEXTS, RELATIONS, SMALL, SMALL_TEXTS, entity, relation, written
from tests.importers.related import BAD, FILE, MAINTAINS, MISSES, ascii_lines, bring, connected, counts, item, told
from tests.importers.test_import import rows_of_every_table

# --- on the way in ------------------------------------------------------------------------------------------------


def test_relations_wait_as_facts_beside_the_notes_and_nobody_is_in_the_graph(alice: User, tmp_path: Path) -> None:
    report = bring(written(tmp_path, FILE))

    assert report["records"] == {"read": 5, "entities": 3, "relations": 2, "bad": 0}
    assert (counts(report), report["waiting"]) == ((7, 7, 0, 0, 0), {"relation": 0})
    rows = GovernanceItem.objects.all()
    assert {row.text: row.kind for row in rows} == {
        **dict.fromkeys(SMALL_TEXTS, "note"),
        **dict.fromkeys(RELATION_TEXTS, "fact"),
    }
    assert {(row.status, row.reason, row.origin, row.scope) for row in rows} == {
        ("needs_review", "import_review", "importer", "global")
    }
    assert set(Triple.objects.values_list("subject_name", "predicate", "object_name", "live")) == {
        ("Alice", "maintains", "Web shop", False),
        ("Дарья", "misses", "Nobody", False),
    }
    assert not Entity.objects.exists()
    assert not EntityName.objects.exists()
    assert not GovernanceItem.objects.recallable(make_principal(alice)).exists()
    assert verify(alice).ok


def test_the_evidence_of_a_fact_names_file_line_and_words(alice: User, tmp_path: Path) -> None:
    bring(written(tmp_path, FILE, name="notes.json"))

    evidence = Evidence.objects.get(item__text=MAINTAINS)
    assert (evidence.principal, evidence.file, evidence.line, evidence.quote) == (
        "import:notes.json",
        "notes.json",
        4,
        "Alice maintains Web shop",
    )
    shown = present(item(MAINTAINS))
    assert (shown.kind, shown.source.type, shown.source.line) == ("fact", "import", 4)


def test_relations_that_say_the_same_are_one_fact(alice: User, tmp_path: Path) -> None:
    same = [
        relation("Alice", "Web shop", "works on"),
        relation(" ALICE ", "web  shop", "Works-On"),
        {"from_entity": "Alice", "to_entity": "Web shop", "relation_type": "works_on"},
        # the other way round, and another predicate
        relation("Web shop", "Alice", "works on"),
        relation("Alice", "Web shop", "works in"),
        relation("Alice", "Alice", "works on"),
    ]
    path = written(tmp_path, same)
    dry, report, again = bring(path, dry_run=True), bring(path), bring(path)

    assert counts(dry) == counts(report) == (6, 4, 2, 0, 0)
    assert counts(again) == (6, 0, 6, 0, 0)
    assert Triple.objects.count() == Evidence.objects.count() == 4
    assert item("Alice → works_on → Web shop").evidence.get().line == 1


def test_a_note_and_a_fact_never_meet(alice: User, tmp_path: Path) -> None:
    records = [entity("Alice", ["→ knows → Bob"]), entity("x", [MISSES]), *RELATIONS]
    assert counts(bring(written(tmp_path, records))) == (4, 4, 0, 0, 0)


def test_two_values_where_one_can_hold_both_wait_and_one_takes_the_others_place(alice: User, tmp_path: Path) -> None:
    records = [relation("Alice", "Porto", "lives in"), relation("Alice", "Lyon", "lives in")]
    path = written(tmp_path, records)
    dry, report = bring(path, dry_run=True), bring(path)
    assert counts(dry) == counts(report) == (2, 2, 0, 0, 0)

    person, coder = make_person(alice), make_principal(alice)
    accept(principal=person, reference=item("Alice → lives_in → Porto").ref)
    assert told(coder, "Alice") == {"Alice → lives_in → Porto"}
    with pytest.raises(Conflict, match="accept with demote"):
        accept(principal=person, reference=item("Alice → lives_in → Lyon").ref)
    accept(principal=person, reference=item("Alice → lives_in → Lyon").ref, demote=item("Alice → lives_in → Porto").ref)
    now = about(principal=coder, name="Alice", current=True).page.rows
    assert [row.text for row in now] == ["Alice → lives_in → Lyon"]
    assert verify(alice).ok


@pytest.mark.parametrize("agent", [None, "coder"])
def test_a_dry_run_says_the_same_of_relations_and_writes_nothing(
    alice: User, tmp_path: Path, agent: str | None
) -> None:
    path = written(tmp_path, ascii_lines([*FILE, *BAD, *FILE]))
    before = rows_of_every_table()

    dry = bring(path, agent=agent, dry_run=True)

    assert rows_of_every_table() == before
    real = bring(path, agent=agent)
    assert dry == {**real, "dry_run": True}
    assert counts(real) == (14 + len(BAD), 7, 7, 0, len(BAD))
    again = bring(path, agent=agent, dry_run=True)
    assert counts(again) == counts(bring(path, agent=agent)) == (14 + len(BAD), 0, 14, 0, len(BAD))


def test_an_agent_narrows_facts_as_it_narrows_notes(alice: User, tmp_path: Path) -> None:
    path = written(tmp_path, FILE)
    bring(path, agent="coder")
    coder = Agent.objects.get(user=alice, name="coder")
    assert set(GovernanceItem.objects.values_list("kind", "scope", "scope_agent_id")) == {
        ("note", "agent", coder.pk),
        ("fact", "agent", coder.pk),
    }
    accept(principal=make_person(alice), reference=item(MAINTAINS).ref)

    assert told(make_principal(alice, agent="coder"), "Alice") == {MAINTAINS}
    assert told(make_principal(alice, agent="writer"), "Alice") == set()
    # The same words for everybody are others.
    assert counts(bring(path)) == (7, 7, 0, 0, 0)


def test_owners_do_not_meet_in_the_graph(alice: User, tmp_path: Path) -> None:
    bob = make_owner("bob")
    path = written(tmp_path, FILE)
    for user in (alice, bob):
        assert counts(bring(path, owner=user.username)) == (7, 7, 0, 0, 0)
    accept(principal=make_person(alice), reference=GovernanceItem.objects.get(user=alice, text=MAINTAINS).ref)

    assert connected(make_principal(alice)) == {"Alice", "Web shop"}
    assert connected(make_principal(bob)) == told(make_principal(bob), "Alice") == set()


# --- when a person decides ----------------------------------------------------------------------------------------


def test_an_accepted_relation_is_in_the_graph_at_once_and_a_rejected_one_out_of_it(alice: User, tmp_path: Path) -> None:
    path = written(tmp_path, FILE)
    bring(path)
    person, coder = make_person(alice), make_principal(alice)
    assert told(coder, "Alice") == set()

    accept(principal=person, reference=item(MAINTAINS).ref)

    assert set(Entity.objects.values_list("name", "degree")) == {("Alice", 1), ("Web shop", 1)}
    assert told(coder, "Alice") == told(coder, "Web shop") == {MAINTAINS}
    assert connected(coder) == {"Alice", "Web shop"}
    # What still waits is nowhere.
    assert told(coder, "Дарья") == told(coder, "Nobody") == set()

    reject(principal=person, reference=item(MAINTAINS).ref)

    assert told(coder, "Alice") == told(coder, "Web shop") == set()
    assert connected(coder) == set()
    assert not Entity.objects.exists()
    assert not EntityName.objects.exists()
    dry, again = bring(path, dry_run=True), bring(path)
    assert counts(dry) == counts(again) == (7, 0, 6, 1, 0)
    # Nor in another spelling, nor from another file.
    other = written(tmp_path, [relation("ALICE", "web shop", "Maintains")], name="other.jsonl")
    assert counts(bring(other)) == (1, 0, 0, 1, 0)
    assert item(MAINTAINS).status == "rejected"
    assert told(coder, "Alice") == set()
    assert verify(alice).ok


def test_names_that_the_graph_has_are_found_in_any_spelling(alice: User, tmp_path: Path) -> None:
    bring(written(tmp_path, FILE))
    accept(principal=make_person(alice), reference=item(MAINTAINS).ref)
    more = written(tmp_path, [relation("alice", "WEB SHOP", "founded")], name="more.jsonl")

    assert counts(bring(more)) == (1, 1, 0, 0, 0)
    assert item("Alice → founded → Web shop").status == "needs_review"


def test_a_file_that_an_older_version_brought_gives_its_relations(alice: User, tmp_path: Path) -> None:
    path = written(tmp_path, FILE)
    # As it was left then: every note in review, and a run that is done and counted what it did not read.
    notes = bring(written(tmp_path, SMALL, name=path.with_suffix(".old").name))
    old = ImportJob.objects.get()
    report = {**notes, "records": {**notes["records"], "relations": 2}, "waiting": {"relation": 2}}
    sha256 = bring(path, dry_run=True)["sha256"]
    ImportJob.objects.filter(pk=old.pk).update(reader=1, sha256=sha256, source=path.name, report=report)

    assert counts(bring(path, dry_run=True)) == counts(bring(path)) == (7, 2, 5, 0, 0)

    assert set(GovernanceItem.objects.filter(kind="fact").values_list("text", flat=True)) == RELATION_TEXTS
    assert GovernanceItem.objects.filter(kind="note").count() == 5
    old.refresh_from_db()
    assert old.report == report


def test_a_run_that_an_older_version_was_at_is_begun_anew(alice: User, tmp_path: Path) -> None:
    """It counted notes alone, so where it stopped says nothing here."""
    path = written(tmp_path, [*RELATIONS, *SMALL])
    sha256 = bring(path, dry_run=True)["sha256"]
    ImportJob.objects.create(
        user=alice, format="mcp-memory", reader=1, sha256=sha256, source=path.name, started_at=timezone.now(), decided=2
    )
    report = bring(path)

    assert (counts(report), report["resumed_at_line"]) == ((7, 7, 0, 0, 0), None)
    assert set(ImportJob.objects.values_list("reader", "state")) == {(1, ImportState.FAILED), (2, ImportState.DONE)}
    assert not ImportJob.objects.filter(finished_at=None).exists()
