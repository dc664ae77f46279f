"""Moves for training: every format, symmetries by the rules, whole games, loaders with workers, files beside."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from gridlab.core.errors import BadNotation, CorruptFile, FileTrouble
from gridlab.game2048.datasets.files import export_games
from gridlab.game2048.datasets.generate import generate
from gridlab.game2048.datasets.moves import Games, Moves2048, moves_of, open_moves
from gridlab.game2048.datasets.settings import make_settings
from gridlab.game2048.kernels import image, image_of, mirror_table, pack_board, shape_of, unpack_board
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import DIRECTIONS, Rules2048
from tests.game2048.datasets.by_hand import game_by_hand

NAMES = ("board", "direction", "legal", "score", "remaining", "phase")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some games by hand, in every format."""
    folder = tmp_path_factory.mktemp("moves")
    path = folder / "games.jsonl"
    path.write_text("".join(json.dumps(game_by_hand(state)) + "\n" for state in range(5)))
    for form in ("json", "csv", "npz"):
        export_games(path, form)
    return folder


@pytest.mark.parametrize("form", ["json", "csv", "npz"])
def test_every_format_has_the_same_moves(folder: Path, form: str) -> None:
    moves, others = Moves2048(folder / "games.jsonl"), Moves2048(folder / f"games.{form}")
    assert len(others) == len(moves) > 0
    for name, column in moves[range(len(moves))].items():
        assert (others[range(len(moves))][name] == column).all()


@pytest.mark.compiled
@pytest.mark.parametrize(("form", "library"), [("parquet", "pyarrow"), ("hdf5", "h5py")])
def test_formats_of_libraries(folder: Path, form: str, library: str) -> None:
    pytest.importorskip(library)
    path, _ = export_games(folder / "games.jsonl", form)
    moves, others = Moves2048(folder / "games.jsonl"), Moves2048(path)
    assert (others[range(len(moves))]["board"] == moves[range(len(moves))]["board"]).all()


def test_an_item_is_a_move_of_its_game(folder: Path) -> None:
    moves, games = Moves2048(folder / "games.jsonl"), Games(folder / "games.jsonl")
    number = 0
    for game in games:
        for i in range(game.moves):
            item, position = moves[number], Position2048.unpack(int(game.boards[i]))
            assert tuple(item) == NAMES
            assert item["board"].shape == (4, 4)
            tiles = tuple(1 << each if each else 0 for each in item["board"].ravel().tolist())
            assert tiles == position.tiles
            assert item["direction"] == game.directions[i]
            assert [DIRECTIONS[each] for each in np.flatnonzero(item["legal"])] == position.moves()
            assert item["score"] == game.scores[i]
            assert item["remaining"] == game.final_score - game.scores[i]
            assert item["phase"] == sum(max(tiles) >= tile for tile in (256, 1024, 4096))
            number += 1
    assert number == len(moves)
    assert moves[-1]["score"] == moves[number - 1]["score"]
    with pytest.raises(IndexError, match="moves, numbered from 0"):
        moves[number]


@pytest.mark.parametrize("text", ["2048", "2048:3x3", "2048:2x3", "2048:3x4"])
def test_symmetries_map_boards_and_directions_together(text: str) -> None:
    """A move, then the image, is the image, then the image of the move: by the readable rules."""
    rules, random = Rules2048.parse(text), np.random.default_rng(1)
    mirror, shape = mirror_table(rules), shape_of(rules)
    for _ in range(40):
        exponents = random.integers(0, 5, rules.cells)
        tiles = tuple(int(1 << each) if each else 0 for each in exponents)
        board = np.uint64(pack_board(tiles, rules))
        position = Position2048(tiles, 0, rules)
        images = set()
        for symmetry in range(8 if rules.rows == rules.cols else 4):
            seen = image(board, symmetry, mirror, shape)
            images.add(int(seen))
            there = Position2048(unpack_board(int(seen), rules), 0, rules)
            grid = np.array(tiles).reshape(rules.rows, rules.cols)
            grid = grid[:, ::-1] if symmetry & 1 else grid
            grid = grid[::-1] if symmetry & 2 else grid
            grid = grid.T if symmetry & 4 else grid
            assert there.tiles == tuple(grid.ravel().tolist())
            for number, direction in enumerate(DIRECTIONS):
                mapped = DIRECTIONS[image_of(number, symmetry)]
                assert (direction in position.moves()) == (mapped in there.moves())
                if direction in position.moves():
                    after = np.uint64(pack_board(position.play(direction).tiles, rules))
                    seen_after = image(after, symmetry, mirror, shape)
                    assert unpack_board(int(seen_after), rules) == there.play(mapped).tiles
                    assert position.play(direction).score == there.play(mapped).score
        assert len(images) <= 8


