"""One played game of 2048, as arrays and as the JSON object that stands for it in a file.

    {"totalMoves": 1, "finalScore": 4, "maxTile": 4, "won": false, "finalBoard": [[…]×4], "timestamp": "…",
     "moves": [{"board": [[2,2,0,0],…], "direction": "left", "score": 0}]}      board and score *before* the move

A part of a game, from a curriculum, is one unbroken run of it and says so: `curriculum`, and `movesBefore`, the moves
played before the first one here. With metadata a game also has `seed`, `game`, `depth` and `evaluator` (or `player`),
and `max_moves`; a move `evaluation_score`, `alternative_moves`, `nodes_evaluated`, `evaluations` and `spawn`, as far as
the player could say them.

A game on another board than 4x4, or with other odds, has `rules`, such as 2048:3x3, and boards of that shape.

Games that are read from files come from `checked_game`, and from nowhere else.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from math import isfinite
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from gridlab.core.arguments import counted, shortened
from gridlab.core.bits import lowest_cell, popcount, write_byte, write_bytes, write_number
from gridlab.core.draw import AsJson, Sheet, shown
from gridlab.core.errors import BadNotation, CorruptFile
from gridlab.core.files import timestamp
from gridlab.core.jit import kernel
from gridlab.core.untrusted import NOT_JSON, Count, checked_array, parse_json, reason_of
from gridlab.game2048 import kernels
from gridlab.game2048.kernels import FIFTEEN, FOUR, Boards
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import DIRECTIONS, MOST_MOVES, Rules2048, legal_moves

# ---- Moves as JSON text, written and read by kernels, many times as fast as by the json module
#
#     {"board":[[2,0,0,0],[0,0,0,2],[0,0,0,0],[0,0,0,0]],"direction":"left","score":0},{…
#
# The reader knows this form alone (with spaces where JSON allows them); whatever else stands there is left to
# msgspec (`parse`), which also says what is wrong.


Text = NDArray[np.uint8]

LONGEST = 176  # bytes of a move: 16 tiles of 5 digits, a score of 19, and what stands between them
WORDS = np.frombuffer(b"".join(f'"{name}"'.encode().ljust(8) for name in DIRECTIONS), np.uint8).reshape(4, 8)
BOARD, DIRECTION, SCORE, NEXT_ROW = (
    np.frombuffer(text, np.uint8) for text in (b'{"board":[[', b']],"direction":', b',"score":', b"],[")
)
KEY_BOARD, KEY_DIRECTION, KEY_SCORE = (np.frombuffer(key, np.uint8) for key in (b'"board"', b'"direction"', b'"score"'))
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
    """The moves as lines of a table: number of the game, of the move, 16 tiles, direction, score, and this end."""
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
    shape = BoardShape(rules.rows, rules.cols, np.uint64(kernels.walls_of(rules)), rules.largest or 0)
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
    about: AsJson = field(default_factory=dict)  # RUN and MADE_BY, as far as there
    details: list[AsJson] | None = None  # [move]: DETAILS

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
        return max(kernels.unpack_board(self.final_board, self.rules))

    @property
    def won(self) -> bool:
        return self.max_tile >= WINNING_TILE

    @property
    def over(self) -> bool:
        """Whether no move is left; else the game was stopped, by a limit or a curriculum."""
        return not legal_moves(self.rules, kernels.unpack_board(self.final_board, self.rules))

    def as_dict(self) -> AsJson:
        """As it stands in a file."""
        boards, scores = tiles_of(self.boards, self.rules).tolist(), self.scores.tolist()
        moves: list[AsJson] = [
            {"board": board, "direction": DIRECTIONS[direction], "score": score}
            for board, direction, score in zip(boards, self.directions.tolist(), scores, strict=True)
        ]
        for move, more in zip(moves, self.details or (), strict=False):
            move.update(more)
        return {**self._summary(), "moves": moves}

    def _summary(self) -> AsJson:
        return {
            "totalMoves": self.moves, "finalScore": self.final_score, "maxTile": self.max_tile, "won": self.won,
            "finalBoard": tiles_of(np.array([self.final_board], np.uint64), self.rules)[0].tolist(),
            "timestamp": self.timestamp, **self.about,
        }  # fmt: skip

    def line(self) -> bytes:
        """The game as a line of a file."""
        if self.details:
            return json.dumps(self.as_dict(), separators=(",", ":")).encode() + b"\n"
        head = json.dumps(self._summary(), separators=(",", ":")).encode()
        moves = moves_text(self.boards, self.directions, self.scores, self.rules)
        return head[:-1] + b',"moves":[' + moves + b"]}\n"


def game_of(positions: Sequence[Position2048], directions: Sequence[str]) -> Game:
    """The game of some positions of a board of up to 4x4 cells, and the directions between them; it ends now."""
    boards = np.array([position.packed for position in positions], np.uint64)
    return Game(
        boards[:-1], np.array([DIRECTION_NUMBERS[direction] for direction in directions], np.int8),
        np.array([position.score for position in positions[:-1]], np.int64), int(boards[-1]), positions[-1].score,
        timestamp(), about_rules(positions[-1].rules),
    )  # fmt: skip


def about_rules(rules: Rules2048) -> AsJson:
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
    boards: Boards = np.bitwise_or.reduce(exponents << shifts, axis=1) | np.uint64(kernels.walls_of(rules))
    return boards


def details_of(
    boards: Boards, directions: NDArray[np.int8], last: int, values: NDArray[np.float64] | None = None,
    nodes: NDArray[np.int64] | None = None, rules: Rules2048 = RULES,
) -> list[AsJson]:  # fmt: skip
    """What else is known of each move: its alternatives, the new tile, and what the player thought, if it said so."""
    after = kernels.afterstates(boards, kernels.row_tables(rules))
    new = after[np.arange(len(boards)), directions] ^ np.append(boards[1:], np.uint64(last))
    details: list[AsJson] = []
    for move, legal in enumerate((after != boards[:, None]).tolist()):
        chosen = DIRECTIONS[directions[move]]
        worth = {} if values is None else dict(zip(DIRECTIONS, values[move].tolist(), strict=True))
        said = {name: value for name, value in worth.items() if legal[DIRECTION_NUMBERS[name]]}
        known: AsJson = {
            "alternative_moves": [name for name, can in zip(DIRECTIONS, legal, strict=True) if can and name != chosen],
            "spawn": spawn_of(int(new[move])),
        }
        if said and all(map(isfinite, said.values())):  # JSON has no other numbers
            known |= {"evaluation_score": said[chosen], "evaluations": said}
        if nodes is not None:
            known["nodes_evaluated"] = int(nodes[move])
        details.append({key: known[key] for key in DETAILS if key in known})
    return details


def flaw_by_rules(game: Game) -> tuple[int, int]:
    """The first move of a game that the rules do not explain, or -1, and which of REASONS."""
    end = np.uint64(game.final_board), game.final_score
    rows = kernels.row_tables(game.rules)
    return kernels.first_flaw(game.boards, game.directions.astype(np.int64), game.scores, *end, rows)


def spawn_of(difference: int) -> dict[str, int]:
    """A new tile as row, column (from 0) and value."""
    cell = (difference.bit_length() - 1) // 4
    return {"row": cell // 4, "col": cell % 4, "tile": 1 << (difference >> 4 * cell)}


# ---- Games of 2048 read from files that anybody may have written
#
# Whatever was read, in any format, becomes a game by `checked_game` and by nothing else; what is not of the form is
# Misshapen, with the reason. Whether a game was played by the rules is not asked here.


LONGEST_LINE = 512 * MOST_MOVES  # bytes of a game as JSON, with everything known of its moves
MOST_POINTS = 2**53 - 1  # of a score that a file may say; what JSON keeps exactly
LONGEST_TEXT = 1000  # letters of a player or an evaluator


class Misshapen(BadNotation):
    """A record that is not of the form: which move it is about, -1 for the game itself."""

    def __init__(self, reason: str, move: int = -1) -> None:
        super().__init__(reason)
        self.move = move


Direction = Literal["up", "down", "left", "right"]
Name = Annotated[str, msgspec.Meta(max_length=LONGEST_TEXT)]
Moves = Annotated[int, msgspec.Meta(ge=0, le=MOST_MOVES)]
Place = Annotated[int, msgspec.Meta(ge=0, le=3)]
Tile = Annotated[int, msgspec.Meta(ge=0, le=1 << 15)]
Line = Annotated[list[Tile], msgspec.Meta(min_length=2, max_length=4)]


class About(msgspec.Struct, forbid_unknown_fields=True):
    """RUN and MADE_BY, as far as there."""

    rules: Annotated[str, msgspec.Meta(max_length=20)] = ""
    curriculum: Literal["", "easy", "medium", "hard"] = ""
    movesBefore: Moves = 0  # noqa: N815
    seed: Count = 0
    game: Count = 0
    player: Name = ""
    depth: Count = 0
    evaluator: Name = ""
    max_moves: Count | None = None


class Spawn(msgspec.Struct, forbid_unknown_fields=True):
    """The new tile after a move."""

    row: Place
    col: Place
    tile: Literal[2, 4]


class Details(msgspec.Struct, forbid_unknown_fields=True):
    """DETAILS, as far as there."""

    evaluation_score: float = 0.0
    alternative_moves: Annotated[list[Direction], msgspec.Meta(max_length=4)] = []
    nodes_evaluated: Count = 0
    evaluations: dict[Direction, float] = {}
    spawn: Spawn | None = None


class Move(Details, forbid_unknown_fields=True, kw_only=True):
    """MOVE and DETAILS; that the board has the right shape is looked at later."""

    board: Annotated[list[Line], msgspec.Meta(min_length=2, max_length=4)]
    direction: Direction
    score: Annotated[int, msgspec.Meta(ge=0, le=MOST_POINTS)]


def checked_game(
    boards: Boards, directions: NDArray[Any], scores: NDArray[Any], final_board: int, final_score: int,
    timestamp: str, about: AsJson, details: list[AsJson] | None,
) -> Game:  # fmt: skip
    """The only reader of games from files, whatever the format: Misshapen unless all parts fit one another.

    Nothing from a file may reach a kernel but through here; `packed_of` has looked at the tiles. Whether the game was
    played by the rules is not asked.
    """
    count = len(boards)
    if count > MOST_MOVES:
        raise Misshapen(f"there are {count:,} moves; no game has more than {MOST_MOVES:,}")
    try:
        boards = checked_array(boards, np.uint64, (count,), 0, 2**64 - 1, "board")
        directions = checked_array(directions, np.int8, (count,), 0, 3, "direction")
        scores = checked_array(scores, np.int64, (count,), 0, MOST_POINTS, "score")
    except CorruptFile as error:
        raise Misshapen(str(error)) from error
    if not _is_number(final_score):
        raise Misshapen(f"finalScore must be a whole number from 0 to {MOST_POINTS}, not {_told(final_score)}")
    _check_timestamp(timestamp)
    if about:
        _check_form(about, About)
    walls = np.uint64(kernels.walls_of(rules_of(about)))
    if (boards & walls != walls).any() or final_board & int(walls) != walls:
        raise Misshapen(f"a board has tiles where {rules_of(about)} has no cells")
    if details is not None:
        if len(details) != count:
            raise Misshapen(f"details are known of {len(details):,} moves, but there are {count:,}")
        _check_form(details, list[Details])
    return Game(boards, directions, scores, final_board, final_score, timestamp, about, details)


def rules_of(found: AsJson) -> Rules2048:
    """What a game says that it is of; the usual rules if it says nothing."""
    if "rules" not in found:
        return RULES
    try:
        rules = Rules2048.parse(found["rules"])
    except (TypeError, ValueError) as error:
        raise Misshapen(f"rules are {_told(found['rules'])}; write them as 2048:3x3") from error
    if not rules.packed or str(rules) != found["rules"] or rules == RULES:
        raise Misshapen(f"rules are {_told(found['rules'])}; those of a board of up to 4x4 cells are needed, 2048:3x3")
    return rules


def _check_form(found: Any, form: Any) -> None:
    try:
        msgspec.convert(found, form)
    except NOT_JSON as error:
        raise Misshapen(f"what else is said is not of the form: {reason_of(error)}") from error


def _check_timestamp(text: Any) -> None:
    try:
        moment = datetime.fromisoformat(text)
    except (TypeError, ValueError) as error:
        raise Misshapen(f"timestamp {_told(text)} is not an ISO 8601 date and time") from error
    if moment.tzinfo is None:
        raise Misshapen(f"timestamp {text} has no offset from UTC, such as +00:00")
    if not (text.isascii() and text.isprintable() and "," not in text):
        raise Misshapen(f"timestamp {_told(text)} has signs that no date has")


def parse(line: bytes) -> tuple[Game, str | None]:
    """The game of a line, and what its summary says wrongly of it; Misshapen if it is not of the form.

    Whether it was played by the rules is not asked.
    """
    if len(line) > LONGEST_LINE:
        raise Misshapen(f"it has {len(line):,} bytes; no game has more than {LONGEST_LINE:,}")
    quick = _parse_quickly(line)
    if quick:
        return quick
    # Braces and brackets are what takes much more memory than text, and a game has so many of them and no more.
    if line.count(b"{") > 4 * MOST_MOVES or line.count(b"[") > 8 * MOST_MOVES:
        raise Misshapen("it has more braces or brackets than a game can have")
    try:
        found = parse_json(line, object, "this is not JSON")
    except CorruptFile as error:
        raise Misshapen(str(error)) from error
    return from_dict(found)


def _parse_quickly(line: bytes) -> tuple[Game, str | None] | None:
    """The game of a line that a kernel can read; None if it is written in any other way."""
    begin, end = line.find(b'"moves":['), line.rfind(b"]")
    if begin < 0 or line[end:].strip() != b"]}":
        return None
    try:
        found: Any = msgspec.json.decode(line[:begin] + b'"moves":[]}')
    except NOT_JSON:
        return None
    count: Any = found.get("totalMoves") if isinstance(found, dict) else None
    if not _is_number(count) or count > MOST_MOVES:
        return None
    moves = moves_of(line[begin + 9 : end], count, rules_of(found))
    return _assemble(found, *moves, None) if moves else None


def from_dict(found: Any) -> tuple[Game, str | None]:
    """The game of a JSON object."""
    moves = found.get("moves") if isinstance(found, dict) else []
    if not isinstance(moves, list):
        raise Misshapen("moves must be a list")
    if len(moves) > MOST_MOVES:
        raise Misshapen(f"there are {len(moves):,} moves; no game has more than {MOST_MOVES:,}")
    boards, directions, scores = _columns(moves, rules_of(found) if isinstance(found, dict) else RULES)
    details = [{key: move[key] for key in DETAILS if key in move} for move in moves]
    return _assemble(found, boards, directions, scores, details if any(details) else None)


def _assemble(
    found: Any, boards: Boards, directions: NDArray[np.int8], scores: NDArray[np.int64],
    details: list[AsJson] | None,
) -> tuple[Game, str | None]:  # fmt: skip
    _check_summary(found)
    about = {key: found[key] for key in (*RUN, *MADE_BY) if key in found}
    final = board_of(found["finalBoard"], "finalBoard", -1, rules_of(found))
    game = checked_game(boards, directions, scores, final, found["finalScore"], found["timestamp"], about, details)
    return game, summary_flaw(found, game)


def summary_flaw(found: AsJson, game: Game) -> str | None:
    """Whether the fields that sum up a game are true of it; for tables too."""
    truth = {"totalMoves": game.moves, "maxTile": game.max_tile, "won": game.won}
    for key, value in truth.items():
        if found[key] != value:
            return f"{key} is {_told(found[key])}, but it should be {json.dumps(value)}"
    return None


def _check_summary(found: Any) -> None:
    _check_fields(found, (*SUMMARY, "moves"), (*RUN, *MADE_BY), "game")
    for key in ("totalMoves", "finalScore", "maxTile"):
        _check_number(found, key)
    if not isinstance(found["won"], bool):
        raise Misshapen(f"won must be true or false, not {_told(found['won'])}")


def _columns(moves: list[Any], rules: Rules2048) -> tuple[Boards, NDArray[np.int8], NDArray[np.int64]]:
    """The columns of many moves."""
    try:
        known: list[Any] = msgspec.convert(moves, list[Move])
        tiles = np.array([move.board for move in known], np.int64).reshape(-1, rules.rows, rules.cols)
        directions = np.array([DIRECTION_NUMBERS[move.direction] for move in known], np.int8)
        if len(tiles) != len(known):
            raise BadNotation("the boards have another shape")
        return packed_of(tiles, rules), directions, np.array([move.score for move in known], np.int64)
    except NOT_JSON as error:
        for number, move in enumerate(moves):  # to say it better, and which move it is
            _check_move(move, number, rules)
        raise Misshapen(f"moves are not of the form: {reason_of(error)}") from error


def _check_move(move: Any, number: int, rules: Rules2048) -> None:
    _check_fields(move, MOVE, DETAILS, "move", number)
    if not isinstance(move["direction"], str) or move["direction"] not in DIRECTION_NUMBERS:
        raise Misshapen(f"direction {_told(move['direction'])} is none of {', '.join(DIRECTIONS)}", number)
    _check_number(move, "score", number)
    board_of(move["board"], "board", number, rules)


def _check_fields(found: Any, needed: tuple[str, ...], more: tuple[str, ...], what: str, number: int = -1) -> None:
    if not isinstance(found, dict):
        raise Misshapen(f"a {what} is a JSON object in braces", number)
    for key in needed:
        if key not in found:
            raise Misshapen(f"the field {key} is missing", number)
    for key in found:
        if key not in (*needed, *more):
            raise Misshapen(f"the field {shortened(key)} is not one of a {what}", number)


def _check_number(found: AsJson, key: str, number: int = -1) -> None:
    if not _is_number(found[key]):
        raise Misshapen(f"{key} must be a whole number from 0, not {_told(found[key])}", number)


def board_of(rows: Any, name: str, move: int, rules: Rules2048 = RULES) -> int:
    """A board from lists of tiles."""
    wide = isinstance(rows, list) and all(isinstance(row, list) and len(row) == rules.cols for row in rows)
    if not wide or len(rows) != rules.rows:
        raise Misshapen(f"{name} must be {rules.rows} lists of {rules.cols} tiles", move)
    tiles, largest = tuple(tile for row in rows for tile in row), rules.largest or 0
    for tile in tiles:
        if not (_is_number(tile) and tile in EXPONENTS and tile <= largest):
            raise Misshapen(f"{_told(tile)} in {name} is not a tile; 0, 2, 4, 8, … {largest} are", move)
    return kernels.pack_board(tiles, rules)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_POINTS


def _told(value: Any) -> str:
    """What a file says, for a sentence; what is large or nested is not told."""
    if isinstance(value, int) and not -(2**64) < value < 2**64:
        return "a number of many digits"
    return json.dumps(value)[:40] if isinstance(value, str | int | float | None) else f"a {type(value).__name__}"
