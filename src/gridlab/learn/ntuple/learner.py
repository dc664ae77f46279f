"""A training of an n-tuple network at work: threads that share its weights, and what is kept on disk."""

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from gridlab.core.errors import CorruptFile, FileTrouble
from gridlab.core.progress import bar
from gridlab.core.splitmix import States, streams
from gridlab.core.stop import Stop, stop_flag
from gridlab.core.workers import call
from gridlab.games.game2048.row_tables import row_tables
from gridlab.games.game2048.rules import Rules2048
from gridlab.learn.ntuple import kernels
from gridlab.learn.ntuple.curves import plot_curve
from gridlab.learn.ntuple.kernels import GAMES, MOVES, SCORES, TALLY, TILES, Tally
from gridlab.learn.ntuple.settings import Asked, Plan, plan, plan_to_go_on
from gridlab.learn.reports import SAVE_EVERY, advance, require_new, saving_first, training_of, where_extras_allow
from gridlab.nets.ntuple_file import Learnt, Point, read_head, read_network, write_network
from gridlab.search.game2048.ntuple import new_network, number_of_places

CHUNK = 16  # games that a worker takes at a time
POINTS = 1.04  # each point of the curve has so many times the games of the one before
FEW_GAMES = 100  # before the first point
SETTLED = 0.1  # of the rate, once a training has settled


def begin(path: Path, asked: Asked, rules: Rules2048) -> "Learner":
    """A new training, where there is none."""
    require_new(training_of(path))
    wanted = plan(asked, rules)
    network = new_network(wanted.tuples, rules)
    if wanted.learnt.optimistic:
        network.weights[:] = wanted.learnt.optimistic / number_of_places(network)
    sums = np.zeros(2 * len(network.weights) if wanted.learnt.rate == "tc" else 0, np.float32)
    return Learner(path, rules, wanted, network.weights, sums, np.empty(0, np.uint64), wanted.learnt)


def go_on(path: Path, asked: Asked, rules: Rules2048) -> "Learner":
    """The training that was saved beside a file."""
    saved = read_network(training_of(path), "training")
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
            saving_first(self._save_training, lambda: True),
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
            advance(shown, self.learnt.games if seconds is None else self.learnt.seconds, self._state())

        def work() -> None:
            with ThreadPoolExecutor(workers) as pool:
                list(pool.map(lambda worker: self._work(worker, stop), range(workers)))

        try:
            call(work, stop, SAVE_EVERY if seconds is None else min(SAVE_EVERY, seconds), watch)
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
        """What is needed to go on, then the network, then the picture."""
        self._save_training()
        learnt = self._told()
        write_network(self.path, self.rules, self.plan.tuples, self.weights, learnt)
        with where_extras_allow():
            plot_curve(learnt.curve, self.path.with_name(f"{self.path.name}.png"))

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
            training_of(self.path), self.rules, self.plan.tuples, self.weights,
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
