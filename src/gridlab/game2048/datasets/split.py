"""A dataset of 2048 games in three parts, by whole games: nothing of a game leaks from one part into another.

Where the file to be shared out has the name of the part for training, and lies where that part is to lie, it is kept
under another name: `gridlab 2048 split data/training_games.jsonl --out data` leaves all of it in data/all_games.jsonl.
"""

import filecmp
import os
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from gridlab.core.arguments import check_seed, counted
from gridlab.core.draw import AsJson, facts
from gridlab.core.errors import FileTrouble
from gridlab.core.files import beside, locked_folder, refuse_overlap, resolved
from gridlab.core.progress import bar
from gridlab.core.untrusted import chunks
from gridlab.game2048.datasets.files import check_name, export_games, write_index
from gridlab.game2048.datasets.moves import Games, check_shares, shared_out

CHUNK = 1 << 20  # bytes copied at a time
ALL = "all_games.jsonl"
NAMES = {"train": "training_games.jsonl", "val": "validation_games.jsonl", "test": "test_games.jsonl"}


class Part(NamedTuple):
    """One of the files made."""

    path: Path
    games: int
    moves: int


class Split(NamedTuple):
    """The three parts of a dataset."""

    parts: dict[str, Part]
    whole: Part | None = None  # all games, if their file had to make room for a part

    def as_dict(self) -> AsJson:
        named = {**self.parts, "all": self.whole} if self.whole else self.parts
        return {name: facts(part) for name, part in named.items()}

    def __str__(self) -> str:
        lines = [
            f"{part.path}: {counted(part.games, 'game')}, {counted(part.moves, 'move')}" for part in self.parts.values()
        ]
        if self.whole:
            path, games, moves = self.whole
            held = f"{counted(games, 'game')}, {counted(moves, 'move')}"
            lines.append(f"{path}: all {held}, as they were in {self.parts['train'].path}")
        return "\n".join(lines)


def split(
    source: Path, folder: Path, train: float, val: float, test: float, seed: int = 0, progress: bool = False
) -> Split:
    """Shuffle whole games and share them out; every game goes into exactly one part."""
    shares = {"train": train, "val": val, "test": test}
    check_shares(list(shares.values()))
    check_seed(seed)
    check_name(source)
    targets = {name: folder / file for name, file in NAMES.items()}
    kept = folder / ALL if _is(source, targets["train"]) else None
    for target in targets.values():
        if kept is None or target != targets["train"]:
            refuse_overlap(source, target)
    with locked_folder(folder), tempfile.TemporaryDirectory() as between:
        if kept is not None:
            _check_room(kept, source)
        lines = source
        if source.suffix != ".jsonl":
            lines, _ = export_games(source, "jsonl", Path(between) / "games.jsonl", progress)
        games = Games(lines)
        if not len(games):
            raise FileTrouble(f"{source} has no games that could be shared out")
        return _share_out(games, targets, shares, seed, kept, progress)


def _is(source: Path, target: Path) -> bool:
    """Whether these are one name in one folder; a link to elsewhere is not what it leads to."""
    one, other = (resolved(path.parent) / path.name for path in (source, target))
    return one == other and not source.is_symlink()


def _check_room(kept: Path, source: Path) -> None:
    """Whether all games can be kept there: nothing may be lost, not even what an earlier split has kept."""
    if not os.path.lexists(kept):
        return
    if kept.is_symlink() or not kept.is_file() or not filecmp.cmp(kept, source, shallow=False):
        raise FileTrouble(
            f"{source} would make room for its part, but {kept}, where all its games are to be kept, is something else;"
            f" share out that file, move it away, or name another folder (--out)"
        )


def _share_out(
    games: Games, targets: dict[str, Path], shares: dict[str, float], seed: int, kept: Path | None, progress: bool
) -> Split:
    """All parts are on the disk before the first of them takes its place; all games are kept before that."""
    numbers = shared_out(len(games), list(shares.values()), seed)
    parts: dict[str, Part] = {}
    with ExitStack() as stack, bar(len(games), "sharing out", "games", progress) as shown:
        for name, chosen in zip(targets, numbers, strict=True):
            part = stack.enter_context(beside(targets[name]))
            moves = _write(games, chosen.tolist(), part, shown.update)
            parts[name] = Part(targets[name], len(chosen), moves)
        if kept is not None:  # what is entered last takes its place first
            _copy(games.path, stack.enter_context(beside(kept)))
    settings, made = games.index.settings, games.index.made
    for target in targets.values():
        write_index(target, settings)
    if kept is not None:
        write_index(kept, settings, made)
    return Split(parts, Part(kept, len(games), games.samples) if kept else None)


def _copy(source: Path, target: Path) -> None:
    with target.open("wb") as file:
        for chunk in chunks(source, CHUNK):
            file.write(chunk)


def _write(games: Games, chosen: list[int], path: Path, tell: Callable[[int], object]) -> int:
    """The chosen games, on the disk; how many moves they have."""
    moves = 0
    with path.open("wb") as file:
        for game in (games[number] for number in chosen):
            file.write(game.line())
            moves += game.moves
            tell(1)
        file.flush()
        os.fsync(file.fileno())
    return moves
