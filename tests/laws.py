"""What in-a-row games obey besides the laws of every game, and the rule sets to try it on."""

from functools import cache
from itertools import product

import numpy as np

from gridlab.games import laws
from gridlab.games.grid import Symmetry, symmetries
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules
from tests.inarow import reference


def all_rules(max_rows: int, max_cols: int) -> list[Rules]:
    """Every rule set on every board up to this size: all winning, losing and misère lengths."""
    return [
        Rules(rows, cols, win, lose)
        for rows, cols in product(range(1, max_rows + 1), range(1, max_cols + 1))
        for win in [None, *range(1, max(rows, cols) + 1)]
        for lose in [None, *range(1, win or max(rows, cols) + 1)]
        if win or lose
    ]


played = cache(reference.positions_by_play)


RANDOM = np.random.default_rng(0)  # no law of an in-a-row game hangs on chance


def check_position(position: Position) -> None:
    """The laws of one legal position: those of every game, and what only in-a-row games have."""
    laws.check_position(position, RANDOM)
    assert position.moves() == sorted(position.moves())
    for move in position.moves():
        child = position.play(move)
        assert child.ply == position.ply + 1
        assert child.to_move != position.to_move
        assert child.values[move] == "_XO".index(position.to_move)
        assert child.flaw() is None
    assert Position.unpack(position.packed, position.rules) == position
    assert Position.of_values(position.values, position.rules) == position
    assert all(position.canonical()[0].values <= position.image(each).values for each in position_symmetries(position))
    assert position.flaw() is None
    assert position.swap_colours().swap_colours() == position


def position_symmetries(position: Position) -> tuple[Symmetry, ...]:
    return symmetries(position.rules.rows, position.rules.cols)
