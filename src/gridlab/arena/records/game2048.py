"""One played game of 2048, as arrays and as the JSON object that stands for it in a file.

    {"totalMoves": 1, "finalScore": 4, "maxTile": 4, "won": false, "finalBoard": [[…]×4], "timestamp": "…",
     "moves": [{"board": [[2,2,0,0],…], "direction": "left", "score": 0}]}      board and score *before* the move

A part of a game, from a curriculum, is one unbroken run of it and says so: `curriculum`, and `movesBefore`, the moves
played before the first one here. With metadata a game also has `seed`, `game`, `depth` and `evaluator` (or `player`),
and `max_moves`; a move `evaluation_score`, `alternative_moves`, `nodes_evaluated`, `evaluations` and `spawn`, as far as
the player could say them.

A game on another board than 4x4, or with other odds, has `rules`, such as 2048:3x3, and boards of that shape.

Whatever was read from a file, in any format, becomes a game by `checked_game` and by nothing else.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from math import isfinite
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from gridlab.arena.records.moves_text import moves_of, moves_text
from gridlab.core.errors import BadNotation, SpoiltFile
from gridlab.core.files import timestamp
from gridlab.core.numbers import shortened
from gridlab.core.untrusted import Count, checked_array, parse_json, reason_of
from gridlab.games.game2048.kernels import Boards, pack_board, unpack_board, walls_of
from gridlab.games.game2048.position import Position2048
from gridlab.games.game2048.reference import DIRECTIONS, legal_moves
from gridlab.games.game2048.replay import afters
from gridlab.games.game2048.row_tables import row_tables
from gridlab.games.game2048.rules import MOST_MOVES, Rules2048

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
LONGEST_LINE = 512 * MOST_MOVES  # bytes of a game as JSON, with everything known of its moves
MOST_POINTS = 2**53 - 1  # of a score that a file may say; what JSON keeps exactly
LONGEST_TEXT = 1000  # letters of a player or an evaluator


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
        raise BadNotation(f"{wrong} is no tile; tiles are 0, 2, 4, 8, … up to {largest}")
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


# ---- reading


class Misshapen(BadNotation):
    """A record that is not of the form: which move it is about, -1 for the game itself."""

    def __init__(self, reason: str, move: int = -1) -> None:
        super().__init__(reason)
        self.move = move


Direction = Literal["up", "down", "left", "right"]
Text = Annotated[str, msgspec.Meta(max_length=LONGEST_TEXT)]
Moves = Annotated[int, msgspec.Meta(ge=0, le=MOST_MOVES)]
Place = Annotated[int, msgspec.Meta(ge=0, le=3)]
Tile = Annotated[int, msgspec.Meta(ge=0, le=1 << 15)]
Row = tuple[Tile, Tile, Tile, Tile]
Line = Annotated[list[Tile], msgspec.Meta(min_length=2, max_length=4)]


class About(msgspec.Struct, forbid_unknown_fields=True):
    """RUN and MADE_BY, as far as there."""

    rules: Annotated[str, msgspec.Meta(max_length=20)] = ""
    curriculum: Literal["", "easy", "medium", "hard"] = ""
    movesBefore: Moves = 0  # noqa: N815
    seed: Count = 0
    game: Count = 0
    player: Text = ""
    depth: Count = 0
    evaluator: Text = ""
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
    """MOVE and DETAILS."""

    board: tuple[Row, Row, Row, Row]
    direction: Direction
    score: Annotated[int, msgspec.Meta(ge=0, le=MOST_POINTS)]


class OtherMove(Details, forbid_unknown_fields=True, kw_only=True):
    """The same on a board of another shape, which is looked at later."""

    board: Annotated[list[Line], msgspec.Meta(min_length=2, max_length=4)]
    direction: Direction
    score: Annotated[int, msgspec.Meta(ge=0, le=MOST_POINTS)]


def checked_game(
    boards: Boards,
    directions: NDArray[Any],
    scores: NDArray[Any],
    final_board: int,
    final_score: int,
    timestamp: str,
    about: dict[str, Any],
    details: list[dict[str, Any]] | None,
) -> Game:
    """The only door for games from files, whatever the format: Misshapen unless all parts fit one another.

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
    except SpoiltFile as error:
        raise Misshapen(str(error)) from error
    if not _is_number(final_score):
        raise Misshapen(f"finalScore must be a whole number from 0 to {MOST_POINTS}, not {_told(final_score)}")
    _check_timestamp(timestamp)
    if about:
        _check_form(about, About)
    walls = np.uint64(walls_of(rules_of(about)))
    if (boards & walls != walls).any() or final_board & int(walls) != walls:
        raise Misshapen(f"a board has tiles where {rules_of(about)} has no cells")
    if details is not None:
        if len(details) != count:
            raise Misshapen(f"details are known of {len(details):,} moves, but there are {count:,}")
        _check_form(details, list[Details])
    return Game(boards, directions, scores, final_board, final_score, timestamp, about, details)


def rules_of(found: dict[str, Any]) -> Rules2048:
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
    except (ValueError, RecursionError) as error:
        raise Misshapen(f"what else is said is not of the form: {reason_of(error)}") from error


def _check_timestamp(text: Any) -> None:
    try:
        moment = datetime.fromisoformat(text)
    except (TypeError, ValueError) as error:
        raise Misshapen(f"timestamp {_told(text)} is no ISO 8601 date and time") from error
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
        found = parse_json(line, object, "this is no JSON")
    except SpoiltFile as error:
        raise Misshapen(str(error)) from error
    return from_dict(found)


