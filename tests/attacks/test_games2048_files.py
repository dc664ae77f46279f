"""Damaged and crafted files of 2048 games: refused in a sentence or read, never believed, never a crash."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gridlab.game2048.datasets.files import export_games, index_of, read_games
from gridlab.game2048.datasets.moves import Games
from gridlab.game2048.datasets.split import split
from gridlab.game2048.datasets.verify import statistics, verify
from tests.attacks.games2048 import damaged, every_game, judged_sound, refused, text_damaged
from tests.attacks.harness import Attacker

pytestmark = pytest.mark.compiled

QUICK = (".jsonl", ".json", ".csv", ".npz")  # read in this process
SLOW = (".parquet", ".h5")  # read in a process of their own, a fifth of a second each


def look_at(path: Path, folder: Path) -> bool:
    """Have everything read a file; whether it was called sound, which must be true then."""
    found = []
    refused(lambda: found.append(verify(path)))
    damaged = refused(lambda: statistics(read_games(path)))
    assert not (damaged and found and found[0].sound)
    if not (found and found[0].sound):
        return False
    games = judged_sound(path)
    export_games(path, "jsonl", folder / "again.jsonl")
    assert list(every_game(folder / "again.jsonl")) == games
    return True


def attack_at_random(samples: Path, folder: Path, random: np.random.Generator, ending: str, number: int) -> int:
    """So many damaged files of a format; how many of them are still sound."""
    sound = 0
    for _ in range(number):
        data = (samples / f"{random.choice(['plain', 'rich'])}{ending}").read_bytes()
        if ending in (".jsonl", ".json", ".csv") and random.random() < 0.5:
            made = text_damaged(data.decode(), random).encode()
        else:
            made = damaged(data, random)
        path = folder / f"attack{ending}"
        path.write_bytes(made)
        sound += look_at(path, folder)
    return sound


@pytest.mark.parametrize("ending", [*QUICK, *SLOW])
def test_the_samples_are_sound(ending: str, samples: Path, tmp_path: Path) -> None:
    for name in ("plain", "rich"):
        assert look_at(samples / f"{name}{ending}", tmp_path)
        assert judged_sound(samples / f"{name}{ending}") == list(every_game(samples / f"{name}.jsonl"))


@pytest.mark.parametrize(("ending", "number"), [*((each, 40) for each in QUICK), *((each, 3) for each in SLOW)])
def test_damaged_files(ending: str, number: int, samples: Path, tmp_path: Path, random: np.random.Generator) -> None:
    assert attack_at_random(samples, tmp_path, random, ending, number) < number


@pytest.mark.long
@pytest.mark.parametrize(("ending", "number"), [*((each, 1500) for each in QUICK), *((each, 200) for each in SLOW)])
def test_thousands_of_damaged_files(
    ending: str, number: int, samples: Path, tmp_path: Path, random: np.random.Generator
) -> None:
    assert attack_at_random(samples, tmp_path, random, ending, number) < number


# ---- containers that are whole, and what is in them is wrong


def arrays_of(path: Path) -> dict[str, Any]:
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


Arrays = dict[str, Any]


def cut(*names: str) -> Callable[[Arrays], object]:
    return lambda arrays: arrays.update({name: arrays[name][:-1] for name in names})


def put(name: str, value: Any, at: int = 0) -> Callable[[Arrays], object]:
    def change(arrays: Arrays) -> None:
        arrays[name] = arrays[name].copy()
        arrays[name][at] = value

    return change


CRAFTED: dict[str, Callable[[Arrays], object]] = {
    "scores cut": cut("moves/score"), "boards cut": cut("moves/board"), "directions cut": cut("moves/direction"),
    "details cut": cut("moves/details"), "a game less": cut("games/moves"),
    "all of a game less": cut(*(f"games/{each}" for each in
        ("moves", "final_score", "max_tile", "won", "final_board", "timestamp", "about"))),
    "direction 99": put("moves/direction", 99), "direction -1": put("moves/direction", -1),
    "a tile of 3": put("moves/board", 3), "a negative tile": put("moves/board", -2),
    "a score below 0": put("moves/score", -4), "a large score": put("moves/score", 2**62),
    "a false tile": put("games/max_tile", 4096), "a false victory": put("games/won", True),
    "a huge final score": put("games/final_score", 2**63 - 1), "a negative final score": put("games/final_score", -1),
    "no moves": put("games/moves", 0), "negative moves": put("games/moves", -5),
    "too many moves": put("games/moves", 2**40), "all moves in one": put("games/moves", 1 << 17),
    "a final board": put("games/final_board", "2 4"), "a final board of letters": put("games/final_board", "x " * 16),
    "about no JSON": put("games/about", "{"), "about a list": put("games/about", "[1]"),
    "about of wrong types": lambda arrays: arrays.update(
        {"games/about": np.array(['{"movesBefore": "x", "curriculum": []}'] * 3)}),
    "about of another curriculum": lambda arrays: arrays.update(
        {"games/about": np.array(['{"curriculum": "huge"}'] * 3)}),
    "details of wrong types": lambda arrays: arrays.update(
        {"moves/details": np.array(['{"spawn": 3}'] * len(arrays["moves/score"]))}),
    "details nested": lambda arrays: arrays.update(
        {"moves/details": np.array(["[" * 5000] * len(arrays["moves/score"]))}),
    "no time": put("games/timestamp", "yesterday"), "no offset": put("games/timestamp", "2026-01-07T12:00:00"),
    "scores as floats": lambda arrays: arrays.update({"moves/score": arrays["moves/score"] * 1.0}),
    "scores not a number": lambda arrays: arrays.update({"moves/score": arrays["moves/score"] * np.nan}),
    "scores as text": lambda arrays: arrays.update({"moves/score": arrays["moves/score"].astype("U8")}),
    "boards flat": lambda arrays: arrays.update({"moves/board": arrays["moves/board"].reshape(-1, 16)}),
    "boards of 8 bytes": lambda arrays: arrays.update({"moves/board": arrays["moves/board"].astype(np.int64)}),
    "lengths a number": lambda arrays: arrays.update({"games/moves": np.int64(7)}),
    "an array missing": lambda arrays: arrays.pop("games/won"),
    "rows swapped": lambda arrays: arrays.update({"moves/score": arrays["moves/score"][::-1]}),
    "a move twice": lambda arrays: arrays.update({"moves/board": np.repeat(arrays["moves/board"][:1],
        len(arrays["moves/board"]), axis=0)}),
}  # fmt: skip


@pytest.mark.parametrize("name", CRAFTED)
def test_crafted_arrays(name: str, samples: Path, tmp_path: Path) -> None:
    arrays = arrays_of(samples / "plain.npz")
    CRAFTED[name](arrays)
    np.savez(tmp_path / "a.npz", **arrays)
    assert not look_at(tmp_path / "a.npz", tmp_path)
    write_hdf5(tmp_path / "a.h5", arrays)
    assert refused(lambda: verify(tmp_path / "a.h5")) or not verify(tmp_path / "a.h5").sound


def write_hdf5(path: Path, arrays: Arrays) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        for name, array in arrays.items():
            text = array.dtype.kind == "U"
            file.create_dataset(
                name, data=array.astype(object) if text else array, dtype=h5py.string_dtype() if text else None
            )


def npy(kind: str, shape: str, data: bytes = b"") -> bytes:
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    head += b" " * (64 - (len(head) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + data


@pytest.mark.parametrize(
    ("member", "content"),
    [
        ("moves/board", npy("<i4", "(10000000000, 4, 4)")), ("games/moves", npy("<i8", "(4611686018427387904,)")),
        ("games/moves", npy("<i8", "(-1,)")), ("games/moves", npy("<i8", "()", bytes(8))),
        ("games/moves", npy("|O", "(3,)", b"cos\nsystem\n(S'true'\ntR.")),
        ("moves/details", npy("<U1000000000", "(5,)")),
        ("moves/score", npy("<i8", "(" * 500)), ("moves/score", b"nonsense"), ("moves/score", b""),
        ("moves/score", b"\x93NUMPY\x03\x00\xff\xff\xff\x7f"),
        ("games/moves", npy("<i8", "(120000000,)", bytes(120_000_000))),
    ],
)  # fmt: skip
def test_crafted_members(member: str, content: bytes, samples: Path, tmp_path: Path, attacker: Attacker) -> None:
    with (
        zipfile.ZipFile(samples / "plain.npz") as old,
        zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, content if name == f"{member}.npy" else old.read(name))
    for command in (["verify"], ["export", "--format", "csv", "-o", "b.csv"]):
        assert attacker.attack("2048", command[0], "a.npz", *command[1:], cwd=tmp_path).code == 2
    assert not (tmp_path / "b.csv").exists()


def rows_of(samples: Path) -> list[list[str]]:
    return [line.split(",") for line in (samples / "plain.csv").read_text().splitlines()]


@pytest.mark.parametrize(
    ("row", "column", "value"),
    [
        (1, "max_tile", "4096"), (2, "max_tile", "8"), (1, "won", "True"), (5, "won", "True"), (1, "won", "yes"),
        (1, "game", "1"), (2, "game", "7"), (3, "move", "9"), (1, "move", "-1"), (1, "score", "1.5"),
        (4, "score", "nan"),
        (1, "r0c0", "3"), (1, "r0c0", "٢"), (1, "r0c0", "9" * 30), (1, "score", "9" * 5000), (2, "direction", "north"),
        (2, "final_score", "8"), (2, "final_board", "2 4"), (3, "timestamp", "2027-01-07T12:00:00+00:00"),
        (1, "about", "[]"), (3, "about", "{'a'}"), (2, "details", "[" * 3000), (2, "details", '{"spawn":1}'),
        (2, "details", "x" * 60_000), (2, "details", "x" * 200_000), (1, "game", "0,0"), (1, "score", " 0"),
        (1, "score", "+0"),
        (1, "score", ""), (1, "score", "0\x00"), (1, "timestamp", '"'), (3, "final_score", "9" * 5000),
    ],
)  # fmt: skip
def test_crafted_rows(row: int, column: str, value: str, samples: Path, tmp_path: Path) -> None:
    rows = rows_of(samples)
    rows[row][rows[0].index(column)] = value
    (tmp_path / "a.csv").write_text("\n".join(",".join(each) for each in rows) + "\n")
    assert not look_at(tmp_path / "a.csv", tmp_path)
    split_refused = refused(lambda: split(tmp_path / "a.csv", tmp_path / "parts", 0.4, 0.3, 0.3))
    assert split_refused == (not (tmp_path / "parts").exists())


@pytest.mark.parametrize(
    ("column", "at", "value"),
    [
        ("max_tile", 0, 4096), ("max_tile", 3, 4096), ("won", 0, True), ("won", 4, True), ("game", 0, 5),
        ("game", 3, 1),
        ("move", 0, 1), ("move", 5, 0), ("direction", 2, "north"), ("score", 1, -4), ("score", 1, 2**62),
        ("final_score", 2, 4), ("final_board", 0, "2"), ("final_board", 2, "2"), ("timestamp", 0, "now"),
        ("about", 0, "{"),
        ("about", 1, '{"seed": 1}'), ("details", 0, "{"), ("details", 1, '{"spawn": []}'), ("score", 1, None),
        ("about", 0, None), ("board", 0, [3] * 16), ("board", 0, None), ("details", 1, "x" * 100_000),
    ],
)  # fmt: skip
def test_crafted_columns(column: str, at: int, value: Any, samples: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow as arrow

    table = parquet.read_table(samples / "plain.parquet")
    values = table[column].to_pylist()
    values[at] = value
    place = table.schema.get_field_index(column)
    changed = table.set_column(place, table.schema.field(column), arrow.array(values, table.schema.field(column).type))
    parquet.write_table(changed, tmp_path / "a.parquet")
    assert refused(lambda: verify(tmp_path / "a.parquet")) or not verify(tmp_path / "a.parquet").sound


def test_columns_of_other_types(samples: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow as arrow

    table = parquet.read_table(samples / "plain.parquet")
    for column, kind in (("score", arrow.float64()), ("won", arrow.string()), ("game", arrow.int64())):
        place = table.schema.get_field_index(column)
        other = table.set_column(place, column, table[column].cast(kind))
        parquet.write_table(other, tmp_path / "a.parquet")
        assert refused(lambda: verify(tmp_path / "a.parquet"))
    parquet.write_table(table.drop_columns(["won"]), tmp_path / "a.parquet")
    assert refused(lambda: verify(tmp_path / "a.parquet"))


@pytest.mark.long
def test_tables_that_swell(samples: Path, tmp_path: Path, attacker: Attacker) -> None:
    """Three million rows in a few thousand bytes, and a text of 300 MB."""
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow as arrow

    one = parquet.read_table(samples / "plain.parquet").slice(0, 1)
    rows = arrow.concat_tables([one] * 1000)
    with parquet.ParquetWriter(tmp_path / "b.parquet", one.schema, compression="zstd") as writer:
        writer.write_table(arrow.concat_tables([rows] * 3000), row_group_size=3_000_000)
    assert attacker.attack("2048", "verify", "b.parquet", cwd=tmp_path).code == 2
    long = one.set_column(11, "details", arrow.array(["x" * 300_000_000]))
    parquet.write_table(long, tmp_path / "c.parquet", compression="zstd")
    assert attacker.attack("2048", "verify", "c.parquet", cwd=tmp_path).code == 2


def test_arrays_that_lie_elsewhere(samples: Path, tmp_path: Path) -> None:
    """Links to other files, data outside of the file, and arrays that nobody has written."""
    h5py = pytest.importorskip("h5py")
    for number in range(5):
        arrays = arrays_of(samples / "plain.npz")
        path = tmp_path / f"{number}.h5"
        write_hdf5(path, arrays)
        with h5py.File(path, "r+") as file:
            scores, size = arrays["moves/score"], len(arrays["moves/score"])
            del file["moves/score"]
            if number == 0:
                file["moves/score"] = h5py.ExternalLink(str(samples / "plain.h5"), "moves/score")
            elif number == 1:
                (tmp_path / "raw").write_bytes(scores.tobytes())
                file.create_dataset("moves/score", (size,), "<i8", external=[(str(tmp_path / "raw"), 0, 8 * size)])
            elif number == 2:
                file["moves/score"] = h5py.SoftLink("/games/final_score")
            elif number == 3:
                file.create_dataset("moves/score", (1 << 50,), "<i8", chunks=(1 << 20,), compression="gzip")
            else:
                file.create_group("moves/score")
        assert refused(lambda path=path: verify(path))  # type: ignore[misc]


JSON_VALUES: list[Any] = [
    -1, 2**53, 2**63, 2**64, 10**400, 1.5, 1e300, True, None, "", "1", "\ud800", [], {}, [[[]]], ["up"], {"row": 0},
    [[2, 2, 0, 0]] * 4, [[False, 2, 0, 0], *[[0] * 4] * 3], "2026-01-07", "2026-01-07\n12:00:00+00:00", "hard",
    "\x00\x1b[2J",
]  # fmt: skip
GAME_FIELDS = (
    "totalMoves", "finalScore", "maxTile", "won", "finalBoard", "timestamp", "curriculum", "movesBefore", "seed",
    "game",    "player", "depth", "evaluator", "max_moves", "moves",
)  # fmt: skip
MOVE_FIELDS = (
    "board", "direction", "score", "evaluation_score", "alternative_moves", "nodes_evaluated", "evaluations", "spawn",
)  # fmt: skip


@pytest.mark.parametrize("field", [*GAME_FIELDS, *MOVE_FIELDS])
def test_values_of_other_types(field: str, samples: Path, tmp_path: Path) -> None:
    for value in JSON_VALUES:
        games = list(every_game(samples / "rich.jsonl"))
        (games[1] if field in GAME_FIELDS else games[1]["moves"][2])[field] = value
        try:
            lines = [json.dumps(game) for game in games]
        except ValueError:
            continue  # Python itself refuses so many digits
        (tmp_path / "a.jsonl").write_text("\n".join(lines) + "\n")
        look_at(tmp_path / "a.jsonl", tmp_path)
        (tmp_path / "a.json").write_text(f"[{','.join(lines)}]")
        look_at(tmp_path / "a.json", tmp_path)
        index_of(tmp_path / "a.jsonl").unlink(missing_ok=True)
        refused(lambda: [game.line() for game in Games(tmp_path / "a.jsonl")])


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 100_000, b'{"moves":' * 50_000, b'{"totalMoves":1' + b"0" * 5000 + b"}", b"[]", b"[1,]", b"[,1]",
        b"[1 2]",
        b"{}", b"[{}", b"[{}]x", b'["]', b"null", b"", b"\xff\xfe[]", b'[{"a":"\\', b"NaN", b"[NaN]", b"1e999",
        b"\x00" * 1000,
        b'{"totalMoves":3}', b'{"totalMoves":99999999999999999999,"moves":[]}',
    ],
    ids=range(21),
)  # fmt: skip
def test_texts_that_are_no_games(text: bytes, tmp_path: Path) -> None:
    for name in ("a.json", "a.jsonl", "a.csv"):
        (tmp_path / name).write_bytes(text)
        assert not look_at(tmp_path / name, tmp_path)
        assert refused(lambda name=name: split(tmp_path / name, tmp_path / "parts", 1, 0, 0))  # type: ignore[misc]
        assert not (tmp_path / "parts").exists()
    refused(lambda: [game.moves for game in Games(tmp_path / "a.jsonl")])


# ---- commands


COMMANDS: list[list[str]] = [
    ["verify"], ["verify", "--json"], ["stats"], ["stats", "--json"], ["export", "--format", "csv", "-o", "out"],
    ["export", "--format", "npz", "-o", "out"], ["export", "--format", "json", "-o", "out"],
    ["export", "--format", "hdf5", "-o", "out"], ["export", "--format", "parquet", "-o", "out"],
    ["split", "-o", "parts"],
]  # fmt: skip


def attack_commands(attacker: Attacker, samples: Path, folder: Path, random: np.random.Generator, number: int) -> None:
    for _ in range(number):
        ending = str(random.choice([*QUICK, *SLOW]))
        data = (samples / f"{random.choice(['plain', 'rich'])}{ending}").read_bytes()
        (folder / f"a{ending}").write_bytes(damaged(data, random))
        command = COMMANDS[int(random.integers(len(COMMANDS)))]
        (folder / "out").write_text("the last good file")
        ending_of = attacker.attack("2048", command[0], f"a{ending}", *command[1:], cwd=folder)
        if "out" in command and ending_of.code:
            assert (folder / "out").read_text() == "the last good file"
        assert not [path for path in folder.iterdir() if path.name.endswith((".part", ".lock"))]


def test_commands_on_damaged_files(
    attacker: Attacker, samples: Path, tmp_path: Path, random: np.random.Generator
) -> None:
    attack_commands(attacker, samples, tmp_path, random, 15)


@pytest.mark.long
def test_commands_on_thousands_of_damaged_files(
    attacker: Attacker, samples: Path, tmp_path: Path, random: np.random.Generator
) -> None:
    attack_commands(attacker, samples, tmp_path, random, 1500)


@pytest.mark.parametrize("ending", [*QUICK, *SLOW])
def test_what_is_no_file(ending: str, attacker: Attacker, tmp_path: Path) -> None:
    (tmp_path / f"folder{ending}").mkdir()
    (tmp_path / f"loop{ending}").symlink_to(f"loop{ending}")
    (tmp_path / f"empty{ending}").touch()
    with (tmp_path / f"large{ending}").open("wb") as file:
        file.truncate(3 << 30)
    for name in ("folder", "loop", "none", "empty", "large"):
        for command in (["verify"], ["split", "-o", "parts"]):
            code = attacker.attack("2048", command[0], f"{name}{ending}", *command[1:], cwd=tmp_path).code
            assert code == 2 or (name == "empty" and code == 1)
