"""Games of 2048 for training: a file of JSON lines game by game, files of any format move by move (for PyTorch).

    moves = Moves2048("train.jsonl", "more.parquet", symmetries=True)
    train, val, test = moves.split(0.7, 0.15, 0.15)                    by whole games; nothing is read
    moves[17]                   {"board": uint8[4, 4], "direction": 2, "legal": bool[4], "score": 120, …}
    moves[[3, 17]]              the same of several moves, as arrays
    DataLoader(train, batch_size=1024, shuffle=True, num_workers=2)    as it stands

Moves are taken out of columns mapped into memory, a batch by one kernel. torch is not needed unless something is handed
to it.
"""

import mmap
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from copy import copy
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from gridlab.core.arguments import check_seed, counted, told, typed, whole
from gridlab.core.bits import FIRST, S27, S30, S31, SECOND, STEP, below, int64, plus, times
from gridlab.core.draw import AsJson, Sheet, brief, shown
from gridlab.core.errors import BadNotation, BadRules, CorruptFile, FileTrouble
from gridlab.core.files import whole_file
from gridlab.core.jit import inner, kernel
from gridlab.core.run import import_extra
from gridlab.core.untrusted import Count, ends_with_digest, open_regular, read_head, reading
from gridlab.game2048 import kernels
from gridlab.game2048.datasets.files import check_name, mark_of, may_write, read_games, read_index, reading_bar
from gridlab.game2048.kernels import FIFTEEN, FOUR, REASONS, Boards, Mirror, RowTables, Shape
from gridlab.game2048.records import LONGEST_LINE, Game, Misshapen, flaw_by_rules, parse, tiles_of
from gridlab.game2048.rules import Rules2048

# ---- A file of JSON lines as a sequence of games, and as shuffled batches of arrays
#
#     games = Games("data/train.jsonl")
#     len(games), games[17]                                  any game, without reading the file
#     for boards, directions in games.batches(256, random, symmetries=True): …       int32[256, 4, 4], int64[256]


MOST_SHOWN = 10  # games, in a notebook
CHUNK = 32  # games decoded together for batches
# Symmetry s turns the board by 90 degrees s % 4 times (as numpy.rot90, to the left) and for s >= 4 mirrors it first.
UP, DOWN, LEFT, RIGHT = range(4)
TURNED = np.array([LEFT, RIGHT, DOWN, UP])  # a quarter turn to the left leads up to left, down to right, …
MIRRORED = np.array([UP, DOWN, RIGHT, LEFT])


Directions = NDArray[np.int64]
Batched = tuple[NDArray[np.int32], Directions]  # boards, and where they go


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
            where = f"{self.path}, game {number}"
            raise BadNotation(f"{where} is of {game.rules}, others of {rules}: no batch can hold both")
        return game

    def __iter__(self) -> Iterator[Game]:
        return (self[number] for number in range(len(self)))

    def batches(self, size: int, random: np.random.Generator, symmetries: bool = False) -> Iterator[Batched]:
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


def _decoded(boards: Boards, directions: Directions, random: np.random.Generator | None, rules: Rules2048) -> Batched:
    tiles = tiles_of(boards, rules)
    if random is None:
        return tiles, directions
    kinds = range(8) if rules.rows == rules.cols else range(0, 8, 2)  # a quarter turn changes an oblong board
    images = random.integers(len(kinds), size=len(tiles))
    for number, symmetry in enumerate(kinds):
        chosen = images == number
        tiles[chosen], directions[chosen] = symmetric(tiles[chosen], directions[chosen], symmetry)
    return tiles, directions


def symmetric(boards: NDArray[np.int32], directions: Directions, symmetry: int) -> Batched:
    """One of the eight images of boards [sample, row, col], with the directions mapped along."""
    if symmetry >= 4:
        boards, directions = boards[:, :, ::-1], MIRRORED[directions]
    for _ in range(symmetry % 4):
        boards, directions = np.rot90(boards, axes=(1, 2)), TURNED[directions]
    return boards, directions


# ---- Whole games shared out by chance


def shared_out(games: int, shares: Sequence[float], seed: int = 0) -> list[NDArray[np.int64]]:
    """The numbers of some games shared out by chance: ascending for each share, and each in exactly one of them."""
    check_shares(shares)
    order = np.random.default_rng(check_seed(seed)).permutation(games)
    ends = np.rint(np.cumsum(shares) * games).astype(int).tolist()
    return [np.sort(order[begin:end]) for begin, end in zip([0, *ends], ends, strict=False)]


def check_shares(shares: Sequence[float]) -> None:
    if not all(0 <= share <= 1 for share in shares) or abs(sum(shares) - 1) > 1e-9:
        told = ", ".join(f"{share:g}" for share in shares)
        raise BadNotation(f"{told} are not shares; numbers from 0 that add up to 1 are needed")


