"""The moves of a file of games as columns that are mapped into memory: any move at once, whatever the format.

Made once, beside the file (train.parquet.moves), while every game is replayed by the rules; one that does not fit the
file is not believed, and made anew if it is ours. Where nothing can be written it lasts as long as the process.

    offset
         0   8   magic "gl2048mv"
         8   4   length of the header, uint32                  all numbers little-endian
        12   …   header: JSON (games, moves, rules, the mark of the file), spaces up to a multiple of 8
             …   uint64[games + 1]   the number of each game's first move, and of all moves
             …   int64[games]        final scores
             …   uint64[moves]       boards before the move, packed
             …   int64[moves]        scores before the move
             …   uint8[moves]        directions
       -32  32   SHA-256 of everything before
"""

import hashlib
import mmap
import shutil
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import msgspec
import numpy as np
from numpy.typing import NDArray

from gridlab.arena.records.game2048 import Game
from gridlab.core.errors import BadRules, CorruptFile, FileTrouble
from gridlab.core.files import whole_file
from gridlab.core.untrusted import Count, open_regular, parse_json, reading
from gridlab.datasets.games2048.files import check_name, read_games, reading_bar
from gridlab.datasets.games2048.reader import mark_of, may_write
from gridlab.games.game2048.replay import REASONS, first_flaw
from gridlab.games.game2048.row_tables import row_tables
from gridlab.games.game2048.rules import Rules2048

MAGIC = b"gl2048mv"
START, DIGEST = 12, 32  # bytes
LONGEST_HEADER = 1 << 12
GAME, MOVE = 8 + 8, 8 + 8 + 1  # bytes of each

_KEPT: list[tempfile.TemporaryDirectory[str]] = []  # where columns lie that could not be written beside their file


class Header(msgspec.Struct, frozen=True):
    """What the columns say of themselves."""

    games: Count
    moves: Count
    rules: Annotated[str, msgspec.Meta(max_length=40)]
    mark: str


@dataclass(frozen=True)
class MovesFile:
    """The columns of a file of games; it travels to other processes as the place where they lie."""

    path: Path  # of the games
    place: Path  # of the columns
    rules: Rules2048
    starts: NDArray[np.uint64]  # [game + 1]
    final_scores: NDArray[np.int64]  # [game]
    boards: NDArray[np.uint64]  # [move]
    scores: NDArray[np.int64]  # [move]
    directions: NDArray[np.uint8]  # [move]

    def __reduce__(self) -> tuple[Any, ...]:
        return _mapped, (self.path, self.place)

    @property
    def games(self) -> int:
        return len(self.final_scores)


def moves_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.moves")


def open_moves(path: Path, progress: bool = False) -> MovesFile:
    """The moves of a file of games, mapped; the columns are made first if there are none that fit."""
    check_name(path)
    with reading(path):
        known = _known(path)
    return known or _made(path, progress)


def _known(path: Path) -> MovesFile | None:
    """The columns that stand beside a file, if they are whole and of this file."""
    if not (place := moves_of(path)).is_file():
        return None
    try:
        found = _mapped(path, place)
        with open_regular(place) as file:
            whole = _header(file, place).mark == _mark(path) and _is_whole(file)
    except (FileTrouble, OSError):
        return None
    return found if whole else None


def _mark(path: Path) -> str:
    return f"{mark_of(path)}-{path.stat().st_mtime_ns}"


def _header(file: BinaryIO, place: Path) -> Header:
    start = file.read(START)
    length = int.from_bytes(start[8:], "little")
    if start[:8] != MAGIC or length > LONGEST_HEADER:
        raise CorruptFile(f"{place} holds no moves of games")
    return parse_json(file.read(length), Header, place)


def _is_whole(file: BinaryIO) -> bool:
    digest, left = hashlib.sha256(), file.seek(0, 2) - DIGEST
    file.seek(0)
    while left > 0 and (part := file.read(min(left, 1 << 20))):
        digest.update(part)
        left -= len(part)
    return file.read() == digest.digest()


