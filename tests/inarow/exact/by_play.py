"""A census by playing: every class of positions is reached move by move, with numpy and without a kernel.

Independent of the counting in every step: reached instead of counted, canonicalised instead of averaged.
"""

from collections import Counter
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.games.grid import symmetries
from gridlab.inarow.rules import Rules

Codes = NDArray[np.int64]  # crosses << cells | noughts


class PlayedPly(NamedTuple):
    raw: Counter[str]
    canonical: Counter[str]


def plies_by_play(rules: Rules) -> list[PlayedPly]:
    """Positions by outcome, raw and up to symmetry, for every ply that play reaches."""
    ongoing = np.zeros(1, dtype=np.int64)
    plies = [PlayedPly(Counter(ongoing=1), Counter(ongoing=1))]
    for ply in range(1, rules.cells + 1):
        codes = smallest_images(rules, children(rules, ongoing, ply))
        orbits = orbit_sizes(rules, codes)
        outcome = outcomes(rules, codes, ply)
        counted = PlayedPly(Counter(), Counter())
        for name in ("ongoing", "x_wins", "o_wins", "draw"):
            counted.canonical[name] = int((outcome == name).sum())
            counted.raw[name] = int(orbits[outcome == name].sum())
        plies.append(counted)
        ongoing = codes[outcome == "ongoing"]
    return plies


def children(rules: Rules, codes: Codes, ply: int) -> Codes:
    shift = rules.cells if ply % 2 else 0
    occupied = codes >> rules.cells | codes & rules.board
    moved = [codes[occupied >> cell & 1 == 0] | 1 << cell + shift for cell in range(rules.cells)]
    return distinct(np.concatenate(moved))


def distinct(codes: Codes) -> Codes:
    """What np.unique gives, which is several times slower."""
    ordered = np.sort(codes)
    different: Codes = ordered[np.diff(ordered, prepend=-1) != 0]
    return different


def images(rules: Rules, codes: Codes) -> list[Codes]:
    tables = mapped_sets(rules.rows, rules.cols)
    return [table[codes >> rules.cells] << rules.cells | table[codes & rules.board] for table in tables]


@cache
def mapped_sets(rows: int, cols: int) -> list[Codes]:
    """For each symmetry the image of every set of cells."""
    sets = np.arange(1 << rows * cols)
    return [
        np.bitwise_or.reduce([(sets >> cell & 1) << to for cell, to in enumerate(symmetry.cells)])
        for symmetry in symmetries(rows, cols)
    ]


def smallest_images(rules: Rules, codes: Codes) -> Codes:
    return distinct(np.minimum.reduce(images(rules, codes)))


def orbit_sizes(rules: Rules, codes: Codes) -> Codes:
    if not len(codes):
        return codes
    ordered = np.sort(np.array(images(rules, codes)), axis=0)
    different: Codes = 1 + (np.diff(ordered, axis=0) != 0).sum(axis=0)
    return different


def outcomes(rules: Rules, codes: Codes, ply: int) -> NDArray[np.str_]:
    stones = codes >> rules.cells if ply % 2 else codes & rules.board
    mover, other = ("x_wins", "o_wins") if ply % 2 else ("o_wins", "x_wins")
    result = np.full(len(codes), "draw" if ply == rules.cells else "ongoing", dtype="<U7")
    for name, lines in ((other, rules.losing_lines), (mover, rules.winning_lines)):
        for line in lines:
            result[stones & line == line] = name
    return result


def terminals_by_play(rules: Rules) -> list[Codes]:
    """For every ply the records of the terminal wins that play reaches, as the layer files have them."""
    ongoing = np.zeros(1, dtype=np.int64)
    found = [np.empty(0, dtype=np.int64)]
    for ply in range(1, rules.cells + 1):
        codes = smallest_images(rules, children(rules, ongoing, ply))
        outcome = outcomes(rules, codes, ply)
        found.append(lexicographic_records(rules, codes[(outcome == "x_wins") | (outcome == "o_wins")]))
        ongoing = codes[outcome == "ongoing"]
    return found


def lexicographic_records(rules: Rules, codes: Codes) -> Codes:
    """Of each orbit the image that is smallest cell by cell, packed with cell 0 lowest, ascending."""

    def spread(codes: Codes, place: list[int]) -> Codes:
        result = np.zeros_like(codes)
        for cell in range(rules.cells):
            result |= (codes >> rules.cells + cell & 1 | (codes >> cell & 1) << 1) << 2 * place[cell]
        return result

    everything = np.array(images(rules, codes))  # [symmetry, position]
    from_cell_0 = np.array([spread(image, list(range(rules.cells))[::-1]) for image in everything])
    smallest = np.take_along_axis(everything, from_cell_0.argmin(axis=0)[None], axis=0)[0]
    return np.sort(spread(smallest, list(range(rules.cells))))
