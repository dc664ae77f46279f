"""Deep Q-learning of a state value: rounds of games, gradient steps, a target network, checkpoints.

    DIR/training.safetensors         everything, to go on from
    DIR/weights-003000.safetensors   what a player needs, after so many episodes
    DIR/curve.png, DIR/tensorboard   how it went

Games hang on the seed and their number, and are cut into the same groups whoever plays them: the same seed gives the
same network on one machine, for any number of workers.
"""

import logging
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gridlab.core.arguments import counted
from gridlab.core.errors import CorruptFile, FileTrouble, MissingExtra
from gridlab.core.run import current_stop, import_extra, in_order
from gridlab.inarow.learn import episodes as played
from gridlab.inarow.learn import networks as checkpoint
from gridlab.inarow.learn import settings as recipe
from gridlab.inarow.learn.episodes import EpisodeSetup, Moves, Numbers, Replay, joined, new_moves
from gridlab.inarow.learn.features import Boards, features_of
from gridlab.inarow.learn.judge import Judge
from gridlab.inarow.learn.networks import NETWORK, Checkpoint, ValueNetwork, new_network
from gridlab.inarow.learn.settings import Samples, SelfPlay, TrainingSettings
from gridlab.inarow.rules import Rules
from gridlab.inarow.search.geometry import Geometry, geometry_of
from gridlab.inarow.search.leaves import ENDED, grow
from gridlab.learn import run
from gridlab.learn.curves import COLOURS, INSIDE, Line, Panel, column, plot_panels
from gridlab.learn.networks import Tensors, moments, named, require_finite, restore_moments
from gridlab.learn.run import Asked

# ---- The picture of a training: loss above, win rates below


SMOOTHED = 20  # rounds
OF_THE_ROUND = ("episode", "phase", "epsilon", "loss")


def plot_curve(curve: list[dict[str, Any]], path: Path) -> None:
    """Loss and share of random moves by episode; win rates where they were measured."""
    losses = column(curve, "episode", "loss")
    smoothed = [(at[0], loss) for at, loss in zip(losses, smooth([loss for _, loss in losses]), strict=True)]
    above = [Line("", losses, "#b8b8b8", width=0.8), Line("loss", smoothed, COLOURS[0])]
    if any(row["epsilon"] for row in curve):
        above.append(Line("ε", column(curve, "episode", "epsilon"), COLOURS[1]))
    names = dict.fromkeys(name for row in curve for name in row if name not in OF_THE_ROUND)
    below = [
        Line(name, column(curve, "episode", name), colour, "o-") for name, colour in zip(names, COLOURS, strict=False)
    ]
    plot_panels(
        path,
        Panel(above, {"ylim": (0, None)}, INSIDE, grid=False),
        Panel(below, {"xlabel": "episode", "ylabel": "score", "ylim": (0, 1.02)}, INSIDE),
    )


def smooth(numbers: list[float]) -> list[float]:
    """Means of the latest rounds."""
    return [sum(part) / len(part) for i in range(len(numbers)) for part in [numbers[max(0, i + 1 - SMOOTHED) : i + 1]]]


# ---- A network that is being trained, with all that training needs to go on: target, optimiser, memory, curve


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
        random = played.chance(self.seed, SAMPLING, self.steps)
        moves = self.replay.sample(self.settings.batch, random)
        if self.settings.images:
            moves = seen_through(moves, random, self.judge.geometry.images)
        torch.manual_seed(int(random.integers(1 << 62)))  # for dropout
        for group in self.optimiser.param_groups:
            group["lr"] = recipe.learning_rate_of(self.episode, self.settings)
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
        wanted = played.negamax_targets(moves.reward, after, moves.done, self.settings.gamma)
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
        return played.double_values(values[0], values[1], level.starts)

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
            "rules": str(self.rules), "settings": self.settings.as_dict(), "seed": self.seed, "episode": self.episode,
            "steps": self.steps, "curve": self.curve, "added": self.replay.added,
        }  # fmt: skip

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
        target = checkpoint.network_of(saved.part(TARGET), saved.path, self.settings.dropout)
        self.target = target.to(self.device).eval()
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=self.settings.learning_rate)
        facts = saved.facts
        restore_moments(self.optimiser, saved.part(OPTIMISER), self.network, bool(facts.steps), saved.path)
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


# ---- Deep Q-learning of a state value: rounds of games, gradient steps, a target network, checkpoints


TRAINING = "training.safetensors"
GROUP = 5  # episodes played side by side by one worker

Measure = Callable[[Path], dict[str, float]]  # weights on disk -> win rates by name
Tell = Callable[[dict[str, Any]], object]
Experience = Generator[tuple[range, Moves], None, None]


def device_of(name: str) -> torch.device:
    """`auto` is CUDA where there is any."""
    there = torch.cuda.is_available()
    if name == "cuda" and not there:
        raise FileTrouble("this torch finds no CUDA device; use --device cpu or auto")
    return torch.device("cuda" if there and name != "cpu" else "cpu")


def begin(rules: Rules, settings: TrainingSettings, seed: int, folder: Path, device: str) -> Learner:
    """A new learner, in a folder that holds none."""
    run.require_new(folder / TRAINING, "folder")
    return Learner(rules, settings, seed, device_of(device))


def go_on(rules: Rules, asked: Asked, folder: Path, device: str) -> Learner:
    """The learner that a folder holds, with the settings it was begun with; others are refused."""
    saved = checkpoint.read(path := folder / TRAINING, str(rules))
    seed, episode = saved.facts.seed, saved.facts.episode
    if seed is None or episode is None:
        raise CorruptFile(f"{path} does not say where its training stands")
    begun = recipe.settings_in(saved.facts.settings, path)
    settings = recipe.settings_to_go_on(begun, seed, episode, asked, path)
    if settings != begun:
        logging.getLogger("gridlab").warning(
            f"{path} was begun for {counted(begun.episodes, 'episode')}, and goes on to {settings.episodes:,}"
        )
    learner = Learner(rules, settings, seed, device_of(device))
    learner.restore(saved)
    return learner


