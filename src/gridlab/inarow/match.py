"""Two players, many games, in pairs that share an opening.

    pair 0    game 0  A is X     game 1  A is O     both from the same opening
    pair 1    game 2  A is X     game 3  A is O     both from the next opening
    …

Every game has its own sources of chance, made from the seed and the number of the game, and players are made anew
for every chunk of pairs. So the same seed gives the same match for any number of workers.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gridlab.arena.session import Entrant, Seat, enter
from gridlab.arena.statistics import Interval, paired, wilson
from gridlab.core import draw
from gridlab.core.arguments import check_seed, counted
from gridlab.core.draw import Sheet, between, brief, percent, shown
from gridlab.core.errors import BadNotation, PlayerFault, Resigned
from gridlab.core.progress import bar
from gridlab.core.workers import in_order
from gridlab.games.registry import game
from gridlab.inarow.position import Outcome, Position
from gridlab.inarow.records import PLAYED, RESIGNED, Answered, Record, replay, write_records
from gridlab.inarow.rules import Rules
from gridlab.players.registry import Player

PAIRS_A_JOB = 4
TRIES = 1000  # draws of an opening before it is given up
OPENING, CROSSES, NOUGHTS = 0, 1, 2  # what a source of chance is for
HEADER = ("", "games", "share", "95 %")
MOST_FAULTS = 5  # printed; all are in `faults`


@shown
@dataclass(frozen=True)
class Match:
    """The games of A against B: A is X in the first, third, … and O in the others."""

    rules: Rules
    a: str
    b: str
    openings: str
    seed: int
    records: tuple[Record, ...]

    @property
    def games(self) -> int:
        return len(self.records)

    @cached_property
    def points(self) -> npt.NDArray[np.float64]:
        """What A got from each game: 1 for a win, ½ for a draw."""
        return np.array([_points(record.result, a_is_x=not number % 2) for number, record in enumerate(self.records)])

    @property
    def pair_points(self) -> npt.NDArray[np.float64]:
        """What A got from each pair of games, 0 to 2."""
        return np.asarray(self.points.reshape(-1, 2).sum(axis=1))

    @property
    def a_wins(self) -> int:
        return int(np.sum(self.points == 1))

    @property
    def b_wins(self) -> int:
        return int(np.sum(self.points == 0))

    @property
    def draws(self) -> int:
        return self.games - self.a_wins - self.b_wins

    @property
    def a_score(self) -> float:
        """Points of A a game."""
        return float(self.points.mean())

    @cached_property
    def a_score_interval(self) -> Interval:
        return paired(self.pair_points)

    @property
    def faults(self) -> list[str]:
        """A sentence for every game that was lost by a wrong, late or missing answer."""
        ends = PLAYED, RESIGNED
        return [
            f"game {number}: {each.reason}" for number, each in enumerate(self.records, 1) if each.reason not in ends
        ]

    def save(self, out: Path | str) -> None:
        """Write the games as JSON lines."""
        write_records(Path(out), self.records)

    def as_dict(self) -> dict[str, Any]:
        return {
            "a": self.a,
            "b": self.b,
            "rules": str(self.rules),
            "games": self.games,
            "a_wins": self.a_wins,
            "b_wins": self.b_wins,
            "draws": self.draws,
            "a_score": self.a_score,
            "a_score_interval": list(self.a_score_interval),
            "faults": self.faults,
            "seed": self.seed,
        }

    def _in_short(self) -> str:
        names = f"{brief(self.a, 24)} – {brief(self.b, 24)}, {self.rules}"
        result = f"+{self.a_wins} ={self.draws} -{self.b_wins}"
        return f"{names}: {result}, {percent(self.a_score)}, {between(self.a_score_interval)}"

    def _sheet(self) -> Sheet:
        notes = [f"A  {self.a}", f"B  {self.b}", *faults_text(self.faults)]
        return Sheet(self._heading(), HEADER, self._rows(), notes)

    def _heading(self) -> str:
        return f"{self.rules}, {counted(self.games, 'game')}, openings {self.openings}, seed {self.seed}"

    def _rows(self) -> list[tuple[str, ...]]:
        counts = (("A wins", self.a_wins), ("draws", self.draws), ("B wins", self.b_wins))
        rows: list[tuple[str, ...]] = [
            (name, f"{count:,}", *_share(count / self.games, wilson(count, self.games))) for name, count in counts
        ]
        rows.append(("score of A", f"{self.points.sum():,.1f}", *_share(self.a_score, self.a_score_interval)))
        return rows

    def __str__(self) -> str:
        table = draw.table(HEADER, self._rows())
        return "\n".join([self._heading(), f"A  {self.a}", f"B  {self.b}", table, *faults_text(self.faults)])


def _share(share: float, interval: Interval) -> tuple[str, str]:
    return f"{share:.1%}", f"{interval.low:.1%} to {interval.high:.1%}"


def faults_text(faults: list[str]) -> list[str]:
    """The first few faults, and how many more there are."""
    more = len(faults) - MOST_FAULTS
    return faults[:MOST_FAULTS] + ([f"and {more:,} more faults"] if more > 0 else [])


def _points(result: Outcome, a_is_x: bool) -> float:
    if result is Outcome.DRAW:
        return 0.5
    return float((result is Outcome.X_WINS) == a_is_x)


def play_match(
    a: str | Player,
    b: str | Player,
    rules: Rules | str,
    games: int = 100,
    openings: str = "random:0",
    seed: int = 0,
    workers: int | None = None,
    progress: bool = False,
    tell: Callable[["Match"], object] = lambda so_far: None,
) -> Match:
    """Let A and B play an even number of games; `openings` says how each pair begins: `random:4` with four moves.

    A player is a text, or an object with `move(position, random)`; classes of a notebook are fine. `tell` hears of the
    match as far as it has been played.
    """
    rules = game(rules, "mnk")
    check_settings(rules, games, openings, seed)
    (one, other), workers = enter([a, b], rules, workers)
    pairs = range(games // 2)
    chunks = (pairs[first : first + PAIRS_A_JOB] for first in pairs[::PAIRS_A_JOB])
    jobs = [Job(rules, one, other, parse_openings(openings), seed, chunk) for chunk in chunks]
    workers = min(workers, len(jobs))
    played: list[Record] = []
    with bar(games, f"{one.name} – {other.name}", "games", progress) as shown:
        shared = in_order(play_pairs, jobs, workers, processes=True, name=Job.name)
        for records in shared if workers > 1 else map(play_pairs, jobs):
            played += records
            shown.update(len(records))
            tell(Match(rules, one.name, other.name, openings, seed, tuple(played)))
    return Match(rules, one.name, other.name, openings, seed, tuple(played))


def check_settings(rules: Rules, games: int, openings: str, seed: int) -> None:
    """Refuse what cannot be played before anything is."""
    if games < 2 or games % 2:
        raise BadNotation(
            f"{counted(games, 'game')} cannot be played in pairs that share an opening; an even number is needed"
        )
    check_seed(seed)
    draw_opening(rules, parse_openings(openings), _chance(seed, 0, OPENING))


def parse_openings(text: str) -> int:
    """The number of random moves a game begins with: `random:4` is 4."""
    kind, _, number = text.partition(":")
    if kind != "random" or not (number.isascii() and number.isdigit() and len(number) < 4):
        raise BadNotation(f"{text!r} is not a way to open games; write random:4 for four random moves, or random:0")
    return int(number)


def draw_opening(rules: Rules, length: int, random: np.random.Generator) -> tuple[int, ...]:
    """Random moves after which the game is not over, every such sequence equally likely.

    Lines once completed stay, so a game that is not over afterwards was not over before.
    """
    for _ in range(TRIES if length < rules.cells else 0):
        moves = random.permutation(rules.cells)[:length].tolist()
        crosses, noughts = (sum(1 << move for move in moves[side::2]) for side in (0, 1))
        if Position(rules, crosses, noughts).outcome() is None:
            return tuple(moves)
    raise BadNotation(f"no {length} random moves were found that leave a game of {rules} open; fewer are needed")


class Job(NamedTuple):
    """A chunk of pairs for one worker."""

    rules: Rules
    a: Entrant
    b: Entrant
    opening: int
    seed: int
    pairs: range

    def name(self) -> str:
        return f"games {2 * self.pairs.start + 1} to {2 * self.pairs.stop}"


def play_pairs(job: Job) -> list[Record]:
    """The games of a chunk."""
    a, b = Seat(job.a, job.rules), Seat(job.b, job.rules)
    try:
        return list(_games(job, a, b))
    finally:
        try:
            a.leave()
        finally:
            b.leave()


def _games(job: Job, a: Seat, b: Seat) -> Iterator[Record]:
    for pair in job.pairs:
        opening = draw_opening(job.rules, job.opening, _chance(job.seed, 2 * pair, OPENING))
        yield play_game(a, b, job.rules, opening, job.seed, 2 * pair)
        yield play_game(b, a, job.rules, opening, job.seed, 2 * pair + 1)


def _chance(seed: int, game: int, purpose: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(game, purpose)))


def play_game(x: Seat, o: Seat, rules: Rules, opening: tuple[int, ...], seed: int, number: int) -> Record:
    """One game to its end, or to the first fault, which loses it."""
    moves = list(opening)
    position = replay(opening, rules)
    players = {"X": (x, _chance(seed, number, CROSSES)), "O": (o, _chance(seed, number, NOUGHTS))}
    reason, answers = PLAYED, list[Answered]()
    while (result := position.outcome()) is None:
        seat, random = players[position.to_move]
        try:
            move = seat.move(position, random, moves)
        except PlayerFault as fault:
            given = f"{position.to_move}, {seat.name}, lost by a fault: {fault}"
            reason = RESIGNED if isinstance(fault, Resigned) else given
            result = Outcome.O_WINS if position.to_move == "X" else Outcome.X_WINS
        if seat.tries:
            answers.append(Answered(len(moves), seat.tries))
        if result is not None:
            seat.leave()
            break
        moves.append(move)
        position = position.play(move)
    return Record(rules, x.name, o.name, tuple(moves), result, reason, seed, len(opening), tuple(answers))
