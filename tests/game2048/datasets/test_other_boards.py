"""Datasets of games on boards smaller than 4x4: made, read, verified; and what such a file may not say."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gridlab.core.errors import BadNotation, FileTrouble
from gridlab.core.run import stop_flag
from gridlab.game2048.datasets.files import export_games, read_games
from gridlab.game2048.datasets.generate import generate
from gridlab.game2048.datasets.moves import Games
from gridlab.game2048.datasets.settings import make_settings, settings_to_resume
from gridlab.game2048.datasets.verify import verify
from gridlab.game2048.position import Position2048
from gridlab.game2048.records import Misshapen, parse
from gridlab.game2048.rules import DIRECTIONS, Rules2048
from tests.conftest import Run
from tests.game2048.search.test_small_boards import Hidden

BOARDS = ["2048:2x2", "2048:3x3", "2048:3x4:0.5", "2048:4x2", "2048:4x4:0.2"]


@pytest.mark.parametrize("text", BOARDS)
@pytest.mark.parametrize("metadata", [False, True])
def test_games_are_made_read_and_verified(text: str, metadata: bool, tmp_path: Path) -> None:
    path, rules = tmp_path / "games.jsonl", Rules2048.parse(text)
    settings = make_settings(seed=3, player="expectimax depth=1", rules=text, metadata=metadata, max_moves=60)
    made = generate(settings.game, path, 4, settings=settings, workers=1)
    assert made.statistics.games == 4
    assert not any("win rate" in flag for flag in made.statistics.flags()) or not rules.walled
    assert verify(path).sound
    assert all(game.rules == rules for game in read_games(path))
    for game, line in zip(Games(path), path.read_bytes().splitlines(), strict=True):
        assert game.line().strip() == line
        found = json.loads(line)
        assert found["rules"] == text
        assert np.array(found["finalBoard"]).shape == (rules.rows, rules.cols)
        position = Position2048.of_array(np.array(found["moves"][0]["board"]), rules=rules)
        for move in found["moves"]:  # the game by positions, in plain Python
            assert Position2048.of_array(np.array(move["board"]), move["score"], rules).tiles == position.tiles
            after = position.play(move["direction"])
            following = found["moves"][found["moves"].index(move) + 1 :][:1]
            board = following[0]["board"] if following else found["finalBoard"]
            position = Position2048.of_array(np.array(board), after.score, rules)
            assert sum(position.tiles) - sum(after.tiles) in (2, 4)


def test_games_are_those_of_the_python_loop(tmp_path: Path) -> None:
    rules = Rules2048(3, 3)
    settings = make_settings(seed=3, player="expectimax depth=1", rules="2048:3x3")
    generate(settings.game, tmp_path / "a.jsonl", 2, settings=settings, workers=1)
    generate(settings.game, tmp_path / "b.jsonl", 2, player=Hidden(rules, "rows", 1), settings=settings, workers=1)
    one, other = (list(read_games(tmp_path / name)) for name in ("a.jsonl", "b.jsonl"))
    assert [game.boards.tolist() for game in one] == [game.boards.tolist() for game in other]
    assert stop_flag()[0] == 0


def test_formats(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    generate("2048:3x3", path, 2, settings=make_settings(seed=1, player="random", rules="2048:3x3"), workers=1)
    export_games(path, "json", tmp_path / "games.json")
    assert verify(tmp_path / "games.json").sound
    for form in ("csv", "npz"):
        with pytest.raises(FileTrouble, match="a game of 2048:3x3 cannot stand in a table of 16 cells"):
            export_games(path, form, tmp_path / f"games.{form}")
        assert not (tmp_path / f"games.{form}").exists()
    with pytest.raises(FileTrouble, match=r"games of 2048:3x3 stand in JSON alone, not in new\.csv"):
        generate("2048:3x3", tmp_path / "new.csv", 1, settings=make_settings(seed=1, player="random", rules="2048:3x3"))
    with pytest.raises(BadNotation, match="games of 2048:5x5 cannot be written"):
        make_settings(rules="2048:5x5")
    other = make_settings(seed=1, player="random", rules="2048:4x4:0.2", max_moves=30)  # sixteen cells stand in tables
    generate(other.game, tmp_path / "other.csv", 2, settings=other, workers=1)
    assert verify(tmp_path / "other.csv", max_moves=30).sound
    assert next(read_games(tmp_path / "other.csv")).rules == Rules2048(4, 4, 0.2)


@pytest.mark.parametrize("text", ["2048:3x3", "2048:2x3"])
def test_batches(text: str, tmp_path: Path) -> None:
    path, rules = tmp_path / "games.jsonl", Rules2048.parse(text)
    generate(text, path, 5, settings=make_settings(seed=1, player="random", rules=text), workers=1)
    games = Games(path)
    for symmetries in (False, True):
        seen = 0
        for boards, directions in games.batches(16, np.random.default_rng(1), symmetries):
            assert boards.shape[1:] == (rules.rows, rules.cols)
            seen += len(boards)
            for board, direction in zip(boards, directions.tolist(), strict=True):
                assert DIRECTIONS[direction] in Position2048.of_array(board, rules=rules).moves()
        assert seen == games.samples


def test_settings_of_usual_games_say_nothing_of_rules() -> None:
    assert "rules" not in make_settings(seed=1).as_dict()
    assert make_settings(seed=1, rules="2048:3x3").as_dict()["rules"] == "2048:3x3"


def test_resume_and_extend(tmp_path: Path, gridlab: Run) -> None:
    path = str(tmp_path / "games.jsonl")
    words = ("2048", "generate", "--player", "random", "--rules", "2048:2x3", "--seed", "1", "-o", path, "--quiet")
    assert gridlab(*words, "-g", "3")[0] == 0
    assert gridlab("2048", "generate", "-g", "2", "--extend", "-o", path, "--quiet")[0] == 0
    assert [game.rules for game in read_games(Path(path))] == [Rules2048(2, 3)] * 5
    code, _, err = gridlab("2048", "generate", "-g", "2", "--extend", "--rules", "2048:3x3", "-o", path, "--quiet")
    assert (code, "was made with rules '2048:2x3', not '2048:3x3'" in err) == (2, True)
    asked = make_settings(seed=1, player="random", rules="2048:3x3")
    assert settings_to_resume(tmp_path / "new.jsonl", asked, True) == asked


def sound_game(tmp_path: Path) -> dict[str, Any]:
    generate(
        "2048:3x3",
        tmp_path / "g.jsonl",
        1,
        settings=make_settings(seed=1, player="random", rules="2048:3x3"),
        workers=1,
    )
    found: dict[str, Any] = json.loads((tmp_path / "g.jsonl").read_text())
    return found


def test_what_such_a_game_may_not_say(tmp_path: Path) -> None:
    sound = sound_game(tmp_path)
    assert parse(json.dumps(sound).encode())[1] is None
    for rules in ("2048:5x5", "2048", "2048:4x4", "2048:03x3", "3x3:3", 7, None, "", "2048:3x3:0.1"):
        with pytest.raises(Misshapen, match="rules are"):
            parse(json.dumps(sound | {"rules": rules}).encode())
    for rules in ("2048:2x3", "2048:3x4", "2048:4x3"):
        with pytest.raises(Misshapen, match="must be"):
            parse(json.dumps(sound | {"rules": rules}).encode())
    without = {key: value for key, value in sound.items() if key != "rules"}
    with pytest.raises(Misshapen, match="must be 4 lists of 4 tiles"):
        parse(json.dumps(without).encode())
    for board in ([[2, 0, 0], [0, 0, 0]], [[2, 0, 0, 0]] * 3, [[2, 0], [0, 0, 0], [0, 0, 0]], [[32768, 0, 0]] * 3, "x"):
        changed = json.loads(json.dumps(sound))
        changed["moves"][1]["board"] = board
        with pytest.raises(Misshapen) as refused:
            parse(json.dumps(changed).encode())
        assert refused.value.move == 1
        with pytest.raises(Misshapen, match="finalBoard"):
            parse(json.dumps(sound | {"finalBoard": board}).encode())


def test_recorded_in_the_terminal(gridlab: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.StringIO("auto\nquit\n"))
    path = tmp_path / "mine.jsonl"
    assert gridlab("play", "2048:2x2", "--against", "expectimax depth=1", "--seed", "1", "--out", str(path))[0] == 0
    assert verify(path).sound
    assert next(read_games(path)).rules == Rules2048(2, 2)
