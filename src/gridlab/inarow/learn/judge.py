"""A network as an evaluation for searches; what it thinks of a position, and how a search with it found its move.

A network does not say the same of a position and its mirror image. Here it is always asked about the smallest of the
eight images, so that the value hangs on the position alone.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from gridlab.core import draw
from gridlab.core.arguments import counted
from gridlab.core.bits import streams
from gridlab.core.run import pause
from gridlab.games.grid import move_text
from gridlab.inarow.learn import networks as checkpoint
from gridlab.inarow.learn.features import NAMES, PATTERNS, ZEROS, Boards, Features, features_of, squava_lines
from gridlab.inarow.learn.networks import ValueNetwork
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules
from gridlab.inarow.search import leaves
from gridlab.inarow.search.depth_limited import DECIDED, evaluate_many, evaluation_of
from gridlab.inarow.search.geometry import geometry_of, open_game, smallest_images
from gridlab.learn.networks import refuse_no_numbers, write_onnx

SCALE = 2000.0  # what a value of 1 weighs beside the heuristic
PLAYING_BLEND = 0.6  # the share of the network in an evaluation; the rest is the heuristic
STRETCH = 8.0  # 2000 · V is about so many times as large as the heuristic
CHUNK = 1024  # positions that go through the network together


class Judge:
    """Values of positions, and of moves by a search over them."""

    def __init__(self, network: ValueNetwork, rules: Rules, device: torch.device | None = None) -> None:
        self.rules, self.lines, self.geometry = rules, squava_lines(rules), geometry_of(rules)
        self.heuristic = evaluation_of(rules)
        self.device = device or torch.device("cpu")
        self.network = network.to(self.device)
        self.source: Path | None = None  # the file it was read from

    def seen(self, boards: Boards) -> Features:
        """The features of the smallest images: what the network is asked about."""
        small = smallest_images(np.ascontiguousarray(boards, np.int64), self.geometry.images)
        return features_of(small, self.lines)

    @torch.inference_mode()
    def values(self, boards: Boards) -> leaves.Values:
        """What the network thinks, from -1 to 1, for the player to move; of all images of a position the same."""
        was_training = self.network.training
        self.network.eval()
        values = np.empty(len(boards))
        for first in range(0, len(boards), CHUNK):
            pause()
            features = torch.from_numpy(self.seen(boards[first : first + CHUNK])).to(self.device)
            values[first : first + CHUNK] = self.network(features).cpu().numpy()
        self.network.train(was_training)
        refuse_no_numbers(values, self.source)
        return values

    def blended(self, boards: Boards, blend: float) -> leaves.Values:
        """The share `blend` of 2000 · V, the rest of the heuristic."""
        found = np.zeros(len(boards))
        if blend < 1:
            found += (1 - blend) * evaluate_many(boards, self.heuristic)
        if blend > 0:
            found += blend * SCALE * self.values(boards)
        return found

    def evaluation(self, blend: float) -> leaves.Evaluate:
        return lambda boards: self.blended(boards, blend)

    def moves(self, boards: Boards, depth: int, blend: float) -> leaves.MoveValues:
        """What every move is worth to its maker, by a search over blended values."""
        return leaves.value_moves(boards, depth, self.geometry, self.evaluation(blend))

    def best(self, own: int, other: int, depth: int, blend: float) -> leaves.BestMove:
        """The best move of a position by the same search, in which only leaves that matter are judged."""
        if depth <= leaves.SHALLOW:
            return leaves.best_of_all(own, other, depth, self.geometry, self.evaluation(blend))
        return leaves.best_pruned(own, other, depth, self.geometry, self.evaluation(blend), self.guess(blend))

    def guess(self, blend: float) -> leaves.Evaluate:
        """What a blended value may be, by the heuristic alone."""
        stretch = 1 - blend + blend * STRETCH
        return lambda boards: stretch * self.blended(boards, 0.0)


def load_judge(path: Path | str, rules: Rules) -> Judge:
    """The network of a checkpoint; the one that comes with the package if none is named. It uses one core."""
    squava_lines(rules)  # another game is told before a file is looked for
    torch.set_num_threads(1)
    saved = checkpoint.read(path or checkpoint.SHIPPED, str(rules))
    judge = Judge(saved.network().eval(), rules)
    judge.source = saved.path
    return judge


# ---- How a search over a network has found its move: what moves are worth, what was judged, and what was left out


SURE = DECIDED // 2  # what is worth more is a win, and no evaluation


class MoveReport(NamedTuple):
    """A move, for its maker."""

    move: str
    low: float | None  # what it is worth at least; None if that was of no interest
    high: float
    network: float | None  # of the position after it, from -1 to 1; None if the game is over there
    heuristic: float | None


@dataclass(frozen=True)
class SearchReport:
    """How a move was found."""

    depth: int
    blend: float
    ply: int  # of the position
    best: MoveReport
    moves: tuple[MoveReport, ...]  # the best first
    leaves: int  # positions at the end of the search
    judged: int  # of these
    pruned: float  # the share that was not
    nodes: int  # moves looked at
    table_hits: float  # the share of them that lead to a position met before
    rounds: int

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "best": self.best._asdict(), "moves": [each._asdict() for each in self.moves]}

    def __str__(self) -> str:
        rows = [
            (each.move, self._worth(each), "" if each.network is None else f"{each.network:+.3f}",
             "" if each.heuristic is None else f"{each.heuristic:+.0f}")
            for each in self.moves
        ]  # fmt: skip
        return "\n".join([
            f"{counted(self.depth, 'ply', 'plies')} ahead, {self.blend:g} network: "
            f"{self.best.move}, worth {self._worth(self.best)}",
            draw.table(("move", "worth", "network", "heuristic"), rows),
            f"{counted(self.leaves, 'position')} at the end, {self.judged:,} of them judged, {self.pruned:.0%} pruned; "
            f"{counted(self.nodes, 'move')} looked at, {self.table_hits:.0%} to a position met before",
        ])  # fmt: skip

    def _worth(self, move: MoveReport) -> str:
        """`+812`, `wins in 3`, or `at most -40`: of a move that is not the best no more is known."""
        return self._text(move.high) if move.low == move.high else f"at most {self._text(move.high)}"

    def _text(self, value: float) -> str:
        if abs(value) < SURE:
            return f"{value:+.0f}"
        plies = DECIDED - round(abs(value)) - self.ply
        return f"{'wins' if value > 0 else 'loses'} in {plies}"


def report_of(position: Position, judge: Judge, depth: int, blend: float) -> SearchReport:
    """The search for the best move of an ongoing position, told."""
    found = judge.best(position.own, position.other, depth, blend)
    after = [position.play(cell) for cell in found.cells.tolist()]
    boards = np.array([(each.own, each.other) for each in after], np.int64)
    network, heuristic = -judge.values(boards), -judge.blended(boards, 0.0)
    moves = [
        MoveReport(
            position.move_text(int(found.cells[i])),
            float(found.low[i]) if np.isfinite(found.low[i]) else None,
            float(found.high[i]),
            None if after[i].over else round(float(network[i]), 6),
            None if after[i].over else float(heuristic[i]),
        )
        for i in range(len(after))
    ]
    best = moves[found.cells.tolist().index(found.cell)]
    others = sorted((each for each in moves if each is not best), key=lambda each: -each.high)
    return SearchReport(
        depth, blend, position.ply, best, (best, *others), found.leaves, found.judged,
        1 - found.judged / found.leaves if found.leaves else 0.0,
        found.edges, found.met / found.edges, found.rounds,
    )  # fmt: skip


# ---- What a network thinks of one position, and what it sees: the features by name


@dataclass(frozen=True)
class Opinion:
    """Values are for the player to move, those of moves for their maker; a move that ends the game counts ±1 or 0."""

    position: Position
    features: dict[str, float]  # without the zeros at the end
    value: float
    heuristic: float
    blended: float
    moves: dict[str, float]  # none if the game is over
    search: SearchReport | None = None  # by the blended value

    def as_dict(self) -> dict[str, Any]:
        searched = {} if self.search is None else {"search": self.search.as_dict()}
        rules, board, to_move = str(self.position.rules), str(self.position), self.position.to_move
        return {
            "rules": rules, "board": board, "to_move": to_move, "features": self.features, "value": self.value,
            "heuristic": self.heuristic, "blended": self.blended, "moves": self.moves, **searched,
        }  # fmt: skip

    def __str__(self) -> str:
        rows = [(name, f"{value:.2f}") for name, value in list(self.features.items())[PATTERNS:]]
        rows.append(("network", f"{self.value:+.3f}"))
        rows.append(("heuristic", f"{self.heuristic:+.0f}"))
        rows.append((f"blended, {PLAYING_BLEND} network", f"{self.blended:+.0f}"))
        best = sorted(self.moves.items(), key=lambda each: -each[1])
        liked = ", ".join(f"{move} {value:+.2f}" for move, value in best[:5])
        return "\n".join([
            self.position.draw(),
            f"{self.position.to_move} to move; cell 11 to cell 55 are 1 for its stones, -1 for the other's, 0",
            draw.table(("feature", "value"), rows),
            *([f"moves it likes best: {liked}"] if liked else []),
            *([] if self.search is None else [str(self.search)]),
        ])  # fmt: skip


def opinion_of(position: Position, judge: Judge, depth: int | None = None) -> Opinion:
    """The features of an ongoing position and what comes of them; with a depth also what the player makes of it."""
    boards = np.array([(position.own, position.other)], np.int64)
    features = features_of(boards, judge.lines)[0]
    cells, values = judge.moves(boards, 1, 1.0).of(0)
    return Opinion(
        position,
        {NAMES[i]: round(float(features[i]), 6) for i in range(ZEROS)},
        float(judge.values(boards)[0]),
        float(judge.blended(boards, 0.0)[0]),
        float(judge.blended(boards, PLAYING_BLEND)[0]),
        {
            move_text(cell, position.rules.rows, position.rules.cols): float(np.clip(value / SCALE, -1, 1))
            for cell, value in zip(cells.tolist(), values.tolist(), strict=True)
        },
        None if depth is None else report_of(position, judge, depth, PLAYING_BLEND),
    )


# ---- A network as an ONNX file: features [position, 50] in, values [position] out


CHECKED = 1000  # positions


def write_judge_onnx(judge: Judge, path: Path) -> float:
    """Write the network, compared on positions of random games; the largest difference to torch that was seen."""
    seen = {"features": torch.from_numpy(judge.seen(random_boards(judge.rules, CHECKED)))}
    return write_onnx(path, judge.source, judge.network, seen, ("values",), "position")


def random_boards(rules: Rules, number: int, seed: int = 0) -> Boards:
    """Ongoing positions of random games."""
    geometry, states = geometry_of(rules), streams(seed, number)
    return np.array([open_game(rules.cells - 2, geometry, states[i : i + 1]) for i in range(number)], np.int64)
