"""``manage.py owner`` and ``manage.py token`` as programs read them."""

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from pawflow_web.identity.auth import principal_of_token
from pawflow_web.identity.models import Agent, User
from pawflow_web.identity.services import use_sign_in_link
from pawflow_web.lib.errors import Unauthenticated


def run(*arguments: str) -> Any:
    """The JSON on standard output, which holds nothing else."""
    out = io.StringIO()
    call_command(*arguments, "--json", stdout=out)
    return json.loads(out.getvalue())


def refused(*arguments: str) -> dict[str, Any]:
    out = io.StringIO()
    with pytest.raises(SystemExit) as left:
        call_command(*arguments, "--json", stdout=out)
    assert left.value.code == 1
    body: dict[str, Any] = json.loads(out.getvalue())
    return body


@pytest.mark.django_db
def test_owner_create_gives_a_link_that_signs_in() -> None:
    made = run("owner", "create", "bob")

    assert list(made) == ["owner", "created", "login_url", "expires_at"]
    assert (made["owner"], made["created"]) == ("bob", True)
    user = use_sign_in_link(made["login_url"].rsplit("/", 1)[1])
    assert user is not None
    assert user.username == "bob"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "code"), [("bob", "conflict"), ("b ob", "invalid"), ("", "invalid"), ("x" * 65, "invalid")]
)
def test_owner_create_refuses_taken_and_odd_names(name: str, code: str) -> None:
    run("owner", "create", "bob")

    assert refused("owner", "create", name)["error"]["code"] == code


@pytest.mark.django_db
def test_owner_link_and_list(alice: User) -> None:
    link = run("owner", "link", "alice")

    assert (link["owner"], link["created"]) == ("alice", False)
    assert [row["owner"] for row in run("owner", "list")["items"]] == ["alice"]
    assert run("owner", "list")["next"] is None
    assert refused("owner", "link", "nobody")["error"]["code"] == "not_found"


@pytest.mark.django_db
def test_token_create_makes_the_agent_and_a_token_that_works(alice: User) -> None:
    made = run(
        "token",
        "create",
        "alice",
        "--agent",
        "coder",
        "--origin",
        "user_channel",
        "--abilities",
        "read,write",
    )

    assert list(made) == ["token", "id", "owner", "agent", "origin", "abilities", "expires_at", "created_at"]
    principal = principal_of_token(f"Bearer {made['token']}")
    assert (principal.agent_name, principal.is_user_channel, principal.abilities) == (
        "coder",
        True,
        frozenset({"read", "write"}),
    )
    assert Agent.objects.get().name == "coder"


@pytest.mark.django_db
def test_a_token_without_origin_says_so_and_one_without_agent_is_the_persons(alice: User) -> None:
    unknown = run("token", "create", "alice", "--agent", "coder", "--abilities", "read")
    person = run("token", "create", "alice", "--abilities", "read,write,review")

    assert unknown["origin"] is None
    assert (person["agent"], person["origin"]) == (None, "user_channel")
    assert principal_of_token(f"Bearer {person['token']}").is_person
    assert (
        refused("token", "create", "alice", "--agent", "coder", "--abilities", "review")["error"]["code"] == "invalid"
    )
    assert refused("token", "create", "nobody", "--abilities", "read")["error"]["code"] == "not_found"


@pytest.mark.django_db
def test_token_list_and_revoke(alice: User) -> None:
    made = run("token", "create", "alice", "--agent", "coder", "--abilities", "read", "--expires", "3")
    row = run("token", "list", "alice")["items"][0]

    assert row["id"] == made["id"]
    assert row.keys() >= {"id", "agent", "origin", "abilities", "expires_at", "last_used_at", "revoked_at"}
    assert run("token", "revoke", made["id"]) == {"id": made["id"], "revoked": True}
    with pytest.raises(Unauthenticated):
        principal_of_token(f"Bearer {made['token']}")
    assert refused("token", "revoke", "0123456789ab")["error"]["code"] == "not_found"


@pytest.mark.django_db
def test_a_person_reads_words_and_errors_go_to_standard_error(alice: User, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("token", "create", "alice", "--agent", "coder")
    assert capsys.readouterr().out.startswith("pf_")

    with pytest.raises(CommandError) as error:
        call_command("owner", "create", "alice")
    assert error.value.returncode == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("owner", "create", "\udcff"), "name"),
        (("owner", "link", "\udcff"), "name"),
        (("agent", "list", "\udcff"), "owner"),
        (("agent", "set", "alice", "\udcff"), "agent"),
        (("token", "create", "\udcff"), "owner"),
        (("token", "create", "alice", "--agent", "\udcff"), "agent"),
        (("token", "create", "alice", "--origin", "\udcff"), "origin"),
        (("token", "create", "alice", "--abilities", "\udcff"), "abilities"),
        (("token", "list", "\udcff"), "owner"),
        (("token", "revoke", "\udcff"), "id"),
        (("import", "markdown", "none.md", "--owner", "\udcff"), "owner"),
        (("import", "markdown", "none.md", "--owner", "alice", "--agent", "\udcff"), "agent"),
        (("review", "list", "\udcff"), "owner"),
        (("review", "list", "alice", "--cursor", "\udcff"), "cursor"),
        (("review", "show", "alice", "\udcff"), "ref"),
        (("review", "accept", "alice", "#1", "--reason", "\udcff"), "reason"),
        (("review", "accept", "alice", "#1", "--demote", "\udcff"), "demote"),
        (("review", "correct", "alice", "#1", "\udcff"), "text"),
        (("review", "end", "alice", "#1", "--at", "\udcff"), "at"),
        (("verify_journal", "--owner", "\udcff"), "owner"),
        (("bench", "retrieval", "\udcff"), "path"),
        (("bench", "retrieval", "none", "--part", "\udcff"), "part"),
        (("bench", "retrieval", "none", "--details", "\udcff"), "details"),
    ],
)
def test_an_argument_that_is_not_utf8_is_refused_in_one_line(
    alice: User, arguments: tuple[str, ...], named: str
) -> None:
    error = refused(*arguments)["error"]
    assert (error["code"], list(error["fields"])) == ("invalid", [named])
    with pytest.raises(CommandError) as told:
        call_command(*arguments)
    assert (told.value.returncode, str(told.value)) == (1, f"{named}: '\\udcff' is not UTF-8.")
