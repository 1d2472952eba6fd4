"""FabricBranchSummaryDetails V1 and V2: what is known for a fact of a branch that was left, kept in a Pi session."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conversations.sessions.entries import Entry, Policy
from conversations.sessions.formats.composing import paths_in, string_of
from conversations.sessions.formats.pi_shapes import (
    OUTCOMES,
    Check,
    is_any,
    is_count,
    is_flag,
    is_list_of,
    is_object,
    is_one_of,
    is_text,
    mended_json,
    nodes_of,
    shaped,
    size_of,
)
from conversations.sessions.formats.pi_trace import Identity, identity_of, operation_of

_MOST_BYTES = 131_072
_MOST_FACTS = 256
_MOST_SECTIONS = 64
_DEEPEST = 16
_BROADEST = 256
_MOST_NODES = 4096
_MOST_NAME_BYTES = 256
_MOST_DESCRIPTION_BYTES = 1024

Facts = Sequence[dict[str, Any]]


def _is_text_of(most: int) -> Check:
    return lambda value: isinstance(value, str) and len(value.encode(errors="surrogatepass")) <= most


def _is_name(value: Any) -> bool:
    return _is_text_of(_MOST_NAME_BYTES)(value) and bool(value.strip())


def _is_call_address(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("call:") and value != "call:"


_BASE: dict[str, Check] = dict.fromkeys(("kind", "entryId", "subordinal", "address"), is_text)
_OUTCOME = is_one_of(*OUTCOMES)
# Of each kind of fact: the keys that it has, and those that it may have.
_FACTS_V1: dict[str, tuple[dict[str, Check], dict[str, Check]]] = {
    "user": ({"text": is_text}, {}),
    "customMessage": ({"customType": is_text, "text": is_text, "display": is_flag}, {"details": is_any}),
    "phase": ({"phase": is_text}, {}),
    "operation": (
        {"ref": is_text, "tool": is_text, "args": is_object, "outcome": _OUTCOME},
        {"provider": is_text, "action": is_text, "error": is_text, "result": is_any},
    ),
}
_FACTS_V2 = {
    **_FACTS_V1,
    "fabricRun": (
        {"subordinal": _is_call_address, "name": _is_name, "outcome": _OUTCOME},
        {"description": _is_text_of(_MOST_DESCRIPTION_BYTES)},
    ),
}
_SOURCE = {"firstEntryId": is_text, "lastEntryId": is_text, "entryCount": is_count}
_SOURCE_ALSO: dict[str, Check] = {"oldLeafId": lambda leaf: leaf is None or isinstance(leaf, str)}
_REQUEST = {"text": is_text, "sourceBytes": is_count, "truncated": is_flag}
_ENVELOPE: dict[str, Check] = {
    "kind": is_one_of("pi-fabric.branch-summary"),
    "source": lambda source: shaped(source, _SOURCE, _SOURCE_ALSO),
    "omittedFacts": is_count,
    "sections": is_list_of(is_text, most=_MOST_SECTIONS),
    "request": lambda request: shaped(request, _REQUEST),
}
_ROLES = {
    "user": "branchUser",
    "customMessage": "branchCustomMessage",
    "phase": "fabricPhase",
    "operation": "fabricOperation",
    "fabricRun": "fabricRun",
}


def read_branch_summary_v1(value: Any) -> Facts | None:
    """The facts of an envelope of version 1; None for what is not one to the letter."""
    return _read(value, 1, _FACTS_V1)


def read_branch_summary_v2(value: Any) -> Facts | None:
    """The facts of an envelope of version 2, which may be runs; None for what is not one to the letter."""
    return _read(value, 2, _FACTS_V2)


def read_branch_summary(value: Any) -> Facts | None:
    """The facts of an envelope of either version."""
    facts = read_branch_summary_v2(value)
    return read_branch_summary_v1(value) if facts is None else facts


def _read(value: Any, version: int, kinds: Mapping[str, tuple[dict[str, Check], dict[str, Check]]]) -> Facts | None:
    def is_fact(fact: Any) -> bool:
        kind = fact.get("kind") if isinstance(fact, dict) else None
        if not isinstance(kind, str) or kind not in kinds:
            return False
        required, optional = kinds[kind]
        return (
            shaped(fact, {**_BASE, **required}, optional)
            and fact["address"] == f"{fact['entryId']}/{fact['subordinal']}"
        )

    parts = {"version": is_one_of(version), "facts": is_list_of(is_fact, most=_MOST_FACTS)}
    if not shaped(value, {**_ENVELOPE, **parts}):
        return None
    facts: Facts = value["facts"]
    return facts if _within_bounds(facts) and size_of(value) <= _MOST_BYTES else None


def _within_bounds(facts: Facts) -> bool:
    """Whether the JSON values of all facts together are few, and each is flat and narrow."""
    kept = (fact[key] for fact in facts for key in ("details", "args", "result") if key in fact)
    counts = [nodes_of(one, depth=_DEEPEST, breadth=_BROADEST) for one in kept]
    return None not in counts and sum(filter(None, counts)) <= _MOST_NODES


def repeated_fact(facts: Facts) -> dict[str, Any] | None:
    """The first fact whose address another one before it has."""
    seen: set[str] = set()
    for fact in facts:
        if fact["address"] in seen:
            return fact
        seen.add(fact["address"])
    return None


def fact_entries(carrier: Entry, facts: Facts, from_id: str | None, policy: Policy) -> Iterator[Entry]:
    """The entries of the facts, for the entry of the summary that carries them."""
    for child, fact in enumerate(facts, 1):
        kind, address = fact["kind"], string_of(fact["address"])
        entry = Entry(
            ordinal=carrier.ordinal,
            start=carrier.start,
            end=carrier.end,
            child=child,
            type="fabric_branch_fact",
            role=_ROLES[kind],
            text="",
            entry_id=address,
            parent_id=carrier.parent_id,
            timestamp=carrier.timestamp,
            parent_entry_id=carrier.entry_id,
            fact_address=address,
            carrier_entry_id=carrier.entry_id,
            carrier_parent_id=carrier.parent_id,
            carrier_from_id=from_id,
        )
        if kind == "operation":
            _tell_operation(entry, fact, policy)
        else:
            _tell_fact(entry, fact)
        yield entry


def _tell_operation(entry: Entry, fact: dict[str, Any], policy: Policy) -> None:
    identity = identity_of(fact)
    place = {"address": fact["address"], "parentEntryId": fact["entryId"], "subordinal": fact["subordinal"]}
    entry.tool = string_of(fact["tool"])
    entry.operation, text = operation_of(fact, identity, place, fact["tool"], policy)
    entry.text = f"Fabric branch operation {identity.ref}\n{text}"
    entry.paths = paths_in(fact["args"])
    _tell_outcome(entry, fact, identity)


def _tell_fact(entry: Entry, fact: dict[str, Any]) -> None:
    entry.branch_fact, _ = mended_json(fact)
    match fact["kind"]:
        case "user":
            text = fact["text"]
        case "customMessage":
            text = f"[{fact['customType']}] {fact['text']}" if fact["customType"] else fact["text"]
        case "phase":
            text = f"Fabric phase {fact['phase']}"
        case _:
            named = " — ".join(filter(None, (fact["name"], fact.get("description"))))
            text = f"Fabric run {named} → {fact['outcome']}"
            entry.tool = "fabric_exec"
            _tell_outcome(entry, fact, Identity("fabric_exec", None, None))
    entry.text = string_of(text)


def _tell_outcome(entry: Entry, fact: Mapping[str, Any], identity: Identity) -> None:
    entry.ref, entry.provider, entry.action = identity.ref, identity.provider, identity.action
    entry.outcome = fact["outcome"]
    entry.is_error = fact["outcome"] != "succeeded"
    entry.operation_address = entry.fact_address
