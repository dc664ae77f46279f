"""Files of games: JSON lines (one game a line), a JSON array, or a table; read game by game, written whole."""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from gridlab.core.errors import CorruptFile, FileTrouble
from gridlab.core.files import refuse_overlap, whole_file
from gridlab.core.jit import kernel
from gridlab.core.progress import bar
from gridlab.core.untrusted import Count, Plain, chunks, lines, open_regular, read_head, reading
from gridlab.game2048.datasets.tables import FORMS, WRITERS, read_table, write_table
from gridlab.game2048.records import LONGEST_LINE, Game, Misshapen, parse
from gridlab.game2048.rules import MOST_MOVES, Rules2048

if TYPE_CHECKING:
    from tqdm import tqdm


# ---- The elements of a JSON array in a file, one after the other: only where each ends is looked for here


CHUNK = 1 << 20
QUOTE, BACKSLASH, COMMA, OPEN, CLOSE, OPEN_BRACE, CLOSE_BRACE = b'"\\,[]{}'
DEPTH, QUOTED, ESCAPED = range(3)  # what a scan knows of its place


def elements(path: Path, longest: int, what: str) -> Iterator[tuple[int, bytes]]:
    """The text of each element, with its number from 1; CorruptFile if this is no array, or one is longer than that."""
    pieces = chunks(path, CHUNK)
    text = next(pieces, b"").lstrip()
    if text[:1] != b"[":
        raise CorruptFile(f"{path} is not a JSON array of {what}; a file of one a line ends in .jsonl")
    number, begin, place, state, closed = 0, 1, 1, np.zeros(3, np.int64), False
    while not closed:
        end = find_end(np.frombuffer(text, np.uint8), place, state)
        if end < 0:
            more = next(pieces, b"")
            if not more or len(text) - begin > longest:
                raise CorruptFile(f"{path} is not JSON: element {number + 1} of the array does not end")
            text, begin, place = text[begin:] + more, 0, len(text) - begin
            continue
        element, closed = text[begin:end].strip(), text[end] == CLOSE
        if element or number or not closed:  # an array of nothing has no element
            number += 1
            yield number, element
        begin = place = end + 1
    if text[begin:].strip() or any(piece.strip() for piece in pieces):
        raise CorruptFile(f"{path} is not JSON: something stands behind the array")


@kernel
def find_end(text: NDArray[np.uint8], place: int, state: NDArray[np.int64]) -> int:
    """Where an element ends: at a comma, or the bracket of the array; -1 if not in this text. The state goes on."""
    depth, quoted, escaped = state[DEPTH], state[QUOTED], state[ESCAPED]
    for i in range(place, len(text)):
        byte = text[i]
        if escaped:
            escaped = 0
        elif quoted:
            if byte == BACKSLASH:
                escaped = 1
            elif byte == QUOTE:
                quoted = 0
        elif byte == QUOTE:
            quoted = 1
        elif byte in (OPEN, OPEN_BRACE):
            depth += 1
        elif depth == 0 and byte in (COMMA, CLOSE):
            state[:] = 0
            return i
        elif byte in (CLOSE, CLOSE_BRACE):
            depth -= 1
    state[DEPTH], state[QUOTED], state[ESCAPED] = depth, quoted, escaped
    return -1


# ---- Files of games: JSON lines (one game a line), a JSON array, or a table; read game by game, written whole


SUFFIXES = (".jsonl", ".json", *FORMS)
ENDINGS = {"json": ".json", "jsonl": ".jsonl"} | {name: suffix for suffix, name in reversed(FORMS.items())}


def check_name(path: Path) -> None:
    """The end of a name says the format."""
    if path.suffix not in SUFFIXES:
        raise FileTrouble(f"{path} does not say its format; end the name in {', '.join(SUFFIXES)}")


def check_board(path: Path, rules: Rules2048) -> None:
    """Tables have 16 columns of tiles; games on smaller boards stand in JSON."""
    if rules.walled and path.suffix not in (".jsonl", ".json"):
        raise FileTrouble(f"games of {rules} stand in JSON alone, not in {path.name}; end the name in .jsonl or .json")


