"""From files of games to a player of 2048: a network learns which direction was chosen.

train_policy(["data/train.jsonl"], "2048.cnn", epochs=10, progress=True)

FILE             the network, for players: the weights that did best on the games kept apart
FILE.training    everything, to go on from with `resume`; it may be thrown away when nobody wants to
FILE.png         loss and accuracy by epoch
"""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
import torch
from msgspec import Meta
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy, mse_loss

from gridlab.core import draw
from gridlab.core.arguments import counted, typed
from gridlab.core.draw import Sheet, brief, shown
from gridlab.core.errors import BadNotation, CorruptFile, FileTrouble
from gridlab.core.files import locked, sha256_of, try_place
from gridlab.core.progress import bar
from gridlab.core.run import available_cores, pause
from gridlab.game2048.datasets.moves import PHASES, Moves2048, Samples
from gridlab.game2048.kernels import row_tables
from gridlab.game2048.learn import policy_networks as policy_file
from gridlab.game2048.learn.policy import input_of
from gridlab.game2048.learn.policy_networks import BEST, NETWORK, OPTIMISER, Facts, Measure, PolicyNetwork, new_policy
from gridlab.game2048.rules import DIRECTIONS, Rules2048
from gridlab.learn import run
from gridlab.learn.curves import BESIDE, COLOURS, Line, Panel, column, plot_panels
from gridlab.learn.networks import Tensors, moments, named, restore_moments
from gridlab.learn.run import Asked

# ---- What a training from games is asked to do: every number in one place, the same for all three networks
#
# A training that is gone on with keeps the settings it was begun with; its file may come from anybody, so every number
# has its range.


Share = Annotated[float, Meta(ge=0, le=1)]
Number = Annotated[int, Meta(ge=1, le=10**6)]


@dataclass(frozen=True)
class SupervisedSettings:
    """A recipe. An epoch sees every move once, or so many as are asked for."""

    epochs: Number = 10
    batch: Annotated[int, Meta(ge=1, le=65_536)] = 512
    learning_rate: Annotated[float, Meta(gt=0, le=1)] = 0.002
    last_learning_rate: Share = 0.00005  # reached at the end along a cosine
    weight_decay: Share = 0.01
    augment: bool = True  # every move as one of the eight images of its board
    epoch_moves: Annotated[int, Meta(ge=0, le=10**10)] = 0  # learnt from in an epoch, drawn at random; 0 all of them
    early: Share = 0.0  # draws the n-th move of a game as n to the power of -early, so that beginnings are not rare
    validation: Annotated[float, Meta(ge=0, le=0.5)] = 0.15  # the share of games that says when to stop
    test: Annotated[float, Meta(ge=0, le=0.5)] = 0.15  # the share of games that says how good it has become
    measured: Annotated[int, Meta(ge=1, le=10**8)] = 50_000  # moves of those looked at, at most
    patience: Annotated[int, Meta(ge=1, le=10**6)] = 5  # epochs without a better validation loss before it ends
    value_weight: Annotated[float, Meta(ge=0, le=100)] = 0.25  # of the value's error beside the policy's
    width: Annotated[int, Meta(ge=4, le=1024)] = 48  # channels of a convolution, numbers of a cell
    layers: Annotated[int, Meta(ge=1, le=16)] = 2  # blocks of the transformer
    heads: Annotated[int, Meta(ge=1, le=64)] = 4  # of attention

    @property
    def shape(self) -> policy_file.Shape:
        return policy_file.Shape(self.width, self.layers, self.heads)


USUAL = {
    "cnn": SupervisedSettings(),
    "dual": SupervisedSettings(),
    "transformer": SupervisedSettings(width=24, heads=4, layers=1, batch=256),
}


def settings_for(method: str, asked: Asked) -> SupervisedSettings:
    """For a new training."""
    if method not in policy_file.METHODS:
        raise BadNotation(f"{method!r} is not a method; there are {', '.join(policy_file.METHODS)}")
    return _checked(run.changed(replace(USUAL[method], **asked.said), asked.more))


