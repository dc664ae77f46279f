"""What every in-a-row game must obey, as functions that any test can call."""

from functools import cache
from itertools import product

from gridlab.games.mnk import reference
from gridlab.games.mnk.position import Position
from gridlab.games.mnk.rules import Rules
from gridlab.games.symmetry import symmetries


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


def check_position(position: Position) -> None:
    """The laws of one legal position."""
    check_moves(position)
    check_text(position)
    check_symmetry(position)
    assert position.flaw() is None
    assert position.swap_colours().swap_colours() == position


def check_moves(position: Position) -> None:
    moves = position.moves()
    assert moves == sorted(set(moves))
    assert (position.outcome() is None) == bool(moves)
    for move in moves:
        child = position.play(move)
        assert child.ply == position.ply + 1
        assert child.to_move != position.to_move
        assert child.values[move] == "_XO".index(position.to_move)
        assert child.flaw() is None


def check_text(position: Position) -> None:
    assert Position.parse(str(position), position.rules) == position
    assert Position.unpack(position.packed, position.rules) == position
    assert Position.of_values(position.values, position.rules) == position


def check_symmetry(position: Position) -> None:
    best, to_best = position.canonical()
    assert position.image(to_best) == best
    assert best.image(to_best.inverse) == position
    for symmetry in symmetries(position.rules.rows, position.rules.cols):
        image = position.image(symmetry)
        assert best.values <= image.values
        assert image.key == position.key
        assert image.outcome() == position.outcome()
        assert sorted(map(symmetry.move, position.moves())) == image.moves()
