"""Terminal wins written to a folder, layer by layer: built, adopted from others, or merged; and verified."""

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gridlab.core import draw
from gridlab.core.arguments import counted, typed
from gridlab.core.draw import AsJson, facts
from gridlab.core.errors import BadNotation, CorruptFile, FileTrouble, TooLarge
from gridlab.core.files import RESULTS_VERSION, locked_folder, refuse_overlap, sha256_of, try_folder, whole_file
from gridlab.core.progress import Bars, bars
from gridlab.core.run import in_order, pause
from gridlab.core.untrusted import open_regular, read_bytes, reading
from gridlab.games.registry import game
from gridlab.inarow.datasets.terminals import files
from gridlab.inarow.datasets.terminals.dataset import Terminals, board_text, layers_without_manifest, uncounted_text
from gridlab.inarow.datasets.terminals.files import CARD, Checker, Layer, Manifest, Records, checker, layer_name
from gridlab.inarow.exact import terminals
from gridlab.inarow.exact.census import CENSUS_CELLS, PlyCensus, count_plies
from gridlab.inarow.rules import Rules

MOST_IN_MEMORY = 1 << 25  # records of a shard, 256 MiB; boards of up to 25 cells stay far below
BLOCK = 1 << 18  # records judged in one job


@typed
def build_terminals(
    rules: Rules | str, out: Path | str, plies: Iterable[int] | None = None, workers: int | None = None,
    resume: bool = False, progress: bool = False,
) -> Manifest:  # fmt: skip
    """Write the layers of a game into the folder `out`; with `resume`, those it does not hold yet."""
    rules, folder = game(rules, "mnk"), Path(out)
    every = range(terminals.first_ply(rules), rules.cells + 1)
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
        return manifest.grown(folder, _built_layers(rules, folder, missing, workers, progress))


def _built_layers(
    rules: Rules, folder: Path, missing: list[int], workers: int | None, progress: bool
) -> Iterator[Layer]:
    """Write the layers that are missing."""
    if missing:
        tables = terminals.prepare(rules, missing[-1], workers)
    whole = sum(terminals.candidates(rules, ply) for ply in missing)  # known before anything is counted
    with bars(whole, f"building {rules}", "candidates", progress) as shown:
        for ply in missing:
            yield _build_layer(rules, tables, folder, ply, workers, shown)


def require_file(path: Path) -> None:
    """Refuse to write where something stands that is no file: a folder, a pipe, a loop of links."""
    if os.path.lexists(path) and not path.is_file():
        raise FileTrouble(f"{path} is not a file, and one must be written there; remove it, or name another folder")


def refuse_foreign_card(folder: Path, rules: Rules) -> None:
    """A README.md of somebody else's is not written over."""
    if os.path.lexists(folder / CARD) and not files.is_card(read_bytes(folder / CARD), rules):
        raise FileTrouble(f"{folder} holds a {CARD} that is not of a dataset of {rules}; name another folder")


def begin(rules: Rules, folder: Path, resume: bool) -> Manifest:
    """The manifest of a folder that layers are to be added to, a new one where there is none; others are refused."""
    require_file(folder / files.MANIFEST)
    require_file(folder / CARD)
    if not (folder / files.MANIFEST).exists():
        if not resume and (foreign := sorted(folder.glob("layer_*.bin"))):
            raise FileTrouble(f"{folder} holds {foreign[0].name} without a manifest; --resume keeps whole layers of it")
        refuse_foreign_card(folder, rules)
        return files.new_manifest(rules)
    manifest = Manifest.read(folder)
    if manifest.rules != rules:
        raise FileTrouble(f"{folder} holds terminal wins of {manifest.rules}, not of {rules}; name another folder")
    if not resume:
        raise FileTrouble(f"{folder} already holds a dataset of {rules}; --resume adds to it, or name another folder")
    return of_these_results(manifest, folder, "name another folder")


