"""Every error that gridlab raises on purpose.

GridlabError                    a sentence for the user: what, why, what instead
├── BadRules                    a game that cannot be ("5x5:9")
├── BadNotation                 text that is not a board, a move or a list of cells
├── IllegalPosition             stones that no game leads to; `.flaw` names the reason
├── IllegalMove                 an occupied cell, or the game is over
├── BadPlayer                   text that is not a player, or a setting it does not take
├── PlayerFault                 a player whose answer is wrong, late or missing
│   ├── WrongAnswer             an answer that is not a legal move; `.answer` holds it
│   └── Resigned                the player resigns
├── TooLarge                    more cells or more positions than the method can take
├── ClusterTrouble              a cluster that cannot be reached, or whose workers are not fit for the work
├── MissingExtra                an optional library that is not installed
└── FileTrouble                 a file that cannot be read or written
    └── CorruptFile             a file that is damaged, or not of the expected kind
"""

from typing import Any

LONGEST = 1500  # characters of a sentence; one that quotes a file or an argument may be longer


class GridlabError(ValueError):
    """What is wrong, why, and what would be right, in one sentence."""

    def __str__(self) -> str:
        said = str(self.args[0]) if self.args else ""
        return said if len(said) <= LONGEST else f"{said[: LONGEST // 2]} … {said[-LONGEST // 3 :]}"


class BadRules(GridlabError):
    """Rules that make no game, such as "5x5:9"."""


class BadNotation(GridlabError):
    """Text or a number that cannot be understood as what was asked for: a board, a move, a list of cells."""


class IllegalPosition(GridlabError):
    """A position that no game leads to; `.flaw` names the reason."""

    def __init__(self, message: str, flaw: Any) -> None:
        super().__init__(message, flaw)  # both, so that it can be pickled
        self.flaw = flaw


class IllegalMove(GridlabError):
    """A move to an occupied cell, or after the end of the game."""


class BadPlayer(GridlabError):
    """Text that does not name a player, or a setting that the player does not take."""


class PlayerFault(GridlabError):
    """A player whose answer is wrong, late or missing."""


class WrongAnswer(PlayerFault):
    """An answer that is not a legal move; `.answer` holds it."""

    def __init__(self, message: str, answer: str = "") -> None:
        super().__init__(message, answer)  # both, so that it can be pickled
        self.answer = answer


class Resigned(PlayerFault):
    """A player that resigns."""


class TooLarge(GridlabError):
    """More cells or more positions than the method can handle."""


class FileTrouble(GridlabError):
    """A file that cannot be read or written."""


class CorruptFile(FileTrouble):
    """A file that is damaged, or not of the expected kind."""


class MissingExtra(GridlabError):
    """An optional library that is not installed."""


class ClusterTrouble(GridlabError):
    """A cluster that cannot be reached, or whose workers do not fit."""
