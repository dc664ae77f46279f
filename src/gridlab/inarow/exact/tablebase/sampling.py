"""Ongoing positions drawn at random, uniformly among all of a ply up to symmetry; with labels, as Parquet.

A slot is drawn, and kept if its position is ongoing and smallest among its images: what is kept is uniform. Where a ply
is small, or most of it is wanted, or few of its slots are alive, all its slots are tried instead.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import int64, popcount
from gridlab.core.errors import CorruptFile
from gridlab.core.jit import inner, kernel
from gridlab.core.progress import bar
from gridlab.core.run import import_extra
from gridlab.core.tables import counts_drawn, split_names, write_sample
from gridlab.games.grid import symmetries
from gridlab.inarow.exact.states import board_texts
from gridlab.inarow.exact.tablebase import layout
from gridlab.inarow.exact.tablebase.layout import CHOOSE, Halves, halves, join, line_score, offsets_of, shape
from gridlab.inarow.exact.tablebase.probe import NO_MOVE, Boards, MoveScores, Tablebase, scores_of_moves
from gridlab.inarow.exact.tablebase.solve import is_smallest, own_symmetries
from gridlab.inarow.kernels import Int64s, image_keys, smallest_images
from gridlab.inarow.rules import Rules

MOST_TRIED = 1 << 20  # slots of a ply that are simply all tried


def draw_positions(rules: Rules, ply: int, number: int, random: np.random.Generator) -> Boards:
    """Up to `number` different ongoing positions of a ply, fewer only if it has no more; any image stands for all."""
    tables = halves(rules)
    crosses, noughts, _, slots = shape(rules.cells, ply)
    total = tables.count(crosses) * slots
    kept: Int64s = np.empty(0, np.int64)
    tried = total if total <= MOST_TRIED or number > total // 8 else 0
    while len(kept) < number and tried < total:
        drawn = without(np.sort(random.integers(total, size=max(1024, 2 * number))), np.sort(kept))
        tried += len(drawn)
        alive = drawn[positions_at(drawn, crosses, noughts, tables)[1]]
        kept = np.concatenate((kept, random.permutation(alive)))[:number]
    if len(kept) < number:
        every = boards_at(np.arange(total), crosses, noughts, tables)
        return every[np.sort(random.permutation(len(every))[:number])]
    return boards_at(np.sort(kept), crosses, noughts, tables)


def without(drawn: Int64s, kept: Int64s) -> Int64s:
    """Each of the numbers drawn once, none that is kept already; both are sorted, and so is what is left."""
    new = np.ones(len(drawn), np.bool_)
    new[1:] = drawn[1:] != drawn[:-1]
    if len(kept):
        new &= kept[np.searchsorted(kept, drawn).clip(max=len(kept) - 1)] != drawn
    return drawn[new]


def boards_at(slots: Int64s, crosses: int, noughts: int, tables: Halves) -> Boards:
    """The positions of those slots that are alive."""
    boards, alive = positions_at(slots, crosses, noughts, tables)
    return boards[alive]


def positions_at(slots: Int64s, crosses: int, noughts: int, tables: Halves) -> tuple[Boards, NDArray[np.bool_]]:
    """The position of every slot, and whether it is ongoing and smallest among its images."""
    boards, alive = np.empty((len(slots), 2), np.int64), np.empty(len(slots), np.bool_)
    offsets = offsets_of(tables.order.low + tables.order.high - crosses, noughts, tables.order)
    list_positions(slots, crosses, noughts, offsets, tables, boards, alive)
    return boards, alive


@kernel
def list_positions(
    slots: Int64s, crosses: int, noughts: int, offsets: Int64s, tables: Halves, boards: Boards, alive: NDArray[np.bool_]
) -> None:
    """Fill `boards` and `alive`."""
    order, images, lines = tables.order, tables.images, tables.lines
    for i in range(len(slots)):
        low, high, o_low, o_high = stones_at(slots[i], crosses, noughts, offsets, tables)
        boards[i, 0], boards[i, 1] = join(low, high, order), join(o_low, o_high, order)
        own = own_symmetries(low, high, images)
        alive[i] = line_score(o_low, o_high, lines) == 0 and is_smallest(o_low, o_high, own, images)


@inner
def stones_at(slot: int, crosses: int, noughts: int, offsets: Int64s, tables: Halves) -> tuple[int, int, int, int]:
    """The halves of X and of O that a slot stands for."""
    order, sets, starts = tables.order, tables.parts.sets, tables.parts.starts
    slots = CHOOSE[order.low + order.high - crosses, noughts]
    at, offset = tables.crosses.starts[crosses] + slot // slots, slot % slots
    low, high = int64(tables.crosses.lows[at]), int64(tables.crosses.highs[at])
    free_low, free_high = ~low & (1 << order.low) - 1, ~high & (1 << order.high) - 1
    width = popcount(free_low)
    there = 0
    while offset >= offsets[width, there + 1]:
        there += 1
    columns = CHOOSE[width, noughts - there]
    row, column = (offset - offsets[width, there]) // columns, (offset - offsets[width, there]) % columns
    o_low, o_high = sets[starts[free_low, noughts - there] + column], sets[starts[free_high, there] + row]
    return low, high, int64(o_low), int64(o_high)


# ---- Positions with exact labels, for machine learning: drawn from a tablebase, written as Parquet
#
#     board        X.O/.X./...    the canonical image (cell by cell from the top left, empty < X < O)
#     crosses      int64          the same as bitboards
#     noughts      int64
#     ply          int8
#     value        int8           1 win, 0 draw, -1 loss, for the player to move
#     distance     int8           plies to the end under best play
#     move_values  list<int8>     for each cell, what a move there is worth to its maker; null where there is no move
#     move_distances  list<int8>  and the distance, counted from this position
#     split        train, validation or test: 80, 10 and 10 of a hundred
#
# Positions are drawn uniformly among all ongoing ones up to symmetry, each at most once. The split hangs on the
# symmetry class alone (a hash of the canonical board), so that no position of one part has an image in another, in this
# file or in any other sample of the game.


CHUNK = 1 << 16  # positions written at a time
GROUP = 1 << 20  # positions of a ply whose moves are looked up together: 400 MB


def sample(table: Tablebase, path: Path, positions: int, seed: int | None = None, progress: bool = False) -> None:
    """Write `positions` labelled positions of a tablebase to a Parquet file."""
    write_sample(path, table.file.path, labelled_tables(table, positions, seed, progress))


def labelled_tables(table: Tablebase, positions: int, seed: int | None = None, progress: bool = False) -> Iterator[Any]:
    """Labelled positions as tables of Arrow, some in each."""
    arrow = import_extra("pyarrow", "export")
    random = np.random.default_rng(seed)
    numbers = by_ply(table, positions, random)
    schema = _schema(arrow, table)
    yield schema.empty_table()
    with bar(positions, "labelling", "positions", progress) as shown:
        for ply in range(0, len(numbers), 2):
            drawn = [draw_boards(table, each, numbers[each], random) for each in range(ply, len(numbers))[:2]]
            for boards, moves in zip(drawn, move_scores(table, drawn), strict=True):
                for start in range(0, len(boards), CHUNK):
                    chunk = slice(start, start + CHUNK)
                    rows = label(table.rules, boards[chunk], moves[chunk], arrow)
                    yield arrow.Table.from_pydict(rows, schema)
                    shown.update(len(boards[chunk]))


def draw_boards(table: Tablebase, ply: int, number: int, random: np.random.Generator) -> Boards:
    """So many positions of a ply, each the smallest of its images."""
    boards = canonical_boards(table, draw_positions(table.rules, ply, number, random))
    if len(boards) < number:
        raise CorruptFile(f"{table.file.path} counts more positions of ply {ply} than {table.rules} has")
    return boards


def move_scores(table: Tablebase, plies: list[Boards]) -> list[MoveScores]:
    """The scores after every move of positions of two plies; so many at a time that memory is enough."""
    found = [np.empty((len(boards), table.rules.cells), np.int8) for boards in plies]
    for start in range(0, max(map(len, plies)), GROUP):
        parts = [boards[start : start + GROUP] for boards in plies]
        scores = scores_of_moves(table, np.concatenate(parts))
        for each, part in zip(found, np.split(scores, np.cumsum([len(part) for part in parts])[:-1]), strict=True):
            each[start : start + GROUP] = part
    return found


def by_ply(table: Tablebase, positions: int, random: np.random.Generator) -> list[int]:
    """How many positions to draw of each ply, so that all together are uniform."""
    counts = np.array([each.totals[1] for each in table.file.directory.counts])
    if table.max_ply % 2 == 0 and table.max_ply < table.rules.cells - 1:
        counts[-1] = 0  # the file does not know what its moves are worth
    return counts_drawn(counts, positions, random, table.file.path, "positions up to symmetry")


def canonical_boards(table: Tablebase, boards: Boards) -> Boards:
    """The lexicographically smallest image of each board."""
    rules, images = table.rules, np.empty_like(boards)
    which = smallest_images(boards, image_keys(rules))
    for symmetry, each in enumerate(symmetries(rules.rows, rules.cols)):
        some = boards[which == symmetry]
        images[which == symmetry] = sum((some >> cell & 1) << to for cell, to in enumerate(each.cells))
    return images


def label(rules: Rules, boards: Boards, moves: MoveScores, arrow: Any) -> dict[str, Any]:
    """The columns of some positions, from the scores after their moves."""
    ply = np.bitwise_count(boards).sum(axis=1).astype(np.int64)
    empty = rules.cells - ply
    lowest = moves.min(axis=1)
    values, distances = layout.values_and_distances(np.sign(lowest) - lowest, empty)
    move_values, move_distances = layout.values_and_distances(np.sign(moves) - moves, empty[:, None])
    none = (moves == NO_MOVE).ravel()
    return {
        "board": board_texts(rules, boards[:, 0], boards[:, 1], arrow), "crosses": boards[:, 0],
        "noughts": boards[:, 1], "ply": ply.astype(np.int8), "value": values, "distance": distances.astype(np.int8),
        "move_values": _lists(move_values, none, arrow),
        "move_distances": _lists(move_distances.astype(np.int8), none, arrow),
        "split": split_names(hashed(boards), arrow),
    }  # fmt: skip


def _lists(columns: NDArray[Any], none: NDArray[np.bool_], arrow: Any) -> Any:
    """Rows of an array as lists of a fixed length, null where there is nothing."""
    return arrow.FixedSizeListArray.from_arrays(arrow.array(columns.ravel(), mask=none), columns.shape[1])


def hashed(boards: Boards) -> NDArray[np.uint64]:
    """A number for each board that looks random and is always the same (a multiplicative hash)."""
    mixed = boards[:, 0].astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) ^ boards[:, 1].astype(np.uint64)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return mixed >> np.uint64(40)


def _schema(arrow: Any, table: Tablebase) -> Any:
    each_cell = arrow.list_(arrow.int8(), table.rules.cells)
    fields = [("board", arrow.string()), ("crosses", arrow.int64()), ("noughts", arrow.int64())]
    fields += [(name, arrow.int8()) for name in ("ply", "value", "distance")]
    fields += [("move_values", each_cell), ("move_distances", each_cell), ("split", arrow.string())]
    return arrow.schema(fields, metadata={"rules": str(table.rules)})
