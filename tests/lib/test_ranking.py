import math

import pytest

from pawflow_web.lib.ranking import Query, Stats, rrf, score
from pawflow_web.lib.text import TOKEN_LIMIT, analyse


def ranked(query: str, texts: dict[int, str], stats: Stats | None = None) -> list[int]:
    asked = Query(analyse(query))
    rows = [(row_id, analyse(text)) for row_id, text in texts.items()]
    known = stats or Stats().plus(asked, [tokens for _, tokens in rows])
    return [hit.id for hit in score(asked, rows, known)]


def test_a_rare_word_outweighs_a_common_one() -> None:
    texts = dict.fromkeys(range(10), "the server runs here") | {50: "the kestrel", 60: "server server"}
    assert ranked("server kestrel", texts)[0] == 50


def test_rows_without_a_word_of_the_query_are_left_out() -> None:
    assert ranked("kestrel", {1: "a kestrel", 2: "an owl"}) == [1]


def test_an_exact_word_beats_its_stem_and_the_stem_still_counts() -> None:
    assert ranked("testing", {1: "tests", 2: "testing", 3: "owls"}) == [2, 1]


def test_equal_scores_come_newest_first_in_any_input_order() -> None:
    texts = {1: "owl", 3: "owl", 2: "owl"}
    assert ranked("owl", texts) == [3, 2, 1]
    assert ranked("owl", dict(reversed(texts.items()))) == [3, 2, 1]


def test_shorter_rows_rank_above_longer_ones_with_the_same_word() -> None:
    assert ranked("owl", {2: "owl", 9: "owl " + "mouse " * 40}) == [2, 9]


def test_only_the_first_words_of_a_long_text_are_read() -> None:
    late, early = analyse("mouse " * TOKEN_LIMIT + "owl"), analyse("mouse owl")
    hits = score(Query(analyse("owl")), [(1, late), (2, early)], Stats({}, {}, 10, 10))
    assert [hit.id for hit in hits] == [2]


def test_words_of_the_query_count_once_and_at_most_32_of_them() -> None:
    assert Query(analyse("owl owl mouse")).words == ("owl", "mouse")
    assert len(Query(analyse(" ".join(f"w{n}" for n in range(50)))).words) == 32


def test_matched_names_the_words_in_the_order_of_the_query() -> None:
    query = Query(analyse("owl testing mouse"))
    (hit,) = score(query, [(1, analyse("mouse tests"))], Stats({}, {}, 2, 1))
    assert hit.matched == ("testing", "mouse")


def test_the_score_is_bm25_over_words_plus_a_share_of_stems() -> None:
    stats = Stats({"owl": 3}, {"owl": 3}, average_length=4, documents=10)
    (hit,) = score(Query(analyse("owl")), [(1, analyse("owl owl mouse tree"))], stats)
    weight = math.log(1 + 7.5 / 3.5) * 2 * 2.2 / (2 + 1.2)
    assert hit.score == pytest.approx(1.6 * weight)


def test_a_word_in_every_row_still_scores_above_zero() -> None:
    assert ranked("owl", {1: "owl", 2: "owl mouse"}) == [1, 2]


def test_rows_counted_twice_do_not_break_the_weights() -> None:
    stats = Stats({"owl": 5}, {"owl": 5}, average_length=2, documents=3)
    (hit,) = score(Query(analyse("owl")), [(1, analyse("owl"))], stats)
    assert hit.score > 0


def test_the_share_of_a_row_is_of_all_that_the_query_asks() -> None:
    stats = Stats({"owl": 3, "mouse": 3}, {"owl": 3, "mous": 3}, average_length=1, documents=10)
    query = Query(analyse("owl mouse"))
    rows = {1: "owl", 2: "owl mouse", 3: "owl mouse " * 3}
    shares = {hit.id: hit.share for hit in score(query, [(pk, analyse(text)) for pk, text in rows.items()], stats)}
    assert shares[1] == pytest.approx(0.5)
    assert shares[1] < shares[2] < shares[3] == 1.0


def test_fusion_puts_first_what_both_rankings_like() -> None:
    fused = rrf({1: 1.0, 2: 1.0, 3: 1.0}, {2: 1.0, 4: 1.0})
    assert [row_id for row_id, _ in fused] == [2, 1, 4, 3]
    assert fused[0][1] == pytest.approx(1 / 62 + 1 / 61)
    assert rrf() == []


def test_a_first_place_that_fits_badly_counts_for_little() -> None:
    assert [row_id for row_id, _ in rrf({1: 0.1}, {2: 0.6, 3: 0.2})] == [2, 3, 1]
    assert [row_id for row_id, _ in rrf({1: 0.9}, {2: 0.6, 3: 0.2})] == [1, 2, 3]
