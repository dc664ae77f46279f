"""Positions of 2048, and golden vectors for the bugs that recur in other packages."""

from xml.etree import ElementTree

import numpy as np
import pytest

from gridlab.core.errors import BadNotation, IllegalMove
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import Rules2048

STUCK = "2 4 2 4/4 2 4 2/2 4 2 4/4 2 4 2"


class Scripted(np.random.Generator):
    """Always the smallest number: the first empty cell, and a 4 (fours come first in the draw)."""

    def __init__(self) -> None:
        super().__init__(np.random.PCG64(0))

    def integers(self, *limits: int, **_: object) -> int:  # type: ignore[override]
        return 0


def test_a_turn_in_two_halves() -> None:
    position = Position2048.parse("2 . . 2/. . . ./4 4 4 ./. . . .")
    after = position.play("left")
    assert str(after) == "4 . . ./. . . ./8 4 . ./. . . ."
    assert (position.score, after.score) == (0, 12)
    spawned = after.spawn(np.random.default_rng(0))
    assert spawned.score == 12
    assert sum(tile > 0 for tile in spawned.tiles) == 4
    assert {*spawned.tiles} - {*after.tiles} <= {2}


def test_the_array_is_the_documents() -> None:
    array = Position2048.parse("2 . . 2/. . . ./4 4 4 ./. . . 32768").array()
    assert (array.dtype, array.shape) == (np.dtype(np.int32), (4, 4))
    assert array.tolist() == [[2, 0, 0, 2], [0, 0, 0, 0], [4, 4, 4, 0], [0, 0, 0, 32768]]
    assert Position2048.of_array(array).array().tolist() == array.tolist()


@pytest.mark.parametrize(
    "text",
    [
        "2 . 4 ./. . . ./. . . ./. . . 16",
        "2,0,4,0/0,0,0,0/0,0,0,0/0,0,0,16",
        "2 0 4 0\n. . . .\n. . . .\n. . . 16\n",
        "[[2, 0, 4, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 16]]",
    ],
)
def test_boards_are_read(text: str) -> None:
    position = Position2048.parse(text)
    assert str(position) == "2 . 4 ./. . . ./. . . ./. . . 16"
    assert Position2048.unpack(position.packed) == position
    assert position.packed == 0x4000_0000_0000_0201


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("2 . 4 .", "4 rows of 4 tiles are needed"),
        ("2 . 4/. . ./. . .", "4 rows of 4 tiles are needed"),
        (STUCK.replace("4", "3"), "3 is not a tile of 2048"),
        (STUCK.replace("4", "65536"), "65536 is not a tile of 2048; tiles are 2, 4, 8, … up to 32768"),
        (STUCK.replace("4", "1"), "1 is not a tile"),
        (STUCK.replace("4", "x"), "'x' is not a tile"),
        (STUCK.replace("4", "-4"), "'-4' is not a tile"),
        ("[[2, 0", "is not a list of rows"),
    ],
)
def test_wrong_boards_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(BadNotation) as refusal:
        Position2048.parse(text)
    assert sentence in str(refusal.value)


def test_large_boards_hold_any_tile() -> None:
    rules = Rules2048(2, 5)
    position = Position2048.parse("32768 32768 . . ./. . . . .", rules)
    assert str(position.play("left")) == "65536 . . . ./. . . . ."
    with pytest.raises(BadNotation, match="has no 64-bit number"):
        _ = position.packed


def test_small_boards_have_walls_and_tiles_up_to_16384() -> None:
    rules = Rules2048(2, 3)
    position = Position2048.parse("2 . 4/. 16384 .", rules)
    assert position.packed == 0xFFFF_FFFF_F0E0_F201
    assert Position2048.unpack(position.packed, rules=rules) == position
    assert Position2048.parse("16384 16384 ./. . .", rules).moves() == ["down", "right"]
    with pytest.raises(BadNotation, match="32768 is not a tile of 2048:2x3; tiles are 2, 4, 8, … up to 16384"):
        Position2048.parse("32768 . ./. . .", rules)


def test_the_end() -> None:
    position = Position2048.parse(STUCK)
    assert (position.moves(), position.over, position.max_tile) == ([], True, 4)
    with pytest.raises(IllegalMove, match=r"left changes nothing in .*; no direction does"):
        position.play("left")
    with pytest.raises(IllegalMove, match="'north' is not a direction; there are up, down, left, right"):
        position.play("north")


def test_golden_no_tile_after_an_illegal_move() -> None:
    position = Position2048.parse("2 . . ./4 . . ./. . . ./. . . .")
    assert position.moves() == ["down", "right"]
    for direction in ("up", "left"):
        with pytest.raises(IllegalMove, match=rf"{direction} changes nothing in .*; down, right does"):
            position.step(direction, np.random.default_rng(0))


def test_golden_moves_are_those_after_the_new_tile() -> None:
    """Left leaves one empty cell, the top right: a new 4 there takes the last moves away, or makes new ones."""
    after = Position2048.parse(". 2 4 8/4 2 4 16/2 4 2 8/4 2 4 16").play("left")
    assert str(after) == "2 4 8 ./4 2 4 16/2 4 2 8/4 2 4 16"
    assert after.moves() == ["up", "right"]
    assert after.spawn(Scripted()).moves() == []
    after = Position2048.parse(". 2 8 4/4 2 8 16/2 4 2 8/4 2 4 16").play("left")
    assert after.spawn(Scripted()).tiles[:4] == (2, 8, 4, 4)
    assert after.spawn(Scripted()).moves() == ["left", "right"]


def test_golden_a_full_board_that_merges_gets_its_new_tile() -> None:
    full = Position2048.parse("2 2 4 8/4 8 2 16/2 4 8 4/4 2 4 16")
    assert 0 not in full.tiles
    after = full.play("left")
    assert (str(after), after.score) == ("4 4 8 ./4 8 2 16/2 4 8 4/4 2 4 16", 4)
    assert str(full.step("left", Scripted())) == "4 4 8 4/4 8 2 16/2 4 8 4/4 2 4 16"


def test_golden_fours_do_appear() -> None:
    random = np.random.default_rng(11)
    empty = Position2048((0,) * 16)
    spawned = [empty.spawn(random).tiles for _ in range(2_000)]
    assert 150 < sum(max(tiles) == 4 for tiles in spawned) < 250
    cells = [sum(tiles[cell] > 0 for tiles in spawned) for cell in range(16)]
    assert sum((count - 125) ** 2 / 125 for count in cells) < 37.70  # chi-square, 15 degrees, once in a thousand
    with pytest.raises(IllegalMove, match="there is no room for a new tile"):
        Position2048.parse(STUCK).spawn(random)


def test_the_start_has_two_tiles() -> None:
    for seed in range(20):
        start = Position2048.start(np.random.default_rng(seed), Rules2048(3, 3))
        assert sum(tile > 0 for tile in start.tiles) == 2
        assert {*start.tiles} <= {0, 2, 4}
        assert start.score == 0


def test_pictures() -> None:
    position = Position2048.parse("2 . 4 ./. . . ./. . . ./. . . 32768", score=1234)
    svg = ElementTree.fromstring(position._repr_svg_())
    name = "{http://www.w3.org/2000/svg}"
    assert svg.findtext(f"{name}title") == "2048, 1,234 points"
    assert [text.text for text in svg.iter(f"{name}text")] == ["2", "4", "32768"]
    assert len(svg.findall(f"{name}rect")) == 17
    assert position.draw().splitlines()[3] == "    .     .     . 32768"