def texts_of(path: Path) -> Iterator[tuple[int, bytes]]:
    """The text of each game in a file of JSON: the lines of .jsonl but blank ones, the elements of .json; from 1."""
    if path.suffix == ".json":
        yield from elements(path, LONGEST_LINE, "games")
        return
    for number, line in lines(path, LONGEST_LINE):
        if line.strip():
            yield number, line


def reading_bar(path: Path, doing: str, progress: bool) -> "tqdm[Any]":
    """A bar for a file that is read."""
    return bar(size_of(path), f"{doing} {path.name}", "B", progress)


def size_of(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def read_games(path: Path, tell: Callable[[int], object] = id) -> Iterator[Game]:
    """The games of a file of any format; CorruptFile where one is not of the form.

    `tell` hears how many bytes were read.
    """
    check_name(path)
    if path.suffix in FORMS:
        size, told = size_of(path), 0
        for found in read_table(path):
            yield found.game
            tell(round(size * found.done) - told)
            told = round(size * found.done)
        return
    for number, text in texts_of(path):
        try:
            yield parse(text)[0]
            tell(len(text))
        except Misshapen as error:
            where = "line" if path.suffix == ".jsonl" else "game"
            raise CorruptFile(f"{path}, {where} {number}: {error}; gridlab 2048 verify tells more") from error


def write_games(path: Path, games: Iterator[Game], form: str | None = None) -> int:
    """Write games in a format, by default the one that the name says; how many there were."""
    if form is None:
        check_name(path)
        form = _format_of(path)
    if form in WRITERS:
        return write_table(path, form, games)
    return write_lines(path, (game.line() for game in games), form)


def write_lines(path: Path, lines: Iterator[bytes], form: str) -> int:
    """Lines that are games already, as `jsonl` or as an array, `json`."""
    count = 0
    with whole_file(path) as file:
        for count, line in enumerate(lines, 1):
            if form == "json":
                file.write((b"[\n" if count == 1 else b",\n") + line.rstrip(b"\n"))
            else:
                file.write(line)
        if form == "json":
            file.write(b"\n]\n" if count else b"[]\n")
    return count


def export_games(
    source: Path, form: str | None = None, target: Path | None = None, progress: bool = False
) -> tuple[Path, int]:
    """Write the games of a file in another format, into the file that is named; where, and how many.

    The ending of that file's name says the format, unless the format is named.
    """
    check_name(source)
    form = form or _format_of(target)
    if form not in ENDINGS:
        raise FileTrouble(f"{form!r} is not a format for games; choose one of {', '.join(ENDINGS)}")
    target = target or source.with_suffix(ENDINGS[form])
    refuse_overlap(source, target)
    with reading_bar(source, "exporting", progress) as shown:
        return target, write_games(target, read_games(source, shown.update), form)


def _format_of(path: Path | None) -> str:
    """The format that the ending of a name stands for."""
    if path is None:
        raise FileTrouble(f"say what to write: --format with one of {', '.join(ENDINGS)}, or --out with such an ending")
    check_name(path)
    return FORMS.get(path.suffix) or path.suffix[1:]


# ---- Where each game of a file of JSON lines begins: an index beside it, train.jsonl.index
#
# Written with the file or built once; one that does not fit the file is not believed, and made anew if it is ours:
#
#     magic "gl2048ix", the length of a JSON header, the header, then uint64[games + 1] offsets and uint32[games] moves


MAGIC = b"gl2048ix"
EDGE = 1 << 12  # bytes at either end that tell a file from another
MOVES = re.compile(rb'"totalMoves"\s*:\s*(\d+)')


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
    count, length = header.games, 8 * (header.games + 1)
    if (header.mark, len(body), header.sha256) != (mark, length + 4 * count, hashlib.sha256(body).hexdigest()):
        return None
    offsets, moves = np.frombuffer(body, "<u8", count + 1), np.frombuffer(body, "<u4", count, length)
    index = Index(offsets, moves, header.settings, header.made)
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
        "games": len(moves), "mark": mark_of(path), "sha256": hashlib.sha256(body).hexdigest(), "settings": settings,
        "made": msgspec.to_builtins(made),
    }  # fmt: skip
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
