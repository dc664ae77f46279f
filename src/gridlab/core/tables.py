"""Tables for other tools: labelled positions as Parquet, and HDF5 files that end in a sentence if they must."""

import io
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from gridlab.core import files
from gridlab.core.errors import FileTrouble, TooLarge
from gridlab.core.run import Stop, call, import_extra, stop_flag
from gridlab.core.untrusted import Count, read_json

# ---- HDF5 files written so that a full disk, or Ctrl-C, ends in a sentence
#
# The library cannot give up: what it fails to write when a file is closed it tries again when the process ends, and
# crashes. So it writes into a file that never fails. What the disk does not take is kept in memory for the moment;
# after each block we look whether that has happened, close the file in peace, and only then raise what the disk has
# said.


def fill_hdf5(path: Path, fill: Callable[[Any], Iterable[object]]) -> None:
    """Make an HDF5 file: `fill(file)` puts something into it block by block, and yields after each.

    It runs in a thread, where KeyboardInterrupt cannot be raised inside the library; Ctrl-C ends it after a block. All
    that the library uses belongs to that thread, so that nobody takes it away.
    """
    h5py, stop = import_extra("h5py", "export"), stop_flag()
    call(lambda: None if stop[0] else _fill(h5py, path, fill, stop), stop)


def _fill(h5py: Any, path: Path, fill: Callable[[Any], Iterable[object]], stop: Stop) -> None:
    with path.open("wb+", buffering=0) as disk:
        patient = PatientFile(disk)
        with h5py.File(patient, "w") as file:
            for _ in fill(file):
                if patient.trouble or stop[0]:
                    break
        if patient.trouble:
            raise patient.trouble


def append(file: Any, columns: Mapping[str, NDArray[Any]], compression: str, chunk: int | None = None) -> None:
    """Put rows behind those that columns have already; texts are arrays of objects."""
    for name, column in columns.items():
        if name not in file:
            kind = import_extra("h5py", "export").string_dtype() if column.dtype == object else column.dtype
            shape = column.shape[1:]
            chunks = True if chunk is None else (chunk, *shape)
            more = {"maxshape": (None, *shape), "chunks": chunks, "compression": compression}
            file.create_dataset(name, (0, *shape), kind, **more)
        stored = file[name]
        stored.resize(len(stored) + len(column), axis=0)
        stored[len(stored) - len(column) :] = column


class PatientFile(io.RawIOBase):
    """A file that takes everything: from the first error of the disk on it keeps in memory what is written."""

    def __init__(self, disk: io.FileIO) -> None:
        self._disk = disk
        self._place = self._size = 0
        self._kept: list[tuple[int, bytes]] = []  # in the order written
        self.trouble: OSError | None = None

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        self._place = place + (0, self._place, self._size)[whence]
        return self._place

    def tell(self) -> int:
        return self._place

    def truncate(self, size: int | None = None) -> int:
        self._size = self._place if size is None else size
        self._try(lambda: self._disk.truncate(self._size))
        return self._size

    def write(self, data: Any) -> int:
        written = bytes(data)
        if self.trouble is None:
            self._try(lambda: self._write_all(written))
        if self.trouble is not None:
            self._kept.append((self._place, written))
        self._place += len(written)
        self._size = max(self._size, self._place)
        return len(written)

    def _write_all(self, data: bytes) -> None:
        self._disk.seek(self._place)
        rest = memoryview(data)
        while rest:
            rest = rest[self._disk.write(rest) :]

    def readinto(self, buffer: Any) -> int:
        view, begin = memoryview(buffer).cast("B"), self._place
        view[:] = bytes(len(view))
        self._try(lambda: self._read_into(view))
        for place, data in self._kept:
            low, high = max(place, begin), min(place + len(data), begin + len(view))
            if low < high:
                view[low - begin : high - begin] = data[low - place : high - place]
        self._place += len(view)
        return len(view)

    def _read_into(self, view: memoryview) -> None:
        self._disk.seek(self._place)
        while view and (number := self._disk.readinto(view)):
            view = view[number:]

    def _try(self, action: Callable[[], object]) -> None:
        try:
            action()
        except OSError as error:
            self.trouble = self.trouble or error


# ---- Labelled positions as Parquet: one file, or a folder that `datasets.load_dataset` takes as it stands
#
#     README.md                              the card: its head says which files are which configuration and split
#     data/5x5_4-3/train-00000.parquet …     a configuration for each game, and one schema in all its files
#     manifest.json                          sizes and SHA-256 of all files, outside the pattern of the data
#
# Every table of Arrow that comes in has a column `split`; in a folder that is the name of the file instead.


