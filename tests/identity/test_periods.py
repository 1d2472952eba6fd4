"""Every way in which a time may be written, and what it means as a bound and as a question."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.periods import first_instant, iso, last_instant, parse_period

BERLIN, AUCKLAND, ZERO = ZoneInfo("Europe/Berlin"), ZoneInfo("Pacific/Auckland"), ZoneInfo("UTC")
TICK = timedelta(microseconds=1)


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc, arg-type]


@pytest.mark.parametrize(
    ("text", "zone", "first", "after", "precision"),
    [
        ("2024", ZERO, utc(2024, 1, 1), utc(2025, 1, 1), "year"),
        ("2024-02", ZERO, utc(2024, 2, 1), utc(2024, 3, 1), "month"),
        ("2024-12", ZERO, utc(2024, 12, 1), utc(2025, 1, 1), "month"),
        ("2024-02-29", ZERO, utc(2024, 2, 29), utc(2024, 3, 1), "day"),
        (" 2024-02-29 ", ZERO, utc(2024, 2, 29), utc(2024, 3, 1), "day"),
        ("2024-07-01", AUCKLAND, utc(2024, 6, 30, 12), utc(2024, 7, 1, 12), "day"),
        ("2024", BERLIN, utc(2023, 12, 31, 23), utc(2024, 12, 31, 23), "year"),
        # a day of 23 hours and one of 25
        ("2024-03-31", BERLIN, utc(2024, 3, 30, 23), utc(2024, 3, 31, 22), "day"),
        ("2024-10-27", BERLIN, utc(2024, 10, 26, 22), utc(2024, 10, 27, 23), "day"),
        ("0001", ZERO, utc(1, 1, 1), utc(2, 1, 1), "year"),
        ("9998", ZERO, utc(9998, 1, 1), utc(9999, 1, 1), "year"),
    ],
)
def test_a_date_is_a_period_of_its_zone(
    text: str, zone: ZoneInfo, first: datetime, after: datetime, precision: str
) -> None:
    period = parse_period(text, zone, field="at")
    assert (period.first, period.last, period.precision) == (first, after - TICK, precision)
    assert first_instant(text, zone, field="at") == first
    assert last_instant(text, zone, field="at") == after - TICK


@pytest.mark.parametrize(
    ("value", "instant"),
    [
        ("2024-05-01T10:00:00Z", utc(2024, 5, 1, 10)),
        ("2024-05-01T10:00Z", utc(2024, 5, 1, 10)),
        ("2024-05-01 10:00:00+02:00", utc(2024, 5, 1, 8)),
        ("2024-05-01T10:00:00.123456-05:30", utc(2024, 5, 1, 15, 30, 0, 123456)),
        ("20240501T100000Z", utc(2024, 5, 1, 10)),
        (0, utc(1970, 1, 1)),
        (-1, utc(1969, 12, 31, 23, 59, 59)),
        (1714557600, utc(2024, 5, 1, 10)),
        (1714557600.5, utc(2024, 5, 1, 10, 0, 0, 500000)),
        (1714557600000, utc(2024, 5, 1, 10)),
        (1e11, utc(5138, 11, 16, 9, 46, 40)),
    ],
)
def test_an_instant_is_the_same_in_every_zone(value: Any, instant: datetime) -> None:
    for zone in (ZERO, BERLIN, AUCKLAND):
        period = parse_period(value, zone, field="at")
        assert (period.first, period.last, period.precision) == (instant, instant, "instant")


@pytest.mark.parametrize(
    "value",
    [
        "", " ", "yesterday", "2024-13", "2024-00", "2023-02-29", "2024-04-31", "24-01-01", "2024-1-1", "02024",
        "2024-05-01T10:00:00", "2024-05-01T25:00:00Z", "2024-05-01T10:00:00 CET", "0000", "9999", "10000",
        "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+10:00", "-2024", "２０２４", "2024-02-00", "2024/05/01",
        "1714557600",
        float("nan"), float("inf"), -float("inf"), 1e30, -1e30, True, "\x002024", "2024-05-01\n2025",
    ],
    ids=ascii,
)  # fmt: skip
def test_anything_else_is_refused_by_the_name_of_its_field(value: Any) -> None:
    with pytest.raises(Invalid) as refused:
        parse_period(value, BERLIN, field="valid_from")
    assert list(refused.value.fields) == ["valid_from"]
    refused.value.message.encode("ascii")


def test_nothing_given_is_nothing() -> None:
    assert first_instant(None, ZERO, field="at") is None
    assert last_instant(None, ZERO, field="at") is None
    assert iso(None) is None


@given(st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9997, 12, 31), timezones=st.just(UTC)))  # noqa: DTZ001
def test_what_goes_out_comes_in_again(instant: datetime) -> None:
    text = iso(instant)
    assert text is not None
    assert len(text) == 27
    assert parse_period(text, BERLIN, field="at").first == instant
    shifted = instant.astimezone(timezone(timedelta(hours=5, minutes=45)))
    assert iso(shifted) == text


@given(st.dates(min_value=datetime(2, 1, 1).date(), max_value=datetime(9997, 1, 1).date()))  # noqa: DTZ001
def test_days_follow_each_other_without_gap_or_overlap(day: Any) -> None:
    for zone in (ZERO, BERLIN, AUCKLAND):
        today = parse_period(day.isoformat(), zone, field="at")
        tomorrow = parse_period((day + timedelta(days=1)).isoformat(), zone, field="at")
        assert today.last + TICK == tomorrow.first
        assert today.first < today.last