def _parse_quickly(line: bytes) -> tuple[Game, str | None] | None:
    """The same for a line that a kernel can read; None if it is any different."""
    begin, end = line.find(b'"moves":['), line.rfind(b"]")
    if begin < 0 or line[end:].strip() != b"]}":
        return None
    try:
        found: Any = msgspec.json.decode(line[:begin] + b'"moves":[]}')
    except (ValueError, RecursionError):
        return None
    count: Any = found.get("totalMoves") if isinstance(found, dict) else None
    if not _is_number(count) or count > MOST_MOVES:
        return None
    moves = moves_of(line[begin + 9 : end], count, rules_of(found))
    return _assemble(found, *moves, None) if moves else None


def from_dict(found: Any) -> tuple[Game, str | None]:
    """The same for a JSON object."""
    moves = found.get("moves") if isinstance(found, dict) else []
    if not isinstance(moves, list):
        raise Misshapen("moves must be a list")
    if len(moves) > MOST_MOVES:
        raise Misshapen(f"there are {len(moves):,} moves; no game has more than {MOST_MOVES:,}")
    boards, directions, scores = _columns(moves, rules_of(found) if isinstance(found, dict) else RULES)
    details = [{key: move[key] for key in DETAILS if key in move} for move in moves]
    return _assemble(found, boards, directions, scores, details if any(details) else None)


def _assemble(
    found: Any,
    boards: Boards,
    directions: NDArray[np.int8],
    scores: NDArray[np.int64],
    details: list[dict[str, Any]] | None,
) -> tuple[Game, str | None]:
    _check_summary(found)
    about = {key: found[key] for key in (*RUN, *MADE_BY) if key in found}
    final = board_of(found["finalBoard"], "finalBoard", -1, rules_of(found))
    game = checked_game(boards, directions, scores, final, found["finalScore"], found["timestamp"], about, details)
    return game, summary_flaw(found, game)


def summary_flaw(found: dict[str, Any], game: Game) -> str | None:
    """Whether the fields that sum up a game are true of it; for tables too."""
    truth = {"totalMoves": game.moves, "maxTile": game.max_tile, "won": game.won}
    for key, value in truth.items():
        if found[key] != value:
            return f"{key} is {_told(found[key])}, but it should be {json.dumps(value)}"
    return None


def _check_summary(found: Any) -> None:
    if not isinstance(found, dict):
        raise Misshapen("a game is a JSON object in braces")
    for key in (*SUMMARY, "moves"):
        if key not in found:
            raise Misshapen(f"the field {key} is missing")
    for key in found:
        if key not in (*SUMMARY, *RUN, *MADE_BY, "moves"):
            raise Misshapen(f"the field {shortened(key)} is not one of a game")
    for key in ("totalMoves", "finalScore", "maxTile"):
        if not _is_number(found[key]):
            raise Misshapen(f"{key} must be a whole number from 0, not {_told(found[key])}")
    if not isinstance(found["won"], bool):
        raise Misshapen(f"won must be true or false, not {_told(found['won'])}")


def _columns(moves: list[Any], rules: Rules2048) -> tuple[Boards, NDArray[np.int8], NDArray[np.int64]]:
    """The columns of many moves."""
    try:
        known: list[Any] = msgspec.convert(moves, list[OtherMove] if rules.walled else list[Move])
        tiles = np.array([move.board for move in known], np.int64).reshape(-1, rules.rows, rules.cols)
        directions = np.array([NUMBERS[move.direction] for move in known], np.int8)
        if len(tiles) != len(known):
            raise BadNotation("the boards have another shape")
        return packed_of(tiles, rules), directions, np.array([move.score for move in known], np.int64)
    except (ValueError, RecursionError) as error:
        for number, move in enumerate(moves):  # to say it better, and which move it is
            _check_move(move, number, rules)
        raise Misshapen(f"moves are not of the form: {reason_of(error)}") from error


def _check_move(move: Any, number: int, rules: Rules2048) -> None:
    if not isinstance(move, dict):
        raise Misshapen("a move is a JSON object in braces", number)
    for key in MOVE:
        if key not in move:
            raise Misshapen(f"the field {key} is missing", number)
    for key in move:
        if key not in (*MOVE, *DETAILS):
            raise Misshapen(f"the field {shortened(key)} is not one of a move", number)
    if not isinstance(move["direction"], str) or move["direction"] not in NUMBERS:
        raise Misshapen(f"direction {_told(move['direction'])} is none of {', '.join(DIRECTIONS)}", number)
    if not _is_number(move["score"]):
        raise Misshapen(f"score must be a whole number from 0, not {_told(move['score'])}", number)
    board_of(move["board"], "board", number, rules)


def board_of(rows: Any, name: str, move: int, rules: Rules2048 = RULES) -> int:
    """A board from lists of tiles."""
    wide = isinstance(rows, list) and all(isinstance(row, list) and len(row) == rules.cols for row in rows)
    if not wide or len(rows) != rules.rows:
        raise Misshapen(f"{name} must be {rules.rows} lists of {rules.cols} tiles", move)
    tiles, largest = tuple(tile for row in rows for tile in row), rules.largest or 0
    for tile in tiles:
        if not (_is_number(tile) and tile in EXPONENTS and tile <= largest):
            raise Misshapen(f"{_told(tile)} in {name} is no tile; 0, 2, 4, 8, … {largest} are", move)
    return pack_board(tiles, rules)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_POINTS


def _told(value: Any) -> str:
    """What a file says, for a sentence; what is large or nested is not told."""
    if isinstance(value, int) and not -(2**64) < value < 2**64:
        return "a number of many digits"
    return json.dumps(value)[:40] if isinstance(value, str | int | float | None) else f"a {type(value).__name__}"
