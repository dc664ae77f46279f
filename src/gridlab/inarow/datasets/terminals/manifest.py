"""A dataset of terminal wins is a folder: a layer file for each ply, a manifest and a card.

    layer_09.bin … layer_25.bin     the records (layer_file.py)
    manifest.json                   rules, behaviour version, and for each layer counts, size, SHA-256
    README.md                       the same for people (card.py)

The manifest is written anew after each layer. Whatever it names is whole; a layer it does not name is not part of
the dataset yet.

Nothing of a manifest is believed before it was read by its form and found to agree with itself.
"""

import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, BinaryIO, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from gridlab.core.arguments import counted
from gridlab.core.draw import Sheet, shown
from gridlab.core.errors import CorruptFile, FileTrouble, GridlabError, TooLarge
from gridlab.core.files import Checksummed, whole_file, write_json
from gridlab.core.untrusted import Count, open_regular, parse_json, read_bytes, reason_of, size_of
from gridlab.inarow.exact.terminals import RECORD_CELLS, candidates, first_ply
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
    gridlab.inarow.datasets.terminals.records.
    """
    with _opened(path) as file:
        size, count = _head_of(path, file)
        if placeholder and count == 0:
            count, left = divmod(size - HEADER.size, RECORD.itemsize)
            if left:
                raise CorruptFile(
                    f"{path.name}: its {size:,} bytes end within a record, and its header has no count yet"
                )
        if size != (expected := layer_size(count)):
            raise CorruptFile(
                f"{path.name}: {size:,} bytes do not hold the {count:,} records of its header: {expected:,} would"
            )
        return np.memmap(file, dtype=RECORD, mode="r", offset=HEADER.size) if count else np.empty(0, dtype=RECORD)


def has_placeholder(path: Path) -> bool:
    """Whether a file counts 0 records and holds some."""
    with _opened(path) as file:
        size, count = _head_of(path, file)
    return count == 0 and size > HEADER.size


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with open_regular(path) as file:
            yield file
    except CorruptFile:
        raise
    except (OSError, GridlabError) as error:
        raise CorruptFile(f"{path.name}: cannot be read: {reason_of(error)}") from error


def _head_of(path: Path, file: BinaryIO) -> tuple[int, int]:
    """The size of a file, and the number of records in its header."""
    size, head = size_of(file), file.read(HEADER.size)
    if len(head) < HEADER.size:
        raise CorruptFile(f"{path.name}: {size} bytes are too few for a header of {HEADER.size}")
    magic, count = HEADER.unpack(head)
    if magic != MAGIC:
        raise CorruptFile(f"{path.name}: the header has magic {magic:#010x}, a layer has {MAGIC:#010x}")
    return size, int(count)


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


def card_text(rules: Rules, made: dict[str, str], layers: Sequence[dict[str, Any]]) -> str:
    table = "\n".join(
        f"| {each['ply']} | {each['records']:,} | {each['x_wins']:,} | {each['o_wins']:,} | {each['bytes']:,} |"
        for each in layers
    )
    return CARD_TEXT.format(
        rules=rules,
        rows=rules.rows,
        cols=rules.cols,
        bits=2 * rules.cells,
        records=sum(each["records"] for each in layers),
        layers=len(layers),
        table=table,
        example=next((each["file"] for each in layers if each["records"]), "layer.bin"),
        **made,
    )


# ---- A dataset of terminal wins is a folder: a layer file for each ply, a manifest and a card


FORMAT, VERSION = "gridlab terminal wins", 1
MANIFEST, CARD = "manifest.json", "README.md"
MOST_BYTES = 1 << 20  # of a manifest; 32 layers take a hundredth of it

MadeBy = Annotated[str, msgspec.Meta(pattern=r"^gridlab [ -~]{1,400}\Z")]
Moment = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\+00:00\Z")]
Digest = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]


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
    behaviour: int
    made: dict[str, str]
    layers: tuple[Layer, ...]

    def _in_short(self) -> str:
        return (
            f"{self.rules}: {counted(len(self.layers), 'layer')}, {sum(each.records for each in self.layers):,} records"
        )

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

    def with_layer(self, layer: Layer, command: str) -> "Manifest":
        """The manifest with one layer more, and the command that makes them all."""
        return self._replace(layers=tuple(sorted([*self.layers, layer])), made=self.made | {"command": command})

    def flaw(self) -> str:
        """Where it contradicts itself; empty if it does not."""
        if self.rules.cells > RECORD_CELLS:
            return f"{self.rules} has {self.rules.cells} cells; records hold up to {RECORD_CELLS}"
        if not all(one.ply < other.ply for one, other in pairwise(self.layers)):
            return "the layers do not ascend by ply, each once"
        return next((flaw for each in self.layers if (flaw := each.flaw(self.rules))), "")

    def write(self, folder: Path) -> None:
        made = Made(**self.made)
        written = Written(FORMAT, VERSION, str(self.rules), self.behaviour, made, self.layers)
        write_json(folder / MANIFEST, msgspec.to_builtins(written))
        self.write_card(folder)

    def write_card(self, folder: Path) -> None:
        with whole_file(folder / CARD) as card:
            card.write(self.card())

    def card(self) -> bytes:
        """What README.md must hold."""
        return card_text(self.rules, self.made, self.entries()).encode()

    def entries(self) -> list[dict[str, Any]]:
        return [msgspec.structs.asdict(each) for each in self.layers]
