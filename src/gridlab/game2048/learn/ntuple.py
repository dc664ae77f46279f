"""A player of 2048 learnt from nothing but its own games: an n-tuple network by temporal differences.

    train_ntuple("2048", "best.ntuple", minutes=10, progress=True)

    FILE             the network, for players
    FILE.training    everything, to go on from with `resume`; it may be thrown away when nobody wants to
    FILE.png         mean score and tiles reached, over the games or the minutes

One worker with the same seed and number of games makes the same FILE to the byte, stopped and resumed or not; how long
it took stands in FILE.training alone. A plan in minutes plays as many games as the machine can, and never repeats.
Several workers share the weights without locks: faster, and never twice the same.
"""

import math
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from gridlab.core.arguments import counted, typed
from gridlab.core.bits import States, Stop, streams
from gridlab.core.draw import AsJson, Sheet, brief, shown
from gridlab.core.errors import BadNotation, CorruptFile, FileTrouble
from gridlab.core.files import locked, try_place
from gridlab.core.progress import bar
from gridlab.core.run import available_cores, call, stop_flag
from gridlab.game2048.kernels import row_tables
from gridlab.game2048.learn import ntuple_kernels as kernels
from gridlab.game2048.learn.ntuple_file import RECIPE, Learnt, Point, read_head, read_network, write_network
from gridlab.game2048.learn.ntuple_kernels import GAMES, MOVES, SCORES, TALLY, TILES, Tally
from gridlab.game2048.rules import Rules2048
from gridlab.game2048.search.ntuple import Cells, default_tuples, new_network, number_of_places, parse_tuples
from gridlab.games.registry import game
from gridlab.learn import run
from gridlab.learn.curves import BESIDE, COLOURS, Line, Panel, plot_panels
from gridlab.learn.run import Asked

# ---- What a training of an n-tuple network is asked to do, and the recipes that have a name


STEPS = {"td": 0.1, "tc": 1.0}  # one rate for all weights is small, as it never falls
MOST_MINUTES = 60.0 * 24 * 365
FORMS = get_type_hints(Learnt, include_extras=True)
NUMBERS: AsJson = {
    "minutes": Annotated[float, Meta(gt=0, le=MOST_MINUTES)],
    "games": Annotated[int, Meta(ge=1, le=2**53)],
    **{name: FORMS[name] for name in RECIPE if name != "rate"},
}
PRESETS = {"minutes": (10.0, Learnt(restart=1500)), "hour": (60.0, Learnt(restart=1500, settle=0.6))}


def with_numbers(asked: Asked) -> Asked:
    """What was asked for, with numbers named by --setting; what an option says already is not said twice."""
    found = run.values_of(asked.more, NUMBERS)
    for name in found:
        if name in asked.said:
            raise BadNotation(f"{name} is said by an option and by --setting; say it once")
    return replace(asked, said=asked.said | found)


@dataclass(frozen=True)
class Plan:
    """A training that can begin, or go on: how it learns, and where it ends."""

    tuples: tuple[Cells, ...]
    learnt: Learnt  # before
    games: int | None
    minutes: float | None

    def left(self, learnt: Learnt) -> tuple[int | None, float | None]:
        """Games or seconds that are left, to the end or to where it settles."""
        share = 1.0 if learnt.settled else learnt.settle
        games = None if self.games is None else max(0, math.ceil(share * self.games) - learnt.games)
        return games, None if self.minutes is None else max(0.0, 60 * share * self.minutes - learnt.seconds)


def plan(asked: Asked, rules: Rules2048) -> Plan:
    """A training that begins."""
    minutes, usual = find_preset(asked)
    rate = asked.said.get("rate", "tc")
    if rate not in STEPS:
        raise BadNotation(f"{rate!r} is not a kind of rate; td has one for all weights, tc one for each")
    numbers = {"step": STEPS[rate]} | {name: asked.said[name] for name in RECIPE if name in asked.said}
    learnt = msgspec.structs.replace(usual, seed=asked.seed or 0, **numbers)
    check(learnt)
    tuples = parse_tuples(asked.said.get("tuples") or default_tuples(rules), rules)
    return _ending(Plan(tuples, learnt, None, minutes), asked)