def _checked(settings: SupervisedSettings) -> SupervisedSettings:
    if settings.width % settings.heads:
        raise BadNotation(f"{settings.heads} heads do not divide a width of {settings.width}; name another number")
    if settings.validation + settings.test >= 1:
        raise BadNotation("validation and test leave no games to learn from; name smaller shares")
    return settings


def settings_to_go_on(begun: SupervisedSettings, seed: int, epoch: int, asked: Asked, path: Path) -> SupervisedSettings:
    """The settings of a training after so many epochs. It may have more of them than planned, and nothing else."""
    run.require_same({"seed": seed}, asked.with_seed, path)
    wanted = _checked(run.changed(replace(begun, **asked.said), asked.more))
    run.require_same(asdict(begun), asdict(replace(wanted, epochs=begun.epochs)), path)
    if wanted.epochs < epoch:
        raise FileTrouble(
            f"{path} has learnt for {counted(epoch, 'epoch')} already; ask for more than these, or for none"
        )
    return wanted


# ---- Which moves are learnt from, and which are kept apart: whole games, shared out by the seed


LOOKED_AT = 100_000  # moves, for the mean of what remains


@dataclass(frozen=True)
class Data:
    """The three parts of some files of games."""

    train: Moves2048
    validation: Moves2048
    test: Moves2048
    files: tuple[policy_file.DataFile, ...]

    def mean_remaining(self) -> float:
        """Points that a move of training has still to come, on average."""
        return max(1.0, float(self.train.samples(spread(self.train, LOOKED_AT)).remaining.mean()))


def open_data(paths: tuple[Path, ...], settings: SupervisedSettings, seed: int, progress: bool = False) -> Data:
    """Map files into memory and share their games out."""
    if not paths:
        raise BadNotation(
            "a network learns from games: name their files, --data FILE; gridlab 2048 generate makes them"
        )
    moves = Moves2048(*paths, seed=seed, progress=progress)
    shares = (1 - settings.validation - settings.test, settings.validation, settings.test)
    train, validation, test = moves.split(*shares, seed=seed)
    for name, part in (("learn from", train), ("validate with", validation)):
        if not len(part):
            raise BadNotation(
                f"no games are left to {name}: there are too few, {len(moves.games)} in all; "
                "take more games, or other shares: --setting validation=0.5"
            )
    files = tuple(
        policy_file.DataFile(str(file.path), sha256_of(file.path), file.games, len(file.boards)) for file in moves.files
    )
    return Data(train.seen(settings.augment), validation, test if len(test) else validation, files)


def require_same_games(data: Data, begun: tuple[policy_file.DataFile, ...], path: Path) -> None:
    """Refuse to go on with other games than those a training was begun with."""
    was, now = sorted(each.sha256 for each in begun), sorted(each.sha256 for each in data.files)
    if [each.sha256 for each in begun] != [each.sha256 for each in data.files]:
        order = "in another order" if was == now else "not these"
        raise FileTrouble(
            f"{path} was begun with {', '.join(each.file for each in begun)}, {order}; name the same, or start again"
        )


def spread(moves: Moves2048, most: int) -> NDArray[np.int64]:
    """Numbers of moves, all of them or so many from everywhere."""
    return np.linspace(0, len(moves) - 1, min(most, len(moves))).astype(np.int64)


# ---- How well a network does on games it has not learnt from: accuracy by phase of the game, confusion of directions


CHUNK = 4096  # moves


def forward(network: PolicyNetwork, samples: Samples, rules: Rules2048) -> tuple[Tensor, Tensor | None]:
    """What a network says of directions, illegal ones masked, and of values."""
    said: tuple[Tensor, Tensor | None] = network(*input_of(samples.boards, row_tables(rules)))
    return said


def roots_of(samples: Samples, scale: float) -> Tensor:
    """What the value head should say."""
    return torch.from_numpy(np.sqrt(np.maximum(samples.remaining, 0) / scale).astype(np.float32))


