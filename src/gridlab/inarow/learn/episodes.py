"""The games of the curriculum. Some are played side by side, so that the network judges the moves of all at once.

    phase 1    half of the moves at random, half at random among those that do not lose at once
    phase 2    the network against the heuristic that looks some plies ahead, X in every second episode
    phase 3    the blended search against itself

In the second and third phase the network's moves are random with probability ε. Every game has its own source of
chance.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.run import current_stop
from gridlab.inarow.learn.judge import Judge
from gridlab.inarow.learn.settings import HEURISTIC, RANDOM, TrainingSettings, epsilon_of, phase_of
from gridlab.inarow.search import depth_limited
from gridlab.inarow.search.geometry import DRAWS, GOES_ON, Geometry, completing, ending_by
from gridlab.inarow.search.leaves import Boards

# ---- What has been played, to be learnt from in random order: a ring of moves, the oldest of which make room
#
# A move is kept as the position before it, its reward, and the position after it, each as the player to move has it. A
# move that ends the game, and a position whose value is known from elsewhere, has nothing after it.


class Moves(NamedTuple):
    """Moves, column by column."""

    own: NDArray[np.int64]  # [move]: the stones of its maker before it
    other: NDArray[np.int64]
    next_own: NDArray[np.int64]  # those of the opponent, who is next
    next_other: NDArray[np.int64]
    reward: NDArray[np.float32]
    done: NDArray[np.bool_]  # nothing comes after it


def new_moves(number: int) -> Moves:
    own, other, next_own, next_other = np.zeros((4, number), np.int64)
    return Moves(own, other, next_own, next_other, np.zeros(number, np.float32), np.zeros(number, np.bool_))


def each_column(change: Callable[..., Any], *moves: Moves) -> Moves:
    """The columns that come of a change of each."""
    return Moves(*(change(*columns) for columns in zip(*moves, strict=True)))


class Replay:
    """The latest `capacity` moves."""

    def __init__(self, capacity: int, moves: Moves | None = None, added: int = 0) -> None:
        self.capacity = capacity
        self.moves = new_moves(capacity)
        self.added = added  # ever
        if moves is not None:
            self._write(slice(len(moves.own)), moves)

    def __len__(self) -> int:
        return min(self.added, self.capacity)

    def add(self, moves: Moves) -> None:
        """Write down moves, over the oldest ones if there is no room."""
        number = len(moves.own)
        places = np.arange(self.added, self.added + number) % self.capacity
        self._write(places, moves)
        self.added += number

    def _write(self, places: Any, moves: Moves) -> None:
        for name in Moves._fields:
            getattr(self.moves, name)[places] = getattr(moves, name)

    def kept(self) -> Moves:
        """All moves in their places."""
        return each_column(lambda column: column[: len(self)], self.moves)

    def sample(self, number: int, random: np.random.Generator) -> Moves:
        """Different moves, all equally likely."""
        chosen = random.choice(len(self), number, replace=False, shuffle=False)
        return each_column(lambda column: column[chosen], self.moves)


# ---- What a network should have said: rewards, and what comes after with its sign turned
#
# The position after a move is the opponent's, and what is good for the opponent is bad for the mover:
#
#     target = reward - γ·V(position after)        and the reward alone where nothing comes after
#
# By Double DQN the position after is worth its best answer, in place of V: the network that learns says which that is,
# the target network what it is worth. So a value that is too high by chance is not taken for the best and believed too.


Numbers = NDArray[np.float32]


def negamax_targets(rewards: Numbers, values_after: Numbers, done: NDArray[np.bool_], gamma: float) -> Numbers:
    """The targets of moves from what the position after each is worth to the opponent."""
    after = np.where(done, 0, values_after).astype(np.float32)
    return rewards - np.float32(gamma) * after


def double_values(choosing: Numbers, valuing: Numbers, starts: NDArray[np.int64]) -> Numbers:
    """What positions are worth by their best moves: those of position i begin at starts[i], and each has two values."""
    chosen = [first + int(choosing[first:end].argmax()) for first, end in pairwise(starts.tolist())]
    return valuing[chosen]


def rewards_of(result: int, length: int, shaping: bool = False) -> Numbers:
    """The rewards of the moves of a game; `result` is 1 if the last move won, -1 if it lost, 0 for a draw.

    Only the last move is rewarded. With shaping every move has the result for its maker, from half of it for the
    first move to all of it for the last.
    """
    rewards = np.zeros(length, np.float32)
    if shaping:
        for move in range(length):
            sign = 1 if (length - 1 - move) % 2 == 0 else -1
            rewards[move] = sign * result * (0.5 + 0.5 * (move + 1) / length)
    rewards[-1] = result
    return rewards


# ---- The games of the curriculum. Some are played side by side, so that the network judges the moves of all at once


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
