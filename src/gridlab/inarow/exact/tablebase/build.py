"""A tablebase from the last ply to the first; each ply with X to move is on disk before the next is begun.

    squava.tb              the file, there when all is done
    squava.tb.plies/       while it is being made: 24.tb, 22.tb, … each a whole file with one ply

A build that is killed goes on, with `resume`, after the last of these.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from gridlab.core.arguments import typed
from gridlab.core.errors import BadNotation, CorruptFile, TooLarge
from gridlab.core.files import RESULTS_VERSION
from gridlab.core.progress import bar
from gridlab.core.run import available_cores, size_text
from gridlab.games import tablebases
from gridlab.games.registry import game
from gridlab.games.tablebases import BuildOrder
from gridlab.inarow.exact.census import Census, census
from gridlab.inarow.exact.tablebase import layout
from gridlab.inarow.exact.tablebase.layout import MAGIC, Scores, TableFile, pack, shape, stored_plies, write_table
from gridlab.inarow.exact.tablebase.probe import Tablebase, shipped
from gridlab.inarow.exact.tablebase.solve import JOB, Solver, in_blocks
from gridlab.inarow.exact.tablebase.verify import Stats, plot, verify
from gridlab.inarow.exact.tablebase.verify import stats as stats_of
from gridlab.inarow.rules import Rules
from gridlab.inarow.solution import Solution

# What the registry of games asks of tablebases.
__all__ = ["MAGIC", "PARTS", "build", "open_table", "plot", "probe", "shipped", "stats", "verify"]

LEVEL = 3  # of zstd
SCORES_A_SECOND = 60e6  # solved and packed by one core; what estimates rest on
SCORES_A_BYTE = 8  # in the file
OTHER_MEMORY = 300 << 20  # tables, the interpreter
OTHER_DISK = 1 << 20  # directories; small blocks pack less well
INSTEAD = "a machine with more, or a smaller board, would do"
PARTS = "plies"  # how the name of the folder of the parts ends


# ---- what is to be done


@dataclass(frozen=True)
class BuildEstimate:
    """What a build will take: bytes, and seconds of one core."""

    rules: Rules
    positions: int
    canonical: int
    slots: int
    memory: int
    disk: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"{self.rules}: {self.positions:,} ongoing positions, {self.canonical:,} up to symmetry\n"
            f"about {size_text(self.memory)} of memory, {size_text(self.disk)} of disk while it is made, "
            f"{max(1, round(self.seconds)):,} s of CPU"
        )


def estimate(counts: Census, workers: int | None = None) -> BuildEstimate:
    """What a build will take, before anything is done."""
    rules, tables = counts.rules, layout.halves(counts.rules)
    shapes = [shape(rules.cells, ply) for ply in range(rules.cells + 1)]
    slots = [tables.count(crosses) * each for crosses, _, _, each in shapes]
    return BuildEstimate(
        rules, counts.counts.ongoing, counts.canonical.ongoing, sum(slots),
        max(slots[1::2], default=0) + 4 * JOB * (workers or available_cores()) + OTHER_MEMORY,
        2 * sum(slots[::2]) // SCORES_A_BYTE + OTHER_DISK, sum(slots) / SCORES_A_SECOND,
    )  # fmt: skip


# ---- doing it


@typed
def build_tablebase(
    rules: Rules | str, out: Path | str, max_ply: int | None = None, counts: Census | None = None,
    say: Callable[[str], object] | None = None, workers: int | None = None, resume: bool = False,
    progress: bool = False,
) -> None:  # fmt: skip
    """Solve a game and write its tablebase. With `max_ply` only positions up to that ply are kept.

    One build at a time: whoever comes second to a place is refused before any work. `say` hears what it will take.
    """
    rules, path = game(rules, "mnk"), Path(out)
    last = last_ply(rules, max_ply)
    with tablebases.building(path, PARTS) as folder:
        first = first_finished(rules, folder, resume)
        needed = estimate(counts := counts or census(rules, workers, progress), workers)
        if say:
            say(str(needed))
        tablebases.require_room(f"{rules} needs about", needed.memory, needed.disk, path, INSTEAD)
        solve_all(rules, folder, first, counts, workers, progress)
        assemble(rules, path, folder, last)


def solve_all(rules: Rules, folder: Path, first: int, counts: Census, workers: int | None, progress: bool) -> None:
    """Solve every ply before the `first` that is done, the last first, each pair into a file of the folder."""
    with bar(0, str(rules), "scores", progress) as shown:
        solver = Solver(rules, counts, workers, shown.update)
        shown.total = sum(solver.slots(ply) for ply in range(first))
        for ply in range(first - 2, -1, -2):
            shown.set_description(f"{rules} plies {ply + 1} and {ply}")
            solve_to_file(solver, ply, folder)


def last_ply(rules: Rules, max_ply: int | None) -> int:
    """The last ply of ongoing positions to be kept."""
    layout.require_small(rules)
    if max_ply is not None and not 0 <= max_ply < rules.cells:
        raise TooLarge(f"ongoing positions of {rules} have 0 to {rules.cells - 1} plies, not {max_ply}")
    return rules.cells - 1 if max_ply is None else max_ply


def part_path(folder: Path, ply: int) -> Path:
    return folder / f"{ply}.tb"


def first_finished(rules: Rules, folder: Path, resume: bool) -> int:
    """The first of the plies that an earlier run has left, from the last one down without a gap; else one past all."""
    first = rules.cells + rules.cells % 2
    for ply in reversed(stored_plies(rules, rules.cells - 1)) if tablebases.has_parts(folder, resume) else ():
        if not (part := part_path(folder, ply)).exists():
            break
        with tablebases.reading_part(folder):
            directory = TableFile(part, ply).directory
        if (directory.rules, directory.results_version) != (rules, RESULTS_VERSION):
            raise CorruptFile(f"{part} does not belong to this build of {rules}; remove {folder} and start again")
        first = ply
    return first


def solve_to_file(solver: Solver, ply: int, folder: Path) -> None:
    """Solve `ply` + 1 in memory and `ply` into its own file."""
    rules, above = solver.rules, ply + 2
    after = TableFile(part_path(folder, above), above) if above in stored_plies(rules, rules.cells - 1) else None
    listed = solver.noughts_ply(ply + 1, (lambda job: after.range(above, job)) if after else None)
    slots = shape(rules.cells, ply).slots

    def packed(job: range, scores: Scores) -> list[bytes]:
        return [pack(block, LEVEL) for block in in_blocks(scores, slots)]

    blocks = chain.from_iterable(solver.crosses_ply(ply, packed, listed))
    write_table(part_path(folder, ply), rules, RESULTS_VERSION, ply, [(ply, blocks)], lambda: sorted(listed))


def assemble(rules: Rules, path: Path, folder: Path, max_ply: int) -> None:
    """Put the plies into one file and remove their parts."""
    parts = [(ply, TableFile(part_path(folder, ply), ply)) for ply in stored_plies(rules, max_ply)]
    counts = sorted(each for _, part in parts for each in part.directory.counts if each.ply <= max_ply)
    plies = ((ply, part.all_packed(ply)) for ply, part in parts)
    write_table(path, rules, RESULTS_VERSION, max_ply, plies, lambda: counts)
    made = [part_path(folder, ply) for ply in stored_plies(rules, rules.cells - 1)]
    tablebases.remove_parts(made, folder)


# ---- What the registry of games asks of tablebases of in-a-row games; others of these names are imported


def build(rules: Rules, path: Path, order: BuildOrder, say: Callable[[str], object] | None = None) -> None:
    """Solve a game; what it will take is said beforehand."""
    if order.target is not None or order.max_sum is not None:
        raise BadNotation("--target and --max-sum are for 2048; a build of in-a-row games ends with --max-ply N")
    resume, progress = order.resume, say is not None
    build_tablebase(rules, path, order.max_ply, say=say, workers=order.workers, resume=resume, progress=progress)


def probe(path: Path, board: str) -> Solution:
    """The value and distance of a position, of each move, and the best line."""
    return Tablebase(path).probe(board)


def stats(path: Path, progress: bool) -> Stats:
    return stats_of(Tablebase(path))


open_table = Tablebase
