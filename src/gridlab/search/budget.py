"""How much a search may cost."""

from typing import NamedTuple

NO_LIMIT = 1 << 62


class Budget(NamedTuple):
    """Nodes and seconds of one answer; None is no limit."""

    nodes: int | None = None
    seconds: float | None = None
