"""Questions for players: positions in which a move can change the value, with the truth about them.

Not all moves of such a position are worth the same: it is won or drawn, and the player to move has something to lose.
Questions are taken from every ply in turn. They hang on the game, the seed and the budget alone, so players graded with
the same seed answer the same questions and can be compared pair by pair.
"""

import logging
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gridlab.arena.exam import in_turn
from gridlab.core.arguments import check_seed
from gridlab.core.errors import BadNotation
from gridlab.core.progress import bar
from gridlab.games.symmetry import symmetries
from gridlab.inarow.exact.oracle import Oracle
from gridlab.inarow.exact.tablebase.blocks import shape
from gridlab.inarow.exact.tablebase.halves import TABLEBASE_CELLS, halves
from gridlab.inarow.exact.tablebase.probe import Boards
from gridlab.inarow.exact.tablebase.sampling import MOST_TRIED, boards_at, draw_positions
from gridlab.inarow.match import draw_opening
from gridlab.inarow.position import Position
from gridlab.inarow.records import replay
from gridlab.inarow.rules import Rules
from gridlab.inarow.solution import Budget, Solution

NODES = 10_000_000  # of a search for one truth; a few seconds
GIVE_UP = 200  # positions of a ply without a choice, one after the other, before it is left
TOO_HARD = 3  # positions of a ply beyond the budget, one after the other, before it is left
BATCH, BATCHES = 1 << 14, 256  # slots of a large ply tried at a time, and how many times
SOME = 1 << 10  # positions made numbers of Python together
OPENINGS = 1 << 16  # random openings tried for a ply of a large board
DRAWING = 0  # what a source of chance is for


class Question(NamedTuple):
    """A position whose value a move can change, and the truth about it."""

    position: Position
    solution: Solution


def draw_questions(
    rules: Rules,
    positions: int,
    seed: int,
    oracle: Oracle,
    plies: Sequence[int] | None = None,
    progress: bool = False,
) -> list[Question]:
    """Up to `positions` different questions, one from each ply in turn; fewer if no more are found.

    Positions are drawn uniformly up to symmetry, on boards of more than 25 cells by random play. A longer list of the
    same seed begins like a short one.
    """
    plies = range(rules.cells - 1) if plies is None else plies
    drawn: list[Question] = []
    with bar(positions, "questions", "positions", progress) as shown:
        for question in islice(in_turn([of_ply(rules, ply, seed, oracle) for ply in plies]), positions):
            drawn.append(question)
            shown.update(1)
    return drawn


def of_ply(rules: Rules, ply: int, seed: int, oracle: Oracle) -> Iterator[Question]:
    """The questions of a ply, until its positions run out or too many in a row leave no choice or are too hard."""
    without, hard = 0, 0
    for position in _positions(rules, ply, chance(seed, DRAWING, ply)):
        solution = oracle.ask(position)
        if has_choice(solution):
            without = hard = 0
            yield Question(position, solution)
            continue
        without += 1
        hard = hard + 1 if solution.value == "unknown" else 0
        if hard == TOO_HARD:
            nodes = oracle.budget.nodes if oracle.budget else None
            logging.getLogger("gridlab").warning(f"ply {ply} is left: {hard} positions took more than {nodes:,} nodes")
        if without == GIVE_UP or hard == TOO_HARD:
            return


def has_choice(solution: Solution) -> bool:
    """Whether a move can change the value; no, if the value of any is unknown."""
    values = {move.value for move in solution.moves}
    return len(values) > 1 and "unknown" not in values


def _positions(rules: Rules, ply: int, random: np.random.Generator) -> Iterator[Position]:
    """Different ongoing positions of a ply, in random order."""
    if rules.cells > TABLEBASE_CELLS:
        yield from _by_play(rules, ply, random)
        return
    images = symmetries(rules.rows, rules.cols)
    seen: set[tuple[int, int]] = set()
    for boards in _batches(rules, ply, random):
        for crosses, noughts in _one_by_one(random.permutation(boards)):
            if (crosses, noughts) not in seen:
                seen.add((crosses, noughts))
                yield Position(rules, crosses, noughts).image(images[random.integers(len(images))])


def _one_by_one(boards: Boards) -> Iterator[tuple[int, int]]:
    """As numbers of Python, some at a time: a list of millions would keep every other thread waiting."""
    for start in range(0, len(boards), SOME):
        yield from boards[start : start + SOME].tolist()


def _batches(rules: Rules, ply: int, random: np.random.Generator) -> Iterator[Boards]:
    """All of a small ply; of a large one a part at a time, for a while: it may have fewer positions than are wanted."""
    tables = halves(rules)
    crosses, noughts, _, slots = shape(rules.cells, ply)
    total = tables.count(crosses) * slots
    if total <= MOST_TRIED:
        yield draw_positions(rules, ply, total, random)
        return
    for _ in range(BATCHES):
        yield boards_at(np.unique(random.integers(total, size=BATCH)), crosses, noughts, tables)


def _by_play(rules: Rules, ply: int, random: np.random.Generator) -> Iterator[Position]:
    seen: set[object] = set()
    for _ in range(OPENINGS):
        try:
            position = replay(draw_opening(rules, ply, random), rules)
        except BadNotation:
            return  # random games of that length are over
        if position.key not in seen:
            seen.add(position.key)
            yield position


def chance(seed: int, purpose: int, number: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(purpose, number)))


def find_questions(
    rules: Rules,
    positions: int,
    nodes: int = NODES,
    tablebase: Path | str | None = None,
    seed: int = 0,
    progress: bool = False,
) -> list[Question]:
    """The questions of a grade; at least one, or it is said why there is none.

    The truth comes from `tablebase` as far as it goes, else from a search of at most `nodes`.
    """
    if positions < 1:
        raise BadNotation(f"{positions} positions are too few for a grade; at least 1 is needed")
    check_seed(seed)
    questions = draw_questions(
        rules, positions, seed, Oracle(rules, Budget(nodes), tablebase=tablebase), progress=progress
    )
    if not questions:
        raise BadNotation(f"no position of {rules} was found in which a move changes the value; grade another game")
    return questions