def of_these_results(manifest: Manifest, folder: Path, instead: str) -> Manifest:
    """A manifest that was made by this version of results."""
    if (version := manifest.results_version) != RESULTS_VERSION:
        raise FileTrouble(f"{folder} was made by results version {version}, this is {RESULTS_VERSION}; {instead}")
    return manifest


def _build_layer(
    rules: Rules, tables: terminals.LayerTables, folder: Path, ply: int, workers: int | None, shown: Bars
) -> Layer:
    path = folder / layer_name(ply)
    require_file(path)
    shards = terminals.count_shards(tables, ply, workers)
    largest = max((shard.won + shard.lost for shard in shards), default=0)
    if largest > MOST_IN_MEMORY:
        most = f"up to {MOST_IN_MEMORY:,} are held in memory: choose earlier plies with --plies"
        raise TooLarge(f"the layer of ply {ply} of {rules} has parts of {largest:,} records; {most}")
    won, lost = sum(shard.won for shard in shards), sum(shard.lost for shard in shards)
    with shown.part(won + lost, f"ply {ply:2}", "records", terminals.candidates(rules, ply)):
        if path.exists() and _is_whole(path, won + lost, ply, rules):  # killed between this file and the manifest
            checksum = sha256_of(path)
        else:
            require_room(folder, files.layer_size(won + lost))
            made = _advancing(terminals.layer(tables, shards, workers), shown)
            checksum = files.write_layer(path, won + lost, made).sha256
    return Layer.of(rules, ply, won, lost, checksum)


def _is_whole(path: Path, count: int, ply: int, rules: Rules) -> bool:
    """Whether a file is the layer: as many different sound records as there are, are all of them."""
    try:
        records = files.open_layer(path)
    except CorruptFile:
        return False
    if len(records) != count or files.first_disorder(records) >= 0:
        return False
    game, blocks = checker(rules), files.in_blocks(records, BLOCK)
    return all(files.first_flaw(np.array(block), ply, game, files.SOUND)[0] < 0 for block in blocks)


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


# ---- Layers of somebody else's made a dataset: judged by the rules, found complete, sorted, named in a manifest
#
# A board that was kept as another of its symmetric images is put into canonical form; boards that are there twice, are
# no terminal wins, or are missing, are refused. Nothing is written before every layer was found right.


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
        counted = census_of(data, workers, progress)
        manifest = files.new_manifest(data.rules)
        with bars(2 * len(data), f"adopting {data.rules}", "records", progress) as shown:
            judged = [_judge_layer(data, ply, counted.get(ply), workers, shown) for ply in data.plies]
            for each in judged:
                manifest = manifest.with_layer(_write_layer(folder, data.rules, each, workers, shown))
        manifest.write(folder)
    return manifest


def census_of(data: Terminals, workers: int | None, progress: bool) -> dict[int, PlyCensus]:
    """How many records there are of each ply, counted without listing them; nothing of boards that are too large."""
    return count_plies(data.rules, data.plies, workers, progress) if data.rules.cells <= CENSUS_CELLS else {}


def _judge_layer(data: Terminals, ply: int, counted: PlyCensus | None, workers: int | None, shown: Bars) -> Judged:
    """A layer of which every record is right and none is missing; CorruptFile says what is wrong with any other."""
    records, game, name = data.records(ply), checker(data.rules), layer_name(ply)
    won, ready = 0, ply not in data.uncounted
    with shown.part(len(records), f"judging ply {ply:2}", "records"):
        judge = partial(_judge, records=records, ply=ply, game=game)
        for size, some, as_it_should_be, (index, reason) in in_order(judge, range(0, len(records), BLOCK), workers):
            if index >= 0:
                board = board_text(records[index], data.rules)
                raise CorruptFile(f"{name} record {index}: {board}: {files.REASONS[reason]}")
            won, ready = won + int(some), ready and as_it_should_be
            shown.update(size)
        if not ready:
            for shard in sorted_shards(records, game, workers):
                if (twice := files.first_disorder(shard)) >= 0:
                    board = board_text(shard[twice], data.rules)
                    raise CorruptFile(f"{name}: {board} is there twice, as such or as a symmetric image")
    _require_complete(data, ply, won, len(records) - won, counted)
    return Judged(ply, records, won, ready)


