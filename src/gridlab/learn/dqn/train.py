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

from gridlab.core.errors import CorruptFile, FileTrouble, MissingExtra
from gridlab.core.extras import import_extra
from gridlab.core.numbers import counted
from gridlab.core.stop import current_stop
from gridlab.core.workers import in_order
from gridlab.games.mnk.rules import Rules
from gridlab.learn.dqn.curriculum import epsilon_of, phase_of, phase_starts, round_from, steps_after
from gridlab.learn.dqn.curves import plot_curve
from gridlab.learn.dqn.episodes import EpisodeSetup, joined, play_episodes
from gridlab.learn.dqn.learner import Learner
from gridlab.learn.dqn.replay_buffer import Moves, new_moves
from gridlab.learn.dqn.settings import Asked, TrainingSettings, settings_in, settings_to_go_on
from gridlab.learn.dqn.teacher import Course, Lessons, teach
from gridlab.learn.reports import require_new, saving_first, where_extras_allow
from gridlab.nets import checkpoint
from gridlab.search.mnk.geometry import Geometry, geometry_of

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
    require_new(folder / TRAINING, "folder")
    return Learner(rules, settings, seed, device_of(device))


def go_on(rules: Rules, asked: Asked, folder: Path, device: str) -> Learner:
    """The learner that a folder holds, with the settings it was begun with; others are refused."""
    saved = checkpoint.read(path := folder / TRAINING, str(rules))
    seed, episode = saved.facts.seed, saved.facts.episode
    if seed is None or episode is None:
        raise CorruptFile(f"{path} does not say where its training stands")
    begun = settings_in(saved.facts.settings, path)
    settings = settings_to_go_on(begun, seed, episode, asked, path)
    if settings != begun:
        logging.getLogger("gridlab").warning(
            f"{path} was begun for {counted(begun.episodes, 'episode')}, and goes on to {settings.episodes:,}"
        )
    learner = Learner(rules, settings, seed, device_of(device))
    learner.restore(saved)
    return learner


def learn_all(
    learner: Learner,
    folder: Path,
    workers: int | None = None,
    measure: Measure | None = None,
    tell: Tell = lambda row: None,
    stopped: Callable[[], bool] = lambda: False,
) -> bool:
    """Train to the end of the recipe; False if `stopped()` ended it between two rounds. However it ends, all is saved.

    Nothing is written if there is nothing left to learn or to measure.
    """
    torch.set_num_threads(1)  # sums in one order: the same network every time
    save = partial(learner.save, folder / TRAINING)
    with saving_first(save, lambda: learner.whole), torch.random.fork_rng(devices=[]):
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
    losses = [learner.step() for _ in range(steps_after(episodes, settings)) if learner.ready()]
    learner.episode = episodes.stop
    if episodes.stop % settings.target_update == 0:
        learner.update_target()
    row = {
        "episode": episodes.stop,
        "phase": phase_of(episodes.start, settings.episodes) if settings.course is None else 0,
        "epsilon": epsilon_of(episodes.stop - 1, settings) if settings.course is None else 0.0,
        "loss": float(np.mean(losses)) if losses else None,
    }
    learner.curve.append(row)
    learner.whole = True


def is_milestone(learner: Learner) -> bool:
    """Whether a checkpoint is due: every so many episodes, at the ends of phases and at the very end."""
    settings, episode = learner.settings, learner.episode
    return episode % settings.checkpoint == 0 or episode in (*phase_starts(settings.episodes), settings.episodes)


def save_weights(learner: Learner, folder: Path) -> Path:
    path = folder / f"weights-{learner.episode:06}.safetensors"
    learner.save_weights(path)
    return path


# ---- games to learn from


def experience(learner: Learner, workers: int | None) -> Experience:
    """Round after round of games; those of the curriculum are played by the network as it then is."""
    if learner.settings.course is None:
        return own_games(learner, workers)
    return taught_games(learner, workers)


def rounds(learner: Learner) -> Iterator[range]:
    """The rounds that are left."""
    episode = learner.episode
    while episode < learner.settings.episodes:
        episodes = round_from(episode, learner.settings)
        yield episodes
        episode = episodes.stop


def own_games(learner: Learner, workers: int | None) -> Experience:
    for episodes in rounds(learner):
        learner.network.eval()
        setup = EpisodeSetup(learner.judge, learner.settings, learner.seed)
        groups = [episodes[first : first + GROUP] for first in range(0, len(episodes), GROUP)]
        yield episodes, joined(list(in_order(partial(_play, setup), groups, workers, travels=True, name=_name)))


def taught_games(learner: Learner, workers: int | None) -> Experience:
    """Played ahead by other threads while the network learns."""
    course, left = learner.settings.course, list(rounds(learner))
    assert course is not None
    play = partial(_teach, course, learner.seed, geometry_of(learner.rules))
    played = in_order(play, left, workers, travels=True, name=_name)
    with closing(played) as lessons:
        for episodes, each in zip(left, lessons, strict=True):
            yield episodes, as_moves(each)


def _play(setup: EpisodeSetup, numbers: range) -> Moves:
    torch.set_num_threads(1)  # as where the network learns
    return play_episodes(setup, numbers)


def _teach(course: Course, seed: int, geometry: Geometry, numbers: range) -> Lessons:
    return teach(course, seed, numbers, geometry, current_stop())


def _name(numbers: range) -> str:
    return f"episodes {numbers.start + 1} to {numbers.stop}"


def as_moves(lessons: Lessons) -> Moves:
    """A position whose value is known: that value is its reward, and nothing comes after it."""
    moves = new_moves(len(lessons.own))
    moves.own[:], moves.other[:], moves.reward[:], moves.done[:] = *lessons, True
    return moves


# ---- how it went


def write_curve(learner: Learner, folder: Path) -> None:
    """The picture, and logs for TensorBoard if it is installed."""
    with where_extras_allow():
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