def learn_all(
    learner: Learner, folder: Path, workers: int | None = None, measure: Measure | None = None,
    tell: Tell = lambda row: None, stopped: Callable[[], bool] = lambda: False,
) -> bool:  # fmt: skip
    """Train to the end of the recipe; False if `stopped()` ended it between two rounds. However it ends, all is saved.

    Nothing is written if there is nothing left to learn or to measure.
    """
    torch.set_num_threads(1)  # sums in one order: the same network every time
    save = partial(learner.save, folder / TRAINING)
    with run.saving_first(save, lambda: learner.whole), torch.random.fork_rng(devices=[]):
        if measure is not None and is_milestone(learner) and learner.lacks_rates:  # an error has ended it there
            reach_milestone(learner, folder, measure)
        elif learner.episode >= learner.settings.episodes:
            return True
        with closing(experience(learner, workers)) as games:
            for episodes, moves in games:
                learn(learner, episodes, moves)
                if is_milestone(learner):
                    reach_milestone(learner, folder, measure)
                tell(learner.curve[-1])
                if stopped():
                    break
        save()
        write_curve(learner, folder)
    return learner.episode == learner.settings.episodes


def reach_milestone(learner: Learner, folder: Path, measure: Measure | None) -> None:
    """Save the weights, measure how well they play, and save all."""
    weights = save_weights(learner, folder)
    if measure is not None:
        learner.curve[-1] |= measure(weights)
        save_weights(learner, folder)  # once more, with its win rates
    learner.save(folder / TRAINING)


def learn(learner: Learner, episodes: range, moves: Moves) -> None:
    """Remember a round of games, and learn from the memory; a row more of the curve."""
    settings, learner.whole = learner.settings, False
    learner.replay.add(moves)
    losses = [learner.step() for _ in range(recipe.steps_after(episodes, settings)) if learner.ready()]
    learner.episode = episodes.stop
    if episodes.stop % settings.target_update == 0:
        learner.update_target()
    row = {
        "episode": episodes.stop,
        "phase": recipe.phase_of(episodes.start, settings.episodes) if settings.course is None else 0,
        "epsilon": recipe.epsilon_of(episodes.stop - 1, settings) if settings.course is None else 0.0,
        "loss": float(np.mean(losses)) if losses else None,
    }
    learner.curve.append(row)
    learner.whole = True


def is_milestone(learner: Learner) -> bool:
    """Whether a checkpoint is due: every so many episodes, at the ends of phases and at the very end."""
    settings, episode = learner.settings, learner.episode
    return episode % settings.checkpoint == 0 or episode in (*recipe.phase_starts(settings.episodes), settings.episodes)


def save_weights(learner: Learner, folder: Path) -> Path:
    path = folder / f"weights-{learner.episode:06}.safetensors"
    learner.save_weights(path)
    return path


# ---- games to learn from


def experience(learner: Learner, workers: int | None) -> Experience:
    """Round after round of games; those of the curriculum are played by the network as it then is."""
    self_play = learner.settings.course
    return own_games(learner, workers) if self_play is None else search_games(learner, self_play, workers)


def rounds(learner: Learner) -> Iterator[range]:
    """The rounds that are left."""
    episode = learner.episode
    while episode < learner.settings.episodes:
        episodes = recipe.round_from(episode, learner.settings)
        yield episodes
        episode = episodes.stop


def own_games(learner: Learner, workers: int | None) -> Experience:
    for episodes in rounds(learner):
        learner.network.eval()
        setup = EpisodeSetup(learner.judge, learner.settings, learner.seed)
        groups = [episodes[first : first + GROUP] for first in range(0, len(episodes), GROUP)]
        yield episodes, joined(list(in_order(partial(_play, setup), groups, workers, travels=True, name=_name)))


def search_games(learner: Learner, self_play: SelfPlay, workers: int | None) -> Experience:
    """Played ahead by other threads while the network learns."""
    left = list(rounds(learner))
    play = partial(_play_samples, self_play, learner.seed, geometry_of(learner.rules))
    with closing(in_order(play, left, workers, travels=True, name=_name)) as samples:
        for episodes, each in zip(left, samples, strict=True):
            yield episodes, as_moves(each)


def _play(setup: EpisodeSetup, numbers: range) -> Moves:
    torch.set_num_threads(1)  # as where the network learns
    return played.play_episodes(setup, numbers)


def _play_samples(self_play: SelfPlay, seed: int, geometry: Geometry, numbers: range) -> Samples:
    return recipe.play_samples(self_play, seed, numbers, geometry, current_stop())


def _name(numbers: range) -> str:
    return f"episodes {numbers.start + 1} to {numbers.stop}"


def as_moves(samples: Samples) -> Moves:
    """A position whose value is known: that value is its reward, and nothing comes after it."""
    moves = new_moves(len(samples.own))
    moves.own[:], moves.other[:], moves.reward[:], moves.done[:] = *samples, True
    return moves


# ---- how it went


def write_curve(learner: Learner, folder: Path) -> None:
    """The picture, and logs for TensorBoard if it is installed."""
    with run.where_extras_allow():
        plot_curve(learner.curve, folder / "curve.png")
    try:
        boards = import_extra("torch.utils.tensorboard", "learn")
    except MissingExtra:
        return
    with boards.SummaryWriter(folder / "tensorboard") as log:
        for row in learner.curve:
            for name, value in row.items():
                if name != "episode" and value is not None:
                    log.add_scalar(name, value, row["episode"])
