"""What a game teaches: by hand, against the reference, and how well it plays after a quarter of a minute."""

from pathlib import Path

import numpy as np
import pytest

from gridlab.core.bits import Stream, streams
from gridlab.core.run import stop_flag
from gridlab.game2048 import rules as game_reference
from gridlab.game2048.evaluate import evaluate
from gridlab.game2048.kernels import row_tables, start, unpack_board
from gridlab.game2048.learn.ntuple import train_ntuple
from gridlab.game2048.learn.ntuple_kernels import (
    GAMES,
    MOVES,
    SCORES,
    TALLY,
    TILES,
    Recipe,
    learn_backwards,
    learn_games,
    new_path,
    play_game,
)
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import Rules2048
from gridlab.game2048.search.ntuple import new_network, parse_tuples
from tests.game2048.learn import ntuple_reference as reference
from tests.game2048.learn.ntuple_reference import PlainNetwork

TWO = Rules2048(2, 2)


def hand_made(rate: str, trace: float) -> tuple[list[float], list[float]]:
    """Two boards of 2x2 in a game; what they are worth in the end, and the sums of one of their weights each.

    All images of these boards differ, so that each has eight weights of its own. The second move brings 8 points.
    """
    tuples = parse_tuples("0123", TWO)
    network, plain = new_network(tuples, TWO), PlainNetwork(TWO, tuples, ())
    boards = [Position2048.parse(text, TWO) for text in ("2 4/8 16", "2 8/16 32")]
    places = [plain.places(each.tiles) for each in boards]
    assert len({*places[0], *places[1]}) == 16
    network.weights[places[0]], network.weights[places[1]] = 1.0, 2.0  # the boards are worth 8 and 16
    sums = np.zeros(2 * len(network.weights) if rate == "tc" else 0, np.float32)
    path = new_path(network)
    path.afterstates[:2], path.points[:2] = [each.packed for each in boards], [100, 8]
    learn_backwards(2, network, sums, Recipe(0.5, trace, 0, 9, 1), path)
    values = [float(network.weights[each].sum()) for each in places]
    return values, [float(sums[2 * each[0] + part]) for each in places for part in (0, 1)] if rate == "tc" else []


@pytest.mark.parametrize(("trace", "first"), [(0.0, 8 + 0.5 * (8 + 8 - 8)), (0.5, 8 + 0.5 * (8 + 4 - 8))])
def test_td_by_hand(trace: float, first: float) -> None:
    """The last board learns 0 from 16, by half: 8. The first learns 8 points + (1 - λ)·8 + λ·0 from 8, by half."""
    assert hand_made("td", trace) == ([first, 8.0], [])


def test_tc_by_hand() -> None:
    """The first error of a weight counts in full; each weight keeps its sums."""
    values, sums = hand_made("tc", 0.0)
    assert values == [12.0, 8.0]
    assert sums == [8.0, 8.0, -16.0, 16.0]


def test_errors_that_cancel_out_slow_a_weight_down() -> None:
    """One weight of eight has met errors of +3 and -5: a rate of a quarter."""
    network, board = new_network(parse_tuples("0123", TWO), TWO), Position2048.parse("2 4/8 16", TWO)
    places = PlainNetwork(TWO, parse_tuples("0123", TWO), ()).places(board.tiles)
    sums, path = np.zeros(2 * len(network.weights), np.float32), new_path(network)
    network.weights[places] = 1.0
    sums[2 * places[0]], sums[2 * places[0] + 1] = -2.0, 8.0
    path.afterstates[0] = board.packed
    learn_backwards(1, network, sums, Recipe(1.0, 0.0, 0, 9, 1), path)
    assert network.weights[places].tolist() == [0.75, *[0.0] * 7]
    assert sums[2 * places[0] : 2 * places[0] + 2].tolist() == [-10.0, 16.0]


