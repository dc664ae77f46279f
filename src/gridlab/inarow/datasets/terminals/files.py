"""A dataset of terminal wins is a folder: a layer file for each ply, a manifest and a card.

    layer_09.bin … layer_25.bin     the records
    manifest.json                   rules, results version, and for each layer counts, size, SHA-256
    README.md                       a card: what it is, for people

The manifest is written anew after each layer. Whatever it names is whole; a layer it does not name is not part of
the dataset yet.

Nothing of a manifest is believed before it was read by its form and found to agree with itself.
"""

import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Annotated, BinaryIO, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from gridlab import __version__
from gridlab.core.arguments import counted, number_ranges
from gridlab.core.bits import lowest_bit, popcount
from gridlab.core.draw import Sheet, shown
from gridlab.core.errors import CorruptFile, FileTrouble, GridlabError, TooLarge
from gridlab.core.files import RESULTS_VERSION, Checksummed, timestamp, whole_file, write_json
from gridlab.core.jit import kernel
from gridlab.core.untrusted import Count, open_regular, parse_json, read_bytes, reason_of, size_of
from gridlab.inarow.exact.terminals import RECORD_CELLS, candidates, first_ply
from gridlab.inarow.kernels import NO_LAST_MOVE, Int64s, ending, image_key, image_keys, is_canonical, runs_of
from gridlab.inarow.lines import numbered_lines
from gridlab.inarow.rules import Rules

# ---- One ply of positions as a file of records
#
#     offset 0   uint32  magic 0x54545435, on disk the bytes 35 54 54 54 ("5TTT")
#            4   uint32  number of records
#            8   uint64  record 0: 2 bits a cell, cell 0 (top left) lowest, row-major; 00 empty, 01 X, 10 O
#           16   uint64  record 1 > record 0
#            …           all little-endian; the file ends with the last record
#
# Records ascend as integers, so a board is found by bisection.
#
# Other tools write 0 for the number and fill it in when the layer is complete. A file that still holds this placeholder
# has as many records as its size says, if its reader takes that.


MAGIC = 0x54545435
HEADER = struct.Struct("<II")
RECORD = np.dtype("<u8")
MOST_RECORDS = 2**32 - 1

Records = NDArray[np.uint64]


def layer_name(ply: int) -> str:
    return f"layer_{ply:02}.bin"


def layer_size(records: int) -> int:
    """The bytes of a file of so many records."""
    return HEADER.size + RECORD.itemsize * records


def write_layer(path: Path, count: int, shards: Iterable[Records]) -> Checksummed:
    """Write `count` records given in ascending shards; the file's size and checksum."""
    if count > MOST_RECORDS:
        raise TooLarge(f"{path.name} would have {count:,} records; a layer file counts up to {MOST_RECORDS:,}")
    with whole_file(path) as file:
        file.write(HEADER.pack(MAGIC, count))
        for records in shards:
            file.write(records.astype(RECORD, copy=False).data.cast("B"))
    return file


def open_layer(path: Path, placeholder: bool = False) -> Records:
    """The records of a file, mapped; CorruptFile if it is not a whole layer.

    With `placeholder` a count of 0 stands for as many records as the file has. What stands in them is judged by
    `first_flaw`.
    """
    with _opened(path) as (file, size, count):
        if placeholder and count == 0:
            count, left = divmod(size - HEADER.size, RECORD.itemsize)
            if left:
                whole = f"its {size:,} bytes end within a record"
                raise CorruptFile(f"{path.name}: {whole}, and its header has no count yet")
        if size != (expected := layer_size(count)):
            said = f"the {count:,} records of its header: {expected:,} would"
            raise CorruptFile(f"{path.name}: {size:,} bytes do not hold {said}")
        return np.memmap(file, dtype=RECORD, mode="r", offset=HEADER.size) if count else np.empty(0, dtype=RECORD)


def in_blocks(records: Records, size: int) -> Iterator[Records]:
    """All records, so many at a time."""
    return (records[first : first + size] for first in range(0, len(records), size))


def has_placeholder(path: Path) -> bool:
    """Whether a file counts 0 records and holds some; not if it cannot be read, which its reader will hear."""
    with suppress(CorruptFile), _opened(path) as (_, size, count):
        return count == 0 and size > HEADER.size
    return False


