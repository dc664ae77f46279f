"""Small boards of 2048 by layers, against plain search from the start: every board, every value, every count."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from gridlab.game2048.exact.build import build_tablebase2048
from gridlab.game2048.exact.layers import Solver, board_of, make_layers, starts_of
from gridlab.game2048.exact.probe import Tablebase2048
from gridlab.game2048.kernels import Boards, pack_board, smallest_images
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import DIRECTIONS, Board, Rules2048, move
from tests.game2048.exact import reference

GAMES = [
    ("2048:2x2", 0), ("2048:2x2", 16), ("2048:2x2", 8), ("2048:2x2:0", 0), ("2048:2x2:1", 0), ("2048:2x2:0.5", 32),
    pytest.param("2048:2x3", 0, marks=[pytest.mark.compiled, pytest.mark.long]),
    pytest.param("2048:3x2:0.25", 16, marks=pytest.mark.compiled),
    pytest.param("2048:3x2:0.25", 64, marks=[pytest.mark.compiled, pytest.mark.long]),
]  # fmt: skip


@cache
def truth(text: str, tile: int) -> reference.Truth:
    return reference.solve(Rules2048.parse(text), tile)


def smallest(boards: list[Board], rules: Rules2048) -> Boards:
    game = board_of(rules)
    return smallest_images(np.array([pack_board(each, rules) for each in boards], np.uint64), game.mirror, game.shape)


@pytest.mark.parametrize(("text", "tile"), GAMES)
def test_every_board_and_every_value(text: str, tile: int, tmp_path: Path) -> None:
    rules, plain = Rules2048.parse(text), truth(text, tile)
    build_tablebase2048(rules, tmp_path / "t.tb", tile or "score", workers=1)
    table = Tablebase2048(tmp_path / "t.tb")
    stored = {
        int(board): value
        for total in table.file.layers
        for board, value in zip(*(each.tolist() for each in table.layer(total)), strict=True)
    }
    for board, value in zip(smallest(list(plain.afterstates), rules).tolist(), plain.afterstates.values(), strict=True):
        assert stored[board] == pytest.approx(value, rel=1e-12, abs=1e-12)
    assert len(set(smallest(list(plain.afterstates), rules).tolist())) == len(stored)
    images = smallest(list(plain.boards), rules)
    sums = np.array([sum(board) for board in plain.boards])
    for total, layer in table.file.layers.items():
        assert np.unique(images[sums == total]).tolist() == table.boards(total).tolist()
        assert layer.boards == len(np.unique(images[sums == total]))
    assert table.mean == pytest.approx(plain.mean, rel=1e-12)


@pytest.mark.parametrize(("text", "tile"), GAMES[:6])
def test_what_directions_are_worth(text: str, tile: int, tmp_path: Path) -> None:
    rules, plain = Rules2048.parse(text), truth(text, tile)
    build_tablebase2048(rules, tmp_path / "t.tb", tile or "score", workers=1)
    table = Tablebase2048(tmp_path / "t.tb")
    for board, value in plain.boards.items():
        probe = table.probe(Position2048(board, 0, rules))
        assert list(probe.values) == probe.position.moves()
        assert probe.value == pytest.approx(value, rel=1e-12, abs=1e-12)
        for direction, worth in probe.values.items():
            after = probe.position.play(direction)
            won = tile and tile in after.tiles
            wanted = 1.0 if won else plain.afterstates[after.tiles] + (0 if tile else after.score)
            assert worth == pytest.approx(wanted, rel=1e-12, abs=1e-12)


def test_published_counts_of_2x2() -> None:
    """110 boards; 16 is reached with 0.9625."""
    layers = list(make_layers(Rules2048(2, 2)))
    assert sum(layer.boards for layer in layers) == 110
    assert sum(len(layer.afterstates) for layer in layers) == 67
    assert truth("2048:2x2", 16).mean == pytest.approx(0.9625112537500)


def test_the_largest_score_of_2x2_is_180() -> None:
    """The best that chance can bring: only fours, and the best of all new tiles."""

    def best(position: Position2048) -> int:
        worth = [0]
        for direction in position.moves():
            after = position.play(direction)
            boards = [
                Position2048((*after.tiles[:cell], tile, *after.tiles[cell + 1 :]), 0, position.rules)
                for cell in range(4)
                if after.tiles[cell] == 0
                for tile in (2, 4)
            ]
            worth += [after.score + max(known(board) for board in boards)]
        return max(worth)

    @cache
    def known(position: Position2048) -> int:
        return best(position)

    rules = Rules2048(2, 2)
    starts = [
        Position2048.parse(text, rules) for text in ("2 2/. .", "2 ./. 2", "2 4/. .", "2 ./. 4", "4 4/. .", "4 ./. 4")
    ]
    assert max(known(start) for start in starts) == 180


@pytest.mark.parametrize("rules", [Rules2048(2, 2), Rules2048(3, 3), Rules2048(3, 4, 0.5)], ids=str)
def test_starts(rules: Rules2048) -> None:
    starts = starts_of(rules)
    twos, fours = (each / sum(rules.odds) for each in rules.odds)
    assert {total: float(each.shares.sum()) for total, each in starts.items()} == pytest.approx(
        {4: twos**2, 6: 2 * twos * fours, 8: fours**2}
    )


@pytest.mark.compiled
@pytest.mark.parametrize("text", ["2048:2x4", "2048:3x3"])
def test_slices_change_nothing(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Layers and sums by one worker and by three, for the first sums of larger boards."""
    rules = Rules2048.parse(text)
    alone = list(make_layers(rules, most=40, workers=1))
    monkeypatch.setattr("gridlab.game2048.exact.layers.ALONE", 1)
    shared = list(make_layers(rules, most=40, workers=3))
    for one, other in zip(alone, shared, strict=True):
        assert one[:3] == other[:3]
        assert np.array_equal(one.afterstates, other.afterstates)
    sums = []
    for workers in (1, 3):
        solver, last = Solver(rules, workers=workers), alone[-1]
        values = np.arange(len(last.afterstates), dtype=np.float64)
        solver.add(last.sum, last.afterstates, values, alone[-2].afterstates, alone[-3].afterstates)
        sums.append((solver.twos[last.sum - 2], solver.fours[last.sum - 4]))
    assert all(np.array_equal(one, other) for one, other in zip(*sums, strict=True))


