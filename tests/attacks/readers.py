"""Every reader of files, with small sound files for it: what a long attack damages.

A reader is a question put to a file of a given name. It answers, or raises GridlabError; whatever else it does is a
flaw. Files with a checksum over everything must give the answer of the sound file, or none.
"""

import hashlib
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gridlab.arena.answers import read_answers, sit
from gridlab.arena.exam import make_exam, read_exam, read_key
from gridlab.arena.match import play_match, play_tournament, read_tournament
from gridlab.arena.session import read_records, verify_records, write_records
from gridlab.game2048.datasets.moves import Games
from gridlab.game2048.datasets.verify import verify as verify_games
from gridlab.game2048.exact.build import build_tablebase2048
from gridlab.game2048.exact.probe import Tablebase2048
from gridlab.game2048.learn.ntuple import train_ntuple
from gridlab.game2048.learn.ntuple_file import read_head, read_network
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import Rules2048
from gridlab.games import game
from gridlab.inarow.datasets.best_first import read_start
from gridlab.inarow.datasets.terminals.build import build_terminals
from gridlab.inarow.datasets.terminals.build import verify as verify_terminals
from gridlab.inarow.datasets.terminals.dataset import Terminals
from gridlab.inarow.exact.tablebase.build import build_tablebase
from gridlab.inarow.exact.tablebase.probe import Tablebase
from gridlab.inarow.learn.networks import SHIPPED
from gridlab.inarow.position import Position
from tests.attacks.games2048 import make_samples

PROBED = Position.parse("X../.O./...", "3x3:3")
PROBED2048 = Position2048.parse("2 ./. 2", rules=Rules2048(2, 2))


class Reader(NamedTuple):
    """A kind of file: the name that it must have, sound contents, and what is asked of it."""

    name: str
    sound: tuple[bytes, ...]
    ask: Callable[[Path], Any]
    beside: dict[str, bytes] = {}  # noqa: RUF012 - what else must be in the folder; never changed
    exact: bool = False  # a checksum guards every byte: the right answer, or none
    sealed: Callable[[bytes], bytes] | None = None  # gives damaged contents a right checksum


def all_readers(folder: Path) -> dict[str, Reader]:
    """All kinds by name; their sound files are made in the folder."""
    found = {**_tables(folder), **_games(folder), **_texts(folder), **_terminals(folder), **_networks(folder)}
    for reader in found.values():
        assert all(reader.sound)
    return found


def _tables(folder: Path) -> dict[str, Reader]:
    one, other, small = folder / "one.tb", folder / "other.tb", folder / "small.tb"
    build_tablebase("3x3:3", one, workers=1)
    build_tablebase("3x3:3-2", other, workers=1)
    build_tablebase2048("2048:2x2", small, workers=1)
    return {
        "tablebase": Reader("t.tb", (one.read_bytes(), other.read_bytes()), _probe, sealed=_tablebase_sealed),
        "tablebase of 2048": Reader("t.tb", (small.read_bytes(),), _probe2048),
    }


def _probe(path: Path) -> Any:
    table = Tablebase(path)
    return str(table.probe(PROBED)) if table.rules == PROBED.rules else str(table.rules)


def _probe2048(path: Path) -> Any:
    return Tablebase2048(path).values(PROBED2048)


def _tablebase_sealed(data: bytes) -> bytes:
    """With the footer's checksum over index and directory made right."""
    if len(data) < 28:
        return data
    index, text, _, end = struct.unpack("<QQI8s", data[-28:])
    tail = data[index:-28] if index <= text <= len(data) else b""
    return data[:-28] + struct.pack("<QQI8s", index, text, zlib.crc32(tail), end)


def _games(folder: Path) -> dict[str, Reader]:
    samples = make_samples(folder)
    pairs = {kind: _pair(samples, f".{kind}") for kind in ("jsonl", "json", "csv", "npz", "parquet", "h5")}
    readers = {f"games of 2048, {kind}": Reader(f"g.{kind}", pair, _verdict) for kind, pair in pairs.items()}
    index, games = _pair(samples, ".jsonl.index"), (samples / "plain.jsonl").read_bytes()
    readers["index of games"] = Reader("g.jsonl.index", index, _indexed, {"g.jsonl": games})
    return readers


def _pair(samples: Path, ending: str) -> tuple[bytes, ...]:
    return tuple((samples / f"{name}{ending}").read_bytes() for name in ("plain", "rich"))


