"""The small pieces of markup that carry meaning."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from pawflow_web.web.templatetags.pawflow import mark, when
from pawflow_web.web.times import short_time
from review.display.labels import REASON, STATUS, why
from review.models import Reason, Status
from review.templatetags.beliefs import badge, confidence, privacy, provenance, reader

NOW = datetime(2025, 5, 20, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("moment", "shown"),
    [
        (NOW - timedelta(seconds=3), "just now"),
        (NOW - timedelta(minutes=9), "9 min ago"),
        (datetime(2025, 5, 20, 9, 41, tzinfo=UTC), "today, 09:41"),
        (datetime(2025, 5, 19, 18, 20, tzinfo=UTC), "yesterday, 18:20"),
        (datetime(2025, 3, 12, tzinfo=UTC), "12 Mar"),
        (datetime(2024, 3, 12, tzinfo=UTC), "12 Mar 2024"),
        (NOW + timedelta(minutes=40), "in 40 min"),
        (NOW + timedelta(hours=5), "in 5 h"),
        (NOW + timedelta(days=1), "in 1 day"),
        (NOW + timedelta(days=6), "in 6 days"),
        (datetime(2026, 1, 2, tzinfo=UTC), "2 Jan 2026"),
    ],
)
def test_a_moment_is_said_as_a_person_would(moment: datetime, shown: str) -> None:
    assert short_time(moment, now=NOW) == shown


def test_a_moment_keeps_the_exact_one_behind_it() -> None:
    html = when(datetime(2025, 3, 12, 16, 4, 9, tzinfo=UTC))
    assert 'datetime="2025-03-12T16:04:09+00:00"' in html
    assert 'title="12 March 2025, 16:04:09 UTC"' in html
    assert when(None) == ""


@pytest.mark.parametrize(
    ("text", "spans", "html"),
    [
        ("plain", None, "plain"),
        ("a <b> c", [(2, 5)], "a <mark>&lt;b&gt;</mark> c"),
        ("abcdef", [(3, 5), (0, 2)], "<mark>ab</mark>c<mark>de</mark>f"),
        ("abcdef", [(0, 3), (2, 5)], "<mark>abc</mark><mark>de</mark>f"),
        ("abc", [(2, 99), (50, 60), (1, 1)], "ab<mark>c</mark>"),
        ("abc", [(-5, 1)], "<mark>a</mark>bc"),
        ("né\u0301e", [(0, 3)], "<mark>né\u0301</mark>e"),
        ("<script>", [], "&lt;script&gt;"),
    ],
)
def test_spans_are_marked_and_the_rest_escaped(text: str, spans: list[tuple[int, int]] | None, html: str) -> None:
    assert mark(text, spans) == html


@pytest.mark.parametrize(("value", "lit"), [(0.0, 1), (0.54, 1), (0.55, 2), (0.8, 3), (0.89, 3), (0.9, 4), (1.0, 4)])
def test_bars_repeat_the_number(value: float, lit: int) -> None:
    html = confidence(value)
    bars = html.partition('class="on" d="')[2].partition('"')[0]
    assert bars.count("M") == lit
    assert f"{value:.2f}" in html


def test_a_corrected_confidence_says_so_in_words() -> None:
    assert "corrected by you" in confidence(0.9, corrected=True)
    assert "corrected by you" not in confidence(0.9)


def test_every_status_has_a_word_that_is_not_its_code() -> None:
    assert set(STATUS) == set(Status.values)
    assert "In use" in badge("active")
    assert "Replaced" in badge("superseded")


def test_a_code_without_a_word_is_shown_rather_than_hidden() -> None:
    assert "brand new" in badge("brand_new")


def test_every_reason_of_the_gate_has_a_word_and_a_clause() -> None:
    assert set(REASON) == set(Reason.values)
    assert all(why(reason) == str(word.sentence) != "" for reason, word in REASON.items())
    assert why("brand_new") == "brand new"


def test_a_narrowed_belief_names_its_agent() -> None:
    assert "claude-code" in reader("agent", "claude-code")
    assert "everyone" in reader("global", None)
    assert ">read by claude-code<" not in reader("agent", "claude-code")
    assert "read by claude-code<" in reader("agent", "claude-code", said=True)
    assert "&lt;x&gt;" in reader("agent", "<x>")


def test_an_ordinary_belief_has_no_privacy_badge() -> None:
    assert privacy("normal") == ""
    assert "Secret" in privacy("secret")


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ({"type": "agent", "name": "coder", "turn": "4:12"}, "turn 4:12"),
        ({"type": "import", "file": "MEMORY.md", "line": 14}, "MEMORY.md, line 14"),
        ({"type": "import", "file": "chatgpt.zip"}, "chatgpt.zip"),
        ({"type": "agent", "name": "coder"}, "from coder"),
        ({"type": "worker", "name": "dreamer"}, "from dreamer"),
        ({"type": "person"}, "you"),
        (None, "no source"),
        ({"type": None, "name": None}, "no source"),
    ],
)
def test_the_most_exact_place_is_named(source: dict[str, object] | None, shown: str) -> None:
    assert f"{shown}</" in provenance(SimpleNamespace(**source) if source else None)
