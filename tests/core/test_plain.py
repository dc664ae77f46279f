"""Results as JSON takes them."""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pytest

from gridlab import game
from gridlab.core.draw import facts, plain


class Point(NamedTuple):
    x: int
    y: float


@dataclass(frozen=True)
class Walk:
    name: str
    points: tuple[Point, ...]

    @property
    def length(self) -> int:
        return len(self.points)


class Step(msgspec.Struct):
    far: int = 1


class Colour(Enum):
    RED = "red"


class Own(NamedTuple):
    x: int

    def as_dict(self) -> dict[str, Any]:
        return {"own": self.x}


def test_facts_are_in_the_order_named() -> None:
    walk = Walk("home", (Point(1, 2.5),))
    assert list(facts(walk, "length points name").items()) == [
        ("length", 1), ("points", [{"x": 1, "y": 2.5}]), ("name", "home"),
    ]  # fmt: skip
    assert list(facts(walk)) == ["name", "points"]
    assert facts(Point(1, 2.0)) == {"x": 1, "y": 2.0}


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (None, None), (True, True), ("a", "a"), (Path("a/b"), "a/b"), (Fraction(1, 4), 0.25), (Colour.RED, "red"),
        ({2: (1, 2)}, {"2": [1, 2]}), (np.int64(3), 3), (np.arange(3), [0, 1, 2]), (Step(), {"far": 1}),
        ([Own(4)], [{"own": 4}]), (game("tictactoe"), "3x3:3"), (game("2048:2x3"), "2048:2x3"),
    ],
)  # fmt: skip
def test_values(value: Any, wanted: Any) -> None:
    assert plain(value) == wanted
