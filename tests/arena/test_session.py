"""A game being played: moves, replies, undo, advice, clocks and ends, for both families and without any text."""

from typing import Any

import numpy as np
import pytest

from gridlab.arena.session import PERSON, RESIGNED, TIME, Session
from gridlab.core.errors import BadNotation, IllegalMove, PlayerFault
from gridlab.game2048.position import Position2048
from gridlab.inarow.position import Outcome, Position
from gridlab.players.registry import make_player
from tests.arena.players import Answers, First, Late


class Clock:
    """A clock that tests turn by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_person_plays_and_a_player_replies() -> None:
    session = Session.begin("tictactoe", {"O": First()}, seed=3)
    assert session.names == {"X": PERSON, "O": "First"}
    assert session.waits_for_person
    session.play(4)
    assert (session.to_move, session.waits_for_person) == ("O", False)
    assert session.reply() == 0
    assert str(session.position) == "O../.X./..."
    assert session.as_dict() == {
        "rules": "3x3:3",
        "board": "O../.X./...",
        "moves": ["22", "11"],
        "to_move": "X",
        "legal_moves": ["12", "13", "21", "23", "31", "32", "33"],
        "over": False,
        "early_end": None,
        "players": {"X": "person", "O": "First"},
        "seed": 3,
        "seconds": session.spent,
    }


def test_a_person_has_to_say_what_to_play() -> None:
    with pytest.raises(IllegalMove, match="X is a person"):
        Session.begin("tictactoe").reply()


def test_undo_goes_back_to_the_last_decision_of_a_person() -> None:
    session = Session.begin("tictactoe", {"X": First()})
    session.reply()
    assert not session.undo()  # the player's move alone is not the person's to take back
    session.play(8)
    session.reply()
    assert session.undo()
    assert str(session.position) == "X../.../..."
    assert len(session.history) == len(session.moves) + 1
    two = Session.begin("tictactoe")
    two.play(0)
    two.play(1)
    assert two.undo()
    assert str(two.position) == "X../.../..."


@pytest.mark.parametrize(
    ("player", "sentence"),
    [
        (Late(), "no answer within 2 seconds"),
        (Answers(4), "22 is occupied"),
        (Answers(99), "cell 99 is not on the board"),
    ],
)
def test_a_fault_ends_the_game(player: Any, sentence: str) -> None:
    session = Session.begin("tictactoe", {"O": player}, names={"O": "bot"})
    session.play(4)
    with pytest.raises(PlayerFault, match=sentence):
        session.reply()
    assert session.over
    assert session.early_end is not None
    assert session.early_end.loser == "O"
    assert session.early_end.reason.startswith("O, bot, lost by a fault: ")
    with pytest.raises(IllegalMove, match="the game is over: O has lost"):
        session.play(0)
    assert session.undo()
    assert not session.over


def test_resigning_and_another_game() -> None:
    session = Session.begin("squava")
    session.play(0)
    session.resign()
    assert session.early_end == ("O", RESIGNED)
    assert session.as_dict()["early_end"] == {"loser": "O", "reason": "resigned"}
    session.restart()
    assert not session.over
    assert session.moves == []


def test_clocks_run_for_whoever_is_to_move() -> None:
    clock = Clock()
    session = Session.begin("tictactoe", seconds=10)
    session.clock, session._turn_began = clock, 0.0
    clock.now = 4
    assert session.remaining("X") == 6
    session.play(4)
    clock.now = 5
    session.play(0)
    assert session.spent == {"X": 4, "O": 1}
    assert (session.remaining("X"), session.remaining("O")) == (6, 9)
    clock.now = 12
    assert session.remaining("X") == 0
    session.play(8)  # seven more seconds than there were
    assert session.early_end == ("X", TIME)
    assert len(session.moves) == 2
    assert Session.begin("tictactoe").remaining("X") is None


def test_the_adviser_answers() -> None:
    class Middle:
        def values(self, position: Position, random: np.random.Generator) -> dict[int, str]:
            return {4: "good"}

        def hint(self, position: Position, random: np.random.Generator) -> int:
            return 4

    session = Session.begin("tictactoe", adviser=Middle())
    assert (session.values(), session.hint()) == ({4: "good"}, 4)
    assert (Session.begin("tictactoe").values(), Session.begin("tictactoe").hint()) == (None, None)


def test_2048_is_a_session_of_one() -> None:
    session, second = (Session.begin("2048:3x3", seed=5) for _ in range(2))
    assert isinstance(session.position, Position2048)
    for _ in range(10):
        session.play(session.position.moves()[0])
    second.play(second.position.moves()[0])
    assert session.history[:2] == second.history  # the same seed, the same tiles
    before = session.history[-2]
    assert session.undo()
    assert session.position == before
    assert session.names == {"player": PERSON}


def test_2048_is_played_to_its_end_by_a_player() -> None:
    rules = "2048:2x2"
    session = Session.begin(rules, {"player": make_player("random", Session.begin(rules).rules)}, seed=1)
    while not session.over:
        session.reply()
    assert session.position.moves() == []
    assert session.as_dict()["to_move"] is None


def test_a_game_ends_by_its_rules() -> None:
    session = Session.begin("tictactoe")
    for cell in (0, 3, 1, 4, 2):
        session.play(cell)
    assert session.over
    assert session.position.outcome() is Outcome.X_WINS
    assert not session.waits_for_person


def test_a_side_that_is_none_is_refused() -> None:
    with pytest.raises(BadNotation, match="'white' is not a side of 3x3:3; there are X, O"):
        Session.begin("tictactoe", {"white": None})


def test_a_game_can_begin_elsewhere_and_with_moves() -> None:
    start = Position.parse("XO./.../...", Session.begin("tictactoe").rules)
    session = Session.begin("tictactoe", start=start, moves=[4, 8])
    assert str(session.position) == "XO./.X./..O"
    assert (session.history[0], session.moves, session.to_move) == (start, [4, 8], "X")
    with pytest.raises(IllegalMove):
        Session.begin("tictactoe", start=start, moves=[0])
    session.restart()
    assert str(session.position) == ".../.../..."
