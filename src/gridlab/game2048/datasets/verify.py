"""Is a file of 2048 games what it says? Its form, and every game replayed by the rules.

Every field of every format is checked but those that no rule tells: when a game was played, by whom, and what the
player thought of its moves. Which of them a file has is said with the verdict.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gridlab.core.arguments import counted
from gridlab.core.draw import facts
from gridlab.game2048.datasets.files import check_name, reading_bar, size_of, texts_of
from gridlab.game2048.datasets.reader import known_index
from gridlab.game2048.datasets.settings import MAX_MOVES, stage
from gridlab.game2048.datasets.tables import FORMS, Found, read_table
from gridlab.game2048.kernels import row_tables, unpack_board
from gridlab.game2048.reading import Misshapen, parse
from gridlab.game2048.records import MADE_BY, Game, details_of
from gridlab.game2048.replay import REASONS, first_flaw
from gridlab.game2048.rules import DIRECTIONS

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
    unchecked: list[str]  # fields that the file has and no rule tells

    @property
    def sound(self) -> bool:
        return not self.flawed

    def as_dict(self) -> dict[str, Any]:
        return {"file": str(self.path)} | facts(self, "sound games moves flawed flaws unchecked")

    def __str__(self) -> str:
        if self.sound:
            replayed = f"{counted(self.games, 'game')}, {counted(self.moves, 'move')} replayed"
            return f"{self.path}: {replayed}: all sound; not checked: {', '.join(self.unchecked)}"
        word = "line" if self.path.suffix == ".jsonl" else "game"
        lines = [
            f"{self.path}, {word} {place}{f', move {move}' if move else ''}: {reason}"
            for place, move, reason in self.flaws
        ]
        verb = "is" if self.flawed == 1 else "are"
        return "\n".join([*lines, f"{self.path}: {self.flawed:,} of {counted(self.games, 'game')} {verb} not sound"])


def verify(path: Path, max_moves: int | None = None, progress: bool = False) -> Verification:
    """Look at every game of a file; a game may stop alive after `max_moves`.

    If none is said it is what the game says, what the index beside the file says of how it was made, or 5000.
    """
    check_name(path)
    if max_moves is None and path.suffix == ".jsonl" and path.is_file():
        index = known_index(path)
        max_moves = index.settings.get("max_moves") if index else None
    games, moves, flawed, flaws, unchecked = 0, 0, 0, list[FileFlaw](), {"timestamp": None}
    size = size_of(path)
    with reading_bar(path, "verifying", progress) as shown:
        for place, found in _raw(path):
            games += 1
            game, flaw = _judge(found, place, max_moves)
            if game is not None:
                moves += game.moves
                unchecked |= dict.fromkeys(_untold(game))
            if flaw:
                flawed += 1
                flaws += [flaw] if len(flaws) < SHOWN else []
            shown.update(len(found) if isinstance(found, bytes) else round(size * found.done) - shown.n)
    if not games:
        flawed, flaws = 1, [FileFlaw(1, 0, "there are no games")]
    return Verification(path, games, moves, flawed, flaws, list(unchecked))


def _raw(path: Path) -> Iterator[tuple[int, bytes | Found]]:
    return enumerate(read_table(path), 1) if path.suffix in FORMS else texts_of(path)


def _judge(found: bytes | Found, place: int, max_moves: int | None) -> tuple[Game | None, FileFlaw | None]:
    try:
        game, reason = parse(found) if isinstance(found, bytes) else found[:2]
    except Misshapen as error:
        return None, FileFlaw(place, error.move + 1, str(error))
    return game, FileFlaw(place, 0, reason) if reason else game_flaw(game, place, max_moves)


def _untold(game: Game) -> list[str]:
    """The fields of a game that no rule tells."""
    thought = ("evaluation_score", "evaluations", "nodes_evaluated")
    of_moves = set().union(*game.details) if game.details else set()
    told = ("rules", "max_moves")
    return [key for key in (*MADE_BY, *thought) if key not in told and (key in game.about or key in of_moves)]


def game_flaw(game: Game, place: int = 0, max_moves: int | None = None) -> FileFlaw | None:
    """The first thing wrong with a game by the rules."""
    if reason := _start_flaw(game):
        return FileFlaw(place, 0, reason)
    move, number = first_flaw(
        game.boards, game.directions.astype(np.int64), game.scores, np.uint64(game.final_board), game.final_score,
        row_tables(game.rules),
    )  # fmt: skip
    if move >= 0:
        return FileFlaw(place, move + 1, REASONS[number])
    if game.details and (move := _details_flaw(game)) >= 0:
        return FileFlaw(place, move + 1, "what is said of the move's alternatives or of the new tile is not so")
    reason = _end_flaw(game, max_moves)
    return FileFlaw(place, 0, reason) if reason else None


def _start_flaw(game: Game) -> str | None:
    if not game.moves:
        return "there are no moves"
    tiles = [tile for tile in unpack_board(int(game.boards[0]), game.rules) if tile]
    since, before = stage(game.about.get("curriculum", "")).since, game.about.get("movesBefore", 0)
    if since and before:
        return _middle_flaw(tiles, int(game.scores[0]), since, before)
    if before:
        return f"movesBefore is {json.dumps(before)}, but only a run of the curriculum hard begins in the middle"
    if len(tiles) != 2 or not set(tiles) <= {2, 4}:
        return "the first board does not hold two tiles of 2 or 4 and nothing else"
    return None if game.scores[0] == 0 else f"the first score is {game.scores[0]}, not 0"


def _middle_flaw(tiles: list[int], score: int, since: int, before: int) -> str | None:
    """A board in the middle of a game: its tiles say how many of them came as a 4, hence the moves, hence the points.

    Made of twos alone a tile of 2^k has brought (k - 1) 2^k points; every 4 that came as such saves 4 of them.
    """
    if max(tiles, default=0) != since:
        return f"the run begins without a tile of {since}, or after the first one"
    fours = sum(tiles) // 2 - (before + 2)
    if not 0 <= fours <= before + 2:
        return f"movesBefore is {before}, but the tiles of the first board cannot come of so many moves"
    points = sum((tile.bit_length() - 2) * tile for tile in tiles) - 4 * fours
    return None if score == points else f"the first score is {score}; with {before} moves before it must be {points}"


def _end_flaw(game: Game, max_moves: int | None) -> str | None:
    until, said = stage(game.about.get("curriculum", "")).until, game.about.get("max_moves")
    played = game.moves + game.about.get("movesBefore", 0)
    if until and max(unpack_board(int(game.boards[-1]), game.rules)) >= until:
        return f"the run goes on after the first tile of {until}"
    if said and played > said:
        return f"{played:,} moves are more than max_moves, {said:,}"
    if game.over or (until and game.max_tile >= until):
        return None
    limit = game.about.get("max_moves", max_moves or MAX_MOVES)
    if played == limit:
        return None
    return f"the final board still has a move, and {played:,} moves are not the limit of {limit or 'none'}"


def _details_flaw(game: Game) -> int:
    """The first move whose alternatives, evaluations or new tile do not fit the boards, or -1."""
    truth = details_of(game.boards, game.directions, game.final_board, rules=game.rules)
    for number, (said, true) in enumerate(zip(game.details or [], truth, strict=True)):
        if any(said[key] != true[key] for key in ("alternative_moves", "spawn") if key in said):
            return number
        chosen, known = DIRECTIONS[game.directions[number]], said.get("evaluations")
        if known is not None and set(known) != {chosen, *true["alternative_moves"]}:
            return number
        if known is not None and said.get("evaluation_score", known[chosen]) != known[chosen]:
            return number
    return -1
