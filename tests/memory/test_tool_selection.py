"""The routes among which an agent chooses, at the beginning of its prompt."""

from pawflow_web.lib import selection
from pawflow_web.lib.tools import registry
from tests.memory.notes import texts
from tests.surfaces.conftest import Rest

READ, BOTH = frozenset({"read"}), frozenset({"read", "write"})


def test_every_route_names_tools_that_there_are() -> None:
    named = {name for route in selection.routes.all() for name in route.tools}
    assert named <= set(registry.names())
    assert {"remember", "kg_add", "diary_write", "todolist", "scratchpad"} <= named


def test_an_agent_is_told_only_what_it_may_use() -> None:
    shown = texts(selection.selection(BOTH))
    assert shown[0] == selection.INTRO
    assert shown[1].startswith("- memory (`remember` and related tools): facts, preferences")
    assert any(line.startswith("- `diary_write` / `diary_read`: ") for line in shown)
    reading = texts(selection.selection(READ))
    assert any(line.startswith("- `recall` / `semantic_recall` / `check_duplicate`: ") for line in reading)
    assert not any("remember`" in line or "kg_add" in line for line in reading)
    assert selection.selection(frozenset()) is None


def test_it_stands_in_the_part_that_seldom_changes(agent: Rest) -> None:
    found = agent.get("/context").json
    assert found["system"].startswith("## Tool selection\nChoose the narrowest that fits")
    assert "**Memory and knowledge**" in found["system"]
    assert "<memory-" not in found["system"]
    assert len(found["system"]) < 2000
    assert agent.get("/context?query=anything").json["system"] == found["system"]
