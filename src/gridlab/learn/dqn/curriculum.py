"""What is learnt when: random play, then a heuristic opponent, then self-play; ever less chance.

3000 episodes     0-449 random      450-2249 heuristic      2250-2999 self-play        15, 60 and 25 %
"""

import math

from gridlab.learn.dqn.settings import TrainingSettings

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
