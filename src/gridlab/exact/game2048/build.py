"""A solved board of 2048, written to a file: layers upwards, then their values downwards, part after part on disk.

    3x3.tb               the file, there when all is done
    3x3.tb.layers/       while it is being made: 1500.tb, 1290.tb, … each a whole file with the layers from that sum on

A build that is killed goes on, with `resume`, below the lowest of these; the way upwards, a third of the work, is made
again. The file is the same to the byte, for any number of workers.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np

from gridlab.core.arguments import typed
from gridlab.core.behaviour import BEHAVIOUR
from gridlab.core.errors import CorruptFile, FileTrouble
from gridlab.core.files import check_place, locked, try_folder
from gridlab.core.progress import bar
from gridlab.exact.game2048.estimate import boards_by_sum, check_order, estimate, require_layer, require_room
from gridlab.exact.game2048.file import (
    SCORE,
    PackedLayer,
    TableFile2048,
    new_directory,
    pack_layer,
    tile_of,
    write_table,
)
from gridlab.exact.game2048.layers import Values
from gridlab.exact.game2048.solve import NONE, Layer, Solver, make_layers
from gridlab.games.game2048.kernels import Boards
from gridlab.games.game2048.rules import Rules2048
from gridlab.games.registry import game

A_PART = 1 << 22  # boards after a move: what is lost when a build is killed takes a few seconds


@typed
def build_tablebase2048(
    rules: Rules2048 | str,
    out: Path | str,
    target: int | str = SCORE,
    max_sum: int = 0,
    say: Callable[[str], object] | None = None,
    workers: int | None = None,
    resume: bool = False,
    progress: bool = False,
) -> None:
    """Solve a board and write the values of all boards after a move: expected score, or the chance to reach a tile.

    The `target` is score, or the tile. With `max_sum` a game ends, and nothing comes any more, once the tiles add up to
    more. One build at a time: whoever comes second to a place is refused before any work. `say` hears what it takes.
    """
    rules, path, tile = game(rules, "2048"), Path(out), tile_of(target)
    check_order(rules, tile, max_sum)
    if (place := check_place(path)).exists() and not place.is_file():
        raise FileTrouble(f"cannot write {path}: a tablebase keeps its layers beside it while it is made; name a file")
    try_folder(folder := path.with_name(path.name + ".layers"))
    with locked(path):
        done = finished_parts(rules, tile, max_sum, folder, resume)
        needed = estimate(rules, tile, max_sum)
        if say:
            say(str(needed))
        require_room(needed, path)
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
    solver, waiting = Solver(rules, tile, workers), list[PackedLayer]()
    by_sum = {layer.sum: layer for layer in layers}

    def below(total: int) -> Boards:
        return by_sum[total].afters if total in by_sum else NONE

    known = KnownLayers(done)
    if known.sums and max(known.sums) != layers[-1].sum:
        raise CorruptFile(f"{folder} does not hold the last layers, up to the sum {layers[-1].sum}; start again")
    lowest = min(known.sums, default=layers[-1].sum + 2)
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
            solver.add(layer.sum, layer.afters, values, below(layer.sum - 2), below(layer.sum - 4))
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
    parts = sorted(folder.glob("*.tb"), key=lambda each: (len(each.name), each.name))
    if not parts:
        return []
    if not resume:
        raise FileTrouble(f"{folder} is what an earlier build has left; go on with --resume, or remove it")
    wanted = new_directory(rules, tile, max_sum)
    files, expected = list[TableFile2048](), None
    for part in parts:
        try:
            file = TableFile2048(part, part=True)
        except CorruptFile as error:
            raise CorruptFile(f"{error}; remove {folder} and start again") from error
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
    """Put the parts into one file and remove their folder, unless somebody else keeps something in it."""
    files = finished_parts(rules, tile, max_sum, folder, resume=True)
    write_table(path, new_directory(rules, tile, max_sum), (layer for file in files for layer in file.all_packed()))
    for file in files:
        file.path.unlink(missing_ok=True)
    for left in folder.glob(".*.part"):  # what a killed writer has left
        left.unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()