# ---- The moves of a file of games as columns that are mapped into memory: any move at once, whatever the format
#
# Made once, beside the file (train.parquet.moves), while every game is replayed by the rules; one that does not fit the
# file is not believed, and made anew if it is ours. Where nothing can be written it lasts as long as the process.
#
#     offset
#          0   8   magic "gl2048mv"
#          8   4   length of the header, uint32                  all numbers little-endian
#         12   …   header: JSON (games, moves, rules, the mark of the file), spaces up to a multiple of 8
#              …   uint64[games + 1]   the number of each game's first move, and of all moves
#              …   int64[games]        final scores
#              …   uint64[moves]       boards before the move, packed
#              …   int64[moves]        scores before the move
#              …   uint8[moves]        directions
#        -32  32   SHA-256 of everything before


MAGIC = b"gl2048mv"
START, DIGEST = 12, 32  # bytes
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
            whole = read_head(file, MAGIC, Header, place).mark == _mark(path) and ends_with_digest(file)
    except (FileTrouble, OSError):
        return None
    return found if whole else None


def _mark(path: Path) -> str:
    return f"{mark_of(path)}-{path.stat().st_mtime_ns}"


def _mapped(path: Path, place: Path) -> MovesFile:
    """Columns mapped into memory, their lengths held against the size of the file."""
    with reading(place), open_regular(place) as file:
        header = read_head(file, MAGIC, Header, place)
        begin, size = file.tell(), file.seek(0, 2)
        if begin % 8 or size != begin + 8 + GAME * header.games + MOVE * header.moves + DIGEST:
            raise CorruptFile(f"{place} has another size than its header says")
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)  # kernels know one kind of array
    columns, games, moves = list[NDArray[Any]](), header.games, header.moves
    for kind, length in (("<u8", games + 1), ("<i8", games), ("<u8", moves), ("<i8", moves), ("u1", moves)):
        columns.append(np.frombuffer(content, kind, length, begin))
        begin += columns[-1].nbytes
    starts, directions = columns[0].astype(np.int64), columns[-1]
    if starts[0] != 0 or starts[-1] != moves or (np.diff(starts) < 0).any() or (directions > 3).any():
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
            parts = (game.boards, "<u8"), (game.scores, "<i8"), (game.directions, "u1")
            for column, (part, kind) in zip(columns, parts, strict=True):
                column.write(np.ascontiguousarray(part, kind).data)
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
    move, reason = flaw_by_rules(game)
    if move >= 0:
        place = f"{path}, game {number + 1}, move {move + 1}"
        raise CorruptFile(f"{place}: {REASONS[reason]}; gridlab 2048 verify tells more")


# ---- Moves taken out of columns, each seen through a symmetry of the board: one kernel for a whole batch


PHASES = ("opening", "middle", "late", "end")  # no 256 yet, no 1024, no 4096, and what comes then
MIDDLE, LATE, END = 8, 10, 12  # the binary logarithms of the tiles that begin a phase
NO_CHANCE = np.uint64(0)  # instead of what symmetries are drawn from


class Columns(NamedTuple):
    """The moves of a file, [move] each, and its final scores, [game]."""

    boards: Boards
    scores: NDArray[np.int64]
    directions: NDArray[np.uint8]
    final_scores: NDArray[np.int64]


class Samples(NamedTuple):
    """Moves for training: [sample] each."""

    boards: Boards  # packed
    cells: NDArray[np.uint8]  # [sample, 16]: the binary logarithm of each tile, 0 for none; 15 beside a smaller board
    directions: NDArray[np.int64]  # up, down, left, right
    legal: NDArray[np.bool_]  # [sample, direction]
    scores: NDArray[np.int64]  # before the move
    remaining: NDArray[np.int64]  # points from here to the end of the game
    phases: NDArray[np.int64]


def new_samples(number: int) -> Samples:
    return Samples(
        np.empty(number, np.uint64), np.empty((number, 16), np.uint8), np.empty(number, np.int64),
        np.empty((number, 4), np.bool_), np.empty(number, np.int64), np.empty(number, np.int64),
        np.empty(number, np.int64),
    )  # fmt: skip


