"""How a network is trained: every number in one place.

    guide    the published guide's recipe, episode by episode: random play, a heuristic opponent, self-play
    best     games played by Monte Carlo tree search, λ-returns, symmetric images, large batches

Neither ever sees a tablebase. A training that is gone on with keeps the settings it was begun with; its file may come
from anybody, so every number has its range.
"""

from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from gridlab.core.errors import BadNotation, CorruptFile, FileTrouble
from gridlab.core.numbers import counted, shortened
from gridlab.core.untrusted import refusing
from gridlab.learn.dqn.teacher import Course
from gridlab.learn.overrides import Overrides, changed

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


class Asked(NamedTuple):
    """What somebody has said of a training; None leaves it to the preset, or to the training that is gone on with."""

    preset: str | None = None
    episodes: int | None = None
    shaping: bool | None = None
    double: bool | None = None
    seed: int | None = None
    more: Overrides = ()  # any other number, by name

    def settings(self) -> TrainingSettings:
        """For a new training."""
        chosen = settings_of(self.preset or DEFAULT, self.episodes, bool(self.shaping), bool(self.double))
        return changed(chosen, self.more, OPTIONS)


def settings_in(found: dict[str, Any], path: Path) -> TrainingSettings:
    """The settings that a file of a training holds; one that is missing has its usual value."""
    known = {each.name for each in fields(TrainingSettings)}
    if more := set(found) - known:
        raise CorruptFile(f"{path} is not a training to go on from: it has a setting {shortened(min(more))}")
    if "preset" not in found:
        raise CorruptFile(f"{path} is not a training to go on from: it does not say by which preset")
    course = found.get("course")
    if isinstance(course, dict):
        course = [course.get(name) for name in Course._fields]  # msgspec has tuples for lists
    with refusing(path, "a training to go on from"):
        return msgspec.convert({**found, "course": course}, TrainingSettings)


def settings_to_go_on(begun: TrainingSettings, seed: int, episode: int, asked: Asked, path: Path) -> TrainingSettings:
    """The settings of a training after `episode` games. It may have more games than planned, and nothing else."""
    for name, was in {"preset": begun.preset, "shaping": begun.shaping, "double": begun.double, "seed": seed}.items():
        now = getattr(asked, name)
        if now is not None and now != was:
            raise FileTrouble(
                f"{path} was begun with {name} {said(was)}, not {said(now)}; leave {name} out to go on with it, "
                "or begin another training in another folder"
            )
    wanted = changed(begun, asked.more, OPTIONS).as_dict()
    for name, was in begun.as_dict().items():
        if wanted[name] != was:
            raise FileTrouble(f"{path} was begun with {name} {said(was)}, not {said(wanted[name])}; leave it out")
    if asked.episodes is None or asked.episodes == begun.episodes:
        return begun
    if asked.episodes <= episode:
        raise FileTrouble(
            f"{path} has learnt from {counted(episode, 'episode')} already; ask for more than these, or for none"
        )
    return replace(begun, episodes=asked.episodes)


def said(value: object) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
