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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.arguments import counted
from gridlab.core.bits import lowest_cell, popcount, write_byte, write_bytes, write_number
from gridlab.core.draw import Sheet, shown
from gridlab.core.errors import BadNotation
from gridlab.core.files import timestamp
from gridlab.core.jit import kernel
from gridlab.game2048.kernels import FIFTEEN, FOUR, Boards, row_tables, unpack_board, walls_of
from gridlab.game2048.position import Position2048
from gridlab.game2048.reference import legal_moves
from gridlab.game2048.replay import afters
from gridlab.game2048.rules import DIRECTIONS, Rules2048

# ---- Moves as JSON text, written and read by kernels, many times as fast as by the json module
#
#     {"board":[[2,0,0,0],[0,0,0,2],[0,0,0,0],[0,0,0,0]],"direction":"left","score":0},{…
#
# The reader knows this form alone (with spaces where JSON allows them); whatever else stands there is left to
# msgspec (game2048_reading), which also says what is wrong.


Text = NDArray[np.uint8]

LONGEST = 176  # bytes of a move: 16 tiles of 5 digits, a score of 19, and what stands between them
WORDS = np.frombuffer(b"".join(f'"{name}"'.encode().ljust(8) for name in DIRECTIONS), np.uint8).reshape(4, 8)
BOARD = np.frombuffer(b'{"board":[[', np.uint8)
DIRECTION = np.frombuffer(b']],"direction":', np.uint8)
SCORE = np.frombuffer(b',"score":', np.uint8)
NEXT_ROW = np.frombuffer(b"],[", np.uint8)
KEY_BOARD = np.frombuffer(b'"board"', np.uint8)
KEY_DIRECTION = np.frombuffer(b'"direction"', np.uint8)
KEY_SCORE = np.frombuffer(b'"score"', np.uint8)
# As uint8, because kernels would be compiled once more for every plain number that they are called with.
SPACE, TAB, LINE_FEED, RETURN, QUOTE = np.frombuffer(b' \t\n\r"', np.uint8)
COMMA, COLON, OPEN, CLOSE, OPEN_BRACE, CLOSE_BRACE = np.frombuffer(b",:[]{}", np.uint8)
ZERO_DIGIT, NINE_DIGIT = b"09"
WRONG = -1
STANDARD = Rules2048()


class BoardShape(NamedTuple):
    """What a board is read into."""

    rows: int
    cols: int
    walls: np.uint64
    largest: int  # tile


def moves_text(
    boards: Boards, directions: NDArray[np.int8], scores: NDArray[np.int64], rules: Rules2048 = STANDARD
) -> bytes:
    """The moves of a game, without the brackets of the list."""
    room = np.empty(LONGEST * len(boards), np.uint8)
    return room[: write_moves(boards, directions, scores, rules.rows, rules.cols, room, 0)].tobytes()


def rows_text(
    number: int, boards: Boards, directions: NDArray[np.int8], scores: NDArray[np.int64], end: bytes
) -> bytes:
    """The same as lines of a table: number of the game, of the move, 16 tiles, direction, score, and this end."""
    room = np.empty((LONGEST + len(end)) * len(boards), np.uint8)
    ending = np.frombuffer(end, np.uint8)
    return room[: write_rows(number, boards, directions, scores, ending, room, 0)].tobytes()


def moves_of(
    text: bytes, count: int, rules: Rules2048 = STANDARD
) -> tuple[Boards, NDArray[np.int8], NDArray[np.int64]] | None:
    """The moves of such a text, if it holds exactly `count` of them in this form; else None."""
    if count > len(text) // 45:  # no move is as short
        return None
    boards, directions = np.empty(count, np.uint64), np.empty(count, np.int8)
    scores = np.empty(count, np.int64)
    shape = BoardShape(rules.rows, rules.cols, np.uint64(walls_of(rules)), rules.largest or 0)
    whole = read_moves(np.frombuffer(text, np.uint8), 0, shape, boards, directions, scores)
    return (boards, directions, scores) if whole else None


@kernel
def write_moves(
    boards: Boards, directions: NDArray[np.int8], scores: NDArray[np.int64], rows: int, cols: int, text: Text,
    place: int,
) -> int:  # fmt: skip
    for i in range(len(boards)):
        if i > 0:
            place = write_byte(COMMA, text, place)
        place = write_bytes(BOARD, text, place)
        for row in range(rows):
            line = boards[i] >> np.uint64(16 * row)
            for col in range(cols):
                if row > 0 and col == 0:
                    place = write_bytes(NEXT_ROW, text, place)
                elif col > 0:
                    place = write_byte(COMMA, text, place)
                exponent = int(np.int64(line & FIFTEEN))
                place = write_number(1 << exponent if exponent > 0 else 0, text, place)
                line >>= FOUR
        place = write_bytes(DIRECTION, text, place)
        for letter in WORDS[directions[i]]:
            if letter != SPACE:
                place = write_byte(letter, text, place)
        place = write_bytes(SCORE, text, place)
        place = write_number(scores[i], text, place)
        place = write_byte(CLOSE_BRACE, text, place)
    return place