def plan_to_go_on(asked: Asked, rules: Rules2048, tuples: tuple[Cells, ...], learnt: Learnt, what: object) -> Plan:
    """A training that goes on: as it was begun, to another end perhaps."""
    begun = {name: getattr(learnt, name) for name in (*RECIPE, "seed")}
    run.require_same(begun, asked.with_seed, what, error=BadNotation)
    named = asked.said.get("tuples")
    if named is not None and parse_tuples(named, rules) != tuples:
        raise BadNotation(f"{what} was begun with other tuples than {named}; leave them out, or start again")
    return _ending(Plan(tuples, learnt, None, find_preset(asked)[0]), asked)


def find_preset(asked: Asked) -> tuple[float, Learnt]:
    """The minutes of a recipe, and how it learns."""
    name = asked.said.get("preset") or "minutes"
    if name not in PRESETS:
        raise BadNotation(f"{name!r} is not a preset; there are {', '.join(PRESETS)}")
    return PRESETS[name]


def check(learnt: Learnt) -> None:
    """Refuse numbers with which nothing can be learnt."""
    for name in RECIPE[1:]:
        value, form = getattr(learnt, name), NUMBERS[name].__metadata__[0]
        low = form.ge if form.gt is None else form.gt
        if not low <= value <= form.le or value == form.gt:
            raise BadNotation(f"{name} {value:g} is out of range; {low:g} to {form.le:g} can be learnt with")


def _ending(plan: Plan, asked: Asked) -> Plan:
    games, minutes = asked.said.get("games"), asked.said.get("minutes")
    if games is not None and minutes is not None:
        raise BadNotation("a training ends after so many games or so many minutes: name one of them")
    if games is not None:
        if games < 1:
            raise BadNotation(f"{games} games teach nothing; name 1 or more")
        return replace(plan, games=games, minutes=None)
    minutes = plan.minutes if minutes is None else minutes
    if minutes is None or not 0 < minutes <= MOST_MINUTES:
        raise BadNotation(f"{minutes} minutes are not enough to learn anything; write a larger number, such as 10")
    return replace(plan, minutes=minutes)


# ---- The picture of a training: mean score above, tiles reached below, over the time it took, or over its games


TILE_COLOURS = (COLOURS[0], COLOURS[2], COLOURS[1], *COLOURS[3:])


def plot_curve(curve: Sequence[Point], path: Path) -> None:
    """The games that were learnt from: those of a network that is still changing."""
    timed = any(point.seconds for point in curve)  # not where the plan counts games
    along = [point.seconds / 60 if timed else point.games for point in curve]
    tiles = sorted({int(tile) for point in curve for tile, rate in point.tile_rates.items() if rate >= 0.01})[-5:]

    def line(label: str, numbers: Iterable[float], colour: str) -> Line:
        return Line(label, list(zip(along, numbers, strict=True)), colour)

    scores = line("", (point.mean_score for point in curve), COLOURS[0])
    reached = [
        line(f"{tile:,}", (100 * point.tile_rates.get(str(tile), 0.0) for point in curve), colour)
        for tile, colour in zip(tiles, TILE_COLOURS, strict=False)
    ]
    below = {"xlabel": "minutes" if timed else "games", "ylabel": "games that reached a tile, %", "ylim": (0, 102)}
    above = Panel([scores], {"ylabel": "mean score", "ylim": (0, None)}, numbers="{x:,.0f}")
    plot_panels(path, above, Panel(reached, below, BESIDE))


# ---- A training of an n-tuple network at work: threads that share its weights, and what is kept on disk


