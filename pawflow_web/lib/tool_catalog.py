"""How tools are described to those who choose among them."""

import hashlib
import json
from typing import Any

from pawflow_web.lib.errors import Invalid, NotFound
from pawflow_web.lib.tools import Tool, registry


def describe(tool: Tool) -> dict[str, Any]:
    """``{"name", "family", "effect", "description", "input_schema", "output_schema", "slash"}``."""
    return {
        "name": tool.name,
        "family": tool.family,
        "effect": tool.effect.value,
        "description": tool.description,
        "input_schema": tool.input_schema(),
        "output_schema": tool.output_schema(),
        "slash": tool.slash,
    }


def descriptor_hash(tool: Tool) -> str:
    """16 hex digits that change whenever anything of the tool's description does."""
    body = json.dumps(describe(tool), sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(body.encode()).hexdigest()[:16]


def tree() -> list[dict[str, Any]]:
    """``[{"name": family, "tools": [{"name", "hash"}]}]`` in the order of the registry."""
    families: dict[str, list[dict[str, str]]] = {}
    for tool in registry.listed():
        families.setdefault(tool.family, []).append({"name": tool.name, "hash": descriptor_hash(tool)})
    return [{"name": family, "tools": tools} for family, tools in families.items()]


def schema_of(*, name: str | None, family: str | None) -> dict[str, Any]:
    """One tool by name, or ``{"family", "tools"}`` of a family.

    Raises:
        Invalid: both or neither is given.
        NotFound: nothing of that name is registered.
    """
    if (name is None) == (family is None):
        raise Invalid(
            "Ask for one tool by name, or for one family.",
            fields={"name": "must be given, unless family is", "family": "must be given, unless name is"},
        )
    if name is not None:
        return describe(registry.get(name))
    tools = [tool for tool in registry.listed() if tool.family == family]
    if not tools:
        raise NotFound(f"There is no family of tools called {ascii(family)[:100]}.")
    return {"family": family, "tools": [describe(tool) for tool in tools]}
