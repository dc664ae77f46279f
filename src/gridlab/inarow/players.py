"""Players of in-a-row games: "random", "alpha-beta depth=4", 'command="./bot --fast" seconds=2'.

`PLAYERS` is the one list to extend: a name, what it is, and the settings it takes with their defaults.
"""

import shlex
from typing import TYPE_CHECKING, Protocol

import numpy as np

from gridlab.core.draw import shown
from gridlab.core.errors import BadPlayer
from gridlab.core.run import import_extra
from gridlab.inarow.exact.oracle import Oracle
from gridlab.inarow.learn.features import squava_lines
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules
from gridlab.inarow.search import best_first, depth_limited, mcts
from gridlab.inarow.search.geometry import geometry_of
from gridlab.inarow.solution import Budget, Solution
from gridlab.players.command import ABOUT, NEEDS, SETTINGS, CommandPlayer
from gridlab.players.registry import Kind

if TYPE_CHECKING:
    from gridlab.inarow.learn.judge import SearchReport

MOST_PLAYOUTS = 50_000_000  # a tree of 1.5 GB
MOST_IN_TIME = 1_000_000  # playouts of a player that has so many seconds
EXACT_SHARE = 0.6  # of those seconds are for an exact answer
EXACT = "exact"


class Answers(Protocol):
    """Whoever knows what a position is worth."""

    def ask(self, position: Position, /) -> Solution: ...


@shown
class RandomPlayer:
    """Any legal move, all equally likely."""

    def __str__(self) -> str:
        return "random"

    def move(self, position: Position, random: np.random.Generator) -> int:
        return int(random.choice(position.moves()))


def check_depth(depth: int, rules: Rules, who: str) -> None:
    if not 1 <= depth <= rules.cells:
        raise BadPlayer(f"depth={depth} of {who}: 1 to {rules.cells} plies make sense in {rules}")


@shown
class AlphaBetaPlayer:
    """Looks `depth` plies ahead and judges by open lines; the same move every time."""

    def __init__(self, rules: Rules, depth: int) -> None:
        check_depth(depth, rules, "the player alpha-beta")
        self.depth, self.heuristics = depth, depth_limited.heuristics_of(rules)
        self.table = depth_limited.new_depth_table()

    def __str__(self) -> str:
        return f"alpha-beta depth={self.depth}"

    def move(self, position: Position, random: np.random.Generator) -> int:
        return depth_limited.best_move(position, self.depth, self.heuristics, self.table)[0]


@shown
class BestFirstPlayer:
    """The first move of the line that best-first search finds; without one, the move after which hp - ho is highest."""

    def __init__(self, rules: Rules, expansions: int) -> None:
        if not rules.rows == rules.cols == rules.win or rules.lose is not None:
            raise BadPlayer(f"the player best-first plays n in a row on n×n boards, such as 3x3:3; not {rules}")
        if expansions < 1:
            raise BadPlayer(f"expansions={expansions} of the player best-first: at least 1 is needed")
        self.expansions = expansions

    def __str__(self) -> str:
        return f"best-first expansions={self.expansions}"

    def move(self, position: Position, random: np.random.Generator) -> int:
        start = best_first.Start(position.rules.rows, position.crosses, position.noughts, position.to_move)
        line = best_first.best_first(start, self.expansions).line
        return line[0] if line else best_first.best_looking(start)


@shown
class MctsPlayer:
    """Plays positions out and goes where that succeeds.

    With proofs=0 what is proved on the way does not count; with careful=0 the playouts are wholly random.
    """

    def __init__(self, rules: Rules, playouts: int, exploration: float, proofs: int, careful: int) -> None:
        if not 1 <= playouts <= MOST_PLAYOUTS:
            raise BadPlayer(f"playouts={playouts} of the player mcts: 1 to {MOST_PLAYOUTS:,} make sense")
        if not 0 <= exploration < 100:
            wanted = "a number from 0 to 100, such as 1, is needed"
            raise BadPlayer(f"exploration={exploration} of the player mcts: {wanted}")
        for name, value in (("proofs", proofs), ("careful", careful)):
            if value not in (0, 1):
                raise BadPlayer(f"{name}={value} of the player mcts: 1 or 0 is needed")
        self.playouts, self.exploration, self.proofs, self.careful = playouts, exploration, proofs == 1, careful == 1
        self.geometry = geometry_of(rules)

    def __str__(self) -> str:
        more = "" if self.exploration == mcts.EXPLORATION else f" exploration={self.exploration:g}"
        more += " proofs=0" * (not self.proofs) + " careful=0" * (not self.careful)
        return f"mcts playouts={self.playouts}{more}"

    def move(self, position: Position, random: np.random.Generator) -> int:
        proofs, careful, exploration, states = self.proofs, self.careful, self.exploration, mcts.states_of(random)
        return mcts.search(position, self.playouts, None, proofs, careful, exploration, states, self.geometry).best


