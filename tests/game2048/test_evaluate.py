"""Players of 2048 measured: the same for any number of workers, and as the reference implementation plays."""

import os
import signal
import threading
from typing import Any

import numpy as np
import pytest

from gridlab.arena.statistics import of_mean
from gridlab.core.bits import Stop, Stream, streams
from gridlab.core.errors import BadNotation, BadPlayer
from gridlab.game2048 import evaluate as evaluate_module
from gridlab.game2048 import rules as reference
from gridlab.game2048.evaluate import Evaluation2048, evaluate
from gridlab.game2048.players import PLAYERS, ExpectimaxPlayer
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import Rules2048
from gridlab.game2048.search.evaluators import EVALUATORS
from gridlab.game2048.search.expectimax import PlainSearch
from gridlab.game2048.search.play import Results, play_to_end
from gridlab.players.registry import make_player

SQUARE = Rules2048(3, 3)


def by_reference(depth: int, state: int) -> tuple[int, int, int]:
    """Score, largest tile and moves of a whole game by the reference implementations."""
    rules, stream, score, moves = Rules2048(), Stream(state), 0, 0
    search = PlainSearch(rules, EVALUATORS["spec"].board(rules), depth)
    board = reference.start(rules, stream)
    while direction := search.choose(board):
        after, points = reference.move(rules, board, direction)
        board, score, moves = reference.spawn(rules, after, stream), score + points, moves + 1
    return score, max(board), moves


def test_whole_games_equal_the_reference() -> None:
    found = evaluate("expectimax evaluator=spec depth=1", games=2, seed=4, workers=1)
    games = [by_reference(1, state) for state in streams(4, 2).tolist()]
    assert found.scores.tolist() == [score for score, _, _ in games]
    assert found.max_tiles.tolist() == [tile for _, tile, _ in games]
    assert found.moves == sum(moves for _, _, moves in games)


@pytest.mark.compiled
@pytest.mark.parametrize(
    "player", ["random", "expectimax depth=2", "expectimax depth=3 table=6", "expectimax sample=2"]
)
def test_workers_change_nothing(player: str) -> None:
    one, three = (evaluate(player, games=13, seed=2, workers=workers) for workers in (1, 3))
    assert one.scores.tolist() == three.scores.tolist()
    assert one.moves == three.moves
    assert evaluate(player, games=13, seed=3).scores.tolist() != one.scores.tolist()


@pytest.mark.compiled
def test_the_table_changes_no_game() -> None:
    plain = evaluate("expectimax evaluator=rows depth=5 table=0", games=1, seed=1)
    for table in (4, 12):
        found = evaluate(f"expectimax evaluator=rows depth=5 table={table}", games=1, seed=1)
        assert found.scores.tolist() == plain.scores.tolist()


@pytest.mark.compiled
def test_strength() -> None:
    """Far below what is measured (45,000 and 34,000 on average), far above what chance explains."""
    assert evaluate("random", games=200, seed=1).mean_score < 1_500
    assert evaluate("expectimax evaluator=rows depth=3", games=40, seed=1).mean_score > 35_000
    assert evaluate("expectimax evaluator=spec depth=4", games=40, seed=1).mean_score > 22_000


@pytest.mark.parametrize("rules", [SQUARE, Rules2048(2, 5)], ids=str)
def test_other_boards(rules: Rules2048) -> None:
    """By kernels up to 4x4 cells, plainly beyond."""
    one, two = (evaluate("expectimax depth=2", rules, 3, seed=1, workers=workers) for workers in (1, 2))
    assert one.scores.tolist() == two.scores.tolist()
    assert one.mean_score > evaluate("random", rules, 3, seed=1).mean_score


def test_spec_knows_boards_of_up_to_4x4_cells() -> None:
    assert evaluate("expectimax evaluator=spec depth=1", SQUARE, 2).mean_score > 0
    with pytest.raises(BadPlayer, match="the evaluator spec knows boards of up to 4x4 cells, not 2048:2x5"):
        evaluate("expectimax evaluator=spec", Rules2048(2, 5), 1)


