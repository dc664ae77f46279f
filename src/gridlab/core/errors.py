"""Every error that gridlab raises on purpose.

GridlabError                    a sentence for the user: what, why, what instead
├── BadRules                    a game that cannot be ("5x5:9")
├── BadNotation                 text that is no board, move or list of cells
├── IllegalPosition             stones that no game leads to; `.flaw` names the reason
├── IllegalMove                 an occupied cell, or the game is over
├── BadPlayer                   text that is no player, or a setting it does not take
├── PlayerFault                 a player whose answer is wrong, late or missing
│   ├── WrongAnswer             an answer came, but it is no legal move; `.answer` is what was said
│   └── Resigned                the player gives the game up
├── TooLarge                    more cells or more positions than the method can take
├── ClusterTrouble              a cluster that cannot be reached, or whose workers are not fit for the work
└── FileTrouble                 a file that cannot be read or written
"""

from typing import Any


class GridlabError(ValueError):
    """What is wrong, why, and what would be right, in one sentence."""


class BadRules(GridlabError):
    pass


class BadNotation(GridlabError):
    pass


class IllegalPosition(GridlabError):
    def __init__(self, message: str, flaw: Any) -> None:
        super().__init__(message, flaw)  # both, so that it can be pickled
        self.flaw = flaw

    def __str__(self) -> str:
        return str(self.args[0])


class IllegalMove(GridlabError):
    pass


class BadPlayer(GridlabError):
    pass


class PlayerFault(GridlabError):
    pass


class WrongAnswer(PlayerFault):
    def __init__(self, message: str, answer: str = "") -> None:
        super().__init__(message, answer)  # both, so that it can be pickled
        self.answer = answer

    def __str__(self) -> str:
        return str(self.args[0])


class Resigned(PlayerFault):
    pass


class TooLarge(GridlabError):
    pass


class FileTrouble(GridlabError):
    pass


class CorruptFile(FileTrouble):
    pass


class MissingExtra(GridlabError):
    pass


class ClusterTrouble(GridlabError):
    pass
