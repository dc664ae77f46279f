"""An answer for one position. `gridlab.search` is this package, and called it searches: `gridlab.search(position)`."""

import sys
from types import ModuleType
from typing import Any

_ABOUT = __doc__


class _Package(ModuleType):
    # A package that shares its name with a public function, Monte Carlo tree search, and shows itself as that function.
    # It is loaded when somebody calls it or looks at it, so that importing the package stays cheap.

    def __call__(self, *arguments: Any, **settings: Any) -> Any:
        return self.__wrapped__(*arguments, **settings)

    @property
    def __wrapped__(self) -> Any:
        from gridlab.search.mnk.mcts import search

        return search

    @property
    def __signature__(self) -> Any:
        """What `inspect.signature` and editors show."""
        from inspect import signature

        return signature(self.__wrapped__)

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        """What `help` shows: the package, then the function with its parameters."""
        signature = self.__signature__
        bare = [each.replace(annotation=each.empty) for each in signature.parameters.values()]
        called = signature.replace(parameters=bare, return_annotation=signature.empty)
        return f"{_ABOUT}\n\nsearch{called}\n    {self.__wrapped__.__doc__}"


sys.modules[__name__].__class__ = _Package