CHUNK = 16  # games that a worker takes at a time
POINTS = 1.04  # each point of the curve has so many times the games of the one before
FEW_GAMES = 100  # before the first point
SETTLED = 0.1  # of the rate, once a training has settled


def begin(path: Path, asked: Asked, rules: Rules2048) -> "Learner":
    """A new training, where there is none."""
    run.require_new(run.training_of(path))
    wanted = plan(asked, rules)
    network = new_network(wanted.tuples, rules)
    if wanted.learnt.optimistic:
        network.weights[:] = wanted.learnt.optimistic / number_of_places(network)
    sums = np.zeros(2 * len(network.weights) if wanted.learnt.rate == "tc" else 0, np.float32)
    return Learner(path, rules, wanted, network.weights, sums, np.empty(0, np.uint64), wanted.learnt)


def go_on(path: Path, asked: Asked, rules: Rules2048) -> "Learner":
    """The training that was saved beside a file."""
    saved = read_network(run.training_of(path), "training")
    if saved.rules != rules:
        raise FileTrouble(f"{saved.path} is a training for {saved.rules}, not for {rules}")
    states = saved.states()
    sums = saved.sums if saved.head.learnt.rate == "tc" else np.empty(0, np.float32)
    wanted = plan_to_go_on(asked, rules, saved.tuples, saved.head.learnt, saved.path)
    since = tally_of(saved.head.learnt.since, saved.path)
    learnt = msgspec.structs.replace(saved.head.learnt, since=())
    return Learner(path, rules, wanted, saved.weights, sums, states, learnt, since)


def tally_of(numbers: Sequence[int], path: Path) -> Tally:
    """The games since the last point of a curve; files of earlier versions do not count them."""
    tally = np.array(numbers or [0] * TALLY, np.int64)
    if len(tally) != TALLY or tally[TILES:].sum() > tally[GAMES]:
        raise CorruptFile(f"{path} does not say how the games since the last point of its curve went")
    return tally


