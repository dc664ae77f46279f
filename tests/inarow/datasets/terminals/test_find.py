"""Records found by a description are those that a plain loop finds."""

from collections import Counter
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from gridlab.core.errors import BadNotation, FileTrouble
from gridlab.games.grid import symmetries
from gridlab.inarow.datasets.terminals.build import build_terminals
from gridlab.inarow.datasets.terminals.dataset import Terminals, find_terminals
from gridlab.inarow.lines import numbered_lines
from gridlab.inarow.position import Position

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module", params=["3x3:3", "3x4:4-3"])
def data(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Terminals:
    folder = tmp_path_factory.mktemp("wins")
    build_terminals(request.param, folder)
    return Terminals(folder)


class Seen(NamedTuple):
    """A position as a person sees it."""

    text: str
    completed: list[int]  # lines, by number

    def fits(self, pattern: str, line: int | None) -> bool:
        if line is not None and line not in self.completed:
            return False
        return all(wanted in ("?", mark) for wanted, mark in zip(pattern, self.text, strict=True))


def see(position: Position) -> Seen:
    mover = position.crosses if position.ply % 2 else position.noughts
    lines = enumerate(numbered_lines(position.rules))
    return Seen(str(position), [number for number, line in lines if mover & line == line])


@cache
def images_of(data: Terminals) -> list[tuple[Position, str | None, list[Seen]]]:
    """Every position, its winner, and all its images, itself first."""
    found: list[tuple[Position, str | None, list[Seen]]] = []
    for position in data:
        outcome = position.outcome()
        assert outcome is not None
        every = [see(position.image(each)) for each in symmetries(data.rules.rows, data.rules.cols)]
        found.append((position, outcome.winner, every))
    return found


def by_hand(data: Terminals, winner: str | None, line: int | None, pattern: str, symmetric: bool) -> list[Position]:
    return [
        position
        for position, won, images in images_of(data)
        if winner in (None, won) and any(each.fits(pattern, line) for each in images[: None if symmetric else 1])
    ]


@pytest.mark.parametrize("seed", range(12))
def test_patterns_lines_and_winners(data: Terminals, seed: int) -> None:
    random = np.random.default_rng(seed)
    rules = data.rules
    marks = random.choice(list("?????X.O"), rules.cells)
    pattern = "/".join("".join(marks[row : row + rules.cols]) for row in range(0, rules.cells, rules.cols))
    line = [None, int(random.integers(len(numbered_lines(rules))))][seed % 2]
    winner = [None, "X", "O"][seed % 3]
    for symmetric in (False, True):
        wanted = by_hand(data, winner, line, pattern, symmetric)
        found = find_terminals(
            data, None, winner=winner and winner.lower(), line=line, pattern=pattern, symmetric=symmetric, count=10**5
        )
        assert (found.matches, found.records) == (len(wanted), len(data))
        assert [each.position for each in found.shown] == wanted
        assert all(line is None or symmetric or line in each.lines for each in found.shown)


def test_everything_matches_nothing_asked(data: Terminals) -> None:
    found = find_terminals(data, count=2)
    assert (found.matches, len(found.shown)) == (len(data), 2)
    assert str(found).startswith(f"{data.rules}: {len(data):,} of {len(data):,} records match\n\nply ")
    assert find_terminals(data, plies=data.plies[-1:]).records == len(data.records(data.plies[-1]))
    assert find_terminals(data, count=0).shown == []


def test_chosen_by_chance(data: Terminals) -> None:
    """The same for one seed whatever the workers, others for another, each match as likely as any."""

    def places(seed: int, workers: int, number: int = 9) -> list[tuple[int, int]]:
        return [
            (each.ply, each.place) for each in find_terminals(data, sample=number, seed=seed, workers=workers).shown
        ]

    assert places(1, 1) == places(1, 3)
    assert places(1, 1) != places(2, 1)
    assert len(set(places(1, 1))) == 9
    every = places(0, 1, len(data) + 5)
    assert len(every) == len(data)
    assert len(set(every)) == len(data)
    if len(data) < 200:  # 20 times each, on average
        seen = Counter(place for seed in range(150) for place in places(seed, 1, 18))
        assert (set(seen) <= set(every), seen.total()) == (True, 2700)
        assert 3 <= min(seen[place] for place in every) <= max(seen.values()) <= 45


def test_what_cannot_be_asked(data: Terminals) -> None:
    lines = len(numbered_lines(data.rules))
    with pytest.raises(BadNotation, match=f"has no line {lines}; its lines are 0 to {lines - 1}, see gridlab lines"):
        find_terminals(data, line=lines)
    for pattern in ("??", "Z" * data.rules.cells, "[1,2]"):
        with pytest.raises(BadNotation):
            find_terminals(data, pattern=pattern)
    with pytest.raises(FileTrouble, match="has no layer for ply 1"):
        find_terminals(data, plies=[1])
