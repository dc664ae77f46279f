"""What `gridlab best-first` asks of a board: a cooperative line, a forced win, or both.

Each search has a bar and a limit of its own.
"""

from collections.abc import Callable
from pathlib import Path

from gridlab.core.progress import bar
from gridlab.datasets.best_first.report import Answer, Prover, answer
from gridlab.search.mnk.best_first import MAX_EXPANSIONS, Start

MAX_POSITIONS = 10_000_000  # where a proof stops by default


def ask(
    start: Start, steps: Path, output: Path, limit: int | None, forced: bool, both: bool, progress: bool = False
) -> Answer:
    """The answer to one board, in its files too; `limit` is for expansions, and for the positions of a proof."""
    expansions, positions = limit or MAX_EXPANSIONS, limit or MAX_POSITIONS
    with (
        bar(expansions, "searching", "positions", progress and not forced) as searched,
        bar(positions, "proving", "positions", progress and (forced or both)) as proved,
    ):
        prove = prover(positions, lambda nodes: proved.update(nodes - proved.n)) if forced or both else None
        found = answer(start, steps, output, expansions, prove, lambda expansion: searched.update(), both)
        searched.total, proved.total = searched.n, proved.n  # it ends here, whatever was allowed
    return found


def prover(nodes: int, tell: Callable[[int], object]) -> Prover:
    """Depth-first proof-number search that looks at so many positions at most; `tell` hears how many so far."""
    from gridlab.search.budget import Budget
    from gridlab.search.mnk.proof_number import prove_win  # with numba behind it, and most questions need none

    return lambda start: prove_win(start.own, start.other, start.rules, Budget(nodes=nodes), tell=tell)
