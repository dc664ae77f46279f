"""A trained network at play: directions of many boards at once, in a search, and as an ONNX graph.

It is asked about a board, or about its eight images, and the mean is taken: of what it says of directions, mapped
back, and of values. It computes in double precision, so that the order of sums decides no move.
"""

from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from gridlab.core.errors import CorruptFile, FileTrouble
from gridlab.core.machine import import_extra
from gridlab.core.splitmix import States
from gridlab.core.untrusted import reading
from gridlab.core.workers import pause
from gridlab.game2048.kernels import (
    Boards,
    RowTables,
    images_of_boards,
    mapped_directions,
    mirror_table,
    row_tables,
    shape_of,
)
from gridlab.game2048.learn.policy_networks import (
    CELLS,
    DIRECTIONS,
    NEVER,
    TILES,
    Attention,
    PolicyFile,
    PolicyNetwork,
    read,
)
from gridlab.game2048.replay import afters, all_spawns, can_move, cells_after_moves, points_of_moves, step_games
from gridlab.game2048.rules import Rules2048
from gridlab.game2048.search.mcts import back_up, best_of, descend, new_tree, new_way, plant, play_out_all
from gridlab.learn.networks import made_model, write_checked

CHUNK = 1024  # boards that go through the network together

Numbers = NDArray[np.float64]


def input_of(boards: Boards, rows: RowTables) -> tuple[torch.Tensor, torch.Tensor]:
    """What a network sees of packed boards: cells after each move [board, 4, 16], and which are legal [board, 4]."""
    cells, legal = cells_after_moves(boards, rows)
    return torch.from_numpy(cells).long(), torch.from_numpy(legal)


