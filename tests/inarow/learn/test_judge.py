"""Searches over the network: the same value whether all leaves are judged or only those that matter; stopped soon."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from gridlab.games import game
from gridlab.inarow.learn.judge import load_judge, opinion_of
from gridlab.inarow.position import Position
from gridlab.inarow.search.depth_limited import DECIDED
from gridlab.players.registry import make_player
from tests.conftest import Run
from tests.inarow.search.test_depth_limited import random_positions, seats


@pytest.mark.compiled
def test_with_the_network() -> None:
    """Sums of single numbers come out a little different in batches of another size."""
    rules = game("squava")
    judge = load_judge("", rules)
    for depth, number in ((3, 5), (4, 2)):
        for position in random_positions(rules, number, seed=depth):
            own, other = seats(position)
            found = judge.best(own, other, depth, 0.6)
            cells, values = judge.moves(np.array([[own, other]]), depth, 0.6).of(0)
            assert found.value == pytest.approx(values.max(), abs=0.05)
            assert values[cells.tolist().index(found.cell)] == pytest.approx(values.max(), abs=0.05)


@pytest.mark.compiled
def test_the_report_of_a_search() -> None:
    """What is said of each move is true, by a search of the position after it in which every leaf is judged."""
    rules = game("squava")
    player = make_player("dqn-minimax depth=3", rules)
    position = Position.parse("X.O../...../..X../...../....O", rules)
    report, judge = player.report(position), player.judge  # type: ignore[attr-defined]
    assert position.parse_move(report.best.move) == player.move(position, np.random.default_rng(0))
    assert (report.moves[0], len(report.moves)) == (report.best, 21)
    assert 0 < report.judged < report.leaves < report.nodes
    assert report.pruned == 1 - report.judged / report.leaves > 0.5
    assert 0.3 < report.table_hits < 0.6
    for each in report.moves:
        after = position.play(position.parse_move(each.move))
        if after.over:
            assert (each.high, each.network) == (5 - DECIDED, None)
            continue
        assert each.network == pytest.approx(-opinion_of(after, judge).value, abs=1e-5)
        assert each.heuristic == -judge.blended(np.array([seats(after)]), 0.0)[0]
        truth = -judge.moves(np.array([seats(after)]), 2, 0.6).best(0)[1]
        assert truth <= each.high + 0.05
        assert each.low is None or each.low - 0.05 <= truth
    lines = str(report).splitlines()
    assert lines[0] == f"3 plies ahead, 0.6 network: {report.best.move}, worth {report.best.high:+.0f}"
    assert lines[-2].split() == ["22", "loses", "in", "1"]
    assert "pruned" in lines[-1]


DEEP = """
from gridlab.games import game
from gridlab.inarow.learn.judge import load_judge
judge = load_judge("", game("squava"))
judge.best(0, 0, 3, 0.6)
for _ in range(2):
    try:
        print("begun", flush=True)
        judge.best(1 << 7 | 1 << 16, 1 << 3 | 1 << 22, 6, 0.6)
        print("done", flush=True)
    except KeyboardInterrupt:
        print("heard", flush=True)
"""


@pytest.mark.compiled
def test_an_interrupt_is_heard_soon() -> None:
    with subprocess.Popen([sys.executable, "-c", DEEP], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        for after in (0.1, 0.6):
            assert running.stdout.readline() == "begun\n"
            time.sleep(after)
            running.send_signal(signal.SIGINT)
            begun = time.monotonic()
            assert running.stdout.readline() == "heard\n"
            assert time.monotonic() - begun < 4  # half a second, on a busy machine
    assert running.returncode == 0


@pytest.mark.compiled
def test_solve_tells_how_a_player_finds_its_move(gridlab: Run) -> None:
    board = "X..../...../..O../...../....."
    code, out, _ = gridlab("solve", "squava", board, "--player", "dqn-minimax depth=3", "--json", "--quiet")
    report = json.loads(out)["report"]
    assert code == 0
    assert (report["depth"], len(report["moves"])) == (3, 23)
    assert 0 < report["pruned"] < 1
    code, _, err = gridlab("solve", "squava", board, "--player", "random", "--quiet")
    assert (code, "cannot tell how it finds its moves" in err) == (2, True)
