"""What a pattern requires of a text: enough to pass others by, and never too much."""

import random
import re
import sys
import unicodedata
from unittest.mock import patch

import pytest
import re2
from hypothesis import given, settings
from hypothesis import strategies as st

from conversations.recall.regex import literals
from conversations.recall.regex.literals import LONGEST, required


def index_form(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


def found(pattern: str, text: str) -> bool:
    """As the process that matches finds it. False for a pattern that RE2 does not take."""
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    try:
        return re2.search(pattern, text, options) is not None
    except re2.error:
        return False


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("needle_0000[0-9]", {"needle_0000"}),
        ("^exit code: 1$", {"exit code: 1"}),
        # What follows the last letter is not known: an accent would become one with it.
        ("Timeout", {"timeou"}),
        ("abc", set()),
        ("abc9", {"abc9"}),
        ("abc<=", {"abc<"}),
        (r"\bfoo\.bar\(\)", {"foo.bar()"}),
        (r"first.*second\d+third", {"firs", "secon", "thir"}),
        ("(?i)(con)(?:nec)(?P<rest>tion)", {"connectio"}),
        ("(?s-i:some.thing)", {"som", "thin"}),
        # What may be missing requires nothing, and what is repeated stands there once.
        ("long(er|est)? road", {"lon", " roa"}),
        ("maybe?not", {"may"}),
        ("(needle)*haystack", {"haystac"}),
        ("(needle)+haystack", {"needl", "haystac"}),
        ("needle{0,3}", {"need"}),
        ("(needle){2,3}?", {"needl"}),
        # Alternatives require what is common to them.
        ("(error|errors) in file", {"erro", " in fil"}),
        ("failed: (read|write)", {"failed: "}),
        ("needle|haystack", set()),
        ("needle|", set()),
        ("(needle|needles) and|no needles", {"needl"}),
        # Text, not a count.
        ('{"name": "x"}', {'{"name": "x"}'}),
        ("abc{01}", {"abc{01}"}),
        # Letters that have more than two forms, or another one in the index, stand for anything.
        ("größe 10", {"größe 10"}),
        ("Kelvin", {"kelvi"}),
        ("\u212aelvin", {"elvi"}),
        ("ISTANBUL", {"istanbu"}),
        ("İstanbul", {"stanbu"}),
        ("ΟΔΟΣ", set()),
        ("программа", {"грамм"}),
        ("ﬁrst line", {"rst lin"}),
        ("日本語テスト", {"日本語テス"}),
        # Not read here, so nothing is known.
        (r"\Qneedle\E", set()),
        (r"\x41needle", set()),
        ("[[:alpha:]]needle", set()),
        ("[]x]needle", {"needl"}),
        ("[]abc[d]needle", set()),
        ("(?=needle)", set()),
        ("(needle", set()),
        ("needle)", set()),
        ("needle**", set()),
        ("needle(?i)*", set()),
        ("needle(?i)", {"needl"}),
        ("", set()),
        ("(" * 60 + "needle" + ")" * 60, set()),
        ("n" * (LONGEST + 1), set()),
    ],
)
def test_required_literals(pattern: str, expected: set[str]) -> None:
    assert set(required(pattern)) == expected