class Policy:
    """A network and the game it is for; `images` of a board are looked at."""

    def __init__(self, network: PolicyNetwork, rules: Rules2048, scale: float, images: int, source: Path | None = None):
        self.network, self.rules, self.scale, self.source = network.double().eval(), rules, scale, source
        self.rows, self.mirror, self.shape = row_tables(rules), mirror_table(rules), shape_of(rules)
        self.images = images if self.shape.square else min(images, 4)

    def directions(self, boards: Boards) -> Numbers:
        """The logarithm of the probability of each direction [board, 4]; minus infinity where it is no move."""
        return self.judge(boards)[0]

    def judge(self, boards: Boards) -> tuple[Numbers, Numbers]:
        """The same, and the points still to come [board], 0 of a network that has no value head."""
        logs, values = np.empty((len(boards), 4)), np.zeros(len(boards))
        chunk = max(1, CHUNK // self.images)
        for first in range(0, len(boards), chunk):
            pause()
            some = slice(first, first + chunk)
            logs[some], values[some] = self._judge(boards[some])
        return logs, values

    @torch.inference_mode()
    def _judge(self, boards: Boards) -> tuple[Numbers, Numbers]:
        seen = images_of_boards(boards, self.images, self.mirror, self.shape)  # [board, image]
        raw, worth = self.network(*input_of(seen.ravel(), self.rows))
        said = raw.numpy().reshape(len(boards), self.images, 4)
        legal = afters(boards, self.rows) != boards[:, None]
        mean = np.take_along_axis(said, mapped_directions(self.images)[None], axis=2).mean(axis=1)
        if not np.isfinite(mean).all():
            name = "the network" if self.source is None else str(self.source)
            raise CorruptFile(f"{name} gives values that are not numbers: its weights are too large; train another")
        logs = log_softmax(np.where(legal, mean, -np.inf))
        if worth is None:
            return logs, np.zeros(len(boards))
        roots = np.maximum(worth.numpy().reshape(len(boards), self.images).mean(axis=1), 0)
        return logs, np.where(legal.any(axis=1), self.scale * roots**2, 0.0)


def log_softmax(numbers: Numbers) -> Numbers:
    """Of each row; a row of minus infinities stays one."""
    most = numbers.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        away = np.where(np.isfinite(numbers), numbers - most, -np.inf)
        return np.where(np.isfinite(away), away - np.log(np.exp(away).sum(axis=1, keepdims=True)), -np.inf)


def load_policy(path: Path | str, method: str | None, rules: Rules2048, images: int) -> Policy:
    """The network of a file, of this kind or of any; it uses one core. Read once for all threads."""
    place = Path(path)
    with reading(place):
        state = place.stat()
    known = (place.absolute(), state.st_mtime_ns, state.st_size, state.st_ino)
    found = _read(*known)
    if method is not None and found.facts.method != method:
        raise FileTrouble(f"{place} holds a network of the kind {found.facts.method}, not {method}")
    if (found.rules.rows, found.rules.cols) != (rules.rows, rules.cols):
        raise FileTrouble(f"{place} is a network for {found.rules}, not for {rules}")
    return _prepared(known, rules, images)


@lru_cache(maxsize=4)
def _read(path: Path, *state: int) -> PolicyFile:
    return read(path)


@lru_cache(maxsize=4)
def _prepared(known: tuple[Any, ...], rules: Rules2048, images: int) -> Policy:
    torch.set_num_threads(1)
    file = _read(*known)
    return Policy(file.network(), rules, file.facts.scale, images, file.path)


# ---- Searches of 2048 that ask a network about many boards at once: some moves and tiles ahead, and playouts of a tree


TOGETHER = 16  # playouts under way at once


def expected_values(boards: Boards, depth: int, policy: Policy) -> Numbers:
    """The points of each direction, those of the move and those to come: [board, direction], an even depth ahead.

    Every tile that can appear is looked at, and what stands at the end is valued by the network; no move is worth
    minus infinity.
    """
    pause()
    after, gained = afters(boards, policy.rows), points_of_moves(boards, policy.rows)
    legal = after != boards[:, None]
    leaves, owners, chances = all_spawns(after[legal], policy.rules.odds)
    unique, places = np.unique(leaves, return_inverse=True)
    if depth <= 2:
        worth = policy.judge(unique)[1]
    else:
        best = expected_values(unique, depth - 2, policy).max(axis=1)
        worth = np.where(np.isfinite(best), best, 0.0)  # without a move nothing is to come
    found = np.full((len(boards), 4), -np.inf)
    found[legal] = gained[legal] + np.bincount(owners, chances * worth[places], minlength=int(legal.sum()))
    return found


def playout_values(
    board: np.uint64, playouts: int, exploration: float, moves: int, policy: Policy, states: States
) -> Numbers:
    """What each direction has brought in a tree of playouts by the network: [direction].

    The network plays so many moves of a playout. What then is to come its value head says, or else random moves do.
    As many playouts are under way at once as there are streams of chance.
    """
    tree, values, (twos, fours) = new_tree(playouts + 1), np.empty(4), policy.rules.odds
    ways = [new_way() for _ in states]
    plant(tree, board)
    for first in range(0, playouts, len(ways)):
        pause()
        leaves, lengths = np.empty(len(ways), np.uint64), [0] * len(ways)
        under_way = min(len(ways), playouts - first)
        for i in range(under_way):
            lengths[i], leaves[i] = descend(tree, ways[i], board, exploration, twos, fours, policy.rows, states, i)
        if not any(lengths):
            break
        points = play_on(leaves[:under_way], moves, policy, states)
        for i in range(under_way):
            back_up(tree, ways[i], lengths[i], float(points[i]))
    best_of(tree, values)
    return values


def play_on(boards: Boards, moves: int, policy: Policy, states: States) -> Numbers:
    """The points from some boards on: so many moves by the network, then what it thinks is to come, or random moves."""
    boards, points, odds = boards.copy(), np.zeros(len(boards), np.int64), policy.rules.odds
    for _ in range(moves):
        going: NDArray[np.int64] = np.flatnonzero(can_move(boards, policy.rows))
        if not len(going):
            break
        chosen = policy.directions(boards[going]).argmax(axis=1).astype(np.int8)
        step_games(going, chosen, boards, points, policy.rows, odds, states)
    if policy.network.value is not None:
        return points + policy.judge(boards)[1]
    rest = play_out_all(boards, odds[0], odds[1], policy.rows, states)
    return np.asarray(points + rest, np.float64)


# ---- A network that chooses directions of 2048 as an ONNX file: boards after each move in, directions [board, 4] out
#
# `cells` [board, 4, 16] are int64, binary logarithms of the tiles after up, down, left and right; `legal` [board, 4]
# says which are moves. A dual network also gives values [board]: √(points to come / scale); the scale is in the
# metadata. The graph is written node by node, and compared with torch on random boards.


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
