"""What the pages say about search by meaning."""

from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from pawflow_web.identity.models import User
from pawflow_web.llm.models import EmbeddingSource
from review.search.embedding import embed_slice
from tests.llm.fixtures import no_local_model, server
from tests.llm.server import EmbeddingServer, Reply
from tests.review.embedded import SOON, follow
from tests.web.beliefs import remember
from tests.web.people import text_of

__all__ = ["no_local_model", "server"]


def test_a_search_says_that_it_looked_at_the_meaning(lotta: User, browser: Client, server: EmbeddingServer) -> None:
    remember(lotta, "The puppy sleeps upstairs")
    follow()
    shown = text_of(browser.get("/memories?q=canine"))
    assert "The puppy sleeps upstairs" in shown
    assert "1 of 1 searched, by words and meaning" in shown
    assert "Search by meaning" not in shown


@pytest.mark.parametrize(
    ("embeddings", "said"),
    [
        ("auto", "Search by meaning is off: make up EMBEDDINGS=1 turns it on."),
        ("none", "Search by meaning is off: PAWFLOW_EMBEDDINGS says so."),
    ],
)
def test_without_a_model_it_says_how_to_turn_it_on(
    lotta: User, browser: Client, settings: Any, no_local_model: None, embeddings: str, said: str
) -> None:
    settings.ENV = replace(settings.ENV, embeddings=embeddings)
    remember(lotta, "The puppy sleeps upstairs")
    shown = text_of(browser.get("/memories?q=puppy"))
    assert "1 of 1 searched, by words" in shown
    assert said in shown
    assert "Search by meaning" not in text_of(browser.get("/memories"))


def test_a_model_that_does_not_answer_is_named_as_the_reason(
    lotta: User, browser: Client, server: EmbeddingServer
) -> None:
    remember(lotta, "The puppy sleeps upstairs")
    server.script = lambda _: Reply(b"", status=503)
    embed_slice(SOON)
    assert EmbeddingSource.objects.get().failure == "refused_503"
    shown = text_of(browser.get("/memories?q=puppy"))
    assert "the model does not answer (refused_503)" in shown
    assert "The puppy sleeps upstairs" in shown


def test_the_overview_knows_how_it_stands(lotta: User, browser: Client, server: EmbeddingServer) -> None:
    remember(lotta, "The puppy sleeps upstairs")
    assert "Search by meaning starting" in text_of(browser.get("/"))
    follow()
    assert "Search by meaning on, with scripted" in text_of(browser.get("/"))