@kernel
def take(
    chosen: NDArray[np.int64],  # [sample, 4]: the move in its columns, its game, where it goes, what it is known by
    columns: Columns,
    found: Samples,
    key: np.uint64,  # 0 for boards as they are, else symmetries are drawn from it and from what a move is known by
    rows: RowTables,
    mirror: Mirror,
    shape: Shape,
) -> None:
    """Fill in samples."""
    boards, scores, directions, finals = columns
    for i in range(len(chosen)):
        move, game, place = chosen[i, 0], chosen[i, 1], chosen[i, 2]
        board, direction = boards[move], int64(directions[move]) & 3
        if key != NO_CHANCE:
            symmetry = below(mixed(key, chosen[i, 3]), kernels.symmetries(shape))
            board, direction = kernels.image(board, symmetry, mirror, shape), kernels.image_of(direction, symmetry)
        found.boards[place], turned = board, kernels.transpose(board)
        up, down = kernels.slide_rows(turned, rows.slides)
        left, right = kernels.slide_rows(board, rows.slides)
        legal = found.legal[place]
        legal[0], legal[1], legal[2], legal[3] = up != turned, down != turned, left != board, right != board
        found.directions[place], found.scores[place] = direction, scores[move]
        found.remaining[place] = finals[game] - scores[move]
        largest = kernels.largest_exponent(board ^ rows.walls)
        for cell in range(16):
            found.cells[place, cell] = board & FIFTEEN
            board >>= FOUR
        found.phases[place] = int(largest >= MIDDLE) + int(largest >= LATE) + int(largest >= END)


@inner
def mixed(key: np.uint64, number: int) -> np.uint64:
    """Random bits that hang on both numbers alone (the step of SplitMix64)."""
    state = plus(key, times(np.uint64(number), STEP))
    state = times(state ^ state >> S30, FIRST)
    state = times(state ^ state >> S27, SECOND)
    return state ^ state >> S31  # type: ignore[no-any-return]


# ---- Games of 2048 as single moves for training: a map-style dataset for PyTorch, over files of any format


