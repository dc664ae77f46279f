"""gridlab: a laboratory for small grid games.

    import gridlab

    rules = gridlab.game("squava")                   a name, or rules such as "3x3:3"
    position = gridlab.Position(rules).play("33")    moves in notation, or cells from 0
    gridlab.canonical(position)                      the smallest symmetric image, and the symmetry to it
    gridlab.census(rules)                            every legal position, counted
    gridlab.positions(gridlab.game("tictactoe"))     every legal position, one by one
    gridlab.open_terminals("wins")                   a dataset of terminal wins on disk
    gridlab.Tablebase("squava").probe(position)      its value, its distance, those of every move, and the best line
    gridlab.Position2048.parse("2 . . 2/…")          a board of 2048, with moves, play, spawn

Names are loaded when first used, so that `import gridlab` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gridlab.core.behaviour import BEHAVIOUR

if TYPE_CHECKING:
    from gridlab.core.errors import GridlabError as GridlabError
    from gridlab.datasets.terminals.dataset import Terminals as Terminals
    from gridlab.datasets.terminals.dataset import open_terminals as open_terminals
    from gridlab.exact.census import Census as Census
    from gridlab.exact.census import census as census
    from gridlab.exact.enumerate import positions as positions
    from gridlab.exact.tablebase.probe import Tablebase as Tablebase
    from gridlab.games import NAMED as NAMED
    from gridlab.games import game as game
    from gridlab.games.game2048.position import Position2048 as Position2048
    from gridlab.games.game2048.rules import Rules2048 as Rules2048
    from gridlab.games.mnk.legality import Flaw as Flaw
    from gridlab.games.mnk.legality import find_flaw as find_flaw
    from gridlab.games.mnk.position import Outcome as Outcome
    from gridlab.games.mnk.position import Position as Position
    from gridlab.games.mnk.position import canonical as canonical
    from gridlab.games.mnk.rules import Rules as Rules
    from gridlab.games.symmetry import Symmetry as Symmetry
    from gridlab.games.symmetry import symmetries as symmetries

__version__ = "0.1.0"

_HOMES = {
    "Census": "exact.census",
    "Flaw": "games.mnk.legality",
    "GridlabError": "core.errors",
    "NAMED": "games",
    "Outcome": "games.mnk.position",
    "Position": "games.mnk.position",
    "Position2048": "games.game2048.position",
    "Rules": "games.mnk.rules",
    "Rules2048": "games.game2048.rules",
    "Symmetry": "games.symmetry",
    "Tablebase": "exact.tablebase.probe",
    "Terminals": "datasets.terminals.dataset",
    "open_terminals": "datasets.terminals.dataset",
    "canonical": "games.mnk.position",
    "census": "exact.census",
    "find_flaw": "games.mnk.legality",
    "game": "games",
    "positions": "exact.enumerate",
    "symmetries": "games.symmetry",
}
__all__ = ["BEHAVIOUR", "__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'gridlab' has no attribute {name!r}")
    return getattr(import_module(f"gridlab.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
