"""Layers of somebody else's made a dataset: judged by the rules, found complete, sorted, named in a manifest.

A board that was kept as another of its symmetric images is put into canonical form; boards that are there twice, are no
terminal wins, or are missing, are refused. Nothing is written before every layer was found right.
"""

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gridlab.core.arguments import typed
from gridlab.core.errors import CorruptFile, FileTrouble
from gridlab.core.files import locked_folder, sha256_of
from gridlab.core.progress import Bars, bars
from gridlab.core.workers import in_order
from gridlab.datasets.terminals.build import (
    command_for,
    new_manifest,
    refuse_foreign_card,
    require_file,
    require_room,
)
from gridlab.datasets.terminals.dataset import Terminals, board_text
from gridlab.datasets.terminals.layer_file import Records, layer_name, layer_size, write_layer
from gridlab.datasets.terminals.manifest import CARD, Layer, Manifest, wins_of_players
from gridlab.datasets.terminals.records import (
    NOT_CANONICAL,
    REASONS,
    SOUND,
    Checker,
    checker,
    count_won,
    first_disorder,
    first_flaw,
    make_canonical,
)
from gridlab.exact.census import MAX_CELLS, PlyCensus, count_plies
from gridlab.games.mnk.rules import Rules

BLOCK = 1 << 18  # records judged in one job
SHARD = 1 << 24  # records sorted at a time, 128 MiB


class Judged(NamedTuple):
    """A layer that was found right."""

    ply: int
    records: Records
    won: int  # by the player who moved last
    ready: bool  # counted, ascending and canonical already


@typed
def adopt_terminals(
    folder: Path | str, rules: Rules | str | None = None, workers: int | None = None, progress: bool = False
) -> Manifest:
    """Make a dataset of a folder of layers without a manifest; `rules` are those of 5x5:5 by default."""
    folder = Path(folder)
    with locked_folder(folder):
        data = Terminals(folder, rules)
        if data.manifest:
            raise FileTrouble(f"{folder} has a manifest already; gridlab terminals verify checks it against its files")
        require_file(folder / CARD)
        refuse_foreign_card(folder, data.rules)
        counted = count_plies(data.rules, data.plies, workers, progress) if data.rules.cells <= MAX_CELLS else None
        manifest = new_manifest(data.rules)
        with bars(2 * len(data), f"adopting {data.rules}", "records", progress) as shown:
            judged = [_judge_layer(data, ply, counted[ply] if counted else None, workers, shown) for ply in data.plies]
            for each in judged:
                layer = _write_layer(folder, data.rules, each, workers, shown)
                manifest = manifest.with_layer(layer, command_for(data.rules, [*manifest.layers, layer]))
        manifest.write(folder)
    return manifest


def _judge_layer(data: Terminals, ply: int, counted: PlyCensus | None, workers: int | None, shown: Bars) -> Judged:
    """A layer of which every record is right and none is missing; CorruptFile says what is wrong with any other."""
    records, game, name = data.records(ply), checker(data.rules), layer_name(ply)
    won, ready = 0, ply not in data.uncounted
    with shown.part(len(records), f"judging ply {ply:2}", "records"):
        judge = partial(_judge, records=records, ply=ply, game=game)
        for size, some, as_it_should_be, (index, reason) in in_order(judge, range(0, len(records), BLOCK), workers):
            if index >= 0:
                raise CorruptFile(f"{name} record {index}: {board_text(records[index], data.rules)}: {REASONS[reason]}")
            won, ready = won + int(some), ready and as_it_should_be
            shown.update(size)
        if not ready:
            for shard in sorted_shards(records, game, workers):
                if (twice := first_disorder(shard)) >= 0:
                    board = board_text(shard[twice], data.rules)
                    raise CorruptFile(f"{name}: {board} is there twice, as such or as a symmetric image")
    _require_complete(data, ply, won, len(records) - won, counted)
    return Judged(ply, records, won, ready)


def _judge(first: int, records: Records, ply: int, game: Checker) -> tuple[int, int, bool, tuple[int, int]]:
    """The size of a block, how many were won, whether it is in order and canonical, the first unsound and why."""
    block = np.array(records[max(first - 1, 0) : first + BLOCK])
    ready = first_disorder(block) < 0
    block = block[min(first, 1) :]
    index, reason = first_flaw(block, ply, game, SOUND)
    if reason == NOT_CANONICAL:
        ready = False
        index, reason = first_flaw(block, ply, game, NOT_CANONICAL)
    return len(block), count_won(block, ply, game), ready, (first + index if index >= 0 else -1, reason)


def _require_complete(data: Terminals, ply: int, won: int, lost: int, counted: PlyCensus | None) -> None:
    """A manifest and a card speak of all terminal wins of a ply."""
    if counted is None:
        return
    known, (x_wins, o_wins) = counted.canonical, wins_of_players(ply, won, lost)
    if (x_wins, o_wins) != (known.x_wins, known.o_wins):
        raise CorruptFile(
            f"{layer_name(ply)} is not the whole layer: X wins {x_wins:,} and O {o_wins:,}, the census counts "
            f"{known.x_wins:,} and {known.o_wins:,}; gridlab terminals build {data.rules} --out {data.folder} --resume "
            "makes it again"
        )


def sorted_shards(records: Records, game: Checker, workers: int | None, size: int = SHARD) -> Iterator[Records]:
    """All records in canonical form, ascending, about so many at a time: between two numbers, gathered and sorted."""
    sample = np.array(records[:: max(1, len(records) >> 16)])
    make_canonical(sample, game)
    sample.sort()
    parts = -(-len(records) // size)
    edges = np.unique(sample[[len(sample) * part // parts for part in range(1, parts)]]).tolist()
    for low, high in pairwise([0, *edges, 2**64 - 1]):
        gather = partial(_between, records=records, game=game, low=np.uint64(low), high=np.uint64(high))
        shard = np.concatenate(list(in_order(gather, range(0, len(records), BLOCK), workers)))
        shard.sort()
        yield shard


def _between(first: int, records: Records, game: Checker, low: np.uint64, high: np.uint64) -> Records:
    """The records of a block, in canonical form, that lie in low … high - 1."""
    block = np.array(records[first : first + BLOCK])
    make_canonical(block, game)
    return block[(block >= low) & (block < high)]


def _write_layer(folder: Path, rules: Rules, judged: Judged, workers: int | None, shown: Bars) -> Layer:
    """The layer as the manifest names it, written again if it is not as it should be."""
    ply, records, won, ready = judged
    path, count = folder / layer_name(ply), len(records)
    with shown.part(count, f"writing ply {ply:2}", "records"):
        if ready:
            checksum = sha256_of(path)
        else:
            require_room(folder, layer_size(count))
            shards = sorted_shards(records, checker(rules), workers)
            checksum = write_layer(path, count, shards).sha256
    return Layer.of(rules, ply, won, count - won, checksum)
