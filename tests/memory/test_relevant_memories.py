"""What the person's latest words call to mind, beside the digest."""

from memory.context import build_context
from memory.context.build import MEMORY, RELEVANT
from memory.context.relevant import LINE_CHARS, MOST, relevant
from pawflow_web.lib.blocks import Ask
from review import lifecycle
from review.search.index import catch_up
from tests.memory.notes import tell, texts
from tests.review.beliefs import Parties


def test_what_answers_to_the_words_is_shown_best_first(parties: Parties) -> None:
    tell(parties.coder, "The staging server is in Dublin and has a slow disk")
    tell(parties.coder, "The staging server is slow")
    tell(parties.coder, "The office plants need water")
    found = relevant(Ask(parties.coder, query="why is the staging server slow?"))

    assert texts(found)[0] == "The staging server is slow"
    assert "The office plants need water" not in texts(found)
    assert found is not None
    assert [set(line.matched) >= {"staging", "slow"} for line in found.lines()] == [True, True]


def test_at_most_five_and_none_that_the_digest_shows(parties: Parties) -> None:
    for n in range(14):
        tell(parties.coder, f"Bread recipe number {n}")
    context = build_context(parties.coder, query="bread recipe", patient=True)
    blocks = {block.name: {line.item for line in block.content.lines()} for block in context.built}

    assert len(blocks[MEMORY]) == 5
    assert len(blocks[RELEVANT]) == MOST
    assert blocks[MEMORY].isdisjoint(blocks[RELEVANT])


def test_a_long_memory_is_shown_around_the_words_in_one_short_line(parties: Parties) -> None:
    tell(parties.coder, "start " * 300 + "\nthe zebra\ncrossing " + "end " * 300)
    found = relevant(Ask(parties.coder, query="zebra"))

    assert found is not None
    (line,) = found.lines()
    assert "the zebra crossing" in line.text
    assert len(line.text) <= LINE_CHARS
    assert "\n" not in line.text


def test_without_words_or_an_answer_there_is_no_block(parties: Parties, strangers: Parties) -> None:
    tell(parties.coder, "The staging server is slow")

    for query in ("", "   ", "zebra", "?!"):
        assert relevant(Ask(parties.coder, query=query)) is None
    assert relevant(Ask(strangers.coder, query="staging")) is None
    assert relevant(Ask(parties.coder, query="staging")) is not None


def test_what_was_forgotten_is_gone_from_it_although_the_index_still_has_it(parties: Parties) -> None:
    item = tell(parties.coder, "The staging server is slow")
    while catch_up(parties.user.pk):
        pass
    assert texts(relevant(Ask(parties.coder, query="staging"))) == ["The staging server is slow"]
    lifecycle.forget(principal=parties.coder, reference=item.ref)

    assert relevant(Ask(parties.coder, query="staging")) is None
