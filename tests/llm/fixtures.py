"""Embeddings turned on for a test, by a server of ours or by the model on this machine."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from pytest_django import Settings

from pawflow_web.llm import endpoint, minilm, questions
from pawflow_web.llm.models import EmbeddingSource
from tests.llm.server import EmbeddingServer, embedding_server

KEY = "sk-not-to-be-logged-4711"


@pytest.fixture
def server(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    """A running server that the settings name; nothing has been asked of it yet. No local model is beside it. A busy
    machine changes no answer: questions have more patience than in life."""
    monkeypatch.setattr(questions, "PATIENCE_S", 5.0)
    # What an earlier test left hanging is none of this one's business.
    questions._desk.cache_clear()
    with embedding_server() as running:
        switch(settings, embeddings="auto", embeddings_url=running.url, embeddings_model="scripted", embeddings_key=KEY)
        yield running
        endpoint.provider(running.url, "scripted", KEY).close()
        endpoint.provider.cache_clear()


@pytest.fixture(autouse=True)
def no_local_model(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What happens to be installed changes no test that does not ask for it."""
    if "local_model" not in request.fixturenames:
        monkeypatch.setattr(minilm, "weights", lambda: None)
    forget = minilm.provider.cache_clear
    forget()
    yield
    forget()


@pytest.fixture
def local_model(settings: Settings) -> Callable[[], Any]:
    """The model on this machine, or a skip that says how to get it."""
    switch(settings, embeddings="local", embeddings_url=None)
    if minilm.weights() is None:
        pytest.skip("no local model: make embeddings")
    return minilm.provider


def switch(settings: Settings, **changes: Any) -> None:
    """Other values of the environment for this test."""
    settings.ENV = replace(settings.ENV, **changes)


def let_try_again() -> None:
    """As if the pause after a failure were over."""
    EmbeddingSource.objects.update(retry_at=None)