@dataclass
class Learner:
    """A training at work: weights and sums are shared by its threads, each of which has a stream of chance."""

    path: Path
    rules: Rules2048
    plan: Plan
    weights: NDArray[np.float32]
    sums: NDArray[np.float32]
    states: States
    learnt: Learnt
    since: Tally = field(default_factory=lambda: np.zeros(TALLY, np.int64))  # the last point of the curve
    taken: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, workers: int, progress: bool) -> bool:
        """Learn until the plan is fulfilled; False if Ctrl-C ended it. All is saved now and then, and at the end."""
        if len(self.states) < workers:
            more = streams(self.learnt.seed, workers - len(self.states), len(self.states))
            self.states = np.concatenate([self.states, more])
        self.learnt = msgspec.structs.replace(self.learnt, workers=max(workers, self.learnt.workers))
        total, unit = (60 * self.plan.minutes, "s") if self.plan.minutes else (self.plan.games, "games")
        done = round(self.learnt.seconds if self.plan.minutes else self.learnt.games)
        with (
            bar(round(total or 0), f"learning {self.rules}", unit, progress, done=done) as shown,
            run.saving_first(self._save_training, lambda: True),
        ):
            if self.is_done() and not self._is_written():  # an error has ended it at the very end
                self.save()
            while not self.is_done():
                try:
                    self._learn_for_a_while(workers, shown)
                except KeyboardInterrupt:
                    self.save()
                    return self.is_done()
                self._settle()
                self.save()
        return True

    def is_done(self) -> bool:
        return 0 in self.plan.left(self.learnt) and (self.learnt.settled or self.learnt.settle == 1)

    def _settle(self) -> None:
        """From here on in small steps, if it is time for that."""
        if 0 in self.plan.left(self.learnt) and self.learnt.settle < 1:
            self.learnt = msgspec.structs.replace(self.learnt, settled=True)

    def _learn_for_a_while(self, workers: int, shown: Any) -> None:
        """Let all workers learn until the end, or until it is time to save; the clock starts when all is compiled."""
        stop, before = stop_flag(), self.learnt.seconds
        _, seconds = self.plan.left(self.learnt)
        self.taken = self.learnt.games
        call(lambda: self._work(0, stop, compile_only=True), stop)
        begun = time.monotonic()

        def watch() -> None:
            with self.lock:
                self.learnt = msgspec.structs.replace(self.learnt, seconds=before + time.monotonic() - begun)
            run.advance(shown, self.learnt.games if seconds is None else self.learnt.seconds, self._state())

        def work() -> None:
            with ThreadPoolExecutor(workers) as pool:
                list(pool.map(lambda worker: self._work(worker, stop), range(workers)))

        try:
            call(work, stop, run.SAVE_EVERY if seconds is None else min(run.SAVE_EVERY, seconds), watch)
        finally:
            watch()

    def _work(self, worker: int, stop: Stop, compile_only: bool = False) -> None:
        """What a thread does: take some games, learn from them, tell about them."""
        network, learnt = new_network(self.plan.tuples, self.rules, self.weights), self.learnt
        step = learnt.step * SETTLED if learnt.settled else learnt.step
        recipe = kernels.Recipe(step, learnt.trace, learnt.restart, *self.rules.odds)
        path, rows = kernels.new_path(network), row_tables(self.rules)
        tally = np.zeros(TALLY, np.int64)
        if compile_only:
            kernels.learn_games(0, network, self.sums, recipe, rows, path, self.states, worker, tally, stop)
            return
        while games := self._take():
            tally = np.zeros(TALLY, np.int64)
            played = kernels.learn_games(
                games, network, self.sums, recipe, rows, path, self.states, worker, tally, stop
            )
            self._give(tally)
            if played < games:
                return

    def _take(self) -> int:
        """How many games to play next."""
        with self.lock:
            left, _ = self.plan.left(msgspec.structs.replace(self.learnt, games=self.taken))
            games = CHUNK - self.taken % CHUNK if left is None else min(CHUNK - self.taken % CHUNK, left)
            self.taken += games
            return games

    def _give(self, tally: Tally) -> None:
        """Add up what was played; a point of the curve now and then, after so many games whoever was stopped when."""
        with self.lock:
            self.since += tally
            learnt = self.learnt
            games, moves = learnt.games + int(tally[GAMES]), learnt.moves + int(tally[MOVES])
            last = learnt.curve[-1].games if learnt.curve else 0
            curve, reached = learnt.curve, games if games == self.plan.games else games // CHUNK * CHUNK
            if reached >= max(FEW_GAMES, POINTS * last) and self.since[GAMES]:
                curve = (*curve, point(self.since, games, moves, learnt.seconds))
                self.since = np.zeros(TALLY, np.int64)
            self.learnt = msgspec.structs.replace(learnt, games=games, moves=moves, curve=curve)

    def _state(self) -> str:
        return describe(self.learnt.curve[-1]) if self.learnt.curve else ""

    def save(self) -> None:
        """What is needed to go on, then the picture; the network is last, so that all is written where it is."""
        self._save_training()
        learnt = self._told()
        with run.where_extras_allow():
            plot_curve(learnt.curve, self.path.with_name(f"{self.path.name}.png"))
        write_network(self.path, self.rules, self.plan.tuples, self.weights, learnt)

    def _told(self) -> Learnt:
        """What the file for players says: times only where they say how long the training was to be."""
        return self.learnt if self.plan.minutes else self.learnt.without_times()

    def _is_written(self) -> bool:
        """Whether the file for players is that of this training."""
        try:
            return read_head(self.path).learnt == self._told()
        except FileTrouble:
            return False

    def _save_training(self) -> None:
        sums = self.sums if len(self.sums) else np.zeros(2 * len(self.weights), np.float32)
        write_network(
            run.training_of(self.path), self.rules, self.plan.tuples, self.weights,
            msgspec.structs.replace(self.learnt, since=tuple(self.since.tolist())), sums=sums,
            streams=self.states.tolist(),
        )  # fmt: skip


