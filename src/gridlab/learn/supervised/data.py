"""Which moves are learnt from, and which are kept apart: whole games, shared out by the seed."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gridlab.core.errors import BadNotation, FileTrouble
from gridlab.core.files import sha256_of
from gridlab.datasets.games2048.moves import Moves2048
from gridlab.learn.supervised.settings import SupervisedSettings
from gridlab.nets.policy_file import DataFile

LOOKED_AT = 100_000  # moves, for the mean of what remains


@dataclass(frozen=True)
class Data:
    """The three parts of some files of games."""

    train: Moves2048
    validation: Moves2048
    test: Moves2048
    files: tuple[DataFile, ...]

    def mean_remaining(self) -> float:
        """Points that a move of training has still to come, on average."""
        return max(1.0, float(self.train.samples(spread(self.train, LOOKED_AT)).remaining.mean()))


def open_data(paths: tuple[Path, ...], settings: SupervisedSettings, seed: int, progress: bool = False) -> Data:
    """Map files into memory and share their games out."""
    if not paths:
        raise BadNotation(
            "a network learns from games: name their files, --data FILE; gridlab 2048 generate makes them"
        )
    moves = Moves2048(*paths, seed=seed, progress=progress)
    shares = (1 - settings.validation - settings.test, settings.validation, settings.test)
    train, validation, test = moves.split(*shares, seed=seed)
    for name, part in (("learn from", train), ("validate with", validation)):
        if not len(part):
            raise BadNotation(
                f"no games are left to {name}: there are too few, {len(moves.games)} in all; "
                "take more games, or other shares: --setting validation=0.5"
            )
    files = tuple(DataFile(str(file.path), sha256_of(file.path), file.games, len(file.boards)) for file in moves.files)
    return Data(train.seen(settings.augment), validation, test if len(test) else validation, files)


def require_same(data: Data, begun: tuple[DataFile, ...], path: Path) -> None:
    """Refuse to go on with other games than those a training was begun with."""
    was, now = sorted(each.sha256 for each in begun), sorted(each.sha256 for each in data.files)
    if [each.sha256 for each in begun] != [each.sha256 for each in data.files]:
        order = "in another order" if was == now else "not these"
        raise FileTrouble(
            f"{path} was begun with {', '.join(each.file for each in begun)}, {order}; name the same, or start again"
        )


def spread(moves: Moves2048, most: int) -> NDArray[np.int64]:
    """Numbers of moves, all of them or so many from everywhere."""
    return np.linspace(0, len(moves) - 1, min(most, len(moves))).astype(np.int64)
