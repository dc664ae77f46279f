"""Corners and edges of boards, by kernels and as they are meant."""

import numpy as np
import pytest

from gridlab.core.jit import kernel
from gridlab.game2048.exact.layers import Corners, along_an_edge, board_of, corners_of, in_a_corner
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import Rules2048
from tests.game2048.test_walls import SMALL, some_boards

SQUARE = Rules2048(3, 3)


@kernel
def looks(board: np.uint64, corners: Corners) -> tuple[bool, bool]:
    return in_a_corner(board, corners), along_an_edge(board, corners)


def meant(position: Position2048) -> tuple[bool, bool]:
    """The same, in plain Python."""
    tiles = position.array()
    turns = [tiles, tiles[::-1], tiles[:, ::-1], tiles[::-1, ::-1]]
    turns += [each.T for each in turns]
    corner = any(int(each[0, 0]) == tiles.max() for each in turns)
    edge = any(
        all(one >= next for one, next in zip(each[0], each[0][1:], strict=False)) and each[0][-1] >= each[1:].max()
        for each in turns
    )
    return corner, edge


@pytest.mark.parametrize(
    ("text", "corner", "edge"),
    [
        ("512 128 32/16 8 4/. 2 .", True, True),
        ("512 128 32/16 64 4/. 2 .", True, False),
        ("4 16 512/2 8 128/. 4 32", True, True),
        ("16 512 128/. . ./. . .", False, False),
        ("128 512 2/. . ./. . .", False, False),
        ("2 4 2/8 512 8/2 4 2", False, False),
        (". . 2/. . 4/. . 8", True, True),
    ],
)
def test_pictures(text: str, corner: bool, edge: bool) -> None:
    position = Position2048.parse(text, SQUARE)
    corners = corners_of(SQUARE, board_of(SQUARE))
    assert looks(np.uint64(position.packed), corners) == (corner, edge) == meant(position)


@pytest.mark.parametrize("rules", [*SMALL, Rules2048()], ids=str)
def test_any_boards(rules: Rules2048) -> None:
    corners = corners_of(rules, board_of(rules))
    boards = [tiles for tiles in some_boards(rules, 60)[:: 499 if rules.cells == 4 else 1] if any(tiles)]
    for position in (Position2048(tiles, 0, rules) for tiles in boards):
        assert looks(np.uint64(position.packed), corners) == meant(position), str(position)