def _mapped(path: Path, place: Path) -> MovesFile:
    """Columns mapped into memory, their lengths held against the size of the file."""
    with reading(place), open_regular(place) as file:
        header = _header(file, place)
        begin, size = file.tell(), file.seek(0, 2)
        if begin % 8 or size != begin + 8 + GAME * header.games + MOVE * header.moves + DIGEST:
            raise CorruptFile(f"{place} has another size than its header says")
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)  # kernels know one kind of array
    columns: list[NDArray[Any]] = []
    wanted = (("<u8", header.games + 1), ("<i8", header.games), ("<u8", header.moves), ("<i8", header.moves),
              ("u1", header.moves))  # fmt: skip
    for kind, length in wanted:
        columns.append(np.frombuffer(content, kind, length, begin))
        begin += columns[-1].nbytes
    starts, directions = columns[0].astype(np.int64), columns[-1]
    if starts[0] != 0 or starts[-1] != header.moves or (np.diff(starts) < 0).any() or (directions > 3).any():
        raise CorruptFile(f"{place} holds moves that belong to no game")
    try:
        return MovesFile(path, place, Rules2048.parse(header.rules), *columns)
    except BadRules as error:
        raise CorruptFile(f"{place}: {error}") from error


# ---- made from the games


def _made(path: Path, progress: bool) -> MovesFile:
    """Replay all games and write their moves down, beside the file if that is possible."""
    mark, place = _mark(path), moves_of(path)
    try:
        if may_write(place, MAGIC):
            _write(path, place, mark, progress)
            return _mapped(path, place)
    except CorruptFile:
        raise
    except FileTrouble:
        pass  # a folder that cannot be written, or somebody else writes there now; other trouble comes again
    _KEPT.append(tempfile.TemporaryDirectory(prefix="gridlab-"))
    place = Path(_KEPT[-1].name) / place.name
    _write(path, place, mark, progress)
    return _mapped(path, place)


def _write(path: Path, place: Path, mark: str, progress: bool) -> None:
    starts, finals, rules = [0], list[int](), Rules2048()
    with ExitStack() as stack:
        columns = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        shown = stack.enter_context(reading_bar(path, "replaying", progress))
        for number, game in enumerate(read_games(path, shown.update)):
            if number and (game.rules.rows, game.rules.cols) != (rules.rows, rules.cols):
                raise FileTrouble(f"{path}, game {number} is of {game.rules}, others of {rules}: no batch holds both")
            rules = game.rules
            _check(game, path, number)
            columns[0].write(np.ascontiguousarray(game.boards, "<u8").data)
            columns[1].write(np.ascontiguousarray(game.scores, "<i8").data)
            columns[2].write(np.ascontiguousarray(game.directions, "u1").data)
            starts.append(starts[-1] + game.moves)
            finals.append(game.final_score)
        text = msgspec.json.encode(Header(len(finals), starts[-1], str(rules), mark))
        text += b" " * (-(START + len(text)) % 8)
        sink = stack.enter_context(whole_file(place))
        sink.write(MAGIC + len(text).to_bytes(4, "little") + text)
        sink.write(np.array(starts, "<u8").tobytes() + np.array(finals, "<i8").tobytes())
        for column in columns:
            column.seek(0)
            shutil.copyfileobj(column, sink, 1 << 20)
        sink.write(bytes.fromhex(sink.sha256))


def _check(game: Game, path: Path, number: int) -> None:
    """A move that is not legal, or a score that is not true, would be learnt like any other."""
    last, rows = np.uint64(game.final_board), row_tables(game.rules)
    move, reason = first_flaw(game.boards, game.directions.astype(np.int64), game.scores, last, game.final_score, rows)
    if move >= 0:
        raise CorruptFile(
            f"{path}, game {number + 1}, move {move + 1}: {REASONS[reason]}; gridlab 2048 verify tells more"
        )
