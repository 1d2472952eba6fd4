"""Time bars and word differences, as pure functions."""

from datetime import UTC, datetime, timedelta

import pytest

from review.display.differences import compared
from review.display.time_bars import Interval, ranges_of

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def test_bars_stand_where_their_time_is() -> None:
    drawing = ranges_of(
        [
            Interval("Dublin", "superseded", datetime(2025, 6, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)),
            Interval("Frankfurt", "active", datetime(2026, 1, 1, tzinfo=UTC), None),
        ],
        NOW,
    )
    assert drawing is not None
    old, new = drawing["bars"]
    assert old["start"] == 0
    assert old["end"] == new["start"]
    assert new["end"] == drawing["now"] == 92.0
    assert drawing["label"] == (
        "Replaced: Dublin, from 1 June 2025 until 1 January 2026. In use: Frankfurt, from 1 January 2026 and goes on"
    )


def test_an_unknown_start_fades_in_and_a_coming_end_leaves_room() -> None:
    drawing = ranges_of([Interval("Porto", "active", None, NOW + timedelta(days=30))], NOW)
    assert drawing is not None
    fade, rest = drawing["bars"]
    assert fade["dash"]
    assert not rest["dash"]
    assert rest["start"] == fade["end"]
    assert rest["end"] > drawing["now"]


def test_what_has_no_known_moment_is_not_drawn() -> None:
    assert ranges_of([Interval("A", "active", None, None)], NOW) is None


@pytest.mark.parametrize("start", [NOW, NOW - timedelta(seconds=1), NOW + timedelta(days=9)])
def test_every_bar_can_be_seen_and_stays_inside(start: datetime) -> None:
    drawing = ranges_of([Interval("A", "active", start, None)], NOW)
    assert drawing is not None
    for bar in drawing["bars"]:
        assert 0 <= bar["start"] < bar["end"] <= 100


def test_only_the_words_that_differ_are_marked() -> None:
    old, new = compared("The <db> is in Dublin.", "The <db> is in Frankfurt.")
    assert old == 'The &lt;db&gt; is in <del><span class="vh">removed: </span>Dublin</del>.'
    assert new == 'The &lt;db&gt; is in <ins><span class="vh">added: </span>Frankfurt</ins>.'


def test_texts_with_little_in_common_are_left_plain() -> None:
    assert compared("Tabs only.", "Deploys go through the Frankfurt cluster") == (
        "Tabs only.",
        "Deploys go through the Frankfurt cluster",
    )
    assert compared("a " * 400, "a " * 400 + "b")[1].count("<ins>") == 0
