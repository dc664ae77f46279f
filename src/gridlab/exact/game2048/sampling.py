"""Boards of a solved game of 2048 drawn at random, uniformly among all boards to move up to symmetry, each once."""

from collections.abc import Iterator

import numpy as np

from gridlab.core.errors import CorruptFile, TooLarge
from gridlab.exact.game2048.probe import Tablebase2048
from gridlab.games.game2048.kernels import Boards
from gridlab.games.game2048.position import Position2048

NUMPY_LIMIT = 10**9  # beyond it numpy does not draw without replacement
FEW_FORCED, SPARE = 1.1, 1.6  # times as many are drawn as are wanted with a choice; as many again if they are too few


def draw_layers(table: Tablebase2048, number: int, random: np.random.Generator) -> Iterator[tuple[int, Boards]]:
    """So many boards with a move, layer by layer: the sum of the tiles, and packed boards, ascending."""
    layers = table.file.directory.layers
    counts = np.array([each.boards - each.over for each in layers])
    if number > counts.sum():
        raise TooLarge(f"{table.file.path} holds {counts.sum():,} boards with a move, not {number:,}; ask for fewer")
    if counts.sum() < NUMPY_LIMIT:
        wanted = random.multivariate_hypergeometric(counts, number, method="marginals")
    else:
        wanted = np.minimum(random.multinomial(number, counts / counts.sum()), counts)
        wanted[counts.argmax()] += number - wanted.sum()  # a layer of a few boards may have been asked for one too many
    for layer, some in zip(layers, wanted.tolist(), strict=True):
        if some:
            boards = alive(table, layer.sum)
            if len(boards) < some:
                raise CorruptFile(f"{table.file.path} counts more boards of sum {layer.sum} than there are")
            yield layer.sum, boards[np.sort(random.permutation(len(boards))[:some])]


def alive(table: Tablebase2048, total: int) -> Boards:
    """The boards of a layer that have a move."""
    boards = table.boards(total)
    return boards[table.directions(boards) > 0]


def draw_boards(
    table: Tablebase2048, number: int, random: np.random.Generator, least_directions: int = 1
) -> list[Position2048]:
    """Up to `number` boards with so many directions or more, each as one of its images, all equally likely."""
    most = sum(each.boards - each.over for each in table.file.directory.layers)
    tried, found = min(most, round(FEW_FORCED * number) + 10), np.empty(0, np.uint64)
    while True:
        drawn = np.concatenate([boards for _, boards in draw_layers(table, tried, random)] or [found])
        found = drawn[table.directions(drawn) >= least_directions]
        if len(found) >= number or tried == most:
            break
        tried = min(most, round(tried * SPARE) + 10)
    chosen = random.permutation(len(found))[:number]
    return [random_image(Position2048.unpack(int(board), rules=table.rules), random) for board in found[chosen]]


def random_image(position: Position2048, random: np.random.Generator) -> Position2048:
    """One of the images of a board, all equally likely."""
    tiles, (over, aside, turned) = position.array(), random.integers(2, size=3).tolist()
    tiles = tiles[::-1] if over else tiles
    tiles = tiles[:, ::-1] if aside else tiles
    square = position.rules.rows == position.rules.cols
    return Position2048.of_array(tiles.T if turned and square else tiles, position.score, position.rules)
