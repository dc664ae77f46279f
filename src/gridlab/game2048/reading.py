"""Games of 2048 read from files that anybody may have written.

Whatever was read, in any format, becomes a game by `checked_game` and by nothing else; what is not of the form is
Misshapen, with the reason. Whether a game was played by the rules is not asked here.
"""

import json
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from gridlab.core.arguments import shortened
from gridlab.core.errors import BadNotation, CorruptFile
from gridlab.core.untrusted import NOT_JSON, Count, checked_array, parse_json, reason_of
from gridlab.game2048.kernels import Boards, pack_board, walls_of
from gridlab.game2048.records import (
    DETAILS,
    DIRECTION_NUMBERS,
    EXPONENTS,
    MADE_BY,
    MOVE,
    RULES,
    RUN,
    SUMMARY,
    Game,
    moves_of,
    packed_of,
)
from gridlab.game2048.rules import DIRECTIONS, MOST_MOVES, Rules2048

LONGEST_LINE = 512 * MOST_MOVES  # bytes of a game as JSON, with everything known of its moves
MOST_POINTS = 2**53 - 1  # of a score that a file may say; what JSON keeps exactly
LONGEST_TEXT = 1000  # letters of a player or an evaluator


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
    """The same for a line that a kernel can read; None if it is any different."""
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
        directions = np.array([DIRECTION_NUMBERS[move.direction] for move in known], np.int8)
        if len(tiles) != len(known):
            raise BadNotation("the boards have another shape")
        return packed_of(tiles, rules), directions, np.array([move.score for move in known], np.int64)
    except NOT_JSON as error:
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
    if not isinstance(move["direction"], str) or move["direction"] not in DIRECTION_NUMBERS:
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
            raise Misshapen(f"{_told(tile)} in {name} is not a tile; 0, 2, 4, 8, … {largest} are", move)
    return pack_board(tiles, rules)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_POINTS


def _told(value: Any) -> str:
    """What a file says, for a sentence; what is large or nested is not told."""
    if isinstance(value, int) and not -(2**64) < value < 2**64:
        return "a number of many digits"
    return json.dumps(value)[:40] if isinstance(value, str | int | float | None) else f"a {type(value).__name__}"