@contextmanager
def _opened(path: Path) -> Iterator[tuple[BinaryIO, int, int]]:
    """A layer file, its size, and the number of records in its header."""
    try:
        with open_regular(path) as file:
            size, head = size_of(file), file.read(HEADER.size)
            if len(head) < HEADER.size:
                raise CorruptFile(f"{path.name}: {size} bytes are too few for a header of {HEADER.size}")
            magic, count = HEADER.unpack(head)
            if magic != MAGIC:
                raise CorruptFile(f"{path.name}: the header has magic {magic:#010x}, a layer has {MAGIC:#010x}")
            yield file, size, int(count)
    except CorruptFile:
        raise
    except (OSError, GridlabError) as error:
        raise CorruptFile(f"{path.name}: cannot be read: {reason_of(error)}") from error


# ---- Records taken apart by kernels: stones, legality, and what there is to say about a terminal win.
#
# record   …10 00 01 00 01   ->   crosses …00101, noughts …10000     (2 bits a cell, cell 0 lowest)
#
# Records from a file go through `first_flaw` before anything else is made of them; `facts_of` sees to that itself.


REASONS = (
    "", "a cell or a bit above the board has an impossible value", "the stones do not count up to its ply",
    "the player who did not move last has a line", "nobody has a line: this is not a terminal position",
    "no single last move explains the lines", "the position before the last move was over already",
    "not canonical: a symmetric image comes before it",
)  # fmt: skip
SOUND, BAD_BITS, BAD_COUNT, OTHER_HAS_LINE, NOT_OVER, NO_CAUSE, OVER_BEFORE, NOT_CANONICAL = range(len(REASONS))
EVEN_BITS = 0x5555555555555555


class Checker(NamedTuple):
    """A game, as the kernels of this module take it."""

    cells: int
    runs: Int64s
    keys: Int64s
    lines: Int64s  # [line]: winning lines, then losing ones


def checker(rules: Rules) -> Checker:
    lines = np.array(numbered_lines(rules), dtype=np.int64)
    return Checker(rules.cells, runs_of(rules), image_keys(rules), lines)


@kernel
def gather_even_bits(bits: int) -> int:
    """Bits 0, 2, 4, … moved together: .a.b.c.d -> ....abcd, in steps of 1, 2, 4, 8, 16 places."""
    bits &= EVEN_BITS
    bits = (bits | bits >> 1) & 0x3333333333333333
    bits = (bits | bits >> 2) & 0x0F0F0F0F0F0F0F0F
    bits = (bits | bits >> 4) & 0x00FF00FF00FF00FF
    bits = (bits | bits >> 8) & 0x0000FFFF0000FFFF
    return (bits | bits >> 16) & 0x00000000FFFFFFFF


@kernel
def crosses_of(record: np.uint64) -> int:
    return gather_even_bits(int(record & np.uint64(EVEN_BITS)))


@kernel
def noughts_of(record: np.uint64) -> int:
    return gather_even_bits(int(record >> np.uint64(1) & np.uint64(EVEN_BITS)))


@kernel
def flaw_of(record: np.uint64, ply: int, game: Checker) -> int:
    """An index into REASONS: SOUND for the canonical record of a terminal win at this ply."""
    crosses, noughts = crosses_of(record), noughts_of(record)
    if crosses & noughts != 0 or (crosses | noughts) >> game.cells != 0:
        return BAD_BITS
    if popcount(crosses) != (ply + 1) // 2 or popcount(noughts) != ply // 2:
        return BAD_COUNT
    mover, other = (crosses, noughts) if ply % 2 else (noughts, crosses)
    if ending(other, game.runs) != 0:
        return OTHER_HAS_LINE
    end = ending(mover, game.runs)
    if end == 0:
        return NOT_OVER
    if end == NO_LAST_MOVE:
        return NO_CAUSE
    if ending(mover ^ lowest_bit(last_moves(mover, game)), game.runs) != 0:
        return OVER_BEFORE
    return SOUND if is_canonical(crosses, noughts, game.keys) else NOT_CANONICAL


@kernel
def last_moves(mover: int, game: Checker) -> int:
    """The cells of the mover common to all lines completed: any of them may have been the last move."""
    common = mover
    for line in game.lines:
        if mover & line == line:
            common &= line
    return common


