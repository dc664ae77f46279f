"""In-a-row games in the terminal: what is special about their boards."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gridlab.arena import terminal
from gridlab.core import draw as colour
from gridlab.inarow.exact.oracle import Oracle
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules
from gridlab.inarow.solution import Solution

HOW = "{move:<9} play there: row, then column, both from 1; {row_col} is the same"


@dataclass
class Conversation(terminal.Conversation):
    """Moves are cells; boards show the last of them, and what each is worth."""

    WHO_SAYS = "; dqn-minimax does"

    @classmethod
    def oracle(cls, rules: Rules, tablebase: Path | None) -> Callable[[Position], Solution]:
        return Oracle(rules, tablebase=tablebase).ask

    def board(self) -> str:
        """The board, its last move marked where there is colour."""
        session = self.session
        last = divmod(session.moves[-1], session.rules.cols) if session.moves else None
        return colour.boards(session.position.draw(), last)

    def ending(self) -> str:
        return ending_text(self.session.position)

    def values_text(self, found: Solution) -> str:
        return found.board()

    def refusal(self, move: str) -> str:
        return f"{move} is occupied; moves lists the free cells"

    def help_text(self) -> str:
        rules, position = self.session.rules, self.session.position
        row, col = divmod(rules.cells - 1, rules.cols)
        how = HOW.format(move=position.move_text(rules.cells - 1), row_col=f"{row + 1},{col + 1}")
        return terminal.HELP.format(how=how, moves="free cells")


def ending_text(position: Position) -> str:
    """How a game has ended by its rules: "X wins with 3 in a row"."""
    winner, rules = position.winner, position.rules
    if winner is None:
        return "the board is full: a draw"
    if winner != position.to_move:
        return f"{winner} wins with {rules.win} in a row"
    mover = "O" if winner == "X" else "X"
    return f"{mover} has {rules.lose} in a row, which loses: {winner} wins"
