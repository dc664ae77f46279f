"""The smallest image of a packed board, against all images of its array."""

import numpy as np
import pytest

from gridlab.game2048.kernels import mirror_table, shape_of, smallest_images
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import Rules2048
from tests.game2048.test_walls import SMALL, some_boards


def images(position: Position2048) -> set[int]:
    tiles = position.array()
    turns = [tiles, tiles[::-1], tiles[:, ::-1], tiles[::-1, ::-1]]
    turns += [each.T for each in turns] if position.rules.rows == position.rules.cols else []
    return {Position2048.of_array(each, rules=position.rules).packed for each in turns}


@pytest.mark.parametrize("rules", [*SMALL, Rules2048()], ids=str)
def test_the_smallest_image(rules: Rules2048) -> None:
    boards = [Position2048(tiles, 0, rules) for tiles in some_boards(rules, 60)[:: 211 if rules.cells == 4 else 1]]
    packed = np.array([board.packed for board in boards], np.uint64)
    found = smallest_images(packed, mirror_table(rules), shape_of(rules))
    assert found.tolist() == [min(images(board)) for board in boards]


def test_square_boards_have_eight_images_and_others_four() -> None:
    assert len(images(Position2048.parse("2 4 8/. . ./. . .", Rules2048(3, 3)))) == 8
    assert len(images(Position2048.parse("2 4 8/. . .", Rules2048(2, 3)))) == 4
