"""N-tuple networks: kernels against the reference implementation, on boards of every size."""

from itertools import combinations

import numpy as np
import pytest

from gridlab.core.bits import streams
from gridlab.core.run import stop_flag
from gridlab.game2048.kernels import flip, mirror, pack_board, row_tables, transpose, unpack_board, walls_of
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import DIRECTIONS, Board, Rules2048
from gridlab.game2048.search import ntuple, ntuple_search
from gridlab.game2048.search.ntuple import (
    NEVER,
    Network,
    add_up,
    default_tuples,
    downgraded,
    find_places,
    new_moves,
    new_network,
    number_of_places,
    parse_tuples,
)
from gridlab.game2048.search.play import KernelPolicy, play_batch, value_boards
from gridlab.games.grid import symmetries
from tests.game2048.learn.ntuple_reference import PlainNetwork
from tests.game2048.learn.ntuple_reference import downgraded as plainly_downgraded
from tests.game2048.search.test_small_boards import boards_of, packed
from tests.game2048.test_walls import SMALL

BOARDS = [*SMALL, Rules2048()]
SETS = {"2048": "5x4", "2048:2x3": "pentominoes"}


def networks(rules: Rules2048, text: str = "") -> tuple[Network, PlainNetwork]:
    """The same network twice, with weights by chance."""
    tuples = parse_tuples(text or SETS.get(str(rules), "tetrominoes"), rules)
    number = sum(16 ** len(cells) for cells in tuples)
    weights = np.random.default_rng(7).integers(-500, 500, number).astype(np.float32) / 4
    return new_network(tuples, rules, weights), PlainNetwork(rules, tuples, weights)


def places_of(board: Board, rules: Rules2048, network: Network) -> np.ndarray:
    places = np.empty(number_of_places(network), np.uint64)
    find_places(packed([board], rules)[0], places, *network[1:])
    return places


def test_mirror_and_flip() -> None:
    board = np.uint64(0x0123456789ABCDEF)
    assert mirror(board) == 0x32107654BA98FEDC
    assert flip(board) == 0xCDEF89AB45670123
    assert transpose(flip(transpose(board))) == mirror(board)


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_places_and_values(rules: Rules2048) -> None:
    network, plain = networks(rules)
    for board in boards_of(rules, 50, 3):
        places = places_of(board, rules, network)
        assert sorted(places.tolist()) == sorted(plain.places(board))
        assert add_up(network.weights, places) == plain.value(board)


@pytest.mark.parametrize("name", ["4x6", "8x6", "17x4", "0f,37b,5", "048c,159d,26ae"])
def test_places_of_other_tuples(name: str) -> None:
    rules, tuples = Rules2048(), parse_tuples(name, Rules2048())
    network = new_network(tuples, rules, np.empty(0, np.float32))
    plain = PlainNetwork(rules, tuples, ())
    for board in boards_of(rules, 20, 5):
        assert sorted(places_of(board, rules, network).tolist()) == sorted(plain.places(board))


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_symmetric_boards_are_worth_the_same(rules: Rules2048) -> None:
    network, _ = networks(rules, default_tuples(rules) if rules.cells < 16 else "17x4")
    for board in boards_of(rules, 20, 4):
        images = [each.values(board) for each in symmetries(rules.rows, rules.cols)]
        values = {add_up(network.weights, places_of(image, rules, network)) for image in images}
        assert len(values) == 1


def policies(network: Network, rules: Rules2048) -> dict[int, KernelPolicy]:
    return {
        1: new_moves(network),
        3: ntuple_search.new_search(network, 3, rules.odds),
        5: ntuple_search.new_search(network, 5, rules.odds),
        7: ntuple_search.new_search(network, 7, rules.odds),
    }


def tiles_of(text: str, rules: Rules2048) -> Board:
    return Position2048.parse(text, rules).tiles


LOWER = "128 256 512 1024/64 32 16 8"


@pytest.mark.parametrize(
    ("board", "seen"),
    [
        ("16384 8192 4096 512/. 8 64 256/. . . ./2 . . .", "8192 4096 2048 512/. 8 64 256/. . . ./2 . . ."),
        ("16384 8 4 2/16384 16 2 2/. . . ./. . . .", "8192 8 4 2/8192 16 2 2/. . . ./. . . ."),  # a pair stays a pair
        ("32768 16384 2 ./. . . ./. . . ./. . . .", "8192 4096 2 ./. . . ./. . . ./. . . ."),  # twice
        ("8192 4096 2 ./. . . ./. . . ./. . . .", "8192 4096 2 ./. . . ./. . . ./. . . ."),  # no such tile
        (f"16384 8192 4096 2048/{LOWER}/4 . . .", "8192 4096 2048 1024/64 128 256 512/32 16 8 4/2 . . ."),  # all
        (f"16384 8192 4096 2048/{LOWER}/4 2 . .", f"16384 8192 4096 2048/{LOWER}/4 2 . ."),  # nothing is missing
    ],
)  # fmt: skip
def test_large_tiles_are_seen_as_half_as_large(board: str, seen: str) -> None:
    rules = Rules2048()
    tiles, wanted = tiles_of(board, rules), tiles_of(seen, rules)
    assert plainly_downgraded(tiles, 16384) == wanted
    assert downgraded(np.uint64(pack_board(tiles, rules)), np.uint64(0), 14) == pack_board(wanted, rules)


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_downgraded_boards_have_the_same_moves(rules: Rules2048) -> None:
    """Against the reference implementation, for boards of all tiles by chance; what can be merged is the same."""
    random, walls, changed = np.random.default_rng(3), np.uint64(walls_of(rules)), 0
    for _ in range(300):
        board = tuple(int(1 << each) if each else 0 for each in random.integers(0, 12, rules.cells))
        for exponent in (3, 9, 11, NEVER):
            seen = unpack_board(int(downgraded(np.uint64(pack_board(board, rules)), walls, exponent)), rules)
            assert seen == plainly_downgraded(board, 1 << exponent)
            changed += seen != board
            for one, other in zip(combinations(board, 2), combinations(seen, 2), strict=True):
                assert (one[0] == one[1]) == (other[0] == other[1])
    assert changed > 100