def test_the_report() -> None:
    scores, tiles = np.array([100, 200, 600]), np.array([16, 512, 1024])
    report = Evaluation2048("random", Rules2048(), 7, scores, tiles, 90, 2.0)
    found = report.as_dict()
    assert (found["games"], found["mean_score"], found["moves_per_second"]) == (3, 300.0, 45.0)
    assert found["tile_rates"]["16"] == 1
    assert found["tile_rates"]["32"] == found["tile_rates"]["512"] == pytest.approx(2 / 3)
    assert list(found["tile_rates"])[-1] == "1024"
    low, high = found["mean_score_interval"]
    assert (low, high) == pytest.approx((300 - 1.96 * 152.753, 300 + 1.96 * 152.753), abs=0.1)
    assert "mean score 300, 95 % 1 to 599" in str(report)
    assert " 512      2  66.7%" in str(report)
    assert of_mean(np.array([5.0])) is None


def test_players_find_legal_directions() -> None:
    random = np.random.default_rng(0)
    for rules in (Rules2048(), SQUARE, Rules2048(2, 5)):
        position = Position2048.start(random, rules)
        for text in ("random", "expectimax depth=2", "expectimax depth=2 sample=1", "expectimax depth=1"):
            assert make_player(text, rules).move(position, random) in position.moves()


def test_values_name_the_move() -> None:
    player = ExpectimaxPlayer(Rules2048(), "spec", 2)
    position = Position2048.parse("8 4 2 ./. . . ./. . . ./. . . .")
    values = player.values(position, np.random.default_rng(0))
    assert list(values) == ["down", "right"]
    assert player.move(position, np.random.default_rng(0)) == "right"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nobody", "'nobody' is not a player; there are random, expectimax, ntuple, cnn, dual"),
        ("perfect", "the player perfect needs a table of 2048"),
        ("expectimax depth=9", "depth=9 of the player expectimax: 1 to 8 can be searched"),
        ("expectimax depth=0", "1 to 8 can be searched"),
        ("expectimax evaluator=best", "'best' is not an evaluator; there are spec, rows"),
        ("expectimax sample=17", "cells to try, such as 4, or 0 for all"),
        ("expectimax cutoff=1.5", "a probability such as 0.0001, or 0"),
        ("expectimax table=99", "2 to the power of 0 to 24 entries"),
        ("expectimax deep=3", "it takes evaluator=rows, depth=4, sample=0, cutoff=0.0, table=12"),
    ],
)
def test_wrong_players_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(BadPlayer) as refusal:
        make_player(text, Rules2048())
    assert sentence in str(refusal.value)


def test_wrong_numbers_are_refused() -> None:
    with pytest.raises(BadNotation, match="0 games show nothing"):
        evaluate("random", games=0)
    with pytest.raises(BadNotation, match="'-1' is not a seed"):
        evaluate("random", games=1, seed=-1)
    assert all(kind.about for kind in PLAYERS.values())
    assert all(kind.about for kind in EVALUATORS.values())


@pytest.mark.compiled
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_ends_long_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred thousand games would take hours; Ctrl-C ends them within a move."""
    playing = threading.Event()

    def watched(player: Any, rules: Rules2048, seed: int, numbers: range, stop: Stop) -> Results:
        if numbers:
            playing.set()
        return play_to_end(player, rules, seed, numbers, stop)

    def interrupt() -> None:
        if playing.wait(60):
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(evaluate_module, "play_to_end", watched)
    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        evaluate("expectimax depth=6", games=100_000, workers=2)


def test_rules_may_be_text() -> None:
    found = evaluate("random", "2048:2x3", 3, seed=1)
    assert found.rules == Rules2048(2, 3)
    assert found.scores.tolist() == evaluate("random", Rules2048(2, 3), 3, seed=1).scores.tolist()
