"""What a training from games is asked to do: every number in one place, the same for all three networks.

A training that is gone on with keeps the settings it was begun with; its file may come from anybody, so every number
has its range.
"""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from gridlab.core.arguments import counted
from gridlab.core.errors import BadNotation, CorruptFile, FileTrouble
from gridlab.core.files import sha256_of
from gridlab.core.untrusted import refusing
from gridlab.game2048.datasets.moves import Moves2048
from gridlab.game2048.learn.policy_networks import METHODS, DataFile, Shape
from gridlab.learn.run import Overrides, changed

Share = Annotated[float, Meta(ge=0, le=1)]
Number = Annotated[int, Meta(ge=1, le=10**6)]


@dataclass(frozen=True)
class SupervisedSettings:
    """A recipe. An epoch sees every move once, or so many as are asked for."""

    epochs: Number = 10
    batch: Annotated[int, Meta(ge=1, le=65_536)] = 512
    learning_rate: Annotated[float, Meta(gt=0, le=1)] = 0.002
    last_learning_rate: Share = 0.00005  # reached at the end along a cosine
    weight_decay: Share = 0.01
    augment: bool = True  # every move as one of the eight images of its board
    epoch_moves: Annotated[int, Meta(ge=0, le=10**10)] = 0  # learnt from in an epoch, drawn at random; 0 all of them
    early: Share = 0.0  # draws the n-th move of a game as n to the power of -early, so that beginnings are not rare
    validation: Annotated[float, Meta(ge=0, le=0.5)] = 0.15  # the share of games that says when to stop
    test: Annotated[float, Meta(ge=0, le=0.5)] = 0.15  # the share of games that says how good it has become
    measured: Annotated[int, Meta(ge=1, le=10**8)] = 50_000  # moves of those looked at, at most
    patience: Annotated[int, Meta(ge=1, le=10**6)] = 5  # epochs without a better validation loss before it ends
    value_weight: Annotated[float, Meta(ge=0, le=100)] = 0.25  # of the value's error beside the policy's
    width: Annotated[int, Meta(ge=4, le=1024)] = 48  # channels of a convolution, numbers of a cell
    layers: Annotated[int, Meta(ge=1, le=16)] = 2  # blocks of the transformer
    heads: Annotated[int, Meta(ge=1, le=64)] = 4  # of attention

    @property
    def shape(self) -> Shape:
        return Shape(self.width, self.layers, self.heads)


USUAL = {
    "cnn": SupervisedSettings(),
    "dual": SupervisedSettings(),
    "transformer": SupervisedSettings(width=24, heads=4, layers=1, batch=256),
}


@dataclass(frozen=True)
class Asked:
    """What somebody has said of a training; None leaves it to the method, or to the training that is gone on with."""

    epochs: int | None = None
    batch: int | None = None
    learning_rate: float | None = None
    augment: bool | None = None
    seed: int | None = None
    more: Overrides = ()

    def said(self) -> dict[str, Any]:
        """What was said, by the names of settings."""
        own = {name: value for name, value in asdict(self).items() if name not in ("seed", "more")}
        return {name: value for name, value in own.items() if value is not None}


def settings_for(method: str, asked: Asked) -> SupervisedSettings:
    """For a new training."""
    if method not in METHODS:
        raise BadNotation(f"{method!r} is not a method; there are {', '.join(METHODS)}")
    settings = changed(replace(USUAL[method], **asked.said()), asked.more)
    return _checked(settings)


def _checked(settings: SupervisedSettings) -> SupervisedSettings:
    if settings.width % settings.heads:
        raise BadNotation(f"{settings.heads} heads do not divide a width of {settings.width}; name another number")
    if settings.validation + settings.test >= 1:
        raise BadNotation("validation and test leave no games to learn from; name smaller shares")
    return settings


def settings_in(found: dict[str, Any], path: Path) -> SupervisedSettings:
    """The settings that a file of a training holds."""
    with refusing(path, "a training to go on from"):
        settings = msgspec.convert(found, SupervisedSettings, strict=False)
    if unknown := set(found) - set(asdict(settings)):
        raise CorruptFile(f"{path} is not a training to go on from: it has a setting {min(unknown)[:40]}")
    return _checked(settings)


def settings_to_go_on(begun: SupervisedSettings, seed: int, epoch: int, asked: Asked, path: Path) -> SupervisedSettings:
    """The settings of a training after so many epochs. It may have more of them than planned, and nothing else."""
    if asked.seed is not None and asked.seed != seed:
        raise FileTrouble(f"{path} was begun with seed {seed}, not {asked.seed}; leave it out, or start again")
    wanted = _checked(changed(replace(begun, **asked.said()), asked.more))
    for name, was in asdict(begun).items():
        if name != "epochs" and (now := getattr(wanted, name)) != was:
            raise FileTrouble(f"{path} was begun with {name} {was}, not {now}; leave it out, or start again")
    if wanted.epochs < epoch:
        raise FileTrouble(
            f"{path} has learnt for {counted(epoch, 'epoch')} already; ask for more than these, or for none"
        )
    return wanted


# ---- Which moves are learnt from, and which are kept apart: whole games, shared out by the seed


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