@kernel
def write_rows(
    number: int, boards: Boards, directions: NDArray[np.int8], scores: NDArray[np.int64], end: Text, text: Text,
    place: int,
) -> int:  # fmt: skip
    for i in range(len(boards)):
        place = write_byte(COMMA, text, write_number(number, text, place))
        place = write_byte(COMMA, text, write_number(i, text, place))
        board = boards[i]
        for _ in range(16):
            exponent = int(np.int64(board & FIFTEEN))
            place = write_byte(COMMA, text, write_number(1 << exponent if exponent > 0 else 0, text, place))
            board >>= FOUR
        for letter in WORDS[directions[i]]:
            if letter != SPACE and letter != QUOTE:
                place = write_byte(letter, text, place)
        place = write_byte(COMMA, text, place)
        place = write_byte(COMMA, text, write_number(scores[i], text, place))
        place = write_bytes(end, text, place)
    return place


@kernel
def read_moves(
    text: Text, place: int, shape: BoardShape, boards: Boards, directions: NDArray[np.int8], scores: NDArray[np.int64]
) -> bool:
    """Whether the text is as many moves as there is room for, and nothing else."""
    for i in range(len(boards)):
        if i > 0:
            place = pass_byte(text, place, COMMA)
        place = pass_byte(text, place, OPEN_BRACE)
        place = pass_byte(text, pass_bytes(text, place, KEY_BOARD), COLON)
        place, boards[i] = read_board(text, place, shape)
        place = pass_byte(text, pass_bytes(text, pass_byte(text, place, COMMA), KEY_DIRECTION), COLON)
        place, directions[i] = read_direction(text, place)
        place = pass_byte(text, pass_bytes(text, pass_byte(text, place, COMMA), KEY_SCORE), COLON)
        place, scores[i] = read_number(text, place)
        place = pass_byte(text, place, CLOSE_BRACE)
        if place < 0:
            return False
    return pass_spaces(text, place) == len(text)


@kernel
def pass_spaces(text: Text, place: int) -> int:
    """The next place that is no space."""
    if place < 0:
        return WRONG
    while place < len(text) and text[place] in (SPACE, TAB, LINE_FEED, RETURN):
        place += 1
    return place


@kernel
def pass_byte(text: Text, place: int, byte: int) -> int:
    """The place behind this byte, or WRONG if it is not there."""
    place = pass_spaces(text, place)
    return place + 1 if 0 <= place < len(text) and text[place] == byte else WRONG


@kernel
def pass_bytes(text: Text, place: int, wanted: Text) -> int:
    place = pass_spaces(text, place)
    if place < 0 or place + len(wanted) > len(text):
        return WRONG
    for i in range(len(wanted)):
        if text[place + i] != wanted[i]:
            return WRONG
    return place + len(wanted)


@kernel
def read_number(text: Text, place: int) -> tuple[int, int]:
    """The place behind a whole number as JSON writes it, and the number."""
    begin = pass_spaces(text, place)
    if begin < 0:
        return WRONG, 0
    number, place = 0, begin
    while place < len(text) and ZERO_DIGIT <= text[place] <= NINE_DIGIT and place < begin + 18:
        number = 10 * number + int(text[place]) - ZERO_DIGIT
        place += 1
    zeros = place > begin + 1 and text[begin] == ZERO_DIGIT
    return (WRONG, 0) if place == begin or zeros else (place, number)


@kernel
def read_board(text: Text, place: int, shape: BoardShape) -> tuple[int, np.uint64]:
    """The place behind a board, and the board."""
    board = shape.walls
    place = pass_byte(text, place, OPEN)
    for row in range(shape.rows):
        shift = np.uint64(16 * row)
        place = pass_byte(text, place if row == 0 else pass_byte(text, place, COMMA), OPEN)
        for col in range(shape.cols):
            place, tile = read_number(text, place if col == 0 else pass_byte(text, place, COMMA))
            if tile == 1 or tile > shape.largest or popcount(tile) > 1:
                return WRONG, board
            if tile > 0:
                board |= np.uint64(lowest_cell(tile)) << shift
            shift += FOUR
        place = pass_byte(text, place, CLOSE)
    return pass_byte(text, place, CLOSE), board


@kernel
def read_direction(text: Text, place: int) -> tuple[int, int]:
    """The place behind a direction in quotes, and its number."""
    place = pass_spaces(text, place)
    if place < 0 or place + 8 > len(text):
        return WRONG, 0
    for direction in range(4):
        length = 0
        while length < 8 and WORDS[direction, length] != SPACE and text[place + length] == WORDS[direction, length]:
            length += 1
        if length == 8 or WORDS[direction, length] == SPACE:
            return place + length, direction
    return WRONG, 0


# ---- One played game of 2048, as arrays and as the JSON object that stands for it in a file


RULES = Rules2048()
WINNING_TILE = 2048
SUMMARY = ("totalMoves", "finalScore", "maxTile", "won", "finalBoard", "timestamp")
RUN = ("curriculum", "movesBefore")
MADE_BY = ("rules", "seed", "game", "player", "depth", "evaluator", "max_moves")
MOVE = ("board", "direction", "score")
DETAILS = ("evaluation_score", "alternative_moves", "nodes_evaluated", "evaluations", "spawn")
DIRECTION_NUMBERS = {name: number for number, name in enumerate(DIRECTIONS)}
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
        np.array([DIRECTION_NUMBERS[direction] for direction in directions], np.int8),
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
