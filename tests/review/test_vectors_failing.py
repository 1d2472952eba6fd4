"""What is stored, and what recall says, when somebody cannot embed or lies."""

import math
import random
from collections.abc import Sequence
from typing import Any

import pytest

from memory.notes.find import recall_notes
from memory.notes.meaning import notes_near
from pawflow_web.jobs.models import Task
from pawflow_web.lib.errors import NoEmbedder
from pawflow_web.llm import endpoint, minilm, questions
from pawflow_web.llm.embeddings import Vector, unit
from pawflow_web.llm.models import EmbeddingModel, EmbeddingSource, Source
from review.models import GovernanceItem, ItemVector
from review.search import embedding
from review.search.vectors import RETRY
from tests.llm.fixtures import KEY, let_try_again, no_local_model, server, switch
from tests.llm.server import DIMENSION, EmbeddingServer, Reply, Request, embed, embedding_server, said
from tests.review.beliefs import Parties
from tests.review.beliefs import said as told
from tests.review.embedded import SOON, embedded, follow, near, tell, texts

__all__ = ["no_local_model", "server"]


def test_without_a_model_words_are_searched_and_it_says_so(parties: Parties) -> None:
    tell(parties.coder, "The puppy sleeps upstairs")
    follow()
    page = recall_notes(principal=parties.coder, query="puppy")
    assert texts(page) == ["The puppy sleeps upstairs"]
    assert (page.coverage.mode, page.coverage.complete, page.coverage.notes) == ("keyword", True, ("no_embedder",))
    with pytest.raises(NoEmbedder) as refused:
        near(parties.coder, "puppy")
    assert "PAWFLOW_EMBEDDINGS" in refused.value.message
    assert refused.value.status == 503


def test_what_waits_for_its_vector_is_counted(parties: Parties, strangers: Parties, server: EmbeddingServer) -> None:
    tell(parties.coder, "The puppy sleeps upstairs")
    tell(strangers.coder, "The puppy of bob")
    follow()
    tell(parties.coder, "The hound does not sleep")
    tell(parties.writer, "The hound of the writer", scope="agent")
    tell(parties.cron, "The hound waits for a person")
    page = recall_notes(principal=parties.coder, query="hound")
    assert set(texts(page)) == {"The puppy sleeps upstairs", "The hound does not sleep"}
    assert (page.coverage.mode, page.coverage.notes, page.coverage.complete) == ("hybrid", ("vectors_pending:1",), True)
    by_meaning = notes_near(principal=parties.coder, query="hound").coverage
    assert (by_meaning.notes, by_meaning.reasons) == (("vectors_pending:1",), ("index_behind",))
    assert recall_notes(principal=strangers.coder, query="hound").coverage.notes == ()
    follow()
    assert recall_notes(principal=parties.coder, query="hound").coverage.notes == ()