def _verdict(path: Path) -> Any:
    return str(verify_games(path))


def _indexed(path: Path) -> Any:
    games = Games(path.with_suffix(""))
    return len(games), games[0].as_dict()["finalScore"]


def _texts(folder: Path) -> dict[str, Reader]:
    records, paper, answers = folder / "r.jsonl", folder / "exam.jsonl", folder / "answers.jsonl"
    write_records(records, play_match("random", "heuristic", "3x4:3", games=6, seed=1, workers=1).records)
    play_tournament(["random", "heuristic"], "3x3:3", out=folder / "cup", games=2, workers=1)
    make_exam("3x3:3", paper, 12, seed=1)
    sit(paper, "random", answers, workers=1)
    cup = {each.name: each.read_bytes() for each in (folder / "cup").iterdir() if each.is_file()}
    exam = {"exam.jsonl": paper.read_bytes()}
    starts = b"3\nX.O\n.X.\nO..\nX\n", b"4\nX..O\n.X..\n....\nO...\nX\n"
    return {
        "records": Reader("r.jsonl", (records.read_bytes(),), _records),
        "tournament": Reader("tournament.json", (cup["tournament.json"],), _tournament, cup),
        "exam": Reader("exam.jsonl", (paper.read_bytes(),), lambda path: len(read_exam(path).questions)),
        "key": Reader("exam.key.jsonl", ((folder / "exam.key.jsonl").read_bytes(),), _key, exam),
        "answers": Reader("answers.jsonl", (answers.read_bytes(),), _answers, exam),
        "best-first input": Reader("input.txt", starts, lambda path: str(read_start(path))),
    }


def _records(path: Path) -> Any:
    verdict = verify_records(path)
    return str(verdict), sum(1 for _ in read_records(path)) if not verdict.complaints else 0


def _tournament(path: Path) -> Any:
    return len(read_tournament(path.parent).matches)


def _key(path: Path) -> Any:
    return len(read_key(read_exam(path.with_name("exam.jsonl")), path))


def _answers(path: Path) -> Any:
    return len(read_answers(path, read_exam(path.with_name("exam.jsonl"))).given)


def _terminals(folder: Path) -> dict[str, Reader]:
    build_terminals("3x3:3", folder / "wins", [5, 6], workers=1)
    wins = {each.name: each.read_bytes() for each in (folder / "wins").iterdir() if each.is_file()}
    layers = {name: data for name, data in wins.items() if name.startswith("layer_")}
    return {
        "manifest of terminals": Reader("manifest.json", (wins["manifest.json"],), _wins, wins),
        "layer of terminals": Reader("layer_05.bin", tuple(layers.values()), _wins, wins),
        "layer without a manifest": Reader("layer_05.bin", tuple(layers.values()), _bare_layers, layers),
    }


def _wins(path: Path) -> Any:
    verdict = verify_terminals(path.parent, None, workers=1)
    data = Terminals(path.parent)
    return bool(verdict.complaints), len(data), str(data.position(0))


def _bare_layers(path: Path) -> Any:
    data = Terminals(path.parent, "3x3:3")
    return len(data), str(data.position(0))


def _networks(folder: Path) -> dict[str, Reader]:
    from gridlab.inarow.learn.judge import load_judge

    train_ntuple(Rules2048(3, 3), folder / "a.ntuple", games=30, tuples="0134,4", workers=1)
    network, training = ((folder / name).read_bytes() for name in ("a.ntuple", "a.ntuple.training"))
    squava, boards = game("squava"), np.array([[1, 2]])
    return {
        "n-tuple network": Reader("a.ntuple", (network,), _network, exact=True),
        "n-tuple network, sealed": Reader("a.ntuple", (network,), _network, sealed=_ntuple_sealed),
        "n-tuple training": Reader(
            "a.ntuple.training", (training,), lambda path: read_network(path, "training").weights.tobytes(), exact=True
        ),
        "checkpoint": Reader(
            "w.safetensors", (SHIPPED.read_bytes(),), lambda path: load_judge(path, squava).values(boards).item()
        ),
    }


def _network(path: Path) -> Any:
    read_head(path)
    return read_network(path).weights.tobytes()


def _ntuple_sealed(data: bytes) -> bytes:
    return data[:-32] + hashlib.sha256(data[:-32]).digest()