SPLITS = ("train", "validation", "test")
SHARD = 1_000_000  # rows of a file
NUMPY_LIMIT = 10**9  # beyond it numpy does not draw without replacement
MANIFEST, CARD = "manifest.json", "README.md"
CARD_TEXT = Path(__file__).with_name("tables_card.txt")  # a form with blanks

Digest = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
Feature = dict[str, str | int]


def counts_drawn(
    counts: NDArray[np.int64], number: int, random: np.random.Generator, source: Path, what: str
) -> list[int]:
    """How many to draw of each kind, of which there are so many, so that all together are uniform."""
    if number > counts.sum():
        raise TooLarge(f"{source} holds {counts.sum():,} {what}, not {number:,}; ask for fewer")
    if counts.sum() < NUMPY_LIMIT:
        return random.multivariate_hypergeometric(counts, number, method="marginals").tolist()  # type: ignore[no-any-return]
    drawn = np.minimum(random.multinomial(number, counts / counts.sum()), counts)
    drawn[counts.argmax()] += number - drawn.sum()  # of a small kind one too many may have been asked for
    return drawn.tolist()  # type: ignore[no-any-return]


def split_names(hashes: NDArray[np.uint64], arrow: Any) -> Any:
    """The part of the data that each class belongs to, by a number that looks random: 80, 10 and 10 of a hundred."""
    names = arrow.array(("train",) * 8 + ("validation", "test"))
    return names.take(arrow.array((hashes % np.uint64(10)).astype(np.int32)))


def write_sample(path: Path, source: Path, tables: Iterator[Any]) -> None:
    """All tables in one file; the first is empty and has the schema."""
    if path.suffix != ".parquet":
        raise FileTrouble(f"{path} is not a name for the sample; end it in .parquet")
    files.refuse_overlap(source, path)
    files.try_place(path)
    parquet = import_extra("pyarrow.parquet", "export")
    schema = next(tables).schema
    with (
        files.beside(path) as part,
        part.open("wb") as file,  # a name that is no UTF-8 is too much for pyarrow
        parquet.ParquetWriter(file, schema, compression="zstd") as writer,
    ):
        for table in tables:
            writer.write_table(table)


class Shard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of the data."""

    file: Annotated[str, msgspec.Meta(max_length=200)]
    split: Literal["train", "validation", "test"]
    rows: Count
    bytes: Count
    sha256: Digest


class Configuration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The data of one game: one schema in all its files."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[0-9A-Za-z_.-]{1,60}\Z")]
    rules: Annotated[str, msgspec.Meta(max_length=40)]
    positions: Count
    seed: int | None
    table: Annotated[str, msgspec.Meta(max_length=400)]
    features: tuple[Feature, ...]
    shards: tuple[Shard, ...]


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is in a folder; whatever it names is whole."""

    configurations: tuple[Configuration, ...] = ()
    format: Literal["gridlab labelled positions"] = "gridlab labelled positions"
    version: Literal[1] = 1
    made: str = ""


def export_folder(
    folder: Path, table: Any, tables: Iterator[Any], seed: int | None = None, shard: int = SHARD
) -> Configuration:
    """Add the positions of a game to a folder, as a configuration of its own; the first table is empty."""
    files.refuse_overlap(table.file.path, folder)
    name = configuration_name(table)
    with files.locked_folder(folder):
        manifest = read_manifest(folder)
        place = folder / "data" / name
        if name in [each.name for each in manifest.configurations] or place.exists():
            raise FileTrouble(f"{place} is there already; remove it, or name another folder")
        schema = next(tables).schema
        try:
            shards = write_shards(place, schema, tables, shard)
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)  # a part of a configuration is none
            raise
        positions, source = sum(each.rows for each in shards), table.file.path.name
        features = features_of(schema)
        found = Configuration(name, str(table.rules), positions, seed, source, features, tuple(shards))
        manifest = Manifest((*manifest.configurations, found), made=files.timestamp())
        files.write_json(folder / MANIFEST, msgspec.to_builtins(manifest))
        with files.whole_file(folder / CARD) as card:
            card.write(card_text(manifest).encode())
    return found


def configuration_name(table: Any) -> str:
    """A name that is no trouble anywhere: 5x5_4-3, or 2048_3x3_512 of a table about the chance of a tile."""
    target = getattr(table, "target", "score")
    return str(table.rules).replace(":", "_") + ("" if target == "score" else f"_{target}")


def read_manifest(folder: Path) -> Manifest:
    """What a folder holds already; anything that is none of ours is refused."""
    if not (folder / MANIFEST).exists():
        if any(not each.name.startswith(".") for each in folder.iterdir()):
            raise FileTrouble(f"{folder} holds other things than labelled positions; name an empty or a new folder")
        return Manifest()
    return read_json(folder / MANIFEST, Manifest)


