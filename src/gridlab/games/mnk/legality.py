"""Which pairs of bitboards are positions of a game, and why the others are not.

A position is legal when some game leads to it. Sets without a line stay so when stones are removed, hence any
line-free position with the right counts can be reached. A finished game must have been ended by its last move:
the stone just placed lies on *every* completed line of its player, and the other player has none.
"""

from enum import Enum
from functools import reduce

from gridlab.core.arguments import told, whole
from gridlab.core.errors import BadNotation
from gridlab.games.mnk.rules import Rules
from gridlab.games.registry import game


class Flaw(Enum):
    """Why a pair of bitboards is not a legal position."""

    OUTSIDE = "there are stones outside the board"
    OVERLAP = "a cell holds both X and O"
    TOO_MANY_NOUGHTS = "there are more noughts than crosses, but X moves first"
    TOO_MANY_CROSSES = "there are too many crosses: at most one more than noughts"
    TWO_WINNERS = "both players have completed a line, but the first ends the game"
    PLAY_AFTER_WIN = "play went on after the game was over: the player who did not move last has completed a line"
    NO_LAST_MOVE = "no single last move explains the lines: they have no cell in common"


def find_board_flaw(crosses: int, noughts: int, rules: Rules) -> Flaw | None:
    """Why no board can show these stones at all, or None if one can."""
    if (crosses | noughts) >> rules.cells:  # also of a negative number
        return Flaw.OUTSIDE
    return Flaw.OVERLAP if crosses & noughts else None


def find_flaw(crosses: int, noughts: int, rules: Rules | str) -> Flaw | None:
    """The first reason why no game leads to these stones, or None if one does."""
    if type(crosses) is not int or type(noughts) is not int:
        crosses, noughts = bitboard(crosses), bitboard(noughts)
    if not isinstance(rules, Rules):
        rules = game(rules, "mnk")
    if flaw := find_board_flaw(crosses, noughts, rules):
        return flaw
    surplus = crosses.bit_count() - noughts.bit_count()
    if surplus < 0:
        return Flaw.TOO_MANY_NOUGHTS
    if surplus > 1:
        return Flaw.TOO_MANY_CROSSES
    return _find_line_flaw(*((crosses, noughts) if surplus else (noughts, crosses)), rules)


def bitboard(stones: object) -> int:
    """A set of cells as an int, from a whole number of any kind."""
    if (number := whole(stones)) is None:
        raise BadNotation(f"stones are a whole number, bit i for cell i, not {told(stones)}")
    return number


def _find_line_flaw(mover: int, other: int, rules: Rules) -> Flaw | None:
    by_mover, by_other = completed_lines(mover, rules), completed_lines(other, rules)
    if by_mover and by_other:
        return Flaw.TWO_WINNERS
    if by_other:
        return Flaw.PLAY_AFTER_WIN
    if by_mover and not reduce(int.__and__, by_mover):
        return Flaw.NO_LAST_MOVE
    return None


def completed_lines(stones: int, rules: Rules) -> list[int]:
    """The winning and losing lines that these stones fill, as bitboards."""
    return [line for line in rules.winning_lines + rules.losing_lines if stones & line == line]
