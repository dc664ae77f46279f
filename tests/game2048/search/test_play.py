"""The loop that plays whole games inside a kernel: limits, traces of any length, every policy, the compile cache."""

import os
from pathlib import Path

import numpy as np
import pytest

from gridlab.core.bits import Stream, streams
from gridlab.core.run import stop_flag
from gridlab.game2048 import rules as reference
from gridlab.game2048.kernels import mirror_table, shape_of, unpack
from gridlab.game2048.rules import Rules2048
from gridlab.game2048.search import play
from gridlab.game2048.search.evaluators import EVALUATORS
from gridlab.game2048.search.expectimax import DeepExpectimax, SearchSettings, new_expectimax
from gridlab.game2048.search.mcts import new_mcts
from gridlab.game2048.search.ntuple import new_moves, new_network, parse_tuples
from gridlab.game2048.search.ntuple_search import new_search
from gridlab.game2048.search.play import (
    KERNEL_POLICIES,
    KernelPolicy,
    Limits,
    RandomMoves,
    TableMoves,
    new_random_moves,
    play_and_record,
    play_batch,
)
from tests.conftest import Python

RULES = Rules2048()
ODDS = RULES.odds


def expectimax(depth: int, entries: int = 0, sample: int = 0) -> KernelPolicy:
    return new_expectimax(EVALUATORS["rows"].arrays(RULES), SearchSettings(depth, *ODDS, sample, 0.0), entries)


def empty_table() -> TableMoves:
    """A table that knows nothing, so that the first legal direction is played."""
    shape, nothing = shape_of(RULES), np.zeros(2, np.int64)
    return TableMoves(np.empty(0, np.uint64), np.empty(0), nothing[:1], mirror_table(RULES), shape, 0, nothing)


def one_of_each() -> list[KernelPolicy]:
    network = new_network(parse_tuples("5x4", RULES), RULES)
    learnt: list[KernelPolicy] = [new_moves(network), new_search(network, 3, ODDS)]
    searches: list[KernelPolicy] = [expectimax(1), expectimax(5, sample=1), new_mcts(8, 1.0, ODDS)]
    return [new_random_moves(), *searches, empty_table(), *learnt]


def test_random_moves_equal_the_reference() -> None:
    """The n-th legal direction, n drawn from the same stream as the new tiles."""
    rules, states = Rules2048(), streams(2, 4)
    ends = play_batch(new_random_moves(), RULES, states.copy(), stop_flag())
    for game, state in enumerate(states.tolist()):
        stream, score, moves = Stream(state), 0, 0
        board = reference.start(rules, stream)
        while legal := reference.legal_moves(rules, board):
            direction = legal[(stream.draw() >> 32) * len(legal) >> 32]
            after, points = reference.move(rules, board, direction)
            board, score, moves = reference.spawn(rules, after, stream), score + points, moves + 1
        assert (unpack(int(ends.boards[game])), ends.scores[game], ends.moves[game]) == (board, score, moves)


def test_every_type_of_policy_is_in_the_list() -> None:
    assert {type(each) for each in one_of_each()} == set(KERNEL_POLICIES)
    assert type(expectimax(4)) is not DeepExpectimax


@pytest.mark.parametrize("policy", one_of_each(), ids=lambda each: type(each).__name__)
def test_a_trace_has_room_for_every_move(policy: KernelPolicy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Played at one go, and stopped and continued whenever the room of the trace has ended."""
    limits = Limits(moves=10)
    ends = play_batch(policy, RULES, streams(3, 2), stop_flag(), limits)
    long, end = play_and_record(policy, RULES, streams(3, 1), stop_flag(), limits)
    monkeypatch.setattr(play, "ROOM", 3)
    short, same = play_and_record(policy, RULES, streams(3, 1), stop_flag(), limits)
    assert [column[0] for column in ends] == [column[0] for column in end] == [column[0] for column in same]
    said = type(policy) is not RandomMoves  # its values are nobody's
    for name in ("boards", "directions", "scores", "nodes", *(["values"] if said else [])):
        assert np.array_equal(getattr(long, name), getattr(short, name))
    assert len(long.boards) == end.moves[0] == 10


def test_limits() -> None:
    policy = expectimax(1)
    trace, ends = play_and_record(policy, RULES, streams(3, 1), stop_flag(), Limits(exponent=6))
    assert max(unpack(int(ends.boards[0]))) == 64
    assert all(max(unpack(board)) < 64 for board in trace.boards.tolist())
    _, fewer = play_and_record(policy, RULES, streams(3, 1), stop_flag(), Limits(len(trace.boards) - 1, 6))
    assert fewer.moves[0] == len(trace.boards) - 1
    stop = stop_flag()
    stop[0] = 1
    trace, ends = play_and_record(policy, RULES, streams(3, 1), stop)
    assert (len(trace.boards), ends.moves[0], ends.scores[0]) == (0, 0, 0)
    assert sum(tile > 0 for tile in unpack(int(ends.boards[0]))) == 2


@pytest.mark.compiled
def test_games_do_not_depend_on_those_before_them() -> None:
    """A table is emptied between games: scores, and how many boards were evaluated for each."""
    policy = expectimax(5, entries=1 << 8)
    both = play_batch(policy, RULES, streams(4, 2), stop_flag(), Limits(30))
    together = policy.counts.tolist()
    policy.counts[:] = 0
    apart = [play_batch(policy, RULES, streams(4, 1, game), stop_flag(), Limits(30)) for game in range(2)]
    assert both.scores.tolist() == [int(ends.scores[0]) for ends in apart]
    assert policy.counts.tolist() == together


PROGRAM = """
from numba.core import event
from gridlab.game2048.evaluate import evaluate
from gridlab.game2048.search import expectimax, expectimax as last_plies
with event.install_recorder("numba:compile") as recorder:
    evaluate("random", games=1)
print(len(recorder.buffer), len(last_plies.tiles_and_move.signatures), len(expectimax.chance.signatures))
"""


@pytest.mark.compiled
@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_random_moves_compile_no_search_and_come_from_the_cache(python: Python, tmp_path: Path) -> None:
    first, second = (python(PROGRAM, NUMBA_CACHE_DIR=str(tmp_path)).stdout.split() for _ in range(2))
    assert int(first[0]) > 0
    assert first[1:] == ["0", "0"]
    assert second == ["0", "0", "0"]
