"""Files of n-tuple networks: whole, for players and to go on from, and refused."""

import hashlib
import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

from gridlab.core.errors import BadPlayer, CorruptFile, FileTrouble
from gridlab.game2048.evaluate import evaluate
from gridlab.game2048.learn.ntuple_file import (
    DIGEST,
    SHIPPED,
    START,
    Head,
    Learnt,
    Point,
    load_network,
    read_head,
    read_network,
    write_network,
    write_small,
)
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import Rules2048
from gridlab.game2048.search.ntuple import parse_tuples
from gridlab.players.registry import make_player
from tests.conftest import Run
from tests.game2048.learn.ntuple_reference import PlainNetwork

THREE = Rules2048(3, 3)
TUPLES = parse_tuples("tetrominoes", THREE)
WEIGHTS = np.random.default_rng(1).normal(0, 100, len(TUPLES) * 16**4).astype(np.float32)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_network(tmp_path / "a.ntuple", THREE, TUPLES, WEIGHTS, Learnt(games=7, seed=3))
    return tmp_path / "a.ntuple"


def with_head(content: bytes, text: bytes) -> bytes:
    """The same tables behind another head, with a right checksum."""
    magic, version, length = START.unpack(content[: START.size])
    body = START.pack(magic, version, len(text)) + text + content[START.size + length : -DIGEST]
    return body + hashlib.sha256(body).digest()


def head_of(content: bytes) -> Head:
    return msgspec.json.decode(content[START.size : START.size + START.unpack(content[: START.size])[2]], type=Head)


def test_what_a_file_leaves_out_has_defaults(file: Path, gridlab: Run) -> None:
    content = file.read_bytes()
    head = msgspec.to_builtins(head_of(content))
    del head["learnt"], head["streams"]
    file.write_bytes(with_head(content, msgspec.json.encode(head | {"learnt": {}})))
    assert read_head(file).learnt == Learnt("tc", 1.0, 0.5, 0, 0.0, 1.0, False, 0, 1, 0, 0, 0.0, (), ())
    code, out, _ = gridlab("train", "info", str(file), "--json")
    told = json.loads(out)
    assert code == 0
    assert told["recipe"] == {"rate": "tc", "step": 1.0, "trace": 0.5, "restart": 0, "optimistic": 0.0, "settle": 1.0}
    assert (told["seed"], told["workers"], told["games"], told["moves"], told["seconds"]) == (0, 1, 0, 0, None)


def test_what_is_written_is_read(file: Path) -> None:
    found = read_network(file)
    assert (found.rules, found.tuples, found.head.learnt.games, found.head.learnt.seed) == (THREE, TUPLES, 7, 3)
    assert (found.weights == WEIGHTS).all()
    assert len(found.sums) == 0
    assert (read_head(file), found.head.weights) == (found.head, len(WEIGHTS))


def test_half_precision(tmp_path: Path) -> None:
    write_network(tmp_path / "half.ntuple", THREE, TUPLES, WEIGHTS, Learnt(), "float16")
    assert (read_network(tmp_path / "half.ntuple").weights == WEIGHTS.astype(np.float16)).all()


def test_a_training(tmp_path: Path) -> None:
    sums = np.arange(2 * len(WEIGHTS), dtype=np.float32)
    states = [0, 1, 2**64 - 1]
    write_network(tmp_path / "t", THREE, TUPLES, WEIGHTS, Learnt(), sums=sums, streams=states)
    found = read_network(tmp_path / "t", "training")
    assert (found.sums == sums).all()
    assert found.states().tolist() == states
    with pytest.raises(FileTrouble, match="is a file of kind training, and network is needed"):
        read_network(tmp_path / "t")


def test_the_same_numbers_give_the_same_bytes(file: Path, tmp_path: Path) -> None:
    write_network(tmp_path / "b.ntuple", THREE, TUPLES, WEIGHTS, Learnt(games=7, seed=3))
    assert file.read_bytes() == (tmp_path / "b.ntuple").read_bytes()


@pytest.mark.parametrize("cut", [0, 5, 15, 100, -40, -1])
def test_cut(file: Path, cut: int) -> None:
    file.write_bytes(file.read_bytes()[:cut])
    with pytest.raises(CorruptFile):
        read_network(file)


@pytest.mark.parametrize("place", [8, 12, 16, 40, 3000, -DIGEST, -1])
def test_altered(file: Path, place: int) -> None:
    content = bytearray(file.read_bytes())
    content[place] ^= 1
    file.write_bytes(content)
    with pytest.raises(CorruptFile):
        read_network(file)


def test_foreign(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"GRIDTAB1" + bytes(100))
    with pytest.raises(CorruptFile, match="does not begin with GRIDNTUP"):
        read_network(tmp_path / "x")
    with pytest.raises(FileTrouble, match="no such file"):
        read_network(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"tuples": "012345"}, "another size|has 6 tables"),
        ({"tuples": "0123,0124,0134,0135,0145,1347"}, None),
        ({"tuples": "zzz"}, "not a tuple"),
        ({"rules": "2048:5x5"}, "up to 4x4"),
        ({"rules": "3x3:3"}, "not a game of 2048"),
        ({"numbers": "float16"}, "table of another size"),
        ({"sizes": (1, 2, 3, 4, 5, 6)}, "another size than its head says"),
        ({"sizes": (2**53,) * 6}, "another size than its head says"),
        ({"sizes": ()}, "has 0 tables"),
    ],
)
def test_crafted_heads(file: Path, change: dict[str, object], reason: str | None) -> None:
    content = file.read_bytes()
    head = msgspec.structs.replace(head_of(content), **change)
    file.write_bytes(with_head(content, msgspec.json.encode(head)))
    if reason is None:  # other cells, as many weights: another network, and a sound file
        assert read_network(file).weights.shape == WEIGHTS.shape
        return
    with pytest.raises(CorruptFile, match=reason):
        read_network(file)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_weights_that_are_no_numbers(tmp_path: Path, number: float) -> None:
    weights = WEIGHTS.copy()
    weights[77] = number
    write_network(tmp_path / "n", THREE, TUPLES, weights, Learnt())
    with pytest.raises(CorruptFile, match="not numbers"):
        read_network(tmp_path / "n")


