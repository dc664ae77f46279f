"""A solved board of 2048, written to a file: layers upwards, then their values downwards, part after part on disk.

    3x3.tb               the file, there when all is done
    3x3.tb.layers/       while it is being made: 1500.tb, 1290.tb, … each a whole file with the layers from that sum on

A build that is killed goes on, with `resume`, below the lowest of these; the way upwards, a third of the work, is made
again. The file is the same to the byte, for any number of workers.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import comb
from pathlib import Path

import numpy as np

from gridlab.core.arguments import typed
from gridlab.core.errors import BadNotation, CorruptFile, TooLarge
from gridlab.core.fingerprint import BEHAVIOUR
from gridlab.core.machine import size_text
from gridlab.core.progress import bar
from gridlab.game2048.exact.file import (
    LARGEST_LAYER,
    SCORE,
    PackedLayer,
    TableFile2048,
    new_directory,
    pack_layer,
    tile_of,
    write_table,
)
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
    found = {(0, 0): 1}  # (tiles so far, their sum) -> ways to place them, the largest tiles first
    for exponent in range(highest, 0, -1):
        following: dict[tuple[int, int], int] = {}
        for (used, total), ways in found.items():
            for number in range(cells + 2 - exponent - used + 1):
                there, with_these = used + number, total + (number << exponent)
                if there > cells or (most and with_these > most):
                    break
                key = there, with_these
                following[key] = following.get(key, 0) + ways * comb(cells - used, number)
        found = following
    symmetries = 8 if rules.rows == rules.cols else 4
    by_sum: dict[int, int] = {}
    for (_, total), ways in found.items():
        if total >= FIRST_SUM:
            by_sum[total] = by_sum.get(total, 0) + ways
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
    rules, path, tile = game(rules, "2048"), Path(out), tile_of(target)
    check_order(rules, tile, max_sum)
    with building(path, PARTS) as folder:
        done = finished_parts(rules, tile, max_sum, folder, resume)
        needed = estimate(rules, tile, max_sum)
        if say:
            say(str(needed))
        if needed.boards > MOST_BOARDS:
            raise TooLarge(f"{rules} may have {needed.boards:,} boards, more than {MOST_BOARDS:,}; {INSTEAD}")
        require_room(f"{rules} may need", needed.memory, needed.disk, path, INSTEAD)
        layers = list(upwards(rules, tile, max_sum, workers, progress))
        downwards(rules, tile, max_sum, layers, done, folder, workers, progress)
        assemble(rules, tile, max_sum, path, folder)


def upwards(rules: Rules2048, tile: int, max_sum: int, workers: int | None, progress: bool) -> Iterator[Layer]:
    """All layers from the starts on. How far that is, is known of the bound alone: boards by the sum of their tiles."""
    bound, found = boards_by_sum(rules, tile, max_sum), 0
    with bar(100, f"{rules}, boards", "%", progress) as shown:

        def tell(layer: Layer) -> None:
            nonlocal found
            require_layer(layer.sum, layer.boards)
            found += layer.boards
            shown.set_postfix_str(f"{found:,} boards", refresh=False)
            shown.update(100 * bound.get(layer.sum, 0) / sum(bound.values()))

        yield from make_layers(rules, tile, max_sum, workers, tell)
        shown.update(100 - shown.n)


def downwards(
    rules: Rules2048, tile: int, max_sum: int, layers: list[Layer], done: list[TableFile2048], folder: Path,
    workers: int | None, progress: bool,
) -> None:  # fmt: skip
    """The values of all layers, the last one first, each part into a file of the folder."""
    solver, waiting, known = Solver(rules, tile, workers), list[PackedLayer](), KnownLayers(done)
    if known.sums and max(known.sums) != layers[-1].sum:
        raise CorruptFile(f"{folder} does not hold the last layers, up to the sum {layers[-1].sum}; start again")
    lowest = min(known.sums, default=layers[-1].sum + 2)
    below = defaultdict(lambda: NONE, {layer.sum: layer.afters for layer in layers})
    with bar(sum(layer.boards for layer in layers), f"{rules}, values", "boards", progress) as shown:
        for layer in reversed(layers):
            if layer.sum < lowest:
                values = solver.values(layer.sum, layer.afters)
                waiting.append(pack_layer(rules, layer, values))
            elif layer.sum < lowest + 4:  # known, and what the next ones need
                values = known.values(layer)
            else:
                shown.update(layer.boards)
                continue
            solver.add(layer.sum, layer.afters, values, below[layer.sum - 2], below[layer.sum - 4])
            shown.update(layer.boards)
            if waiting and (sum(each.stored.afters for each in waiting) >= A_PART or layer is layers[0]):
                write_table(_part(folder, layer.sum), new_directory(rules, tile, max_sum), reversed(waiting))
                waiting = []


class KnownLayers:
    """The layers that an earlier run has left."""

    def __init__(self, files: list[TableFile2048]) -> None:
        self.files = files
        self.sums = [total for file in files for total in file.layers]

    def values(self, layer: Layer) -> Values:
        file = next(each for each in self.files if layer.sum in each.layers)
        boards, values = file.layer(layer.sum)
        if not np.array_equal(boards, layer.afters):
            raise CorruptFile(f"{file.path} does not hold the boards of sum {layer.sum}; start again")
        return values


def _part(folder: Path, total: int) -> Path:
    return folder / f"{total}.tb"


def finished_parts(rules: Rules2048, tile: int, max_sum: int, folder: Path, resume: bool) -> list[TableFile2048]:
    """The parts that an earlier run has left, by ascending sum; each follows the one before without a gap."""
    if not has_parts(folder, resume):
        return []
    parts = sorted(folder.glob("*.tb"), key=lambda each: (len(each.name), each.name))
    wanted = new_directory(rules, tile, max_sum)
    files, expected = list[TableFile2048](), None
    for part in parts:
        with reading_part(folder):
            file = TableFile2048(part, part=True)
        found = file.directory
        same = (found.rules, found.behaviour, found.target, found.max_sum) == (
            wanted.rules, BEHAVIOUR, wanted.target, wanted.max_sum,
        )  # fmt: skip
        sums = list(file.layers)
        if not same or part != _part(folder, sums[0]) or expected not in (None, sums[0]):
            raise CorruptFile(f"{part} does not belong to this build of {rules}; remove {folder} and start again")
        files.append(file)
        expected = sums[-1] + 2
    return files


def assemble(rules: Rules2048, tile: int, max_sum: int, path: Path, folder: Path) -> None:
    """Put the parts into one file, and remove them."""
    files = finished_parts(rules, tile, max_sum, folder, resume=True)
    write_table(path, new_directory(rules, tile, max_sum), (layer for file in files for layer in file.all_packed()))
    remove_parts((file.path for file in files), folder)