@shown
class PerfectPlayer:
    """The fastest win, else a draw, else the longest defence; any of equals, by chance.

    With errs=0.2 every fifth move is a mistake, if there is one to make: any move that gives the value away.
    With seconds=2 it answers in that time: exactly if that is possible, else by tree search; `source` says which.
    """

    def __init__(
        self, rules: Rules, tablebase: str, errs: float = 0.0, seconds: float = 0.0, oracle: Answers | None = None
    ) -> None:
        """An `oracle` that is handed in is used instead of one of its own."""
        if not 0 <= errs <= 1:
            raise BadPlayer(f"errs={errs:g} of the player perfect: a probability from 0 to 1, such as 0.2")
        if not 0 <= seconds < 1e6:
            raise BadPlayer(f"seconds={seconds:g} of the player perfect: a time such as 2, or 0 for no limit")
        self.errs, self.seconds, self.source, self.tablebase = errs, seconds, "", tablebase
        self.oracle = oracle or Oracle(rules, Budget(None, EXACT_SHARE * seconds or None), tablebase=tablebase or None)

    def __str__(self) -> str:
        table = f" tablebase={shlex.quote(self.tablebase)}" if self.tablebase else ""
        errs = f" errs={self.errs:g}" if self.errs else ""
        return f"perfect{table}{errs}" + (f" seconds={self.seconds:g}" if self.seconds else "")

    def move(self, position: Position, random: np.random.Generator) -> int:
        found = self.oracle.ask(position)
        if not found.exact:
            return self._unproved(position, found, random)
        self.source = EXACT
        mistakes = [move.cell for move in found.moves if move.value != found.value] if self.errs else []
        if mistakes and random.random() < self.errs:
            return int(random.choice(mistakes))
        return int(random.choice(found.best))

    def _unproved(self, position: Position, found: Solution, random: np.random.Generator) -> int:
        """The best that the time allows: what is proved counts, the rest is what a tree search thinks."""
        seconds = (1 - EXACT_SHARE) * self.seconds
        tried = mcts.search(position, MOST_IN_TIME, seconds, states=mcts.states_of(random))
        self.source = f"tree search, {tried.playouts:,} playouts, not proved"
        proved = {move.cell: move.value for move in found.moves}
        rank = {"win": 1, "loss": -1}
        visits = {each.cell: each.visits for each in tried.moves}
        promise = {cell: (rank.get(proved.get(cell, ""), 0), cell == tried.best) for cell in position.moves()}
        order = sorted(promise, key=lambda cell: (promise[cell], visits.get(cell, 0)))
        if self.errs and len(order) > 1 and random.random() < self.errs:
            return int(random.choice(order[:-1]))
        return order[-1]


@shown
class LearntPlayer:
    """Looks `depth` plies ahead and judges by a trained network, blended with open lines; the same move every time."""

    def __init__(self, rules: Rules, checkpoint: str, depth: int, blend: float) -> None:
        check_depth(depth, rules, "a player that has learnt")
        if not 0 <= blend <= 1:
            raise BadPlayer(f"blend={blend} of the player dqn-minimax: 0 (heuristic alone) to 1 (network alone)")
        squava_lines(rules)  # another game is told before anything is loaded
        import_extra("torch", "learn")
        from gridlab.inarow.learn.judge import load_judge

        self.depth, self.blend, self.judge = depth, blend, load_judge(checkpoint, rules)
        self.checkpoint = checkpoint

    def __str__(self) -> str:
        file = f" checkpoint={shlex.quote(self.checkpoint)}" if self.checkpoint else ""
        return f"dqn-minimax{file} depth={self.depth} blend={self.blend:g}"

    def move(self, position: Position, random: np.random.Generator) -> int:
        return self.judge.best(position.own, position.other, self.depth, self.blend).cell

    def report(self, position: Position) -> "SearchReport":
        """How it finds its move: what each is worth, what network and heuristic say, nodes, pruning, table hits."""
        from gridlab.inarow.learn.judge import report_of

        return report_of(position, self.judge, self.depth, self.blend)


PLAYERS: dict[str, Kind] = {
    "random": Kind(lambda rules: RandomPlayer(), {}, "any legal move"),
    "heuristic": Kind(lambda rules: AlphaBetaPlayer(rules, 1), {}, "the move after which open lines look best"),
    "alpha-beta": Kind(AlphaBetaPlayer, {"depth": 4}, "looks some plies ahead and judges by open lines"),
    "perfect": Kind(PerfectPlayer, {"tablebase": "", "errs": 0.0, "seconds": 0.0},
        "never gives anything away, or now and then (errs=0.2): tablebase or exact search"),
    "command": Kind(CommandPlayer, SETTINGS, ABOUT, NEEDS),
    "mcts": Kind(MctsPlayer, {"playouts": mcts.PLAYOUTS, "exploration": mcts.EXPLORATION, "proofs": 1, "careful": 1},
        "Monte Carlo tree search: random playouts, and what is proved on the way"),
    "dqn-minimax": Kind(LearntPlayer, {"checkpoint": "", "depth": 4, "blend": 0.6},
        "looks some plies ahead and judges by a trained network and open lines (squava)", "gridlab[learn]"),
    "dqn": Kind(lambda rules, checkpoint: LearntPlayer(rules, checkpoint, 1, 1.0), {"checkpoint": ""},
        "the move after which a trained network likes the position best (squava)", "gridlab[learn]"),
    "best-first": Kind(BestFirstPlayer, {"expansions": 10_000},
        "goes for a line that the opponent would have to allow"),
}  # fmt: skip
