"""Two players held against each other, in the way their game allows; of a game between two many games, in pairs.

    pair 0    game 0  A begins     game 1  B begins     both from the same opening
    pair 1    game 2  A begins     game 3  B begins     both from the next opening
    …

Every game has its own sources of chance, made from the seed and the number of the game, and players are made anew
for every chunk of pairs. So the same seed gives the same match for any number of workers.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from gridlab.arena.records import PLAYED, RESIGNED, Answered, Record, duel, other_side, replay, start_of, write_records
from gridlab.arena.session import Entrant, Seat, enter
from gridlab.arena.statistics import Interval, paired, wilson
from gridlab.core import draw
from gridlab.core.arguments import check_seed, counted, typed
from gridlab.core.draw import Sheet, between, brief, percent, shown
from gridlab.core.errors import BadNotation, PlayerFault, Resigned
from gridlab.core.progress import bar
from gridlab.core.run import in_order
from gridlab.games.registry import GameRules, Move, family_of, game
from gridlab.players.registry import Player

if TYPE_CHECKING:
    from gridlab.game2048.evaluate import ScoreMatch
    from gridlab.game2048.rules import Rules2048
    from gridlab.inarow.rules import Rules

PAIRS_A_JOB = 4
TRIES = 1000  # draws of an opening before it is given up
OPENING, SIDES = 0, 1  # what a source of chance is for: the opening, and each side in turn
HEADER = ("", "games", "share", "95 %")
MOST_FAULTS = 5  # printed; all are in `faults`


@shown
@dataclass(frozen=True)
class Match:
    """The games of A against B: A begins the first, third, … and B the others."""

    rules: Any
    a: str
    b: str
    openings: str
    seed: int
    records: tuple[Any, ...]

    @property
    def games(self) -> int:
        return len(self.records)

    @cached_property
    def points(self) -> npt.NDArray[np.float64]:
        """What A got from each game: 1 for a win, ½ for a draw."""
        sides = self.rules.sides  # of A, in turn
        return np.array([_points(each.winner, sides[number % 2]) for number, each in enumerate(self.records)])

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


def _points(winner: str | None, own: str) -> float:
    return 0.5 if winner is None else float(winner == own)


@overload
def play_match(
    a: str | Player, b: str | Player, rules: "Rules", games: int = 100, openings: str = ..., seed: int = 0,
    workers: int | None = None, progress: bool = False,
) -> "Match": ...  # fmt: skip
@overload
def play_match(
    a: str | Player, b: str | Player, rules: "Rules2048", games: int = 100, openings: str = ..., seed: int = 0,
    workers: int | None = None, progress: bool = False,
) -> "ScoreMatch": ...  # fmt: skip
@overload
def play_match(
    a: str | Player, b: str | Player, rules: str, games: int = 100, openings: str = ..., seed: int = 0,
    workers: int | None = None, progress: bool = False,
) -> Any: ...  # fmt: skip
@typed
def play_match(
    a: str | Player,
    b: str | Player,
    rules: GameRules | str,
    games: int = 100,
    openings: str = "random:0",
    seed: int = 0,
    workers: int | None = None,
    progress: bool = False,
) -> Any:
    """Let A and B play; a player is a text, or an object with `move(position, random)`, of a notebook too.

    `openings` says how games between two begin: `random:4` with four random moves. The same seed gives the same games
    for any number of workers. In 2048 A and B each play alone, on the same chance.
    """
    played: GameRules = game(rules)
    return family_of(played).load("match")(a, b, played, games, openings, seed, workers, progress)


def play_between(
    a: str | Player,
    b: str | Player,
    rules: GameRules | str,
    games: int = 100,
    openings: str = "random:0",
    seed: int = 0,
    workers: int | None = None,
    progress: bool = False,
    tell: Callable[["Match"], object] = lambda so_far: None,
) -> Match:
    """Let A and B play an even number of games; `tell` hears of the match as far as it has been played."""
    played: GameRules = duel(rules)
    check_settings(played, games, openings, seed)
    (one, other), workers = enter([a, b], played, workers)
    pairs = range(games // 2)
    chunks = (pairs[first : first + PAIRS_A_JOB] for first in pairs[::PAIRS_A_JOB])
    jobs = [Job(played, one, other, parse_openings(openings), seed, chunk) for chunk in chunks]
    workers = min(workers, len(jobs))
    records: list[Record] = []
    with bar(games, f"{one.name} – {other.name}", "games", progress) as shown:
        shared = in_order(play_pairs, jobs, workers, processes=True, name=Job.name)
        for some in shared if workers > 1 else map(play_pairs, jobs):
            records += some
            shown.update(len(some))
            tell(Match(played, one.name, other.name, openings, seed, tuple(records)))
    return Match(played, one.name, other.name, openings, seed, tuple(records))


def check_settings(rules: GameRules, games: int, openings: str, seed: int) -> None:
    """Refuse what cannot be played before anything is."""
    if games < 2 or games % 2:
        raise BadNotation(
            f"{counted(games, 'game')} cannot be played in pairs that share an opening; an even number is needed"
        )
    check_seed(seed)
    opening_of(rules, parse_openings(openings), seed, 0)


def parse_openings(text: str) -> int:
    """The number of random moves a game begins with: `random:4` is 4."""
    kind, _, number = text.partition(":")
    if kind != "random" or not (number.isascii() and number.isdigit() and len(number) < 4):
        raise BadNotation(f"{text!r} is not a way to open games; write random:4 for four random moves, or random:0")
    return int(number)


def opening_of(rules: GameRules, length: int, seed: int, game: int) -> tuple[Move, ...]:
    """The random moves with which a game begins."""
    drawn: tuple[Move, ...] = family_of(rules).load("openings")(rules, length, _chance(seed, game, OPENING))
    return drawn


def draw_opening(rules: GameRules, length: int, random: np.random.Generator) -> tuple[Move, ...]:
    """Random moves after which the game is not over."""
    for _ in range(TRIES):
        position, moves = start_of(rules), list[Move]()
        while not position.over and len(moves) < length:
            legal = position.moves()
            moves.append(legal[random.integers(len(legal))])
            position = position.step(moves[-1], random)
        if not position.over:
            return tuple(moves)
    raise no_opening(rules, length)


def no_opening(rules: GameRules, length: int) -> BadNotation:
    """Why a game cannot open with so many moves."""
    return BadNotation(f"no {length} random moves were found that leave a game of {rules} open; fewer are needed")


class Job(NamedTuple):
    """A chunk of pairs for one worker."""

    rules: GameRules
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
        opening = opening_of(job.rules, job.opening, job.seed, 2 * pair)
        yield play_game(a, b, job.rules, opening, job.seed, 2 * pair)
        yield play_game(b, a, job.rules, opening, job.seed, 2 * pair + 1)


def _chance(seed: int, game: int, purpose: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(game, purpose)))


def play_game(first: Seat, second: Seat, rules: Any, opening: tuple[Move, ...], seed: int, number: int) -> Record:
    """One game to its end, or to the first fault, which loses it."""
    seats, moves, answers = (first, second), list(opening), list[Answered]()
    chance = [_chance(seed, number, SIDES + place) for place in range(2)]
    players = dict(zip(rules.sides, zip(seats, chance, strict=True), strict=True))
    position, reason = replay(opening, rules), PLAYED
    winner = position.winner
    while not position.over and reason == PLAYED:
        side, ply = position.to_move, len(moves)
        seat, random = players[side]
        try:
            moves.append(seat.move(position, random, moves))
            position = position.step(moves[-1], random)
            winner = position.winner
        except PlayerFault as fault:
            reason = RESIGNED if isinstance(fault, Resigned) else f"{side}, {seat.name}, lost by a fault: {fault}"
            winner = other_side(side, rules)
        if seat.tries:
            answers.append(Answered(ply, seat.tries))
        if reason != PLAYED:
            seat.leave()
    names = first.name, second.name
    more = reason, seed, len(opening), tuple(answers)
    record: Record = family_of(rules).load("record").of(rules, names, moves, winner, *more)
    return record
