"""Games as CSV: a row a move, written by kernels where they can, read row by row."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from gridlab.arena.records.game2048 import NUMBERS, Game, tiles_of
from gridlab.arena.records.moves_text import rows_text
from gridlab.core.numbers import whole_number
from gridlab.core.untrusted import lines
from gridlab.datasets.games2048.columns import Columns, WrongTable
from gridlab.datasets.games2048.table_rows import OF_GAME, TILES, Found, details_text, game_of, shared_of
from gridlab.games.game2048.reference import DIRECTIONS
from gridlab.games.game2048.rules import MOST_MOVES

CELLS = tuple(f"r{row}c{col}" for row in range(4) for col in range(4))
LONGEST_ROW = 1 << 16  # bytes
TRUTH = {"True": True, "False": False}

HEADER = ("game", "move", *CELLS, "direction", "score", *OF_GAME, "details")


def write_csv(path: Path, games: Iterator[Game]) -> int:
    number = -1
    with path.open("wb") as file:
        file.write(_csv_text([HEADER]))
        for number, game in enumerate(games):
            if game.details:
                file.write(_csv_text(_csv_rows(number, game)))
            else:  # all rows end alike, and kernels write the rest
                end = _csv_text([(*shared_of(game), "")])
                file.write(rows_text(number, game.boards, game.directions, game.scores, end))
    return number + 1


def _csv_text(rows: Iterable[Sequence[object]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _csv_rows(number: int, game: Game) -> Iterator[Sequence[object]]:
    boards, shared = tiles_of(game.boards).reshape(-1, 16).tolist(), shared_of(game)
    columns = zip(boards, game.directions.tolist(), game.scores.tolist(), details_text(game), strict=True)
    for move, (board, direction, score, details) in enumerate(columns):
        yield (number, move, *board, DIRECTIONS[direction], score, *shared, details)


def read_csv(path: Path) -> Iterator[Found]:
    """Every field of every row is looked at: numbering, and that the rows of a game say the same of it."""
    rows = lines(path, LONGEST_ROW)
    _, head = next(rows, (1, b""))
    if head.rstrip(b"\r\n").decode() != ",".join(HEADER):
        raise WrongTable("its first line does not name the columns")
    number, moves, shared, read, size = -1, list[list[str]](), list[str](), 0, max(1, path.stat().st_size)
    for line, text in rows:
        read += len(text)
        row = text.rstrip(b"\r\n").decode().split(",", len(CELLS) + 4)  # the last part is of the game, and details
        if len(row) != len(CELLS) + 5:
            raise WrongTable(f"line {line}: there are fields missing")
        if row[0] != str(number) or not moves:
            if row[0] != str(number + 1):
                raise WrongTable(f"line {line}: game {row[0][:20]!r} stands behind game {number}")
            if moves:
                yield _game(moves, shared, min(1.0, read / size))
            number, moves, shared = number + 1, [], _of_game(row[-1])
        if row[1] != str(len(moves)) or len(moves) >= MOST_MOVES:
            raise WrongTable(f"line {line}: move {row[1][:20]!r} stands where move {len(moves)} should")
        if moves and row[-1] != moves[-1][-1] and _of_game(row[-1]) != shared:
            raise WrongTable(f"line {line}: what it says of its game is not what the line before says")
        moves.append(row)
    if moves:
        yield _game(moves, shared, 1.0)


def _fields(end: str) -> list[str]:
    """The fields of the game, and details."""
    fields = next(csv.reader([end], strict=True)) if '"' in end else end.split(",")
    if len(fields) != len(OF_GAME) + 1:
        raise WrongTable("there are too few or too many fields")
    return fields


def _of_game(end: str) -> list[str]:
    return _fields(end)[:-1]


def _number(text: str) -> int:
    """A number written as tables write it, and in no other way."""
    number = whole_number(text)
    if text != str(number):
        raise WrongTable(f"{text!r} is a number in another form than {number}")
    return number


def _game(rows: list[list[str]], shared: list[str], done: float) -> Found:
    try:
        boards = np.array([[TILES[tile] for tile in row[2:18]] for row in rows], "<i4")
        directions = np.array([NUMBERS[row[18]] for row in rows], np.int8)
        won = TRUTH[shared[2]]
    except KeyError as error:
        raise WrongTable(f"{error} is not a tile, no direction or no truth value") from error
    scores = np.array([_number(row[19]) for row in rows], "<i8")
    alike = rows[0][-1] == rows[-1][-1] and len({row[-1] for row in rows}) == 1
    details = [_fields(rows[0][-1])[-1]] * len(rows) if alike else [_fields(row[-1])[-1] for row in rows]
    score, tile = map(_number, shared[:2])
    final_board, timestamp, about = shared[3:]
    return game_of(
        Columns(
            boards.tobytes(), directions.tobytes(), scores.tobytes(), score, tile, won, final_board, timestamp, about,
            details, done,
        )
    )  # fmt: skip
