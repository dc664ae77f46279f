"""Datasets of 2048 games: the document's commands, any number of workers, killed and resumed, every format."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gridlab import cli
from gridlab.core.bits import Stream, streams
from gridlab.core.errors import BadNotation, BadPlayer, CorruptFile, FileTrouble
from gridlab.game2048 import rules as reference
from gridlab.game2048.datasets.files import export_games, index_of, read_games
from gridlab.game2048.datasets.generate import generate, play
from gridlab.game2048.datasets.settings import Journal, journal_of, make_settings, settings_to_resume
from gridlab.game2048.datasets.verify import verify
from gridlab.game2048.records import Game, parse
from gridlab.game2048.rules import Rules2048
from gridlab.game2048.search.evaluators import spec
from gridlab.game2048.search.expectimax import PlainSearch
from tests.conftest import Run, in_long_runs
from tests.game2048.datasets.by_hand import nested

pytestmark = pytest.mark.compiled
ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767787200")


def same(one: Game, other: Game) -> bool:
    return one.as_dict() == other.as_dict()


def test_a_game_is_that_of_the_reference() -> None:
    """Every board, direction and score, by plain search with the same stream of chance."""
    rules, stream = Rules2048(), Stream(int(streams(7, 1, 3)[0]))
    search = PlainSearch(rules, spec, 2, 0, 0.0, stream)
    game = play(3, make_settings(seed=7, depth=2, max_moves=120, metadata=True)).as_dict()
    board, score = reference.start(rules, stream), 0
    for move in game["moves"]:
        values = search.move_values(board)
        best = max(values, key=values.__getitem__)
        assert (move["board"], move["score"], move["direction"]) == (nested(board), score, best)
        assert move["evaluations"] == values
        assert move["evaluation_score"] == values[best]
        assert move["alternative_moves"] == [each for each in values if each != best]
        after, points = reference.move(rules, board, best)
        board, score = reference.spawn(rules, after, stream), score + points
        spawn = move["spawn"]
        assert reference.place(after, 4 * spawn["row"] + spawn["col"], spawn["tile"]) == board
    assert (game["totalMoves"], game["finalBoard"], game["finalScore"]) == (120, nested(board), score)
    assert {key: game[key] for key in ("seed", "game", "depth", "evaluator", "max_moves")} == {
        "seed": 7, "game": 3, "depth": 2, "evaluator": "spec", "max_moves": 120,
    }  # fmt: skip


def test_the_form_is_that_of_the_document(tmp_path: Path) -> None:
    generate("2048", tmp_path / "a.jsonl", 2, settings=make_settings(seed=1, depth=2), workers=1)
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert len(lines) == 2
    for game in lines:
        assert list(game) == ["totalMoves", "finalScore", "maxTile", "won", "finalBoard", "timestamp", "moves"]
        assert all(list(move) == ["board", "direction", "score"] for move in game["moves"])
        assert game["timestamp"] == "2026-01-07T12:00:00+00:00"
        assert np.array(game["moves"][0]["board"]).shape == (4, 4)
    assert verify(tmp_path / "a.jsonl").sound


def test_workers_make_no_difference(tmp_path: Path) -> None:
    for workers in (1, 2, 3):
        generate("2048", tmp_path / f"{workers}.jsonl", 7, settings=make_settings(seed=5, depth=3), workers=workers)
    assert (
        (tmp_path / "1.jsonl").read_bytes()
        == (tmp_path / "2.jsonl").read_bytes()
        == (tmp_path / "3.jsonl").read_bytes()
    )
    generate("2048", tmp_path / "other.jsonl", 7, settings=make_settings(seed=6, depth=3))
    assert (tmp_path / "1.jsonl").read_bytes() != (tmp_path / "other.jsonl").read_bytes()


@pytest.mark.parametrize("ending", [".json", ".csv", ".parquet", ".h5", ".npz"])
@pytest.mark.parametrize("metadata", [True, *in_long_runs(False)])
def test_every_format_gives_the_games_back(ending: str, metadata: bool, tmp_path: Path) -> None:
    settings = make_settings(seed=2, depth=2, metadata=metadata, max_moves=60)
    generate("2048", tmp_path / "a.jsonl", 3, settings=settings)
    games = list(read_games(tmp_path / "a.jsonl"))
    generate("2048", tmp_path / f"b{ending}", 3, settings=settings)
    back = list(read_games(tmp_path / f"b{ending}"))
    assert len(games) == len(back) == 3
    assert all(map(same, games, back))
    assert verify(tmp_path / f"b{ending}", max_moves=60).sound
    export_games(tmp_path / f"b{ending}", "jsonl", tmp_path / "c.jsonl")
    assert (tmp_path / "c.jsonl").read_bytes() == (tmp_path / "a.jsonl").read_bytes()


def test_the_limit_of_a_file_is_known_beside_it(tmp_path: Path) -> None:
    generate("2048", tmp_path / "a.jsonl", 2, settings=make_settings(seed=1, depth=2, max_moves=30))
    assert verify(tmp_path / "a.jsonl").sound
    index_of(tmp_path / "a.jsonl").unlink()
    assert "30 moves are not the limit of 5000" in verify(tmp_path / "a.jsonl").flaws[0].reason


def test_curricula(tmp_path: Path) -> None:
    for curriculum, depth in (("easy", 2), ("medium", 3)):
        made = generate("2048", tmp_path / "a.jsonl", 5, settings=make_settings(seed=1, curriculum=curriculum))
        assert made.settings.depth == depth
        reached = {"easy": 256, "medium": 1024}[curriculum]
        for game in read_games(tmp_path / "a.jsonl"):
            assert game.about == {"curriculum": curriculum, "movesBefore": 0}
            assert game.max_tile <= reached
        assert any(game.max_tile == reached for game in read_games(tmp_path / "a.jsonl"))
        assert verify(tmp_path / "a.jsonl").sound
    made = generate("2048", tmp_path / "a.jsonl", 3, settings=make_settings(seed=1, curriculum="hard", max_moves=1500))
    assert made.settings.depth == 5
    for game in read_games(tmp_path / "a.jsonl"):
        first = int(game.boards[0])
        assert max(first >> shift & 15 for shift in range(0, 64, 4)) == 10
        assert game.about["movesBefore"] > 300
    assert verify(tmp_path / "a.jsonl", max_moves=1500).sound


def test_filters_drop_lines_and_say_so(tmp_path: Path) -> None:
    everything = generate("2048", tmp_path / "a.jsonl", 12, settings=make_settings(seed=3, depth=2))
    middle = int(np.median(everything.statistics.scores))
    made = generate("2048", tmp_path / "b.jsonl", 12, settings=make_settings(seed=3, depth=2, min_score=middle))
    lines = (tmp_path / "a.jsonl").read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if parse(line)[0].final_score >= middle]
    assert (tmp_path / "b.jsonl").read_bytes() == b"".join(kept)
    assert (made.played, made.dropped) == (12, 12 - len(kept))
    assert f"Games played: 12, dropped: {12 - len(kept)}" in str(made)
    made = generate("2048", tmp_path / "c.jsonl", 12, settings=make_settings(seed=3, depth=2, min_tile=1024))
    assert all(game.max_tile >= 1024 for game in read_games(tmp_path / "c.jsonl"))


PROGRAM = "import sys; from gridlab.cli import run; sys.exit(run(sys.argv[1:]))"


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_killed_and_resumed(gridlab: Run, tmp_path: Path) -> None:
    """SIGKILL at two moments, a torn last line, and the same bytes in the end."""
    asked = [
        "2048",
        "generate",
        "-g",
        "40",
        "-d",
        "3",
        "--seed",
        "9",
        "--workers",
        "2",
        "--quiet",
        "--min-score",
        "2000",
    ]
    whole, target = tmp_path / "whole.jsonl", tmp_path / "killed.jsonl"
    assert gridlab(*asked, "-o", str(whole))[0] == 0
    target.write_text("the last good file\n")
    for games in (3, 18):
        resume = ["--resume"] if games > 3 else []
        with subprocess.Popen([sys.executable, "-c", PROGRAM, *asked, "-o", str(target), *resume]) as run:
            while run.poll() is None and count_lines(journal_of(target)) <= games:
                time.sleep(0.005)
            run.send_signal(signal.SIGKILL)
        assert journal_of(target).exists()
        assert target.read_text() == "the last good file\n"
        with journal_of(target).open("ab") as journal:
            journal.write(b'{"totalMoves":12,"fin')
    assert gridlab(*asked, "-o", str(target), "--resume")[0] == 0
    assert target.read_bytes() == whole.read_bytes()
    assert not journal_of(target).exists()


def count_lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_resuming_asks_for_the_same(tmp_path: Path) -> None:
    target = tmp_path / "a.jsonl"
    settings = make_settings(seed=4, depth=2)
    Journal(target).begin(settings.as_dict())
    assert settings_to_resume(target, make_settings(depth=2), seed_was_said=False) == settings
    with pytest.raises(FileTrouble, match="has depth 2, not 3; ask for the same or start over"):
        settings_to_resume(target, make_settings(seed=4, depth=3), seed_was_said=True)
    with pytest.raises(FileTrouble, match="has seed 4, not 5"):
        settings_to_resume(target, make_settings(seed=5, depth=2), seed_was_said=True)
    journal_of(target).write_text("something else\n{}\n")
    with pytest.raises(CorruptFile, match="is not a journal of games"):
        settings_to_resume(target, settings, seed_was_said=True)
    journal_of(target).unlink()
    assert settings_to_resume(target, settings, seed_was_said=True) == settings
    target.write_text("")
    with pytest.raises(FileTrouble, match="there is nothing to resume"):
        settings_to_resume(target, settings, seed_was_said=True)


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ({"depth": 1}, "depth 1 is out of range; 2 to 6"),
        ({"depth": 7}, "depth 7 is out of range"),
        ({"seed": -1}, "'-1' is not a seed"),
        ({"sample_cells": 17}, "17 cells cannot be sampled"),
        ({"max_moves": -1}, "-1 moves cannot be a limit"),
        ({"max_moves": 10**30}, "0 moves cannot be a limit"),
        ({"min_score": 10**30}, "is not a score that games could be measured by"),
        ({"min_tile": -2}, "-2 is not a tile that games could be measured by"),
        ({"curriculum": "easy", "depth": 4}, "the curriculum easy has depth 2; leave out --depth 4"),
    ],
)
def test_settings_out_of_range(asked: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BadNotation, match=complaint):
        make_settings(**asked)
    with pytest.raises(BadPlayer, match="'best' is not an evaluator; there are spec, rows"):
        make_settings(evaluator="best")


def test_defaults_of_the_document() -> None:
    settings = make_settings(seed=1)
    assert (settings.depth, settings.evaluator, settings.sample_cells, settings.max_moves) == (4, "spec", 0, 5000)
    assert make_settings(seed=1, evaluator="rows").max_moves == 0
    assert make_settings().seed != make_settings().seed


@pytest.mark.parametrize(
    "asked",
    [
        ["--games", "2", "--output", "data/train.jsonl"],
        ["--games", "1", "--depth", "5", "--output", "data/val.jsonl", "--max-moves", "200"],
        ["--games", "2", "--seed", "42", "--verbose"],
        ["-g", "2", "-d", "3", "-o", "data/dev.jsonl", "-v"],
        ["--games", "2", "--workers", "2"],
        ["--curriculum", "easy", "--games", "2"],
        ["--min-score", "15000", "--min-tile", "2048", "-g", "8", "-d", "3", "--seed", "1"],
    ],
)
def test_the_commands_of_the_document(
    asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    code = cli.run(asked, "generate_dataset.py")
    check_report(asked, tmp_path, code, *capfd.readouterr())


def test_the_script_of_the_document(tmp_path: Path) -> None:
    asked = ["-g", "2", "-d", "3", "-o", "data/dev.jsonl", "-v"]
    words = [sys.executable, str(ROOT / "generate_dataset.py"), *asked]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    check_report(asked, tmp_path, done.returncode, done.stdout, done.stderr)


def check_report(asked: list[str], folder: Path, code: int, out: str, err: str) -> None:
    assert code == 0, err
    assert "📊 Dataset Statistics" in out
    assert "✅ Dataset generation complete!" in out
    if "-v" in asked or "--verbose" in asked:
        assert "🎯 Game 2/2" in err
        assert "Move 50: Score " in err
        assert "✓ Finished: Score " in err
    output = folder / next((each for each in asked if each.startswith("data/")), "data/training_games.jsonl")
    assert output.exists()
    assert f"Output saved to: {output.relative_to(folder)}" in out
    assert "seed " in err


def test_wrong_use(gridlab: Run, tmp_path: Path) -> None:
    for arguments, complaint in (
        (["--depth", "9"], "depth 9 is out of range; 2 to 6 can be searched"),
        (["--games", "0"], "0"),
        (["-o", str(tmp_path / "a.txt")], "does not say its format"),
        (["--curriculum", "huge"], "huge"),
    ):
        code, _, err = gridlab("2048", "generate", *arguments)
        assert (code, err.count("\n")) == (2, 1), err
        assert complaint in err