# --- never too much -------------------------------------------------------------------------------------------
def test_every_form_that_re2_takes_for_a_literal_is_that_literal_in_the_index() -> None:
    """Over all of Unicode, and with the Unicode of RE2, which is not that of Python."""
    everything = [chr(n) for n in range(sys.maxunicode + 1) if not 0xD800 <= n < 0xE000]
    # The end of a literal is left out unless it is plain, so a character is asked for between plain ones.
    literal = [c for c in everything if c <= "\uffff" and required("00" + re.escape(c) + "00") == (f"00{c.lower()}00",)]
    forms = {c.lower() for c in literal}
    options = re2.Options()
    options.case_sensitive = False
    options.max_mem = 1 << 28
    taken = re2.compile("[" + "".join(re2.escape(c) for c in literal) + "]", options).findall("".join(everything))
    assert required("".join([c for c in everything if c > "\uffff"][:: LONGEST // 16])) == ()
    assert {"ſ", "\u212a", "\u212b", "ẞ"} <= set(taken)
    assert len(literal) > 40_000
    assert [c for c in taken if index_form(c) not in forms] == []


# Characters with a story (folded, composed, taken apart by NFKC) among plain ones.
TROUBLE = "\u212a\u212bkKKsSſßẞiIİıåÅÅσςΣµμвВᲀйeeéнλιͅﬁǆ가각각日、ｶﾞ<=0aAbBcC\u0301\u0308\u0338\u0327\u11a8\u3099 "
CHARACTERS = st.one_of(st.sampled_from("ksabc0"), st.sampled_from(TROUBLE))
TEXTS = st.text(CHARACTERS, min_size=1, max_size=8)


def missing(pattern: str, text: str) -> list[str]:
    """What the pattern requires and the text does not have. The shortest literals have the most to get wrong."""
    with patch.object(literals, "SHORTEST", 1):
        return [literal for literal in required(pattern) if literal not in index_form(text)]


OTHER_FORMS = {"k": "\u212a", "s": "ſ", "å": "\u212b", "в": "ᲀ"}


def variant(text: str, seed: random.Random) -> str:
    """The text as RE2 would still find it: in either case, or in a third form."""
    return "".join(seed.choice((c, c.upper(), c.lower(), OTHER_FORMS.get(c, c))) for c in text)


@st.composite
def parts(draw: st.DrawFn) -> tuple[str, str]:
    """A pattern, and a text that it was made to match."""
    text = draw(TEXTS)
    return re2.escape(text), variant(text, draw(st.randoms(use_true_random=False)))


def joined(inner: st.SearchStrategy[tuple[str, str]]) -> st.SearchStrategy[tuple[str, str]]:
    def repeated(part: tuple[str, str], times: int, count: str) -> tuple[str, str]:
        return f"(?:{part[0]}){count}", part[1] * times

    def either(one: tuple[str, str], other: tuple[str, str], group: str) -> tuple[str, str]:
        return f"{group}{one[0]}|{other[0]})", other[1]

    repetition = st.sampled_from(
        [
            (0, "*"),
            (2, "*?"),
            (1, "+"),
            (3, "+"),
            (0, "?"),
            (1, "?"),
            (2, "{2}"),
            (0, "{0,2}"),
            (0, "{,2}"),
            (1, "{01}"),
        ]
    )
    return st.one_of(
        st.lists(inner, max_size=3).map(lambda some: ("".join(p for p, _ in some), "".join(t for _, t in some))),
        st.builds(lambda part, how: repeated(part, *how), inner, repetition),
        st.builds(either, inner, inner, st.sampled_from(["(", "(?:", "(?P<n>", "(?i:", "(?-i:", "(?s-U:"])),
        st.builds(
            lambda one, any_, other: (one[0] + any_[0] + other[0], one[1] + any_[1] + other[1]),
            inner,
            st.sampled_from(
                [
                    (".", "é"),
                    ("[^x]", "e"),
                    ("[ks]", "K"),
                    (r"\w*", ""),
                    ("^?", ""),
                    (r"\pL", "ß"),
                    ("[]a]", "]"),
                    ("[[:alpha:]]", "b"),
                    (r"\B", ""),
                    (r"\Qa.\E", "a."),
                    ("{2}", ""),
                ]
            ),
            inner,
        ),
    )


PAIRS = st.recursive(parts(), joined, max_leaves=8)


@settings(max_examples=300, deadline=None)
@given(PAIRS, st.text(CHARACTERS, max_size=4), st.text(CHARACTERS, max_size=4))
def test_a_text_that_matches_holds_every_required_literal(pair: tuple[str, str], before: str, after: str) -> None:
    pattern, text = pair
    for candidate in (before + text + after, text, before + after):
        if found(pattern, candidate):
            assert missing(pattern, candidate) == []


SYNTAX = st.lists(
    st.sampled_from(
        [*"()[]{}|*+?^$.\\-:,<>PiQE012abc ", "(?:", "(?i)", "{1,2}", "[^", "abc", "\\b", "\\Q", "\\E", "[:"]
    ),
    max_size=14,
).map("".join)


@settings(max_examples=300, deadline=None)
@given(SYNTAX, st.text("abc012 {},[]():-<>\u0301", max_size=20))
def test_no_syntax_makes_up_a_requirement(pattern: str, text: str) -> None:
    for candidate in (text, pattern, pattern + text, text + "abc"):
        if found(pattern, candidate):
            assert missing(pattern, candidate) == []
