"""Who sees what: the scopes, and every registered reader against everything that may not reach a prompt."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from pawflow_web.api import api
from pawflow_web.api.openapi import openapi_document
from pawflow_web.identity.principal import Principal
from pawflow_web.identity.services import update_agent
from pawflow_web.lib.tools import Effect, registry
from review import lifecycle, readers
from review.index import catch_up
from review.ledger import act
from review.models import GovernanceItem, Privacy
from review.sealing import seal_item
from tests.factories import make_conversation, make_principal
from tests.review.beliefs import Parties, again, let_expire, readable, said, since

SCOPES = ("global", "agent", "conversation", "private")
NAMES = readers.readers.names()
WORDS = "Prefers sourdough bread"


def viewers(parties: Parties) -> dict[str, Principal]:
    here, there = make_conversation(parties.user, "here"), make_conversation(parties.user, "there")
    coder, writer = parties.coder, parties.writer
    return {
        "coder here": coder.within(here.pk, here.ref),
        "coder there": coder.within(there.pk, there.ref),
        "coder nowhere": coder,
        "writer here": writer.within(here.pk, here.ref),
        "writer nowhere": writer,
        "person": parties.person,
        "person there": parties.person.within(there.pk, there.ref),
    }


MATRIX = {
    "coder here": {"global", "agent", "conversation", "private"},
    "coder there": {"global", "agent"},
    "coder nowhere": {"global", "agent"},
    "writer here": {"global", "conversation"},
    "writer nowhere": {"global"},
    "person": set(SCOPES),
    "person there": set(SCOPES),
}


def test_each_viewer_sees_its_scopes_and_no_other(parties: Parties, strangers: Parties) -> None:
    everybody = viewers(parties)
    for scope in SCOPES:
        said(everybody["coder here"], f"In scope {scope}", scope=scope)
    for name, viewer in everybody.items():
        assert readable(viewer) == {f"In scope {scope}" for scope in MATRIX[name]}, name
        seen = GovernanceItem.objects.visible_to(viewer).values_list("scope", flat=True)
        assert set(seen) == MATRIX[name], name
    for stranger in (strangers.person, strangers.coder, strangers.cron):
        assert readable(stranger) == set()


# --- every reader ---------------------------------------------------------------------------------------------

Hide = Callable[[Parties, Parties], GovernanceItem]


def _then(verb: Callable[[Parties, GovernanceItem], object]) -> Hide:
    def hide(parties: Parties, _: Parties) -> GovernanceItem:
        item = said(parties.coder, WORDS)
        verb(parties, item)
        return item

    return hide


def _secret(parties: Parties, item: GovernanceItem) -> None:
    with act(parties.person) as current:
        seal_item(current, GovernanceItem.objects.locked().get(pk=item.pk))


def _sensitive(parties: Parties, item: GovernanceItem) -> None:
    with act(parties.person) as current:
        locked = GovernanceItem.objects.locked().get(pk=item.pk)
        current.write(locked, "edit", privacy=Privacy.SENSITIVE)


def _ends(parties: Parties, item: GovernanceItem) -> None:
    with act(parties.person) as current:
        locked = GovernanceItem.objects.locked().get(pk=item.pk)
        current.write(locked, "end", valid=type(locked.valid)(None, current.clock.at + timedelta(days=1)))


def _ended(parties: Parties, item: GovernanceItem) -> None:
    with act(parties.person) as current:
        locked = GovernanceItem.objects.locked().get(pk=item.pk)
        current.write(locked, "end", valid=type(locked.valid)(None, current.clock.at - timedelta(seconds=1)))


HIDDEN: dict[str, Hide] = {
    "needs_review": lambda parties, _: said(parties.cron, WORDS),
    "rejected": _then(lambda parties, item: lifecycle.reject(principal=parties.person, reference=item.ref)),
    "forgotten": _then(lambda parties, item: lifecycle.forget(principal=parties.coder, reference=item.ref)),
    "expired": _then(lambda parties, item: let_expire(parties.person, item)),
    "ended": _then(_ended),
    "superseded": _then(lambda parties, item: said(parties.coder, "Bakes daily", replaces=item)),
    "superseded, never true": _then(
        lambda parties, item: lifecycle.correct(principal=parties.person, reference=item.ref, text="Bakes daily")
    ),
    "secret": _then(_secret),
    "sensitive": _then(_sensitive),
    "not yet": lambda parties, _: said(parties.coder, WORDS, valid=since(2999)),
    "of another agent": lambda parties, _: said(parties.writer, WORDS, scope="agent"),
    "of a conversation": lambda parties, _: said(
        parties.coder.within(*_conversation(parties)), WORDS, scope="conversation"
    ),
    "private elsewhere": lambda parties, _: said(parties.coder.within(*_conversation(parties)), WORDS, scope="private"),
    "of another owner": lambda _, strangers: said(strangers.coder, WORDS),
}


def _conversation(parties: Parties) -> tuple[int, str]:
    conversation = make_conversation(parties.user)
    return conversation.pk, conversation.ref


@pytest.mark.parametrize("indexed", [False, True], ids=["tail", "index"])
@pytest.mark.parametrize("state", HIDDEN)
def test_no_reader_shows_an_agent_what_may_not_reach_its_prompt(
    parties: Parties, strangers: Parties, state: str, *, indexed: bool
) -> None:
    control = said(parties.coder, f"{WORDS} and rye", scope="agent")
    item = HIDDEN[state](parties, strangers)
    if indexed:
        while catch_up(parties.user.pk):
            pass
    found = readers.check(parties.coder, again(item))
    assert found == dict.fromkeys(NAMES, False), state
    assert readers.check(parties.coder, control) == dict.fromkeys(NAMES, True)


def _replaced_later(parties: Parties, item: GovernanceItem) -> None:
    said(parties.coder, "Bakes daily", replaces=item, valid=since(2999))


# What looks like the states above and still holds.
STILL_SHOWN: dict[str, Hide] = {
    "superseded in the future": _then(_replaced_later),
    "ends in the future": _then(_ends),
    "expires in the future": lambda parties, _: said(parties.coder, WORDS, ttl_days=1),
    "its own": lambda parties, _: said(parties.coder, WORDS, scope="agent"),
    "restored and accepted": _then(
        lambda parties, item: [
            verb(principal=parties.person, reference=item.ref)
            for verb in (lifecycle.reject, lifecycle.restore, lifecycle.accept)
        ]
    ),
}


@pytest.mark.parametrize("indexed", [False, True], ids=["tail", "index"])
@pytest.mark.parametrize("state", STILL_SHOWN)
def test_every_reader_shows_what_still_holds(
    parties: Parties, strangers: Parties, state: str, *, indexed: bool
) -> None:
    item = STILL_SHOWN[state](parties, strangers)
    if indexed:
        while catch_up(parties.user.pk):
            pass
    assert readers.check(parties.coder, again(item)) == dict.fromkeys(NAMES, True)
    assert readers.check(strangers.coder, again(item)) == dict.fromkeys(NAMES, False)


@pytest.mark.parametrize("indexed", [False, True], ids=["tail", "index"])
def test_what_takes_over_in_the_future_is_not_read_before(parties: Parties, *, indexed: bool) -> None:
    successor = said(parties.coder, "Bakes daily", replaces=said(parties.coder, WORDS), valid=since(2999))
    if indexed:
        catch_up(parties.user.pk)
    assert readers.check(parties.coder, successor) == dict.fromkeys(NAMES, False)


@pytest.mark.parametrize("indexed", [False, True], ids=["tail", "index"])
@pytest.mark.parametrize("scope", ["conversation", "private"])
def test_words_of_a_conversation_are_read_in_it_and_nowhere_else(
    parties: Parties, scope: str, *, indexed: bool
) -> None:
    here, there = (parties.coder.within(*_conversation(parties)) for _ in range(2))
    item = said(here, WORDS, scope=scope)
    if indexed:
        catch_up(parties.user.pk)
    assert readers.check(here, item) == dict.fromkeys(NAMES, True)
    for elsewhere in (there, parties.coder):
        assert readers.check(elsewhere, item) == dict.fromkeys(NAMES, False)
    writer_here = parties.writer.within(here.conversation_id, here.conversation_ref)
    assert readers.check(writer_here, item) == dict.fromkeys(NAMES, scope == "conversation")


@pytest.mark.parametrize("indexed", [False, True], ids=["tail", "index"])
def test_an_agent_that_its_owner_lets_reads_what_is_sensitive(parties: Parties, *, indexed: bool) -> None:
    item = said(parties.coder, WORDS)
    _sensitive(parties, item)
    update_agent(user=parties.user, name="coder", reads_sensitive=True)
    if indexed:
        catch_up(parties.user.pk)
    allowed = make_principal(parties.user, agent="coder")
    assert readers.check(allowed, again(item)) == dict.fromkeys(NAMES, True)
    assert readers.check(parties.writer, again(item)) == dict.fromkeys(NAMES, False)
    _secret(parties, item)
    assert readers.check(allowed, again(item)) == dict.fromkeys(NAMES, False)


@pytest.mark.parametrize("indexed", [False, True], ids=["tail", "index"])
def test_what_was_read_everywhere_is_gone_everywhere_at_once(parties: Parties, *, indexed: bool) -> None:
    """The index still holds it; no reader does."""
    item = said(parties.coder, WORDS)
    if indexed:
        catch_up(parties.user.pk)
    assert readers.check(parties.coder, item) == dict.fromkeys(NAMES, True)
    lifecycle.reject(principal=parties.person, reference=item.ref)
    assert readers.check(parties.coder, item) == dict.fromkeys(NAMES, False)
    lifecycle.restore(principal=parties.person, reference=item.ref)
    assert readers.check(parties.coder, item) == dict.fromkeys(NAMES, False)
    lifecycle.accept(principal=parties.person, reference=item.ref)
    assert readers.check(parties.coder, item) == dict.fromkeys(NAMES, True)


# --- no surface is forgotten ----------------------------------------------------------------------------------

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


@pytest.mark.parametrize(
    "tool", [tool for tool in registry.listed() if tool.effect is Effect.READ], ids=lambda t: t.name
)
def test_each_reading_tool_is_a_reader(tool: Any) -> None:
    named = {surface for reader in readers.readers.all() for surface in reader.surfaces}
    if tool.family == "memory":
        assert tool.name in named
