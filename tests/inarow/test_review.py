"""A played game, held to the truth."""

import pytest

from gridlab import Budget, Oracle, Position, game
from gridlab.arena.session import replay
from gridlab.inarow.questions import Review, review

RULES = game("tictactoe")


def reviewed(*moves: str, budget: Budget | None = None) -> Review:
    cells = [Position(RULES).parse_move(move) for move in moves]
    history = [replay(cells[:number], RULES) for number in range(len(cells) + 1)]
    return review(history, cells, Oracle(RULES, budget=budget, search_only=True).ask)


def test_blunders_are_found_where_they_were_made() -> None:
    found = reviewed("22", "12", "11", "33", "21", "31", "13")
    assert [step.solution.value for step in found.steps[:4]] == ["draw", "draw", "win", "loss"]
    o = found.scorecard("O")
    assert (o.decisions, o.kept, o.blunders, o.accuracy) == (1, 0, (1,), 0.0)
    answer = found.steps[1].answer
    assert answer is not None
    assert answer.kind == "draw->loss"


def test_a_perfect_game_has_none() -> None:
    found = reviewed("22", "11", "33", "13", "12", "32", "21", "23", "31")
    for side in "XO":
        card = found.scorecard(side)
        assert card.blunders == ()
        assert card.accuracy in (None, 1.0)
    assert found.steps[-1].move is None


def test_moves_that_change_nothing_are_no_decisions() -> None:
    found = reviewed("22")
    assert found.steps[0].answer is None  # every first move draws
    assert found.scorecard("X").accuracy is None


def test_nothing_is_said_where_the_truth_is_not_known() -> None:
    found = reviewed("22", "12", budget=Budget(nodes=1))
    assert {step.solution.value for step in found.steps} == {"unknown"}
    assert found.scorecard("O").decisions == 0


@pytest.mark.parametrize("side", ["X", "O"])
def test_an_empty_game_has_nothing_to_say(side: str) -> None:
    assert reviewed().scorecard(side).decisions == 0
