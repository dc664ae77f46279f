"""What a training of Squava is asked for: its numbers, its curriculum, and self-play by tree search.

    guide    the published guide's recipe, episode by episode: random play, a heuristic opponent, self-play
    best     games played by Monte Carlo tree search, λ-returns, symmetric images, large batches

Neither ever sees a tablebase. A training that is gone on with keeps the settings it was begun with; its file may come
from anybody, so every number has its range.
"""

import math
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from gridlab.core.arguments import counted
from gridlab.core.bits import States, Stop, below, draw, stopped, streams
from gridlab.core.errors import BadNotation, CorruptFile, FileTrouble
from gridlab.core.jit import kernel
from gridlab.inarow.search.geometry import DRAWS, GOES_ON, Geometry, ending_by, open_game, random_cell
from gridlab.inarow.search.mcts import Tree, grow, new_tree
from gridlab.learn.run import Asked, changed, read_settings, require_same

# ---- Games to learn from, played by Monte Carlo tree search with random playouts; one kernel
#
# A game opens with some random moves that do not end it, so that positions are of all kinds. Then every position is
# searched, and the move tried most is made, or at times a random one. What a position is worth is a λ-return: partly
# what its own search says, partly what came of it, which is again partly the next search, and so on to the end.
#
#     return(t) = (1 - λ)·search(t) - λ·return(t + 1)        and search(t) alone where a random move was made
#
# No result of the search is proved (`proofs` is off): nothing here is an exact value but by luck.


EXPLORATION = 1.0
CHANCE_PARTS = 1 << 20  # probabilities are counted in parts of this


class Samples(NamedTuple):
    """Positions and what they are worth to the player to move."""

    own: NDArray[np.int64]  # [position]
    other: NDArray[np.int64]
    value: NDArray[np.float32]


class SelfPlay(NamedTuple):
    """How games to learn from are played."""

    playouts: Annotated[int, Meta(ge=1, le=1_000_000)]
    longest_opening: Annotated[int, Meta(ge=0, le=24)]  # random moves, from none to so many
    random_moves: Annotated[float, Meta(ge=0, le=1)]  # how often a move after the opening is random
    trust: Annotated[float, Meta(ge=0, le=1)]  # λ: how much what came of a position counts


def play_samples(self_play: SelfPlay, seed: int, games: range, geometry: Geometry, stop: Stop) -> Samples:
    """The positions of some games, which hang on the seed and their numbers alone."""
    most = geometry.cells * len(games)
    samples = Samples(np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(most, np.float32))
    states = streams(seed, len(games), games.start)
    number = play_games(self_play, geometry, new_tree(self_play.playouts + 1), states, samples, stop)
    return Samples(samples.own[:number], samples.other[:number], samples.value[:number])


@kernel
def play_games(
    self_play: SelfPlay, geometry: Geometry, tree: Tree, states: States, samples: Samples, stop: Stop
) -> int:
    """Play a game from every stream; how many positions were written down."""
    searched, surprises = np.zeros(geometry.cells + 1), np.zeros(geometry.cells + 1, np.bool_)
    number = 0
    for game in range(len(states)):
        state = states[game : game + 1]
        own, other = open_game(self_play.longest_opening, geometry, state)
        first, ending = number, GOES_ON
        while ending == GOES_ON:
            clear(tree)
            grow(own, other, self_play.playouts, EXPLORATION, False, True, geometry, tree, state, stop)
            if stopped(stop):
                return number
            cell, value = favourite(tree)
            at = number - first
            samples.own[number], samples.other[number], searched[at] = own, other, value
            number += 1
            surprises[at] = below(draw(state, 0), CHANCE_PARTS) < self_play.random_moves * CHANCE_PARTS
            if surprises[at]:
                free = ((1 << geometry.cells) - 1) & ~(own | other)
                cell = random_cell(free, state)
            ending = ending_by(own, other, cell, geometry)
            own, other = other, own | 1 << cell
        write_returns(self_play.trust, ending, searched, surprises, samples.value[first:number])
    return number


