"""``manage.py import`` as people and programs meet it."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory.importers.formats.registry import NOT_YET
from pawflow_web.identity.models import User
from review.models import GovernanceItem
from tests.importers.files import RELATIONS, SMALL, written


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def run(*arguments: str, stderr: io.StringIO | None = None) -> tuple[int, str]:
    """Exit code and everything on standard output."""
    out = io.StringIO()
    try:
        call_command("import", *arguments, stdout=out, stderr=stderr or io.StringIO())
    except SystemExit as left:
        return int(left.code or 0), out.getvalue()
    return 0, out.getvalue()


def answer(*arguments: str) -> dict[str, Any]:
    code, out = run(*arguments, "--json")
    assert code == 0, out
    body: dict[str, Any] = json.loads(out)
    return body


def test_the_json_is_alone_on_standard_output(alice: User, tmp_path: Path) -> None:
    path = str(written(tmp_path, SMALL))
    errors = io.StringIO()

    code, out = run("mcp-memory", path, "--owner", "alice", "--dry-run", "--json", stderr=errors)

    assert (code, json.loads(out)["dry_run"], errors.getvalue()) == (0, True, "")
    assert not GovernanceItem.objects.exists()
    assert answer("mcp-memory", path, "--owner", "alice", "--agent", "coder")["agent"] == "coder"


def test_progress_is_for_terminals(alice: User, tmp_path: Path) -> None:
    path = str(written(tmp_path, SMALL))
    terminal = Terminal()

    _, out = run("mcp-memory", path, "--owner", "alice", "--json", stderr=terminal)

    assert json.loads(out)["state"] == "done"
    assert terminal.getvalue().endswith("5 beliefs\n")


def test_bad_records_are_no_failure(alice: User, tmp_path: Path) -> None:
    path = str(written(tmp_path, [*SMALL, *RELATIONS, 5, {"type": "entity"}]))

    assert answer("mcp-memory", path, "--owner", "alice")["errors_total"] == 2
    code, out = run("mcp-memory", path, "--owner", "alice")
    assert code == 0
    assert "0 of 7 beliefs wait in review; 7 were there already" in out
    assert "relations" not in out
    assert "line 6: " in out


@pytest.mark.parametrize("name", NOT_YET)
def test_a_format_that_is_not_built_is_refused_in_one_sentence(alice: User, tmp_path: Path, name: str) -> None:
    path = str(written(tmp_path, SMALL))

    code, out = run(name, path, "--owner", "alice", "--json")

    assert code == 1
    error = json.loads(out)["error"]
    assert list(error) == ["code", "message", "fields"]
    assert error["message"] == f"This version cannot import {name}; it imports mcp-memory, markdown, dump, auto."


def test_an_unreadable_file_is_refused(alice: User, tmp_path: Path) -> None:
    code, out = run("mcp-memory", str(tmp_path / "none"), "--owner", "alice", "--json")
    assert (code, json.loads(out)["error"]["code"]) == (1, "not_found")

    code, out = run("mcp-memory", str(tmp_path), "--owner", "alice", "--json")
    assert (code, json.loads(out)["error"]["code"]) == (1, "invalid")

    with pytest.raises(CommandError) as refused:
        run("mcp-memory", str(tmp_path), "--owner", "alice")
    assert refused.value.returncode == 1


def test_a_format_that_nobody_knows_is_wrong_usage(alice: User, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="invalid choice"):
        run("mcp", str(written(tmp_path, SMALL)), "--owner", "alice")
