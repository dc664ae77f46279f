"""The file of an n-tuple network: a head that says what it is, tables of weights, a checksum.

    offset
         0   8   magic "GRIDNTUP"
         8   4   version 1, uint32                       all numbers little-endian
        12   4   length of the head, uint32
        16   …   head: JSON (rules, tuples, kind of numbers, sizes of the tables below, how it was learnt)
             …   tables, one after the other, each a zstd frame: 16^n weights of a tuple of n cells
                     a weight stands at Σ exponent(i-th cell of the tuple) · 16^i
                 in a file to go on from also, for each tuple, two sums for each weight (see learn/ntuple)
       -32  32   SHA-256 of everything before

`read_network` is the only reader: sizes are compared with the tuples and the file before memory is taken; every number
must be one. Keys are made of boards, and a key of n cells is below 16^n, so no weight beyond a table is ever asked for.
"""

import os
import struct
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal, NamedTuple

import msgspec
import numpy as np
import zstandard
from numpy.typing import NDArray

from gridlab.core.bits import States
from gridlab.core.errors import BadNotation, BadRules, CorruptFile, FileTrouble
from gridlab.core.files import RESULTS_VERSION, whole_file
from gridlab.core.run import here
from gridlab.core.untrusted import ends_with_digest, open_regular, parse_json, reading, refusing
from gridlab.game2048.rules import Rules2048
from gridlab.game2048.search import ntuple as search
from gridlab.game2048.search.ntuple import Cells, Network, Weights
from gridlab.learn.info import Format, Info

MAGIC, VERSION = b"GRIDNTUP", 1
START = struct.Struct("<8sII")
DIGEST = 32  # bytes
LONGEST_HEAD = 4 << 20  # bytes
LEVEL, SMALLEST = 1, 19  # of compression: most weights were never met, and that is seen at once
OFTEN = 0.05  # enough games with a tile to know it
SHIPPED = Path(__file__).parent / "shipped" / "2048.ntuple"
NUMBERS: dict[str, np.dtype[Any]] = {"float32": np.dtype("<f4"), "float16": np.dtype("<f2")}

Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
State = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{16}\Z")]
Measured = Annotated[float, msgspec.Meta(ge=0, le=1e12)]


class Point(msgspec.Struct, frozen=True):
    """Where a training stood, and how the games since the last such point went."""

    games: Number
    moves: Number
    seconds: Measured  # 0 where the plan of the training counts games
    mean_score: Measured
    tile_rates: dict[str, Annotated[float, msgspec.Meta(ge=0, le=1)]]  # "2048": 0.93


RECIPE = ("rate", "step", "trace", "restart", "optimistic", "settle")  # of what is below: what somebody can ask for


class Learnt(msgspec.Struct, frozen=True):
    """How a network was learnt."""

    rate: Literal["td", "tc"] = "tc"
    step: Annotated[float, msgspec.Meta(gt=0, le=10)] = 1.0
    trace: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.5
    restart: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 0
    optimistic: Annotated[float, msgspec.Meta(ge=0, le=1e9)] = 0.0
    settle: Annotated[float, msgspec.Meta(gt=0, le=1)] = 1.0
    settled: bool = False
    seed: Number = 0
    workers: Annotated[int, msgspec.Meta(ge=1, le=4096)] = 1
    games: Number = 0
    moves: Number = 0
    seconds: Measured = 0.0
    curve: tuple[Point, ...] = ()
    since: Annotated[tuple[Number, ...], msgspec.Meta(max_length=64)] = ()  # the tally of games since the last point

    def without_times(self) -> "Learnt":
        """What was learnt, whenever and however fast: the same for every training that went the same way."""
        curve = tuple(msgspec.structs.replace(each, seconds=0.0) for each in self.curve)
        return msgspec.structs.replace(self, seconds=0.0, curve=curve)


class Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a file says of itself."""

    kind: Literal["network", "training"]
    behaviour: Number
    rules: Annotated[str, msgspec.Meta(max_length=40)]
    tuples: Annotated[str, msgspec.Meta(max_length=2000)]
    numbers: Literal["float32", "float16"]
    sizes: Annotated[tuple[Number, ...], msgspec.Meta(max_length=200)]  # in bytes, of each table in the file
    learnt: Learnt
    streams: Annotated[tuple[State, ...], msgspec.Meta(max_length=4096)] = ()  # of chance, to go on with

    @property
    def weights(self) -> int:
        """How many there are in all tables."""
        return search.number_of_weights(search.parse_tuples(self.tuples, Rules2048.parse(self.rules)))


class NTupleFile(NamedTuple):
    """What a file holds."""

    path: Path
    rules: Rules2048
    tuples: tuple[Cells, ...]
    head: Head
    weights: Weights
    sums: NDArray[np.float32]  # two for each weight, empty in a file for players

    def network(self) -> Network:
        return search.new_network(self.tuples, self.rules, self.weights)

    @property
    def frontier(self) -> int:
        """The largest tile that one in twenty of the latest games of the training made; 0 if there is none."""
        curve = self.head.learnt.curve
        rates = curve[-1].tile_rates if curve else {}
        tiles = (1 << exponent for exponent in range(1, 16))
        return max((tile for tile in tiles if rates.get(str(tile), 0.0) >= OFTEN), default=0)

    def states(self) -> States:
        """The streams of chance of a training."""
        return np.array([int(each, 16) for each in self.head.streams], np.uint64)


def write_network(
    path: Path, rules: Rules2048, tuples: tuple[Cells, ...], weights: Weights, learnt: Learnt, numbers: str = "float32",
    sums: NDArray[np.float32] | None = None, streams: Sequence[int] = (), level: int = LEVEL,
) -> None:  # fmt: skip
    """Write a file for players; with `sums` and the states of streams one to go on from."""
    tables = split_tables(weights, tuples) + ([] if sums is None else split_tables(sums, tuples, 2))
    packer = zstandard.ZstdCompressor(level=level, write_content_size=True)
    packed = [packer.compress(np.ascontiguousarray(each, NUMBERS[numbers]).data) for each in tables]
    head = Head(
        "network" if sums is None else "training", RESULTS_VERSION, str(rules), search.text_of(tuples), numbers,  # type: ignore[arg-type]
        tuple(map(len, packed)), learnt, tuple(f"{each:016x}" for each in streams),
    )  # fmt: skip
    text = msgspec.json.encode(head)
    with whole_file(path) as file:
        file.write(START.pack(MAGIC, VERSION, len(text)) + text)
        for each in packed:
            file.write(each)
        file.write(bytes.fromhex(file.sha256))


def write_small(path: Path, out: Path) -> int:
    """The network in half precision, packed as small as it gets; the size of the file."""
    found = read_network(path)
    with np.errstate(over="ignore"):
        if not np.isfinite(found.weights.astype(np.float16)).all():
            raise FileTrouble(f"{path} has weights beyond 65,504, the largest number in half precision")
    write_network(out, found.rules, found.tuples, found.weights, found.head.learnt, "float16", level=SMALLEST)
    return out.stat().st_size


def split_tables(numbers: NDArray[np.float32], tuples: tuple[Cells, ...], each: int = 1) -> list[NDArray[np.float32]]:
    """The tables of the tuples, which stand one after the other; `each` weight has so many numbers."""
    ends = np.cumsum([each * 16 ** len(cells) for cells in tuples])
    return np.split(numbers, ends[:-1])


def read_network(path: Path, kind: str = "network") -> NTupleFile:
    """A file of this kind; CorruptFile says what is wrong with it, FileTrouble that it is another."""
    with reading(path), open_regular(path) as file:
        head = _read_head(path, file)
        if head.kind != kind:
            raise FileTrouble(f"{path} is a file of kind {head.kind}, and {kind} is needed")
        rules, tuples = _what_it_knows(path, head)
        parts = [(cells, each) for each in ((1, 2) if kind == "training" else (1,)) for cells in tuples]
        if len(head.sizes) != len(parts):
            raise CorruptFile(f"{path} has {len(head.sizes)} tables, and its tuples need {len(parts)}")
        _check_whole(path, file, head)
        tables = [
            _read_table(path, file.read(size), each * 16 ** len(cells), head.numbers)
            for (cells, each), size in zip(parts, head.sizes, strict=True)
        ]
    weights = np.concatenate(tables[: len(tuples)])
    sums = np.concatenate(tables[len(tuples) :]) if kind == "training" else np.empty(0, np.float32)
    return NTupleFile(path, rules, tuples, head, weights, sums)


def _read_head(path: Path, file: BinaryIO) -> Head:
    start = file.read(START.size)
    if len(start) < START.size or start[: len(MAGIC)] != MAGIC:
        raise CorruptFile(f"{path} is not an n-tuple network: it does not begin with {MAGIC.decode()}")
    _, version, length = START.unpack(start)
    if version != VERSION:
        raise CorruptFile(f"{path} is of version {version}, and version {VERSION} can be read")
    if length > LONGEST_HEAD:
        raise CorruptFile(f"{path} has a head of {length:,} bytes, more than such a file can have")
    return parse_json(file.read(length), Head, f"the head of {path}")


def read_head(path: Path) -> Head:
    """What a whole file says of itself; its tables stay on the disk."""
    with reading(path), open_regular(path) as file:
        head = _read_head(path, file)
        _what_it_knows(path, head)
        _check_whole(path, file, head)
    return head


def _what_it_knows(path: Path, head: Head) -> tuple[Rules2048, tuple[Cells, ...]]:
    try:
        rules = Rules2048.parse(head.rules)
        return rules, search.parse_tuples(head.tuples, rules)
    except (BadRules, BadNotation) as error:
        raise CorruptFile(f"{path}: {error}") from error


def _check_whole(path: Path, file: BinaryIO, head: Head) -> None:
    """Hold the size of a file and its checksum against what it says; the tables come next."""
    begin = file.tell()
    body = begin + sum(head.sizes)
    if os.fstat(file.fileno()).st_size != body + DIGEST:
        raise CorruptFile(f"{path} has another size than its head says: it was cut, or something was added")
    if not ends_with_digest(file):
        raise CorruptFile(f"{path} was altered: its SHA-256 differs")
    file.seek(begin)


def _read_table(path: Path, packed: bytes, number: int, numbers: str) -> NDArray[np.float32]:
    """A table of so many numbers, if it holds as many and all are finite."""
    kind = NUMBERS[numbers]
    with refusing(path, "an n-tuple network"):
        if zstandard.get_frame_parameters(packed).content_size != number * kind.itemsize:
            raise CorruptFile(f"{path} has a table of another size than its tuple needs")
        table = np.frombuffer(zstandard.ZstdDecompressor().decompress(packed, number * kind.itemsize), kind)
    if len(table) != number or not np.isfinite(table).all():
        raise CorruptFile(f"{path} has a table with weights that are not numbers")
    return np.asarray(table, np.float32)


def load_network(path: Path | str, rules: Rules2048) -> NTupleFile:
    """The file of a player, the shipped one if none is named; read once for all threads of a process."""
    place = Path(path) if path else SHIPPED
    with reading(place):
        state = here(place).stat()
    found = _load(place, here(place).absolute(), state.st_mtime_ns, state.st_size, state.st_ino)
    if (found.rules.rows, found.rules.cols) != (rules.rows, rules.cols):
        raise FileTrouble(f"{place} is a network for {found.rules}, not for {rules}")
    return found


@lru_cache(maxsize=2)
def _load(path: Path, *state: Any) -> NTupleFile:
    return read_network(path)


# ---- The files that trainings of 2048 leave, of policies too: described, and exported


def _of_ntuple(path: Path) -> Info:
    head = read_head(path)
    learnt = head.learnt
    recipe = {name: getattr(learnt, name) for name in RECIPE}
    facts = {
        "holds": head.kind, "rules": head.rules, "tuples": head.tuples, "numbers": head.numbers,
        "behaviour": head.behaviour, "seed": learnt.seed, "workers": learnt.workers, "games": learnt.games,
        "moves": learnt.moves, "seconds": learnt.seconds or None,
    }  # fmt: skip
    curve = tuple(
        {"games": each.games, "moves": each.moves, "seconds": each.seconds or None, "mean_score": each.mean_score}
        | {f"reached_{tile}": rate for tile, rate in each.tile_rates.items() if int(tile) >= 512}
        for each in learnt.curve
    )
    return Info(path, "n-tuple network of 2048, by temporal differences", facts, recipe, (), curve, "games")


def _half(checkpoint: Path, out: Path) -> str:
    return f"{write_small(checkpoint, out):,} bytes"


def _of_policy(path: Path) -> Info:
    from gridlab.game2048.learn import policy_networks

    saved = policy_networks.read(path)
    facts = saved.facts
    whole = bool(saved.part(policy_networks.BEST))
    told = {
        "holds": "training" if whole else "network", "method": facts.method, "rules": facts.rules,
        "behaviour": facts.behaviour, "seed": facts.seed, "epoch": facts.epoch,
        "epochs": facts.settings.get("epochs"), "best_epoch": facts.best_epoch, "steps": facts.steps,
        "seconds": facts.seconds or None, "test_accuracy": None if facts.test is None else facts.test.accuracy,
        "test_phases": None if facts.test is None else facts.test.phases,
        "confusion": None if facts.test is None else facts.test.confusion, "sha256": facts.sha256,
    }  # fmt: skip
    data = tuple(msgspec.to_builtins(each) for each in facts.data)
    kind = f"{facts.method} network of 2048, trained on games"
    return Info(path, kind, told, dict(facts.settings), data, facts.curve, "epoch")


def _onnx(checkpoint: Path, out: Path) -> str:
    from gridlab.game2048.learn.policy import write_policy_onnx
    from gridlab.game2048.learn.policy_networks import read

    return f"onnxruntime differs from torch by at most {write_policy_onnx(read(checkpoint), out):.1e}"


FORMATS = {MAGIC: Format(_of_ntuple, _half, half=True), b"gridlab 2048 policy 1": Format(_of_policy, _onnx)}
