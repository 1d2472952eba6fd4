"""Where a walk begins: at what the words of a question name, as far as the caller may know of it."""

from graph.facts.walking import Trail, walk
from pawflow_web.identity.principal import Principal
from tests.graph.facts import fact
from tests.llm.fixtures import no_local_model, server
from tests.llm.server import EmbeddingServer
from tests.review.beliefs import Parties
from tests.review.embedded import follow

__all__ = ["no_local_model", "server"]


def walked(principal: Principal, question: str, depth: int = 3) -> Trail:
    return walk(principal=principal, question=question, depth=depth)


def seeds(principal: Principal, question: str) -> list[tuple[str, str]]:
    return list(walked(principal, question, depth=0).seeds)


def test_a_question_begins_at_what_it_names(parties: Parties) -> None:
    fact(parties.coder, "Lotta Berg", "maintains", "PawFlow Web")
    fact(parties.coder, "Lotta Holm", "visits", "New York")
    fact(parties.coder, "York", "part_of", "England")
    fact(parties.coder, "Old Lotta", "knows", "Whole Foods")
    for question, expected in {
        "LOTTA  berg": [("Lotta Berg", "exact")],
        "What does Lotta Berg maintain?": [("Lotta Berg", "exact")],
        "Where is Lotta Berg's desk": [("Lotta Berg", "exact")],
        "Is New York in England?": [("New York", "exact"), ("England", "exact")],
        "lotta": [("Lotta Berg", "prefix"), ("Lotta Holm", "prefix"), ("Old Lotta", "token")],
        "lot": [("Lotta Berg", "prefix"), ("Lotta Holm", "prefix")],
        "lo": [],
        "berg": [("Lotta Berg", "token")],
        "who is the cat": [],
        "what does it do": [],
        "?": [],
        "Lotta Berg and the web of York": [("Lotta Berg", "exact"), ("York", "exact"), ("PawFlow Web", "token")],
    }.items():
        assert seeds(parties.coder, question) == expected, question


def test_a_name_that_only_holds_a_sentence_together_is_one_where_nothing_else_is_said(parties: Parties) -> None:
    fact(parties.coder, "It", "knows", "Ada")
    assert seeds(parties.coder, "it") == [("It", "exact")]
    assert seeds(parties.coder, "Is it Ada?") == [("Ada", "exact")]


def test_names_in_any_script_are_found(parties: Parties) -> None:
    fact(parties.coder, "小王明", "居住", "北京市")
    fact(parties.coder, "Лотта", "знает", "Ада Лавлейс")
    assert ("小王明", "prefix") in seeds(parties.coder, "小王明住在哪里")
    assert seeds(parties.coder, "Кого знает Лотта?") == [("Лотта", "exact")]
    assert seeds(parties.coder, "лавлейс") == [("Ада Лавлейс", "token")]


def test_a_name_that_the_caller_may_not_know_of_is_none_and_hides_none(parties: Parties) -> None:
    fact(parties.writer, "Berlin", "hosts", "The secret summit", scope="agent")
    fact(parties.coder, "Berlin Wall", "fell_in", "1989")
    fact(parties.cron, "Berlin Zoo", "houses", "Bears")
    assert seeds(parties.coder, "Berlin") == [("Berlin Wall", "prefix")]
    assert seeds(parties.writer, "Berlin") == [("Berlin", "exact")]
    assert seeds(parties.coder, "summit bears") == []


def test_the_best_ten_of_what_is_named_and_the_best_connected_of_equals(parties: Parties) -> None:
    for number in range(12):
        fact(parties.coder, f"Node {number}", "part_of", "Net")
    fact(parties.coder, "Node 11", "near", "Node 10")
    trail = walked(parties.coder, "node", depth=0)
    assert [name for name, _ in trail.seeds[:3]] == ["Node 10", "Node 11", "Node 0"]
    assert (len(trail.seeds), trail.complete) == (10, False)
    assert walked(parties.coder, "Node 3", depth=0).complete


def test_where_no_word_names_anything_meaning_does(parties: Parties, server: EmbeddingServer) -> None:
    fact(parties.coder, "The puppy", "sleeps_in", "The kitchen")
    fact(parties.writer, "The puppy", "sleeps_in", "The cellar", scope="agent")
    follow()
    trail = walked(parties.coder, "canine")
    assert trail.seeds == (("The puppy", "meaning"), ("The kitchen", "meaning"))
    assert [met.object for met, _ in trail.edges] == ["The kitchen"]
    assert not trail.complete
