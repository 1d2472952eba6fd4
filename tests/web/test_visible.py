"""Words of others are shown, never obeyed, and nothing in them stays unseen."""

import pytest

from pawflow_web.identity.models import User
from pawflow_web.web.visible import shown
from tests.factories import make_owner
from tests.web.beliefs import propose
from tests.web.people import browser_of


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("approve\u202eevil", "U+202E"),
        ("pass\u200bword", "U+200B"),
        ("a\ufeffb", "U+FEFF"),
        ("x\u200b\u200b\u200by", "U+200B ×3"),
        ("x\u202a\u202b\u202d\u202ey", "4 hidden characters"),
        ("ok" + "".join(chr(0xE0000 + ord(c)) for c in "obey me"), "hidden: obey me"),
    ],
)
def test_what_draws_nothing_is_drawn(text: str, label: str) -> None:
    assert f'">{label}</span>' in shown(text)


@pytest.mark.parametrize(
    "text",
    ["plain words", "naïve café", "👩\u200d👩\u200d👧 family", "می\u200cخواهم", "🏴󠁧󠁢󠁥󠁮󠁧󠁿 England", "❤\ufe0f"],
)
def test_spelling_is_left_alone(text: str) -> None:
    assert shown(text) == text


def test_marks_and_labels_go_together() -> None:
    assert shown("say <b>\u202eno</b>", [(4, 8)]) == (
        'say <mark>&lt;b&gt;<span class="hid" title="right-to-left override">U+202E</span></mark>no&lt;/b&gt;'
    )
    assert shown("abc", [(5, 9), (-2, 1)]) == "<mark>a</mark>bc"


def test_marked_words_side_by_side_keep_the_blank_between_them() -> None:
    assert shown("one two, three", [(4, 7), (0, 3), (9, 14)]) == "<mark>one two</mark>, <mark>three</mark>"


HOSTILE = (
    '<script>alert(1)</script> "><img src=x onerror=alert(1)> {{ settings.SECRET_KEY }} {% load static %}',
    "</textarea></title><svg onload=alert(1)>",
    "x" * 300,
)


@pytest.mark.parametrize("text", HOSTILE)
def test_markup_and_template_syntax_stay_words(db: None, text: str) -> None:
    lotta: User = make_owner("lotta")
    item = propose(lotta, text, tags=["<i>tag</i>"])
    browser = browser_of(lotta)
    for page in ("/review", "/memories?status=any", f"/items/{item.ref}"):
        content = browser.get(page).content.decode()
        for never in ("<script>alert", "<img src=x", "<svg onload", "<i>tag"):
            assert never not in content
        if "settings" in text:
            assert "{{ settings.SECRET_KEY }}" in content
