"""Terminal wins written to a folder, layer by layer; a run that was stopped goes on where it was."""

import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from gridlab import __version__
from gridlab.core import draw
from gridlab.core.arguments import typed
from gridlab.core.behaviour import BEHAVIOUR
from gridlab.core.errors import BadNotation, CorruptFile, FileTrouble, TooLarge
from gridlab.core.files import locked_folder, sha256_of, timestamp, try_folder
from gridlab.core.numbers import number_ranges
from gridlab.core.progress import Bars, bars
from gridlab.core.untrusted import read_bytes
from gridlab.datasets.terminals.card import is_card
from gridlab.datasets.terminals.layer_file import Records, layer_name, layer_size, open_layer, write_layer
from gridlab.datasets.terminals.manifest import CARD, MANIFEST, Layer, Manifest
from gridlab.datasets.terminals.records import SOUND, checker, first_disorder, first_flaw
from gridlab.exact.terminals import MAX_CELLS, LayerTables, candidates, count_shards, first_ply, layer, prepare
from gridlab.games.mnk.rules import Rules
from gridlab.games.registry import game

MOST_IN_MEMORY = 1 << 25  # records of a shard, 256 MiB; boards of up to 25 cells stay far below
BLOCK = 1 << 20  # records judged at a time


def parse_plies(text: str) -> list[int]:
    """Read a list of plies, ascending and each once: `9-12,25` is [9, 10, 11, 12, 25]."""
    return number_ranges(text, 1, MAX_CELLS, "plies")


def plies_text(plies: Iterable[int]) -> str:
    """What `parse_plies` reads: [9, 10, 11, 12, 25] is `9-12,25`."""
    runs: list[list[int]] = []
    for ply in sorted(plies):
        if runs and runs[-1][-1] == ply - 1:
            runs[-1].append(ply)
        else:
            runs.append([ply])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


@typed
def build_terminals(
    rules: Rules | str,
    out: Path | str,
    plies: Iterable[int] | None = None,
    workers: int | None = None,
    resume: bool = False,
    progress: bool = False,
) -> Manifest:
    """Write the layers of a game into the folder `out`; with `resume`, those it does not hold yet."""
    rules, folder = game(rules, "mnk"), Path(out)
    every = range(first_ply(rules), rules.cells + 1)
    wanted = sorted(set(every if plies is None else plies))
    if not every:
        raise FileTrouble(f"{rules} has no terminal win at all: the board is full before anybody can have a line")
    if not wanted:
        raise BadNotation("no ply is named; leave the list out for all of them")
    if outside := [ply for ply in wanted if ply not in every]:
        raise FileTrouble(f"{rules} has no terminal win at ply {outside[0]}; its layers are {every[0]} to {every[-1]}")
    try_folder(folder)
    with locked_folder(folder):
        manifest = begin(rules, folder, resume)
        missing = [ply for ply in wanted if ply not in {each.ply for each in manifest.layers}]
        manifest = _build_layers(manifest, folder, missing, workers, progress)
        if not holds(folder / CARD, manifest.card()):  # killed between the manifest and the card
            manifest.write_card(folder)
    return manifest


def _build_layers(
    manifest: Manifest, folder: Path, missing: list[int], workers: int | None, progress: bool
) -> Manifest:
    """Write the layers that are missing; the manifest names each as soon as it is whole."""
    rules = manifest.rules
    if missing:
        tables = prepare(rules, missing[-1], workers)
    whole = sum(candidates(rules, ply) for ply in missing)  # known before anything is counted
    with bars(whole, f"building {rules}", "candidates", progress) as shown:
        for ply in missing:
            made = _build_layer(rules, tables, folder, ply, workers, shown)
            manifest = manifest.with_layer(made, command_for(rules, [*manifest.layers, made]))
            manifest.write(folder)
    return manifest


def command_for(rules: Rules, layers: Iterable[Layer]) -> str:
    """What makes these layers."""
    return f"gridlab terminals build {rules} --plies {plies_text(each.ply for each in layers)}"


