"""A network as an ONNX file: features [position, 50] in, values [position] out.

The graph is written node by node, so that no exporter decides what it looks like, and checked with onnxruntime against
torch on positions of random games.
"""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gridlab.core.machine import import_extra
from gridlab.core.splitmix import streams
from gridlab.inarow.learn.features import FEATURES, Boards
from gridlab.inarow.learn.judge import Judge
from gridlab.inarow.learn.networks import ValueNetwork
from gridlab.inarow.rules import Rules
from gridlab.inarow.search.geometry import geometry_of, open_game
from gridlab.learn.networks import made_model, write_checked

CHECKED = 1000  # positions


def write_onnx(judge: Judge, path: Path) -> float:
    """Write the network, checked; the largest difference to torch that was seen."""
    return write_checked(path, judge.source, lambda: model_of(judge.network), partial(largest_difference, judge))


def model_of(network: ValueNetwork) -> Any:
    """The graph of a network."""
    helper, numbers = import_extra("onnx.helper", "onnx"), import_extra("onnx.numpy_helper", "onnx")
    kind = import_extra("onnx", "onnx").TensorProto.FLOAT
    weights = {name: each.detach().cpu().numpy() for name, each in network.state_dict().items()}
    nodes: list[Any] = []

    def add(operation: str, inputs: list[str], output: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(operation, inputs, [output], **attributes))
        return output

    def layer(before: str, linear: str, norm: str, output: str) -> str:
        raw = add("Gemm", [before, f"{linear}.weight", f"{linear}.bias"], f"{output}.linear", transB=1)
        even = add("LayerNormalization", [raw, f"{norm}.weight", f"{norm}.bias"], f"{output}.norm", axis=-1)
        return add("Relu", [even], output)

    first = layer("features", "input_layer", "input_norm", "first")
    third = layer(layer(first, "hidden1", "norm1", "second"), "hidden2", "norm2", "third")
    both = add("Add", [third, first], "sum")
    narrow = add("Gemm", [both, "output_layer.0.weight", "output_layer.0.bias"], "narrow", transB=1)
    bent = add("Elu", [narrow], "bent")
    last = add("Gemm", [bent, "output_layer.3.weight", "output_layer.3.bias"], "last", transB=1)
    add("Squeeze", [add("Tanh", [last], "column"), "axis"], "values")
    graph = helper.make_graph(
        nodes,
        "gridlab value network",
        [helper.make_tensor_value_info("features", kind, ["position", FEATURES])],
        [helper.make_tensor_value_info("values", kind, ["position"])],
        [numbers.from_array(each, name) for name, each in weights.items()]
        + [numbers.from_array(np.array([1], np.int64), "axis")],
    )
    return made_model(graph)


def largest_difference(judge: Judge, session: Any) -> float:
    """Between onnxruntime and torch, on positions of random games."""
    boards = random_boards(judge.rules, CHECKED)
    (theirs,) = session.run(None, {"features": judge.seen(boards)})
    with torch.inference_mode():
        return float(np.abs(theirs - judge.values(boards)).max())


def random_boards(rules: Rules, number: int, seed: int = 0) -> Boards:
    """Ongoing positions of random games."""
    geometry, states = geometry_of(rules), streams(seed, number)
    return np.array([open_game(rules.cells - 2, geometry, states[i : i + 1]) for i in range(number)], np.int64)
