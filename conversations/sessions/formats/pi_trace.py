"""FabricExecutionTraceV1: the operations that one ``fabric_exec`` ran, kept beside its result in a Pi session."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from conversations.sessions.entries import Entry, Policy
from conversations.sessions.formats.composing import string_of
from conversations.sessions.formats.pi_shapes import (
    OUTCOMES,
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

_MOST_BYTES = 524_288
_DEEPEST = 14
# An operation that is larger as JSON is shown without its result.
_MOST_OPERATION_BYTES = 98_304

_CALL = {
    "type": is_one_of("call"),
    "sequence": is_count,
    "ref": is_text,
    "args": is_object,
    "outcome": is_one_of(*OUTCOMES),
}
_CALL_ALSO = {
    "provider": is_text,
    "action": is_text,
    "failureStage": is_one_of("resolve", "prepare", "validate", "approve", "invoke", "guard"),
    "error": is_text,
    "result": is_any,
    "resultTruncated": is_flag,
}
_COUNTS = dict.fromkeys(("droppedValues", "truncatedValues", "redactedValues", "droppedOperations"), is_count)
_TRACE = {
    "kind": is_one_of("pi-fabric.execution"),
    "version": is_one_of(1),
    "outcome": is_one_of(*OUTCOMES),
    "phases": is_list_of(is_text),
    "operations": is_list_of(lambda call: shaped(call, _CALL, _CALL_ALSO)),
    "counts": lambda counts: shaped(counts, _COUNTS),
}
_TRACE_ALSO = {"error": is_text}

# Where the tools that work on files name the one they work on.
_FILE_TOOLS = frozenset({"read", "grep", "find", "ls", "edit", "write"})
_FILE_KEYS = ("path", "file", "dir")


@dataclass(frozen=True, slots=True)
class Identity:
    """Who did an operation. ``provider`` and ``action`` are None where neither is given and ``ref`` names none."""

    ref: str
    provider: str | None
    action: str | None


def read_trace(value: Any) -> Sequence[dict[str, Any]] | None:
    """The operations of a trace in their sequence; None for what is not one to the letter."""
    if not shaped(value, _TRACE, _TRACE_ALSO):
        return None
    calls: list[dict[str, Any]] = value["operations"]
    kept = (call[key] for call in calls for key in ("args", "result") if key in call)
    if any(nodes_of(one, depth=_DEEPEST) is None for one in kept):
        return None
    in_sequence = all(one["sequence"] < next_one["sequence"] for one, next_one in pairwise(calls))
    return calls if in_sequence and size_of(value) <= _MOST_BYTES else None


def identity_of(call: Mapping[str, Any]) -> Identity:
    """Missing names are taken from the two sides of the first dot in the ref."""
    ref = string_of(call["ref"])
    provider, _, action = ref.partition(".")
    if not (provider and action):
        provider = action = ""
    return Identity(
        ref, string_of(call.get("provider", provider)) or None, string_of(call.get("action", action)) or None
    )


def operation_of(
    call: Mapping[str, Any], identity: Identity, place: Mapping[str, Any], tool: str, policy: Policy
) -> tuple[dict[str, Any], str]:
    """What is shown of an operation, beginning with ``place``, and its JSON."""
    shown = {**place, "tool": tool, "ref": identity.ref}
    names = {"provider": identity.provider, "action": identity.action}
    shown |= {key: name for key, name in names.items() if name is not None}
    shown |= {key: call[key] for key in ("args", "outcome", "error", "result") if key in call}
    if "result" in shown and (not policy.tool_output or size_of(shown) > _MOST_OPERATION_BYTES):
        del shown["result"]
        shown["resultOmitted"] = True
    return mended_json(shown)


def operation_entries(outer: Entry, calls: Sequence[dict[str, Any]], policy: Policy) -> Iterator[Entry]:
    """The entries of a trace, for the entry of the result that carries it, which has an id."""
    for child, call in enumerate(calls, 1):
        identity = identity_of(call)
        tool = identity.action or identity.ref
        address = f"{outer.entry_id}/{call['sequence']}"
        place = {"address": address, "parentEntryId": outer.entry_id, "sequence": call["sequence"]}
        operation, text = operation_of(call, identity, place, tool, policy)
        yield Entry(
            ordinal=outer.ordinal,
            start=outer.start,
            end=outer.end,
            child=child,
            type="fabric_operation",
            role="fabricOperation",
            text=f"Fabric operation {identity.ref}\n{text}",
            entry_id=address,
            parent_id=outer.parent_id,
            tool=tool,
            timestamp=outer.timestamp,
            is_error=call["outcome"] != "succeeded",
            paths=_paths(call, tool),
            ref=identity.ref,
            provider=identity.provider,
            action=identity.action,
            outcome=call["outcome"],
            parent_entry_id=outer.entry_id,
            operation_address=address,
            operation=operation,
        )


def _paths(call: Mapping[str, Any], tool: str) -> tuple[str, ...]:
    """The file that a file tool worked on. Only those of Pi itself are known to name one so."""
    if tool not in _FILE_TOOLS or call["ref"] != f"pi.{tool}":
        return ()
    named = (call["args"].get(key) for key in _FILE_KEYS)
    return tuple(string_of(path.strip()) for path in named if isinstance(path, str) and path.strip())[:1]
