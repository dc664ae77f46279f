"""From files of games to a player of 2048: a network learns which direction was chosen.

train_policy(["data/train.jsonl"], "2048.cnn", epochs=10, progress=True)

FILE             the network, for players: the weights that did best on the games kept apart
FILE.training    everything, to go on from with `resume`; it may be thrown away when nobody wants to
FILE.png         loss and accuracy by epoch
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import torch

from gridlab.core.arguments import typed
from gridlab.core.errors import FileTrouble
from gridlab.core.files import locked, try_place
from gridlab.core.numbers import check_seed, counted
from gridlab.core.progress import bar
from gridlab.core.shown import Sheet, brief, shown
from gridlab.core.workers import available_cores
from gridlab.learn.overrides import parse_overrides
from gridlab.learn.reports import (
    SAVE_EVERY,
    advance,
    asked_to_stop,
    require_new,
    saving_first,
    training_of,
    where_extras_allow,
)
from gridlab.learn.supervised.curves import plot_curve
from gridlab.learn.supervised.data import open_data, require_same
from gridlab.learn.supervised.learner import Learner
from gridlab.learn.supervised.measuring import measure_text
from gridlab.learn.supervised.settings import Asked, settings_for, settings_in, settings_to_go_on
from gridlab.nets import policy_file
from gridlab.nets.policy_file import Facts


@shown
@dataclass(frozen=True)
class SupervisedTraining:
    """The state of a training."""

    path: Path
    facts: Facts
    done: bool

    def as_dict(self) -> dict[str, Any]:
        return {"file": str(self.path), "done": self.done, **msgspec.to_builtins(self.facts)}

    def _in_short(self) -> str:
        facts, done = self.facts, "done" if self.done else "not done"
        best = (
            f", best accuracy {facts.curve[facts.best_epoch - 1]['validation_accuracy']:.1%}"
            if facts.best_epoch
            else ""
        )
        return f"{brief(self.path.name)}, {facts.method}, {facts.rules}: {counted(facts.epoch, 'epoch')}, {done}{best}"

    def _sheet(self) -> Sheet:
        header = list(dict.fromkeys(name for row in self.facts.curve for name in row))
        rows = [[row.get(name, "") for name in header] for row in self.facts.curve]
        return Sheet(self._in_short(), [name.replace("_", " ") for name in header], rows, [str(self.path)])

    def __str__(self) -> str:
        facts = self.facts
        row = facts.curve[facts.best_epoch - 1] if facts.best_epoch else None
        text = f"{self.path}: {facts.method}, {counted(facts.epoch, 'epoch')} in {facts.seconds / 60:.1f} minutes"
        if row:
            text += f"; the best was epoch {facts.best_epoch}, validation accuracy {row['validation_accuracy']:.2%}"
        return text if facts.test is None else f"{text}\n{measure_text(facts.test)}"


@typed
def train_policy(
    data: Sequence[Path | str] | Path | str,
    out: Path | str,
    epochs: int | None = None,
    method: str | None = "cnn",
    batch: int | None = None,
    learning_rate: float | None = None,
    augment: bool | None = None,
    settings: Mapping[str, object] | Sequence[str] = (),
    seed: int | None = None,
    workers: int | None = None,
    resume: bool = False,
    progress: bool = False,
) -> SupervisedTraining:
    """Train a network on a file of games, or on several; Ctrl-C ends it after the step at hand, and saves.

    What is None is as usual for the method, seed 0, all cores; or, with `resume`, as the training was begun, for which
    `data` may be empty. `settings` are others, such as {"width": 64} or ["width=64"].
    """
    path = try_place(Path(out))
    files = tuple(Path(each) for each in ([data] if isinstance(data, str | Path) else data))
    overrides = parse_overrides(settings)
    asked = Asked(epochs, batch, learning_rate, augment, None if seed is None else check_seed(seed), overrides)
    before = torch.get_num_threads()
    torch.set_num_threads(workers or available_cores())
    try:
        with locked(path):
            if resume:
                learner = _go_on(path, method, files, asked, progress)
            else:
                learner = _begin(path, method or "cnn", files, asked, progress)
            done = _learn_all(learner, path, progress)
    finally:
        torch.set_num_threads(before)
    return SupervisedTraining(path, learner.facts(), done)


def _begin(path: Path, method: str, files: tuple[Path, ...], asked: Asked, progress: bool) -> Learner:
    require_new(training_of(path))
    settings, seed = settings_for(method, asked), asked.seed or 0
    return Learner(method, open_data(files, settings, seed, progress), settings, seed)


def _go_on(path: Path, method: str | None, files: tuple[Path, ...], asked: Asked, progress: bool) -> Learner:
    """The training that was saved beside a file, with the games it was begun with."""
    saved = policy_file.read(training_of(path))
    facts = saved.facts
    if method is not None and method != facts.method:
        raise FileTrouble(f"{saved.path} was begun with method {facts.method}, not {method}; leave it out")
    begun = settings_in(facts.settings, saved.path)
    settings = settings_to_go_on(begun, facts.seed, facts.epoch, asked, saved.path)
    data = open_data(files or tuple(Path(each.file) for each in facts.data), settings, facts.seed, progress)
    require_same(data, facts.data, saved.path)
    learner = Learner(facts.method, data, settings, facts.seed)
    learner.restore(saved)
    return learner


def _learn_all(learner: Learner, path: Path, progress: bool) -> bool:
    """Learn to the end, or until somebody stops it; either way all is saved."""
    total, batch, saved = learner.settings.epochs * learner.moves, learner.settings.batch, time.monotonic()
    with (
        bar(total, f"training {learner.method}", "moves", progress, done=min(total, learner.steps * batch)) as shown,
        asked_to_stop() as stopped,
        saving_first(lambda: learner.save(training_of(path)), lambda: learner.whole),
    ):
        while not learner.done and not stopped():
            if learner.step_in_epoch < learner.epoch_steps:  # all were made if an error came when it was measured
                learner.step()
            advance(shown, min(total, learner.steps * batch), state_of(learner))
            if learner.step_in_epoch == learner.epoch_steps and learner.end_epoch():
                learner.save_best(path)
            if learner.step_in_epoch == 0 or time.monotonic() - saved > SAVE_EVERY:
                learner.save(training_of(path))
                saved = time.monotonic()
        if learner.best_epoch:
            learner.measure_best()
    learner.save(training_of(path))
    learner.save_best(path)
    with where_extras_allow():
        plot_curve(learner.curve, path.with_name(f"{path.name}.png"))
    return learner.done


def state_of(learner: Learner) -> str:
    """How it goes, in a few words."""
    parts = [f"epoch {learner.epoch + 1}"]
    losses, hits, moves = learner.sums.tolist()
    if moves:
        parts.append(f"loss {losses / moves:.3f}, accuracy {hits / moves:.1%}")
    if learner.curve:
        parts.append(f"validation {learner.curve[-1]['validation_accuracy']:.1%}")
    return ", ".join(parts)
