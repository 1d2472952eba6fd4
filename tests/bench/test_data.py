"""The made-up notes: the same for the same seed, never twice the same, and words spread as in life."""

from collections import Counter

from bench.report import percentile_ms
from bench.words import FUNCTION_WORDS, Writer
from pawflow_web.lib.text import analyse, fold


def test_one_seed_writes_the_same_notes_and_another_seed_others() -> None:
    first, again, other = (Writer(seed) for seed in (1, 1, 2))
    texts = [first.note().text for _ in range(50)]
    assert texts == [again.note().text for _ in range(50)]
    assert not set(texts) & {other.note().text for _ in range(50)}


def test_no_two_notes_are_the_same_words() -> None:
    writer = Writer(1)
    texts = [writer.note().text for _ in range(3000)]
    assert len({fold(text) for text in texts}) == len(texts)


def test_some_words_stand_in_most_notes_and_most_words_in_few() -> None:
    writer = Writer(1)
    notes = [set(analyse(writer.note().text).exact) for _ in range(2000)]
    frequency = Counter(word for words in notes for word in words)
    assert frequency["the"] > 0.7 * len(notes)
    rare = [word for word, count in frequency.items() if count <= 2]
    assert len(rare) > len(frequency) / 2
    assert sum(not text.isascii() for text in map(" ".join, notes)) > 0.05 * len(notes)


def test_a_question_holds_words_of_its_note_that_tell_it_from_others() -> None:
    writer = Writer(1)
    text = next(text for text in iter(lambda: writer.note().text, "") if text.isascii())
    asked = set(analyse(writer.question(text)).exact)
    assert asked & set(analyse(text).exact) - set(FUNCTION_WORDS)
    assert asked & set(FUNCTION_WORDS)


def test_a_percentile_is_a_time_that_was_measured() -> None:
    taken = [n / 1000 for n in range(1, 101)]
    assert (percentile_ms(taken, 50), percentile_ms(taken, 95)) == (50.0, 95.0)
    assert percentile_ms([0.004], 95) == 4.0
