"""A network that is being trained on games, with all that training needs to go on: optimiser, best weights, curve.

Which moves make up a batch, and through which symmetry they are seen, hangs on seed, epoch and step alone: a training
that was stopped and resumed goes the same way as one that was not.
"""

import math
import time
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray

from gridlab.core.errors import BadNotation, CorruptFile
from gridlab.games.game2048.rules import Rules2048
from gridlab.learn.supervised.data import Data, spread
from gridlab.learn.supervised.measuring import forward, measure, roots_of
from gridlab.learn.supervised.settings import SupervisedSettings
from gridlab.nets import policy_file
from gridlab.nets.policy_file import BEST, FORMAT, NETWORK, OPTIMISER, Facts, Measure, PolicyFile
from gridlab.nets.policy_networks import new_policy
from gridlab.nets.tensors_file import Tensors, moments, moments_of, named

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
        loss = policy_loss = torch.nn.functional.cross_entropy(said, wanted)
        if values is not None:
            error = torch.nn.functional.mse_loss(values, roots_of(samples, self.scale))
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
        self.curve.append(
            {
                "epoch": self.epoch,
                "moves": self.epoch * self.moves,
                "seconds": round(self.seconds, 3),
                "loss": losses / moves,
                "accuracy": hits / moves,
                "validation_loss": found.loss,
                "validation_accuracy": found.accuracy,
                **{f"validation_{name}": rate for name, rate in found.phases.items()},
                **({} if found.value_error is None else {"value_error": found.value_error}),
            }
        )
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
            format=FORMAT, method=self.method, rules=str(self.rules), scale=self.scale,  # type: ignore[arg-type]
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

    def restore(self, saved: PolicyFile) -> None:
        """Go on from a file."""
        facts = saved.facts
        self.network = saved.network()
        best = saved.network(BEST)
        self.best = {name: each.detach().clone() for name, each in best.state_dict().items()}
        self.optimiser = self._new_optimiser()
        found = moments_of(saved.part(OPTIMISER), self.network, bool(facts.steps), saved.path)
        self.optimiser.load_state_dict({**self.optimiser.state_dict(), "state": found})
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