def test_a_network_is_read_once(file: Path) -> None:
    assert load_network(file, THREE).weights is load_network(str(file), THREE).weights
    write_network(file, THREE, TUPLES, WEIGHTS + 1, Learnt())
    assert (load_network(file, THREE).weights == WEIGHTS + 1).all()


def test_a_player_of_another_board(file: Path) -> None:
    with pytest.raises(FileTrouble, match=r"a network for 2048:3x3, not for 2048$"):
        make_player(f"ntuple file={file}", Rules2048())


def test_a_small_file(file: Path, tmp_path: Path) -> None:
    size = write_small(file, tmp_path / "small.ntuple")
    assert size == (tmp_path / "small.ntuple").stat().st_size < 0.6 * file.stat().st_size
    assert (read_network(tmp_path / "small.ntuple").weights == WEIGHTS.astype(np.float16)).all()
    write_network(file, THREE, TUPLES, WEIGHTS * 1e6, Learnt())
    with pytest.raises(FileTrouble, match="the largest number in half precision"):
        write_small(file, tmp_path / "none.ntuple")


@pytest.mark.compiled
def test_export(gridlab: Run, file: Path) -> None:
    code, out, _ = gridlab("train", "export", str(file), "--half")
    assert (code, out.startswith(str(file.with_suffix(".half.ntuple")))) == (0, True)
    code, _, err = gridlab("train", "export", str(file), "--onnx")
    assert (code, "an n-tuple network of 2048 with --half" in err) == (2, True)


@pytest.mark.compiled
def test_players(file: Path) -> None:
    position = Position2048.parse("2 4 2/. . ./. . .", THREE)
    for text in (f"ntuple file={file} downgrade=0", f"expectimax evaluator=ntuple:{file} depth=5"):
        player = make_player(text, THREE)
        assert str(player) == text
        values = player.values(position, np.random.default_rng(1))  # type: ignore[attr-defined]
        assert (list(values), player.move(position, np.random.default_rng(1))) == (["down"], "down")
    plain = PlainNetwork(THREE, TUPLES, WEIGHTS)
    assert values == pytest.approx(plain.move_values(position.tiles, 5))
    halved = make_player(f"ntuple file={file} downgrade=4", THREE)
    assert str(halved) == f"ntuple file={file} downgrade=4"
    position, seen = (Position2048.parse(text, THREE) for text in ("8 4 8/. . ./. . .", "4 2 4/. . ./. . ."))
    values = halved.values(position, np.random.default_rng(1))  # type: ignore[attr-defined]
    assert values == pytest.approx(plain.move_values(seen.tiles))


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ("depth=4", "1, 3, 5 and 7 end with one"),
        ("depth=9", "1, 3, 5 and 7 end with one"),
        ("depth=3 sample=2", "has no such"),
        ("depth=3 cutoff=0.1", "has no such"),
        ("depth=3 downgrade=1000", "name a tile of 4 to 32768, 0 for none"),
        ("depth=3 downgrade=65536", "name a tile of 4 to 32768, 0 for none"),
    ],
)
def test_players_that_cannot_be(file: Path, settings: str, reason: str) -> None:
    with pytest.raises(BadPlayer, match=reason):
        make_player(f"expectimax evaluator=ntuple:{file} {settings}", THREE)


def test_only_n_tuple_networks_see_tiles_halved() -> None:
    with pytest.raises(BadPlayer, match="only n-tuple networks"):
        make_player("expectimax depth=2 downgrade=8192", THREE)


@pytest.mark.parametrize(
    ("rates", "tile"),
    [
        ({"4096": 0.86, "8192": 0.57, "16384": 0.04}, 8192),
        ({"8192": 0.8, "16384": 0.05}, 16384),
        ({"3": 1.0, "-8": 1.0, "65536": 1.0, "x": 1.0}, 0),  # nobody has written such a file but by hand
        ({}, 0),
    ],
)
def test_tiles_are_seen_halved_from_where_a_training_ended(tmp_path: Path, rates: dict[str, float], tile: int) -> None:
    curve = (Point(100, 1000, 1.0, 500.0, {"16384": 1.0}), Point(200, 2000, 2.0, 500.0, rates))
    for rules, halved_from in ((Rules2048(), tile), (THREE, 0)):
        file = tmp_path / f"{rules.cols}.ntuple"
        write_network(file, rules, ((0, 1),), np.zeros(256, np.float32), Learnt(curve=curve))
        assert make_player(f"ntuple file={file}", rules).halved_from == halved_from  # type: ignore[attr-defined]
        assert make_player(f"ntuple file={file} downgrade=0", rules).halved_from == 0  # type: ignore[attr-defined]
    assert read_network(file).frontier == tile
    write_network(file, THREE, TUPLES, WEIGHTS, Learnt())
    assert read_network(file).frontier == 0


@pytest.mark.compiled
def test_the_network_of_the_package() -> None:
    """It plays at once, and well."""
    assert SHIPPED.stat().st_size < 2_000_000
    found = evaluate("ntuple", games=40, seed=1)
    assert found.mean_score > 75_000
