"""What a training of an n-tuple network is asked to do, and the recipes that have a name."""

import math
from dataclasses import dataclass, replace
from typing import Annotated, Any

from msgspec import Meta

from gridlab.core.errors import BadNotation
from gridlab.core.numbers import check_seed
from gridlab.games.game2048.rules import Rules2048
from gridlab.games.game2048.tuples import Cells, default_tuples, parse_tuples
from gridlab.learn.overrides import Overrides, values_of
from gridlab.nets.ntuple_file import Learnt

STEPS = {"td": 0.1, "tc": 1.0}  # one rate for all weights is small, as it never falls
MOST_MINUTES = 60.0 * 24 * 365
NUMBERS: dict[str, Any] = {
    "minutes": Annotated[float, Meta(gt=0, le=MOST_MINUTES)],
    "games": Annotated[int, Meta(ge=1, le=2**53)],
    "step": Annotated[float, Meta(gt=0, le=10)],
    "trace": Annotated[float, Meta(ge=0, le=1)],
    "restart": Annotated[int, Meta(ge=0, le=100_000)],
    "optimistic": Annotated[float, Meta(ge=0, le=1e9)],
    "settle": Annotated[float, Meta(gt=0, le=1)],
}


@dataclass(frozen=True)
class Asked:
    """What was asked for; what is None is as in the preset, or as the training was begun."""

    preset: str | None = None
    minutes: float | None = None
    games: int | None = None
    tuples: str | None = None
    rate: str | None = None
    step: float | None = None
    trace: float | None = None
    restart: int | None = None
    optimistic: float | None = None
    seed: int | None = None
    settle: float | None = None

    def with_settings(self, settings: Overrides) -> "Asked":
        """The same with numbers named by --setting; what an option says already is not said twice."""
        found = values_of(settings, NUMBERS)
        for name in found:
            if getattr(self, name) is not None:
                raise BadNotation(f"{name} is said by an option and by --setting; say it once")
        return replace(self, **found)


@dataclass(frozen=True)
class Recipe:
    """A recipe by name."""

    minutes: float
    about: str
    trace: float = 0.5
    restart: int = 1500
    optimistic: float = 0.0
    settle: float = 1.0  # the share of the training after which the rates are a tenth; 1 never


PRESETS = {
    "minutes": Recipe(10.0, "ten minutes: the best player that they give"),
    "hour": Recipe(60.0, "an hour, on all cores", settle=0.6),
}


@dataclass(frozen=True)
class Plan:
    """A training that can begin, or go on: how it learns, and where it ends."""

    tuples: tuple[Cells, ...]
    learnt: Learnt  # before
    games: int | None
    minutes: float | None

    def left(self, learnt: Learnt) -> tuple[int | None, float | None]:
        """Games or seconds that are left, to the end or to where it settles."""
        share = 1.0 if learnt.settled else learnt.settle
        games = None if self.games is None else max(0, math.ceil(share * self.games) - learnt.games)
        return games, None if self.minutes is None else max(0.0, 60 * share * self.minutes - learnt.seconds)


def plan(asked: Asked, rules: Rules2048) -> Plan:
    """A training that begins."""
    recipe = find_recipe(asked.preset)
    rate = asked.rate or "tc"
    if rate not in STEPS:
        raise BadNotation(f"{rate!r} is not a kind of rate; td has one for all weights, tc one for each")
    learnt = Learnt(
        rate,  # type: ignore[arg-type]
        STEPS[rate] if asked.step is None else asked.step,
        recipe.trace if asked.trace is None else asked.trace,
        recipe.restart if asked.restart is None else asked.restart,
        recipe.optimistic if asked.optimistic is None else asked.optimistic,
        recipe.settle if asked.settle is None else asked.settle,
        seed=check_seed(asked.seed or 0),
    )
    check(learnt)
    return _ending(
        Plan(parse_tuples(asked.tuples or default_tuples(rules), rules), learnt, None, recipe.minutes), asked
    )


def plan_to_go_on(asked: Asked, rules: Rules2048, tuples: tuple[Cells, ...], learnt: Learnt, what: object) -> Plan:
    """A training that goes on: as it was begun, to another end perhaps."""
    for name in ("rate", "step", "trace", "restart", "optimistic", "settle", "seed"):
        if (value := getattr(asked, name)) is not None and value != (begun := getattr(learnt, name)):
            raise BadNotation(f"{what} was begun with {name} {begun}, not {value}; leave it out, or start again")
    if asked.tuples is not None and parse_tuples(asked.tuples, rules) != tuples:
        raise BadNotation(f"{what} was begun with other tuples than {asked.tuples}; leave them out, or start again")
    return _ending(Plan(tuples, learnt, None, find_recipe(asked.preset).minutes), asked)


def find_recipe(name: str | None) -> Recipe:
    if (name or "minutes") not in PRESETS:
        raise BadNotation(f"{name!r} is not a preset; there are {', '.join(PRESETS)}")
    return PRESETS[name or "minutes"]


def check(learnt: Learnt) -> None:
    """Refuse numbers with which nothing can be learnt."""
    for name, value, low, high in (
        ("step", learnt.step, 0.0, 10.0), ("trace", learnt.trace, 0.0, 1.0), ("restart", learnt.restart, 0, 100_000),
        ("optimistic", learnt.optimistic, 0.0, 1e9), ("settle", learnt.settle, 0.0, 1.0),
    ):  # fmt: skip
        if not low <= value <= high or (name in ("step", "settle") and value == 0):
            raise BadNotation(f"{name} {value:g} is out of range; {low:g} to {high:g} can be learnt with")


def _ending(plan: Plan, asked: Asked) -> Plan:
    if asked.games is not None and asked.minutes is not None:
        raise BadNotation("a training ends after so many games or so many minutes: name one of them")
    if asked.games is not None:
        if asked.games < 1:
            raise BadNotation(f"{asked.games} games teach nothing; name 1 or more")
        return replace(plan, games=asked.games, minutes=None)
    minutes = plan.minutes if asked.minutes is None else asked.minutes
    if minutes is None or not 0 < minutes <= MOST_MINUTES:
        raise BadNotation(f"{minutes} minutes are not enough to learn anything; write a larger number, such as 10")
    return replace(plan, minutes=minutes)
