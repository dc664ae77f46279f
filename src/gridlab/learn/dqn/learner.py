"""A network that is being trained, with all that training needs to go on: target, optimiser, memory, curve."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gridlab.core.errors import CorruptFile
from gridlab.games.mnk.rules import Rules
from gridlab.learn.dqn.curriculum import learning_rate_of
from gridlab.learn.dqn.curves import OF_THE_ROUND
from gridlab.learn.dqn.episodes import chance
from gridlab.learn.dqn.replay_buffer import Moves, Replay, new_moves
from gridlab.learn.dqn.settings import TrainingSettings
from gridlab.learn.dqn.targets import Numbers, double_values, negamax_targets
from gridlab.nets import checkpoint
from gridlab.nets.checkpoint import NETWORK, Checkpoint
from gridlab.nets.features import Boards, features_of
from gridlab.nets.judge import Judge
from gridlab.nets.networks import ValueNetwork, new_network
from gridlab.nets.tensors_file import Tensors, moments, moments_of, named, require_finite
from gridlab.search.mnk.leaves import ENDED, grow

TARGET, OPTIMISER, REPLAY = "target.", "optimiser.", "replay."  # what a checkpoint holds besides the network
SAMPLING = 1  # what a source of chance is for; games are played with 0


class Learner:
    """The state of a training; `episode` is the next one."""

    def __init__(self, rules: Rules, settings: TrainingSettings, seed: int, device: torch.device) -> None:
        self.rules, self.settings, self.seed, self.device = rules, settings, seed, device
        self.judge = Judge(new_network(seed, settings.dropout), rules, device)
        self.target = new_network(seed, settings.dropout).to(device).eval()
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=settings.learning_rate)
        self.replay = Replay(settings.memory)
        self.episode, self.steps = 0, 0
        self.curve: list[dict[str, Any]] = []  # a row for each round
        self.whole = True  # not while a round is being learnt from

    @property
    def network(self) -> ValueNetwork:
        return self.judge.network

    # ---- learning

    def ready(self) -> bool:
        return len(self.replay) > self.settings.batch

    def step(self) -> float:
        """One gradient step on random moves; the loss before it."""
        random = chance(self.seed, SAMPLING, self.steps)
        moves = self.replay.sample(self.settings.batch, random)
        if self.settings.images:
            moves = seen_through(moves, random, self.judge.geometry.images)
        torch.manual_seed(int(random.integers(1 << 62)))  # for dropout
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate_of(self.episode, self.settings)
        goal = self.goal(moves)
        loss = nn.functional.mse_loss(self.network.train()(self._features(moves.own, moves.other)), goal)
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimiser.step()
        self.steps += 1
        return loss.item()

    def goal(self, moves: Moves) -> Tensor:
        """What the network should have said, by the target network."""
        after = np.zeros(len(moves.done), np.float32)
        if self.settings.double and not moves.done.all():
            going = ~moves.done
            after[going] = self.by_best_answer(np.stack((moves.next_own[going], moves.next_other[going]), axis=1))
        elif not moves.done.all():
            with torch.inference_mode():
                after = self.target(self._features(moves.next_own, moves.next_other)).cpu().numpy()
        wanted = negamax_targets(moves.reward, after, moves.done, self.settings.gamma)
        return torch.from_numpy(wanted).to(self.device)

    def by_best_answer(self, boards: Boards) -> Numbers:
        """What ongoing positions are worth by the move that the network chooses and the target network values."""
        tree = grow(boards, 1, self.judge.geometry)
        level, gamma = tree.levels[0], np.float32(self.settings.gamma)
        ends, after = level.targets == ENDED, np.zeros((2, len(tree.leaves)), np.float32)
        if len(tree.leaves):
            features = self._features(*tree.leaves.T)
            with torch.inference_mode():
                after[0] = self.network.eval()(features).cpu().numpy()
                after[1] = self.target(features).cpu().numpy()
        values = np.broadcast_to(np.sign(level.fixed).astype(np.float32), (2, len(ends))).copy()
        values[:, ~ends] = 0 - gamma * after[:, level.targets[~ends]]
        return double_values(values[0], values[1], level.starts)

    def _features(self, own: Any, other: Any) -> Tensor:
        return torch.from_numpy(features_of(np.stack((own, other), axis=1), self.judge.lines)).to(self.device)

    def update_target(self) -> None:
        self.target.load_state_dict(self.network.state_dict())

    # ---- on disk

    @property
    def lacks_rates(self) -> bool:
        """Whether the latest round was not measured by matches."""
        return bool(self.curve) and len(self.curve[-1]) == len(OF_THE_ROUND)

    def facts(self) -> dict[str, Any]:
        return {
            "rules": str(self.rules),
            "settings": self.settings.as_dict(),
            "seed": self.seed,
            "episode": self.episode,
            "steps": self.steps,
            "curve": self.curve,
            "added": self.replay.added,
        }

    def save(self, path: Path) -> None:
        """Write everything, to go on from here."""
        tensors = named(NETWORK, self.network) | named(TARGET, self.target) | moments(self.optimiser, OPTIMISER)
        checkpoint.write(path, tensors | replay_tensors(self.replay.kept()), self.facts())

    def save_weights(self, path: Path) -> None:
        """Write what a player needs, in half precision; of the curve the rows with win rates."""
        weights = {name: each.half() for name, each in named(NETWORK, self.network).items()}
        measured = [row for row in self.curve if len(row) > len(OF_THE_ROUND)]
        checkpoint.write(path, weights, {**self.facts(), "curve": measured})

    def restore(self, saved: Checkpoint) -> None:
        """Go on from a checkpoint."""
        self.judge = Judge(saved.network(self.settings.dropout), self.rules, self.device)
        weights = checkpoint.network_of(saved.part(TARGET), saved.path, self.settings.dropout)
        self.target = weights.to(self.device).eval()
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=self.settings.learning_rate)
        found = moments_of(saved.part(OPTIMISER), self.network, bool(saved.facts.steps), saved.path)
        self.optimiser.load_state_dict({**self.optimiser.state_dict(), "state": found})
        facts = saved.facts
        if facts.episode is None or facts.steps is None or facts.added is None or not all(map(is_row, facts.curve)):
            raise CorruptFile(f"{saved.path} does not say where its training stands")
        moves = replay_of(saved, min(facts.added, self.settings.memory), self.rules.board)
        self.replay = Replay(self.settings.memory, moves, facts.added)
        self.episode, self.steps, self.curve = facts.episode, facts.steps, list(facts.curve)


def replay_tensors(moves: Moves) -> Tensors:
    return {
        REPLAY + name: torch.from_numpy(np.ascontiguousarray(column))
        for name, column in zip(Moves._fields, moves, strict=True)
    }


def replay_of(saved: Checkpoint, number: int, board: int) -> Moves:
    """The moves in memory: as many as were added, all of them on the board."""
    columns, name = saved.part(REPLAY), f"{saved.path} holds no moves to go on from"
    wanted = replay_tensors(new_moves(0))
    if {REPLAY + each: column.dtype for each, column in columns.items()} != {k: v.dtype for k, v in wanted.items()}:
        raise CorruptFile(f"{name}: the columns are not those of moves")
    if any(tuple(column.shape) != (number,) for column in columns.values()):
        raise CorruptFile(f"{name}: not all columns have {number:,} moves")
    require_finite({"reward": columns["reward"]}, name)
    moves = Moves(*(columns[each].numpy() for each in Moves._fields))
    for own, other in ((moves.own, moves.other), (moves.next_own, moves.next_other)):
        if ((own | other) & ~board).any() or (own & other).any():
            raise CorruptFile(f"{name}: some stand beside the board or on each other")
    return moves._replace(done=(moves.done.view(np.uint8) != 0))


def is_row(row: dict[str, Any]) -> bool:
    """Whether a row of a curve says what all rows say; only the loss may be missing."""
    return {"episode", "phase", "epsilon", "loss"} <= row.keys() and all(
        value is not None for name, value in row.items() if name != "loss"
    )


def seen_through(moves: Moves, random: np.random.Generator, images: Any) -> Moves:
    """Every move as a random symmetry of the board shows it."""
    through = random.integers(len(images), size=len(moves.own))

    def image(stones: Any) -> Any:
        seen = np.zeros_like(stones)
        for byte in range(images.shape[1]):
            seen |= images[through, byte, stones >> 8 * byte & 255]
        return seen

    return moves._replace(
        own=image(moves.own), other=image(moves.other),
        next_own=image(moves.next_own), next_other=image(moves.next_other),
    )  # fmt: skip
