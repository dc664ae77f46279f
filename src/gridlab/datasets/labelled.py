"""Positions with exact labels, for machine learning: drawn from a tablebase, written as Parquet.

    board        X.O/.X./...    the canonical image (cell by cell from the top left, empty < X < O)
    crosses      int64          the same as bitboards
    noughts      int64
    ply          int8
    value        int8           1 win, 0 draw, -1 loss, for the player to move
    distance     int8           plies to the end under best play
    move_values  list<int8>     for each cell, what a move there is worth to its maker; null where there is no move
    move_distances  list<int8>  and the distance, counted from this position
    split        train, validation or test: 80, 10 and 10 of a hundred

Positions are drawn uniformly among all ongoing ones up to symmetry, each at most once. The split hangs on the symmetry
class alone (a hash of the canonical board), so that no position of one part has an image in another, in this file or
in any other sample of the game.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridlab.core.errors import FileTrouble, SpoiltFile, TooLarge
from gridlab.core.extras import import_extra
from gridlab.core.files import beside, refuse_overlap, try_place
from gridlab.core.progress import bar
from gridlab.exact.tablebase.look_up import Boards
from gridlab.exact.tablebase.probe import Tablebase
from gridlab.exact.tablebase.rows import Scores
from gridlab.exact.tablebase.sampling import draw_positions
from gridlab.games.mnk.kernels import image_keys, smallest_images
from gridlab.games.mnk.position import Position
from gridlab.games.symmetry import symmetries

CHUNK = 1 << 16  # positions labelled at a time
SPLITS = ("train",) * 8 + ("validation", "test")
NUMPY_LIMIT = 10**9  # beyond it numpy does not draw without replacement


def sample(table: Tablebase, path: Path, positions: int, seed: int | None = None, progress: bool = False) -> None:
    """Write `positions` labelled positions of a tablebase to a Parquet file."""
    if path.suffix != ".parquet":
        raise FileTrouble(f"{path} is no name for the sample; end it in .parquet")
    refuse_overlap(table.file.path, path)
    try_place(path)
    arrow, parquet = import_extra("pyarrow", "export"), import_extra("pyarrow.parquet", "export")
    random = np.random.default_rng(seed)
    numbers = by_ply(table, positions, random)
    schema = _schema(arrow, table)
    with (
        beside(path) as part,
        parquet.ParquetWriter(part, schema, compression="zstd") as writer,
        bar(positions, "labelling", "positions", progress) as shown,
    ):
        for ply, number in enumerate(numbers):
            boards = canonical_boards(table, draw_positions(table.rules, ply, number, random))
            if len(boards) < number:
                raise SpoiltFile(f"{table.file.path} counts more positions of ply {ply} than {table.rules} has")
            for start in range(0, len(boards), CHUNK):
                chunk = boards[start : start + CHUNK]
                writer.write_table(arrow.Table.from_pydict(label(table, chunk), schema))
                shown.update(len(chunk))


def by_ply(table: Tablebase, positions: int, random: np.random.Generator) -> list[int]:
    """How many positions to draw of each ply, so that all together are uniform."""
    counts = np.array([sum(each.canonical.values()) for each in table.file.directory.counts])
    if table.max_ply % 2 == 0 and table.max_ply < table.rules.cells - 1:
        counts[-1] = 0  # the file does not know what its moves are worth
    if positions > counts.sum():
        raise TooLarge(
            f"{table.file.path} holds {counts.sum():,} positions up to symmetry, not {positions:,}; ask for fewer"
        )
    if counts.sum() < NUMPY_LIMIT:
        return random.multivariate_hypergeometric(counts, positions, method="marginals").tolist()  # type: ignore[no-any-return]
    drawn = np.minimum(random.multinomial(positions, counts / counts.sum()), counts)
    drawn[counts.argmax()] += positions - drawn.sum()  # a ply of a few positions may have been asked for one too many
    return drawn.tolist()  # type: ignore[no-any-return]


def canonical_boards(table: Tablebase, boards: Boards) -> Boards:
    """The lexicographically smallest image of each board."""
    rules = table.rules
    which = smallest_images(boards, image_keys(rules))
    group = symmetries(rules.rows, rules.cols)
    images = np.empty_like(boards)
    for symmetry in range(len(group)):
        chosen = which == symmetry
        images[chosen] = _move(boards[chosen], group[symmetry].cells)
    return images


def _move(boards: Boards, cells: tuple[int, ...]) -> Boards:
    moved = np.zeros_like(boards)
    for cell, to in enumerate(cells):
        moved |= (boards >> cell & 1) << to
    return moved


def label(table: Tablebase, boards: Boards) -> dict[str, Any]:
    """The columns of some positions."""
    cells = table.rules.cells
    ply = np.bitwise_count(boards).sum(axis=1).astype(np.int64)
    values, distances = in_words(table.probe_many(boards), cells - ply)
    moves = move_scores(table, boards)
    move_values, move_distances = in_words(moves.data, (cells - ply)[:, None])
    return {
        "board": [str(Position(table.rules, *board)) for board in boards.tolist()],
        "crosses": boards[:, 0],
        "noughts": boards[:, 1],
        "ply": ply.astype(np.int8),
        "value": values,
        "distance": distances,
        "move_values": np.ma.array(move_values, mask=moves.mask).tolist(),
        "move_distances": np.ma.array(move_distances, mask=moves.mask).tolist(),
        "split": [SPLITS[each] for each in hashed(boards) % len(SPLITS)],
    }


def in_words(scores: Scores, empty: NDArray[np.int64]) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Scores as values (1, 0, -1) and distances."""
    distances = np.where(scores == 0, empty, 100 - np.abs(scores.astype(np.int64)))
    return np.sign(scores), distances.astype(np.int8)


def move_scores(table: Tablebase, boards: Boards) -> Any:
    """What each move is worth to its maker, [board, cell], masked where there is none."""
    stones = boards[:, 0] | boards[:, 1]
    crosses_move = np.bitwise_count(boards[:, 0]) == np.bitwise_count(boards[:, 1])
    scores = np.ma.array(np.zeros((len(boards), table.rules.cells), np.int8), mask=True)
    for cell in range(table.rules.cells):
        free = np.flatnonzero(stones >> cell & 1 == 0)
        after = boards[free]
        after[np.arange(len(free)), np.where(crosses_move[free], 0, 1)] |= 1 << cell
        lowest = table.probe_many(after)
        scores[free, cell] = np.sign(lowest) - lowest
    return scores


def hashed(boards: Boards) -> NDArray[np.uint64]:
    """A number for each board that looks random and is always the same (a multiplicative hash)."""
    mixed = boards[:, 0].astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) ^ boards[:, 1].astype(np.uint64)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return mixed >> np.uint64(40)


def _schema(arrow: Any, table: Tablebase) -> Any:
    each_cell = arrow.list_(arrow.int8(), table.rules.cells)
    fields = {
        "board": arrow.string(),
        "crosses": arrow.int64(),
        "noughts": arrow.int64(),
        "ply": arrow.int8(),
        "value": arrow.int8(),
        "distance": arrow.int8(),
        "move_values": each_cell,
        "move_distances": each_cell,
        "split": arrow.string(),
    }
    return arrow.schema(list(fields.items()), metadata={"rules": str(table.rules)})
