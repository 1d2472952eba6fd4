"""How tools are described to those who choose among them."""

import hashlib
import json
from collections.abc import Collection, Mapping
from typing import Any

from pawflow_web.lib.errors import Invalid, NotFound
from pawflow_web.lib.ranking import Query, Stats, score
from pawflow_web.lib.text import analyse
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


def search(query: str, *, limit: int, abilities: Collection[str]) -> list[Tool]:
    """Tools whose name, description or parameters hold words of ``query``, best first."""
    tools = available(abilities)
    words = [analyse(_said_of(tool)) for tool in tools]
    asked = Query(analyse(query))
    ranked = score(asked, list(enumerate(words)), Stats().plus(asked, words))
    return [tools[row.id] for row in ranked[:limit]]


def available(abilities: Collection[str]) -> list[Tool]:
    """The tools that a holder of these abilities may use, at least in part."""
    return [tool for tool in registry.listed() if any(effect.ability in abilities for effect in tool.effects.values())]


def first_sentence(tool: Tool) -> str:
    return f"{tool.description.partition('. ')[0].partition(chr(10))[0].rstrip('.')}."


def in_words(description: Mapping[str, Any]) -> str:
    """What :func:`describe` says of a tool, for a client that shows an agent nothing but text."""
    schema = description["input_schema"]
    required = schema.get("required", ())
    lines = [
        f"- {name}{' (required)' if name in required else ''}: {row.get('description', '')}{_choices(row)}"
        for name, row in schema.get("properties", {}).items()
    ]
    return "\n".join([f"{description['name']}: {description['description']}", *lines])


def _choices(row: Mapping[str, Any]) -> str:
    """What a parameter may be, where the schema lists it."""
    branches = [row, row.get("items", {}), *row.get("anyOf", ())]
    words = [str(word) for branch in branches for word in branch.get("enum", ())]
    return f" [{', '.join(words)}]" if words else ""


def _said_of(tool: Tool) -> str:
    """Its name, whole and in words, and everything that is said of it."""
    properties = tool.input_schema().get("properties", {})
    about = [f"{name} {row.get('description', '')}" for name, row in properties.items()]
    return "\n".join([tool.name, tool.name.replace("_", " "), tool.family, tool.description, *about])


def schema_of(*, name: str | None, family: str | None, abilities: Collection[str] | None = None) -> dict[str, Any]:
    """One tool by name, or ``{"family", "tools"}`` of a family; with ``abilities`` only what they allow.

    Raises:
        Invalid: both or neither is given.
        NotFound: there is nothing of that name.
    """
    if (name is None) == (family is None):
        raise Invalid(
            "Ask for one tool by name, or for one family.",
            fields={"name": "must be given, unless family is", "family": "must be given, unless name is"},
        )
    known = registry.listed() if abilities is None else available(abilities)
    if name is not None:
        found = registry.get(name)
        if found not in known:
            raise registry.unknown(name)
        return describe(found)
    tools = [tool for tool in known if tool.family == family]
    if not tools:
        raise NotFound(f"There is no family of tools called {ascii(family)[:100]}.")
    return {"family": family, "tools": [describe(tool) for tool in tools]}
