"""``manage.py reembed``: everything by the model in use, nothing of any other."""

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from pawflow_web.llm.models import EmbeddingModel, EmbeddingSource
from review import embedding
from review.models import ItemVector
from tests.llm.fixtures import let_try_again, no_local_model, server
from tests.llm.server import EmbeddingServer, Reply
from tests.review.beliefs import Parties, said
from tests.review.embedded import embedded, follow, near

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
    assert "PAWFLOW_EMBEDDINGS_URL" in error["message"]
    assert not embedding.embed_slice(0)
