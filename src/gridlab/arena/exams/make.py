"""An exam made: positions whose moves are not all worth the same, with the truth in a file of its own."""

import logging
from pathlib import Path
from typing import Any

from gridlab.arena.exams.paper import MOST_QUESTIONS, Exam, Question, write_exam
from gridlab.core.arguments import typed
from gridlab.core.errors import BadNotation, BadRules
from gridlab.core.numbers import check_seed
from gridlab.core.progress import bar
from gridlab.games.protocol import GameRules
from gridlab.games.registry import family_of, game

NODES = 10_000_000  # of a search for one truth


@typed
def make_exam(
    rules: GameRules | str,
    out: Path | str,
    positions: int = 300,
    plies: range | None = None,
    nodes: int = NODES,
    tablebase: Path | str | None = None,
    seed: int = 0,
    progress: bool = False,
) -> Exam:
    """Draw questions and write them to `out`, their key beside it.

    Decisive positions alone: two moves at least end differently under best play (2048: are worth different points).
    They come from all plies and distances in turn, one of each symmetry class, as a random image of it.
    """
    played: GameRules = game(rules)
    if not 1 <= positions <= MOST_QUESTIONS:
        raise BadNotation(f"{positions} questions make no exam; 1 to {MOST_QUESTIONS:,} do")
    check_seed(seed)
    family = family_of(played)
    if not family.exams:
        raise BadRules(f"{played} is a game of {family.name}, and there are no exams about these")
    drawn: list[tuple[Question, Any]] = []
    with bar(positions, "questions", "positions", progress) as shown:
        for each in family.load("exams").draw_questions(played, positions, plies, seed, tablebase, nodes):
            drawn.append(each)
            shown.update(1)
    if not drawn:
        raise BadNotation(
            f"no position of {played} was found in which a move changes the value; ask about another game"
        )
    if len(drawn) < positions:
        logging.getLogger("gridlab").warning(
            f"only {len(drawn):,} such positions of {played} were found, one of each symmetry class"
        )
    return write_exam(Path(out), played, seed, drawn)