def test_symmetries_hang_on_seed_epoch_and_number_alone(folder: Path) -> None:
    plain = Moves2048(folder / "games.jsonl")
    moves = Moves2048(folder / "games.jsonl", symmetries=True, seed=3)
    first = moves[range(100)]
    assert (moves[range(50, 100)]["board"] == first["board"][50:]).all()
    assert (first["board"] != plain[range(100)]["board"]).any()
    assert (np.sort(first["board"].reshape(100, 16)) == np.sort(plain[range(100)]["board"].reshape(100, 16))).all()
    for board, direction, legal in zip(first["board"], first["direction"], first["legal"], strict=True):
        tiles = tuple(1 << each if each else 0 for each in board.ravel().tolist())
        names = [DIRECTIONS[each] for each in np.flatnonzero(legal)]
        assert names == Position2048(tiles).moves()
        assert DIRECTIONS[direction] in names
    moves.set_epoch(1)
    assert (first["board"] != moves[range(100)]["board"]).any()
    assert (moves.seen(False)[range(100)]["board"] == plain[range(100)]["board"]).all()


def test_parts_are_whole_games(folder: Path) -> None:
    moves = Moves2048(folder / "games.jsonl", folder / "games.csv")
    assert len(moves.games) == 10
    parts = moves.split(0.5, 0.3, 0.2, seed=4)
    assert [len(part.games) for part in parts] == [5, 3, 2]
    owners = [set(map(tuple, part.games.tolist())) for part in parts]
    assert set.union(*owners) == set(map(tuple, moves.games.tolist()))
    assert sum(len(part) for part in parts) == len(moves)
    part = parts[1]
    wanted = np.concatenate([
        moves.part([place])[range(len(moves.part([place])))]["remaining"]
        for place, game in enumerate(moves.games.tolist()) if tuple(game) in owners[1]
    ])  # fmt: skip
    assert (part[range(len(part))]["remaining"] == wanted).all()
    with pytest.raises(BadNotation, match="add up to 1"):
        moves.split(0.5, 0.2)


@pytest.mark.parametrize("early", [0.0, 0.5, 1.0])
def test_early_moves_are_drawn_as_often_as_said(folder: Path, early: float) -> None:
    """The n-th move of a game is drawn as n to the power of -early, whichever game it is of."""
    moves = Moves2048(folder / "games.jsonl", folder / "games.csv").part([1, 3, 8])
    lengths = [len(moves.part([place])) for place in range(3)]
    weights = np.concatenate([[(number + 1) ** -early for number in range(length)] for length in lengths])
    drawn = moves.draw(200_000, early, np.random.default_rng(3))
    found = np.bincount(drawn, minlength=len(moves))
    expected = 200_000 * weights / weights.sum()
    assert len(found) == len(moves)
    assert ((found - expected) ** 2 / expected).sum() < len(moves) + 5 * (2 * len(moves)) ** 0.5


