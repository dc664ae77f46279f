"""Players of 2048 compared with the table of a solved board: how much each move gives away.

The *regret* of a move is what the best direction is worth more than the one that was played, in points, or in the
chance of the tile that the table is about. Boards come from two places:

    own games    as the player meets them, every move of some games. What a game gives away in all is, on average,
                 exactly what the player scores less than best play
    all boards   drawn uniformly, up to symmetry, among those with two directions or more
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import count
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.arena.assess import COLOURS, Grades, Order
from gridlab.arena.statistics import RESAMPLES, Interval, of_mean, quantiles, wilson
from gridlab.core import draw
from gridlab.core.arguments import check_seed, typed
from gridlab.core.draw import AsJson, Sheet, brief, facts, percent, shown
from gridlab.core.errors import BadNotation, BadPlayer, GridlabError, PlayerFault
from gridlab.core.progress import bar
from gridlab.core.run import anywhere, current_stop, pause
from gridlab.game2048 import kernels
from gridlab.game2048.exact.file import SCORE
from gridlab.game2048.exact.policy import Whole2048, follow_player
from gridlab.game2048.exact.probe import TIED, Tablebase2048, check_rules
from gridlab.game2048.exact.sampling import draw_boards
from gridlab.game2048.players import Adviser2048, Player2048, find_player2048
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import DIRECTIONS, Rules2048
from gridlab.game2048.search.play import Limits, best_direction, record_game
from gridlab.games.registry import game
from gridlab.games.tablebases import usual_table
from gridlab.players.registry import close_player, make_player, player_name

LEAST_GAMES = 20
HEADER = ("boards of", "moves", "best direction", "95 %", "mean regret", "95 %")
DRAWN_BLUNDERS = 3  # blunders that are drawn


class Answered(NamedTuple):
    """A move beside the best one."""

    position: Position2048
    played: str
    best: str
    regret: float

    @property
    def kept(self) -> bool:
        return self.regret == 0

    def as_dict(self) -> AsJson:
        return {"board": str(self.position)} | facts(self, "played best regret")


@shown
@dataclass(frozen=True)
class Answers:
    """Moves of one kind of boards, in groups that were drawn independently: games, or single boards."""

    groups: tuple[tuple[Answered, ...], ...]
    seed: int

    @cached_property
    def all(self) -> list[Answered]:
        return [each for group in self.groups for each in group]

    @cached_property
    def worst(self) -> list[Answered]:
        """The moves that gave away the most."""
        return sorted((each for each in self.all if not each.kept), key=lambda each: -each.regret)[:DRAWN_BLUNDERS]

    @property
    def accuracy(self) -> float:
        """How often one of the best directions was played."""
        return float(np.mean([each.kept for each in self.all]))

    @property
    def mean_regret(self) -> float:
        return float(np.mean([each.regret for each in self.all]))

    @cached_property
    def accuracy_interval(self) -> Interval:
        if len(self.groups) == len(self.all):
            return wilson(sum(each.kept for each in self.all), len(self.all))
        return self._drawn_anew([[float(each.kept) for each in group] for group in self.groups])

    @cached_property
    def mean_regret_interval(self) -> Interval:
        return self._drawn_anew([[each.regret for each in group] for group in self.groups])

    def _drawn_anew(self, groups: list[list[float]]) -> Interval:
        """The interval of a mean by resampling whole groups, because moves of one game depend on each other."""
        sums = np.array([sum(group) for group in groups])
        sizes = np.array([len(group) for group in groups])
        random = np.random.default_rng(np.random.SeedSequence(self.seed))
        means = np.empty(RESAMPLES // 10)
        for i in range(len(means)):
            chosen = random.integers(len(groups), size=len(groups))
            means[i] = sums[chosen].sum() / sizes[chosen].sum()
        return quantiles(means)

    def _in_short(self) -> str:
        boards, best = f"{len(self.all):,} boards", f"{percent(self.accuracy)} best directions"
        return f"{boards}: {best}, mean regret {self.mean_regret:,.3f}"

    def as_dict(self) -> AsJson:
        """For `--json`."""
        names = "accuracy accuracy_interval mean_regret mean_regret_interval worst"
        return {"boards": len(self.all)} | facts(self, names)


@shown
@dataclass(frozen=True)
class Grade2048:
    """A player of 2048 compared with best play."""

    player: str
    rules: Rules2048
    target: str
    best: float  # what a game is worth under best play
    own: Answers
    uniform: Answers
    seed: int
    whole: Whole2048 | None = None

    @property
    def lost(self) -> NDArray[np.float64]:
        """What each of its games gave away: [game]."""
        return np.array([sum(each.regret for each in game) for game in self.own.groups])

    @property
    def lost_interval(self) -> Interval | None:
        return of_mean(self.lost)

    def as_dict(self) -> AsJson:
        """For `--json`."""
        return {
            **facts(self, "player rules target seed best"),
            "games": len(self.own.groups), "lost_a_game": float(self.lost.mean()),
            "lost_a_game_interval": self.lost_interval and list(self.lost_interval),
            "own_games": self.own.as_dict(), "all_boards": self.uniform.as_dict(),
        } | ({} if self.whole is None else {"whole": self.whole.as_dict()})  # fmt: skip

    def _in_short(self) -> str:
        lost, digits = float(self.lost.mean()), self._digits
        given = f"{lost:,.{digits}f} of {self.best:,.{digits}f} given away a game, {len(self.own.all):,} moves"
        return f"{brief(self.player)}, {self.rules}: {given}"

    def _sheet(self) -> Sheet:
        notes = [self._lost_text(), *([] if self.whole is None else str(self.whole).splitlines()[:2])]
        worst = [each.position._repr_svg_() for each in self.own.worst]
        return Sheet(self._heading, HEADER, self._rows(), [*notes, *map(self._told, self.own.worst)], worst)

    @property
    def _heading(self) -> str:
        return f"{self.rules}, {self.player}, seed {self.seed}"

    def _told(self, move: Answered) -> str:
        return f"{move.played} gives away {move.regret:,.{self._digits}f}; {move.best} is best"

    @property
    def _digits(self) -> int:
        return 3 if self.target == SCORE else 6

    def _rows(self) -> list[tuple[str, ...]]:
        return [_row("own games", self.own, self._digits), _row("all boards", self.uniform, self._digits)]

    def _lost_text(self) -> str:
        digits, unit = self._digits, "points" if self.target == SCORE else f"of the chance of {self.target}"
        interval = self.lost_interval
        spread = "" if interval is None else f", 95 % {interval.low:,.{digits}f} to {interval.high:,.{digits}f}"
        return (
            f"{float(self.lost.mean()):,.{digits}f} {unit} given away a game{spread}; best play is worth "
            f"{self.best:,.{digits}f}"
        )

    def __str__(self) -> str:
        lines = [self._heading, draw.table(HEADER, self._rows()), self._lost_text()]
        for each in self.own.worst:
            lines += ["", each.position.draw(), self._told(each)]
        return "\n".join(lines if self.whole is None else [*lines, "", str(self.whole)])


def _row(name: str, answers: Answers, digits: int) -> tuple[str, ...]:
    low, high = answers.accuracy_interval
    least, most = answers.mean_regret_interval
    return (
        name, f"{len(answers.all):,}", f"{answers.accuracy:.1%}", f"{low:.1%} to {high:.1%}",
        f"{answers.mean_regret:,.{digits}f}", f"{least:,.{digits}f} to {most:,.{digits}f}",
    )  # fmt: skip


@typed
def grade2048(
    player: str | Player2048, rules: Rules2048 | str, positions: int = 1000, whole: bool = False,
    tablebase: Path | str | None = None, seed: int = 0, workers: int | None = None, progress: bool = False,
) -> Grade2048:  # fmt: skip
    """Compare a player with the table of a solved board, on boards of its own games and on others.

    With `whole` it is followed through all boards it can reach besides.
    """
    rules = game(rules, "2048")
    if positions < 1:
        raise BadNotation(f"{positions} positions are too few for a grade; at least 1 is needed")
    check_seed(seed)
    table = find_table(rules, tablebase)
    found = find_player2048(make_player(player, rules, tablebase), rules)[0]
    name = player_name(player)
    try:
        exact = None
        if whole:
            exact = follow_player(found, rules, table.target, table.mean, workers, progress)
        own = _own_games(found, table, positions, seed, progress, name)
        uniform = _uniformly(found, table, positions, seed, progress, name)
    finally:
        close_player(found)
    exact = exact and replace(exact, player=name)
    return Grade2048(name, rules, table.target, table.mean, own, uniform, seed, exact)


def grade_all(players: Sequence[str | Player2048], rules: Rules2048, order: Order) -> Grades:
    """Several players, on the same boards and the same chance."""
    if order.questions is not None:
        raise BadNotation(f"questions are for in-a-row games; {rules} is graded on boards of its own")
    for player in players:
        close_player(make_player(player, rules, order.tablebase))  # a wrong one is told before anything long begins
    more = order.positions, order.whole, order.tablebase, order.seed, order.workers, order.progress
    return Grades([grade2048(player, rules, *more) for player in players], plot_grades2048)


def find_table(rules: Rules2048, tablebase: Path | str | None) -> Tablebase2048:
    """The table that is named, or the usual one of the game."""
    table = Tablebase2048(tablebase) if tablebase else usual_table(rules)
    if table is None:
        raise BadPlayer(
            f"there is no table of {rules} to grade players by; gridlab tablebase build {rules} -o FILE makes one if "
            "the board is small, and --tablebase FILE names it"
        )
    return check_rules(table, rules)


def _own_games(player: Player2048, table: Tablebase2048, moves: int, seed: int, progress: bool, name: str) -> Answers:
    """Whole games, until they have so many moves and are enough to tell how games differ."""
    played: list[tuple[Answered, ...]] = []
    done = 0
    games = anywhere(partial(_own_game, player, table, seed), count(), name=lambda number: f"game {number + 1}")
    with closing(games), bar(moves, f"{name}, own games", "moves", progress) as shown:
        while done < moves or len(played) < LEAST_GAMES:
            judged = next(games)
            done += len(judged)
            if judged:
                played.append(judged)
            shown.update(len(judged))
    return Answers(tuple(played), seed)


def _own_game(player: Player2048, table: Tablebase2048, seed: int, number: int) -> tuple[Answered, ...]:
    limits = Limits(exponent=table.tile.bit_length() - 1) if table.tile else Limits()
    game = record_game(player, table.rules, seed, number, current_stop(), limits)
    return tuple(
        judge(table, int(board), DIRECTIONS[direction])
        for board, direction in zip(game.boards.tolist(), game.directions.tolist(), strict=True)
    )


def _uniformly(
    player: Player2048, table: Tablebase2048, positions: int, seed: int, progress: bool, name: str
) -> Answers:
    """Boards drawn uniformly, each an image by chance."""
    random = np.random.default_rng([seed, 1])
    answers = []
    boards = draw_boards(table, positions, random, least_directions=2)
    ask = partial(_ask, player, table, seed, name)
    asked = anywhere(ask, enumerate(boards), name=lambda job: f"board {job[0] + 1}")
    with bar(len(boards), f"{name}, all boards", "boards", progress) as shown:
        for answered in asked:
            answers.append((answered,))
            shown.update(1)
    return Answers(tuple(answers), seed)


def _ask(player: Player2048, table: Tablebase2048, seed: int, name: str, job: tuple[int, Position2048]) -> Answered:
    number, board = job
    try:
        direction = board.as_move(player.move(board, np.random.default_rng([seed, 2, number])))
    except GridlabError as error:
        raise PlayerFault(f"the player {name} fails in {board}: {error}") from error
    if direction not in board.moves():
        raise PlayerFault(f"the player {name} answers {direction!r} in {board}")
    return judge(table, board.packed, direction)


def judge(table: Tablebase2048, board: int, direction: str) -> Answered:
    """A legal move beside the best one."""
    position = Position2048(kernels.unpack_board(board, table.rules), 0, table.rules)
    return judged(position, direction, table.values(position))


def judged(position: Position2048, played: str, values: dict[str, float]) -> Answered:
    """A move beside the first of the best, by what the legal directions are worth."""
    best = best_direction(values, position)
    regret = values[best] - values[played]
    same = regret <= TIED * max(1.0, abs(values[best]))
    return Answered(position, played, best, 0.0 if same else regret)


def plot_grades2048(found: Sequence[Grade2048], path: Path) -> None:
    """The mean regret in own games by the sum of the tiles, a line for each player."""
    from gridlab.core.charts import new_figure, save

    figure = new_figure(path, 4.5)
    axes = figure.add_subplot()
    for number, each in enumerate(found):
        sums = np.array([sum(answer.position.tiles) for answer in each.own.all])
        regrets = np.array([answer.regret for answer in each.own.all])
        edges = np.unique(np.quantile(sums, np.linspace(0, 1, 21)))
        places = np.clip(np.searchsorted(edges, sums, side="right") - 1, 0, max(0, len(edges) - 2))
        shown = [(sums[places == place].mean(), regrets[places == place].mean()) for place in np.unique(places)]
        name = each.player.replace("$", r"\$")
        axes.plot(*zip(*shown, strict=True), "o-", color=COLOURS[number % len(COLOURS)], markersize=3, label=name)
    axes.set(xlabel="sum of the tiles", ylabel="mean regret of a move in own games")
    axes.legend(frameon=False)
    figure.suptitle(f"{found[0].rules}: what a move gives away")
    save(figure, path)


# ---- The moves of a game of 2048 that gave away the most, as an adviser sees it
#
# Where the adviser knows the truth of a solved board so does the review; elsewhere it is the adviser's opinion. A long
# game may take longer to look through than anybody waits: its moves are looked at spread evenly, finer and finer, until
# time is up.


NAMED_MOVES = 5  # moves that are named


@dataclass(frozen=True)
class Review2048:
    """What was looked at, and the moves that lost the most, the worst first."""

    decisions: int  # moves that had an alternative
    looked_at: int  # of them
    kept: int  # of those looked at: the adviser would have played the same, or as good
    worst: tuple[tuple[int, Answered], ...]  # ply, and what was played there


def review_game(
    adviser: Adviser2048, positions: Sequence[Position2048], directions: Sequence[str], seconds: float
) -> Review2048:
    """Look at the moves of a game for so long, at one of them at least."""
    random, end = np.random.default_rng(0), time.monotonic() + seconds
    decisions = [ply for ply in range(len(directions)) if len(positions[ply].moves()) > 1]
    seen: list[tuple[int, Answered]] = []
    with bar(len(decisions), "reviewing", "moves", shown=False) as told:
        for place in spread(len(decisions)):
            pause()
            ply = decisions[place]
            seen.append((ply, judged(positions[ply], directions[ply], adviser.values(positions[ply], random))))
            told.update(1)
            if time.monotonic() > end:
                break
    lost = sorted((each for each in seen if not each[1].kept), key=lambda each: (-each[1].regret, each[0]))
    return Review2048(len(decisions), len(seen), len(seen) - len(lost), tuple(lost[:NAMED_MOVES]))


def spread(amount: int) -> Iterator[int]:
    """All places of a list, the first of them spread evenly: 0 4 2 6 1 5 3 7."""
    bits = max(0, amount - 1).bit_length()
    for number in range(1 << bits):
        place = int(f"{number:0{bits}b}"[::-1], 2) if bits else 0
        if place < amount:
            yield place
