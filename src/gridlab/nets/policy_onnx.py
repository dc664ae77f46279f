"""A network that chooses directions of 2048 as an ONNX file: boards after each move in, directions [board, 4] out.

`cells` [board, 4, 16] are int64, binary logarithms of the tiles after up, down, left and right; `legal` [board, 4] says
which are moves. A dual network also gives values [board]: √(points to come / scale); the scale is in the metadata.
The graph is written node by node, and compared with torch on random boards.
"""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gridlab.core.extras import import_extra
from gridlab.games.game2048.row_tables import row_tables
from gridlab.nets.onnx_written import made_model, write_checked
from gridlab.nets.policy import input_of
from gridlab.nets.policy_file import PolicyFile
from gridlab.nets.policy_networks import CELLS, DIRECTIONS, NEVER, TILES, Attention, PolicyNetwork

CHECKED = 1000  # boards
SHIFTS = np.arange(0, 64, 4, dtype=np.uint64)


def write_policy_onnx(found: PolicyFile, path: Path) -> float:
    """Write the network, checked; the largest difference to torch that was seen."""
    network = found.network().eval()
    return write_checked(
        path, found.path, lambda: Graph(network).model(found.facts.scale), partial(largest_difference, network)
    )


def largest_difference(network: PolicyNetwork, session: Any) -> float:
    """Between onnxruntime and torch, on random boards."""
    random = np.random.default_rng(0)
    boards = np.bitwise_or.reduce(random.integers(0, 12, (CHECKED, CELLS)).astype(np.uint64) << SHIFTS, axis=1)
    cells, legal = input_of(boards, row_tables())
    theirs = session.run(None, {"cells": cells.numpy(), "legal": legal.numpy()})
    with torch.inference_mode():
        ours = [each.numpy() for each in network(cells, legal) if each is not None]
    return max(float(np.abs(one - other).max()) for one, other in zip(theirs, ours, strict=True))


class Graph:
    """A graph being written: nodes, and the numbers they use."""

    def __init__(self, network: PolicyNetwork) -> None:
        self.network, self.nodes, self.boards = network, list[Any](), "cells"
        self.helper, self.arrays = import_extra("onnx.helper", "onnx"), import_extra("onnx.numpy_helper", "onnx")
        self.kinds = import_extra("onnx", "onnx").TensorProto
        self.numbers = {name: each.detach().numpy() for name, each in network.state_dict().items()}

    def add(self, operation: str, *inputs: str, to: str = "", **attributes: Any) -> str:
        """A node; the name of what comes out of it."""
        name = to or f"{operation.lower()}{len(self.nodes)}"
        self.nodes.append(self.helper.make_node(operation, list(inputs), [name], **attributes))
        return name

    def number(self, value: Any, kind: Any = np.int64) -> str:
        """A constant; the name of it."""
        name = f"constant{len(self.numbers)}"
        self.numbers[name] = np.array(value, kind)
        return name

    def gemm(self, before: str, layer: str) -> str:
        return self.add("Gemm", before, f"{layer}.weight", f"{layer}.bias", transB=1)

    def linear(self, before: str, layer: str) -> str:
        """The same for what has more than two dimensions."""
        turned = self.add("Transpose", f"{layer}.weight", perm=[1, 0])
        return self.add("Add", self.add("MatMul", before, turned), f"{layer}.bias")

    def norm(self, before: str, layer: str) -> str:
        return self.add("LayerNormalization", before, f"{layer}.weight", f"{layer}.bias", axis=-1, epsilon=1e-5)

    def convolutions(self) -> str:
        marks = self.number([0, 1], np.float32)
        planes = self.add("OneHot", self.boards, self.number(TILES), marks, axis=-1)
        shaped = self.add("Reshape", planes, self.number([-1, 4, 4, TILES]))
        seen = self.add("Transpose", shaped, perm=[0, 3, 1, 2])
        for layer in ("first", "second", "third"):
            seen = self.add("Relu", self.add("Conv", seen, f"body.{layer}.weight", f"body.{layer}.bias"))
        return self.add("Flatten", seen)

    def attention(self, body: Attention) -> str:
        seen = self.add("Add", self.add("Gather", "body.tile.weight", self.boards), "body.place")
        for i in range(len(body.blocks)):
            seen = self.block(seen, f"body.blocks.{i}", body.features // CELLS, body.heads)
        return self.add("Flatten", self.norm(seen, "body.norm"))

    def block(self, seen: str, name: str, width: int, heads: int) -> str:
        mixed = self.linear(self.norm(seen, f"{name}.norm1"), f"{name}.mix")
        apart = self.add("Reshape", mixed, self.number([-1, CELLS, 3, heads, width // heads]))
        turned = self.add("Transpose", apart, perm=[2, 0, 3, 1, 4])
        query, key, value = (self.add("Gather", turned, self.number(i), axis=0) for i in range(3))
        alike = self.add("MatMul", query, self.add("Transpose", key, perm=[0, 1, 3, 2]))
        scaled = self.add("Mul", alike, self.number((width // heads) ** -0.5, np.float32))
        near = self.add("Add", scaled, f"{name}.pairs")
        heard = self.add("MatMul", self.add("Softmax", near, axis=-1), value)
        together = self.add("Transpose", heard, perm=[0, 2, 1, 3])
        flat = self.add("Reshape", together, self.number([-1, CELLS, width]))
        seen = self.add("Add", seen, self.linear(flat, f"{name}.out"))
        wide = self.add("Relu", self.linear(self.norm(seen, f"{name}.norm2"), f"{name}.wide"))
        return self.add("Add", seen, self.linear(wide, f"{name}.narrow"))

    def model(self, scale: float) -> Any:
        body, value = self.network.body, self.helper.make_tensor_value_info
        self.boards = self.add("Reshape", "cells", self.number([-1, CELLS]))
        features = self.attention(body) if isinstance(body, Attention) else self.convolutions()
        rows = self.number([-1, DIRECTIONS])
        raw = self.add("Reshape", self.gemm(features, "policy"), rows)
        self.add("Where", "legal", raw, self.number(NEVER, np.float32), to="directions")
        outputs = [value("directions", self.kinds.FLOAT, ["board", DIRECTIONS])]
        if self.network.value is not None:
            narrow = self.gemm(self.add("Relu", self.gemm(features, "value.0")), "value.2")
            shares = self.add("Softmax", "directions", axis=1)
            parts = self.add("Mul", shares, self.add("Reshape", narrow, rows))
            self.add("ReduceSum", parts, self.number([1]), to="values", keepdims=0)
            outputs.append(value("values", self.kinds.FLOAT, ["board"]))
        graph = self.helper.make_graph(
            self.nodes, f"gridlab 2048 {self.network.method}",
            [value("cells", self.kinds.INT64, ["board", DIRECTIONS, CELLS]),
             value("legal", self.kinds.BOOL, ["board", DIRECTIONS])], outputs,
            [self.arrays.from_array(each, name) for name, each in self.numbers.items()],
        )  # fmt: skip
        model = made_model(graph)
        self.helper.set_model_props(model, {"scale": f"{scale:.17g}"})
        return model
