"""A trained network at play: what it thinks of the directions of many boards at once, and of the boards themselves.

It is asked about a board, or about its eight images, and the mean is taken: of what it says of directions, mapped
back, and of values. It computes in double precision, so that the order of sums decides no move.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from gridlab.core.errors import CorruptFile, FileTrouble
from gridlab.core.interrupts import pause
from gridlab.core.untrusted import reading
from gridlab.games.game2048.images import images_of_boards, mapped_directions, mirror_table, shape_of
from gridlab.games.game2048.kernels import Boards
from gridlab.games.game2048.replay import afters
from gridlab.games.game2048.row_tables import RowTables, row_tables
from gridlab.games.game2048.rules import Rules2048
from gridlab.games.game2048.side_by_side import cells_after_moves
from gridlab.nets.policy_file import PolicyFile, read
from gridlab.nets.policy_networks import PolicyNetwork

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