@kernel
def first_flaw(records: NDArray[np.uint64], ply: int, game: Checker, tolerated: int) -> tuple[int, int]:
    """The first unsound record and its reason, or (-1, SOUND); NOT_CANONICAL can be tolerated."""
    for i in range(len(records)):
        flaw = flaw_of(records[i], ply, game)
        if flaw not in (SOUND, tolerated):
            return i, flaw
    return -1, SOUND


@kernel
def make_canonical(records: NDArray[np.uint64], game: Checker) -> None:
    """Put in place of each record the smallest of its images."""
    for i in range(len(records)):
        crosses, noughts = crosses_of(records[i]), noughts_of(records[i])
        if is_canonical(crosses, noughts, game.keys):
            continue
        smallest = image_key(crosses, noughts, game.keys[0])
        for symmetry in range(1, len(game.keys)):
            smallest = min(smallest, image_key(crosses, noughts, game.keys[symmetry]))
        records[i] = record_of_key(smallest, game.cells)


@kernel
def record_of_key(key: int, cells: int) -> np.uint64:
    """The record of the board with this sort key: digits in base 3, cell 0 the highest."""
    record = np.uint64(0)
    for cell in range(cells - 1, -1, -1):
        record |= np.uint64(key % 3) << np.uint64(2 * cell)
        key //= 3
    return record


@kernel
def count_won(records: NDArray[np.uint64], ply: int, game: Checker) -> int:
    """How many of these terminal wins the player has won who moved last."""
    won = 0
    for i in range(len(records)):
        mover = crosses_of(records[i]) if ply % 2 else noughts_of(records[i])
        won += ending(mover, game.runs) > 0
    return won


@kernel
def first_disorder(records: NDArray[np.uint64]) -> int:
    """The first record that is not larger than the one before it, or -1."""
    for i in range(1, len(records)):
        if records[i] <= records[i - 1]:
            return i
    return -1


class Facts(NamedTuple):
    """What is known of some terminal wins, a row each."""

    crosses: Int64s  # [record]
    noughts: Int64s  # [record]
    winners: NDArray[np.int8]  # [record]: 1 X, 2 O
    orbits: NDArray[np.int8]  # [record]: how many different images the board has
    last_moves: NDArray[np.uint8]  # [record, cell]: 1 if it may have been the last move
    lines: NDArray[np.uint8]  # [record, line]: 1 if completed; winning lines, then losing ones


def facts_of(records: NDArray[np.uint64], ply: int, game: Checker, tolerated: int = SOUND) -> Facts:
    """What is known of records of a ply; CorruptFile if one of them is not a terminal win."""
    index, reason = first_flaw(records, ply, game, tolerated)
    if index >= 0:
        raise CorruptFile(f"ply {ply}: {int(records[index]):#x} is not a record: {REASONS[reason]}")
    count = len(records)
    facts = Facts(
        np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int8), np.empty(count, np.int8),
        np.empty((count, game.cells), np.uint8), np.empty((count, len(game.lines)), np.uint8),
    )  # fmt: skip
    fill_facts(records, ply, game, facts)
    return facts


@kernel
def fill_facts(records: NDArray[np.uint64], ply: int, game: Checker, facts: Facts) -> None:
    for i in range(len(records)):
        crosses, noughts = crosses_of(records[i]), noughts_of(records[i])
        mover = crosses if ply % 2 else noughts
        facts.crosses[i], facts.noughts[i] = crosses, noughts
        facts.winners[i] = 1 if (ending(mover, game.runs) > 0) == (ply % 2 == 1) else 2
        facts.orbits[i] = orbit_size(crosses, noughts, game.keys)
        last = last_moves(mover, game)
        for cell in range(game.cells):
            facts.last_moves[i, cell] = last >> cell & 1
        for line in range(len(game.lines)):
            facts.lines[i, line] = mover & game.lines[line] == game.lines[line]


@kernel
def orbit_size(crosses: int, noughts: int, keys: Int64s) -> int:
    """The number of different images: symmetries / those that keep the board."""
    keeping = 0
    own = image_key(crosses, noughts, keys[0])
    for symmetry in range(len(keys)):
        keeping += image_key(crosses, noughts, keys[symmetry]) == own
    return len(keys) // keeping


# ---- The README.md of a dataset: what it is, how much of it there is, how to read a record


