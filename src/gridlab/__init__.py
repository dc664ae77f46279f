"""gridlab: a laboratory for small grid games.

    import gridlab

    rules = gridlab.game("squava")                         a name, or rules such as "3x3:3" and "2048:3x3"
    position = gridlab.Position(rules).play("33")          moves in notation, or cells from 0
    gridlab.solve(position), gridlab.prove(position)       its exact value; whether a win can be forced
    gridlab.census(rules)                                  every legal position, counted
    gridlab.Tablebase("squava").probe(position)            value and distance of every move, from a file
    gridlab.play_match("perfect", MyPlayer(), rules)       players are texts, or objects of your own
    gridlab.grade(MyPlayer(), rules)                       compared with perfect play
    gridlab.evaluate("expectimax depth=3", games=100)      2048

`dir(gridlab)` has all names, docs/python.md what they are for. A name is loaded when it is first used, so that
`import gridlab` costs next to nothing; __init__.pyi lists where each lives.
"""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

__version__ = "1.0.0"

_LISTED = re.compile(r"^from (gridlab\.[\w.]+) import (\w+) as \2$", re.MULTILINE)
_HOMES = {name: home for home, name in _LISTED.findall(Path(__file__).with_suffix(".pyi").read_text("utf-8"))}
__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'gridlab' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
