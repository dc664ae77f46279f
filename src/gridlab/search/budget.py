"""How much a search may cost."""

from math import inf
from typing import NamedTuple

from gridlab.core.arguments import is_number, told, whole
from gridlab.core.errors import BadNotation

NO_LIMIT = 1 << 62


class _Limits(NamedTuple):
    nodes: int | None = None
    seconds: float | None = None


class Budget(_Limits):
    """How many nodes and seconds an answer may take; None means no limit."""

    __slots__ = ()

    def __new__(cls, nodes: int | None = None, seconds: float | None = None) -> "Budget":
        if nodes is not None and (whole(nodes) is None or nodes < 0):
            raise BadNotation(f"a budget has a whole number of nodes from 0 on, or None for any, not {told(nodes)}")
        if seconds is not None and not (is_number(seconds) and 0 <= seconds < inf):
            raise BadNotation(f"a budget has a number of seconds from 0 on, or None for any, not {told(seconds)}")
        return super().__new__(cls, nodes, seconds)
