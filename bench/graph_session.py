"""One run over a knowledge graph inside the scratch environment: load, index, start, measure."""

import itertools
import random
import time
from collections.abc import Callable, Sequence
from typing import Any

from django.conf import settings

from bench.apart import say
from bench.clients import Case, Request
from bench.graph_loading import PREDICATES, load_graph, refresh_statistics
from bench.lines import Line, tool_request
from bench.loading import Owner
from bench.product import OWNER, running_product
from bench.report import bytes_under, machine
from bench.session import CLIENTS, Session
from review.search.index import catch_up, index_of


class GraphSession(Session):
    """``n`` facts of one owner."""

    def report(self) -> dict[str, Any]:
        where = machine()
        build = self._build()
        with running_product(settings.ENV.data_dir / "bench.log") as base:
            results = [row for line in lines() for row in self._measure(line, base)]
        return {
            "triples": self._n,
            "seed": self._seed,
            "machine": {**where, "load_after": machine()["load"]},
            "results": results,
            "sizes": {"search_bytes": bytes_under(index_of(self._large[0].user.pk).folder)},
            "build": build,
        }

    def _build(self) -> dict[str, Any]:
        started = time.monotonic()
        owner, entities = load_graph(OWNER, self._n, self._seed)
        refresh_statistics()
        self._large = [owner]
        load_s = time.monotonic() - started
        say(f"loaded {self._n} facts between {entities} entities in {load_s:.1f} s")
        started = time.monotonic()
        while catch_up(owner.user.pk):
            pass
        index_s = time.monotonic() - started
        say(f"indexed them in {index_s:.1f} s")
        return {"entities": entities, "load_s": round(load_s, 1), "index_s": round(index_s, 1)}

    def _groups(self) -> Sequence[tuple[list[Owner], int]]:
        return ((self._large, 1), (self._large, CLIENTS))


def lines() -> list[Line]:
    """What only reads stands before what writes: the groups of a graph that has changed are found anew."""
    return [
        Line("health", "agent", lambda _owner, count: [Case(Request("GET", "/health"))] * count),
        Line("query_graph", "agent", _walk()),
        Line("query_graph_hub", "agent", _walk(among=10)),
        Line("query_graph_dfs", "agent", _walk(mode="dfs")),
        Line("kg_path", "agent", _path),
        Line("kg_query", "agent", _query),
        Line("kg_god_nodes", "agent", lambda _owner, count: [Case(_HUBS)] * count),
        Line("kg_communities", "agent", lambda _owner, count: [Case(_COMMUNITIES)] * count),
        Line("kg_add", "agent", _add),
        Line("kg_god_nodes_after_write", "agent", _after_write(_HUBS)),
        Line("kg_communities_after_write", "agent", _after_write(_COMMUNITIES)),
    ]


_HUBS, _COMMUNITIES = tool_request("kg_god_nodes"), tool_request("kg_communities")


def _walk(*, mode: str = "bfs", among: int | None = None) -> Callable[[Owner, int], list[Case]]:
    """Three hops around an entity; ``among``: around one of so many that the most facts name."""

    def cases(owner: Owner, count: int) -> list[Case]:
        names = itertools.cycle(owner.samples[:among] if among else owner.samples)
        return [
            Case(
                tool_request("query_graph", question=f"What do we know about {next(names)}?", mode=mode, depth=3),
                expected='"match":"exact"',
            )
            for _ in range(count)
        ]

    return cases


def _path(owner: Owner, count: int) -> list[Case]:
    pairs = itertools.cycle(itertools.pairwise(owner.samples))
    return [Case(tool_request("kg_path", **dict(zip(("from", "to"), next(pairs), strict=True)))) for _ in range(count)]


def _query(owner: Owner, count: int) -> list[Case]:
    names = itertools.cycle(owner.samples)
    return [Case(tool_request("kg_query", entity=next(names)), expected='"facts"') for _ in range(count)]


def _after_write(asked: Request) -> Callable[[Owner, int], list[Case]]:
    """What is found anew, since a fact was added a moment ago."""
    return lambda owner, count: [Case(asked, before=written.request) for written in _add(owner, count)]


def _add(owner: Owner, count: int) -> list[Case]:
    """Something new about an entity that is known, half of the time with another that is known."""
    choose = random.Random(count)
    cases = []
    for number in range(count):
        subject = choose.choice(owner.samples)
        last = choose.choice(owner.samples) if number % 2 else owner.writer.new_word()
        asked = {"subject": subject, "predicate": choose.choice(PREDICATES), "object": last, "allow_self": True}
        cases.append(Case(tool_request("kg_add", **asked)))
    return cases