@torch.inference_mode()
def measure(network: PolicyNetwork, moves: Moves2048, numbers: NDArray[np.int64], scale: float) -> Measure:
    """Ask a network about moves of a part of the data."""
    was_training, losses, errors = network.training, 0.0, 0.0
    network.eval()
    confusion, phases = np.zeros((4, 4), np.int64), np.zeros((len(PHASES), 2), np.int64)
    for first in range(0, len(numbers), CHUNK):
        pause()
        samples = moves.samples(numbers[first : first + CHUNK])
        said, values = forward(network, samples, moves.rules)
        losses += float(cross_entropy(said, torch.from_numpy(samples.directions), reduction="sum"))
        chosen = said.argmax(1).numpy()
        np.add.at(confusion, (samples.directions, chosen), 1)
        np.add.at(phases, (samples.phases, (chosen == samples.directions).astype(int)), 1)
        if values is not None:
            errors += float(((values - roots_of(samples, scale)) ** 2).sum())
    network.train(was_training)
    number = len(numbers)
    seen = {name: row for name, row in zip(PHASES, phases.tolist(), strict=True) if any(row)}
    rates = {name: hits / (misses + hits) for name, (misses, hits) in seen.items()}
    rows: Any = tuple(map(tuple, confusion.tolist()))
    error = None if network.value is None else (errors / number) ** 0.5
    return Measure(number, losses / number, float(np.trace(confusion)) / number, rates, rows, error)


def measure_text(found: Measure) -> str:
    """A measurement as lines for people."""
    phases = ", ".join(f"{name} {rate:.1%}" for name, rate in found.phases.items())
    rows = [
        (direction, *row, f"{row[i] / sum(row):.1%}" if sum(row) else "")
        for i, (direction, row) in enumerate(zip(DIRECTIONS, found.confusion, strict=True))
    ]
    return "\n".join([
        f"on {counted(found.moves, 'move')} of games kept apart: accuracy {found.accuracy:.2%}, loss {found.loss:.4f}",
        f"by phase: {phases}",
        draw.table(("in the data", *DIRECTIONS, "accuracy"), rows),
    ])  # fmt: skip


# ---- A network that is being trained on games, with all that training needs to go on: optimiser, best weights, curve
#
# Which moves make up a batch, and through which symmetry they are seen, hangs on seed, epoch and step alone: a training
# that was stopped and resumed goes the same way as one that was not.


WARM_UP = 200  # steps at most, a twentieth of all, in which the learning rate rises


