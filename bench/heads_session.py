"""Recall over operations that were really done, held against what is known of them."""

import re
import time
from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings

from bench.heads_corpus import ABSENT, HEADS, HYDRATION, RARE, REFS, HeadSession, Spoil, Values, head_sessions, words_of
from bench.report import bytes_under, machine, percentile_ms
from conversations.recall.index import catch_up, index_of
from conversations.sessions.storing import Source, store_source
from pawflow_web.identity.call import Call
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.tools import registry

RUNS = 50
# More pages than there can be.
_PAGES = 200


def examine(principal: Principal, *, spoil: Spoil) -> dict[str, Any]:
    """The report, whose ``failures`` say by condition what is not as it must be. As many sessions are stored cold as
    the settings keep hot."""
    each = settings.ENV.recall.hot_sessions
    if each is None:
        raise ValueError("RECALL_HOT_SESSIONS must be a number")
    return _Examination(principal, head_sessions(each), each, spoil).report()


class _Examination:
    def __init__(self, principal: Principal, sessions: Sequence[HeadSession], each: int, spoil: Spoil) -> None:
        self._principal, self._spoil = principal, spoil
        self._sessions, self._cold, self._hot = sessions, sessions[:each], sessions[each:]
        self._failures: dict[str, str] = {}

    def report(self) -> dict[str, Any]:
        source_bytes = self._store()
        while catch_up(self._principal.user_id):
            pass
        index_bytes = bytes_under(index_of(self._principal.user_id).folder)
        figures = {
            "recall_at_1": self._find_heads(),
            "prose_hits": self._search_prose(),
            **self._follow_refs(),
            "combined_found": self._combine(),
            "absent_hits": self._ask_absent(),
        }
        return {
            "hot": len(self._hot),
            "cold": len(self._cold),
            "results": figures,
            "failures": self._failures,
            "sizes": {
                "source_bytes": source_bytes,
                "index_bytes": index_bytes,
                "index_to_source": round(index_bytes / source_bytes, 3),
            },
            "structural": self._timed(),
            "machine": machine(),
        }

    def _store(self) -> int:
        size = 0
        for session in self._sessions:
            content = session.source(self._spoil)
            size += len(content)
            store_source(principal=self._principal, source=Source(session.path, content, mtime=session.changed))
        return size

    def _fail(self, condition: str, why: str) -> None:
        self._failures.setdefault(condition, why)

    def _find_heads(self) -> float:
        """Of the questions for a tool, how many have the right one first."""
        right = 0
        for query, wanted in HEADS.items():
            items = self._run("tool_search", {"query": query, "limit": 1})["items"]
            first = items[0]["name"] if items else "none"
            right += first == wanted
            if first != wanted:
                self._fail("catalogue", f"{query!r} found {first} instead of {wanted}")
        return round(right / len(HEADS), 3)

    def _search_prose(self) -> int:
        """What tools are said to be for was said in no session."""
        known = words_of(self._hot[0])
        hits = 0
        for tool in registry.listed():
            words = [word for word in re.findall(r"\w+", tool.description.lower()) if word not in known]
            found = self._recall(query=" ".join(words)[:4000])["total"] if words else 0
            hits += found
            if found:
                self._fail("prose", f"the description of {tool.name} found {found} entries")
        return hits

    def _follow_refs(self) -> dict[str, float]:
        """Every operation of a ref: in hot sessions by its address, in cold ones by how many there are."""
        hot = cold = 0.0
        for ref in REFS:
            hits = list(self._all_hits(ref=ref))
            entries = {(hit["sessionId"], hit["operationAddress"]) for hit in hits if hit["kind"] == "entry"}
            wanted = {(session.id, address) for session in self._hot for address in session.addresses(ref)}
            counts = {hit["sessionId"]: hit["matchedStructuralEntries"] for hit in hits if hit["kind"] == "session"}
            counted = {session.id: len(list(session.addresses(ref))) for session in self._cold}
            if entries != wanted or counts != counted:
                self._fail(
                    "provenance", f"{ref}: {len(entries)} of {len(wanted)} operations, {len(counts)} cold sessions"
                )
            hot += len(entries & wanted) / len(wanted)
            cold += len(counts.items() & counted.items()) / len(counted)
        return {"hot_recall": round(hot / len(REFS), 3), "cold_recall": round(cold / len(REFS), 3)}

    def _combine(self) -> bool:
        """A word and a ref together: the one hot operation, and the cold session with what must still be proved."""
        ref = REFS[0]
        answer = self._recall(query=RARE, ref=ref)
        hot, cold = self._hot[0], self._cold[0]
        found = {(hit["kind"], hit["sessionId"], hit.get("operationAddress")) for hit in answer["hits"]}
        (address,) = hot.addresses(ref, rare=True)
        whole = found == {("entry", hot.id, address), ("session", cold.id, None)}
        if not whole:
            self._fail("provenance", f"{RARE} with {ref} found {sorted(map(str, found))}")
        if HYDRATION not in answer["coverage"]["reasons"]:
            self._fail("hydration", f"a cold candidate came without {HYDRATION}")
        return whole

    def _ask_absent(self) -> int:
        answer = self._recall(ref=ABSENT)
        if answer["total"]:
            self._fail("absent", f"{ABSENT}, which nothing did, found {answer['total']} entries")
        elif not answer["coverage"]["complete"]:
            self._fail("absent", f"that nothing did {ABSENT} is not proved: {answer['coverage']['reasons']}")
        return int(answer["total"])

    def _timed(self) -> dict[str, float]:
        """Milliseconds of a structural question in this process."""
        taken = []
        for _ in range(RUNS):
            started = time.perf_counter()
            self._recall(ref=REFS[0])
            taken.append(time.perf_counter() - started)
        return {f"p{percent}_ms": percentile_ms(taken, percent) for percent in (50, 95, 99)}

    def _all_hits(self, **arguments: Any) -> Iterator[Values]:
        answer = self._recall(**arguments, pageSize=50)
        for _ in range(_PAGES):
            yield from answer["hits"]
            if answer["next"] is None:
                return
            answer = self._recall(**answer["next"]["args"])

    def _recall(self, **arguments: Any) -> Values:
        asked = self._spoil.arguments({"scope": "global", **arguments})
        return self._spoil.answer(self._run("memory_recall", asked))

    def _run(self, name: str, arguments: Values) -> Values:
        found: Values = registry.get(name).run(Call(self._principal, None, "rest"), arguments).model_dump(mode="json")
        return found