def holds(path: Path, content: bytes) -> bool:
    """Whether a file is there and holds just this."""
    return path.is_file() and path.stat().st_size == len(content) and read_bytes(path) == content


def require_file(path: Path) -> None:
    """Refuse to write where something stands that is no file: a folder, a pipe, a loop of links."""
    if os.path.lexists(path) and not path.is_file():
        raise FileTrouble(f"{path} is not a file, and one must be written there; remove it, or name another folder")


def refuse_foreign_card(folder: Path, rules: Rules) -> None:
    """A README.md of somebody else's is not written over."""
    if os.path.lexists(folder / CARD) and not is_card(read_bytes(folder / CARD), rules):
        raise FileTrouble(f"{folder} holds a {CARD} that is not of a dataset of {rules}; name another folder")


def new_manifest(rules: Rules) -> Manifest:
    """A manifest without layers, made here and now."""
    return Manifest(rules, BEHAVIOUR, {"when": timestamp(), "by": f"gridlab {__version__}"}, ())


def begin(rules: Rules, folder: Path, resume: bool) -> Manifest:
    """The manifest of a folder that layers are to be added to, a new one where there is none; others are refused."""
    require_file(folder / MANIFEST)
    require_file(folder / CARD)
    if not (folder / MANIFEST).exists():
        if not resume and (strangers := sorted(folder.glob("layer_*.bin"))):
            raise FileTrouble(
                f"{folder} holds {strangers[0].name} without a manifest; --resume keeps whole layers of it"
            )
        refuse_foreign_card(folder, rules)
        return new_manifest(rules)
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


def _build_layer(rules: Rules, tables: LayerTables, folder: Path, ply: int, workers: int | None, shown: Bars) -> Layer:
    path = folder / layer_name(ply)
    require_file(path)
    shards = count_shards(tables, ply, workers)
    largest = max((shard.won + shard.lost for shard in shards), default=0)
    if largest > MOST_IN_MEMORY:
        raise TooLarge(
            f"the layer of ply {ply} of {rules} has parts of {largest:,} records; up to {MOST_IN_MEMORY:,} are held "
            "in memory: choose earlier plies with --plies"
        )
    won, lost = sum(shard.won for shard in shards), sum(shard.lost for shard in shards)
    with shown.part(won + lost, f"ply {ply:2}", "records", candidates(rules, ply)):
        if path.exists() and _is_whole(path, won + lost, ply, rules):  # killed between this file and the manifest
            checksum = sha256_of(path)
        else:
            require_room(folder, layer_size(won + lost))
            checksum = write_layer(path, won + lost, _advancing(layer(tables, shards, workers), shown)).sha256
    return Layer.of(rules, ply, won, lost, checksum)


def _is_whole(path: Path, count: int, ply: int, rules: Rules) -> bool:
    """Whether a file is the layer: as many different sound records as there are, are all of them."""
    try:
        records = open_layer(path)
    except CorruptFile:
        return False
    if len(records) != count or first_disorder(records) >= 0:
        return False
    game = checker(rules)
    blocks = (np.array(records[first : first + BLOCK]) for first in range(0, count, BLOCK))
    return all(first_flaw(block, ply, game, SOUND)[0] < 0 for block in blocks)


def require_room(folder: Path, size: int) -> None:
    free = shutil.disk_usage(folder).free
    if size > free:
        raise FileTrouble(f"the next layer needs {size:,} bytes and {folder} has {free:,} free; name a larger place")


def _advancing(shards: Iterable[Records], shown: Bars) -> Iterator[Records]:
    for records in shards:
        yield records
        shown.update(len(records))


def build_report(manifest: Manifest) -> str:
    """What was made: wins of X and O by ply, beside the boards that reverse generation would have looked at."""
    header = ["ply", "records", "X wins", "O wins", "candidates"]
    rows = [(each.ply, each.records, each.x_wins, each.o_wins, each.candidates) for each in manifest.layers]
    totals = [sum(column) for column in zip(*(row[1:] for row in rows), strict=True)]
    return draw.table(header, [*rows, ("all", *totals)])