def write_shards(place: Path, schema: Any, tables: Iterable[Any], most: int) -> list[Shard]:
    """The rows of every split, so many a file."""
    arrow, compute = import_extra("pyarrow", "export"), import_extra("pyarrow.compute", "export")
    kept = schema.remove(schema.get_field_index("split"))
    with ExitStack() as stack:
        splits = {name: stack.enter_context(SplitWriter(place, name, kept, most)) for name in SPLITS}
        for table in tables:
            for name, writer in splits.items():
                chosen = compute.equal(table["split"], arrow.scalar(name))
                writer.write(table.filter(chosen).drop_columns("split"))
    return [shard for name in SPLITS for shard in splits[name].shards]


class SplitWriter(AbstractContextManager["SplitWriter"]):
    """The files of one split, one after the other."""

    def __init__(self, place: Path, split: str, schema: Any, most: int) -> None:
        self.place, self.split, self.schema, self.most = place, split, schema, most
        self.shards: list[Shard] = []
        self.path, self.rows, self.writer, self.open = place, 0, None, ExitStack()

    def __exit__(self, *error: Any) -> None:
        self.open.__exit__(*error)
        if error[0] is None:
            self._note()

    def write(self, table: Any) -> None:
        """Rows into the file that is open, and into the next ones when it is full."""
        while len(table):
            if self.writer is None:
                self._begin()
            some = table.slice(0, self.most - self.rows)
            self.writer.write_table(some)  # type: ignore[attr-defined]
            self.rows += len(some)
            table = table.slice(len(some))
            if self.rows == self.most:
                self.open.close()
                self._note()

    def _begin(self) -> None:
        parquet = import_extra("pyarrow.parquet", "export")
        self.path = self.place / f"{self.split}-{len(self.shards):05}.parquet"
        file = self.open.enter_context(self.open.enter_context(files.beside(self.path)).open("wb"))
        self.writer = self.open.enter_context(parquet.ParquetWriter(file, self.schema, compression="zstd"))

    def _note(self) -> None:
        """The file that was closed, as the manifest knows it."""
        if self.rows:
            name = "/".join(self.path.parts[-3:])
            size, digest = self.path.stat().st_size, files.sha256_of(self.path)
            self.shards.append(Shard(name, self.split, self.rows, size, digest))  # type: ignore[arg-type]
        self.rows, self.writer = 0, None


def features_of(schema: Any) -> tuple[Feature, ...]:
    """The columns as the head of a card writes them: {"name": "value", "dtype": "int8"}, lists with their length."""
    return tuple(_feature(field.name, field.type) for field in schema if field.name != "split")


def _feature(name: str, kind: Any) -> Feature:
    if kind.num_fields:
        return {"name": name, "list": _kind_text(kind.value_type), "length": kind.list_size}
    return {"name": name, "dtype": _kind_text(kind)}


def _kind_text(kind: Any) -> str:
    return str(kind).replace("double", "float64")


def card_text(manifest: Manifest) -> str:
    """The card: a head that programs read, and what the columns are, for people."""
    parts = [_of_configuration(each) for each in manifest.configurations]
    configs, infos, table = ("\n".join(line for part in parts for line in part[i]) for i in range(3))
    form, first = CARD_TEXT.read_text("utf-8"), manifest.configurations[0].name
    return form.format(configs=configs, infos=infos, table=table, first=first)


def _of_configuration(each: Configuration) -> tuple[list[str], list[str], list[str]]:
    """The lines of a configuration: which files it has, what is in them, a row of the table for each split."""
    configs, table = [f'- config_name: "{each.name}"', "  data_files:"], []
    infos = [f'- config_name: "{each.name}"', "  features:"]
    for feature in each.features:
        first, *others = (f"{key}: {value}" for key, value in feature.items())
        infos += [f"  - {first}", *(f"    {word}" for word in others)]
    infos.append("  splits:")
    for name in SPLITS:
        if shards := [shard for shard in each.shards if shard.split == name]:
            rows, size = sum(shard.rows for shard in shards), sum(shard.bytes for shard in shards)
            configs += [f"  - split: {name}", f"    path: data/{each.name}/{name}-*.parquet"]
            infos += [f"  - name: {name}", f"    num_bytes: {size}", f"    num_examples: {rows}"]
            table.append(f"| `{each.name}` | {each.rules} | {name} | {rows:,} | {len(shards)} |")
    total = sum(shard.bytes for shard in each.shards)
    return configs, [*infos, f"  download_size: {total}", f"  dataset_size: {total}"], table
