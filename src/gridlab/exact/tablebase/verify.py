"""Is a tablebase what it says? Every way in which it may not be has a sentence of its own.

Always: directory, checksums, every block unpacked; counts against the census and against the directory; some thousands
of positions of every ply worked out anew from their successors by the rules. In full: every score of every block.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from gridlab.core.behaviour import BEHAVIOUR
from gridlab.core.errors import CorruptFile, GridlabError
from gridlab.core.numbers import counted
from gridlab.core.progress import bar
from gridlab.core.workers import in_order
from gridlab.exact.census import Census, census
from gridlab.exact.tablebase.blocks import stored_plies
from gridlab.exact.tablebase.directory import PlyCounts, StoredPly
from gridlab.exact.tablebase.file import TableFile
from gridlab.exact.tablebase.plies import Solver, in_blocks
from gridlab.exact.tablebase.probe import Tablebase
from gridlab.exact.tablebase.rows import Scores
from gridlab.exact.tablebase.sampling import draw_positions
from gridlab.exact.tablebase.scores import before
from gridlab.exact.verdict import FULL, Verdict
from gridlab.games.mnk.position import Position

SAMPLE = 200  # positions of each ply worked out anew


@dataclass(frozen=True)
class VerdictMnk(Verdict):
    blocks: int = 0
    positions: int = 0  # worked out anew

    @property
    def looked_at(self) -> str:
        return f"{counted(self.blocks, 'block')} unpacked, {counted(self.positions, 'position')} computed again"


def verify(
    path: Path, full: bool = False, seed: int = 0, workers: int | None = None, progress: bool = False
) -> VerdictMnk:
    """Judge a file. What cannot be read at all is a complaint too."""
    try:
        table = Tablebase(path)
    except CorruptFile as error:
        return VerdictMnk(str(path), "?", full, (), (str(error),))
    file, rules, behaviour = table.file, table.rules, table.file.directory.behaviour
    remarks = [] if full else [f"not checked: scores other than these, and how many positions have which; {FULL}"]
    blocks = positions = 0
    complaints = [] if behaviour == BEHAVIOUR else [f"the file was made for behaviour {behaviour}; this is {BEHAVIOUR}"]
    if not complaints:
        blocks, complaints = check_blocks(file, workers, progress)
    if not complaints:
        counts = census(rules, workers, progress)
        complaints = check_counts(file, counts)
        positions, wrong = check_sample(table, seed)
        complaints += wrong
        if full and not complaints:
            positions, remarks, complaints = check_all(file, counts, workers, progress)
    return VerdictMnk(str(path), str(rules), full, tuple(remarks), tuple(complaints), blocks, positions)


def check_blocks(file: TableFile, workers: int | None, progress: bool) -> tuple[int, list[str]]:
    """Unpack every block; how many, and what is wrong with which."""
    jobs = [(each.ply, block) for each in file.directory.plies for block in range(each.blocks)]
    complaints: list[str] = []
    with bar(len(jobs), "unpacking", "blocks", progress) as shown:
        for trouble in in_order(partial(_unpack, file), jobs, workers, ahead=64):
            complaints += trouble
            shown.update(1)
    return len(jobs), complaints


def _unpack(file: TableFile, job: tuple[int, int]) -> list[str]:
    try:
        file.block(*job)
    except GridlabError as error:
        return [str(error)]
    return []


def check_counts(file: TableFile, counts: Census) -> list[str]:
    """Do the counts of the directory add up to those of the census?"""
    complaints = []
    for each in file.directory.counts:
        known = counts.plies[each.ply]
        found = sum(each.every.values()), sum(each.canonical.values())
        if found != (known.counts.ongoing, known.canonical.ongoing):
            complaints.append(
                f"ply {each.ply}: {counted(found[0], 'position')} ({found[1]:,} up to symmetry), the census has "
                f"{known.counts.ongoing:,} ({known.canonical.ongoing:,})"
            )
    return complaints


def check_sample(table: Tablebase, seed: int) -> tuple[int, list[str]]:
    """Work out random positions of every ply from their successors, by the rules; how many, and which are wrong."""
    random = np.random.default_rng(seed)
    judged, complaints = 0, []
    for ply in range(table.max_ply + 1):
        for crosses, noughts in draw_positions(table.rules, ply, SAMPLE, random).tolist():
            position = Position(table.rules, crosses, noughts)
            after = table.after(position)
            if not after:
                continue
            judged += 1
            found, expected = table.score(position), before(list(after.values()))
            if found != expected:
                complaints.append(f"{position} has score {found}; its successors give {expected}")
    return judged, complaints


def check_all(file: TableFile, counts: Census, workers: int | None, progress: bool) -> tuple[int, list[str], list[str]]:
    """Work out every ply from the next one in the file: positions, remarks, complaints."""
    rules, plies = file.directory.rules, list(file.plies)
    whole = plies == list(stored_plies(rules, rules.cells - 1))
    remarks = (
        [] if whole else [f"the scores of ply {plies[-1]}, the last one, rest on plies that the file does not hold"]
    )
    complaints: list[str] = []
    judged = 0
    with bar(0, f"verifying {rules}", "scores", progress) as shown:
        solver = Solver(rules, counts, workers, shown.update)
        again = plies if whole else plies[:-1]
        shown.total = sum(solver.slots(ply) + solver.slots(ply + 1) for ply in again)
        for ply in reversed(again):
            above = ply + 2
            read = partial(file.range, above) if above in file.plies else None
            try:
                listed = solver.noughts_ply(ply + 1, read)
                for wrong in solver.crosses_ply(ply, partial(_compare, file, file.plies[ply]), listed):
                    complaints += wrong
                complaints += _compare_counts(file, listed)
            except CorruptFile as error:  # the next ply is not what it should be, so this one cannot be judged
                complaints.append(str(error))
            judged += sum(sum(each.every.values()) for each in listed)
    return judged, remarks, complaints


def _compare(file: TableFile, ply: StoredPly, job: range, scores: Scores) -> list[str]:
    wrong = []
    for block, expected in enumerate(in_blocks(scores, ply.slots), job.start // ply.a_block):
        if not np.array_equal(file.block(ply.ply, block), expected):
            wrong.append(f"{file.path}: block {block} of ply {ply.ply} is not what its successors give")
    return wrong


def _compare_counts(file: TableFile, listed: list[PlyCounts]) -> list[str]:
    stated = {each.ply: each for each in file.directory.counts}
    return [
        f"ply {each.ply}: the directory counts other scores than its blocks hold"
        for each in listed
        if each.ply in stated and stated[each.ply] != each
    ]
