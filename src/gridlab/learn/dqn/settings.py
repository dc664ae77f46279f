"""How a network is trained: every number in one place.

    guide    the document's recipe, episode by episode: random play, a heuristic opponent, self-play
    best     games played by Monte Carlo tree search, λ-returns, symmetric images, large batches

Neither ever sees a tablebase.
"""

from dataclasses import asdict, dataclass, replace
from typing import Any

from gridlab.core.errors import BadNotation
from gridlab.learn.dqn.teacher import Course

TRAINING_BLEND = 0.3  # the share of the network in an evaluation; the rest is the heuristic


@dataclass(frozen=True)
class TrainingSettings:
    """A recipe. An episode is a game."""

    preset: str = "guide"
    episodes: int = 3000
    learning_rate: float = 0.001
    last_learning_rate: float = 0.001  # reached at the end along a cosine
    gamma: float = 0.95
    epsilon: float = 1.0
    last_epsilon: float = 0.05
    epsilon_decay: float = 0.995  # an episode
    memory: int = 50_000
    batch: int = 64
    steps: float = 1.0  # gradient steps an episode
    target_update: int = 100  # episodes
    checkpoint: int = 300  # episodes
    together: int = 10  # episodes played by the same network, so that workers share them
    dropout: float = 0.1
    opponent_depth: int = 3
    training_depth: int = 2
    training_blend: float = TRAINING_BLEND
    shaping: bool = False  # later moves weigh more
    images: bool = False  # every sampled position as one of its symmetric images, by chance
    course: Course | None = None  # who plays the games to learn from; None: the network's own curriculum

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"course": self.course and self.course._asdict()}


PRESETS = {
    "guide": TrainingSettings(),
    "best": TrainingSettings(
        preset="best", episodes=60_000, learning_rate=0.0005, last_learning_rate=0.00001, memory=1_000_000,
        batch=512, steps=0.2, target_update=1000, checkpoint=6000, together=500, dropout=0.0, images=True,
        course=Course(playouts=1600, longest_opening=14, random_moves=0.15, trust=0.5),
    ),
}  # fmt: skip


def settings_of(preset: str, episodes: int | None = None, shaping: bool = False) -> TrainingSettings:
    """A preset, with another number of episodes if one is given."""
    if preset not in PRESETS:
        raise BadNotation(f"{preset!r} is no preset; there are {', '.join(PRESETS)}")
    chosen = replace(PRESETS[preset], shaping=shaping)
    if episodes is None:
        return chosen
    if episodes < 1:
        raise BadNotation(f"{episodes} episodes are too few; at least 1 is needed")
    return replace(chosen, episodes=episodes)


def differences(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """Where two recipes differ, as text: `batch 64, now 32`."""
    return [f"{name} {one.get(name)}, now {other.get(name)}" for name in other if one.get(name) != other[name]]
