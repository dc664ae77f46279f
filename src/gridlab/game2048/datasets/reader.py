"""Games of 2048 for training: a file of JSON lines as a sequence of games, and as shuffled batches of arrays.

    games = Games("data/train.jsonl")
    len(games), games[17]                                  any game, without reading the file
    for boards, directions in games.batches(256, random, symmetries=True): …       int32[256, 4, 4], int64[256]

An index beside the file, train.jsonl.index, knows where each game begins; it is written with the file or built once.
One that does not fit the file is not believed, and made anew if it is ours:

    magic "gl2048ix", the length of a JSON header, the header, then uint64[games + 1] offsets and uint32[games] moves
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from gridlab.core.arguments import counted, told, typed, whole
from gridlab.core.draw import Sheet, brief, shown
from gridlab.core.errors import BadNotation, CorruptFile, FileTrouble
from gridlab.core.files import whole_file
from gridlab.core.untrusted import Count, Plain, lines, open_regular, read_head, reading
from gridlab.game2048.records import LONGEST_LINE, Game, Misshapen, parse, tiles_of
from gridlab.game2048.rules import MOST_MOVES, Rules2048

MAGIC = b"gl2048ix"
MOST_SHOWN = 10  # games, in a notebook
EDGE = 1 << 12  # bytes at either end that tell a file from another
CHUNK = 32  # games decoded together for batches
MOVES = re.compile(rb'"totalMoves"\s*:\s*(\d+)')
# Symmetry s turns the board by 90 degrees s % 4 times (as numpy.rot90, to the left) and for s >= 4 mirrors it first.
UP, DOWN, LEFT, RIGHT = range(4)
TURNED = np.array([LEFT, RIGHT, DOWN, UP])  # a quarter turn to the left leads up to left, down to right, …
MIRRORED = np.array([UP, DOWN, RIGHT, LEFT])


class Made(msgspec.Struct, frozen=True):
    """The run that a whole file is of: what is needed to go on with it."""

    played: Count  # games, those that were dropped counted too
    behaviour: int


class Header(msgspec.Struct):
    """What an index says of itself."""

    games: Count
    mark: str
    sha256: str
    settings: dict[str, Plain]
    made: Made | None = None


class Index(NamedTuple):
    """Where the games of a file are."""

    offsets: NDArray[np.uint64]  # [game + 1]
    moves: NDArray[np.uint32]  # [game]
    settings: dict[str, Any]  # how the file was made, if that is known
    made: Made | None = None  # and by which run, if it is all of it


@shown
class Games:
    """The games of a .jsonl file."""

    @typed
    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        if self.path.suffix != ".jsonl":
            raise FileTrouble(f"{path} is not a file of JSON lines; gridlab 2048 export makes one: --format jsonl")
        if not self.path.is_file():
            raise FileTrouble(f"{path} cannot be read: there is no such file, or it is a folder or a pipe")
        self.index = read_index(self.path)

    def __len__(self) -> int:
        return len(self.index.moves)

    @property
    def samples(self) -> int:
        """How many moves there are in all."""
        return int(self.index.moves.sum())

    def _in_short(self) -> str:
        return f"{brief(self.path.name, 60)}: {counted(len(self), 'game')}, {counted(self.samples, 'move')}"

    def _sheet(self) -> Sheet:
        rows = [(number, moves) for number, moves in enumerate(self.index.moves[:MOST_SHOWN].tolist())]
        made = ", ".join(f"{name} {value}" for name, value in self.index.settings.items())
        notes = [f"the first {len(rows)} of {len(self):,} games", *([f"made with {made}"] if made else [])]
        return Sheet(self._in_short(), ("game", "moves"), rows, notes)

    def __getitem__(self, number: int) -> Game:
        if (place := whole(number)) is None:
            raise BadNotation(f"games have numbers from 0, not {told(number)}; batches() gives many at once")
        number = place
        if not -len(self) <= number < len(self):
            raise IndexError(f"{self.path} has {len(self)} games; there is no game {number}")
        begin, end = (int(each) for each in self.index.offsets[number % len(self) :][:2])
        with reading(self.path), open_regular(self.path) as file:
            file.seek(begin)
            text = file.read(min(end - begin, LONGEST_LINE + 1))
        try:
            game = parse(text)[0]
        except Misshapen as error:
            raise CorruptFile(f"{self.path}, game {number}: {error}") from error
        if game.moves != self.index.moves[number]:
            raise CorruptFile(f"{self.path}, game {number}: it has {game.moves:,} moves, which is not what it says")
        return game

    @property
    def rules(self) -> Rules2048:
        """What the first game was played on, which batches need to be the same for all."""
        return self[0].rules if len(self) else Rules2048()

    def _of(self, rules: Rules2048, number: int) -> Game:
        game = self[number]
        if (game.rules.rows, game.rules.cols) != (rules.rows, rules.cols):
            raise BadNotation(
                f"{self.path}, game {number} is of {game.rules}, others of {rules}: no batch can hold both"
            )
        return game

    def __iter__(self) -> Iterator[Game]:
        return (self[number] for number in range(len(self)))

    def batches(
        self, size: int, random: np.random.Generator, symmetries: bool = False
    ) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int64]]]:
        """All moves once in random order, `size` at a time (the last batch may be smaller): boards and directions.

        Games are shuffled, then the moves of a few dozen games together. With `symmetries` every sample is seen as one
        of its eight images, drawn at random.
        """
        if size < 1:
            raise BadNotation(f"{size} moves make no batch; at least 1 is needed")
        boards, directions = np.empty(0, np.uint64), np.empty(0, np.int64)
        order, rules = random.permutation(len(self)), self.rules
        for first in range(0, len(order), CHUNK):
            games = [self._of(rules, int(number)) for number in order[first : first + CHUNK]]
            boards = np.concatenate([boards, *(game.boards for game in games)])
            directions = np.concatenate([directions, *(game.directions for game in games)])
            mixed = random.permutation(len(boards))
            boards, directions = boards[mixed], directions[mixed]
            keep = len(boards) % size if first + CHUNK < len(order) else 0
            for begin in range(0, len(boards) - keep, size):
                chosen = slice(begin, min(begin + size, len(boards) - keep))
                yield _decoded(boards[chosen], directions[chosen], random if symmetries else None, rules)
            boards, directions = boards[len(boards) - keep :], directions[len(directions) - keep :]


def _decoded(
    boards: NDArray[np.uint64], directions: NDArray[np.int64], random: np.random.Generator | None, rules: Rules2048
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    tiles = tiles_of(boards, rules)
    if random is None:
        return tiles, directions
    kinds = range(8) if rules.rows == rules.cols else range(0, 8, 2)  # a quarter turn changes an oblong board
    images = random.integers(len(kinds), size=len(tiles))
    for number, symmetry in enumerate(kinds):
        chosen = images == number
        tiles[chosen], directions[chosen] = symmetric(tiles[chosen], directions[chosen], symmetry)
    return tiles, directions


def symmetric(
    boards: NDArray[np.int32], directions: NDArray[np.int64], symmetry: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """One of the eight images of boards [sample, row, col], with the directions mapped along."""
    if symmetry >= 4:
        boards, directions = boards[:, :, ::-1], MIRRORED[directions]
    for _ in range(symmetry % 4):
        boards, directions = np.rot90(boards, axes=(1, 2)), TURNED[directions]
    return boards, directions


# ---- the index


def index_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.index")


def read_index(path: Path) -> Index:
    """The index of a file: as it stands beside it, or built now if there is none that fits."""
    with reading(path):
        known = known_index(path)
    return known if known is not None else write_index(path, {})


def known_index(path: Path) -> Index | None:
    """The index that stands beside a file, if it is whole and of this file."""
    mark, size, beside = mark_of(path), path.stat().st_size, index_of(path)
    if not beside.is_file():
        return None
    try:
        with reading(beside), open_regular(beside) as file:
            header = read_head(file, MAGIC, Header, beside)
            body = file.read(size + 9)  # a game is longer than what is known of it here
    except FileTrouble:
        return None
    count = header.games
    if header.mark != mark or len(body) != 8 * (count + 1) + 4 * count:
        return None
    if header.sha256 != hashlib.sha256(body).hexdigest():
        return None
    index = Index(
        np.frombuffer(body, "<u8", count + 1), np.frombuffer(body, "<u4", count, 8 * (count + 1)), header.settings,
        header.made,
    )  # fmt: skip
    return index if _fits(index, size) else None


def _fits(index: Index, size: int) -> bool:
    """Whether games follow one another from the beginning of the file to its end, each as long as a game can be."""
    offsets, moves, limit = index.offsets, index.moves, index.settings.get("max_moves")
    ascending = bool((offsets[1:] > offsets[:-1]).all()) and (len(moves) == 0 or offsets[0] == 0)
    possible = not len(moves) or int(moves.max()) <= MOST_MOVES
    said = limit is None or (type(limit) is int and limit >= 0)
    return ascending and int(offsets[-1]) == size and possible and said


def write_index(path: Path, settings: dict[str, Any], made: Made | None = None) -> Index:
    """Look where the games begin, and write it down beside the file if that is possible."""
    offsets, moves, place = [0], list[int](), 0
    for number, line in lines(path, LONGEST_LINE):
        place += len(line)
        if line.strip():
            offsets.append(place)
            moves.append(_moves(line, path, number))
        else:
            offsets[-1] = place
    index = Index(np.array(offsets, "<u8"), np.array(moves, "<u4"), settings, made)
    body = index.offsets.tobytes() + index.moves.tobytes()
    header = {
        "games": len(moves),
        "mark": mark_of(path),
        "sha256": hashlib.sha256(body).hexdigest(),
        "settings": settings,
        "made": msgspec.to_builtins(made),
    }
    text = json.dumps(header).encode()
    if may_write(index_of(path), MAGIC):
        try:
            with whole_file(index_of(path)) as sink:
                sink.write(MAGIC + len(text).to_bytes(4, "little") + text + body)
        except FileTrouble:
            pass  # a folder that cannot be written: the index serves this once
    return index


def _moves(line: bytes, path: Path, number: int) -> int:
    """How many moves a line says it has; whether that is so is seen when the game is read."""
    found = MOVES.search(line, 0, 200)
    try:
        moves = int(found.group(1)) if found else parse(line)[0].moves
    except Misshapen as error:
        raise CorruptFile(f"{path}, line {number}: this is not a game; gridlab 2048 verify tells more") from error
    if moves > MOST_MOVES:
        raise CorruptFile(f"{path}, line {number}: no game has more than {MOST_MOVES:,} moves")
    return moves


def may_write(place: Path, magic: bytes) -> bool:
    """An index takes the place of nothing and of another one; whatever else has this name is left alone."""
    if not os.path.lexists(place):
        return True
    if place.is_symlink() or not place.is_file():
        return False
    try:
        with open_regular(place) as file:
            return file.read(len(magic)) in (magic, b"")
    except (OSError, FileTrouble):
        return False


def mark_of(path: Path) -> str:
    """What tells a file from another: its size, and a hash of both its ends."""
    with reading(path), open_regular(path) as file:
        size = file.seek(0, 2)
        file.seek(0)
        head = file.read(EDGE)
        file.seek(max(0, size - EDGE))
        return f"{size}-{hashlib.sha256(head + file.read(EDGE)).hexdigest()[:16]}"
