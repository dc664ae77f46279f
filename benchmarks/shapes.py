"""Figures that have a shape: time against the size of a game, strength of 2048 players against time a move.

python benchmarks/shapes.py [--only size|strength] [--games N]      draws docs/images/bench-size.png, bench-strength.png
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.inarow.exact.reference import census_by_play, retrograde

from gridlab.core.charts import new_figure, save
from gridlab.game2048.evaluate import evaluate
from gridlab.games import game
from gridlab.inarow.exact.census import census
from gridlab.inarow.exact.tablebase.build import build_tablebase

IMAGES = Path(__file__).parent.parent / "docs" / "images"
SIZES = ("3x3:3", "3x4:3", "4x4:4", "4x5:4", "5x5:4")
REFERENCES = {
    "counted, reference implementation": ("2x3:2", "3x3:3", "3x4:3"),
    "solved, reference implementation": ("3x3:3", "3x4:3", "4x4:4"),
}
SOLVED = SIZES[:-1]  # the next one takes minutes and most of the memory of a small machine
PLAYERS = {
    "expectimax, spec": [f"expectimax evaluator=spec depth={depth}" for depth in (1, 2, 3, 4)],
    "expectimax, rows": [f"expectimax evaluator=rows depth={depth}" for depth in (1, 2, 3, 4, 5)],
    "n-tuple network of 1 MB": ["ntuple", *(f"expectimax evaluator=ntuple depth={depth}" for depth in (3, 5))],
    "Monte Carlo tree search": [f"mcts playouts={number}" for number in (50, 200)],
}


class Dot(NamedTuple):
    x: float
    y: float
    label: str


def seconds_of(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def sizes() -> dict[str, list[Dot]]:
    """CPU seconds to count and to solve games, by kernels and by their reference implementations."""
    lines: dict[str, list[Dot]] = {}
    census(game("tictactoe"))  # compiled before the clock starts
    for name in SIZES:
        spent = seconds_of(lambda: census(game(name)))  # noqa: B023
        lines.setdefault("counted", []).append(Dot(census(game(name)).counts.legal, spent, name))
    with tempfile.TemporaryDirectory() as folder:
        build_tablebase(game("tictactoe"), Path(folder) / "compiled.tb", workers=1)
        for name in SOLVED:
            counts = census(game(name))
            path = Path(folder) / f"{name.replace(':', '_')}.tb"
            spent = seconds_of(lambda: build_tablebase(game(name), path, counts=counts, workers=1))  # noqa: B023
            lines.setdefault("solved", []).append(Dot(counts.counts.legal, spent, name))
    for title, work in (
        ("counted, reference implementation", census_by_play),
        ("solved, reference implementation", retrograde),
    ):
        for name in REFERENCES[title]:
            spent = seconds_of(lambda: work(game(name)))  # noqa: B023
            lines.setdefault(title, []).append(Dot(census(game(name)).counts.legal, spent, name))
    for title, dots in lines.items():
        for dot in dots:
            print(f"{title:<24} {dot.label:<6} {dot.x:>18,.0f} positions {dot.y:>12.4f} s of CPU", flush=True)
    return lines


def strength(games: int) -> dict[str, list[Dot]]:
    """Mean score against the CPU time of a move."""
    lines: dict[str, list[Dot]] = {}
    for title, players in PLAYERS.items():
        for player in players:
            evaluate(player, games=1, seed=2, workers=1)  # compiled before the clock starts
            found = evaluate(player, games=games, seed=1, workers=1)
            move, interval = 1 / found.moves_per_second, found.mean_score_interval
            assert interval is not None
            low, high = interval
            lines.setdefault(title, []).append(Dot(1e6 * move, found.mean_score, player.rpartition("=")[2]))
            print(
                f"{player:<40} {games:>5} games {found.mean_score:>9,.0f} ({low:,.0f} to {high:,.0f})"
                f" {1e6 * move:>10,.1f} µs of CPU a move",
                flush=True,
            )
    return lines


def draw(lines: dict[str, list[Dot]], path: Path, across: str, up: str) -> None:
    """Both axes in powers of ten."""
    figure = new_figure(path, 4.5)
    axes = figure.subplots()
    for title, dots in lines.items():
        (line,) = axes.plot([dot.x for dot in dots], [dot.y for dot in dots], "o-", label=title)
        for dot in dots:
            axes.annotate(
                dot.label, (dot.x, dot.y), (5, -9), textcoords="offset points", fontsize=7, color=line.get_color()
            )
    axes.set(xscale="log", yscale="log", xlabel=across, ylabel=up)
    axes.margins(x=0.08)  # room for the last label
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize=8)
    save(figure, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("size", "strength"))
    parser.add_argument("--games", type=int, default=30, help="of each player of 2048")
    chosen = parser.parse_args()
    if chosen.only != "strength":
        draw(sizes(), IMAGES / "bench-size.png", "legal positions of the game", "seconds of CPU, one core")
    if chosen.only != "size":
        draw(strength(chosen.games), IMAGES / "bench-strength.png", "CPU time a move, µs", "mean score, 4×4")


if __name__ == "__main__":
    main()
