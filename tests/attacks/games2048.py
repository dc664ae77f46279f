"""Files of games for attacks: small sound ones of every format, ways to damage them, and an independent judge."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from gridlab.core.errors import GridlabError
from gridlab.game2048 import rules as reference
from gridlab.game2048.datasets.files import export_games, read_games
from gridlab.game2048.datasets.generate import play
from gridlab.game2048.datasets.moves import Games
from gridlab.game2048.datasets.settings import DatasetSettings, Journal, make_settings
from gridlab.game2048.rules import Rules2048
from tests.attacks.harness import tried

FORMS = {"json": ".json", "csv": ".csv", "parquet": ".parquet", "hdf5": ".h5", "npz": ".npz"}
RULES = Rules2048()
MOMENT = "2026-01-07T12:00:00+00:00"


def settings(metadata: bool) -> DatasetSettings:
    return make_settings(seed=3, player="random", metadata=metadata)


def make_samples(folder: Path) -> Path:
    """plain.* and rich.* (with metadata) in every format, an index, and a journal of a run that was stopped."""
    for name, metadata in (("plain", False), ("rich", True)):
        lines = folder / f"{name}.jsonl"
        lines.write_bytes(b"".join(play(number, settings(metadata)).line() for number in range(3)))
        for form in FORMS:
            export_games(lines, form)
        assert len(Games(lines)) == 3
        journal = Journal(folder / f"{name}-run.jsonl")
        journal.begin(settings(metadata).as_dict())
        for number in range(3):
            journal.add(play(number, settings(metadata)).line())
    return folder


def damaged(data: bytes, random: np.random.Generator) -> bytes:
    """Some bits, bytes or pieces changed; more often at either end, where containers say what they hold."""
    tried("files damaged by chance")
    found = bytearray(data)
    for _ in range(int(random.choice([1, 1, 1, 2, 8]))):
        place = _place(len(found), random)
        some = int(random.integers(1, 64))
        match int(random.integers(8)):
            case 0:
                found[place] ^= 1 << int(random.integers(8))
            case 1:
                found[place] = int(random.choice([0, 1, 127, 128, 255, 48, 45, 34]))
            case 2:
                found[place : place + 8] = random.choice([b"\xff" * 8, bytes(8), b"\x7f" + b"\xff" * 7, b"9" * 8])
            case 3:
                del found[place : place + some]
            case 4:
                found[place:place] = random.bytes(some)
            case 5:
                other = _place(len(found), random)
                found[place : place + some], found[other : other + some] = (
                    found[other : other + some],
                    found[place : place + some],
                )
            case 6:
                del found[place:]
            case 7:
                found += random.bytes(some)
        if len(found) < 2:
            return bytes(found)
    return bytes(found)


def _place(size: int, random: np.random.Generator) -> int:
    near = int(random.integers(min(size, 2048)))
    return int(random.choice([int(random.integers(size)), near, size - 1 - near]))


def text_damaged(text: str, random: np.random.Generator) -> str:
    """One number, word or bracket of a text made into another."""
    tried("files damaged by chance")
    words = [
        "-1",
        "1e999",
        "9" * 30,
        "null",
        "true",
        "{}",
        "[]",
        '"a"',
        "0.5",
        "NaN",
        "[" * 3000,
        "",
        "18446744073709551616",
    ]
    digits = [i for i, letter in enumerate(text) if letter.isdigit() or letter in '"[]{},']
    place = int(random.choice(digits))
    return text[:place] + str(random.choice(np.array(words, object))) + text[place + 1 :]


def judged_sound(path: Path) -> list[dict[str, Any]]:
    """Replay the games of a file in plain Python; the games, if all is well."""
    games = [game.as_dict() for game in read_games(path)]
    assert games, "a file of no games is not sound"
    for game in games:
        boards = [flat(move["board"]) for move in game["moves"]] + [flat(game["finalBoard"])]
        scores = [move["score"] for move in game["moves"]] + [game["finalScore"]]
        assert sorted(tile for tile in boards[0] if tile) in ([2, 2], [2, 4], [4, 4])
        assert scores[0] == 0
        for number, move in enumerate(game["moves"]):
            after, points = reference.move(RULES, boards[number], move["direction"])
            assert after != boards[number]
            new = [(old, tile) for old, tile in zip(after, boards[number + 1], strict=True) if old != tile]
            assert new in ([(0, 2)], [(0, 4)])
            assert scores[number + 1] == scores[number] + points
        assert not reference.legal_moves(RULES, boards[-1])
        assert game["maxTile"] == max(boards[-1])
    return games


def flat(board: list[list[int]]) -> reference.Board:
    return tuple(tile for row in board for tile in row)


def refused(action: Callable[[], object]) -> bool:
    """Whether it is refused; any other error is a flaw."""
    told = None
    try:
        action()
    except GridlabError as error:
        told = str(error)
    assert told is None or (told and "\n" not in told), told
    return told is not None


def every_game(path: Path) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in path.read_bytes().splitlines())


Change = Callable[[dict[str, Any]], object]
