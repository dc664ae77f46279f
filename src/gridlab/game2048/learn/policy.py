"""A trained network at play: directions of many boards at once, in a search, and as an ONNX file.

It is asked about a board, or about its eight images, and the mean is taken: of what it says of directions, mapped
back, and of values. It computes in double precision, so that the order of sums decides no move.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from gridlab.core.bits import States
from gridlab.core.errors import FileTrouble
from gridlab.core.run import pause
from gridlab.core.untrusted import reading
from gridlab.game2048 import kernels
from gridlab.game2048.learn.policy_networks import CELLS, PolicyFile, PolicyNetwork, read
from gridlab.game2048.rules import Rules2048
from gridlab.game2048.search.mcts import back_up, best_of, descend, new_tree, new_way, plant, play_out_all
from gridlab.learn.networks import refuse_no_numbers, write_onnx

CHUNK = 1024  # boards that go through the network together

Numbers = NDArray[np.float64]


def input_of(boards: kernels.Boards, rows: kernels.RowTables) -> tuple[torch.Tensor, torch.Tensor]:
    """What a network sees of packed boards: cells after each move [board, 4, 16], and which are legal [board, 4]."""
    cells, legal = kernels.cells_after_moves(boards, rows)
    return torch.from_numpy(cells).long(), torch.from_numpy(legal)


class Policy:
    """A network and the game it is for; `images` of a board are looked at."""

    def __init__(self, network: PolicyNetwork, rules: Rules2048, scale: float, images: int, source: Path | None = None):
        self.network, self.rules, self.scale, self.source = network.double().eval(), rules, scale, source
        self.rows, self.mirror = kernels.row_tables(rules), kernels.mirror_table(rules)
        self.shape = kernels.shape_of(rules)
        self.images = images if self.shape.square else min(images, 4)

    def directions(self, boards: kernels.Boards) -> Numbers:
        """The logarithm of the probability of each direction [board, 4]; minus infinity where it is no move."""
        return self.judge(boards)[0]

    def judge(self, boards: kernels.Boards) -> tuple[Numbers, Numbers]:
        """Logarithms of probabilities, and the points still to come [board], 0 of a network without a value head."""
        logs, values = np.empty((len(boards), 4)), np.zeros(len(boards))
        chunk = max(1, CHUNK // self.images)
        for first in range(0, len(boards), chunk):
            pause()
            some = slice(first, first + chunk)
            logs[some], values[some] = self._judge(boards[some])
        return logs, values

    @torch.inference_mode()
    def _judge(self, boards: kernels.Boards) -> tuple[Numbers, Numbers]:
        seen = kernels.images_of_boards(boards, self.images, self.mirror, self.shape)  # [board, image]
        raw, worth = self.network(*input_of(seen.ravel(), self.rows))
        said = raw.numpy().reshape(len(boards), self.images, 4)
        legal = kernels.afterstates(boards, self.rows) != boards[:, None]
        mean = np.take_along_axis(said, kernels.mapped_directions(self.images)[None], axis=2).mean(axis=1)
        refuse_no_numbers(mean, self.source)
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


def expected_values(boards: kernels.Boards, depth: int, policy: Policy) -> Numbers:
    """The points of each direction, those of the move and those to come: [board, direction], an even depth ahead.

    Every tile that can appear is looked at, and what stands at the end is valued by the network; no move is worth
    minus infinity.
    """
    pause()
    after, gained = kernels.afterstates(boards, policy.rows), kernels.points_of_moves(boards, policy.rows)
    legal = after != boards[:, None]
    leaves, owners, chances = kernels.all_spawns(after[legal], policy.rules.odds)
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


def play_on(boards: kernels.Boards, moves: int, policy: Policy, states: States) -> Numbers:
    """The points from some boards on: so many moves by the network, then what it thinks is to come, or random moves."""
    boards, points, odds = boards.copy(), np.zeros(len(boards), np.int64), policy.rules.odds
    for _ in range(moves):
        going: NDArray[np.int64] = np.flatnonzero(kernels.can_move(boards, policy.rows))
        if not len(going):
            break
        chosen = policy.directions(boards[going]).argmax(axis=1).astype(np.int8)
        kernels.step_games(going, chosen, boards, points, policy.rows, odds, states)
    if policy.network.value is not None:
        return points + policy.judge(boards)[1]
    rest = play_out_all(boards, odds[0], odds[1], policy.rows, states)
    return np.asarray(points + rest, np.float64)


# ---- A network that chooses directions of 2048 as an ONNX file: boards after each move in, directions [board, 4] out
#
# `cells` [board, 4, 16] are int64, binary logarithms of the tiles after up, down, left and right; `legal` [board, 4]
# says which are moves. A dual network also gives values [board]: √(points to come / scale); the scale is in the
# metadata. Both are compared with torch on random boards.


CHECKED = 1000  # boards
SHIFTS = np.arange(0, 64, 4, dtype=np.uint64)


def write_policy_onnx(found: PolicyFile, path: Path) -> float:
    """Write the network, checked; the largest difference to torch that was seen."""
    network, random = found.network().eval(), np.random.default_rng(0)
    boards = np.bitwise_or.reduce(random.integers(0, 12, (CHECKED, CELLS)).astype(np.uint64) << SHIFTS, axis=1)
    seen = dict(zip(("cells", "legal"), input_of(boards, kernels.row_tables()), strict=True))
    outputs = ("directions",) if network.value is None else ("directions", "values")
    return write_onnx(path, found.path, network, seen, outputs, "board", {"scale": f"{found.facts.scale:.17g}"})
