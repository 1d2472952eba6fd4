"""Matching texts by a pattern: what matches, what is refused, and what each limit does."""

import random
import time

import pytest

from conversations.recall.regex import Limits, Matcher, RegexError, matching

LIMITS = Limits(timeout_ms=20_000)
# Each `a` may be the one that counts, so that the automaton has more states than there is memory for.
SLOW = "a[ab]{900}c"
SLOW_TEXT = "".join(random.Random(1).choices("ab", k=2_000_000))


def matches(pattern: str, *texts: str, limits: Limits = LIMITS) -> list[bool]:
    with matching(pattern, limits) as matcher:
        return matcher.matches(texts)


def refused(pattern: str, *texts: str, limits: Limits = LIMITS) -> RegexError:
    with pytest.raises(RegexError) as refusal:
        matches(pattern, *texts, limits=limits)
    assert str(refusal.value) == refusal.value.message
    return refusal.value


# --- what matches ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("pattern", "found", "passed_by"),
    [
        ("code 4[0-9]", "exit code 42", "exit code 52"),
        ("needle", "a NEEDLE in hay", "a noodle in hay"),
        ("kelvin", "\u212aelvin", "helvin"),
        ("größe", "GRÖSSE, GRÖßE", "GROSSE"),
        ("(?-i)Needle", "Needle", "needle"),
        ("a.c", "abc", "a\nc"),
        ("(?s)a.c", "a\nc", "ac"),
        ("^b$", "b", "a\nb"),
        ("(?m)^b$", "a\nb", "ab"),
        ("a\nb", "a\nb", "a b"),
        ("a\x00b", "a\x00B", "ab"),
        (r"^\p{Greek}+$", "Ωμέγα", "Omega"),
        (r"\bend\b", "the end", "bending"),
        ("^.$", "😀", "ab"),
        ("", "", None),
        ("^$", "", " "),
    ],
)
def test_a_pattern_is_found_anywhere_in_either_case(pattern: str, found: str, passed_by: str | None) -> None:
    assert matches(pattern, found) == [True]
    assert passed_by is None or matches(pattern, passed_by) == [False]


def test_texts_are_answered_in_their_order_batch_after_batch() -> None:
    texts = [f"entry {number} " + "ä" * (number % 7) for number in range(5000)]
    with matching("7 ä", LIMITS) as matcher:
        assert matcher.matches([]) == []
        for batch in (texts, texts[:3], texts[::-1]):
            assert matcher.matches(batch) == ["7 ä" in text for text in batch]


def test_no_text_reaches_into_the_next() -> None:
    assert matches("(?s)a.*b", "a", "b", "ab", "", "a") == [False, False, True, False, False]


def test_half_a_character_in_a_text_counts_as_a_question_mark() -> None:
    assert matches("^a\\?b$", "a\ud83db", "a\ud83d\ude00b", "aab") == [True, False, False]


# --- what is refused ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("a(?=b)", "no look-around"),
        ("a(?!b)", "no look-around"),
        ("(?<=a)b", "no look-around"),
        ("(?<!a)b", "no look-around"),
        (r"(a)\1", "no references back"),
        (r"(?P<n>a)(?P=n)", "no references back"),
        (r"(?P<n>a)\k<n>", "no references back"),
        ("(?>a)", "does not take this pattern: invalid perl operator: (?>"),
        ("a(b", "missing )"),
        ("[(?=", "does not take this pattern: missing ]"),
        ("a)b", "unexpected )"),
        ("[z-a]", "invalid character class range: z-a"),
        ("a**", "bad repetition operator: **"),
        ("a{1001}", "invalid repetition size: {1001}"),
        ("*", "no argument for repetition operator: *"),
        (r"\p{Klingon}", r"\p{Klingon}"),
        ("a\\", "trailing \\"),
        ("x\x00(", r"x\x00("),
        ("a\ud83db", r"half a character, '\ud83d'"),
    ],
)
def test_what_is_no_pattern_is_refused_with_the_reason(pattern: str, words: str) -> None:
    refusal = refused(pattern, "ab")
    assert refusal.code == "invalid_regex"
    assert words in refusal.message
    assert "\x00" not in refusal.message
    refusal.message.encode()
    assert matches("ab", "ab") == [True]


def test_the_size_of_a_pattern_is_counted_in_bytes() -> None:
    four = Limits(pattern_bytes=4, timeout_ms=20_000)
    assert matches("éé", "ÉÉ", limits=four) == [True]
    assert refused("ééa", "ÉÉA", limits=four).code == "regex_pattern_too_large"
    assert refused("é\ud83d", limits=four).code == "regex_pattern_too_large"


def test_a_pattern_is_refused_before_there_is_any_text() -> None:
    assert refused("(").code == "invalid_regex"
    assert matches("a") == []


# --- limits ---------------------------------------------------------------------------------------------------
def test_a_pattern_that_explodes_elsewhere_is_linear_here() -> None:
    begun = time.monotonic()
    assert matches("(a+)+$", "a" * 80_000 + "!", "a" * 80_000, limits=Limits(timeout_ms=2000)) == [False, True]
    assert time.monotonic() - begun < 2


def test_a_query_ends_with_its_time_and_the_next_one_works() -> None:
    begun = time.monotonic()
    refusal = refused(SLOW, SLOW_TEXT, limits=Limits(timeout_ms=200))
    assert refusal.code == "regex_timeout"
    assert 0.2 <= time.monotonic() - begun < 0.7
    assert matches("b{9}", SLOW_TEXT) == [True]


def ask_for_ever(matcher: Matcher) -> None:
    while True:
        assert matcher.matches(["a"]) == [True]


def test_the_time_is_that_of_the_whole_query() -> None:
    with matching("a", Limits(timeout_ms=200)) as matcher:
        begun = time.monotonic()
        with pytest.raises(RegexError) as refusal:
            ask_for_ever(matcher)
    assert refusal.value.code == "regex_timeout"
    assert time.monotonic() - begun < 0.7


def test_memory_that_runs_out_ends_the_query_alone() -> None:
    small = Limits(timeout_ms=20_000, memory_bytes=64 * 1024 * 1024)
    text = "a" * 60_000_000 + "b"
    refusal = refused("b", text, limits=small)
    assert refusal.code == "regex_worker_error"
    assert "memory" in refusal.message
    assert matches("b", text) == [True]
    assert matches("b", "b", limits=small) == [True]