CARD_TEXT = """---
license: mit
pretty_name: All terminal wins of {rules}
tags: [board-games, {rules}, exact]
---
# All terminal wins of {rules}

Every position of the game {rules} (rows x columns : winning length - losing length) that has just been won: one
winner, right counts, completed by the last move. One representative of each symmetry orbit: the smallest image as a
tuple of cells from the top left, empty 0 < X 1 < O 2. {records:,} records in {layers} layers, one for each ply.

| ply | records | X wins | O wins | bytes |
|---:|---:|---:|---:|---:|
{table}

A layer file is little-endian: magic `0x54545435`, number of records (both uint32), then the records (uint64),
ascending. A record has 2 bits a cell, cell 0 (top left) lowest, row-major: 00 empty, 01 X, 10 O.

```python
import numpy as np
records = np.fromfile("{example}", dtype="<u8", offset=8)
cells = records[0] >> np.arange(0, {bits}, 2, dtype=np.uint64) & np.uint64(3)
for row in cells.reshape({rows}, {cols}):
    print(*(".XO"[int(cell)] for cell in row))
```

Sizes and SHA-256 of all files are in `manifest.json`. Made {when} by {by}: `{command}`.
"""


def is_card(text: bytes, rules: Rules) -> bool:
    """Whether a file begins as the card of a game does."""
    return text.startswith(CARD_TEXT.partition("# All")[0].format(rules=rules).encode())


# ---- A dataset of terminal wins is a folder: a layer file for each ply, a manifest and a card


FORMAT, VERSION = "gridlab terminal wins", 1
MANIFEST, CARD = "manifest.json", "README.md"
MOST_BYTES = 1 << 20  # of a manifest; 32 layers take a hundredth of it

MadeBy = Annotated[str, msgspec.Meta(pattern=r"^gridlab [ -~]{1,400}\Z")]
Moment = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\+00:00\Z")]
Digest = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]


def parse_plies(text: str) -> list[int]:
    """Read a list of plies, ascending and each once: `9-12,25` is [9, 10, 11, 12, 25]."""
    return number_ranges(text, 1, RECORD_CELLS, "plies")


def plies_text(plies: Iterable[int]) -> str:
    """What `parse_plies` reads: [9, 10, 11, 12, 25] is `9-12,25`."""
    runs: list[list[int]] = []
    for ply in sorted(plies):
        if runs and runs[-1][-1] == ply - 1:
            runs[-1].append(ply)
        else:
            runs.append([ply])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def command_for(rules: Rules, layers: Iterable["Layer"]) -> str:
    """What makes these layers."""
    return f"gridlab terminals build {rules} --plies {plies_text(each.ply for each in layers)}"


def holds(path: Path, content: bytes) -> bool:
    """Whether a file is there and holds just this."""
    return path.is_file() and path.stat().st_size == len(content) and read_bytes(path) == content


def wins_of_players(ply: int, won: int, lost: int) -> tuple[int, int]:
    """The wins of X and of O at a ply that so many times was won, and so many lost, by the player who moved last."""
    return (won, lost) if ply % 2 else (lost, won)


