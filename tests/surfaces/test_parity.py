"""Each registered tool is the same tool on every surface. A new one is covered by being registered."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field, create_model

from pawflow_web.api import api
from pawflow_web.api.openapi import openapi_document
from pawflow_web.env import CHECKOUT
from pawflow_web.identity.models import User
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.tools import Caller, Effect, Tool, registry
from pawflow_web.mcp.server import listed_tools
from tests.factories import make_token
from tests.surfaces.conftest import Rest
from tests.surfaces.examples import EXAMPLES, address

TOOLS = registry.listed()
NAMES = [tool.name for tool in TOOLS]
KEYWORDS = frozenset(
    [
        "$defs",
        "$ref",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "default",
        "description",
        "discriminator",
        "enum",
        "examples",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "items",
        "maxItems",
        "maxLength",
        "maximum",
        "minItems",
        "minLength",
        "minimum",
        "multipleOf",
        "not",
        "oneOf",
        "pattern",
        "prefixItems",
        "properties",
        "required",
        "title",
        "type",
        "uniqueItems",
    ]
)


def keys(schema: Any) -> Iterator[str]:
    """Every keyword of a schema; names of properties and definitions are no keywords."""
    if not isinstance(schema, dict):
        return
    for key, value in schema.items():
        yield key
        if key in {"properties", "$defs"}:
            for inner in value.values():
                yield from keys(inner)
        elif key in {"anyOf", "allOf", "oneOf", "prefixItems"}:
            for inner in value:
                yield from keys(inner)
        elif key in {"items", "additionalProperties", "not"}:
            yield from keys(value)


def test_there_are_tools() -> None:
    assert {"remember", "recall", "forget"} <= set(NAMES)


def test_each_tool_has_an_example_here() -> None:
    assert set(EXAMPLES) == set(NAMES)


@pytest.mark.parametrize("tool", TOOLS, ids=NAMES)
def test_its_schemas_are_json_schema_and_nothing_else(tool: Tool) -> None:
    for schema in (tool.input_schema(), tool.output_schema()):
        Draft202012Validator.check_schema(schema)
        assert set(keys(schema)) <= KEYWORDS
        assert schema["type"] == "object"
    assert tool.input_schema()["additionalProperties"] is False
    # What a call answers is the answer of any tool.
    assert tool.output_schema()["additionalProperties"] is (tool.name == "call")


@pytest.mark.parametrize("tool", TOOLS, ids=NAMES)
def test_it_is_documented_in_openapi_with_its_own_schema(tool: Tool) -> None:
    document = openapi_document(api)
    operation = document["paths"][f"/api/v1/tools/{tool.name}"]["post"]
    body = operation["requestBody"]["content"]["application/json"]["schema"]

    assert operation["description"] == tool.description
    assert list(body["properties"]) == list(tool.params.model_fields)
    assert {"200", "401", "403", "404", "409", "422", "503"} <= set(operation["responses"])


def test_every_reference_of_the_openapi_document_leads_somewhere() -> None:
    document = openapi_document(api)
    text = json.dumps(document)

    assert '"$defs"' not in text
    for kind in ("schemas", "parameters"):
        prefix = f'"#/components/{kind}/'
        names = {part.split('"')[0] for part in text.split(prefix)[1:]}
        assert names
        assert names <= set(document["components"][kind])
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


def test_every_operation_has_an_id_of_its_own() -> None:
    operations = [op for path in openapi_document(api)["paths"].values() for op in path.values()]
    ids = [operation["operationId"] for operation in operations]

    assert len(ids) == len(set(ids))
    assert all(operation["description"] for operation in operations)


@pytest.mark.parametrize("tool", TOOLS, ids=NAMES)
def test_it_is_on_mcp_with_the_same_schema_and_the_right_hints(tool: Tool) -> None:
    listed = {row.name: row for row in listed_tools("all")}[tool.name]

    assert listed.description == tool.description
    assert listed.input_schema == tool.input_schema()
    assert listed.output_schema == tool.output_schema()
    assert listed.annotations is not None
    assert listed.annotations.read_only_hint is (tool.effect is Effect.READ)
    assert bool(listed.annotations.destructive_hint) is (tool.effect is Effect.DESTROY)
    assert (tool.name in {row.name for row in listed_tools("core")}) is tool.core


def test_the_lists_of_rest_hold_what_is_registered(agent: Rest) -> None:
    full = agent.get("/tools").json
    tree = agent.get("/tools?tree=1").json

    assert [row["name"] for row in full["items"]] == NAMES
    assert full["next"] is None
    assert [row["name"] for family in tree["families"] for row in family["tools"]] == NAMES
    assert agent.get(f"/tools/schema?name={NAMES[0]}").json == full["items"][0]
    family = full["items"][0]["family"]
    assert agent.get(f"/tools/schema?family={family}").json == {
        "family": family,
        "tools": [row for row in full["items"] if row["family"] == family],
    }
    assert agent.get("/tools/schema?name=nope").status == 404
    assert agent.get("/tools/schema").status == 422


@pytest.mark.parametrize("name", NAMES)
def test_its_example_runs_and_the_reply_matches_its_schema(agent: Rest, name: str) -> None:
    reply = agent.post(address(name, agent), EXAMPLES[name](agent))

    assert reply.status == 200, reply.body
    Draft202012Validator(registry.get(name).output_schema()).validate(reply.json)


@pytest.mark.parametrize("name", NAMES)
def test_it_refuses_a_stranger(agent: Rest, asking: Callable[[str | None], Rest], name: str) -> None:
    arguments = EXAMPLES[name](agent)

    assert asking(None).post(f"/tools/{name}", arguments).status == 401
    assert asking("pf_wrong").post(f"/tools/{name}", arguments).status == 401


@pytest.mark.parametrize("name", NAMES)
def test_it_refuses_an_unknown_argument_and_names_the_known_ones(agent: Rest, name: str) -> None:
    for extra in ("nonsense", "origin", "user", "owner", "actor"):
        if extra in registry.get(name).params.model_fields:
            continue
        reply = agent.post(f"/tools/{name}", {**EXAMPLES[name](agent), extra: "x"})
        assert reply.status == 422
        assert list(reply.error["fields"]) == [extra]


@pytest.mark.parametrize("tool", TOOLS, ids=NAMES)
def test_it_needs_the_ability_that_its_effect_says(
    agent: Rest, alice: User, asking: Callable[[str], Rest], tool: Tool
) -> None:
    if len(tool.effects) > 1:
        pytest.skip("its ability follows the action")
    arguments = EXAMPLES[tool.name](agent)
    needed, other = ("read", "write") if tool.effect is Effect.READ else ("write", "read")

    path = address(tool.name, agent)
    assert asking(make_token(alice, abilities=[other])).post(path, arguments).status == 403
    assert asking(make_token(alice, abilities=[needed])).post(path, arguments).status == 200


@pytest.mark.parametrize("tool", TOOLS, ids=NAMES)
def test_who_may_not_hears_nothing_of_the_parameters(alice: User, asking: Callable[[str], Rest], tool: Tool) -> None:
    if len(tool.effects) > 1:
        pytest.skip("its ability follows the action")
    wrong = {"no_such_parameter": 1}
    needed, other = ("read", "write") if tool.effect is Effect.READ else ("write", "read")

    refused = asking(make_token(alice, abilities=[other])).post(f"/tools/{tool.name}", wrong)
    assert (refused.status, refused.error["code"], refused.error["fields"]) == (403, "not_allowed", {})
    assert asking(make_token(alice, abilities=[needed])).post(f"/tools/{tool.name}", wrong).status == 422


ACTIONS = [(tool, action) for tool in TOOLS for action in tool.actions]


@pytest.mark.parametrize(("tool", "action"), ACTIONS, ids=[f"{tool.name} {action}" for tool, action in ACTIONS])
def test_an_action_needs_the_ability_that_its_effect_says(
    alice: User, asking: Callable[[str], Rest], tool: Tool, action: str
) -> None:
    wrong = {"action": action, "no_such_parameter": 1}
    needed, other = ("read", "write") if tool.effects[action] is Effect.READ else ("write", "read")

    refused = asking(make_token(alice, abilities=[other])).post(f"/tools/{tool.name}", wrong)
    assert (refused.status, refused.error["code"], refused.error["fields"]) == (403, "not_allowed", {})
    told = asking(make_token(alice, abilities=[needed])).post(f"/tools/{tool.name}", wrong)
    assert (told.status, list(told.error["fields"])) == (422, ["no_such_parameter"])


def test_of_several_actions_each_needs_its_own_ability() -> None:
    class Said(BaseModel):
        action: str

    def run(call: Caller, action: Annotated[Literal["look", "change"], Field(description="what")] = "look") -> Said:
        return Said(action=action)

    effects = {"look": Effect.READ, "change": Effect.WRITE}
    params = create_model("Params", action=(Literal["look", "change"], "look"))
    both = Tool("both", "tests", effects, "two in one", params, Said, run, core=False, slash=None)

    asked: list[str] = []

    class Asked:
        require = staticmethod(asked.append)

    for arguments in ({}, {"action": "look"}, {"action": "change"}):
        both.run(Asked(), arguments)
    for unknown in ("burn", ["change"]):
        with pytest.raises(Invalid):
            both.run(Asked(), {"action": unknown})
    assert asked == ["read", "read", "write", "read", "read"]


def test_the_sdk_is_imported_only_for_mcp() -> None:
    """Importing it takes longer than everything else at the start of the web process."""
    program = "import pawflow_web.asgi, pawflow_web.urls, sys; print('mcp' in sys.modules, 'ninja' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=CHECKOUT, capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "True"]