class Learner:
    """The state of a training; `epoch` is the number of those that are done."""

    def __init__(self, method: str, data: Data, settings: SupervisedSettings, seed: int) -> None:
        self.method, self.data, self.settings, self.seed = method, data, settings, seed
        self.rules: Rules2048 = data.train.rules
        self.network = new_policy(method, settings.shape, seed)
        self.optimiser = self._new_optimiser()
        self.best = self._weights()
        self.scale = data.mean_remaining() if method == "dual" else 1.0
        self.epoch, self.steps, self.best_epoch, self.seconds = 0, 0, 0, 0.0
        self.sums = np.zeros(3)  # of the epoch at hand: losses, hits, moves
        self.curve: list[dict[str, Any]] = []
        self.test: Measure | None = None
        self.whole = True  # not in the middle of a step
        self._order: tuple[int, NDArray[np.int64]] = (-1, np.empty(0, np.int64))

    def _new_optimiser(self) -> torch.optim.Optimizer:
        return torch.optim.AdamW(
            self.network.parameters(), self.settings.learning_rate, weight_decay=self.settings.weight_decay
        )

    def _weights(self) -> Tensors:
        return {name: each.detach().clone() for name, each in self.network.state_dict().items()}

    # ---- learning

    @property
    def moves(self) -> int:
        """Moves of an epoch."""
        return min(self.settings.epoch_moves or len(self.data.train), len(self.data.train))

    @property
    def epoch_steps(self) -> int:
        return -(-self.moves // self.settings.batch)

    @property
    def step_in_epoch(self) -> int:
        return self.steps - self.epoch * self.epoch_steps

    @property
    def done(self) -> bool:
        """Whether all epochs are done, or the last few have made nothing better."""
        return self.epoch >= self.settings.epochs or self.epoch - self.best_epoch >= self.settings.patience

    def step(self) -> None:
        """One gradient step."""
        begun, self.whole = time.monotonic(), False
        first = self.step_in_epoch * self.settings.batch
        self.data.train.set_epoch(self.epoch)
        samples = self.data.train.samples(self._numbers()[first : first + self.settings.batch])
        wanted = torch.from_numpy(samples.directions)
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate()
        said, values = forward(self.network.train(), samples, self.rules)
        loss = policy_loss = cross_entropy(said, wanted)
        if values is not None:
            error = mse_loss(values, roots_of(samples, self.scale))
            loss = policy_loss + self.settings.value_weight * error
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimiser.step()
        number = len(wanted)
        self.sums += (number * policy_loss.item(), int((said.argmax(1) == wanted).sum()), number)
        if not math.isfinite(self.sums[0]):
            raise BadNotation("nothing is learnt any more: the loss is not a number; take a smaller --learning-rate")
        self.steps += 1
        self.seconds += time.monotonic() - begun
        self.whole = True

    def _numbers(self) -> NDArray[np.int64]:
        """The moves of this epoch, in their order."""
        if self._order[0] != self.epoch:
            random, train, early = np.random.default_rng((self.seed, self.epoch)), self.data.train, self.settings.early
            some = train.draw(self.moves, early, random) if early else random.permutation(len(train))[: self.moves]
            self._order = (self.epoch, some)
        return self._order[1]

    def rate(self) -> float:
        """The learning rate: it rises for a few steps, then falls to its last value along a cosine."""
        settings, total = self.settings, self.settings.epochs * self.epoch_steps
        rise = min(WARM_UP, total // 20)
        if self.steps < rise:
            return settings.learning_rate * (self.steps + 1) / (rise + 1)
        done = (self.steps - rise) / max(1, total - rise)
        last = min(settings.last_learning_rate, settings.learning_rate)
        return last + (settings.learning_rate - last) * (1 + math.cos(math.pi * done)) / 2

    def end_epoch(self) -> bool:
        """Measure how good it has become, on the games that are kept apart; whether it was never better."""
        begun, part = time.monotonic(), self.data.validation
        found = measure(self.network, part, spread(part, self.settings.measured), self.scale)
        losses, hits, moves = self.sums.tolist()
        self.epoch += 1
        self.seconds += time.monotonic() - begun
        self.curve.append({
            "epoch": self.epoch, "moves": self.epoch * self.moves, "seconds": round(self.seconds, 3),
            "loss": losses / moves, "accuracy": hits / moves,
            "validation_loss": found.loss, "validation_accuracy": found.accuracy,
            **{f"validation_{name}": rate for name, rate in found.phases.items()},
            **({} if found.value_error is None else {"value_error": found.value_error}),
        })  # fmt: skip
        self.sums = np.zeros(3)
        before = [row["validation_loss"] for row in self.curve[:-1]]
        if before and min(before) <= found.loss:
            return False
        self.best, self.best_epoch = self._weights(), self.epoch
        return True

    def measure_best(self) -> None:
        """Measure the best weights on games that have decided nothing."""
        network = new_policy(self.method, self.settings.shape, self.seed)
        network.load_state_dict(self.best)
        part = self.data.test
        self.test = measure(network, part, spread(part, 4 * self.settings.measured), self.scale)

    # ---- on disk

    def facts(self) -> Facts:
        return Facts(
            format=policy_file.FORMAT, method=self.method, rules=str(self.rules), scale=self.scale,  # type: ignore[arg-type]
            settings=msgspec.to_builtins(self.settings), seed=self.seed, epoch=self.epoch, steps=self.steps,
            seconds=self.seconds, sums=tuple(self.sums.tolist()), best_epoch=self.best_epoch, data=self.data.files,
            curve=tuple(self.curve), test=self.test,
        )  # fmt: skip

    def save(self, path: Path) -> None:
        """Write everything, to go on from here."""
        best = {BEST + name: each for name, each in self.best.items()}
        tensors = named(NETWORK, self.network) | best | moments(self.optimiser, OPTIMISER)
        policy_file.write(path, tensors, self.facts())

    def save_best(self, path: Path) -> None:
        """Write what a player needs: the best weights, and nothing of the time it took: it is the same every time."""
        rows = tuple({name: value for name, value in row.items() if name != "seconds"} for row in self.curve)
        facts = msgspec.structs.replace(self.facts(), seconds=0.0, curve=rows)
        policy_file.write(path, {NETWORK + name: each for name, each in self.best.items()}, facts)

    def restore(self, saved: policy_file.PolicyFile) -> None:
        """Go on from a file."""
        facts = saved.facts
        self.network = saved.network()
        best = saved.network(BEST)
        self.best = {name: each.detach().clone() for name, each in best.state_dict().items()}
        self.optimiser = self._new_optimiser()
        restore_moments(self.optimiser, saved.part(OPTIMISER), self.network, bool(facts.steps), saved.path)
        self.epoch, self.steps, self.best_epoch = facts.epoch, facts.steps, facts.best_epoch
        self.seconds = facts.seconds
        self.sums, self.scale, self.curve = np.array(facts.sums), facts.scale, [dict(row) for row in facts.curve]
        sound = len(self.curve) == self.epoch >= self.best_epoch and 0 <= self.step_in_epoch <= self.epoch_steps
        if not sound or not all(map(is_row, self.curve)) or not np.isfinite(self.sums).all():
            raise CorruptFile(f"{saved.path} does not say where its training stands")


def is_row(row: dict[str, Any]) -> bool:
    """Whether a row of a curve says what all rows say."""
    wanted = ("epoch", "moves", "seconds", "loss", "accuracy", "validation_loss", "validation_accuracy")
    return all(row.get(name) is not None for name in wanted)


# ---- The picture of a training on games: loss above, accuracy below, of what was learnt and of what was kept apart


def plot_curve(curve: Sequence[dict[str, Any]], path: Path) -> None:
    """Loss and accuracy by epoch; of the games kept apart also by phase."""
    legend = BESIDE if curve else None

    def line(label: str, name: str, colour: str, times: int = 1) -> Line:
        return Line(label, column(curve, "epoch", name, times), colour, "o-")

    above = [line("learnt", "loss", COLOURS[0]), line("kept apart", "validation_loss", COLOURS[1])]
    below = [line("learnt", "accuracy", COLOURS[0], 100), line("kept apart", "validation_accuracy", COLOURS[1], 100)]
    for name, colour in zip(PHASES, COLOURS[2:], strict=False):
        if seen := column(curve, "epoch", f"validation_{name}", 100):
            below.append(Line(name, seen, colour, "--", 1))
    plot_panels(
        path,
        Panel(above, {"ylabel": "loss"}, legend),
        Panel(below, {"xlabel": "epoch", "ylabel": "accuracy, %"}, legend),
    )


# ---- From files of games to a player of 2048: a network learns which direction was chosen


@shown
@dataclass(frozen=True)
class SupervisedTraining:
    """The state of a training."""

    path: Path
    facts: Facts
    done: bool

    def as_dict(self) -> dict[str, Any]:
        return {"file": str(self.path), "done": self.done, **msgspec.to_builtins(self.facts)}

    @property
    def _best_row(self) -> Any:
        return self.facts.curve[self.facts.best_epoch - 1]

    def _in_short(self) -> str:
        facts, done = self.facts, "done" if self.done else "not done"
        best = f", best accuracy {self._best_row['validation_accuracy']:.1%}" if facts.best_epoch else ""
        return f"{brief(self.path.name)}, {facts.method}, {facts.rules}: {counted(facts.epoch, 'epoch')}, {done}{best}"

    def _sheet(self) -> Sheet:
        header = list(dict.fromkeys(name for row in self.facts.curve for name in row))
        rows = [[row.get(name, "") for name in header] for row in self.facts.curve]
        return Sheet(self._in_short(), [name.replace("_", " ") for name in header], rows, [str(self.path)])

    def __str__(self) -> str:
        facts = self.facts
        text = f"{self.path}: {facts.method}, {counted(facts.epoch, 'epoch')} in {facts.seconds / 60:.1f} minutes"
        if facts.best_epoch:
            rate = self._best_row["validation_accuracy"]
            text += f"; the best was epoch {facts.best_epoch}, validation accuracy {rate:.2%}"
        return text if facts.test is None else f"{text}\n{measure_text(facts.test)}"


@typed
def train_policy(
    data: Sequence[Path | str] | Path | str, out: Path | str, epochs: int | None = None, method: str | None = "cnn",
    batch: int | None = None, learning_rate: float | None = None, augment: bool | None = None,
    settings: Mapping[str, object] | Sequence[str] = (), seed: int | None = None, workers: int | None = None,
    resume: bool = False, progress: bool = False,
) -> SupervisedTraining:  # fmt: skip
    """Train a network on a file of games, or on several; Ctrl-C ends it after the step at hand, and saves.

    What is None is as usual for the method, seed 0, all cores; or, with `resume`, as the training was begun, for which
    `data` may be empty. `settings` are others, such as {"width": 64} or ["width=64"].
    """
    path = try_place(Path(out))
    files = tuple(Path(each) for each in ([data] if isinstance(data, str | Path) else data))
    asked = Asked.of(settings, seed, epochs=epochs, batch=batch, learning_rate=learning_rate, augment=augment)
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
    run.require_new(run.training_of(path))
    settings, seed = settings_for(method, asked), asked.seed or 0
    return Learner(method, open_data(files, settings, seed, progress), settings, seed)


def _go_on(path: Path, method: str | None, files: tuple[Path, ...], asked: Asked, progress: bool) -> Learner:
    """The training that was saved beside a file, with the games it was begun with."""
    saved = policy_file.read(run.training_of(path))
    facts = saved.facts
    if method is not None and method != facts.method:
        raise FileTrouble(f"{saved.path} was begun with method {facts.method}, not {method}; leave it out")
    begun = _checked(run.read_settings(facts.settings, SupervisedSettings, saved.path, strict=False))
    settings = settings_to_go_on(begun, facts.seed, facts.epoch, asked, saved.path)
    data = open_data(files or tuple(Path(each.file) for each in facts.data), settings, facts.seed, progress)
    require_same_games(data, facts.data, saved.path)
    learner = Learner(facts.method, data, settings, facts.seed)
    learner.restore(saved)
    return learner


def _learn_all(learner: Learner, path: Path, progress: bool) -> bool:
    """Learn to the end, or until somebody stops it; either way all is saved."""
    total, batch, saved = learner.settings.epochs * learner.moves, learner.settings.batch, time.monotonic()
    with (
        bar(total, f"training {learner.method}", "moves", progress, done=min(total, learner.steps * batch)) as shown,
        run.asked_to_stop() as stopped,
        run.saving_first(lambda: learner.save(run.training_of(path)), lambda: learner.whole),
    ):
        while not learner.done and not stopped():
            if learner.step_in_epoch < learner.epoch_steps:  # all were made if an error came when it was measured
                learner.step()
            run.advance(shown, min(total, learner.steps * batch), state_of(learner))
            if learner.step_in_epoch == learner.epoch_steps and learner.end_epoch():
                learner.save_best(path)
            if learner.step_in_epoch == 0 or time.monotonic() - saved > run.SAVE_EVERY:
                learner.save(run.training_of(path))
                saved = time.monotonic()
        if learner.best_epoch:
            learner.measure_best()
    learner.save(run.training_of(path))
    learner.save_best(path)
    with run.where_extras_allow():
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
