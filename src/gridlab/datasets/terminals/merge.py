"""Datasets built on different machines joined: layers are copied, each checked against its checksum."""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from gridlab.core.arguments import typed
from gridlab.core.behaviour import BEHAVIOUR
from gridlab.core.errors import CorruptFile, FileTrouble
from gridlab.core.files import locked_folder, refuse_overlap, sha256_of, try_folder, whole_file
from gridlab.core.interrupts import pause
from gridlab.core.progress import Bars, bars
from gridlab.core.untrusted import open_regular, reading
from gridlab.datasets.terminals.build import begin, command_for, holds, require_file, require_room
from gridlab.datasets.terminals.dataset import Terminals, layers_without_manifest
from gridlab.datasets.terminals.manifest import CARD, Layer, Manifest

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
    for place in places:
        refuse_overlap(place, out)
        refuse_overlap(out, place)
    for one, other in combinations(places, 2):
        refuse_overlap(one, other)
    sources = [_source(place) for place in places]
    rules = sources[0].rules
    for each in sources[1:]:
        if each.rules != rules:
            raise FileTrouble(
                f"{places[0]} holds terminal wins of {rules}, {each.folder} of {each.rules}; merge one game"
            )
    origins = _origins(sources)
    try_folder(out)
    with locked_folder(out):
        manifest = begin(rules, out, resume)
        for kept in manifest.layers:
            if kept.ply in origins and origins[kept.ply].layer != kept:
                raise _different(kept, out, origins[kept.ply].folders[0])
        missing = [origins[ply] for ply in sorted(set(origins) - {each.ply for each in manifest.layers})]
        total = sum(each.layer.bytes * len(each.folders) for each in missing)
        with bars(total, f"merging {rules}", "bytes", progress) as shown:
            for origin in missing:
                _copy(origin, out, shown)
                command = command_for(rules, [*manifest.layers, origin.layer])
                manifest = manifest.with_layer(origin.layer, command)
                manifest.write(out)
        if not holds(out / CARD, manifest.card()):  # killed between the manifest and the card
            manifest.write_card(out)
    return manifest


def _source(folder: Path) -> Terminals:
    if layers_without_manifest(folder):
        raise FileTrouble(f"{folder} has no manifest; gridlab terminals adopt makes one")
    data = Terminals(folder)
    if data.manifest and data.manifest.behaviour != BEHAVIOUR:
        raise FileTrouble(
            f"{folder} was made by behaviour {data.manifest.behaviour}, this is {BEHAVIOUR}; build it again"
        )
    return data


def _origins(sources: list[Terminals]) -> dict[int, Origin]:
    """Every layer by ply, with where it is; the same layer must be the same everywhere."""
    found: dict[int, Origin] = {}
    for source in sources:
        for layer in source.manifest.layers if source.manifest else ():
            origin = found.setdefault(layer.ply, Origin(layer, []))
            if origin.layer != layer:
                raise _different(layer, origin.folders[0], source.folder)
            origin.folders.append(source.folder)
    return found


def _different(layer: Layer, one: Path, other: Path) -> CorruptFile:
    return CorruptFile(
        f"{layer.file} of {one} and of {other} are different; gridlab terminals verify says which is wrong"
    )


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
