"""``manage.py reembed``: everything by the model in use, nothing of any other."""

import io
import json
import threading
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from pytest_django import Settings

from pawflow_web.lib.db import advisory_lock, execute
from pawflow_web.lib.drains import lock_of
from pawflow_web.lib.errors import NoEmbedder
from pawflow_web.llm.models import EmbeddingModel, EmbeddingSource
from pawflow_web.llm.state import why_none
from review.journal.acts import EMBED_DRAIN
from review.models import ItemVector
from review.search import embedding
from tests.factories import make_owner
from tests.llm.fixtures import let_try_again, no_local_model, server, switch
from tests.llm.server import EmbeddingServer, Reply
from tests.review.beliefs import Parties, said
from tests.review.embedded import embedded, follow, near
from tests.startup.product import eventually

__all__ = ["no_local_model", "server"]


def reembed(*arguments: str) -> dict[str, Any]:
    out = io.StringIO()
    call_command("reembed", *arguments, "--json", stdout=out, stderr=io.StringIO())
    answer: dict[str, Any] = json.loads(out.getvalue())
    return answer


def test_what_other_models_made_is_dropped(parties: Parties, server: EmbeddingServer) -> None:
    said(parties.coder, "The puppy sleeps upstairs")
    follow()
    old = EmbeddingModel.objects.get()
    server.model = "second"
    EmbeddingSource.objects.update(checked_at=None)
    kept = reembed("--keep")
    assert (kept["vectors"], kept["removed"], ItemVector.objects.count()) == (1, 0, 2)
    answer = reembed()
    assert answer == {
        "model": "scripted",
        "source": "endpoint",
        "dimension": 256,
        "vectors": 1,
        "waiting": 0,
        "removed": 1,
    }
    assert not EmbeddingModel.objects.filter(pk=old.pk).exists()
    assert near(parties.coder, "canine") == ["The puppy sleeps upstairs"]


def test_beginning_again_asks_for_everything_anew(parties: Parties, server: EmbeddingServer) -> None:
    said(parties.coder, "The puppy sleeps upstairs")
    follow()
    assert reembed()["removed"] == 0
    assert server.texts.count("The puppy sleeps upstairs") == 1
    assert reembed("--again")["removed"] == 1
    assert server.texts.count("The puppy sleeps upstairs") == 2
    assert embedded() == {"The puppy sleeps upstairs"}


def test_interrupted_it_goes_on_where_it_was(parties: Parties, server: EmbeddingServer) -> None:
    for number in range(100):
        said(parties.coder, f"The puppy number{number} barks")

    server.script = lambda request: Reply(b"", status=503) if len(server.requests) > 3 else None
    with pytest.raises((SystemExit, CommandError)):
        reembed()
    half = len(embedded())
    assert 0 < half < 100
    server.script = None
    let_try_again()
    assert reembed()["vectors"] == 100
    assert server.texts.count("The puppy number0 barks") == 1


def test_without_anybody_it_says_what_to_do(parties: Parties, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        call_command("reembed", "--json")
    assert ended.value.code == 1
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["code"] == "no_embedder"
    assert "PAWFLOW_EMBEDDINGS=none" in error["message"]
    assert not embedding.embed_slice(0)


_WAITS = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("option", ["--again", "--keep"])
def test_it_neither_binds_nor_forgets_a_model_during_a_slice_of_the_worker(
    transactional_db: None, server: EmbeddingServer, option: str
) -> None:
    parties = Parties.of(make_owner("alice"))
    said(parties.coder, "The puppy sleeps upstairs")
    answers: list[dict[str, Any]] = []

    def run() -> None:
        try:
            answers.append(reembed(option))
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    with advisory_lock(lock_of(EMBED_DRAIN)) as held:
        assert held
        thread.start()
        eventually(lambda: execute(_WAITS)[0][0] == 1, "that it waits")
        assert not EmbeddingModel.objects.exists()
        while embedding.embed_slice(10**9.0):
            pass
        assert embedded() == {"The puppy sleeps upstairs"}
    thread.join(60)
    assert answers == [{**answers[0], "vectors": 1, "removed": 1 if option == "--again" else 0}]
    assert EmbeddingModel.objects.count() == 1


@pytest.mark.parametrize(("embeddings", "fix"), [("none", "PAWFLOW_EMBEDDINGS=none"), ("auto", "EMBEDDINGS=1")])
def test_a_failure_of_one_who_is_not_asked_any_more_is_no_reason(
    parties: Parties, settings: Settings, embeddings: str, fix: str
) -> None:
    EmbeddingSource.objects.create(name="endpoint", failures=3, failure="refused_401")
    switch(settings, embeddings=embeddings, embeddings_url=None)
    assert fix in why_none("not_installed")
    with pytest.raises(NoEmbedder) as refused:
        near(parties.coder, "puppy")
    assert fix in refused.value.message
    assert "refused_401" not in refused.value.message


def test_the_failure_of_the_one_who_is_asked_is_the_reason(parties: Parties, server: EmbeddingServer) -> None:
    EmbeddingSource.objects.create(name="endpoint", failures=3, failure="refused_401")
    assert "refused_401" in why_none("timeout")
    EmbeddingSource.objects.update(failures=0)
    assert "timeout" in why_none("timeout")
