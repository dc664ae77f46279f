"""The file of a solved board of 2048: for each layer its boards after a move and their values, a directory, a footer.

    offset
         0   8   magic "GRIDEXP1"
         8   …   for each layer, by the sum of its tiles: boards, then values, each a zstd frame of its own
         D   …   directory: JSON (rules, objective, and of each layer its sum, counts, sizes and CRC-32)
        -20  8   offset D, uint64            all numbers little-endian
        -12  4   CRC-32 of the directory
         -8  8   magic "1PXEDIRG": the file is whole

    boards   a number of 4 bits a cell, row by row, cell 0 lowest: the binary logarithm of its tile. Ascending, of all
             images the smallest. Written byte by byte: first the lowest byte of every board, then the next …
    values   float64, as worked out: what is to come, in points, or the chance to reach the tile

What a board to move is worth follows from the boards after its moves, which all stand in one layer.
"""

import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
import zstandard
from numpy.typing import NDArray

from gridlab.core.arguments import whole_number
from gridlab.core.errors import BadNotation, CorruptFile
from gridlab.core.files import RESULTS_VERSION, Container, Kind, naming, whole_file, write_directory
from gridlab.core.jit import kernel
from gridlab.core.untrusted import Count, parse_json, unpack
from gridlab.game2048 import kernels
from gridlab.game2048.exact.layers import FIRST_SUM, Layer, Values
from gridlab.game2048.kernels import FIFTEEN, FOUR, ONE, S16, ZERO, Boards
from gridlab.game2048.rules import Rules2048

MAGIC = b"GRIDEXP1"
KIND = Kind(
    "a solved board of 2048", MAGIC, b"1PXEDIRG", sections=1, most=16 << 20
)  # 70 bytes for each of 65,000 layers
LEVEL = 3  # of zstd
LARGEST_LAYER = 1 << 24  # boards: 400 MB of memory; the largest of 3x3 has 60,000
MOST_POINTS = float(1 << 32)  # of a value
MOST_CHANCE = 1 + 1e-9  # sums of shares end a little above 1
SCORE = "score"  # the objective, if it is no tile


