"""One played game of 2048, as arrays and as the JSON object that stands for it in a file.

    {"totalMoves": 1, "finalScore": 4, "maxTile": 4, "won": false, "finalBoard": [[…]×4], "timestamp": "…",
     "moves": [{"board": [[2,2,0,0],…], "direction": "left", "score": 0}]}      board and score *before* the move

A part of a game, from a curriculum, is one unbroken run of it and says so: `curriculum`, and `movesBefore`, the moves
played before the first one here. With metadata a game also has `seed`, `game`, `depth` and `evaluator` (or `player`),
and `max_moves`; a move `evaluation_score`, `alternative_moves`, `nodes_evaluated`, `evaluations` and `spawn`, as far as
the player could say them.

A game on another board than 4x4, or with other odds, has `rules`, such as 2048:3x3, and boards of that shape.

Games that are read from files come from game2048_reading, and from nowhere else.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridlab.arena.records.moves_text import moves_text
from gridlab.core.errors import BadNotation
from gridlab.core.files import timestamp
from gridlab.core.numbers import counted
from gridlab.core.shown import Sheet, shown
from gridlab.games.game2048.kernels import Boards, unpack_board, walls_of
from gridlab.games.game2048.position import Position2048
from gridlab.games.game2048.reference import DIRECTIONS, legal_moves
from gridlab.games.game2048.replay import afters
from gridlab.games.game2048.row_tables import row_tables
from gridlab.games.game2048.rules import Rules2048

RULES = Rules2048()
WINNING_TILE = 2048
SUMMARY = ("totalMoves", "finalScore", "maxTile", "won", "finalBoard", "timestamp")
RUN = ("curriculum", "movesBefore")
MADE_BY = ("rules", "seed", "game", "player", "depth", "evaluator", "max_moves")
MOVE = ("board", "direction", "score")
DETAILS = ("evaluation_score", "alternative_moves", "nodes_evaluated", "evaluations", "spawn")
NUMBERS = {name: number for number, name in enumerate(DIRECTIONS)}
SHIFTS = np.arange(0, 64, 4, dtype=np.uint64)
TILES = np.array([0] + [1 << exponent for exponent in range(1, 16)], np.int32)
EXPONENTS = {int(tile): number for number, tile in enumerate(TILES)}


@shown
@dataclass(frozen=True, eq=False)
class Game:
    """A played game: what was on the board, what was done, what came of it."""

    boards: Boards  # [move], before it
    directions: NDArray[np.int8]  # [move]: up, down, left, right
    scores: NDArray[np.int64]  # [move], before it
    final_board: int
    final_score: int
    timestamp: str
    about: dict[str, Any] = field(default_factory=dict)  # RUN and MADE_BY, as far as there
    details: list[dict[str, Any]] | None = None  # [move]: DETAILS

    def _in_short(self) -> str:
        score = f"{self.final_score:,} points"
        return f"{self.rules}: {counted(self.moves, 'move')}, {score}, largest tile {self.max_tile:,}"

    def _sheet(self) -> Sheet:
        end = Position2048.unpack(self.final_board, self.final_score, self.rules)
        return Sheet(self._in_short(), pictures=[end._repr_svg_()])

    @cached_property
    def rules(self) -> Rules2048:
        """What was played."""
        return Rules2048.parse(self.about["rules"]) if "rules" in self.about else RULES

    @property
    def moves(self) -> int:
        return len(self.boards)

    @property
    def max_tile(self) -> int:
        """The largest tile at the end, which is the largest ever."""
        return max(unpack_board(self.final_board, self.rules))

    @property
    def won(self) -> bool:
        return self.max_tile >= WINNING_TILE

    @property
    def over(self) -> bool:
        """Whether no move is left; else the game was stopped, by a limit or a curriculum."""
        return not legal_moves(self.rules, unpack_board(self.final_board, self.rules))

    def as_dict(self) -> dict[str, Any]:
        """As it stands in a file."""
        boards, scores = tiles_of(self.boards, self.rules).tolist(), self.scores.tolist()
        moves: list[dict[str, Any]] = [
            {"board": board, "direction": DIRECTIONS[direction], "score": score}
            for board, direction, score in zip(boards, self.directions.tolist(), scores, strict=True)
        ]
        for move, more in zip(moves, self.details or (), strict=False):
            move.update(more)
        return {**self._summary(), "moves": moves}

    def _summary(self) -> dict[str, Any]:
        return {
            "totalMoves": self.moves,
            "finalScore": self.final_score,
            "maxTile": self.max_tile,
            "won": self.won,
            "finalBoard": tiles_of(np.array([self.final_board], np.uint64), self.rules)[0].tolist(),
            "timestamp": self.timestamp,
            **self.about,
        }

    def line(self) -> bytes:
        """The same as a line of a file."""
        if self.details:
            return json.dumps(self.as_dict(), separators=(",", ":")).encode() + b"\n"
        head = json.dumps(self._summary(), separators=(",", ":")).encode()
        moves = moves_text(self.boards, self.directions, self.scores, self.rules)
        return head[:-1] + b',"moves":[' + moves + b"]}\n"


def game_of(positions: Sequence[Position2048], directions: Sequence[str]) -> Game:
    """The game of some positions of a board of up to 4x4 cells, and the directions between them; it ends now."""
    boards = np.array([position.packed for position in positions], np.uint64)
    return Game(
        boards[:-1],
        np.array([NUMBERS[direction] for direction in directions], np.int8),
        np.array([position.score for position in positions[:-1]], np.int64),
        int(boards[-1]),
        positions[-1].score,
        timestamp(),
        about_rules(positions[-1].rules),
    )


def about_rules(rules: Rules2048) -> dict[str, Any]:
    """What a game says of its rules: nothing if they are the usual ones."""
    return {} if rules == RULES else {"rules": str(rules)}


def tiles_of(boards: Boards, rules: Rules2048 = RULES) -> NDArray[np.int32]:
    """Packed boards as the tiles that people see: int32[board, row, col]."""
    exponents = boards[:, None] >> SHIFTS & np.uint64(15)
    tiles: NDArray[np.int32] = TILES[exponents].reshape(-1, 4, 4)[:, : rules.rows, : rules.cols]
    return tiles


def packed_of(tiles: NDArray[np.integer], rules: Rules2048 = RULES) -> Boards:
    """Boards [board, row, col] of tiles as packed numbers; every tile must be one that such a board can hold."""
    flat, largest = tiles.reshape(-1, rules.cells), rules.largest or 0
    exponents = np.zeros(flat.shape, np.uint64)
    for exponent in range(1, largest.bit_length()):
        exponents[flat == TILES[exponent]] = exponent
    if (TILES[exponents] != flat).any():
        wrong = flat[TILES[exponents] != flat][0]
        raise BadNotation(f"{wrong} is not a tile; tiles are 0, 2, 4, 8, … up to {largest}")
    shifts = SHIFTS.reshape(4, 4)[: rules.rows, : rules.cols].ravel()
    boards: Boards = np.bitwise_or.reduce(exponents << shifts, axis=1) | np.uint64(walls_of(rules))
    return boards


def details_of(
    boards: Boards,
    directions: NDArray[np.int8],
    last: int,
    values: NDArray[np.float64] | None = None,
    nodes: NDArray[np.int64] | None = None,
    rules: Rules2048 = RULES,
) -> list[dict[str, Any]]:
    """What else is known of each move: its alternatives, the new tile, and what the player thought, if it said so."""
    after = afters(boards, row_tables(rules))
    legal = (after != boards[:, None]).tolist()
    new = (after[np.arange(len(boards)), directions] ^ np.append(boards[1:], np.uint64(last))).tolist()
    chosen = directions.tolist()
    details: list[dict[str, Any]] = [
        {
            "alternative_moves": [name for i, name in enumerate(DIRECTIONS) if legal[move][i] and i != chosen[move]],
            "spawn": spawn_of(new[move]),
        }
        for move in range(len(boards))
    ]
    for move, worth in enumerate([] if values is None else values.tolist()):
        said = {name: worth[i] for i, name in enumerate(DIRECTIONS) if legal[move][i]}
        if all(map(isfinite, said.values())):  # JSON has no other numbers
            details[move]["evaluation_score"], details[move]["evaluations"] = worth[chosen[move]], said
    for move, looked in enumerate([] if nodes is None else nodes.tolist()):
        details[move]["nodes_evaluated"] = looked
    return [{key: known[key] for key in DETAILS if key in known} for known in details]


def spawn_of(difference: int) -> dict[str, int]:
    """A new tile as row, column (from 0) and value."""
    cell = (difference.bit_length() - 1) // 4
    return {"row": cell // 4, "col": cell % 4, "tile": 1 << (difference >> 4 * cell)}
