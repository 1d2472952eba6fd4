"""``place`` as a pure function: whatever stands there, the result fits."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from review.gate.placement import EMPTY, nothing_left, place

EPOCH = datetime(2020, 1, 1, tzinfo=UTC)
NOW = EPOCH + timedelta(days=10)


def day(number: int | None) -> datetime | None:
    return None if number is None else EPOCH + timedelta(days=number)


def span(first: int | None, last: int | None) -> DateTimeTZRange:
    return DateTimeTZRange(day(first), day(last))


def overlap(one: DateTimeTZRange, other: DateTimeTZRange) -> bool:
    """Written apart from the product's own, on whole days."""
    days = [EPOCH + timedelta(days=number, hours=12) for number in range(-3, 25)]
    return any(moment in one and moment in other for moment in days)


@st.composite
def rows_of_one_key(draw: st.DrawFn) -> list[DateTimeTZRange]:
    """Ranges that no two of overlap, in any order, as the database keeps them."""
    cuts = sorted(draw(st.sets(st.integers(0, 20), max_size=6)))
    bounds: list[int | None] = [None, *cuts, None]
    spans = [span(first, last) for first, last in pairwise(bounds)]
    return draw(st.permutations([one for one in spans if draw(st.booleans())]))


@st.composite
def newcomers(draw: st.DrawFn) -> DateTimeTZRange:
    first = draw(st.none() | st.integers(0, 20))
    last = draw(st.none() | st.integers(0, 20))
    assume(first is None or last is None or first < last)
    return span(first, last)


@given(rows_of_one_key(), newcomers())
@settings(max_examples=400, deadline=None)
def test_what_fits_overlaps_nothing_once_the_loser_is_cut(rows: list[DateTimeTZRange], valid: DateTimeTZRange) -> None:
    placed = place(rows, valid, NOW)
    if placed.loser is not None and placed.loser_valid is None:
        assert not placed.fits
        return
    after = [placed.loser_valid if index == placed.loser else row for index, row in enumerate(rows)]
    assert not any(overlap(placed.valid, row) for row in after if row is not None)


@given(rows_of_one_key(), newcomers())
@settings(max_examples=400, deadline=None)
def test_a_newcomer_that_meets_others_and_does_not_fit_names_one_that_it_meets(
    rows: list[DateTimeTZRange], valid: DateTimeTZRange
) -> None:
    placed = place(rows, valid, NOW)
    if not placed.fits:
        assert placed.loser is not None
        assert overlap(rows[placed.loser], valid)


@given(rows_of_one_key(), newcomers())
@settings(max_examples=400, deadline=None)
def test_at_the_start_of_a_placed_value_that_value_holds_and_no_other(
    rows: list[DateTimeTZRange], valid: DateTimeTZRange
) -> None:
    placed = place(rows, valid, NOW)
    start = placed.valid.lower
    if (placed.loser_valid is None and not placed.fits) or start is None:
        return
    assert start in placed.valid
    after = [placed.loser_valid if index == placed.loser else row for index, row in enumerate(rows)]
    assert not any(start in row for row in after if row is not None and not row.isempty)


@given(rows_of_one_key(), newcomers())
@settings(max_examples=400, deadline=None)
def test_only_the_loser_changes_and_only_by_losing_its_end(rows: list[DateTimeTZRange], valid: DateTimeTZRange) -> None:
    placed = place(rows, valid, NOW)
    if placed.loser_valid is not None and placed.loser is not None:
        loser = rows[placed.loser]
        assert placed.loser_valid == EMPTY or (
            placed.loser_valid.lower == loser.lower and placed.loser_valid.upper == placed.valid.lower
        )


def test_where_nothing_is_met_the_value_stays_as_given() -> None:
    for valid in (span(None, None), span(3, None), span(None, 5)):
        placed = place([], valid, NOW)
        assert (placed.valid, placed.fits, placed.loser) == (valid, True, None)


def test_an_unknown_start_begins_when_it_takes_over() -> None:
    placed = place([span(0, None)], span(None, None), NOW)
    assert placed.valid == DateTimeTZRange(NOW, None)
    assert placed.assumed_start
    assert placed.loser_valid == DateTimeTZRange(day(0), NOW)
    # the control: a start that was given is kept
    given_start = place([span(0, None)], span(5, None), NOW)
    assert given_start.valid == span(5, None)
    assert not given_start.assumed_start


def test_an_older_value_is_stored_already_closed() -> None:
    placed = place([span(5, None)], span(2, None), NOW)
    assert (placed.valid, placed.fits, placed.loser) == (span(2, 5), True, None)


def test_a_value_in_between_gets_both_bounds() -> None:
    placed = place([span(0, 8), span(8, None)], span(4, None), NOW)
    assert placed.valid == span(4, 8)
    assert placed.fits
    assert placed.loser == 0
    assert placed.loser_valid == span(0, 4)


def test_the_same_start_empties_the_loser() -> None:
    placed = place([span(4, None)], span(4, None), NOW)
    assert placed.loser_valid == EMPTY
    assert placed.valid == span(4, None)


def test_a_value_that_would_leave_a_gap_is_for_a_person() -> None:
    placed = place([span(0, None)], span(2, 6), NOW)
    assert not placed.fits
    assert placed.loser == 0
    assert placed.loser_valid == span(0, 2)
    assert place([span(0, 6)], span(2, 6), NOW).fits


def test_an_unknown_start_with_an_end_in_the_past_is_for_a_person() -> None:
    history = place([span(2, 4)], span(None, 8), NOW)
    assert not history.fits
    assert history.loser == 0
    assert place([], span(None, 8), NOW).fits


def test_nothing_is_left_of_what_ended_and_of_what_was_emptied() -> None:
    assert nothing_left(EMPTY, NOW)
    assert nothing_left(span(0, 10), NOW)
    assert not nothing_left(span(0, 11), NOW)
    assert not nothing_left(span(0, None), NOW)
