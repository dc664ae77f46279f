"""--verbose tells of games while they are played, above the bar, and changes nothing of them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gridlab.core.bits import streams
from gridlab.core.run import stop_flag
from gridlab.game2048.datasets.generate import generate
from gridlab.game2048.datasets.settings import make_settings
from gridlab.game2048.players import ExpectimaxPlayer, RandomPlayer2048
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import Rules2048
from gridlab.game2048.search import play
from gridlab.game2048.search.play import Limits, Watch, kernel_policy_of, play_and_record
from tests.conftest import Run, in_long_runs
from tests.screen import screen

pytestmark = pytest.mark.compiled
RULES = Rules2048()


@pytest.fixture(autouse=True)
def _one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767787200")


@pytest.mark.parametrize("depth", [2, 5])
@pytest.mark.parametrize("every", [1, 50, 70, 1000])
def test_a_game_that_is_watched_is_the_same_game(depth: int, every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often the kernel comes back, and wherever the room of the trace ends; at depth 5 it has a table."""
    monkeypatch.setattr(play, "ROOM", 70)
    policy, seen = kernel_policy_of(ExpectimaxPlayer(RULES, "spec", depth), RULES), list[tuple[int, int, int]]()
    assert policy is not None
    limits = Limits(moves=330)
    plain, ends = play_and_record(policy, RULES, streams(3, 1, 0), stop_flag(), limits)
    watch = Watch(every, lambda board, score, moves: seen.append((board, score, moves)))
    watched, same_ends = play_and_record(policy, RULES, streams(3, 1, 0), stop_flag(), limits, watch)
    assert all(np.array_equal(getattr(plain, name), getattr(watched, name)) for name in plain._fields)
    assert all(np.array_equal(getattr(ends, name), getattr(same_ends, name)) for name in ends._fields)
    count = int(ends.moves[0])
    assert [moves for *_, moves in seen] == list(range(every, count, every))
    assert all((plain.boards[moves], plain.scores[moves]) == (board, score) for board, score, moves in seen)


def test_a_kernel_is_watched_while_it_plays() -> None:
    """Whoever looks on can stop it."""
    policy, stop = kernel_policy_of(RandomPlayer2048(RULES), RULES), stop_flag()
    assert policy is not None

    def see(board: int, score: int, moves: int) -> None:
        stop[0] = moves >= 40

    _, ends = play_and_record(policy, RULES, streams(3, 1, 0), stop, watch=Watch(20, see))
    assert ends.moves[0] == 40


def test_a_player_in_python_is_told_of_while_it_plays(tmp_path: Path) -> None:
    told, heard = list[str](), list[int]()

    class First:
        def move(self, position: Position2048, random: np.random.Generator) -> str:
            heard.append(len(told))
            return position.moves()[0]

    made = generate(
        "2048", tmp_path / "a.jsonl", 1, player=First(), settings=make_settings(seed=1, max_moves=120), say=told.append
    )
    moves = made.statistics.moves[0]
    assert moves > 55
    assert heard[0] == 1  # the game has begun
    assert heard[50] == 2
    assert told[:2] == ["🎯 Game 1/1", told[1]]
    assert told[1].startswith("Move 50: Score ")
    assert told[-1].startswith("✓ Finished: Score ")


def test_what_is_told_is_the_documents_and_the_games_are_the_same(tmp_path: Path) -> None:
    settings, told = make_settings(seed=2, depth=2), list[str]()
    generate("2048", tmp_path / "quiet.jsonl", 3, settings=settings, workers=1)
    made = generate("2048", tmp_path / "a.jsonl", 3, settings=settings, say=told.append, workers=1)
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "quiet.jsonl").read_bytes()
    expected = []
    for number, (score, moves) in enumerate(zip(made.statistics.scores, made.statistics.moves, strict=True), 1):
        marks = [f"Move {move}: Score N, Max tile N" for move in range(50, moves, 50)]
        expected += [f"🎯 Game {number}/3", *marks, f"✓ Finished: Score {score}, Max tile N, Moves {moves}"]
    hidden = [re.sub(r"(?<=Max tile )\d+", "N", re.sub(r"(Move \d+: Score )\d+", r"\1N", line)) for line in told]
    assert hidden == expected


def test_lines_of_several_workers_say_whose_they_are(tmp_path: Path) -> None:
    settings, alone, together = make_settings(seed=2, depth=2, min_score=5000), list[str](), list[str]()
    generate("2048", tmp_path / "a.jsonl", 6, settings=settings, say=alone.append, workers=1)
    generate("2048", tmp_path / "b.jsonl", 6, settings=settings, say=together.append, workers=3)
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    games: dict[str, list[str]] = {str(number): [] for number in range(1, 7)}
    for line in together:
        found = re.fullmatch(r"\[(\d+)\] (.*)|🎯 Game (\d+)/6", line)
        assert found, line
        games[found[1] or found[3]].append(found[2] or line)
    assert [line for each in games.values() for line in each] == alone
    assert any(line.endswith(" is below 5000") and ", dropped: score " in line for line in alone)


def test_verbose_and_quiet(gridlab: Run, tmp_path: Path) -> None:
    asked = "2048", "generate", "-g", "2", "-d", "2", "--seed", "1", "-o", str(tmp_path / "a.jsonl")
    _, _, err = gridlab(*asked, "--verbose", "--workers", "1")
    assert err.startswith("seed 1\n🎯 Game 1/2\nMove 50: Score ")
    assert "Playing games" not in err  # no terminal, no bar
    assert gridlab(*asked, "--quiet")[2] == ""


@pytest.mark.skipif(os.name == "nt", reason="terminals of POSIX")
@pytest.mark.parametrize("verbose", [True, *in_long_runs(False)])
def test_the_bar_stays_below_and_counts_whole_games(tmp_path: Path, verbose: bool) -> None:
    games = 1200
    asked = [sys.executable, "-m", "gridlab", "2048", "generate", "-g", str(games), "--player", "random", "--seed", "1"]
    command = [*asked, "--max-moves", "51", "-o", str(tmp_path / "a.jsonl"), *(["-v"] if verbose else [])]
    with screen() as terminal:
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=terminal.stream, check=True)
    shown = terminal.lines
    bars = [line for line in shown if line.startswith("Playing games:")]
    assert len(bars) == 1, bars[:5]  # whatever is told stands above it
    assert re.match(r"Playing games: 100%\|.*\| 1200/1200 \[", bars[0]), bars[0]
    assert "1.20k" not in terminal.text
    assert sum(line.startswith("🎯 Game ") for line in shown) == (games if verbose else 0)
