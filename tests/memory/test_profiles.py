"""What an owner lets an agent do: by the command, and by narrowing single calls."""

import io
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from pawflow_web.identity.models import User
from pawflow_web.identity.services import update_agent
from review.models import GovernanceItem
from tests.factories import AUTOMATION, make_token
from tests.memory.notes import tell
from tests.review.beliefs import Parties
from tests.surfaces.conftest import Rest
from tests.surfaces.test_commands import refused, run

pytestmark = pytest.mark.usefixtures("unhurried")


def context(rest: Rest, query: str = "") -> dict[str, Any]:
    reply = rest.get(f"/context{query}")
    assert reply.status == 200, reply.body
    answer: dict[str, Any] = reply.json
    return answer


@pytest.fixture
def coder(alice: User) -> Rest:
    return Rest(make_token(alice, agent="coder"))


def test_the_command_changes_what_is_given_and_leaves_the_rest(alice: User, coder: Rest) -> None:
    changed = run("agent", "set", "alice", "coder", "--profile", "demo", "--reads-sensitive", "yes")
    again = run("agent", "set", "alice", "coder", "--render", "scoped")

    assert {key: changed[key] for key in ("agent", "profile", "render", "reads_sensitive")} == {
        "agent": "coder", "profile": "demo", "render": "digest", "reads_sensitive": True,
    }  # fmt: skip
    assert (again["profile"], again["render"], again["reads_sensitive"]) == ("demo", "scoped", True)
    make_token(alice, agent="another")
    assert [row["agent"] for row in run("agent", "list", "alice")["items"]] == ["another", "coder"]
    assert run("agent", "set", "alice", "coder", "--reads-sensitive", "no")["reads_sensitive"] is False


@pytest.mark.parametrize(("owner", "agent"), [("nobody", "coder"), ("alice", "nobody"), ("bob", "coder")])
def test_the_command_refuses_what_is_not_there(alice: User, bob: User, coder: Rest, owner: str, agent: str) -> None:
    assert refused("agent", "set", owner, agent, "--profile", "demo")["error"]["code"] == "not_found"
    if owner == "nobody":
        assert refused("agent", "list", owner)["error"]["code"] == "not_found"


@pytest.mark.parametrize("wrong", [("--profile", "royal"), ("--render", "round"), ("--reads-sensitive", "maybe")])
def test_the_command_names_its_choices(alice: User, coder: Rest, wrong: tuple[str, str]) -> None:
    with pytest.raises((CommandError, SystemExit)):
        call_command("agent", "set", "alice", "coder", *wrong)


def test_without_json_it_says_it_in_a_line(alice: User, coder: Rest) -> None:
    out = io.StringIO()
    call_command("agent", "set", "alice", "coder", "--reads-sensitive", "yes", stdout=out)

    assert out.getvalue().split() == ["coder", "assistant", "digest", "reads", "what", "is", "personal"]


def test_a_call_may_count_its_words_as_an_automations_and_never_as_more(alice: User, coder: Rest) -> None:
    def status(rest: Rest, text: str, **headers: str) -> Any:
        return rest.post("/tools/remember", {"text": text}, **headers).json["status"]

    nightly = Rest(make_token(alice, agent="nightly", origin=AUTOMATION))
    narrowed = {"X-PawFlow-Origin": "automation"}

    assert status(coder, "Said by a person") == "active"
    assert status(coder, "Said by a job of the person", **narrowed) == "needs_review"
    assert status(nightly, "Said by a job", **narrowed) == "needs_review"
    for value in ("user_channel", "person", ""):
        reply = coder.post("/tools/remember", {"text": "Said by nobody"}, **{"X-PawFlow-Origin": value})
        assert reply.status == 422
        assert list(reply.error["fields"]) == ["X-PawFlow-Origin"]
        assert nightly.post("/tools/remember", {"text": "More"}, **{"X-PawFlow-Origin": value}).status == 422


# --- profiles -------------------------------------------------------------------------------------------------


def test_a_secure_agent_gets_nothing_and_can_still_recall(alice: User, parties: Parties, person: Rest) -> None:
    tell(parties.coder, "Prefers pytest")
    update_agent(user=alice, name="coder", profile="secure")
    secure = Rest(make_token(alice, agent="coder"))

    for answer in (context(secure, "?query=pytest&explain=1"), context(person, "?agent=coder&query=pytest&explain=1")):
        assert (answer["system"], answer["text"], answer["chars"], answer["blocks"]) == ("", "", 0, [])
    assert secure.get("/memory.md").body == b""
    found = secure.post("/tools/recall", {"query": "pytest"}).json["items"]
    assert [item["text"] for item in found] == ["Prefers pytest"]
    assert secure.post("/tools/remember", {"text": "Likes bread"}).json["status"] == "active"
    assert "Prefers pytest" in context(Rest(make_token(alice, agent="writer")))["text"]


def test_what_a_demo_agent_writes_waits_and_what_it_may_read_it_reads(alice: User, parties: Parties) -> None:
    tell(parties.coder, "Prefers pytest")
    update_agent(user=alice, name="coder", profile="demo")
    demo = Rest(make_token(alice, agent="coder"))

    written = demo.post("/tools/remember", {"text": "Likes bread"}).json
    assert (written["status"], written["reason"]) == ("needs_review", "automation_review")
    assert "Prefers pytest" in context(demo)["text"]
    update_agent(user=alice, name="coder", profile="assistant")
    assert demo.post("/tools/remember", {"text": "Likes rye"}).json["status"] == "active"


def test_sensitive_words_reach_the_agents_that_their_owner_lets(alice: User, parties: Parties) -> None:
    said = tell(parties.coder, "Was ill in spring")
    GovernanceItem.objects.filter(pk=said.pk).update(privacy="sensitive")
    tell(parties.coder, "Prefers pytest")
    rest = Rest(make_token(alice, agent="coder"))

    def everything() -> list[str]:
        places = ("/context", "/memory.md", "/export", "/export?format=markdown", "/export?format=mcp-memory", "/items")
        tools = [rest.post("/tools/recall", {}), rest.post("/tools/list_memory", {})]
        return [reply.body.decode() for reply in [*map(rest.get, places), *tools]]

    assert all("Prefers pytest" in words and "Was ill" not in words for words in everything())
    update_agent(user=alice, name="coder", reads_sensitive=True)
    assert all("Prefers pytest" in words and "Was ill" in words for words in everything())


def test_the_form_of_the_memory_is_the_agents_own(alice: User, parties: Parties, agent: Rest) -> None:
    for n in range(70):
        tell(parties.coder, f"Bread recipe number {n} with flour, water, salt and time")
    assert "Key facts:" in context(agent)["text"]
    update_agent(user=alice, name="coder", memory_render="scoped")
    answer = context(agent, "?budget=500")

    assert "### About you" in answer["text"]
    (memory,) = (block for block in answer["blocks"] if block["name"] == "persistent_memory")
    assert memory["chars"] > 2000
    assert answer["chars"] == len(answer["system"]) <= 500
    assert "\n10 more are not shown here. Search before saying that you do not know.\n" in answer["text"]
    tiers = {row["tier"] for row in context(agent, "?explain=1")["explain"]["persistent_memory"]["items"]}
    assert tiers == {"t2"}
    assert "Key facts:" in context(Rest(make_token(alice, agent="writer")))["text"]