def _judge(first: int, records: Records, ply: int, game: Checker) -> tuple[int, int, bool, tuple[int, int]]:
    """The size of a block, how many were won, whether it is in order and canonical, the first unsound and why."""
    block, disorder = _block(first, records)
    ready = disorder < 0
    index, reason = files.first_flaw(block, ply, game, files.SOUND)
    if reason == files.NOT_CANONICAL:
        ready = False
        index, reason = files.first_flaw(block, ply, game, files.NOT_CANONICAL)
    return len(block), files.count_won(block, ply, game), ready, (first + index if index >= 0 else -1, reason)


def _block(first: int, records: Records) -> tuple[Records, int]:
    """A block of records, and the first of them that is not larger than the one before it, or -1."""
    before = max(first - 1, 0)
    block = np.array(records[before : first + BLOCK])
    index = files.first_disorder(block)
    return block[first - before :], before + index if index >= 0 else -1


def _require_complete(data: Terminals, ply: int, won: int, lost: int, counted: PlyCensus | None) -> None:
    """A manifest and a card speak of all terminal wins of a ply."""
    if counted is None:
        return
    known, (x_wins, o_wins) = counted.canonical, files.wins_of_players(ply, won, lost)
    if (x_wins, o_wins) != (known.x_wins, known.o_wins):
        counts = f"X wins {x_wins:,} and O {o_wins:,}, the census counts {known.x_wins:,} and {known.o_wins:,}"
        again = f"gridlab terminals build {data.rules} --out {data.folder} --resume makes it again"
        raise CorruptFile(f"{layer_name(ply)} is not the whole layer: {counts}; {again}")


