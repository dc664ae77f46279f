"""Thousands of games of 2048 at once, held to the reference implementation."""

import numpy as np
import pytest

from gridlab.core.bits import streams
from gridlab.core.errors import BadRules, IllegalMove
from gridlab.game2048.environment.games import Games2048, moving_rows
from gridlab.game2048.exact.probe import Tablebase2048
from gridlab.game2048.kernels import unpack
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import slide
from gridlab.games import game
from gridlab.games.environment import draw_actions
from tests.game2048.environment.plain import PlainGames2048

SEEN = ("observations", "masks", "rewards", "ended", "states")


def same(games: Games2048, plain: PlainGames2048) -> None:
    for name in SEEN:
        assert np.array_equal(getattr(games, name), getattr(plain, name)), name
    if games.same_step:
        assert np.array_equal(games.finals[games.ended], plain.finals[plain.ended])


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "every"), [("2048:2x2", 1), ("2048:2x3", 61), pytest.param("2048:2x3", 9, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("same_step", [True, False])
def test_every_move_of_every_board(name: str, every: int, same_step: bool) -> None:
    """All boards of a solved game or some of them, all directions, and then whatever comes next."""
    table = Tablebase2048(name)
    boards = np.concatenate([table.boards(total) for total in table.file.layers])[::every]
    packed = np.repeat(boards, 4)
    games, plain = Games2048(name, len(packed), same_step), PlainGames2048(table.rules, len(packed), same_step)
    for each in (games, plain):
        each.states[:] = np.arange(len(packed), dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    games.packed[:] = packed
    plain.boards = [Position2048.unpack(int(board), rules=table.rules).tiles for board in packed]
    for turn in range(2):
        actions = (np.arange(len(packed)) + turn) % 4
        games.step(actions)
        plain.step(actions)
        same(games, plain)


@pytest.mark.parametrize("name", ["2048", "2048:4x4:0.5", "2048:3x3", "2048:2x4", "2048:4x3"])
@pytest.mark.parametrize("same_step", [True, False])
def test_games_by_chance(name: str, same_step: bool) -> None:
    rules, number = game(name, "2048"), 8
    games, plain = Games2048(rules, number, same_step), PlainGames2048(rules, number, same_step)
    games.reset(range(number))
    plain.reset(range(number))
    same(games, plain)
    chance, ends = np.random.default_rng(1), 0
    for step in range(120):
        actions = chance.integers(4, size=number)
        if step % 4:
            draw_actions(games.masks, streams(step, number), actions)
        games.step(actions)
        plain.step(actions)
        same(games, plain)
        ends += int(games.ended.sum())
    assert ends > 0 or rules.cells > 9


@pytest.mark.parametrize("walled", [False, True])
def test_which_rows_can_slide(walled: bool) -> None:
    """Rows of four cells; in those with walls the 15s at the end stand still."""
    table = moving_rows(walled)
    for row in range(0, 1 << 16, 1 if not walled else 13):
        tiles = unpack(row, 4)
        if not walled:
            left, right = slide(tiles, 32768)[0], slide(tiles[::-1], 32768)[0][::-1]
            assert table[row] == (left != tiles) + 2 * (right != tiles)
        elif row >> 12 == 15 and 32768 not in tiles[:3]:
            left, right = slide(tiles[:3], 16384)[0], slide(tiles[2::-1], 16384)[0][::-1]
            assert table[row] == (left != tiles[:3]) + 2 * (right != tiles[:3])


def test_refusals() -> None:
    games = Games2048("2048", 3)
    games.reset([1, 2, 3])
    before = games.packed.copy()
    for wrong in (4, -1):
        with pytest.raises(IllegalMove, match=f"action {wrong} of game 2 is none of 0 to 3"):
            games.step(np.array([0, 1, wrong]))
    assert np.array_equal(games.packed, before)
    with pytest.raises(BadRules, match="boards of up to 4x4 cells"):
        Games2048("2048:5x5", 3)
