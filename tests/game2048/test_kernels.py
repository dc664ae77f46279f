"""Kernels of 2048 against the reference implementation: moves, transposes, streams, new tiles."""

import numpy as np
import pytest

from gridlab.core.bits import Stream, below, draw, streams
from gridlab.game2048 import kernels
from gridlab.game2048 import rules as reference
from gridlab.game2048.kernels import row_tables
from gridlab.game2048.rules import Rules2048

RULES = Rules2048()


def random_board(random: np.random.Generator) -> int:
    exponents = random.integers(0, 16, 16) * (random.random(16) < random.random())
    return sum(int(each) << 4 * cell for cell, each in enumerate(exponents))


def test_boards_against_the_reference() -> None:
    random, tables = np.random.default_rng(1), row_tables()
    for _ in range(300):
        packed = random_board(random)
        tiles, board = kernels.unpack(packed), np.uint64(packed)
        assert kernels.pack(tiles) == packed
        turned = tuple(tiles[row * 4 + col] for col in range(4) for row in range(4))
        assert kernels.unpack(int(kernels.transpose(board))) == turned
        assert kernels.count(kernels.empties(board)) == tiles.count(0)
        assert (2 << kernels.largest_exponent(board)) // 2 == max(*tiles, 1)
        for number, direction in enumerate(reference.DIRECTIONS):
            after, points = reference.move(RULES, tiles, direction)
            assert kernels.unpack(int(kernels.move(board, number, tables.slides))) == after
            assert kernels.points_of(board, number, tables.points) == points


def test_streams_are_splitmix() -> None:
    """The first outputs for state 1234567, as published with the generator's C source."""
    states = np.array([1234567], np.uint64)
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [int(draw(states, 0)) for _ in range(3)] == published
    stream = Stream(1234567)
    assert [stream.draw() for _ in range(3)] == published


def test_streams_differ_by_number_and_seed_alone() -> None:
    assert streams(5, 4).tolist() == streams(5, 2).tolist() + streams(5, 2, first=2).tolist()
    assert len({*streams(5, 100).tolist(), *streams(6, 100).tolist()}) == 200
    assert below(np.uint64(2**64 - 1), 6) == 5
    assert below(np.uint64(0), 6) == 0


@pytest.mark.parametrize("fours", [0.0, 0.1, 0.5, 1.0])
def test_games_move_by_move_as_the_reference_plays_them(fours: float) -> None:
    rules, tables = Rules2048(fours=fours), row_tables()
    states = streams(3, 3)
    plain = [Stream(state) for state in states.tolist()]
    for game in range(3):
        board, tiles = kernels.start(tables.walls, *rules.odds, states, game), reference.start(rules, plain[game])
        while legal := reference.legal_moves(rules, tiles):
            direction = legal[tiles.count(0) % len(legal)]
            board = kernels.move(board, reference.DIRECTIONS.index(direction), tables.slides)
            board = kernels.spawn(board, *rules.odds, states, game)
            tiles = reference.spawn(rules, reference.move(rules, tiles, direction)[0], plain[game])
            assert kernels.unpack(int(board)) == tiles


CRITICAL = {1: 10.83, 14: 36.12, 15: 37.70}  # chi-square: exceeded once in a thousand, by degrees of freedom


def chi_square(counts: list[int], shares: list[float]) -> float:
    total = sum(counts)
    return sum((count - total * share) ** 2 / (total * share) for count, share in zip(counts, shares, strict=True))


def test_new_tiles_fall_on_every_empty_cell_and_a_tenth_are_fours() -> None:
    drawn, states = 8_000, streams(7, 1)
    board = np.uint64(0x500)  # one tile, on cell 2
    found = [int(kernels.spawn(board, 9, 1, states, 0)) ^ 0x500 for _ in range(drawn)]
    cells = [sum((each >> 4 * cell & 15) > 0 for each in found) for cell in range(16)]
    assert cells.pop(2) == 0
    assert chi_square(cells, [1 / 15] * 15) < CRITICAL[14]
    fours = sum(max(kernels.unpack(each)) == 4 for each in found)
    assert sum(max(kernels.unpack(each)) == 2 for each in found) == drawn - fours
    assert chi_square([fours, drawn - fours], [0.1, 0.9]) < CRITICAL[1]