class StoredLayer(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What the directory says of a layer."""

    sum: Count
    boards: Count  # to move
    over: Count  # of these, without a move
    afterstates: Count  # after a move
    boards_size: Count  # bytes
    boards_crc: Count
    values_size: Count
    values_crc: Count


class Directory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a file holds."""

    rules: Annotated[str, msgspec.Meta(max_length=20)]
    behaviour: Count
    target: Annotated[str, msgspec.Meta(max_length=10)]  # score, or a tile
    max_sum: Count  # layers beyond are left out, and worth nothing; 0 if there are none
    layers: list[StoredLayer]

    @property
    def tile(self) -> int:
        """The tile to be reached; 0 if points are wanted."""
        return 0 if self.target == SCORE else int(self.target)


def tile_of(target: int | str) -> int:
    """The tile that is to be reached, from what people write: 512, "512", or "score", which is none (0)."""
    if target == SCORE:
        return 0
    try:
        return whole_number(str(target), 1)
    except BadNotation as error:
        raise BadNotation(f"{target!r} is not a target; write score, or a tile such as 512") from error


def new_directory(rules: Rules2048, tile: int, most: int) -> Directory:
    return Directory(str(rules), RESULTS_VERSION, str(tile) if tile else SCORE, most, [])


class PackedLayer(NamedTuple):
    """A layer as it is written; sizes and checksums in `stored` are filled in then."""

    stored: StoredLayer
    boards: bytes
    values: bytes


def pack_layer(rules: Rules2048, layer: Layer, values: Values) -> PackedLayer:
    """A layer and its values as they stand in a file."""
    packer = zstandard.ZstdCompressor(level=LEVEL, write_content_size=True)
    width = _bytes_a_board(rules)
    dense = without_walls(layer.afterstates, rules).astype("<u8")
    planes = np.ascontiguousarray(dense.view(np.uint8).reshape(-1, 8)[:, :width].T)
    boards, worth = packer.compress(planes.data), packer.compress(values.astype("<f8").data)
    stored = StoredLayer(
        layer.sum, layer.boards, layer.over, len(layer.afterstates), len(boards), zlib.crc32(boards), len(worth),
        zlib.crc32(worth),
    )  # fmt: skip
    return PackedLayer(stored, boards, worth)


def without_walls(boards: Boards, rules: Rules2048) -> Boards:
    """Packed boards as numbers of 4 bits a cell, with nothing between the rows."""
    found = np.zeros(len(boards), np.uint64)
    width = np.uint64(4 * rules.cols)
    inside = np.uint64((1 << 4 * rules.cols) - 1)
    for row in range(rules.rows):
        found |= (boards >> np.uint64(16 * row) & inside) << np.uint64(row) * width
    return found


def _bytes_a_board(rules: Rules2048) -> int:
    return -(-4 * rules.cells // 8)


def write_table(path: Path, directory: Directory, layers: Iterable[PackedLayer]) -> None:
    """Write a file."""
    listed: list[StoredLayer] = []
    with whole_file(path) as file:
        file.write(MAGIC)
        for each in layers:
            file.write(each.boards)
            file.write(each.values)
            listed.append(each.stored)
        write_directory(file, KIND, [msgspec.json.encode(msgspec.structs.replace(directory, layers=listed))])


class TableFile2048(Container):
    """A file opened for reading: the only reader of solved boards, which checks everything.

    Opening it checks the directory and every size; a layer is checked when it is unpacked: its checksums and lengths,
    that its boards ascend and have the sum and the tiles they should, that its values can be. CorruptFile says what is
    wrong. `part`: the file holds some layers of a build that goes on.
    """

    def __init__(self, path: Path, part: bool = False) -> None:
        super().__init__(path, KIND)
        with naming(path):
            self.directory = parse_json(self.sections[0], Directory, "the directory cannot be understood")
            self.rules = self._check_rules()
            self._places = self._check_layers(part)
        self.layers = {each.sum: each for each in self.directory.layers}

    def _check_rules(self) -> Rules2048:
        found = self.directory
        try:
            rules = Rules2048.parse(found.rules)
        except ValueError as error:
            raise CorruptFile(f"the directory cannot be understood: {error}") from error
        if not rules.packed:
            raise CorruptFile(f"the directory speaks of {rules}, and no table of so large a board can be")
        tiles = {str(1 << exponent) for exponent in range(3, rules.cells + 2)}
        if found.target != SCORE and found.target not in tiles:
            raise CorruptFile(f"the directory speaks of the objective {found.target!r}, which {rules} does not have")
        return rules

    def _check_layers(self, part: bool) -> dict[int, int]:
        """Where each layer begins: sums in order without a gap, sizes that add up to the byte."""
        layers, at, places = self.directory.layers, len(MAGIC), {}
        if not layers:
            raise CorruptFile("the directory lists no layers")
        expected = layers[0].sum if part else FIRST_SUM
        for each in layers:
            if each.sum != expected:
                raise CorruptFile(f"the directory lists the sum {each.sum} where {expected} should stand")
            if max(each.afterstates, each.boards) > LARGEST_LAYER or each.over > each.boards:
                raise CorruptFile(f"the directory counts more boards of sum {each.sum} than there can be")
            places[each.sum] = at
            at, expected = at + each.boards_size + each.values_size, expected + 2
        if at != self.blocks_end:
            raise CorruptFile(f"the layers end at {at:,}, the directory begins at {self.blocks_end:,}")
        if self.directory.max_sum and layers[-1].sum > self.directory.max_sum:
            raise CorruptFile(f"the directory lists sums beyond {self.directory.max_sum}")
        return places

    def packed(self, total: int) -> PackedLayer:
        """A layer as it stands in the file, its checksums tested."""
        stored, at = self.layers[total], self._places[total]
        middle = at + stored.boards_size
        boards, values = self.data[at:middle], self.data[middle : middle + stored.values_size]
        for data, checksum, name in ((boards, stored.boards_crc, "boards"), (values, stored.values_crc, "values")):
            if zlib.crc32(data) != checksum:
                raise CorruptFile(f"{self.path}: the {name} of sum {total} are damaged: their checksum differs")
        return PackedLayer(stored, boards, values)

    def layer(self, total: int) -> tuple[Boards, Values]:
        """The boards after a move of a layer, ascending, and their values."""
        found = self.packed(total)
        number, width = found.stored.afterstates, _bytes_a_board(self.rules)
        name = f"{self.path}: sum {total}"
        planes = np.frombuffer(unpack(found.boards, number * width, name), np.uint8).reshape(width, number)
        values = np.frombuffer(unpack(found.values, 8 * number, name), "<f8").astype(np.float64)
        boards = np.empty(number, np.uint64)
        rules, largest = self.rules, (self.rules.largest or 0).bit_length() - 1
        if not read_boards(planes, rules.rows, rules.cols, np.uint64(kernels.walls_of(rules)), total, largest, boards):
            raise CorruptFile(f"{name} holds boards that cannot be, or not in order")
        most = MOST_CHANCE if self.directory.tile else MOST_POINTS
        if number and not 0 <= values.min() <= values.max() <= most:  # false for what is no number
            raise CorruptFile(f"{name} holds values that cannot be")
        return boards, values

    def all_packed(self) -> Iterator[PackedLayer]:
        """Every layer as it stands in the file."""
        return (self.packed(total) for total in self.layers)


@kernel
def read_boards(
    planes: NDArray[np.uint8], rows: int, cols: int, walls: np.uint64, total: int, largest: int, boards: Boards
) -> bool:
    """Boards from their bytes, with walls; False unless they ascend and have the sum and tiles of the layer."""
    before = ZERO
    for i in range(len(boards)):
        number = ZERO
        for byte in range(planes.shape[0]):
            number |= np.uint64(planes[byte, i]) << np.uint64(8 * byte)
        if number <= before:
            return False
        before, found, tiles = number, walls, np.int64(0)
        for row in range(rows):
            shift = np.uint64(row) * S16
            for _ in range(cols):
                exponent = number & FIFTEEN
                number >>= FOUR
                found |= exponent << shift
                shift += FOUR
                if exponent != ZERO:
                    tiles += np.int64(ONE << exponent)
                if exponent > largest:
                    return False
        if tiles != total or number != ZERO:
            return False
        boards[i] = found
    return True