def point(tally: Tally, games: int, moves: int, seconds: float) -> Point:
    """A point of the curve: how the games since the last one went."""
    played = int(tally[GAMES])
    reached = np.cumsum(tally[TILES:][::-1])[::-1] / played
    rates = {str(1 << exponent): float(rate) for exponent, rate in enumerate(reached) if exponent and rate > 0}
    return Point(games, moves, seconds, float(tally[SCORES]) / played, rates)


def describe(point: Point) -> str:
    """How the latest games went, in a few words."""
    rates = [f"{tile} in {rate:.0%}" for tile, rate in point.tile_rates.items() if 0.005 <= rate < 0.995]
    return ", ".join([f"mean score {point.mean_score:,.0f}", *rates[-3:]])


# ---- A player of 2048 learnt from nothing but its own games: an n-tuple network by temporal differences


@shown
@dataclass(frozen=True)
class NTupleTraining:
    """The state of a training."""

    path: Path
    rules: Rules2048
    learnt: Learnt
    done: bool

    @property
    def latest(self) -> Point | None:
        return self.learnt.curve[-1] if self.learnt.curve else None

    def as_dict(self) -> AsJson:
        learnt = {name: value for name, value in msgspec.to_builtins(self.learnt).items() if name != "since"}
        return {"file": str(self.path), "rules": str(self.rules), "done": self.done, **learnt}

    def _in_short(self) -> str:
        score = f", mean score {self.latest.mean_score:,.0f}" if self.latest else ""
        done = "done" if self.done else "not done"
        return f"{brief(self.path.name)}, {self.rules}: {counted(self.learnt.games, 'game')}, {done}{score}"

    def _sheet(self) -> Sheet:
        rows = [(each.games, each.moves, f"{each.seconds:,.0f}", each.mean_score) for each in self.learnt.curve]
        header = ("games", "moves", "seconds", "mean score")
        return Sheet(self._in_short(), header, rows, [str(self.path)])

    def __str__(self) -> str:
        learnt = self.learnt
        rate = learnt.moves / learnt.seconds if learnt.seconds else 0.0
        text = (
            f"{self.path}: {counted(learnt.games, 'game')}, {counted(learnt.moves, 'move')} in "
            f"{learnt.seconds / 60:.1f} minutes by {counted(learnt.workers, 'worker')}, {rate:,.0f} a second"
        )
        return f"{text}\nthe latest games: {describe(self.latest)}" if self.latest else text


@typed
def train_ntuple(
    rules: Rules2048 | str, out: Path | str, games: int | None = None, minutes: float | None = None,
    preset: str | None = None, tuples: str | None = None, rate: str | None = None, step: float | None = None,
    trace: float | None = None, restart: int | None = None, optimistic: float | None = None,
    settings: Mapping[str, object] | Sequence[str] = (), seed: int | None = None, workers: int | None = None,
    resume: bool = False, progress: bool = False,
) -> NTupleTraining:  # fmt: skip
    """Learn a network; Ctrl-C ends it after the games being played, and saves.

    What is None is as in preset `minutes`, seed 0, all cores; or, with `resume`, as the training was begun.
    `settings` are numbers by name, such as {"step": 0.5} or ["step=0.5"].
    """
    path, rules = try_place(Path(out)), game(rules, "2048")
    asked = with_numbers(Asked.of(
        settings, seed, preset=preset, minutes=minutes, games=games, tuples=tuples, rate=rate, step=step, trace=trace,
        restart=restart, optimistic=optimistic,
    ))  # fmt: skip
    with locked(path):
        learner = go_on(path, asked, rules) if resume else begin(path, asked, rules)
        done = learner.run(workers or available_cores(), progress)
    return NTupleTraining(path, rules, learner.learnt, done)