def sorted_shards(records: Records, game: Checker, workers: int | None, size: int = SHARD) -> Iterator[Records]:
    """All records in canonical form, ascending, about so many at a time: between two numbers, gathered and sorted."""
    sample = np.array(records[:: max(1, len(records) >> 16)])
    files.make_canonical(sample, game)
    sample.sort()
    parts = -(-len(records) // size)
    edges = np.unique(sample[[len(sample) * part // parts for part in range(1, parts)]]).tolist()
    for low, high in pairwise(np.array([0, *edges, 2**64 - 1], np.uint64)):

        def between(first: int, low: np.uint64 = low, high: np.uint64 = high) -> Records:
            block = np.array(records[first : first + BLOCK])
            files.make_canonical(block, game)
            return block[(block >= low) & (block < high)]

        shard = np.concatenate(list(in_order(between, range(0, len(records), BLOCK), workers)))
        shard.sort()
        yield shard


def _write_layer(folder: Path, rules: Rules, judged: Judged, workers: int | None, shown: Bars) -> Layer:
    """The layer as the manifest names it, written again if it is not as it should be."""
    ply, records, won, ready = judged
    path, count = folder / layer_name(ply), len(records)
    with shown.part(count, f"writing ply {ply:2}", "records"):
        if ready:
            checksum = sha256_of(path)
        else:
            require_room(folder, files.layer_size(count))
            shards = sorted_shards(records, checker(rules), workers)
            checksum = files.write_layer(path, count, shards).sha256
    return Layer.of(rules, ply, won, count - won, checksum)


# ---- Datasets built on different machines joined: layers are copied, each checked against its checksum


PIECE = 1 << 22  # bytes copied between two looks at Ctrl-C


class Origin(NamedTuple):
    """A layer and the folders that hold it."""

    layer: Layer
    folders: list[Path]


@typed
def merge_terminals(
    folders: Sequence[Path | str], out: Path | str, resume: bool = False, progress: bool = False
) -> Manifest:
    """Join datasets of one game into a new folder; with `resume`, into one that holds some of the layers already."""
    places, out = [Path(each) for each in folders], Path(out)
    for one, other in (*product(places, [out]), *product([out], places), *combinations(places, 2)):
        refuse_overlap(one, other)
    sources = [_source(place) for place in places]
    rules, origins = _one_game(sources), _origins(sources)
    try_folder(out)
    with locked_folder(out):
        manifest = begin(rules, out, resume)
        for kept in manifest.layers:
            if kept.ply in origins and origins[kept.ply].layer != kept:
                raise _different(kept, out, origins[kept.ply].folders[0])
        missing = [origins[ply] for ply in sorted(set(origins) - {each.ply for each in manifest.layers})]
        return manifest.grown(out, _copied_layers(rules, missing, out, progress))


def _copied_layers(rules: Rules, missing: list[Origin], out: Path, progress: bool) -> Iterator[Layer]:
    """Copy the layers that are missing."""
    total = sum(each.layer.bytes * len(each.folders) for each in missing)
    with bars(total, f"merging {rules}", "bytes", progress) as shown:
        for origin in missing:
            _copy(origin, out, shown)
            yield origin.layer


def _one_game(sources: list[Terminals]) -> Rules:
    rules = sources[0].rules
    for each in sources[1:]:
        if each.rules != rules:
            held = f"{sources[0].folder} holds terminal wins of {rules}, {each.folder} of {each.rules}"
            raise FileTrouble(f"{held}; merge one game")
    return rules


def _source(folder: Path) -> Terminals:
    if layers_without_manifest(folder):
        raise FileTrouble(f"{folder} has no manifest; gridlab terminals adopt makes one")
    data = Terminals(folder)
    if data.manifest:
        of_these_results(data.manifest, folder, "build it again")
    return data


def _origins(sources: list[Terminals]) -> dict[int, Origin]:
    """Every layer by ply, with where it is; the same layer must be the same everywhere."""
    found: dict[int, Origin] = {}
    for source in sources:
        for each in source.manifest.layers if source.manifest else ():
            origin = found.setdefault(each.ply, Origin(each, []))
            if origin.layer != each:
                raise _different(each, origin.folders[0], source.folder)
            origin.folders.append(source.folder)
    return found


def _different(layer: Layer, one: Path, other: Path) -> CorruptFile:
    advice = "gridlab terminals verify says which is wrong"
    return CorruptFile(f"{layer.file} of {one} and of {other} are different; {advice}")


def _copy(origin: Origin, out: Path, shown: Bars) -> None:
    """One layer, read wherever it is, written once: a file that is not what its manifest says ends it."""
    layer, (first, *others) = origin
    source = first / layer.file
    require_file(out / layer.file)
    require_room(out, layer.bytes)
    with shown.part(layer.bytes * len(origin.folders), f"ply {layer.ply:2}", "bytes"):
        for other in others:
            with reading(other / layer.file):
                if sha256_of(other / layer.file) != layer.sha256:
                    raise _damaged(other / layer.file)
            shown.update(layer.bytes)
        with reading(source), open_regular(source) as file, whole_file(out / layer.file) as copy:
            while piece := file.read(PIECE):
                copy.write(piece)
                shown.update(len(piece))
                pause()
            if copy.sha256 != layer.sha256:
                raise _damaged(source)


def _damaged(path: Path) -> CorruptFile:
    return CorruptFile(f"{path} is damaged: it does not have the SHA-256 of its manifest; copy or build it again")


# ---- Is a dataset of terminal wins what it says? Files, headers, checksums, order, every record, and the counts.
#
# Nothing of the way it was made is used: a record is taken apart and judged by the rules, its last move is taken
# back, and the number of records is compared with the census, which counts without listing. What was not looked at is
# said with the verdict.


SAMPLE = 100_000  # records a layer
MOST_COMPLAINTS = 10  # about one file
NOT_ASCENDING = "not larger than the record before it: the records are not ascending"


class Complaint(NamedTuple):
    """What is wrong with one file."""

    file: str
    record: int | None
    reason: str

    def __str__(self) -> str:
        where = "" if self.record is None else f" record {self.record}:"
        return f"{self.file}:{where} {self.reason}"


class Verdict(NamedTuple):
    """The result of a verification."""

    rules: Rules
    layers: int
    records: int
    checked: int
    complaints: list[Complaint]
    unchecked: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def as_dict(self) -> AsJson:
        return facts(self) | {"sound": not self.complaints}

    def __str__(self) -> str:
        held = f"{self.rules}: {counted(self.layers, 'layer')}, {counted(self.records, 'record')}"
        done = f"{held}, {self.checked:,} of them judged one by one"
        wrong = counted(len(self.complaints), "complaint") if self.complaints else "all sound"
        ending = f"{done}: {wrong}; not checked: {', '.join(self.unchecked)}"
        return "\n".join([*self.remarks, *map(str, self.complaints), ending])


def verify(
    folder: Path, sample: int | None = SAMPLE, seed: int = 0, workers: int | None = None, progress: bool = False,
    rules: Rules | str | None = None,
) -> Verdict:  # fmt: skip
    """Verify a dataset; `sample` records of each layer are judged one by one, all of them if it is None.

    Of layers without a manifest, whose `rules` are told, all is checked that needs none.
    """
    data = Terminals(folder, rules)
    known = census_of(data, workers, progress)
    entries = {each.ply: each for each in (data.manifest.layers if data.manifest else ())}
    complaints = list(_manifest_complaints(data.manifest, folder))
    opened = {ply: _opened(folder / layer_name(ply), data.manifest is None) for ply in data.plies}
    total = sum(entries[ply].records if entries else len(records) for ply, (records, _) in opened.items())
    checked = 0
    with bars(total, f"verifying {data.rules}", "records", progress) as shown:
        for ply, (records, trouble) in opened.items():
            if trouble:
                complaints.append(Complaint(layer_name(ply), None, trouble))
                continue
            flaws = _layer_flaws(folder / layer_name(ply), entries.get(ply), len(records), known.get(ply))
            found = [Complaint(layer_name(ply), None, flaw) for flaw in flaws]
            share = None if found else _share(sample, len(records))  # something is wrong: find the record
            with shown.part(len(records), f"ply {ply:2}", "records"):
                judged, unsound = _look_at_layer(data.rules, ply, records, share, seed, workers, shown)
            checked += judged
            complaints += [*found, *unsound][:MOST_COMPLAINTS]
    unchecked = _unchecked(total - checked, bool(known), data.manifest is not None, complaints)
    remarks = (uncounted_text(data.uncounted),) if data.uncounted else ()
    return Verdict(data.rules, len(data.plies), total, checked, complaints, unchecked, remarks)


def _opened(path: Path, placeholder: bool) -> tuple[Records, str]:
    """The records of a layer, or why there are none."""
    try:
        return files.open_layer(path, placeholder), ""
    except CorruptFile as error:
        return np.empty(0, np.uint64), str(error).partition(": ")[2]


def _look_at_layer(
    rules: Rules, ply: int, records: Records, share: float | None, seed: int, workers: int | None, shown: Bars
) -> tuple[int, list[Complaint]]:
    """How many records were judged, and what is wrong: the first out of order, and in each block the first unsound."""
    game = checker(rules)

    def look(first: int) -> tuple[int, int, int, tuple[int, str]]:
        """The size of a block, how many were judged, the first out of order, the first unsound; -1: none."""
        block, disorder = _block(first, records)
        chosen = np.arange(len(block))
        if share is not None:
            chosen = np.flatnonzero(np.random.default_rng([seed, ply, first]).random(len(block)) < share)
        index, reason = files.first_flaw(block[chosen], ply, game, files.SOUND)
        flaw = first + int(chosen[index]) if index >= 0 else -1
        return len(block), len(chosen), disorder, (flaw, files.REASONS[reason])

    checked, found, ordered = 0, list[Complaint](), True
    for looked_at, judged, disorder, flaw in in_order(look, range(0, len(records), BLOCK), workers):
        checked += judged
        for at, why in ((disorder, NOT_ASCENDING) if ordered else (-1, ""), flaw):
            if at >= 0:
                found.append(Complaint(layer_name(ply), at, f"{why} ({board_text(records[at], rules)})"))
        ordered = ordered and disorder < 0
        shown.update(looked_at)
        if len(found) >= MOST_COMPLAINTS:
            break  # enough is known of this file
    return checked, found


def _manifest_complaints(manifest: Manifest | None, folder: Path) -> Iterator[Complaint]:
    """What of the manifest and the card is not as it would be written today; layers are compared with their files."""
    if manifest is None:
        return
    wrong = partial(Complaint, files.MANIFEST, None)
    if manifest.results_version != RESULTS_VERSION:
        yield wrong(f"it was made by results version {manifest.results_version}; this is {RESULTS_VERSION}")
    if manifest.made["command"] != (command := files.command_for(manifest.rules, manifest.layers)):
        yield wrong(f"these layers are not made by {manifest.made['command']!r} but by {command!r}")
    for each in manifest.layers:
        if each.candidates != (number := terminals.candidates(manifest.rules, each.ply)):
            yield wrong(f"ply {each.ply} has {number:,} candidates, not {each.candidates:,}")
    if not files.holds(folder / CARD, manifest.card()):
        yield Complaint(CARD, None, "it is not what the manifest says; gridlab terminals build --resume rewrites it")


def _unchecked(left: int, complete: bool, manifest: bool, complaints: list[Complaint]) -> tuple[str, ...]:
    """What the verdict does not rest on."""
    disorder = any(NOT_ASCENDING in each.reason for each in complaints)
    found = ["whether any record is there twice, where they are not ascending"] if disorder else []
    found += [] if manifest else ["checksums, and whether these are the rules meant (there is no manifest)"]
    found += [f"the other {counted(left, 'record')} one by one (--full)"] if left > 0 else []
    found += [f"whether any are missing (boards of up to {CENSUS_CELLS} cells)"] if not complete else []
    return (*found, "who made it and when")


def _layer_flaws(path: Path, entry: Layer | None, records: int, census: PlyCensus | None) -> Iterator[str]:
    """What is wrong with a layer as a whole, by its manifest and by the census.

    Sound, different records as many as the census counts are all there are, and each winner has its share.
    """
    known = census.canonical if census else None
    if entry is None:
        if known and records != (number := known.x_wins + known.o_wins):
            yield f"{counted(records, 'record')}; the census counts {number:,}"
        return
    if path.stat().st_size != entry.bytes:
        yield f"{path.stat().st_size:,} bytes, the manifest says {entry.bytes:,}"
    elif sha256_of(path) != entry.sha256:
        yield "its SHA-256 is not that of the manifest"
    if not records == entry.records == entry.x_wins + entry.o_wins:
        said = f"{entry.records:,}, {entry.x_wins:,} won by X and {entry.o_wins:,} by O"
        yield f"{counted(records, 'record')}, the manifest says {said}"
    if known and (entry.x_wins, entry.o_wins) != (known.x_wins, known.o_wins):
        yield f"X wins {entry.x_wins:,} and O {entry.o_wins:,}; the census counts {known.x_wins:,} and {known.o_wins:,}"


def _share(sample: int | None, records: int) -> float | None:
    """The part of each block that is judged; None for all of it."""
    return None if sample is None or sample >= records else sample / records
