"""Is a file of 2048 games what it says? Its form, and every game replayed by the rules."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gridlab.arena.records.game2048 import Game, Misshapen, details_of, from_dict, parse
from gridlab.datasets.games2048.curriculum import MAX_MOVES, stage
from gridlab.datasets.games2048.files import array_of, check_name, lines_of
from gridlab.datasets.games2048.reader import known_index
from gridlab.datasets.games2048.table_files import FORMS, read_table
from gridlab.games.game2048 import reference
from gridlab.games.game2048.kernels import unpack
from gridlab.games.game2048.replay import REASONS, first_flaw
from gridlab.games.game2048.row_tables import row_tables
from gridlab.games.game2048.rules import Rules2048

SHOWN = 20  # flaws named; all are counted


class FileFlaw(NamedTuple):
    """Something wrong with a file."""

    place: int  # the line of a .jsonl file, the number of the game elsewhere, from 1
    move: int  # from 1; 0 if it is about the game
    reason: str


class Verification(NamedTuple):
    """What was found out about a file."""

    path: Path
    games: int
    moves: int
    flawed: int
    flaws: list[FileFlaw]

    @property
    def sound(self) -> bool:
        return not self.flawed

    def as_dict(self) -> dict[str, Any]:
        return {
            "file": str(self.path),
            "sound": self.sound,
            "games": self.games,
            "moves": self.moves,
            "flawed": self.flawed,
            "flaws": [flaw._asdict() for flaw in self.flaws],
        }

    def __str__(self) -> str:
        if self.sound:
            return f"{self.path}: {self.games:,} games, {self.moves:,} moves replayed: all sound"
        word = "line" if self.path.suffix == ".jsonl" else "game"
        lines = [
            f"{self.path}, {word} {place}{f', move {move}' if move else ''}: {reason}"
            for place, move, reason in self.flaws
        ]
        return "\n".join([*lines, f"{self.path}: {self.flawed:,} of {self.games:,} games are not sound"])


def verify(path: Path, max_moves: int | None = None) -> Verification:
    """Look at every game of a file; a game may stop alive after `max_moves`.

    If none is said it is what the game says, what the index beside the file says of how it was made, or 5000.
    """
    check_name(path)
    if max_moves is None and path.suffix == ".jsonl" and path.is_file():
        index = known_index(path)
        max_moves = index.settings.get("max_moves") if index else None
    games, moves, flawed, flaws = 0, 0, 0, list[FileFlaw]()
    for place, found in _raw(path):
        games += 1
        game, flaw = _judge(found, place, max_moves)
        moves += game.moves if game else 0
        if flaw:
            flawed += 1
            flaws += [flaw] if len(flaws) < SHOWN else []
    if not games:
        flawed, flaws = 1, [FileFlaw(1, 0, "there are no games")]
    return Verification(path, games, moves, flawed, flaws)


def _raw(path: Path) -> Iterator[tuple[int, Any]]:
    if path.suffix in FORMS:
        yield from enumerate(read_table(path), 1)
    elif path.suffix == ".jsonl":
        yield from lines_of(path)
    else:
        yield from enumerate(array_of(path), 1)


def _judge(found: Any, place: int, max_moves: int | None) -> tuple[Game | None, FileFlaw | None]:
    try:
        if isinstance(found, Game):
            game, reason = found, None
        else:
            game, reason = parse(found) if isinstance(found, bytes) else from_dict(found)
    except Misshapen as error:
        return None, FileFlaw(place, error.move + 1, str(error))
    return game, FileFlaw(place, 0, reason) if reason else game_flaw(game, place, max_moves)


def game_flaw(game: Game, place: int = 0, max_moves: int | None = None) -> FileFlaw | None:
    """The first thing wrong with a game by the rules."""
    if reason := _start_flaw(game):
        return FileFlaw(place, 0, reason)
    move, number = first_flaw(
        game.boards, game.directions.astype(np.int64), game.scores, np.uint64(game.final_board), game.final_score,
        row_tables(),
    )  # fmt: skip
    if move >= 0:
        return FileFlaw(place, move + 1, REASONS[number])
    if game.details and (move := _details_flaw(game)) >= 0:
        return FileFlaw(place, move + 1, "alternative_moves or spawn is not what the boards show")
    reason = _end_flaw(game, max_moves)
    return FileFlaw(place, 0, reason) if reason else None


def _start_flaw(game: Game) -> str | None:
    if not game.moves:
        return "there are no moves"
    tiles = [tile for tile in unpack(int(game.boards[0])) if tile]
    since, before = stage(game.about.get("curriculum", "")).since, game.about.get("movesBefore", 0)
    if since and before:
        return None if max(tiles, default=0) >= since else f"the run begins without a tile of {since}"
    if before:
        return f"movesBefore is {json.dumps(before)}, but only a run of the curriculum hard begins in the middle"
    if len(tiles) != 2 or not set(tiles) <= {2, 4}:
        return "the first board does not hold two tiles of 2 or 4 and nothing else"
    return None if game.scores[0] == 0 else f"the first score is {game.scores[0]}, not 0"


def _end_flaw(game: Game, max_moves: int | None) -> str | None:
    if not reference.legal_moves(Rules2048(), unpack(game.final_board)):
        return None
    until = stage(game.about.get("curriculum", "")).until
    if until and game.max_tile >= until > max(unpack(int(game.boards[-1]))):
        return None
    limit = game.about.get("max_moves", max_moves or MAX_MOVES)
    played = game.moves + game.about.get("movesBefore", 0)
    if played == limit:
        return None
    return f"the final board still has a move, and {played:,} moves are not the limit of {limit or 'none'}"


def _details_flaw(game: Game) -> int:
    """The first move whose alternatives or new tile are not those of the boards, or -1."""
    truth = details_of(game.boards, game.directions, game.final_board)
    for number, (said, true) in enumerate(zip(game.details or [], truth, strict=True)):
        if any(said[key] != true[key] for key in ("alternative_moves", "spawn") if key in said):
            return number
    return -1
