"""Which records of a session are on its active branch."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from conversations.sessions.entries import Node

INVALID_PARENT_GRAPH = "invalid_parent_graph"
DANGLING_PARENT = "dangling_parent"


@dataclass(frozen=True, slots=True)
class Lineage:
    """The active branch of a session: the ids of its nodes from the root to ``leaf``, and the ordinals of its records.

    ``reasons``: why the branch may begin later than the session did, ``invalid_parent_graph`` for a circle of parents
    and ``dangling_parent`` for one that is not there. A session without nodes has neither leaf nor ids.
    """

    leaf: str | None
    ids: tuple[str, ...]
    active: frozenset[int]
    reasons: tuple[str, ...] = ()


def lineage_of(records: Sequence[tuple[int, Node | None]], leaf: str | None = None) -> Lineage:
    """The active branch of a session, from the ordinals of its records with their nodes, in the order of the source.

    Of several records with one id the last is its node. The branch ends at ``leaf`` if that is a node, otherwise at the
    last node. A session without any node is linear, and all of it is active.
    """
    nodes = {node.id: node for _, node in records if node is not None}
    if not nodes:
        return Lineage(None, (), frozenset(ordinal for ordinal, _ in records))
    end = leaf if leaf in nodes else _last(records)
    ids, reasons = _path(nodes, end)
    ordinals = {node.id: ordinal for ordinal, node in records if node is not None}
    active = frozenset(map(ordinals.__getitem__, (*ids, *_clinging(nodes, ids))))
    return Lineage(end, ids, active, reasons)


def fingerprint(branches: str, leaf: str | None, ids: Sequence[str]) -> str:
    """The SHA-256, in hexadecimal, of ``{"branches":…,"leafId":…,"ids":[…]}`` as compact JSON in UTF-8.

    Half a character in an id is escaped, as JSON in UTF-8 cannot hold it.
    """
    named = {"branches": branches, "leafId": leaf, "ids": list(ids)}
    text = json.dumps(named, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()


def _last(records: Sequence[tuple[int, Node | None]]) -> str:
    return next(node.id for _, node in reversed(records) if node is not None)


def _path(nodes: Mapping[str, Node], leaf: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids from the root to the leaf, and why the walk stopped before a root, if it did."""
    walked: list[str] = []
    at: str | None = leaf
    # only in a circle are there more steps than nodes
    for _ in nodes:
        if at is None or (node := nodes.get(at)) is None:
            break
        walked.append(at)
        at = node.parent
    reasons: tuple[str, ...] = ()
    if at is not None:
        reasons = (INVALID_PARENT_GRAPH if at in nodes else DANGLING_PARENT,)
    return tuple(reversed(dict.fromkeys(walked))), reasons


def _clinging(nodes: Mapping[str, Node], path: Iterable[str]) -> list[str]:
    """The ids beside the path that cling to it, or to one that does."""
    by_parent: defaultdict[str | None, list[str]] = defaultdict(list)
    for one, node in nodes.items():
        if node.clings:
            by_parent[node.parent].append(one)
    found: list[str] = []
    waiting = list(path)
    while by_parent and waiting:
        clinging = by_parent.pop(waiting.pop(), [])
        found += clinging
        waiting += clinging
    return found
