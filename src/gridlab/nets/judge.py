"""A network as an evaluation for searches: alone, or blended with the heuristic.

A network does not say the same of a position and its mirror image. Here it is always asked about the smallest of the
eight images, so that the value hangs on the position alone.
"""

from pathlib import Path

import numpy as np
import torch

from gridlab.core.errors import CorruptFile
from gridlab.core.interrupts import pause
from gridlab.games.mnk.rules import Rules
from gridlab.nets import checkpoint
from gridlab.nets.features import Boards, Features, features_of, squava_lines
from gridlab.nets.networks import ValueNetwork
from gridlab.search.mnk.evaluation import evaluate_many, evaluation_of
from gridlab.search.mnk.geometry import geometry_of, smallest_images
from gridlab.search.mnk.leaves import Evaluate, MoveValues, Values, value_moves
from gridlab.search.mnk.pruned_leaves import SHALLOW, BestMove, best_of_all, best_pruned

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
    def values(self, boards: Boards) -> Values:
        """What the network thinks, from -1 to 1, for the player to move; of all images of a position the same."""
        was_training = self.network.training
        self.network.eval()
        values = np.empty(len(boards))
        for first in range(0, len(boards), CHUNK):
            pause()
            features = torch.from_numpy(self.seen(boards[first : first + CHUNK])).to(self.device)
            values[first : first + CHUNK] = self.network(features).cpu().numpy()
        self.network.train(was_training)
        if not np.isfinite(values).all():
            name = "the network" if self.source is None else str(self.source)
            raise CorruptFile(f"{name} gives values that are not numbers: its weights are too large; train another")
        return values

    def blended(self, boards: Boards, blend: float) -> Values:
        """The share `blend` of 2000 · V, the rest of the heuristic."""
        found = np.zeros(len(boards))
        if blend < 1:
            found += (1 - blend) * evaluate_many(boards, self.heuristic)
        if blend > 0:
            found += blend * SCALE * self.values(boards)
        return found

    def evaluation(self, blend: float) -> Evaluate:
        return lambda boards: self.blended(boards, blend)

    def moves(self, boards: Boards, depth: int, blend: float) -> MoveValues:
        """What every move is worth to its maker, by a search over blended values."""
        return value_moves(boards, depth, self.geometry, self.evaluation(blend))

    def best(self, own: int, other: int, depth: int, blend: float) -> BestMove:
        """The best move of a position by the same search, in which only leaves that matter are judged."""
        if depth <= SHALLOW:
            return best_of_all(own, other, depth, self.geometry, self.evaluation(blend))
        return best_pruned(own, other, depth, self.geometry, self.evaluation(blend), self.guess(blend))

    def guess(self, blend: float) -> Evaluate:
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