@pytest.mark.compiled
def test_other_shapes_agree_with_their_transposes(tmp_path: Path) -> None:
    counts = []
    for text in ("2048:2x3", "2048:3x2"):
        build_tablebase2048(text, tmp_path / "t.tb", workers=1)
        table = Tablebase2048(tmp_path / "t.tb")
        counts.append([(each.sum, each.boards, each.over, each.afterstates) for each in table.file.directory.layers])
        assert table.mean == pytest.approx(480.2582717759582)
    assert counts[0] == counts[1]
    assert sum(boards for _, boards, _, _ in counts[0]) == 21_752


def plainly_reached(rules: Rules2048, most: int) -> set[Board]:
    """Every board to move whose tiles add up to at most that, by search from the starts."""
    waiting = [
        each for _, one in reference.new_tiles(rules, (0,) * rules.cells) for _, each in reference.new_tiles(rules, one)
    ]
    found = set(waiting)
    while waiting:
        board = waiting.pop()
        for direction in DIRECTIONS:
            after, _ = move(rules, board, direction)
            new = {each for _, each in reference.new_tiles(rules, after)} if after != board else set()
            fresh = {each for each in new - found if sum(each) <= most}
            found |= fresh
            waiting += fresh
    return found


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("2048:4x3", 10),
        ("2048:3x4", 8),
        ("2048:4x2", 14),
        pytest.param("2048:4x3", 12, marks=pytest.mark.long),
        pytest.param("2048:3x4", 12, marks=pytest.mark.long),
        pytest.param("2048:4x2", 16, marks=pytest.mark.long),
    ],
)
def test_boards_of_more_cells_by_sum(text: str, most: int) -> None:
    """What a table up to a sum holds, sum by sum, on boards that cannot be solved whole or not quickly."""
    rules = Rules2048.parse(text)
    boards = list(plainly_reached(rules, most))
    images, sums = smallest(boards, rules), np.array([sum(board) for board in boards])
    counted = {total: len(np.unique(images[sums == total])) for total in np.unique(sums).tolist()}
    assert {layer.sum: layer.boards for layer in make_layers(rules, 0, most)} == counted


PUBLISHED = [  # boards to move up to symmetry: Yamashita, Kaneko, Nakayashiki (3x3); others by a second program, in C++
    ("2048", 8, 0, 84_660),
    ("2048", 0, 24, 67_104),
    pytest.param("2048", 16, 0, 23_483_970, marks=pytest.mark.long),
    pytest.param("2048:2x4", 0, 0, 4_980_767, marks=pytest.mark.long),
]


@pytest.mark.compiled
@pytest.mark.parametrize(("text", "tile", "most", "boards"), PUBLISHED)
def test_published_counts_of_larger_boards(text: str, tile: int, most: int, boards: int) -> None:
    """4x4 stopped at the first 8 and 16, and up to a sum of tiles; 2x4 whole."""
    layers = make_layers(Rules2048.parse(text), tile, most)
    assert sum(layer.boards for layer in layers) == boards


GOLDEN_3X3 = 48_713_519, 31_431_374, 5469.2140701


@pytest.mark.long
def test_3x3_whole(tmp_path: Path) -> None:
    """48,713,519 boards to move, 31,431,374 after a move; 5469.21 from a start with two 2s."""
    build_tablebase2048("2048:3x3", tmp_path / "3x3.tb")
    table = Tablebase2048(tmp_path / "3x3.tb")
    layers = table.file.directory.layers
    assert (sum(each.boards for each in layers), sum(each.afterstates for each in layers)) == GOLDEN_3X3[:2]
    assert sum(each.over for each in layers) == 7_388_502
    assert table.probe(Position2048.parse("2 2 ./. . ./. . .", table.rules)).value == pytest.approx(GOLDEN_3X3[2])
    assert (tmp_path / "3x3.tb").stat().st_size < 200_000_000
