"""A dataset of 2048 games in three parts, by whole games: nothing of a game leaks from one part into another."""

import math
import os
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gridlab.core.errors import BadNotation, FileTrouble
from gridlab.core.files import beside, refuse_overlap
from gridlab.core.numbers import check_seed
from gridlab.datasets.games2048.files import check_name, export_games
from gridlab.datasets.games2048.reader import Games, write_index

NAMES = {"train": "training_games.jsonl", "val": "validation_games.jsonl", "test": "test_games.jsonl"}


class Part(NamedTuple):
    """One of the files made."""

    path: Path
    games: int
    moves: int


class Split(NamedTuple):
    """The three parts of a dataset."""

    parts: dict[str, Part]

    def as_dict(self) -> dict[str, Any]:
        return {name: {**part._asdict(), "path": str(part.path)} for name, part in self.parts.items()}

    def __str__(self) -> str:
        return "\n".join(f"{part.path}: {part.games:,} games, {part.moves:,} moves" for part in self.parts.values())


def split(source: Path, folder: Path, train: float, val: float, test: float, seed: int = 0) -> Split:
    """Shuffle whole games and share them out; every game goes into exactly one part."""
    shares = {"train": train, "val": val, "test": test}
    if not all(0 <= share <= 1 for share in shares.values()) or not math.isclose(sum(shares.values()), 1, abs_tol=1e-9):
        raise BadNotation(f"{train:g}, {val:g} and {test:g} are no shares; three numbers from 0 that add up to 1 are")
    check_seed(seed)
    check_name(source)
    targets = {name: folder / file for name, file in NAMES.items()}
    for target in targets.values():
        refuse_overlap(source, target)
    with tempfile.TemporaryDirectory() as between:
        if source.suffix == ".jsonl":
            return _share_out(Games(source), source, targets, shares, seed)
        lines, _ = export_games(source, "jsonl", Path(between) / "games.jsonl")
        return _share_out(Games(lines), source, targets, shares, seed)


def _share_out(games: Games, source: Path, targets: dict[str, Path], shares: dict[str, float], seed: int) -> Split:
    """All three parts are on the disk before the first of them takes its place."""
    if not len(games):
        raise FileTrouble(f"{source} has no games that could be shared out")
    order = np.random.default_rng(seed).permutation(len(games)).tolist()
    ends = np.rint(np.cumsum(list(shares.values())) * len(games)).astype(int).tolist()
    parts: dict[str, Part] = {}
    with ExitStack() as stack:
        for name, begin, end in zip(targets, [0, *ends], ends, strict=False):
            chosen = sorted(order[begin:end])
            part = stack.enter_context(beside(targets[name]))
            moves = _write(games, chosen, part)
            parts[name] = Part(targets[name], len(chosen), moves)
    for target in targets.values():
        write_index(target, {})
    return Split(parts)


def _write(games: Games, chosen: list[int], path: Path) -> int:
    """The chosen games, on the disk; how many moves they have."""
    moves = 0
    with path.open("wb") as file:
        for game in (games[number] for number in chosen):
            file.write(game.line())
            moves += game.moves
        file.flush()
        os.fsync(file.fileno())
    return moves
