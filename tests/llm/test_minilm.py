"""The model on this machine: what it makes of texts, and that it needs nobody else for it."""

import os
import random
import socket
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from memory.notes.find import recall_notes
from memory.notes.meaning import notes_near
from pawflow_web.llm import minilm
from pawflow_web.llm.embeddings import SENTENCES, likeness
from pawflow_web.llm.minilm import LocalProvider
from pawflow_web.llm.models import EmbeddingModel
from pawflow_web.llm.weights import NAME, onnx_file, weights
from tests.review.beliefs import Parties
from tests.review.embedded import follow, tell, texts

Local = Callable[[], LocalProvider]
# What these libraries say about each other is none of our business.
pytestmark = pytest.mark.filterwarnings("ignore")


def onnx() -> LocalProvider:
    if not onnx_file().exists() or find_spec("onnxruntime") is None:
        pytest.skip("no ONNX model: make embeddings")
    folder = weights()
    assert folder is not None
    return LocalProvider(f"{NAME}-int8", lambda: minilm._on_onnx(folder, onnx_file()))


def torch() -> LocalProvider:
    if find_spec("sentence_transformers") is None:
        pytest.skip("no PyTorch: make embeddings-torch")
    folder = weights()
    assert folder is not None
    return LocalProvider(NAME, lambda: minilm._on_torch(folder))


ENGINES = pytest.mark.parametrize("engine", [onnx, torch], ids=["onnx", "torch"])


@ENGINES
def test_what_means_the_same_lies_close(local_model: Local, engine: Local) -> None:
    found = engine().embed(["The dog sleeps", "A puppy takes a nap", "Interest rates rose", ""], seconds=1)
    vectors = [vector for vector in found if vector is not None]
    assert [len(vector) for vector in vectors] == [384] * 4
    assert [likeness(vector, vector) for vector in vectors] == pytest.approx([1] * 4, abs=1e-4)
    dog, puppy, rates, _ = vectors
    assert likeness(dog, puppy) > 0.5 > 0.2 > likeness(dog, rates)


@ENGINES
def test_texts_keep_their_order_and_their_end_may_be_cut(local_model: Local, engine: Local) -> None:
    provider = engine()
    alone = [provider.embed([text], seconds=1)[0] for text in SENTENCES]
    together = provider.embed([*SENTENCES, "word " * 4000], seconds=1)
    assert all(likeness(one or (), other or ()) > 0.97 for one, other in zip(alone, together, strict=False))
    assert together[-1] is not None


def test_the_small_form_says_what_the_whole_says(local_model: Local) -> None:
    whole, small = torch(), onnx()
    source = random.Random(1)
    words = " ".join(SENTENCES).split()
    said = [" ".join(source.choices(words, k=source.randint(4, 40))) for _ in range(200)]
    pairs = zip(whole.embed(said, seconds=1), small.embed(said, seconds=1), strict=True)
    agreement = [likeness(one or (), other or ()) for one, other in pairs]
    assert fmean(agreement) > 0.985
    assert min(agreement) > 0.97
    assert whole.model_name != small.model_name


def test_before_it_is_made_small_the_network_is_the_published_one(local_model: Local, tmp_path: Path) -> None:
    whole = torch()
    onnx()
    import json

    import onnx as library

    from pawflow_web.llm.minilm_onnx import _Graph, read_tensors

    folder = weights()
    assert folder is not None
    tensors, shape = read_tensors(folder / "model.safetensors"), json.loads((folder / "config.json").read_text())
    library.save(_Graph(tensors, shape).model(), tmp_path / "whole.onnx")
    ours = LocalProvider("whole", lambda: minilm._on_onnx(folder, tmp_path / "whole.onnx"))
    pairs = zip(whole.embed(SENTENCES, seconds=1), ours.embed(SENTENCES, seconds=1), strict=True)
    assert [likeness(one or (), other or ()) for one, other in pairs] == pytest.approx([1] * len(SENTENCES), abs=1e-5)


@ENGINES
def test_it_reaches_nobody(local_model: Local, engine: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("somebody was called")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    with pytest.raises(AssertionError):
        socket.create_connection(("127.0.0.1", 9))
    assert engine().embed(["The dog sleeps"], seconds=1)[0] is not None


def traces_of(program: str, folder: Path) -> list[str]:
    """What a process leaves in a home and a folder of temporary files that are its own.

    It gets no more of our environment than it needs: where ``CI`` or its like is set, the library is silent by itself.
    """
    folder.mkdir()
    needed = {name: os.environ[name] for name in ("PATH", "DJANGO_SETTINGS_MODULE", "PAWFLOW_DATA_DIR")}
    environment = {**needed, "HOME": str(folder), "TMPDIR": str(folder), "PAWFLOW_EMBEDDINGS": "local"}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True)
    return [entry.name for entry in folder.rglob("*")]


def test_its_library_reports_to_nobody(local_model: Local, tmp_path: Path) -> None:
    """It would in C, past Python's sockets: it prepares to, in files, from the moment it is imported."""
    onnx()
    program = (
        "import django; django.setup()\n"
        "from pawflow_web.llm.minilm import provider\n"
        "assert provider().embed(['The dog sleeps'], seconds=1)[0]"
    )
    assert traces_of(program, tmp_path / "ours") == []
    assert traces_of("import pawflow_web.llm.minilm_onnx", tmp_path / "build") == []
    assert traces_of("import onnxruntime", tmp_path / "control") != []


def test_several_ask_at_once(local_model: Local) -> None:
    provider = local_model()
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda text: provider.embed([text], seconds=1)[0], SENTENCES * 3))
    assert None not in found
    several = len(SENTENCES)
    for one, other in zip(found, found[several:], strict=False):
        assert likeness(one or (), other or ()) > 0.999


def test_a_process_that_embeds_nothing_loads_nothing() -> None:
    program = (
        "import sys, django; django.setup()\n"
        "from pawflow_web.llm.providers import configured; configured()\n"
        "print([name for name in ('torch', 'onnxruntime', 'numpy', 'transformers', 'openai') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_words_it_never_saw_are_found_by_what_they_mean(local_model: Local, parties: Parties) -> None:
    tell(parties.coder, "Allergic to peanuts")
    tell(parties.coder, "Deploys happen on Fridays after the smoke tests")
    tell(parties.coder, "The dog is called Rex")
    follow()
    model = EmbeddingModel.objects.get()
    assert (model.source, model.dimension, model.current) == ("local", 384, True)
    assert 0.15 < model.floor < 0.35
    by_meaning = notes_near(principal=parties.coder, query="Which food must be avoided?")
    assert texts(by_meaning)[0] == "Allergic to peanuts"
    assert by_meaning.coverage.mode == "vector"
    # By now the question has its vector, so that nobody waits.
    assert texts(recall_notes(principal=parties.coder, query="Which food must be avoided?")) == ["Allergic to peanuts"]