@kernel
def write_returns(
    trust: float, ending: int, searched: NDArray[np.float64], surprises: NDArray[np.bool_], out: NDArray[np.float32]
) -> None:
    """The λ-returns of a game, from its last move up; `ending` is what that one did."""
    following = 0.0 if ending == DRAWS else -float(ending)  # for the opponent of the last mover
    for at in range(len(out) - 1, -1, -1):
        value = searched[at]
        if not surprises[at]:
            value = (1 - trust) * value - trust * following
        out[at] = value
        following = value


@kernel
def favourite(tree: Tree) -> tuple[int, float]:
    """The move tried most, the lowest cell of equals, and its mean result."""
    best, cell = 0, 63
    child = tree.first[0]
    while child != 0:
        more = tree.visits[child] > tree.visits[best] if best != 0 else True
        if more or (tree.visits[child] == tree.visits[best] and tree.move[child] < cell):
            best, cell = child, int(tree.move[child])
        child = tree.following[child]
    return cell, tree.total[best] / tree.visits[best]


@kernel
def clear(tree: Tree) -> None:
    """Forget all positions of a tree."""
    used = tree.rows[0]
    tree.first[:used] = 0
    tree.visits[:used] = 0
    tree.total[:used] = 0
    tree.proved[:used] = 0
    tree.rows[0] = 0


# ---- How a network is trained: every number in one place


TRAINING_BLEND = 0.3  # the share of the network in an evaluation; the rest is the heuristic
DEFAULT = "best"  # the preset
OPTIONS = ("preset", "episodes", "shaping", "double")  # of the command line, and so not changed by --setting

Share = Annotated[float, Meta(ge=0, le=1)]
Number = Annotated[int, Meta(ge=1, le=10**9)]
Plies = Annotated[int, Meta(ge=1, le=6)]


@dataclass(frozen=True)
class TrainingSettings:
    """A recipe. An episode is a game."""

    preset: Annotated[str, Meta(pattern=r"^[a-z]{1,20}\Z")] = "guide"
    episodes: Number = 3000
    learning_rate: Share = 0.001
    last_learning_rate: Share = 0.001  # reached at the end along a cosine
    gamma: Share = 0.95
    epsilon: Share = 1.0
    last_epsilon: Share = 0.05
    epsilon_decay: Share = 0.995  # an episode
    memory: Annotated[int, Meta(ge=1, le=4_000_000)] = 50_000
    batch: Annotated[int, Meta(ge=1, le=65_536)] = 64
    steps: Annotated[float, Meta(ge=0, le=1000)] = 1.0  # gradient steps an episode
    target_update: Number = 100  # episodes
    checkpoint: Number = 300  # episodes
    together: Annotated[int, Meta(ge=1, le=100_000)] = 10  # episodes played by one network, so that workers share them
    dropout: Annotated[float, Meta(ge=0, le=0.9)] = 0.1
    opponent_depth: Plies = 3
    training_depth: Plies = 2
    training_blend: Share = TRAINING_BLEND
    shaping: bool = False  # later moves weigh more
    double: bool = False  # the network chooses the answer to a move, the target network values it
    images: bool = False  # every sampled position as one of its symmetric images, by chance
    course: SelfPlay | None = None  # who plays the games to learn from; None: the network's own curriculum

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"course": self.course and self.course._asdict()}


PRESETS = {
    "guide": TrainingSettings(),
    "best": TrainingSettings(
        preset="best", episodes=60_000, learning_rate=0.0005, last_learning_rate=0.00001, memory=1_000_000,
        batch=512, steps=0.2, target_update=1000, checkpoint=6000, together=500, dropout=0.0, images=True,
        course=SelfPlay(playouts=1600, longest_opening=14, random_moves=0.15, trust=0.5),
    ),
}  # fmt: skip


