"""Folders that the worker follows: what comes, what goes, what was deleted, and what is only out of reach."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import override_settings
from structlog.testing import capture_logs

from conversations.models import Session, SessionGone
from conversations.sessions import watching
from pawflow_web.identity.models import User
from tests.recall.asking import recall
from tests.recall.pi_lines import talk
from tests.surfaces.conftest import Rest


def test_the_worker_follows_a_folder(tmp_path: Path, alice: User, agent: Rest) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(talk("the heron", name="a"))
    (tmp_path / "b.jsonl").write_bytes(talk("the robin", name="b"))
    env = replace(settings.ENV, sessions_dirs=(tmp_path,), owner=alice.username)
    with override_settings(ENV=env):
        watching.look(float("inf"))
        assert recall(agent, query="heron robin")["total"] == 2
        path.write_bytes(talk("the heron", "the wren", name="a"))
        watching.look(float("inf"))
        assert recall(agent, query="wren")["total"] == 1
        path.unlink()
        watching.look(float("inf"))
        answer = recall(agent, query="wren")
        assert (answer["total"], answer["coverage"]["reasons"]) == (1, ["source_unavailable"])
        watching.look(float("inf"))
        assert recall(agent, query="wren")["total"] == 0
        (tmp_path / "b.jsonl").rename(tmp_path / "away")
        path.write_bytes(talk("the wren is back", name="a"))
        watching.look(float("inf"))
        assert recall(agent, query="robin")["coverage"]["reasons"] == ["source_unavailable"]
        (tmp_path / "away").rename(tmp_path / "b.jsonl")
        for _ in range(2):
            watching.look(float("inf"))
        assert recall(agent, query="robin")["coverage"]["complete"]
        path.unlink()
        # An empty folder is one that is not mounted.
        (tmp_path / "b.jsonl").unlink()
        watching.look(float("inf"))
        watching.look(float("inf"))
        assert recall(agent, query="robin")["total"] == 1


@pytest.fixture
def watched(tmp_path: Path, alice: User) -> Iterator[Path]:
    """A folder that is followed, with something beside what a test is about."""
    (tmp_path / "other.jsonl").write_bytes(talk("the robin", name="other"))
    with override_settings(ENV=replace(settings.ENV, sessions_dirs=(tmp_path,), owner=alice.username)):
        yield tmp_path


def test_what_was_deleted_comes_from_its_folder_no_more(watched: Path, agent: Rest, person: Rest, alice: User) -> None:
    path = watched / "a.jsonl"
    path.write_bytes(talk("the heron", name="a"))
    watching.look(float("inf"))
    ref = recall(agent, query="heron")["hits"][0]["follow"]["args"]["session"]
    person.delete(f"/sessions/{Session.objects.get(path=ref).ref}")
    for data in (talk("the heron", name="a"), talk("the heron", "again", name="a")):
        path.write_bytes(data)
        watching._seen.stamps.clear()
        watching.look(float("inf"))
        assert recall(agent, query="heron")["total"] == 0
    assert not any(str(path) in str(row) for row in SessionGone.objects.values())
    # Somebody who brings it means it.
    call_command("import", "sessions", str(path), "--owner", alice.username)
    assert recall(agent, query="heron")["total"] == 1


def test_of_an_export_in_a_folder_one_deleted_part_stays_away(watched: Path, agent: Rest, person: Rest) -> None:
    chats = [
        {"uuid": name, "name": name, "chat_messages": [{"uuid": "m", "sender": "human", "text": f"the {name}"}]}
        for name in ("heron", "wren")
    ]
    path = watched / "conversations.json"
    path.write_text(json.dumps(chats))
    watching.look(float("inf"))
    person.delete(f"/sessions/{Session.objects.get(path__endswith='#heron').ref}")
    path.write_text(json.dumps(chats, indent=1))
    watching.look(float("inf"))
    assert (recall(agent, query="heron")["total"], recall(agent, query="wren")["total"]) == (0, 1)


def test_a_folder_that_is_not_there_is_told_once(watched: Path, alice: User) -> None:
    nowhere = watched / "nowhere"
    env = replace(settings.ENV, sessions_dirs=(nowhere,), owner=alice.username)
    with override_settings(ENV=env), capture_logs() as logs:
        for _ in range(3):
            watching.look(float("inf"))
        told = [line for line in logs if line["event"] == "sessions_folder_not_there"]
        assert [line["folder"] for line in told] == [str(nowhere)]
        # Once more when it was there meanwhile.
        nowhere.mkdir()
        watching.look(float("inf"))
        nowhere.rmdir()
        watching.look(float("inf"))
    assert len([line for line in logs if line["event"] == "sessions_folder_not_there"]) == 2


def _empty(folder: Path) -> None:
    (folder / "a.jsonl").unlink()


def _become_a_link(folder: Path) -> None:
    elsewhere = folder.parent.parent / f"{folder.parent.name}-elsewhere"
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)


@pytest.mark.parametrize("leave", [_empty, _become_a_link])
def test_what_a_folder_that_is_away_held_stays(watched: Path, agent: Rest, leave: Callable[[Path], None]) -> None:
    folder = watched / "deep"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(talk("the heron", name="a"))
    watching.look(float("inf"))
    leave(folder)
    for _ in range(3):
        watching.look(float("inf"))
        answer = recall(agent, query="heron")
        assert (answer["total"], answer["coverage"]["reasons"]) == (1, ["source_unavailable"])
    # Gone with all of its folder, it is deleted.
    if folder.is_symlink():
        folder.unlink()
    else:
        folder.rmdir()
    for _ in range(2):
        watching.look(float("inf"))
    assert recall(agent, query="heron")["total"] == 0


def test_a_file_that_was_also_imported_stays_away_once_deleted(
    watched: Path, agent: Rest, person: Rest, alice: User
) -> None:
    path = watched / "a.jsonl"
    path.write_bytes(talk("the heron", name="a"))
    call_command("import", "sessions", str(path), "--owner", alice.username)
    person.delete(f"/sessions/{Session.objects.get(path=str(path)).ref}")
    watching.look(float("inf"))
    assert (recall(agent, query="heron")["total"], recall(agent, query="robin")["total"]) == (0, 1)
