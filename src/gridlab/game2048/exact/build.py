"""A solved board of 2048, written to a file: layers upwards, then their values downwards, part after part on disk.

    3x3.tb               the file, there when all is done
    3x3.tb.layers/       while it is being made: 1500.tb, 1290.tb, … each a whole file with the layers from that sum on

A build that is killed goes on, with `resume`, below the lowest of these; the way upwards, a third of the work, is made
again. The file is the same to the byte, for any number of workers.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import comb
from pathlib import Path

import msgspec
import numpy as np

from gridlab.core.arguments import typed
from gridlab.core.errors import BadNotation, CorruptFile, TooLarge
from gridlab.core.progress import bar
from gridlab.core.run import size_text
from gridlab.game2048.exact import file as tables
from gridlab.game2048.exact.file import LARGEST_LAYER, SCORE, Directory, PackedLayer, TableFile2048, write_table
from gridlab.game2048.exact.layers import FIRST_SUM, NONE, Layer, Solver, Values, make_layers
from gridlab.game2048.rules import Rules2048
from gridlab.games.registry import game
from gridlab.games.tablebases import building, has_parts, reading_part, remove_parts, require_room

# ---- What solving a board of 2048 will take, before anything is done
#
# How many boards there are is bounded by their tiles alone: on n cells at most k tiles can be 2^(n + 2 - k) or larger,
# as the last of them came of two halves that stood beside the others, and so on down to n + 1 tiles on n cells. All
# boards of such tiles are counted, by the sum of their tiles, and divided by the symmetries. The truth is less: a third
# on 3x3.


MOST_CELLS = 9  # of a board that is solved to its end
MOST_BOARDS = 4_000_000_000  # by this bound; a day of CPU
BOARDS_A_SECOND = 5e6  # of this bound, by one core
BYTES_A_BOARD = 2  # of this bound: boards after a move stay in memory, eight bytes each, and there are far fewer
FILE_BYTES_A_BOARD = 1
OTHER_MEMORY = 250 << 20
INSTEAD = "a smaller board, a smaller tile (--target) or sum of tiles (--max-sum) would do"
PARTS = "layers"  # how the name of the folder of the parts ends


@dataclass(frozen=True)
class BuildEstimate2048:
    """What a build will take: bytes, and seconds of one core."""

    rules: Rules2048
    objective: str
    boards: int  # at most, up to symmetry
    memory: int
    disk: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"{self.rules}, {self.objective}: at most {self.boards:,} boards up to symmetry\n"
            f"at most {size_text(self.memory)} of memory, {size_text(self.disk)} of disk while it is made, "
            f"{max(1, round(self.seconds)):,} s of CPU"
        )


def check_order(rules: Rules2048, tile: int, most: int) -> None:
    """Refuse what cannot be solved, in a sentence."""
    if not rules.packed:
        raise TooLarge(f"{rules} has more than 4 rows or columns; boards of up to 4x4 cells can be solved")
    largest = 1 << rules.cells + 1
    if tile and (tile & tile - 1 or not 8 <= tile <= largest):
        raise BadNotation(f"{tile} is not a tile that a game of {rules} is played for; 8, 16, … {largest} are")
    if most and most < FIRST_SUM + 4:
        raise BadNotation(f"tiles that add up to {most} do not make a game; {FIRST_SUM + 4} or more are needed")
    if rules.cells > MOST_CELLS and not tile and not most:
        raise TooLarge(
            f"{rules} has {rules.cells} cells; boards of up to {MOST_CELLS} can be solved to their end, larger ones up "
            "to a tile (--target 16) or a sum of tiles (--max-sum 60)"
        )


def estimate(rules: Rules2048, tile: int = 0, most: int = 0) -> BuildEstimate2048:
    """What a build will take."""
    check_order(rules, tile, most)
    counts = boards_by_sum(rules, tile, most)
    boards = sum(counts.values())
    objective = f"chance of {tile}" if tile else "score"
    objective += f", tiles of up to {most} in all" if most else ""
    return BuildEstimate2048(
        rules, objective, boards, round(boards * BYTES_A_BOARD) + OTHER_MEMORY,
        round(2 * boards * FILE_BYTES_A_BOARD) + (1 << 20), boards / BOARDS_A_SECOND,
    )  # fmt: skip


def boards_by_sum(rules: Rules2048, tile: int = 0, most: int = 0) -> dict[int, int]:
    """At most so many boards up to symmetry have tiles of a sum: {4: …, 6: …}."""
    cells = rules.cells
    highest = min(cells + 1, tile.bit_length() - 2 if tile else cells + 1, most.bit_length() - 1 if most else cells + 1)
    found = Counter({(0, 0): 1})  # (tiles so far, their sum) -> ways to place them, the largest tiles first
    for exponent in range(highest, 0, -1):
        following: Counter[tuple[int, int]] = Counter()
        for (used, total), ways in found.items():
            for number in range(cells + 2 - exponent - used + 1):
                there, with_these = used + number, total + (number << exponent)
                if there > cells or (most and with_these > most):
                    break
                following[there, with_these] += ways * comb(cells - used, number)
        found = following
    symmetries = 8 if rules.rows == rules.cols else 4
    by_sum: Counter[int] = Counter()
    for (_, total), ways in found.items():
        if total >= FIRST_SUM:
            by_sum[total] += ways
    return {total: -(-ways // symmetries) for total, ways in sorted(by_sum.items())}


def require_layer(total: int, boards: int) -> None:
    """TooLarge if a layer has more boards than a file can have."""
    if boards > LARGEST_LAYER:
        raise TooLarge(
            f"{boards:,} boards have tiles of {total} in all, more than {LARGEST_LAYER:,}; "
            "a smaller tile (--target) or sum of tiles (--max-sum) would do"
        )


# ---- A solved board of 2048, written to a file: layers upwards, then their values downwards, part after part on disk


A_PART = 1 << 22  # boards after a move: what is lost when a build is killed takes a few seconds


@typed
def build_tablebase2048(
    rules: Rules2048 | str, out: Path | str, target: int | str = SCORE, max_sum: int = 0,
    say: Callable[[str], object] | None = None, workers: int | None = None, resume: bool = False,
    progress: bool = False,
) -> None:  # fmt: skip
    """Solve a board and write the values of all boards after a move: expected score, or the chance to reach a tile.

    The `target` is score, or the tile. With `max_sum` a game ends, and nothing comes any more, once the tiles add up to
    more. One build at a time: whoever comes second to a place is refused before any work. `say` hears what it takes.
    """
    rules, path, tile = game(rules, "2048"), Path(out), tables.tile_of(target)
    check_order(rules, tile, max_sum)
    with building(path, PARTS) as folder:
        build = Build(rules, tile, max_sum, folder, workers, progress)
        done = build.finished_parts(resume)
        needed = estimate(rules, tile, max_sum)
        if say:
            say(str(needed))
        if needed.boards > MOST_BOARDS:
            raise TooLarge(f"{rules} may have {needed.boards:,} boards, more than {MOST_BOARDS:,}; {INSTEAD}")
        require_room(f"{rules} may need", needed.memory, needed.disk, path, INSTEAD)
        build.downwards(list(build.upwards()), done)
        build.assemble(path)


@dataclass(frozen=True)
class Build:
    """A build under way."""

    rules: Rules2048
    tile: int
    most: int  # sum of tiles
    folder: Path  # of the parts
    workers: int | None
    progress: bool

    @property
    def directory(self) -> Directory:
        return tables.new_directory(self.rules, self.tile, self.most)

    def upwards(self) -> Iterator[Layer]:
        """All layers from the starts on. How far that is, is known of the bound alone: boards by the sum of tiles."""
        bound, found = boards_by_sum(self.rules, self.tile, self.most), 0
        with bar(100, f"{self.rules}, boards", "%", self.progress) as shown:

            def tell(layer: Layer) -> None:
                nonlocal found
                require_layer(layer.sum, layer.boards)
                found += layer.boards
                shown.set_postfix_str(f"{found:,} boards", refresh=False)
                shown.update(100 * bound.get(layer.sum, 0) / sum(bound.values()))

            yield from make_layers(self.rules, self.tile, self.most, self.workers, tell)
            shown.update(100 - shown.n)

    def downwards(self, layers: list[Layer], done: list[TableFile2048]) -> None:
        """The values of all layers, the last one first, each part into a file of the folder."""
        solver, waiting = Solver(self.rules, self.tile, self.workers), list[PackedLayer]()
        known, last = {total: file for file in done for total in file.layers}, layers[-1].sum
        if known and max(known) != last:
            raise CorruptFile(f"{self.folder} does not hold the last layers, up to the sum {last}; start again")
        lowest = min(known, default=last + 2)
        below = defaultdict(lambda: NONE, {layer.sum: layer.afterstates for layer in layers})
        with bar(sum(layer.boards for layer in layers), f"{self.rules}, values", "boards", self.progress) as shown:
            for layer in reversed(layers):
                shown.update(layer.boards)
                if layer.sum < lowest:
                    values = solver.values(layer.sum, layer.afterstates)
                    waiting.append(tables.pack_layer(self.rules, layer, values))
                elif layer.sum < lowest + 4:  # known, and what the next ones need
                    values = known_values(known[layer.sum], layer)
                else:
                    continue
                solver.add(layer.sum, layer.afterstates, values, below[layer.sum - 2], below[layer.sum - 4])
                waiting = self._left(waiting, layer is layers[0])

    def _left(self, waiting: list[PackedLayer], is_last: bool) -> list[PackedLayer]:
        """The layers that wait on; where they are many, or the last, they go into a part."""
        if not waiting or not (is_last or sum(each.stored.afterstates for each in waiting) >= A_PART):
            return waiting
        write_table(self._part(waiting[-1].stored.sum), self.directory, reversed(waiting))
        return []

    def _part(self, total: int) -> Path:
        return self.folder / f"{total}.tb"

    def finished_parts(self, resume: bool) -> list[TableFile2048]:
        """The parts that an earlier run has left, by ascending sum; each follows the one before without a gap."""
        if not has_parts(self.folder, resume):
            return []
        files, expected = list[TableFile2048](), None
        for part in sorted(self.folder.glob("*.tb"), key=lambda each: (len(each.name), each.name)):
            with reading_part(self.folder):
                file = TableFile2048(part, part=True)
            same = msgspec.structs.replace(file.directory, layers=[]) == self.directory
            sums = list(file.layers)
            if not same or part != self._part(sums[0]) or expected not in (None, sums[0]):
                raise CorruptFile(
                    f"{part} does not belong to this build of {self.rules}; remove {self.folder} and start again"
                )
            files.append(file)
            expected = sums[-1] + 2
        return files

    def assemble(self, path: Path) -> None:
        """Put the parts into one file, and remove them."""
        files = self.finished_parts(resume=True)
        write_table(path, self.directory, (layer for file in files for layer in file.all_packed()))
        remove_parts((file.path for file in files), self.folder)


def known_values(file: TableFile2048, layer: Layer) -> Values:
    """The values of a layer that an earlier run has left."""
    boards, values = file.layer(layer.sum)
    if not np.array_equal(boards, layer.afterstates):
        raise CorruptFile(f"{file.path} does not hold the boards of sum {layer.sum}; start again")
    return values
