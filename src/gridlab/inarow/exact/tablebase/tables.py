"""What the registry of games asks of tablebases of in-a-row games: built, asked, verified, counted."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from gridlab.core.errors import BadNotation
from gridlab.games.tablebases import BuildOrder
from gridlab.inarow.exact.tablebase import verify as statistics
from gridlab.inarow.exact.tablebase import verify as verification
from gridlab.inarow.exact.tablebase.build import PARTS as PARTS
from gridlab.inarow.exact.tablebase.build import build_tablebase
from gridlab.inarow.exact.tablebase.file import MAGIC as MAGIC
from gridlab.inarow.exact.tablebase.probe import Tablebase
from gridlab.inarow.exact.tablebase.probe import shipped as shipped
from gridlab.inarow.exact.tablebase.verify import plot_values
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules
from gridlab.inarow.solution import Solution


def build(rules: Rules, path: Path, order: BuildOrder, say: Callable[[str], Any] | None = None) -> None:
    """Solve a game; what it will take is said beforehand."""
    if order.target is not None or order.max_sum is not None:
        raise BadNotation("--target and --max-sum are for 2048; a build of in-a-row games ends with --max-ply N")
    build_tablebase(
        rules, path, order.max_ply, say=say, workers=order.workers, resume=order.resume, progress=say is not None
    )


def open_table(path: Path) -> Tablebase:
    return Tablebase(path)


def probe(path: Path, board: str) -> Solution:
    """The value and distance of a position, of each move, and the best line."""
    table = Tablebase(path)
    return table.probe(Position.parse(board, table.rules))


def verify(path: Path, full: bool, seed: int, workers: int | None, progress: bool) -> verification.VerdictMnk:
    return verification.verify(path, full, seed, workers, progress)


def stats(path: Path, progress: bool) -> statistics.Stats:
    return statistics.stats(Tablebase(path))


def plot(found: statistics.Stats, picture: Path) -> None:
    plot_values(found, picture)
