"""Thousands of in-a-row games at once, held to the reference implementation."""

import numpy as np
import pytest

from gridlab.core.bits import streams
from gridlab.core.errors import BadPlayer, IllegalMove
from gridlab.games import game
from gridlab.games.environment import draw_actions
from gridlab.inarow.environment.games import InARowGames
from gridlab.inarow.exact.states import positions
from tests.inarow.environment.reference import PlainInARowGames
from tests.inarow.reference import outcome

SMALL = ("3x3:3", "3x3:-3", "2x3:3-2", "3x3:1")
LARGE = ("3x4:4-3", "4x3:3", "5x5:4-3", "7x9:5")
SEEN = ("observations", "masks", "rewards", "ended")


def same(games: InARowGames, plain: PlainInARowGames) -> None:
    for name in SEEN:
        assert np.array_equal(getattr(games, name), getattr(plain, name)), name
    if games.same_step:
        assert np.array_equal(games.finals[games.ended], plain.finals[plain.ended])


@pytest.mark.parametrize(
    ("name", "every"), [("3x3:3", 17), ("2x3:3-2", 1), pytest.param("3x3:3", 1, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("same_step", [True, False])
def test_every_move_of_every_position(name: str, every: int, same_step: bool) -> None:
    """All positions that are not over or some of them, all cells, free or not, and then whatever comes next."""
    rules = game(name, "mnk")
    ongoing = [each for each in positions(rules) if each.outcome() is None][::every]
    pairs = [(position, cell) for position in ongoing for cell in range(rules.cells)]
    games = InARowGames(rules, len(pairs), same_step=same_step)
    plain = PlainInARowGames(rules, len(pairs), same_step=same_step)
    games.own[:], games.other[:] = [p.own for p, _ in pairs], [p.other for p, _ in pairs]
    for i, (position, _) in enumerate(pairs):
        plain.boards[i] = tuple((position.own >> c & 1) + 2 * (position.other >> c & 1) for c in range(rules.cells))
    for actions in (np.array([cell for _, cell in pairs]), np.arange(len(pairs)) % rules.cells):
        games.step(actions)
        plain.step(actions)
        same(games, plain)


@pytest.mark.parametrize("name", [*SMALL, *LARGE])
@pytest.mark.parametrize(("opponent", "side"), [(None, "X"), ("random", "X"), ("random", "O"), ("random", "random")])
@pytest.mark.parametrize("same_step", [True, False])
def test_games_by_chance(name: str, opponent: str | None, side: str, same_step: bool) -> None:
    rules = game(name, "mnk")
    number = 12 if rules.cells <= 25 else 4
    games = InARowGames(rules, number, opponent, side, same_step)
    plain = PlainInARowGames(rules, number, opponent is not None, side, same_step)
    games.reset(range(number))
    plain.reset(range(number))
    same(games, plain)
    chance, ends = np.random.default_rng(1), 0
    for step in range(40):
        actions = chance.integers(rules.cells, size=number)
        if step % 4:
            draw_actions(games.masks, streams(step, number), actions)
        games.step(actions)
        plain.step(actions)
        same(games, plain)
        ends += int(games.ended.sum())
    assert ends > 0


def test_rewards_are_results() -> None:
    """X wins: 1 for whoever laid the last stone; a full board brings nothing; an occupied cell loses."""
    games = InARowGames("tictactoe", 3, same_step=False)
    games.reset()
    for actions in ([0, 0, 4], [3, 1, 4]):
        games.step(np.array(actions))
    assert games.rewards.tolist() == [0, 0, -1]
    assert games.ended.tolist() == [False, False, True]
    for cells in ([1, 2], [4, 4], [2, 3]):  # the second game is a draw in the end
        games.step(np.array([cells[0], cells[1], 0]))
    assert games.rewards[0] == 1
    assert games.ended[0]
    for cell in (5, 7, 6, 8):
        games.step(np.array([0, cell, 0]))
    assert (games.rewards[1], games.ended[1]) == (0, True)
    assert games.position(1).outcome() is not None


def test_the_reference_agrees_with_the_rules() -> None:
    assert outcome(game("3x3:3", "mnk"), (1, 1, 1, 2, 2, 0, 0, 0, 0)) == "x_wins"
    games = InARowGames("squava", 2)
    assert str(games.position(1)) == "/".join(["....."] * 5)


def test_refusals() -> None:
    games = InARowGames("tictactoe", 3)
    games.reset([1, 2, 3])
    before = games.boards().copy()
    for wrong in (9, -1):
        with pytest.raises(IllegalMove, match=f"action {wrong} of game 1 is none of 0 to 8"):
            games.step(np.array([0, wrong, 0]))
    assert np.array_equal(games.boards(), before)  # nothing was done
    with pytest.raises(BadPlayer, match="'perfect' cannot play thousands of games at once"):
        InARowGames("tictactoe", 3, opponent="perfect")
    with pytest.raises(BadPlayer, match="'Y' is not a side"):
        InARowGames("tictactoe", 3, side="Y")
