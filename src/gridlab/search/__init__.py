"""An answer for one position. `gridlab.search` is this package, and called it searches: `gridlab.search(position)`."""

import sys
from types import ModuleType
from typing import Any


class _Room(ModuleType):
    """A package that shares its name with a public function: Monte Carlo tree search."""

    def __call__(self, *arguments: Any, **settings: Any) -> Any:
        from gridlab.search.mnk.mcts import search

        return search(*arguments, **settings)


sys.modules[__name__].__class__ = _Room
