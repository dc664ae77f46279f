"""Players that are objects of somebody's own: in matches, tournaments and grades, in processes, from notebooks."""

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from gridlab.arena.assess import grade
from gridlab.arena.match import play_match, play_tournament
from gridlab.core.errors import BadPlayer
from gridlab.inarow.position import Position
from gridlab.players.registry import Player


class Lowest:
    """The first free cell; it counts its moves, as an object that learns would."""

    name = "lowest"

    def __init__(self) -> None:
        self.asked = 0

    def move(self, position: Position, random: np.random.Generator) -> int:
        self.asked += 1
        return position.moves()[0]


class Drifting(Lowest):
    """What it answers depends on how often it was asked before."""

    name = "drifting"

    def move(self, position: Position, random: np.random.Generator) -> np.int64:  # type: ignore[override]
        super().move(position, random)
        return np.int64(position.moves()[self.asked % len(position.moves())])


class Locked(Lowest):
    """Holds something that no pickle takes."""

    name = "locked"

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()


def test_objects_play_matches_with_any_number_of_workers() -> None:
    mine = Drifting()
    one = play_match(mine, "random", "tictactoe", 18, "random:2", seed=3, workers=1)
    assert one.a == "drifting"
    assert mine.asked == 0  # copies have played
    assert play_match(mine, "random", "tictactoe", 18, "random:2", seed=3, workers=2).records == one.records


def test_objects_play_tournaments_and_are_graded(tmp_path: Path) -> None:
    players: list[str | Player] = [Lowest(), Drifting(), "random"]
    played = play_tournament(players, "tictactoe", out=tmp_path, games=4, workers=1)
    assert played.players == ("lowest", "drifting", "random")
    again = play_tournament(players, "tictactoe", out=tmp_path, games=4, resume=True)
    assert again.cross_table == played.cross_table
    assert grade(Lowest(), "tictactoe", 120, workers=2) == grade(Lowest(), "tictactoe", 120, workers=1)


def test_what_cannot_travel_plays_here_and_that_is_said(caplog: pytest.LogCaptureFixture) -> None:
    locked = Locked()
    match = play_match(locked, "random", "tictactoe", 18, "random:2", seed=3, workers=2)
    assert match.records[0].x == "locked"
    assert locked.asked > 0  # itself, not a copy
    assert "the player locked cannot be sent to other processes" in caplog.text
    assert "one worker plays" in caplog.text


@pytest.mark.parametrize("wrong", [7, object(), Lowest])
def test_what_is_no_player_is_told_so(wrong: object) -> None:
    with pytest.raises(BadPlayer, match=r"is not a player; give a text such as 'random', or an object with move"):
        play_match(wrong, "random", "tictactoe", 2)  # type: ignore[call-overload]


def test_two_objects_of_one_name_are_told_apart_by_nobody() -> None:
    with pytest.raises(BadPlayer, match="'lowest' stands twice"):
        play_tournament([Lowest(), Lowest()], "tictactoe", games=2)


NOTEBOOK = """
import gridlab

class Mine:
    def move(self, position, random):
        return position.moves()[-1]

match = gridlab.play_match(Mine(), "random", "tictactoe", games=18, workers=2)
print(match.a, match.games, gridlab.grade(Mine(), "tictactoe", 60, workers=2).positions)
"""


def test_a_class_of_a_script_without_a_guard_just_works(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(NOTEBOOK)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.stdout == "Mine 18 60\n", done.stderr
    assert "Traceback" not in done.stderr