CASES = [
    *((rules, depth) for rules in BOARDS for depth in (1, 3)),
    (Rules2048(2, 2), 5), (Rules2048(2, 2), 7), (Rules2048(2, 3), 5), (Rules2048(3, 3), 5), (Rules2048(2, 2, 0.0), 5),
    (Rules2048(2, 2, 1.0), 7), (Rules2048(3, 3, 0.0), 3), (Rules2048(3, 3, 1.0), 3),
]  # fmt: skip


@pytest.mark.compiled
@pytest.mark.parametrize(("rules", "depth"), CASES, ids=lambda each: str(each))
def test_searches(rules: Rules2048, depth: int) -> None:
    """The worth of every direction, against plain recursion."""
    network, plain = networks(rules)
    boards = boards_of(rules, 4 if depth > 3 or rules.cells > 12 else 12, 6)
    found = np.empty((len(boards), 4))
    policy = policies(network, rules)[depth]
    value_boards(policy, packed(boards, rules), found, row_tables(rules), streams(1, len(boards)), stop_flag())
    for board, values in zip(boards, found, strict=True):
        wanted = plain.move_values(board, depth)
        for direction, value in zip(DIRECTIONS, values, strict=True):
            assert value == pytest.approx(wanted.get(direction, -np.inf), rel=1e-12)


@pytest.mark.compiled
@pytest.mark.parametrize("depth", [1, 3])
def test_a_search_may_see_tiles_halved(depth: int) -> None:
    rules = Rules2048(3, 3)
    network, plain = networks(rules)
    board = tiles_of("64 32 16/. 2 2/. . .", rules)
    policy = new_moves(network, 5) if depth == 1 else ntuple_search.new_search(network, 3, rules.odds, 5)
    found = np.empty((1, 4))
    value_boards(policy, packed([board], rules), found, row_tables(rules), streams(1, 1), stop_flag())
    wanted = plain.move_values(tiles_of("16 8 4/. 2 2/. . .", rules), depth)
    assert found[0].tolist() == pytest.approx([wanted.get(direction, -np.inf) for direction in DIRECTIONS])


@pytest.mark.compiled
def test_a_table_changes_nothing() -> None:
    """Depth 5 answers by its table what it has found before; a new search finds the same."""
    rules = Rules2048(3, 3)
    network, _ = networks(rules)
    boards = boards_of(rules, 30, 8)
    one, other = np.empty((30, 4)), np.empty((30, 4))
    policy = policies(network, rules)[5]
    value_boards(policy, packed(boards, rules), one, row_tables(rules), streams(1, 30), stop_flag())
    assert policy.counts[1] > 0
    for i, board in enumerate(packed(boards, rules)):
        fresh = policies(network, rules)[5]
        value_boards(fresh, np.array([board]), other[i : i + 1], row_tables(rules), streams(1, 1), stop_flag())
    assert (one == other).all()


@pytest.mark.compiled
@pytest.mark.parametrize("depth", [1, 3])
def test_games_stop_and_repeat(depth: int) -> None:
    rules = Rules2048(3, 3)
    network, _ = networks(rules)
    one, two = (play_batch(policies(network, rules)[depth], rules, streams(2, 5), stop_flag()) for _ in range(2))
    assert (one.scores == two.scores).all()
    assert (one.moves > 5).all()
    stop = stop_flag()
    stop[0] = 1
    assert play_batch(policies(network, rules)[depth], rules, streams(2, 5), stop).moves.sum() == 0


def test_a_board_without_a_move() -> None:
    rules = Rules2048(2, 2)
    network, _ = networks(rules)
    board, values = np.uint64(Position2048.parse("2 4/4 2", rules).packed), np.empty(4)
    rows, states = row_tables(rules), streams(1, 1)
    assert ntuple.choose(new_moves(network), board, values, rows, states, 0, stop_flag()) == -1
    search = ntuple_search.new_search(network, 3, rules.odds)
    assert ntuple_search.choose(search, board, values, rows, states, 0, stop_flag()) == -1
    assert (values == -np.inf).all()
