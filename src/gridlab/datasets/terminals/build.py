"""Terminal wins written to a folder, layer by layer; a run that was stopped goes on where it was."""

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from gridlab import __version__
from gridlab.core import draw
from gridlab.core.behaviour import BEHAVIOUR
from gridlab.core.errors import BadNotation, FileTrouble, SpoiltFile, TooLarge
from gridlab.core.files import sha256_of, timestamp
from gridlab.core.progress import bar
from gridlab.datasets.terminals.layer_file import HEADER, RECORD, Records, layer_name, open_layer, write_layer
from gridlab.datasets.terminals.manifest import MANIFEST, Layer, Manifest
from gridlab.datasets.terminals.records import first_disorder
from gridlab.exact.terminals import LayerTables, candidates, count_shards, first_ply, layer, prepare
from gridlab.games.mnk.rules import Rules
from gridlab.games.registry import game

MOST_IN_MEMORY = 1 << 25  # records of a shard, 256 MiB; boards of up to 25 cells stay far below


def parse_plies(text: str) -> list[int]:
    """Read a list of plies: `9-12,25` is [9, 10, 11, 12, 25]."""
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            raise BadNotation(f"{text!r} is no list of plies; write 9, 9-25 or 9-12,25")
        found += range(int(first), int(last or first) + 1)
    return found


def plies_text(plies: Iterable[int]) -> str:
    """What `parse_plies` reads: [9, 10, 11, 12, 25] is `9-12,25`."""
    runs: list[list[int]] = []
    for ply in sorted(plies):
        if runs and runs[-1][-1] == ply - 1:
            runs[-1].append(ply)
        else:
            runs.append([ply])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def build_terminals(
    rules: Rules | str,
    folder: Path | str,
    plies: Iterable[int] | None = None,
    workers: int | None = None,
    resume: bool = False,
    progress: bool = False,
) -> Manifest:
    """Write the layers of a game into a folder; with `resume`, those it does not hold yet."""
    rules, folder = game(rules, "mnk"), Path(folder)
    every = range(first_ply(rules), rules.cells + 1)
    wanted = sorted(set(every if plies is None else plies))
    if outside := [ply for ply in wanted if ply not in every]:
        raise FileTrouble(f"{rules} has no terminal win at ply {outside[0]}; its layers are {every[0]} to {every[-1]}")
    manifest = _begin(rules, folder, resume)
    missing = [ply for ply in wanted if ply not in {each.ply for each in manifest.layers}]
    if missing:
        tables = prepare(rules, missing[-1], workers)
    for ply in missing:
        made = _build_layer(rules, tables, folder, ply, workers, progress)
        layers = tuple(sorted([*manifest.layers, made]))
        command = f"gridlab terminals build {rules} --plies {plies_text(each.ply for each in layers)}"
        manifest = manifest._replace(layers=layers, made=manifest.made | {"command": command})
        manifest.write(folder)
    return manifest


def _begin(rules: Rules, folder: Path, resume: bool) -> Manifest:
    if not (folder / MANIFEST).exists():
        if not resume and (strangers := sorted(folder.glob("layer_*.bin"))):
            raise FileTrouble(
                f"{folder} holds {strangers[0].name} without a manifest; --resume keeps whole layers of it"
            )
        made = {"when": timestamp(), "by": f"gridlab {__version__}"}
        return Manifest(rules, BEHAVIOUR, made, ())
    manifest = Manifest.read(folder)
    if manifest.rules != rules:
        raise FileTrouble(f"{folder} holds terminal wins of {manifest.rules}, not of {rules}; name another folder")
    if not resume:
        raise FileTrouble(f"{folder} already holds a dataset of {rules}; --resume adds to it, or name another folder")
    if manifest.behaviour != BEHAVIOUR:
        raise FileTrouble(
            f"{folder} was made by behaviour {manifest.behaviour}, this is {BEHAVIOUR}; name another folder"
        )
    return manifest


def _build_layer(
    rules: Rules, tables: LayerTables, folder: Path, ply: int, workers: int | None, progress: bool
) -> Layer:
    path = folder / layer_name(ply)
    for part in folder.glob(f".{path.name}.*.part"):  # left by a run that was killed
        part.unlink()
    shards = count_shards(tables, ply, workers)
    largest = max((shard.won + shard.lost for shard in shards), default=0)
    if largest > MOST_IN_MEMORY:
        raise TooLarge(
            f"the layer of ply {ply} of {rules} has parts of {largest:,} records; up to {MOST_IN_MEMORY:,} are held "
            "in memory: choose earlier plies with --plies"
        )
    won, lost = sum(shard.won for shard in shards), sum(shard.lost for shard in shards)
    size = HEADER.size + RECORD.itemsize * (won + lost)
    if path.exists() and _is_whole(path, won + lost):  # killed between this file and the manifest
        checksum = sha256_of(path)
    else:
        _require_room(folder, size)
        with bar(won + lost, f"ply {ply:2}", "records", progress) as shown:
            checksum = write_layer(path, won + lost, _advancing(layer(tables, shards, workers), shown)).sha256
    x_wins, o_wins = (won, lost) if ply % 2 else (lost, won)
    return Layer(ply, path.name, won + lost, x_wins, o_wins, candidates(rules, ply), size, checksum)


def _is_whole(path: Path, count: int) -> bool:
    try:
        records = open_layer(path)
    except SpoiltFile:
        return False
    return len(records) == count and first_disorder(records) < 0


def _require_room(folder: Path, size: int) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileTrouble(f"cannot make the folder {folder}: {error.strerror}; name another place") from error
    free = shutil.disk_usage(folder).free
    if size > free:
        raise FileTrouble(f"the next layer needs {size:,} bytes and {folder} has {free:,} free; name a larger place")


def _advancing(shards: Iterable[Records], shown: Any) -> Iterator[Records]:
    for records in shards:
        yield records
        shown.update(len(records))


def build_report(manifest: Manifest) -> str:
    """What was made: wins of X and O by ply, beside the boards that reverse generation would have looked at."""
    header = ["ply", "records", "X wins", "O wins", "candidates"]
    rows = [(each.ply, each.records, each.x_wins, each.o_wins, each.candidates) for each in manifest.layers]
    totals = [sum(column) for column in zip(*(row[1:] for row in rows), strict=True)]
    return draw.table(header, [*rows, ("all", *totals)])
