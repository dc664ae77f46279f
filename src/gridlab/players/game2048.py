"""Players of 2048, made from text: "random", "expectimax evaluator=rows depth=5".

`PLAYERS` is the one list to extend. A player finds directions for positions, and hands its settings to the kernels
that play whole games.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from gridlab.core.errors import BadPlayer, IllegalMove
from gridlab.core.splitmix import Stream
from gridlab.core.stop import stop_flag
from gridlab.games.game2048.kernels import row_tables
from gridlab.games.game2048.position import Position2048
from gridlab.games.game2048.reference import DIRECTIONS
from gridlab.games.game2048.rules import Rules2048
from gridlab.players.registry import Kind, parse_player
from gridlab.search.game2048.evaluators import Evaluate, Evaluator, find_evaluator
from gridlab.search.game2048.expectimax import DEEPEST, new_memory, value_boards
from gridlab.search.game2048.last_plies import Settings
from gridlab.search.game2048.reference import PlainSearch

TABLE_PAYS = 5  # the depth
MOST_ENTRIES = 24  # a table of 2^24 entries a level


class Player2048(Protocol):
    """Finds directions; `random` is its only source of chance."""

    @property
    def rules(self) -> Rules2048: ...

    def move(self, position: Position2048, random: np.random.Generator) -> str:
        """A legal direction of a position that is not over."""

    def plan(self) -> "Plan":
        """What it does, for the kernel that plays whole games."""


@dataclass(frozen=True)
class Plan:
    """A player as kernels take it; depth 0 moves at random."""

    settings: Settings
    evaluator: Evaluator
    entries: int  # of the transposition table, 0 for none


@dataclass(frozen=True)
class RandomPlayer2048:
    """Any legal direction, all equally likely."""

    rules: Rules2048

    def move(self, position: Position2048, random: np.random.Generator) -> str:
        return str(random.choice(position.moves()))

    def plan(self) -> Plan:
        settings = Settings(0, *self.rules.odds, 0, 0.0)
        return Plan(settings, find_evaluator("rows").arrays(*self.rules.odds), 0)


@dataclass(frozen=True)
class ExpectimaxPlayer:
    """Looks `depth` moves and tiles ahead; see gridlab.search.game2048.expectimax."""

    rules: Rules2048
    evaluator: str = "rows"
    depth: int = 4
    sample: int = 0
    cutoff: float = 0.0
    table: int = 12

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= DEEPEST:
            raise BadPlayer(f"depth={self.depth} of the player expectimax: 1 to {DEEPEST} can be searched")
        if not 0 <= self.sample <= self.rules.cells:
            raise BadPlayer(f"sample={self.sample} of the player expectimax: cells to try, such as 4, or 0 for all")
        if not 0 <= self.cutoff < 1:
            raise BadPlayer(f"cutoff={self.cutoff:g} of the player expectimax: a probability such as 0.0001, or 0")
        if not 0 <= self.table <= MOST_ENTRIES:
            raise BadPlayer(
                f"table={self.table} of the player expectimax: 2 to the power of 0 to {MOST_ENTRIES} entries"
            )
        self.evaluate  # noqa: B018 - refuses unknown names and boards now

    @property
    def evaluate(self) -> Evaluate:
        """The plain evaluation of a board."""
        return find_evaluator(self.evaluator).board(self.rules)

    def move(self, position: Position2048, random: np.random.Generator) -> str:
        values = self.values(position, random)
        if not values:
            raise IllegalMove(f"there is no move in {position}")
        return max(values, key=values.__getitem__)

    def values(self, position: Position2048, random: np.random.Generator) -> dict[str, float]:
        """What each legal direction is worth; the first of the largest is played."""
        state = np.array([random.integers(1 << 64, dtype=np.uint64)]) if self.sample else np.zeros(1, np.uint64)
        if not self.rules.packed:
            dead, stream = find_evaluator(self.evaluator).dead, Stream(int(state[0]))
            search = PlainSearch(self.rules, self.evaluate, self.depth, self.sample, self.cutoff, stream, dead)
            return search.move_values(position.tiles)
        found, plan = np.empty((1, 4)), self.plan()
        boards = np.array([position.packed], np.uint64)
        memory = new_memory(plan.entries)
        value_boards(boards, found, row_tables(), plan.evaluator, plan.settings, memory, state, stop_flag())
        legal = position.moves()
        return {each: float(value) for each, value in zip(DIRECTIONS, found[0], strict=True) if each in legal}

    def plan(self) -> Plan:
        twos, fours = self.rules.odds
        settings = Settings(self.depth, twos, fours, self.sample, float(self.cutoff))
        return Plan(settings, find_evaluator(self.evaluator).arrays(twos, fours), self._entries())

    def _entries(self) -> int:
        """Entries of the table a level: it pays from depth 5 on, and a sampled value must not be used twice."""
        return 1 << self.table if self.table and self.depth >= TABLE_PAYS and not self.sample else 0


PLAYERS: dict[str, Kind] = {
    "random": Kind(RandomPlayer2048, {}, "any legal direction"),
    "expectimax": Kind(
        ExpectimaxPlayer,
        {"evaluator": "rows", "depth": 4, "sample": 0, "cutoff": 0.0, "table": 12},
        "some moves and tiles ahead, then an evaluator: spec or rows",
    ),
}


def make_player2048(text: str, rules: Rules2048) -> Player2048:
    """The player that a text describes."""
    name, settings = parse_player(text, PLAYERS)
    player: Any = PLAYERS[name].make(rules, **settings)
    made: Player2048 = player
    return made


def make_adviser(text: str, rules: Rules2048) -> ExpectimaxPlayer:
    """A player that can say what each direction is worth."""
    player = make_player2048(text, rules)
    if not isinstance(player, ExpectimaxPlayer):
        raise BadPlayer(f"{text!r} has no values to give; name an expectimax player")
    return player
