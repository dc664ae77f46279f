"""A small run of everything that gridlab does, with its report."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from gridlab.arena.evaluate import evaluate
from gridlab.datasets.best_first.report import answer
from gridlab.datasets.terminals.build import build_report, build_terminals
from gridlab.datasets.terminals.dataset import Terminals
from gridlab.datasets.terminals.verify import verify
from gridlab.exact.census import census
from gridlab.exact.tablebase.probe import Tablebase
from gridlab.games import NAMED, game
from gridlab.games.mnk.position import Position
from gridlab.search.mnk.best_first import Start
from gridlab.search.mnk.proof_number import prove_win


def tour() -> Iterator[str]:
    """The stops of the tour, each a text, as they are reached."""
    yield f"How many positions does tic-tac-toe have?\n\n{census(NAMED['tictactoe'])}"
    with tempfile.TemporaryDirectory() as folder:
        yield from terminal_wins(Path(folder))
        yield from cooperative_line(Path(folder))
    yield from squava()
    yield from forced_win()
    yield game_2048()


def terminal_wins(folder: Path) -> Iterator[str]:
    made = build_terminals(NAMED["tictactoe5"], folder, range(9, 13))
    yield f"\nThe earliest terminal wins of 5x5 five-in-a-row, up to symmetry\n\n{build_report(made)}"
    yield f"\n{Terminals(folder).show(10, 0, 3)}"
    yield f"\n{verify(folder, sample=None)}"


def cooperative_line(folder: Path) -> Iterator[str]:
    found = answer(Start(3, 1 << 0, 1 << 4, "X"), folder / "steps.txt", folder / "output.txt")
    yield f"\nA corner, the centre, and best-first search for a line\n\n{found}"


def squava() -> Iterator[str]:
    table = Tablebase("squava")  # its first plies come with the package
    start = Position(table.rules)
    yield f"\nSquava, where four win and three lose, with best play: +17 wins in 17 plies\n\n{table.probe(start)}"
    yield f"\n{table.probe(start.play('33'))}"


def forced_win() -> Iterator[str]:
    proof = prove_win(0, 0, game("6x6:4"))
    yield f"\nFour in a row on a board of 6x6\n\n{proof}"
    yield f"what the rules say of the proof, reply by reply: {proof.flaw() or 'no flaw'}"


def game_2048() -> str:
    played = evaluate("expectimax evaluator=rows depth=3", 20, seed=1)
    return f"\n2048, two moves and a new tile ahead\n\n{played}"
