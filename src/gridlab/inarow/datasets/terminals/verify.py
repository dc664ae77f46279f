"""Is a dataset of terminal wins what it says? Files, headers, checksums, order, every record, and the counts.

Nothing of the way it was made is used: a record is taken apart and judged by the rules, its last move is taken
back, and the number of records is compared with the census, which counts without listing. What was not looked at is
said with the verdict.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gridlab.core.arguments import counted
from gridlab.core.draw import facts
from gridlab.core.errors import CorruptFile
from gridlab.core.files import BEHAVIOUR, sha256_of
from gridlab.core.progress import Bars, bars
from gridlab.core.run import in_order
from gridlab.inarow.datasets.terminals.build import census_of, command_for, holds
from gridlab.inarow.datasets.terminals.dataset import Terminals, board_text, uncounted_text
from gridlab.inarow.datasets.terminals.manifest import CARD, MANIFEST, Layer, Manifest, Records, layer_name, open_layer
from gridlab.inarow.datasets.terminals.records import REASONS, SOUND, Checker, checker, first_disorder, first_flaw
from gridlab.inarow.exact.census import CENSUS_CELLS, PlyCensus
from gridlab.inarow.exact.terminals import candidates
from gridlab.inarow.rules import Rules

SAMPLE = 100_000  # records a layer
BLOCK = 1 << 18  # records judged in one job
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

    def as_dict(self) -> dict[str, Any]:
        return facts(self) | {"sound": not self.complaints}

    def __str__(self) -> str:
        held = f"{self.rules}: {counted(self.layers, 'layer')}, {counted(self.records, 'record')}"
        done = f"{held}, {self.checked:,} of them judged one by one"
        if not self.complaints:
            sound = f"{done}: all sound; not checked: {', '.join(self.unchecked)}"
            return "\n".join([*self.remarks, sound])
        wrong = f"{done}: {counted(len(self.complaints), 'complaint')}; not checked: {', '.join(self.unchecked)}"
        return "\n".join([*self.remarks, *map(str, self.complaints), wrong])


def verify(
    folder: Path,
    sample: int | None = SAMPLE,
    seed: int = 0,
    workers: int | None = None,
    progress: bool = False,
    rules: Rules | str | None = None,
) -> Verdict:
    """Verify a dataset; `sample` records of each layer are judged one by one, all of them if it is None.

    Of layers without a manifest, whose `rules` are told, all is checked that needs none.
    """
    data = Terminals(folder, rules)
    counted = census_of(data, workers, progress)
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
            flaws = _layer_flaws(folder / layer_name(ply), entries.get(ply), len(records), counted.get(ply))
            found = [Complaint(layer_name(ply), None, flaw) for flaw in flaws]
            share = None if found else _share(sample, len(records))  # something is wrong: find the record
            with shown.part(len(records), f"ply {ply:2}", "records"):
                judged, unsound = _judge_layer(data.rules, ply, records, share, seed, workers, shown)
            checked += judged
            complaints += [*found, *unsound][:MOST_COMPLAINTS]
    unchecked = _unchecked(total - checked, bool(counted), data.manifest is not None, complaints)
    remarks = (uncounted_text(data.uncounted),) if data.uncounted else ()
    return Verdict(data.rules, len(data.plies), total, checked, complaints, unchecked, remarks)


def _opened(path: Path, placeholder: bool) -> tuple[Records, str]:
    """The records of a layer, or why there are none."""
    try:
        return open_layer(path, placeholder), ""
    except CorruptFile as error:
        return np.empty(0, np.uint64), str(error).partition(": ")[2]


def _judge_layer(
    rules: Rules, ply: int, records: Records, share: float | None, seed: int, workers: int | None, shown: Bars
) -> tuple[int, list[Complaint]]:
    """How many records were judged, and what is wrong: the first out of order, and in each block the first unsound."""
    judge = partial(_judge, records=records, ply=ply, share=share, seed=seed, game=checker(rules))
    checked, found, ordered = 0, list[Complaint](), True
    for looked_at, judged, disorder, flaw in in_order(judge, range(0, len(records), BLOCK), workers):
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
    if manifest.behaviour != BEHAVIOUR:
        yield Complaint(MANIFEST, None, f"it was made by behaviour {manifest.behaviour}; this is {BEHAVIOUR}")
    if manifest.made["command"] != (command := command_for(manifest.rules, manifest.layers)):
        yield Complaint(MANIFEST, None, f"these layers are not made by {manifest.made['command']!r} but by {command!r}")
    for each in manifest.layers:
        if each.candidates != (number := candidates(manifest.rules, each.ply)):
            yield Complaint(MANIFEST, None, f"ply {each.ply} has {number:,} candidates, not {each.candidates:,}")
    if not holds(folder / CARD, manifest.card()):
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


def _judge(
    first: int, records: Records, ply: int, share: float | None, seed: int, game: Checker
) -> tuple[int, int, int, tuple[int, str]]:
    """The size of a block, how many of its records were judged, the first out of order, the first unsound; -1: none."""
    block = np.asarray(records[max(first - 1, 0) : first + BLOCK])
    index = first_disorder(block)
    disorder = max(first - 1, 0) + index if index >= 0 else -1
    block = block[min(first, 1) :]
    chosen = np.arange(len(block))
    if share is not None:
        chosen = np.flatnonzero(np.random.default_rng([seed, ply, first]).random(len(block)) < share)
    index, reason = first_flaw(block[chosen], ply, game, SOUND)
    flaw = first + int(chosen[index]) if index >= 0 else -1
    return len(block), len(chosen), disorder, (flaw, REASONS[reason])