class Layer(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """What the manifest says of one layer."""

    ply: Count
    file: Annotated[str, msgspec.Meta(max_length=20)]
    records: Count
    x_wins: Count
    o_wins: Count
    candidates: Count
    bytes: Count
    sha256: Digest

    @classmethod
    def of(cls, rules: Rules, ply: int, won: int, lost: int, sha256: str) -> "Layer":
        """The entry of a layer, `won` and `lost` by the player who moved last."""
        records, wins = won + lost, wins_of_players(ply, won, lost)
        return cls(ply, layer_name(ply), records, *wins, candidates(rules, ply), layer_size(records), sha256)

    def flaw(self, rules: Rules) -> str:
        """What cannot be in this entry; empty if all can."""
        if not first_ply(rules) <= self.ply <= rules.cells or self.file != layer_name(self.ply):
            return f"{self.file!r} is not a layer of ply {self.ply} of {rules}"
        if self.records != self.x_wins + self.o_wins:
            return f"{self.file}: {self.records:,} records, {self.x_wins:,} won by X and {self.o_wins:,} by O"
        if self.bytes != layer_size(self.records):
            return f"{self.file}: {self.records:,} records are not {self.bytes:,} bytes"
        return ""


class Head(msgspec.Struct):
    """What tells a manifest from other files."""

    format: str
    version: int


class Made(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who made it, when, and how."""

    when: Moment
    by: MadeBy
    command: MadeBy


class Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A manifest as it stands in a file."""

    format: str
    version: int
    rules: Annotated[str, msgspec.Meta(max_length=20)]
    behaviour: Count
    made: Made
    layers: Annotated[tuple[Layer, ...], msgspec.Meta(min_length=1, max_length=RECORD_CELLS)]


@shown
class Manifest(NamedTuple):
    """What is in a folder."""

    rules: Rules
    results_version: int
    made: dict[str, str]
    layers: tuple[Layer, ...]

    def _in_short(self) -> str:
        records = sum(each.records for each in self.layers)
        return f"{self.rules}: {counted(len(self.layers), 'layer')}, {records:,} records"

    def _sheet(self) -> Sheet:
        rows = [(each.ply, each.records, each.x_wins, each.o_wins) for each in self.layers]
        return Sheet(f"Terminal wins of {self.rules}", ("ply", "records", "X wins", "O wins"), rows)

    @classmethod
    def read(cls, folder: Path) -> "Manifest":
        """The manifest of a folder, if it agrees with itself; `verify` holds it to the files."""
        path = folder / MANIFEST
        try:
            content = read_bytes(path, MOST_BYTES)
        except CorruptFile:
            raise
        except FileTrouble as error:
            raise FileTrouble(f"{folder} holds no dataset: {error}") from error
        head = parse_json(content, Head, f"{path}: not a manifest of terminal wins")
        if (head.format, head.version) != (FORMAT, VERSION):
            raise CorruptFile(f"{path}: this is {head.format!r} version {head.version}; {FORMAT!r} {VERSION} is read")
        found = parse_json(content, Written, f"{path}: not a manifest of terminal wins")
        try:
            rules = Rules.parse(found.rules)
        except GridlabError as error:
            raise CorruptFile(f"{path}: not a manifest of terminal wins: {error}") from error
        manifest = cls(rules, found.behaviour, msgspec.structs.asdict(found.made), found.layers)
        if flaw := manifest.flaw():
            raise CorruptFile(f"{path}: {flaw}")
        return manifest

    def with_layer(self, layer: Layer) -> "Manifest":
        """The manifest with one layer more, and the command that makes them all."""
        layers = tuple(sorted([*self.layers, layer]))
        return self._replace(layers=layers, made=self.made | {"command": command_for(self.rules, layers)})

    def grown(self, folder: Path, layers: Iterable[Layer]) -> "Manifest":
        """The manifest with more layers, each of which it names on disk as soon as it is whole."""
        manifest = self
        for each in layers:
            manifest = manifest.with_layer(each)
            manifest.write(folder)
        if not holds(folder / CARD, manifest.card()):  # killed between the manifest and the card
            manifest.write_card(folder)
        return manifest

    def flaw(self) -> str:
        """Where it contradicts itself; empty if it does not."""
        if self.rules.cells > RECORD_CELLS:
            return f"{self.rules} has {self.rules.cells} cells; records hold up to {RECORD_CELLS}"
        if not all(one.ply < other.ply for one, other in pairwise(self.layers)):
            return "the layers do not ascend by ply, each once"
        return next((flaw for each in self.layers if (flaw := each.flaw(self.rules))), "")

    def write(self, folder: Path) -> None:
        made = Made(**self.made)
        written = Written(FORMAT, VERSION, str(self.rules), self.results_version, made, self.layers)
        write_json(folder / MANIFEST, msgspec.to_builtins(written))
        self.write_card(folder)

    def write_card(self, folder: Path) -> None:
        with whole_file(folder / CARD) as card:
            card.write(self.card())

    def card(self) -> bytes:
        """What README.md must hold."""
        rules, layers = self.rules, self.layers
        rows = (f"| {e.ply} | {e.records:,} | {e.x_wins:,} | {e.o_wins:,} | {e.bytes:,} |" for e in layers)
        return CARD_TEXT.format(
            rules=rules, rows=rules.rows, cols=rules.cols, bits=2 * rules.cells, table="\n".join(rows),
            records=sum(each.records for each in layers), layers=len(layers),
            example=next((each.file for each in layers if each.records), "layer.bin"), **self.made,
        ).encode()  # fmt: skip


def new_manifest(rules: Rules) -> Manifest:
    """A manifest without layers, made here and now."""
    return Manifest(rules, RESULTS_VERSION, {"when": timestamp(), "by": f"gridlab {__version__}"}, ())