@shown
class Moves2048:
    """The moves of some files of games, numbered from 0.

    With `symmetries` a move is seen as one of the eight images of its board, the direction mapped along: drawn from the
    seed, the epoch and the number of the move, so that it does not matter which worker asks for it.
    """

    @typed
    def __init__(self, *paths: Path | str, symmetries: bool = False, seed: int = 0, progress: bool = False) -> None:
        if not paths:
            raise BadNotation("no file of games was named; gridlab 2048 generate makes one")
        self.files = tuple(open_moves(Path(path), progress) for path in paths)
        self.rules = _one_shape(self.files)
        self.symmetries, self.seed, self.epoch = symmetries, check_seed(seed), 0
        games = [(number, game) for number, file in enumerate(self.files) for game in range(file.games)]
        self.games = np.array(games, np.int64).reshape(-1, 2)
        self._number()

    def _number(self) -> None:
        """Find out which moves belong to which game."""
        lengths = np.empty(len(self.games), np.int64)
        self._first = np.empty(len(self.games), np.int64)
        for number, file in enumerate(self.files):
            here = self.games[:, 0] == number
            starts, games = file.starts.astype(np.int64), self.games[here, 1]
            self._first[here], lengths[here] = starts[games], np.diff(starts)[games]
        self._ends = np.cumsum(lengths)

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def _in_short(self) -> str:
        seen = ", with symmetries" if self.symmetries else ""
        held = f"{counted(len(self), 'move')} of {counted(len(self.games), 'game')}"
        return f"{self.rules}: {held} in {counted(len(self.files), 'file')}{seen}"

    def _sheet(self) -> Sheet:
        lengths = np.diff(self._ends, prepend=0)
        owned = [self.games[:, 0] == number for number in range(len(self.files))]
        rows = [
            (str(file.path), int(here.sum()), int(lengths[here].sum()))
            for file, here in zip(self.files, owned, strict=True)
        ]
        return Sheet(self._in_short(), ("file", "games", "moves"), rows)

    # ---- parts

    def part(self, games: Sequence[int] | NDArray[np.int64]) -> "Moves2048":
        """The moves of some games alone, by their numbers here."""
        part = copy(self)
        part.games = self.games[np.asarray(games, np.int64)]
        part._number()
        return part

    def split(self, *shares: float, seed: int = 0) -> list["Moves2048"]:
        """Whole games shared out by chance, as `gridlab 2048 split` does; each in exactly one part."""
        return [self.part(games) for games in shared_out(len(self.games), shares, seed)]

    def seen(self, symmetries: bool) -> "Moves2048":
        """These moves, with symmetries or without."""
        other = copy(self)
        other.symmetries = symmetries
        return other

    def set_epoch(self, epoch: int) -> None:
        """Draw other symmetries; workers of a loader learn of it when they start."""
        self.epoch = epoch

    def draw(self, number: int, early: float, random: np.random.Generator) -> NDArray[np.int64]:
        """Numbers of moves by chance, early ones of a game more often: the n-th as n to the power of -`early`.

        With 0 all moves are alike, with 1 the logarithm of n is. One table of sums serves games of every length.
        """
        lengths = np.diff(self._ends, prepend=0)
        sums = np.cumsum(np.arange(1, lengths.max(initial=0) + 1) ** -float(early))
        shares = np.cumsum(np.concatenate(([0.0], sums))[lengths])
        games = np.searchsorted(shares, random.random(number) * shares[-1], "right").clip(max=len(lengths) - 1)
        places = np.searchsorted(sums, random.random(number) * sums[lengths[games] - 1], "right")
        numbers: NDArray[np.int64] = self._ends[games] - lengths[games] + places.clip(max=lengths[games] - 1)
        return numbers

    # ---- moves

    def samples(self, numbers: Sequence[int] | NDArray[np.int64]) -> Samples:
        """Some moves as arrays."""
        wanted = np.asarray(numbers, np.int64)
        if wanted.ndim != 1:
            raise BadNotation("a batch is a list of numbers of moves")
        wanted = np.where(wanted < 0, wanted + len(self), wanted)
        if len(wanted) and not 0 <= wanted.min() <= wanted.max() < len(self):
            raise IndexError(f"there are {len(self):,} moves, numbered from 0")
        places = np.searchsorted(self._ends, wanted, "right")
        before = np.concatenate(([0], self._ends))[places]
        owners, games = self.games[places].T
        chosen = np.stack((self._first[places] + wanted - before, games, np.arange(len(wanted)), wanted), axis=1)
        found, key = new_samples(len(wanted)), self._key()
        tables = kernels.row_tables(self.rules), kernels.mirror_table(self.rules), kernels.shape_of(self.rules)
        for number, file in enumerate(self.files):
            here = chosen if len(self.files) == 1 else chosen[owners == number]
            take(here, Columns(file.boards, file.scores, file.directions, file.final_scores), found, key, *tables)
        return found

    def _key(self) -> np.uint64:
        """What symmetries are drawn from."""
        if not self.symmetries:
            return NO_CHANCE
        drawn = np.random.SeedSequence(self.seed, spawn_key=(self.epoch,)).generate_state(1, np.uint64)[0]
        return np.uint64(drawn | np.uint64(1))

    def arrays(self, samples: Samples) -> dict[str, NDArray[Any]]:
        """Samples by name, as items have them."""
        rows, cols = self.rules.rows, self.rules.cols
        return {
            "board": samples.cells.reshape(-1, 4, 4)[:, :rows, :cols], "direction": samples.directions,
            "legal": samples.legal, "score": samples.scores, "remaining": samples.remaining, "phase": samples.phases,
        }  # fmt: skip

    def __getitem__(self, number: Any) -> Any:
        """A move; of several numbers all of them, as arrays."""
        if isinstance(number, (int, np.integer)):
            move: Move = Batch(self.arrays(self.samples([int(number)])))[0]
            return move
        return self.arrays(self.samples(number))

    def __getitems__(self, numbers: Sequence[int]) -> "Batch":
        """What a loader asks for: a batch at once."""
        _known_to_torch()
        return Batch(self.arrays(self.samples(numbers)))

    @staticmethod
    def collate(batch: "Batch | Sequence[Move]", **others: Any) -> AsJson:
        """A batch as tensors, without taking it apart and putting it together again."""
        torch = import_extra("torch", "learn")
        if not isinstance(batch, Batch):
            batch = Batch({name: np.stack([each[name] for each in batch]) for name in batch[0]})
        return {name: torch.from_numpy(np.ascontiguousarray(column)) for name, column in batch.columns.items()}


class Move(AsJson):
    """A move by names."""


class Batch(Sequence[Move]):
    """Some moves: a sequence of items, as loaders expect one, over arrays."""

    def __init__(self, columns: Mapping[str, NDArray[Any]]) -> None:
        self.columns = columns

    def __len__(self) -> int:
        return len(self.columns["direction"])

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[each] for each in range(len(self))[place]]
        return Move((name, column[place]) for name, column in self.columns.items())

    def __iter__(self) -> Iterator[Move]:
        return (self[place] for place in range(len(self)))


def _known_to_torch() -> None:
    """Let the usual collation of loaders, where torch is at work, take our batches whole."""
    if "torch.utils.data" in sys.modules:
        known = import_module("torch.utils.data._utils.collate").default_collate_fn_map
        known.setdefault(Move, Moves2048.collate)


def _one_shape(files: Sequence[MovesFile]) -> Rules2048:
    """The rules of all files; boards of two shapes go into no batch."""
    first = files[0].rules
    for each in files:
        if (each.rules.rows, each.rules.cols) != (first.rows, first.cols):
            raise BadNotation(f"{each.path} is of {each.rules}, {files[0].path} of {first}: no batch holds both")
    return first