@pytest.mark.compiled
def test_loaders_take_it_as_it_stands(folder: Path) -> None:
    torch = pytest.importorskip("torch")
    moves = Moves2048(folder / "games.jsonl", symmetries=True)
    alone = list(torch.utils.data.DataLoader(moves, batch_size=64))
    assert alone[0]["board"].shape == (64, 4, 4)
    assert alone[0]["legal"].dtype == torch.bool
    assert sum(len(batch["direction"]) for batch in alone) == len(moves)
    shared = list(torch.utils.data.DataLoader(moves, batch_size=64, num_workers=2))
    assert all(torch.equal(one[name], other[name]) for one, other in zip(alone, shared, strict=True) for name in NAMES)
    subset = torch.utils.data.Subset(moves, [5, 1, 9])
    (batch,) = torch.utils.data.DataLoader(subset, batch_size=3)
    assert batch["score"].tolist() == [int(moves[each]["score"]) for each in (5, 1, 9)]
    chosen = torch.utils.data.BatchSampler(range(10), 5, drop_last=False)
    first, _ = torch.utils.data.DataLoader(moves, batch_size=None, sampler=chosen)
    assert torch.equal(first["board"], alone[0]["board"][:5])
    assert torch.equal(moves.collate([moves[0], moves[1]])["board"], alone[0]["board"][:2])


def test_it_travels_by_the_place_of_its_columns(folder: Path) -> None:
    moves = Moves2048(folder / "games.jsonl", symmetries=True, seed=2)
    text = pickle.dumps(moves)
    assert len(text) < 5000
    assert (pickle.loads(text)[range(50)]["board"] == moves[range(50)]["board"]).all()


def test_smaller_boards(tmp_path: Path) -> None:
    path = tmp_path / "small.jsonl"
    generate("2048:2x3", path, 2, settings=make_settings(seed=1, player="random", rules="2048:2x3"))
    moves = Moves2048(path, symmetries=True)
    assert moves[0]["board"].shape == (2, 3)
    for item in (moves[number] for number in range(len(moves))):
        tiles = tuple(1 << each if each else 0 for each in item["board"].ravel().tolist())
        legal = Position2048(tiles, 0, Rules2048.parse("2048:2x3")).moves()
        assert [DIRECTIONS[each] for each in np.flatnonzero(item["legal"])] == legal
    with pytest.raises(BadNotation, match="no batch holds both"):
        Moves2048(path, _written(tmp_path / "large.jsonl", 1))


def _written(path: Path, games: int) -> Path:
    path.write_text("".join(json.dumps(game_by_hand(state)) + "\n" for state in range(games)))
    return path


def test_columns_that_do_not_fit_are_made_anew(tmp_path: Path) -> None:
    path = _written(tmp_path / "games.jsonl", 2)
    count, place = len(Moves2048(path)), moves_of(path)
    made, content = place.stat().st_mtime_ns, place.read_bytes()
    assert len(Moves2048(path)) == count
    assert place.stat().st_mtime_ns == made  # not made twice
    for damaged in (content[:-1], content[:200] + b"\xff" + content[201:], content[:-9] + bytes(9), b""):
        place.write_bytes(damaged)
        assert len(Moves2048(path)) == count
        assert place.read_bytes() == content
    _written(path, 3)
    assert len(Moves2048(path).games) == 3


def test_what_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    path = _written(tmp_path / "games.jsonl", 2)
    moves_of(path).write_text("my moves")
    moves = Moves2048(path)
    assert len(moves.games) == 2
    assert (pickle.loads(pickle.dumps(moves))[[0]]["board"] == moves[[0]]["board"]).all()
    assert moves_of(path).read_text() == "my moves"


def test_a_move_that_is_not_legal_is_refused(tmp_path: Path) -> None:
    record = game_by_hand(1)
    wrong = next(i for i, move in enumerate(record["moves"]) if len(_legal(move["board"])) < 4)
    board = record["moves"][wrong]["board"]
    record["moves"][wrong]["direction"] = next(each for each in DIRECTIONS if each not in _legal(board))
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps(record) + "\n")
    with pytest.raises(CorruptFile, match=rf"game 1, move {wrong + 1}: the move changes nothing"):
        Moves2048(path)
    assert not moves_of(path).exists()


def _legal(board: list[list[int]]) -> list[str]:
    return Position2048(tuple(tile for row in board for tile in row)).moves()


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileTrouble, match="cannot be read"):
        Moves2048(tmp_path / "nothing.jsonl")
    with pytest.raises(FileTrouble, match="does not say its format"):
        open_moves(tmp_path / "nothing.txt")
    with pytest.raises(BadNotation, match="no file of games was named"):
        Moves2048()
