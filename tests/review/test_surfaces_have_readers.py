"""Every tool and route that answers with beliefs is named by a reader, so that the tests of the boundary reach it."""

import re
from collections.abc import Iterator
from typing import Any

from pawflow_web.api import api
from pawflow_web.api.openapi import openapi_document
from pawflow_web.lib.tools import Effect, registry
from review import readers
from review.models import KindName
from review.readership.receipts import take_receipt
from tests.review.beliefs import Parties, said

# Surfaces that a person alone may ask, or that answer only with what their caller has just done.
FOR_PEOPLE = re.compile(r"(GET|POST|PATCH|PUT|DELETE) /(review|items/\{ref\}/)|PATCH /items/\{ref\}$")

# The answer holds the keys of a belief: these and its words.
SHAPE = {"text", "confidence", "scope", "status", "valid_from"}


def _holds_items(schema: Any, definitions: dict[str, Any], seen: frozenset[str] = frozenset()) -> bool:
    if isinstance(schema, list):
        return any(_holds_items(part, definitions, seen) for part in schema)
    if not isinstance(schema, dict):
        return False
    if set(schema.get("properties", {})) >= SHAPE:
        return True
    name = str(schema.get("$ref", "")).rsplit("/", 1)[-1]
    if name and name not in seen and name in definitions:
        return _holds_items(definitions[name], definitions, seen | {name})
    return any(_holds_items(value, definitions, seen) for key, value in schema.items() if key != "$defs")


def item_surfaces() -> Iterator[str]:
    """Tools and routes whose answers hold beliefs."""
    for tool in registry.listed():
        schema = tool.output_schema()
        if _holds_items(schema, schema.get("$defs", {})):
            yield tool.name
    document = openapi_document(api)
    definitions = document["components"]["schemas"]
    for path, methods in document["paths"].items():
        short = path.removeprefix("/api/v1")
        if short.startswith("/tools/"):
            continue
        for method, operation in methods.items():
            answers = operation.get("responses", {}) if isinstance(operation, dict) else {}
            if _holds_items(answers.get("200", answers.get(200)), definitions):
                yield f"{method.upper()} {short}"


def test_every_surface_that_answers_with_beliefs_is_named_by_a_reader() -> None:
    named = {surface for reader in readers.readers.all() for surface in reader.surfaces}
    surfaces = set(item_surfaces())
    assert {"recall", "check_duplicate", "remember", "GET /items", "GET /items/{ref}"} <= surfaces
    forgotten = {surface for surface in surfaces if not FOR_PEOPLE.match(surface)} - named
    assert forgotten == set()


def test_the_shape_of_a_belief_is_found_where_it_is_and_not_where_it_is_not() -> None:
    item = {"properties": {key: {} for key in SHAPE}}
    nested = {"properties": {"items": {"type": "array", "items": {"$ref": "#/$defs/Item"}}}}
    assert _holds_items(nested, {"Item": item})
    assert not _holds_items(nested, {"Item": {"properties": {"text": {}}}})


def test_a_reader_names_only_surfaces_that_exist() -> None:
    document = openapi_document(api)
    routes = {
        f"{method.upper()} {path.removeprefix('/api/v1')}"
        for path, methods in document["paths"].items()
        for method in methods
    }
    tools = {tool.name for tool in registry.listed()}
    for reader in readers.readers.all():
        assert set(reader.surfaces) <= routes | tools, reader.name


# Reading tools that never show a belief, in whatever shape; each other one is a reader.
SHOW_NO_BELIEFS = {"tool_search", "get_tool_schema", "diary_read", "kg_stats", "todolist", "scratchpad"} | {
    # what was said, not what is believed
    "read_turn",
    "read_history",
    "conversation_search",
    "search_conversation_history",
    "memory_recall",
    "memory_sessions",
    "memory_expand",
    # it shows what the tool shows that it calls
    "call",
}


def test_each_reading_tool_is_a_reader_or_known_to_show_no_belief() -> None:
    """Of any family: an answer may show beliefs in another shape than that of an item."""
    named = {surface for reader in readers.readers.all() for surface in reader.surfaces}
    reading = {tool.name for tool in registry.listed() if Effect.READ in tool.effects.values()}
    assert reading - named == SHOW_NO_BELIEFS
    assert {"recall", "semantic_recall", "search_memory", "list_memory", "check_duplicate"} <= reading


def test_a_reader_of_kinds_is_asked_about_those_alone(parties: Parties) -> None:
    item = said(parties.coder, "The office is in Porto")
    of_all = {reader.name for reader in readers.readers.all() if not reader.kinds}
    of_notes = {reader.name for reader in readers.readers.all() if KindName.NOTE in reader.kinds}
    assert set(readers.check(parties.coder, item)) == of_all | of_notes
    assert {"recall", "digest"} <= of_notes
    item.kind = "procedure"
    assert set(readers.check(parties.coder, item)) == of_all
    assert len(take_receipt(parties.person, item).readings) == len(of_all)
    assert {kind for reader in readers.readers.all() for kind in reader.kinds} <= set(KindName.values)
