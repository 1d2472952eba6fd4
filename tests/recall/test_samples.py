"""Three small sessions and everything that is pinned about what they answer: without an index, and with one."""

import pytest

from pawflow_web.identity.models import User
from tests.recall.asking import Answer, called, indexed, places, recall, samples
from tests.surfaces.conftest import Rest


@pytest.fixture(params=["fresh", "indexed"])
def asked(request: pytest.FixtureRequest, agent: Rest, alice: User) -> Rest:
    samples(agent)
    if request.param == "indexed":
        indexed(alice)
    return agent


LINEAGES = {
    "s1": "940d31ba491ab22deaf8d8f8fbae77d70a32cfe7a7bfa6d6ee221b2cf0457237",
    "s2": "c0f239d51e741b66aff1f9adb4588e5d14fc4ac9f00267ef7372034ed6e7ef82",
    "s3": "4e4c18abc018dc3bea192602a5c4136af0a56125d17b7e3d4089fb8cc7a094b1",
}
OF_ALL = "151b50b5d43ace9ebb84edae27b7e5d257f0207df6f0142d4e80dfe72bcdc7e2"


def test_the_sessions_have_the_entries_and_fingerprints_that_are_pinned(asked: Rest) -> None:
    active = called(asked, "memory_sessions", scope="global")["sessions"]
    assert [(row["id"], row["entryCount"]) for row in active] == [("s3", 13), ("s2", 3), ("s1", 5)]
    assert {row["id"]: row["lineageFingerprint"] for row in active} == LINEAGES
    every = called(asked, "memory_sessions", scope="global", branches="all")["sessions"]
    assert [(row["id"], row["entryCount"]) for row in every] == [("s3", 13), ("s2", 5), ("s1", 5)]
    assert {row["lineageFingerprint"] for row in every} == {OF_ALL}


def scores(answer: Answer) -> list[float]:
    return [hit["score"] for hit in answer["hits"]]


def test_words_are_ranked_by_bm25_and_provenance(asked: Rest) -> None:
    found = recall(asked, query="invoice export")
    assert places(found) == [("s1", 4), ("s1", 0), ("s1", 2), ("s1", 1)]
    assert scores(found) == pytest.approx([10.242298, 9.647926, 1.296283, 0.954659], rel=0.05)
    assert (found["total"], found["next"], found["coverage"]["complete"]) == (4, None, True)
    otter = recall(asked, query="otterqueue")
    assert places(otter) == [("s2", 1), ("s2", 2)]
    assert scores(otter) == pytest.approx([7.618557, 7.273663], rel=0.05)


def test_what_was_abandoned_is_found_among_all_branches_alone(asked: Rest) -> None:
    assert places(recall(asked, query="walrusqueue")) == []
    assert places(recall(asked, query="walrusqueue", branches="all")) == [("s2", 1), ("s2", 2)]


@pytest.mark.parametrize("hidden", ["kestrel", "unindexed"])
def test_thoughts_and_the_prose_of_summaries_are_not_searched(asked: Rest, hidden: str) -> None:
    assert recall(asked, query=hidden)["total"] == 0
    # A word beside it is.
    assert recall(asked, query="ibis" if hidden == "unindexed" else "exporter")["total"] == 1


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"ref": "pi.bash", "outcome": "failed"}, [("s3", 4)]),
        ({"outcome": "failed"}, [("s3", 4), ("s3", 10)]),
        ({"outcome": "timed_out"}, [("s3", 9)]),
        ({"tool": "read"}, [("s3", 3), ("s1", 1), ("s1", 2)]),
        ({"query": "cache", "ref": "pi.edit"}, [("s3", 10)]),
        ({"role": "branchUser"}, [("s3", 7)]),
        ({"query": "exit", "queryMode": "regex"}, [("s3", 4), ("s1", 3)]),
        ({"ref": "pi.grep"}, []),
    ],
)
def test_filters_find_what_is_pinned(asked: Rest, filters: dict[str, str], expected: list[tuple[str, int]]) -> None:
    found = recall(asked, **filters)
    assert places(found) == expected
    assert found["coverage"]["complete"]


def test_every_hit_is_followed_unchanged(asked: Rest) -> None:
    for hit in recall(asked, outcome="failed")["hits"]:
        reply = asked.post("/call", hit["follow"])
        assert reply.status == 200, reply.body
        (entry,) = reply.json["entries"]
        assert (entry["index"], entry["entryId"]) == (hit["index"], hit["entryId"])
        assert hit["snippet"] == entry["text"]
        again = called(asked, "call", ref="memory_expand", args=hit["follow"]["args"])
        assert again == reply.json