def settings_of(
    preset: str = DEFAULT, episodes: int | None = None, shaping: bool = False, double: bool = False
) -> TrainingSettings:
    """A preset, with another number of episodes if one is given."""
    if preset not in PRESETS:
        raise BadNotation(f"{preset!r} is not a preset; there are {', '.join(PRESETS)}")
    chosen = replace(PRESETS[preset], shaping=shaping, double=double)
    if chosen.course is not None and (shaping or double):
        raise BadNotation(
            f"{'shaping' if shaping else 'double'} changes nothing in preset {preset}, in which the value of every "
            "position is known when it is learnt; use preset guide"
        )
    if episodes is None:
        return chosen
    if episodes < 1:
        raise BadNotation(f"{episodes} episodes are too few; at least 1 is needed")
    return replace(chosen, episodes=episodes)


def settings_for(asked: Asked) -> TrainingSettings:
    """For a new training."""
    return changed(settings_of(**asked.said), asked.more, OPTIONS)


def settings_in(found: dict[str, Any], path: Path) -> TrainingSettings:
    """The settings that a file of a training holds."""
    course = found.get("course")
    if isinstance(course, dict):
        found = {**found, "course": [course.get(name) for name in SelfPlay._fields]}  # msgspec has tuples for lists
    settings = read_settings(found, TrainingSettings, path)
    if "preset" not in found:
        raise CorruptFile(f"{path} is not a training to go on from: it does not say by which preset")
    return settings


def settings_to_go_on(begun: TrainingSettings, seed: int, episode: int, asked: Asked, path: Path) -> TrainingSettings:
    """The settings of a training after `episode` games. It may have more games than planned, and nothing else."""
    was, wanted = begun.as_dict() | {"seed": seed}, dict(asked.with_seed)
    episodes = wanted.pop("episodes", begun.episodes)
    remedy = "leave {name} out to go on with it, or begin another training in another folder"
    require_same(was, wanted, path, remedy)
    require_same(was, changed(begun, asked.more, OPTIONS).as_dict(), path, "leave it out")
    if episodes != begun.episodes and episodes <= episode:
        raise FileTrouble(
            f"{path} has learnt from {counted(episode, 'episode')} already; ask for more than these, or for none"
        )
    return replace(begun, episodes=episodes)


# ---- What is learnt when: random play, then a heuristic opponent, then self-play; ever less chance
#
# 3000 episodes     0-449 random      450-2249 heuristic      2250-2999 self-play        15, 60 and 25 %


RANDOM, HEURISTIC, SELF_PLAY = 1, 2, 3
NAMES = {RANDOM: "random", HEURISTIC: "heuristic", SELF_PLAY: "self-play"}
PARTS = (15, 75)  # percent of the episodes after which the second and the third phase begin


def phase_starts(episodes: int) -> tuple[int, int]:
    """The first episodes of the second and of the third phase."""
    second, third = (part * episodes // 100 for part in PARTS)
    return second, third


def phase_of(episode: int, episodes: int) -> int:
    """The phase of an episode, counted from 0."""
    return RANDOM + sum(episode >= start for start in phase_starts(episodes))


def epsilon_of(episode: int, settings: TrainingSettings) -> float:
    """The share of random moves in an episode: it decays from the first one on, down to a floor."""
    return max(settings.last_epsilon, settings.epsilon * settings.epsilon_decay**episode)


def learning_rate_of(episode: int, settings: TrainingSettings) -> float:
    """From the first to the last learning rate along half a cosine; a constant if they are the same."""
    high, low = settings.learning_rate, settings.last_learning_rate
    return low + (high - low) * (1 + math.cos(math.pi * episode / settings.episodes)) / 2


def round_from(episode: int, settings: TrainingSettings) -> range:
    """The episodes played together from here: a round ends where a phase, a target or a checkpoint does."""
    ends = [episode + settings.together - episode % settings.together, settings.episodes]
    ends += [episode - episode % every + every for every in (settings.target_update, settings.checkpoint)]
    ends += [start for start in phase_starts(settings.episodes) if start > episode]
    return range(episode, min(ends))


def steps_after(episodes: range, settings: TrainingSettings) -> int:
    """Gradient steps after a round: whole steps of a steady rate."""
    return int(episodes.stop * settings.steps) - int(episodes.start * settings.steps)