@pytest.mark.compiled
@pytest.mark.parametrize("rules", [Rules2048(2, 3), Rules2048(3, 3), Rules2048()], ids=str)
@pytest.mark.parametrize("rate", ["td", "tc"])
@pytest.mark.parametrize("trace", [0.0, 0.5, 1.0])
def test_learning_is_that_of_the_reference(rules: Rules2048, rate: str, trace: float) -> None:
    tuples = parse_tuples("tetrominoes" if rules.cells < 16 else "5x4", rules)
    weights = np.random.default_rng(1).normal(size=sum(16 ** len(cells) for cells in tuples)).astype(np.float32)
    plain_weights = [float(each) for each in weights]
    network = new_network(tuples, rules, weights)
    sums = np.zeros(2 * len(weights) if rate == "tc" else 0, np.float32)
    plain_sums = [(0.0, 0.0)] * len(weights) if rate == "tc" else None
    recipe, path, states = Recipe(0.3, trace, 0, *rules.odds), new_path(network), streams(3, 1)
    rows, plain = row_tables(rules), PlainNetwork(rules, tuples, plain_weights)
    for _ in range(3):
        board = np.uint64(start(rows.walls, *rules.odds, states, 0))
        moves, score = play_game(board, network, recipe, rows, path, states, 0)
        assert score == path.points[:moves].sum()
        game = [(unpack_board(int(path.afterstates[i]), rules), int(path.points[i])) for i in range(moves)]
        learn_backwards(moves, network, sums, recipe, path)
        reference.learn_backwards(game, plain, plain_weights, plain_sums, 0.3, trace)
        np.testing.assert_allclose(weights, plain_weights, rtol=1e-3, atol=1e-3)
    if plain_sums is not None:
        np.testing.assert_allclose(sums.reshape(-1, 2), plain_sums, rtol=1e-3, atol=1e-2)


def test_games_are_played_by_the_best_move() -> None:
    """The moves of the learner, with the new tiles of its stream, are those of the reference implementation."""
    rules = Rules2048(3, 3)
    tuples = parse_tuples("tetrominoes", rules)
    network = new_network(tuples, rules, np.random.default_rng(2).normal(size=16**4 * len(tuples)).astype(np.float32))
    plain, path, states = PlainNetwork(rules, tuples, network.weights), new_path(network), streams(4, 1)
    stream, rows = Stream(int(states[0])), row_tables(rules)
    board = np.uint64(start(rows.walls, 9, 1, states, 0))
    moves, score = play_game(board, network, Recipe(1.0, 0.0, 0, 9, 1), rows, path, states, 0)
    tiles, total = game_reference.start(rules, stream), 0
    for i in range(moves):
        values = plain.move_values(tiles)
        after, points = game_reference.move(rules, tiles, max(values, key=values.__getitem__))
        assert (unpack_board(int(path.afterstates[i]), rules), path.points[i]) == (after, points)
        tiles, total = game_reference.spawn(rules, after, stream), total + points
    assert not game_reference.legal_moves(rules, tiles)
    assert (total, moves > 10) == (score, True)


def learnt(rules: Rules2048, games: int, restart: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Weights and tally after some games."""
    network = new_network(parse_tuples("tetrominoes", rules), rules)
    sums, tally = np.zeros(2 * len(network.weights), np.float32), np.zeros(TALLY, np.int64)
    recipe, path, states = Recipe(1.0, 0.5, restart, *rules.odds), new_path(network), streams(3, 1)
    assert learn_games(games, network, sums, recipe, row_tables(rules), path, states, 0, tally, stop_flag()) == games
    return network.weights, tally


@pytest.mark.compiled
def test_the_tally() -> None:
    weights, tally = learnt(Rules2048(3, 3), 200)
    assert tally[GAMES] == tally[TILES:].sum() == 200
    assert 200 * 30 < tally[MOVES] < 200 * 300
    assert 200 * 200 < tally[SCORES] < 200 * 5000
    assert np.isfinite(weights).all()


@pytest.mark.compiled
def test_long_games_begin_again_in_their_middle() -> None:
    """More is learnt from as many whole games, and only these are tallied."""
    _, plain = learnt(Rules2048(3, 3), 100)
    _, again = learnt(Rules2048(3, 3), 100, restart=20)
    assert (again[GAMES], again[TILES:].sum()) == (100, 100)
    assert again[MOVES] > 1.3 * plain[MOVES]


@pytest.mark.compiled
def test_learning_stops_between_games() -> None:
    network = new_network(parse_tuples("0123", TWO), TWO)
    stop, tally = stop_flag(), np.zeros(TALLY, np.int64)
    stop[0] = 1
    arguments = Recipe(1.0, 0.0, 0, 9, 1), row_tables(TWO), new_path(network), streams(1, 1), 0, tally, stop
    assert learn_games(5, network, np.zeros(0, np.float32), *arguments) == 0


@pytest.mark.compiled
def test_a_quarter_of_a_minute_is_enough_for_a_good_player(tmp_path: Path) -> None:
    """Fifteen seconds on one core: more than 25,000 points, more than any evaluator of two moves and a tile."""
    train_ntuple("2048", tmp_path / "quick.ntuple", minutes=0.25, seed=1, workers=1)
    found = evaluate(f"ntuple file={tmp_path / 'quick.ntuple'}", games=100, seed=2)
    assert found.mean_score > 25_000
