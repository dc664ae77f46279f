"""The games of the curriculum. Some are played side by side, so that the network judges the moves of all at once.

    phase 1    half of the moves at random, half at random among those that do not lose at once
    phase 2    the network against the heuristic that looks some plies ahead, X in every second episode
    phase 3    the blended search against itself

In the second and third phase the network's moves are random with probability ε. Every game has its own source of
chance.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from gridlab.core.stop import current_stop
from gridlab.learn.dqn.curriculum import HEURISTIC, RANDOM, epsilon_of, phase_of
from gridlab.learn.dqn.replay_buffer import Moves, each_column, new_moves
from gridlab.learn.dqn.settings import TrainingSettings
from gridlab.learn.dqn.targets import rewards_of
from gridlab.nets.judge import Judge
from gridlab.search.mnk import depth_limited
from gridlab.search.mnk.geometry import Geometry
from gridlab.search.mnk.leaves import Boards
from gridlab.search.mnk.random_play import DRAWS, GOES_ON, ending_by
from gridlab.search.mnk.tactics import completing

PLAYING = 0  # what a source of chance is for


@dataclass
class Episode:
    """A game under way; `own` are the stones of the player to move."""

    number: int
    random: np.random.Generator
    own: int = 0
    other: int = 0
    past: list[tuple[int, int]] = field(default_factory=list)  # own and other before every move
    result: int | None = None  # for the last mover: 1, 0, -1

    def play(self, cell: int, geometry: Geometry) -> None:
        ending = ending_by(self.own, self.other, cell, geometry)
        self.past.append((self.own, self.other))
        self.own, self.other = self.other, self.own | 1 << cell
        if ending != GOES_ON:
            self.result = 0 if ending == DRAWS else ending

    def free(self, cells: int) -> list[int]:
        return [cell for cell in range(cells) if not (self.own | self.other) >> cell & 1]


class EpisodeSetup(NamedTuple):
    """Who plays, and by which recipe."""

    judge: Judge
    settings: TrainingSettings
    seed: int


def play_episodes(setup: EpisodeSetup, numbers: range) -> Moves:
    """Play some episodes of one phase side by side; all their moves, game by game."""
    settings, geometry = setup.settings, setup.judge.geometry
    episodes = [Episode(each, chance(setup.seed, PLAYING, each)) for each in numbers]
    choose = chooser(setup, phase_of(numbers.start, settings.episodes))
    while going := [episode for episode in episodes if episode.result is None]:
        for episode, cell in zip(going, choose(going), strict=True):
            episode.play(cell, geometry)
    return joined([moves_of(episode, settings.shaping) for episode in episodes])


def chance(seed: int, purpose: int, number: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(purpose, number)))


Chooser = Callable[[list[Episode]], list[int]]


def chooser(setup: EpisodeSetup, phase: int) -> Chooser:
    """How the episodes of a phase find their next moves."""
    settings, judge = setup.settings, setup.judge
    if phase == RANDOM:
        return lambda episodes: [half_careful(episode, judge.geometry) for episode in episodes]
    if phase == HEURISTIC:
        return against_heuristic(setup)
    return lambda episodes: judged(episodes, settings.training_depth, settings.training_blend, setup)


def half_careful(episode: Episode, geometry: Geometry) -> int:
    """Any move, or as often any that does not lose at once."""
    free = episode.free(geometry.cells)
    if episode.random.random() < 0.5:
        wins, losses = completing(episode.own, geometry.runs)
        free = [cell for cell in free if not (losses & ~wins) >> cell & 1] or free
    return int(episode.random.choice(free))


def against_heuristic(setup: EpisodeSetup) -> Chooser:
    depth = setup.settings.opponent_depth
    heuristics, table = depth_limited.heuristics_of(setup.judge.rules), depth_limited.new_depth_table(1 << 12)

    def answer(episode: Episode) -> int:
        counts = np.zeros(2, np.int64)
        found = depth_limited.look_ahead(
            episode.own, episode.other, depth, heuristics, table, True, counts, current_stop()
        )
        return int(found[0])

    def choose(episodes: list[Episode]) -> list[int]:
        learner = [episode for episode in episodes if (len(episode.past) + episode.number) % 2 == 0]
        chosen = dict(zip([episode.number for episode in learner], judged(learner, 1, 1.0, setup), strict=True))
        return [chosen[episode.number] if episode.number in chosen else answer(episode) for episode in episodes]

    return choose


def judged(episodes: list[Episode], depth: int, blend: float, setup: EpisodeSetup) -> list[int]:
    """The best move of every game by a search over the network, or with probability ε a random one."""
    if not episodes:
        return []
    found = setup.judge.moves(boards_of(episodes), depth, blend)
    chosen = []
    for place, episode in enumerate(episodes):
        cell, _ = found.best(place)
        if episode.random.random() < epsilon_of(episode.number, setup.settings):
            cell = int(episode.random.choice(episode.free(setup.judge.geometry.cells)))
        chosen.append(cell)
    return chosen


def boards_of(episodes: list[Episode]) -> Boards:
    return np.array([(episode.own, episode.other) for episode in episodes], np.int64).reshape(-1, 2)


def moves_of(episode: Episode, shaping: bool) -> Moves:
    """The moves of a finished game."""
    length = len(episode.past)
    moves = new_moves(length)
    before = np.array([*episode.past, (episode.own, episode.other)], np.int64)
    moves.own[:], moves.other[:] = before[:-1].T
    moves.next_own[:], moves.next_other[:] = before[1:].T
    moves.reward[:] = rewards_of(episode.result or 0, length, shaping)
    moves.done[-1] = True
    return moves


def joined(parts: list[Moves]) -> Moves:
    return each_column(lambda *columns: np.concatenate(columns), *parts)
