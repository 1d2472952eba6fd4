"""The figures of ``bench retrieval`` on cases small enough to be counted by hand."""

import pytest

from bench.ranks import means, ranks_of, score
from bench.retrieval import summarised

KS = (1, 2, 5)


def test_a_rank_is_the_place_of_the_first_row_that_stands_for_the_evidence() -> None:
    found = [40, 20, 10, 30]
    assert ranks_of([{10}, {20, 30}, {50}, ()], found) == [3, 2, None, None]
    assert ranks_of([{10}], []) == [None]


@pytest.mark.parametrize(
    ("ranks", "any_", "all_", "fractional", "reciprocal"),
    [
        ([1], (1, 1, 1), (1, 1, 1), (1, 1, 1), 1),
        ([2], (0, 1, 1), (0, 1, 1), (0, 1, 1), 1 / 2),
        ([6], (0, 0, 0), (0, 0, 0), (0, 0, 0), 1 / 6),
        ([None], (0, 0, 0), (0, 0, 0), (0, 0, 0), 0),
        ([5, 2], (0, 1, 1), (0, 0, 1), (0, 1 / 2, 1), 1 / 2),
        ([None, 1, 4], (1, 1, 1), (0, 0, 0), (1 / 3, 1 / 3, 2 / 3), 1),
    ],
)
def test_one_question(
    ranks: list[int | None],
    any_: tuple[float, ...],
    all_: tuple[float, ...],
    fractional: tuple[float, ...],
    reciprocal: float,
) -> None:
    got = score(ranks, KS)
    assert got.any == dict(zip(KS, any_, strict=True))
    assert got.all == dict(zip(KS, all_, strict=True))
    assert got.fractional == pytest.approx(dict(zip(KS, fractional, strict=True)))
    assert got.reciprocal == pytest.approx(reciprocal)


def test_the_mean_of_three_questions() -> None:
    got = means([score([1], (1, 5)), score([None], (1, 5)), score([3, None], (1, 5))], (1, 5))
    assert got == {
        "any": {"1": 0.3333, "5": 0.6667},
        "all": {"1": 0.3333, "5": 0.3333},
        "fractional": {"1": 0.3333, "5": 0.5},
        "mrr": 0.4444,
    }


def row(mode: str, kind: str, *ranks: int | None, absent: int | None = None, asked: bool = True) -> dict[str, object]:
    evidence = {f"e{number}": rank for number, rank in enumerate(ranks)}
    return {"mode": mode, "kind": kind, "asked": asked, "evidence": evidence, "absent": {"old": absent}}


def test_figures_stand_by_mode_and_kind_and_over_all_kinds() -> None:
    rows = [
        row("lexical", "names", 1),
        row("lexical", "dates", None, absent=2),
        row("lexical", "names", 2),
        row("vector", "dates", asked=False),
    ]
    results = summarised(rows, (1,))
    assert [(one["mode"], one["kind"], one["questions"]) for one in results] == [
        ("lexical", "names", 2),
        ("lexical", "dates", 1),
        ("lexical", None, 3),
        ("vector", "dates", 0),
        ("vector", None, 0),
    ]
    names, dates, overall, not_asked, _ = results
    assert (names["any"], names["mrr"], names["leaks"]) == ({"1": 0.5}, 0.75, 0)
    assert (dates["any"], dates["mrr"], dates["leaks"]) == ({"1": 0.0}, 0.0, 1)
    assert (overall["any"], overall["mrr"], overall["leaks"]) == ({"1": 0.3333}, 0.5, 1)
    # No figure is better than one over nothing.
    assert (not_asked["not_asked"], "any" in not_asked, "mrr" in not_asked) == (1, False, False)
