"""What a tablebase says as a whole, and whether it is what it says; each flaw has a sentence of its own.

Always: directory, checksums, every block unpacked; counts against the census and against the directory; some thousands
of positions of every ply worked out anew from their successors by the rules. In full: every score of every block.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gridlab.core import draw
from gridlab.core.arguments import counted
from gridlab.core.charts import new_figure, save
from gridlab.core.draw import AsJson, facts
from gridlab.core.errors import CorruptFile, GridlabError
from gridlab.core.files import RESULTS_VERSION, try_place
from gridlab.core.progress import bar
from gridlab.core.run import in_order
from gridlab.games.tablebases import FULL, Verdict
from gridlab.inarow.exact.census import Census, census
from gridlab.inarow.exact.tablebase import layout
from gridlab.inarow.exact.tablebase.layout import PlyCounts, ScoreCounts, Scores, StoredPly, TableFile
from gridlab.inarow.exact.tablebase.probe import Tablebase
from gridlab.inarow.exact.tablebase.sampling import draw_positions
from gridlab.inarow.exact.tablebase.solve import Solver, in_blocks
from gridlab.inarow.position import Position
from gridlab.inarow.solution import Solution

# ---- What a tablebase says of its game as a whole: positions by value and distance, ply by ply, and the openings


class PlyStats(NamedTuple):
    """Ongoing positions of a ply, for the player to move."""

    ply: int
    wins: int
    draws: int
    losses: int
    canonical: int
    longest_win: int  # plies; 0 if there is none
    longest_loss: int


class Stats(NamedTuple):
    """The statistics of a file."""

    directory: layout.Directory
    plies: tuple[PlyStats, ...]
    openings: Solution

    @property
    def distances(self) -> dict[str, dict[int, int]]:
        """Positions by value and distance: {"win": {1: …, 3: …}, "loss": {2: …}}."""
        found: dict[str, dict[int, int]] = {"win": {}, "loss": {}}
        for ply in self.directory.counts:
            for score, number in ply.every.items():
                value, distance = layout.value_and_distance(int(score), 0)
                if value != "draw":
                    found[value][distance] = found[value].get(distance, 0) + number
        return {value: dict(sorted(by.items())) for value, by in found.items()}

    def as_dict(self) -> AsJson:
        """For `--json`."""
        return facts(self.directory, "rules max_ply") | facts(self, "plies distances openings")

    def __str__(self) -> str:
        _, *columns = zip(*self.plies, strict=True)
        every = [sum(column) for column in columns[:4]] + [max(column) for column in columns[4:]]
        header = ["ply", "wins", "draws", "losses", "up to symmetry", "longest win", "longest loss"]
        return "\n".join([
            f"Ongoing positions of {self.directory.rules} by value for the player to move",
            draw.table(header, [*self.plies, ("all", *every)]), "", "By distance in plies", self._distance_table(), "",
            str(self.openings),
        ])  # fmt: skip

    def _distance_table(self) -> str:
        by = self.distances
        distances = sorted(by["win"].keys() | by["loss"].keys())
        rows = [(each, by["win"].get(each, 0), by["loss"].get(each, 0)) for each in distances]
        return draw.table(["distance", "wins", "losses"], rows)


def stats(table: Tablebase) -> Stats:
    """Read from the directory; `verify` holds it to the blocks."""
    directory = table.file.directory
    return Stats(directory, tuple(_ply(each) for each in directory.counts), table.probe(Position(table.rules)))


def _ply(counts: PlyCounts) -> PlyStats:
    longest = _longest(counts.every, 1), _longest(counts.every, -1)
    return PlyStats(counts.ply, *layout.by_value(counts.every), counts.totals[1], *longest)


def _longest(counts: ScoreCounts, sign: int) -> int:
    return max((layout.WON - abs(int(score)) for score in counts if int(score) * sign > 0), default=0)


# ---- The picture of a tablebase: positions by value and by distance


def plot(stats: Stats, path: Path) -> None:
    """Above, how many positions of each ply win, draw and lose; below, how far from the end they are."""
    try_place(path)
    figure = new_figure(path, 7.5)
    above, below = figure.subplots(2)
    plies = [each.ply for each in stats.plies]
    bottom = [0.0] * len(plies)
    for name, colour in (("wins", "#1f4e9c"), ("draws", "#b8b8b8"), ("losses", "#b3261e")):
        share = [getattr(each, name) / max(1, each.wins + each.draws + each.losses) for each in stats.plies]
        above.bar(plies, share, bottom=bottom, color=colour, label=name, width=0.8)
        bottom = [low + more for low, more in zip(bottom, share, strict=True)]
    above.set(xlabel="ply", ylabel="share of ongoing positions", ylim=(0, 1), xticks=plies)
    figure.suptitle(f"Positions of {stats.directory.rules}, for the player to move")
    above.legend(ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    distances = stats.distances
    for name, colour, side in (("win", "#1f4e9c", -0.2), ("loss", "#b3261e", 0.2)):
        by = distances[name]
        below.bar([each + side for each in by], list(by.values()), width=0.4, color=colour)
    below.set(xlabel="plies to the end under best play", ylabel="positions", yscale="log")
    save(figure, path)


# ---- Is a tablebase what it says? Every way in which it may not be has a sentence of its own


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
    file, rules, made_by = table.file, table.rules, table.file.directory.results_version
    remarks = [] if full else [f"not checked: scores other than these, and how many positions have which; {FULL}"]
    blocks = positions = 0
    other = f"the file was made for results version {made_by}; this is {RESULTS_VERSION}"
    complaints = [] if made_by == RESULTS_VERSION else [other]
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
        (every, canonical), expected = each.totals, (known.counts.ongoing, known.canonical.ongoing)
        if (every, canonical) != expected:
            said = f"{counted(every, 'position')} ({canonical:,} up to symmetry)"
            complaints.append(f"ply {each.ply}: {said}, the census has {expected[0]:,} ({expected[1]:,})")
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
            found, expected = table.score(position), layout.before(list(after.values()))
            if found != expected:
                complaints.append(f"{position} has score {found}; its successors give {expected}")
    return judged, complaints


def check_all(file: TableFile, counts: Census, workers: int | None, progress: bool) -> tuple[int, list[str], list[str]]:
    """Work out every ply from the next one in the file: positions, remarks, complaints."""
    rules, plies = file.rules, list(file.plies)
    whole = plies == list(layout.stored_plies(rules, rules.cells - 1))
    unsure = f"the scores of ply {plies[-1]}, the last one, rest on plies that the file does not hold"
    remarks = [] if whole else [unsure]
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
            judged += sum(each.totals[0] for each in listed)
    return judged, remarks, complaints


def _compare(file: TableFile, ply: StoredPly, job: range, scores: Scores) -> list[str]:
    blocks = enumerate(in_blocks(scores, ply.slots), job.start // ply.a_block)
    wrong = [block for block, expected in blocks if not np.array_equal(file.block(ply.ply, block), expected)]
    return [f"{file.path}: block {block} of ply {ply.ply} is not what its successors give" for block in wrong]


def _compare_counts(file: TableFile, listed: list[PlyCounts]) -> list[str]:
    stated = {each.ply: each for each in file.directory.counts}
    wrong = [each.ply for each in listed if stated.get(each.ply, each) != each]
    return [f"ply {ply}: the directory counts other scores than its blocks hold" for ply in wrong]
