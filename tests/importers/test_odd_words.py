"""Words of a file that could spoil an import: days outside every calendar, secrets where tags stand."""

from pathlib import Path

import pytest

from memory.importers.checkup import check_up
from memory.importers.formats import dump, markdown
from memory.importers.formats.dates import iso_date
from memory.importers.formats.mcp_memory import read as read_mcp
from memory.importers.formats.records import Note
from memory.importers.formats.sections import safe_slugs
from memory.importers.run import import_file, place_to_be, proposal_of
from memory.models import Memory
from pawflow_web.identity.auth import principal_of_user
from pawflow_web.identity.models import User
from pawflow_web.identity.services import update_preferences
from review.gate.proposals import Source
from review.models import GovernanceItem
from tests.factories import GITHUB_TOKEN
from tests.importers.files import entity, lines, written
from tests.importers.reading import full

# --- days ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("day", ["0001-01-01", "0001-12", "9999-12-31", "9999-01", "May 3, 0001"])
def test_a_day_that_some_time_zone_does_not_have_is_none(day: str) -> None:
    assert iso_date(day) == ""
    assert iso_date(day.replace("0001", "0002").replace("9999", "9998")) != ""


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Pacific/Kiritimati"])
def test_the_first_day_of_the_calendar_costs_no_import(alice: User, tmp_path: Path, zone: str) -> None:
    update_preferences(user=alice, time_zone=zone)
    text = "- [0001-01-01] likes tea\n- [0002-01-01] likes rye\n- [9998-12-31] likes oats\n- likes milk\n"
    path = written(tmp_path, f"---\ndate: 0001-01-01\n---\n{text}".encode(), name="notes.md")

    for dry in (True, False):
        report = import_file(format_name="markdown", path=path, owner="alice", dry_run=dry).value()
        assert report["items"] == {
            "proposed": 4, "needs_review": 4, "duplicates": 0, "tombstoned": 0, "invalid": 0,
        }  # fmt: skip
    assert GovernanceItem.objects.filter(user=alice).count() == 4


def test_a_note_that_cannot_be_proposed_is_one_that_is_invalid(
    alice: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a reader should let through."""
    place, note = place_to_be(alice, None), Note("likes tea", since="0001-01-01")
    assert proposal_of(note, place, principal_of_user(alice), Source())[1] is None
    update_preferences(user=alice, time_zone="Europe/Berlin")
    proposal, fault = proposal_of(note, place, principal_of_user(User.objects.get()), Source())
    assert (proposal.text, fault) == ("", ("invalid", "this cannot be stored as it is; it was left out"))

    monkeypatch.setattr("memory.importers.formats.dates._YEARS_AT_THE_ENDS", frozenset())
    path = written(tmp_path, b"- likes rye\n- [0001-01-01] likes tea\n- likes milk\n", name="notes.md")
    report = import_file(format_name="markdown", path=path, owner="alice").value()
    with path.open("rb") as stream:
        found = check_up(User.objects.get(), stream, name="notes.md", format_name="markdown")

    assert report["state"] == "done"
    assert (report["items"]["needs_review"], report["items"]["invalid"]) == (2, 1)
    assert [(error["line"], error["code"]) for error in report["errors"]] == [(2, "invalid")]
    assert [line for line, _ in found.faults] == [2]


# --- tags ---------------------------------------------------------------------------------------------------------


def test_a_secret_becomes_no_tag_of_any_format() -> None:
    heads = [f"tags: [shop, {GITHUB_TOKEN}]", f"tags:\n  - shop\n  - '#{GITHUB_TOKEN}'"]
    for head in heads:
        assert full(markdown.read, f"---\n{head}\n---\n- likes tea\n")[0].tags == ("shop",)
    array = f'[{{"text": "likes tea", "tags": ["shop", "{GITHUB_TOKEN}", 5, "Web Shop"]}}]'
    assert full(dump.read, array)[0].tags == ("shop", "web-shop")
    records = [entity("Ada", ["likes tea"], kind=kind) for kind in (GITHUB_TOKEN, "Person", GITHUB_TOKEN, "Person")]
    assert [note.tags for note in full(read_mcp, lines(records))] == [(), ("person",), (), ("person",)]


def test_a_secret_among_the_tags_is_nowhere_in_the_memory(alice: User, tmp_path: Path) -> None:
    path = written(tmp_path, lines([entity("Ada", ["likes tea"], kind=GITHUB_TOKEN), entity("Bo", ["likes rye"])]))
    import_file(format_name="mcp-memory", path=path, owner="alice")

    assert sorted(Memory.objects.values_list("tags", flat=True)) == [[], ["person"]]
    assert set(GovernanceItem.objects.values_list("privacy", flat=True)) == {"normal"}


def test_of_endless_tags_the_first_are_looked_at() -> None:
    assert len(safe_slugs(f"tag {n}" for n in range(1_000_000))) == 100
