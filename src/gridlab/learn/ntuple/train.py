"""A player of 2048 learnt from nothing but its own games: an n-tuple network by temporal differences.

    train_ntuple("2048", "best.ntuple", minutes=10, progress=True)

    FILE             the network, for players
    FILE.training    everything, to go on from with `resume`; it may be thrown away when nobody wants to
    FILE.png         mean score and tiles reached, over the games or the minutes

One worker with the same seed and number of games makes the same FILE to the byte, stopped and resumed or not; how long
it took stands in FILE.training alone. A plan in minutes plays as many games as the machine can, and never repeats.
Several workers share the weights without locks: faster, and never twice the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from gridlab.core.arguments import typed
from gridlab.core.files import locked, try_place
from gridlab.core.numbers import counted
from gridlab.core.shown import Sheet, brief, shown
from gridlab.core.workers import available_cores
from gridlab.games.game2048.rules import Rules2048
from gridlab.games.registry import game
from gridlab.learn.ntuple.learner import begin, describe, go_on
from gridlab.learn.ntuple.settings import Asked
from gridlab.learn.overrides import parse_overrides
from gridlab.nets.ntuple_file import Learnt, Point


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

    def as_dict(self) -> dict[str, Any]:
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
    rules: Rules2048 | str,
    out: Path | str,
    games: int | None = None,
    minutes: float | None = None,
    preset: str | None = None,
    tuples: str | None = None,
    rate: str | None = None,
    step: float | None = None,
    trace: float | None = None,
    restart: int | None = None,
    optimistic: float | None = None,
    settings: Mapping[str, object] | Sequence[str] = (),
    seed: int | None = None,
    workers: int | None = None,
    resume: bool = False,
    progress: bool = False,
) -> NTupleTraining:
    """Learn a network; Ctrl-C ends it after the games being played, and saves.

    What is None is as in preset `minutes`, seed 0, all cores; or, with `resume`, as the training was begun.
    `settings` are numbers by name, such as {"step": 0.5} or ["step=0.5"].
    """
    path, rules = try_place(Path(out)), game(rules, "2048")
    asked = Asked(preset, minutes, games, tuples, rate, step, trace, restart, optimistic, seed)
    asked = asked.with_settings(parse_overrides(settings))
    with locked(path):
        learner = go_on(path, asked, rules) if resume else begin(path, asked, rules)
        done = learner.run(workers or available_cores(), progress)
    return NTupleTraining(path, rules, learner.learnt, done)
