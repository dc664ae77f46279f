"""A tablebase from the last ply to the first; each ply with X to move is on disk before the next is begun.

    squava.tb              the file, there when all is done
    squava.tb.plies/       while it is being made: 24.tb, 22.tb, … each a whole file with one ply

A build that is killed goes on, with `resume`, after the last of these.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from gridlab.core.arguments import typed
from gridlab.core.errors import CorruptFile, TooLarge
from gridlab.core.files import BEHAVIOUR
from gridlab.core.progress import bar
from gridlab.core.run import available_cores, size_text
from gridlab.games.registry import game
from gridlab.games.tablebases import building, has_parts, reading_part, remove_parts, require_room
from gridlab.inarow.exact.census import Census, census
from gridlab.inarow.exact.tablebase.blocks import Scores, a_block, shape, stored_plies
from gridlab.inarow.exact.tablebase.file import NewPly, PlyCounts, TableFile, pack, write_table
from gridlab.inarow.exact.tablebase.halves import TABLEBASE_CELLS, halves
from gridlab.inarow.exact.tablebase.solve import JOB, Solver, in_blocks
from gridlab.inarow.rules import Rules

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
    rules, tables = counts.rules, halves(counts.rules)
    shapes = [shape(rules.cells, ply) for ply in range(rules.cells + 1)]
    slots = [tables.count(crosses) * each for crosses, _, _, each in shapes]
    return BuildEstimate(
        rules,
        counts.counts.ongoing,
        counts.canonical.ongoing,
        sum(slots),
        max(slots[1::2], default=0) + 4 * JOB * (workers or available_cores()) + OTHER_MEMORY,
        2 * sum(slots[::2]) // SCORES_A_BYTE + OTHER_DISK,
        sum(slots) / SCORES_A_SECOND,
    )


# ---- doing it


@typed
def build_tablebase(
    rules: Rules | str,
    out: Path | str,
    max_ply: int | None = None,
    counts: Census | None = None,
    say: Callable[[str], object] | None = None,
    workers: int | None = None,
    resume: bool = False,
    progress: bool = False,
) -> None:
    """Solve a game and write its tablebase. With `max_ply` only positions up to that ply are kept.

    One build at a time: whoever comes second to a place is refused before any work. `say` hears what it will take.
    """
    rules, path = game(rules, "mnk"), Path(out)
    last = last_ply(rules, max_ply)
    with building(path, PARTS) as folder:
        done = finished_plies(rules, folder, resume)
        counts = counts or census(rules, workers, progress)
        needed = estimate(counts, workers)
        if say:
            say(str(needed))
        require_room(f"{rules} needs about", needed.memory, needed.disk, path, INSTEAD)
        solve_all(rules, folder, done, counts, workers, progress)
        assemble(rules, path, folder, last)


def solve_all(rules: Rules, folder: Path, done: list[int], counts: Census, workers: int | None, progress: bool) -> None:
    """Solve every ply that is not done, the last first, each pair into a file of the folder."""
    with bar(0, str(rules), "scores", progress) as shown:
        solver = Solver(rules, counts, workers, shown.update)
        first = min(done, default=rules.cells + rules.cells % 2)
        shown.total = sum(solver.slots(ply) for ply in range(first))
        for ply in range(first - 2, -1, -2):
            shown.set_description(f"{rules} plies {ply + 1} and {ply}")
            solve_to_file(solver, ply, folder)


def last_ply(rules: Rules, max_ply: int | None) -> int:
    """The last ply of ongoing positions to be kept."""
    if rules.cells > TABLEBASE_CELLS:
        raise TooLarge(f"{rules} has {rules.cells} cells; strong solutions take boards of up to {TABLEBASE_CELLS}")
    if max_ply is not None and not 0 <= max_ply < rules.cells:
        raise TooLarge(f"ongoing positions of {rules} have 0 to {rules.cells - 1} plies, not {max_ply}")
    return rules.cells - 1 if max_ply is None else max_ply


def part_path(folder: Path, ply: int) -> Path:
    return folder / f"{ply}.tb"


def finished_plies(rules: Rules, folder: Path, resume: bool) -> list[int]:
    """The plies that an earlier run has left, from the last one down without a gap."""
    if not has_parts(folder, resume):
        return []
    found: list[int] = []
    for ply in reversed(stored_plies(rules, rules.cells - 1)):
        part = part_path(folder, ply)
        if not part.exists():
            break
        with reading_part(folder):
            directory = TableFile(part, ply).directory
        if (directory.rules, directory.behaviour) != (rules, BEHAVIOUR):
            raise CorruptFile(f"{part} does not belong to this build of {rules}; remove {folder} and start again")
        found.append(ply)
    return found


def solve_to_file(solver: Solver, ply: int, folder: Path) -> None:
    """Solve `ply` + 1 in memory and `ply` into its own file."""
    rules = solver.rules
    above = ply + 2
    after = TableFile(part_path(folder, above), above) if above in stored_plies(rules, rules.cells - 1) else None
    listed = solver.noughts_ply(ply + 1, (lambda job: after.range(above, job)) if after else None)

    def packed(job: range, scores: Scores) -> list[bytes]:
        return [pack(block, LEVEL) for block in in_blocks(scores, slots)]

    crosses, _, _, slots = shape(rules.cells, ply)
    ranges: Iterator[list[bytes]] = solver.crosses_ply(ply, packed, listed)
    blocks = (block for each in ranges for block in each)
    new = NewPly(ply, solver.halves.count(crosses), slots, a_block(slots), blocks)
    write_table(part_path(folder, ply), rules, BEHAVIOUR, ply, [new], lambda: sorted(listed))


def assemble(rules: Rules, path: Path, folder: Path, max_ply: int) -> None:
    """Put the plies into one file and remove their parts."""
    parts = [TableFile(part_path(folder, ply), ply) for ply in stored_plies(rules, max_ply)]
    plies = (
        NewPly(each.ply, each.crosses, each.slots, each.a_block, part.all_packed(each.ply))
        for part in parts
        for each in part.directory.plies
    )
    counts: list[PlyCounts] = sorted(each for part in parts for each in part.directory.counts if each.ply <= max_ply)
    write_table(path, rules, BEHAVIOUR, max_ply, plies, lambda: counts)
    remove_parts((part_path(folder, ply) for ply in stored_plies(rules, rules.cells - 1)), folder)
