"""What the registry of games asks of the tables of 2048: built, asked, verified, counted."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from gridlab.core.errors import BadNotation
from gridlab.game2048.exact import verify as verification
from gridlab.game2048.exact.build import PARTS as PARTS
from gridlab.game2048.exact.build import build_tablebase2048
from gridlab.game2048.exact.file import MAGIC as MAGIC
from gridlab.game2048.exact.file import SCORE
from gridlab.game2048.exact.probe import Probe2048, Tablebase2048
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import Rules2048
from gridlab.games.tablebases import BuildOrder


def shipped(rules: Rules2048) -> Path | None:
    """The table of a solved board that comes with the package, if there is one."""
    path = Path(__file__).parent / "shipped" / f"{rules.rows}x{rules.cols}.tb"
    return path if rules.fours == Rules2048().fours and path.exists() else None


def build(rules: Rules2048, path: Path, order: BuildOrder, say: Callable[[str], Any] | None = None) -> None:
    """Solve a board; what it will take is said beforehand."""
    if order.max_ply is not None:
        raise BadNotation("--max-ply is for in-a-row games; a build of 2048 ends with --target TILE or --max-sum N")
    build_tablebase2048(
        rules, path, SCORE if order.target is None else order.target, max_sum=order.max_sum or 0, say=say,
        workers=order.workers, resume=order.resume, progress=say is not None,
    )  # fmt: skip


open_table, plot = Tablebase2048, verification.plot


def probe(path: Path, board: str) -> Probe2048:
    """What the directions of a board are worth."""
    table = Tablebase2048(path)
    return table.probe(Position2048.parse(board, table.rules))


def verify(path: Path, full: bool, seed: int, workers: int | None, progress: bool) -> verification.Verdict2048:
    return verification.verify(path, full, seed, progress)


def stats(path: Path, progress: bool) -> verification.Stats2048:
    return verification.stats(Tablebase2048(path), progress)
