"""The exact answer by whatever is at hand: a tablebase, the first plies that come with the package, alpha-beta.

The tablebase is the file handed in, or the one that the environment variable GRIDLAB_TABLEBASE names; it is used where
it holds the position with all its moves, and where it does not, the next source is asked. `source` says who answered.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from gridlab.core.arguments import counted, typed
from gridlab.core.draw import shown
from gridlab.core.errors import FileTrouble
from gridlab.core.run import variable
from gridlab.games.registry import game
from gridlab.games.tablebases import VARIABLE, open_tablebase
from gridlab.inarow.exact.tablebase.probe import Tablebase, shipped
from gridlab.inarow.position import Position, position_of
from gridlab.inarow.rules import Rules
from gridlab.inarow.search.alpha_beta import AlphaBetaSearch, solve
from gridlab.inarow.solution import Budget, Solution


@shown
class Oracle:
    """Answers for the positions of one game."""

    @typed
    def __init__(
        self, rules: Rules | str, budget: Budget | None = None, search_only: bool = False, entries: int | None = None,
        tablebase: Path | str | None = None,
    ) -> None:  # fmt: skip
        """`budget` is for the search of one answer; with `search_only` no table is looked at.

        `entries` is the size of the transposition table of that search, if it is not to be the usual one.
        """
        self.rules, self.budget, self._entries = game(rules, "mnk"), budget, entries
        self.tables = [] if search_only else list(self._open_tables(tablebase))
        self._search: AlphaBetaSearch | None = None

    def _in_short(self) -> str:
        return f"{self.rules}: {counted(len(self.tables), 'table')}, then search"

    def _open_tables(self, tablebase: Path | str | None) -> Iterator[Tablebase]:
        if named := tablebase or variable(VARIABLE):
            table = open_tablebase(named)
            if table.rules == self.rules:
                yield table
            elif tablebase:
                raise FileTrouble(f"{tablebase} is a tablebase of {table.rules}, not of {self.rules}")
        if early := shipped(self.rules):
            yield Tablebase(early)

    def ask(
        self, position: Position | str, value_only: bool = False,
        tell: Callable[[int, int], object] = lambda moves, nodes: None, budget: Budget | None = None,
        show: Callable[[Solution], object] | None = None,
    ) -> Solution:  # fmt: skip
        """Value, distance, both for every move, and the main line of a legal position.

        `tell` hears of a search how many moves are done, and the nodes so far, `show` what is known with every move
        more; a `budget` is for this question alone.
        """
        position = Position.parse(position, self.rules) if isinstance(position, str) else position_of(position)
        position.require_legal()
        for table in self.tables:
            found = table.get(position)
            if found and (found.moves or position.outcome()):
                return found.without_distances() if value_only else found
        if self._search is None:
            self._search = AlphaBetaSearch(self.rules, self._entries)
        return solve(position, budget or self.budget, value_only, self._search, tell, show)


def whole_line(position: Position, ask: Callable[[Position], Solution]) -> tuple[int, ...]:
    """The best moves from here, to the end if it is known so far.

    The line of a table of the first plies ends with them; what follows is asked for there.
    """
    found = ask(position)
    if not found.line or len(found.line) >= (found.distance or 0):
        return found.line
    for cell in found.line:
        position = position.play(cell)
    return found.line if position.over else found.line + whole_line(position, ask)