def test_one_that_hangs_costs_a_question_its_patience_and_then_nothing(
    parties: Parties, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(questions, "PATIENCE_S", 0.08)
    tell(parties.coder, "The puppy sleeps upstairs")
    follow()
    server.script = server.hang
    for number in range(12):
        page = recall_notes(principal=parties.coder, query=f"puppy {number}")
        assert texts(page) == ["The puppy sleeps upstairs"]
        assert (page.coverage.mode, page.coverage.reasons, page.coverage.complete) == ("keyword", ("deadline",), False)
    # as many as may be asked at once, and no more
    assert len([request for request in server.requests if "puppy" in request.texts[-1]]) <= 1 + 8


def test_one_that_refuses_leaves_the_words(parties: Parties, server: EmbeddingServer) -> None:
    tell(parties.coder, "The puppy sleeps upstairs")
    follow()
    server.script = lambda _: Reply(b"{}", status=401)
    page = recall_notes(principal=parties.coder, query="puppy")
    assert (texts(page), page.coverage.mode) == (["The puppy sleeps upstairs"], "keyword")
    with pytest.raises(NoEmbedder):
        near(parties.coder, "puppy")


def test_a_vector_of_a_question_is_remembered(parties: Parties, server: EmbeddingServer) -> None:
    tell(parties.coder, "The puppy sleeps upstairs")
    follow()
    for _ in range(3):
        assert near(parties.coder, "canine") == ["The puppy sleeps upstairs"]
    assert server.texts.count("canine") == 1


def test_a_dead_endpoint_is_left_alone_for_a_while_and_nothing_is_stored(
    parties: Parties, server: EmbeddingServer
) -> None:
    tell(parties.coder, "The puppy sleeps upstairs")
    server.script = lambda _: Reply(b"", status=503)
    assert not embedding.embed_slice(SOON)
    asked = len(server.requests)
    assert not embedding.embed_slice(SOON)
    assert len(server.requests) == asked
    source = EmbeddingSource.objects.get()
    assert (source.failures, source.failure, embedded()) == (1, "refused_503", set())
    server.script = None
    let_try_again()
    follow()
    assert embedded() == {"The puppy sleeps upstairs"}
    assert EmbeddingSource.objects.get().failures == 0


def test_dying_in_the_middle_of_the_work_loses_nothing(parties: Parties, server: EmbeddingServer) -> None:
    for number in range(150):
        told(parties.coder, f"The puppy number{number} barks")

    def dies(request: Request) -> Reply | None:
        return Reply(said(request.vectors).body, cut=200) if len(server.requests) > 3 else None

    server.script = dies
    follow()
    half = len(embedded())
    assert 0 < half < 150
    assert recall_notes(principal=parties.coder, query="canine").coverage.mode == "keyword"
    server.script = None
    let_try_again()
    follow()
    assert len(embedded()) == 150
    assert len([text for text in server.texts if text == "The puppy number0 barks"]) == 1


@pytest.mark.parametrize("how", ["refused", "cut"])
def test_one_text_that_chokes_it_does_not_hold_up_the_others(
    parties: Parties, server: EmbeddingServer, how: str
) -> None:
    for number in range(40):
        told(parties.coder, f"The {'poisoned ' if number == 17 else ''}puppy number{number} barks")

    def chokes(request: Request) -> Reply | None:
        if "poisoned" not in str(request.texts):
            return None
        return Reply(b"{}", status=500) if how == "refused" else Reply(said(request.vectors).body, cut=10)

    server.script = chokes
    follow()
    poisoned = GovernanceItem.objects.get(text__contains="poisoned")
    assert len(embedded()) == 39
    task = Task.objects.get(kind=RETRY)
    assert (task.subject, task.user_id) == (poisoned.ref, parties.user.pk)
    page = recall_notes(principal=parties.coder, query="canine")
    assert page.coverage.notes == ("vectors_pending:1",)
    Task.objects.update(next_at=task.created_at)
    follow()
    assert Task.objects.get().attempts == 1
    server.script = None
    Task.objects.update(next_at=task.created_at)
    follow()
    assert poisoned.text in embedded()
    assert not Task.objects.exists()
    assert recall_notes(principal=parties.coder, query="canine").coverage.notes == ()


def test_a_text_too_long_for_it_is_known_by_its_beginning(parties: Parties, server: EmbeddingServer) -> None:
    long = told(parties.coder, "The puppy barks. " * 200)
    server.script = lambda request: Reply(b"{}", status=400) if max(map(len, request.texts)) > 2500 else None
    follow()
    assert embedded() == {long.text}
    assert not Task.objects.exists()


@pytest.mark.parametrize(
    "lie", [[math.nan] * DIMENSION, [0.0] * DIMENSION, [1.0] * 7, []], ids=["nan", "0", "short", "no"]
)
def test_a_lie_about_one_text_is_not_stored(parties: Parties, server: EmbeddingServer, lie: str) -> None:
    told(parties.coder, "The puppy sleeps upstairs")
    told(parties.coder, "The poisoned hound does not")

    def lies(request: Request) -> Reply:
        return said(
            [lie if "poisoned" in text else vector for text, vector in zip(request.texts, request.vectors, strict=True)]
        )

    server.script = lies
    follow()
    assert embedded() == {"The puppy sleeps upstairs"}
    assert Task.objects.filter(kind=RETRY).count() == 1
    assert near(parties.coder, "canine") == ["The puppy sleeps upstairs"]


@pytest.mark.parametrize("change", ["weights", "dimension"])
def test_a_model_that_changes_is_another_model(parties: Parties, server: EmbeddingServer, change: str) -> None:
    told(parties.coder, "The puppy sleeps upstairs")
    follow()
    before = EmbeddingModel.objects.get()
    if change == "weights":
        server.model = "second"
    else:
        server.dimension = 64
    # Asked by the new model, what the old one made is not compared.
    page = recall_notes(principal=parties.coder, query="canine")
    assert (texts(page), page.coverage.mode) == ([], "keyword")
    told(parties.coder, "The hound does not sleep")
    follow()
    now = EmbeddingModel.objects.get(current=True)
    assert now.pk != before.pk
    assert ItemVector.objects.filter(model=now).count() == 2
    assert set(near(parties.coder, "canine")) == {"The puppy sleeps upstairs", "The hound does not sleep"}
    server.model, server.dimension = "", DIMENSION
    EmbeddingSource.objects.update(checked_at=None)
    follow()
    assert EmbeddingModel.objects.get(current=True).pk == before.pk
    assert ItemVector.objects.filter(model=before).count() == 2


def test_a_server_that_moves_serves_the_same_model(parties: Parties, server: EmbeddingServer, settings: Any) -> None:

    told(parties.coder, "The puppy sleeps upstairs")
    follow()
    with embedding_server() as elsewhere:
        switch(settings, embeddings_url=elsewhere.url)
        EmbeddingSource.objects.update(checked_at=None)
        follow()
        assert EmbeddingModel.objects.count() == 1
        assert near(parties.coder, "canine") == ["The puppy sleeps upstairs"]
        assert "The puppy sleeps upstairs" not in elsewhere.texts

        endpoint.provider(elsewhere.url, "scripted", KEY).close()


def test_one_that_answers_at_random_is_no_model(parties: Parties, server: EmbeddingServer) -> None:
    told(parties.coder, "The puppy sleeps upstairs")
    source = random.Random(1)
    server.script = lambda request: said([[source.gauss(0, 1) for _ in range(DIMENSION)] for _ in request.texts])
    follow()
    assert not EmbeddingModel.objects.exists()
    assert EmbeddingSource.objects.get().failure == "unstable"
    server.script = None
    let_try_again()
    follow()
    assert embedded() == {"The puppy sleeps upstairs"}


def test_one_that_stays_away_gives_way_to_the_next_in_line(
    parties: Parties, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Small:
        source = Source.LOCAL
        model_name = "small"

        def embed(self, texts: Sequence[str], *, seconds: float) -> list[Vector | None]:
            return [unit(embed(text, model="small", dimension=32)) for text in texts]

    told(parties.coder, "The puppy sleeps upstairs")
    follow()
    monkeypatch.setattr(minilm, "provider", Small)
    server.script = lambda _: Reply(b"", status=503)
    for failures in range(1, 4):
        EmbeddingSource.objects.update(checked_at=None)
        let_try_again()
        assert EmbeddingModel.objects.get(current=True).source == "endpoint"
        follow()
        assert EmbeddingSource.objects.get(name="endpoint").failures == failures
    assert EmbeddingModel.objects.get(current=True).source == "local"
    assert near(parties.coder, "canine") == ["The puppy sleeps upstairs"]
    server.script = None
    let_try_again()
    follow()
    assert EmbeddingModel.objects.get(current=True).source == "endpoint"
    assert ItemVector.objects.count() == 2
