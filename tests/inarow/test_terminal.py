"""Games in the terminal: scripted lines through the loop, and a real terminal."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from gridlab.arena.session import Session, find_flaw, read_records
from gridlab.arena.terminal import Console, ExactAdviser, until_goodbye
from gridlab.core.errors import FileTrouble, PlayerFault, TooLarge
from gridlab.inarow.position import Outcome, Position
from gridlab.inarow.position import Player as Side
from gridlab.inarow.records import Record
from gridlab.inarow.rules import Rules
from gridlab.inarow.solution import Move, Solution
from gridlab.inarow.terminal import Conversation, ending_text
from gridlab.players.registry import Player

TICTACTOE = Rules(3, 3, 3)
PROGRAM = """
import numpy as np
from gridlab.arena.session import Session
from gridlab.arena.terminal import until_goodbye
from gridlab.inarow.terminal import Conversation
from gridlab.cli.play import ask
from gridlab.inarow.rules import Rules
from gridlab.players.registry import make_player

rules = Rules(3, 3, 3)
session = Session.begin(rules, {"O": make_player("random", rules)}, random=np.random.default_rng(1))
until_goodbye(Conversation(session, "X", "opponent", ask, print, None).hold, print)
"""


class FirstFree:
    """The first free cell; a fault when there are too few of them."""

    def __init__(self, gives_up_at: int = 0) -> None:
        self.gives_up_at = gives_up_at

    def move(self, position: Position, random: np.random.Generator) -> int:
        if len(position.moves()) <= self.gives_up_at:
            raise PlayerFault("the first player in the queue has left")
        return position.moves()[0]

    def close(self) -> None:
        pass


class Evening:
    """What was typed at a table, what it said, and the games it saved."""

    def __init__(
        self,
        *typed: str,
        opponent: Player | None = None,
        side: Side = "X",
        rules: Rules = TICTACTOE,
        exact: bool = True,
    ) -> None:
        self.typed = list(typed)
        self.said: list[str] = []
        self.saved: list[Record] = []
        adviser = ExactAdviser(self.answer) if exact else None
        other, random = "O" if side == "X" else "X", np.random.default_rng(0)
        names = {other: "queue"} if opponent else {}
        session = Session.begin(rules, {other: opponent}, adviser=adviser, names=names, random=random)
        until_goodbye(Conversation(session, side, "queue", self.ask, self.say, self.saved.append).hold, self.say)
        assert [find_flaw(record) for record in self.saved] == [None] * len(self.saved)

    def say(self, text: str) -> None:
        self.said.append(text)

    def ask(self, prompt: str) -> str:
        self.said.append(prompt)
        if not self.typed:
            raise EOFError
        return self.typed.pop(0)

    def answer(self, position: Position) -> Solution:
        """Every move draws but the last, which wins in 3; positions of 2 stones are unknown, those of 4 the last."""
        if position.ply == 2:
            raise TooLarge("this table knows nothing of two stones")
        *others, last = position.moves()
        moves = (*(Move(cell, "draw", len(others) + 1) for cell in others), Move(last, "win", 3))
        return Solution(position, "win", 3, () if position.ply == 4 else moves, ())


def test_two_people_play_a_game() -> None:
    evening = Evening("11", "2,1", "1 2", " 22 ", "13", "n")
    assert evening.said[0] == "3x3:3, two people; help lists the commands"
    assert evening.said[1] == "    1  2  3\n 1  .  .  .\n 2  .  .  .\n 3  .  .  ."
    assert [line for line in evening.said if line.endswith(": ")] == ["X to move: ", "O to move: "] * 2 + [
        "X to move: "
    ]
    assert evening.said[-4:] == [
        "    1  2  3\n 1 [X][X][X]\n 2  O  O  .\n 3  .  .  .",
        "X wins with 3 in a row",
        "again? [y/n] ",
        "goodbye",
    ]
    assert evening.saved == [
        Record(
            rules=TICTACTOE,
            x="person",
            o="person",
            seed=None,
            opening=0,
            moves=(0, 3, 1, 4, 2),
            result=Outcome.X_WINS,
            reason="played",
        )
    ]


@pytest.mark.parametrize(
    ("side", "typed", "verdict", "result"),
    [
        ("X", ["31", "32", "33"], "X wins with 3 in a row, you win", "x_wins"),
        ("X", ["33", "32", "22"], "O wins with 3 in a row, you lose", "o_wins"),
        ("O", ["31", "32"], "X wins with 3 in a row, you lose", "x_wins"),
        ("O", ["22", "13", "31"], "O wins with 3 in a row, you win", "o_wins"),
        ("O", ["12", "22", "31", "33"], "the board is full: a draw", "draw"),
    ],
)
def test_against_an_opponent(side: Side, typed: list[str], verdict: str, result: str) -> None:
    evening = Evening(*typed, "n", opponent=FirstFree(), side=side)
    assert evening.said[-3:] == [verdict, "again? [y/n] ", "goodbye"]
    (record,) = evening.saved
    assert record.result.value == result
    assert (record.x, record.o) == (("person", "queue") if side == "X" else ("queue", "person"))


def test_the_opponents_moves_are_said_and_it_begins_as_x() -> None:
    evening = Evening("quit", opponent=FirstFree(), side="O")
    assert evening.said == [
        "3x3:3, you are O against queue; help lists the commands",
        "    1  2  3\n 1  .  .  .\n 2  .  .  .\n 3  .  .  .",
        "X plays 11",
        "    1  2  3\n 1  X  .  .\n 2  .  .  .\n 3  .  .  .",
        "O to move: ",
        "goodbye",
    ]


def test_undo_takes_back_both_moves_and_only_your_own_without_an_opponent() -> None:
    with_opponent = Evening("33", "32", "undo", "moves", "quit", opponent=FirstFree())
    assert with_opponent.said[-3:] == ["12 13 21 22 23 31 32", "X to move: ", "goodbye"]
    alone = Evening("33", "32", "undo", "moves", "quit")
    assert alone.said[-3:] == ["11 12 13 21 22 23 31 32", "O to move: ", "goodbye"]


def test_undo_leaves_the_opponents_first_move() -> None:
    evening = Evening("undo", "moves", opponent=FirstFree(), side="O")
    assert "there is no move of yours to take back" in evening.said
    assert "12 13 21 22 23 31 32 33" in evening.said
    assert "there is no move of yours to take back" in Evening("undo").said


def test_hints_and_values_are_the_exact_answer() -> None:
    evening = Evening("11", "hint", "values")
    assert "the best move is 33: a win in 3 plies" in evening.said
    assert evening.said[-4] == "     1   2   3\n 1   X   =   =\n 2   =   =   =\n 3   =   = [+3]"


def test_where_there_is_no_exact_answer_a_sentence_says_so_and_the_game_goes_on() -> None:
    assert Evening("11", "12", "hint", "values", "13").said.count("this table knows nothing of two stones") == 2
    assert any("beyond the table" in line for line in Evening("11", "12", "13", "21", "hint").said)
    unknown = Evening("hint", "values", "moves", exact=False).said
    assert unknown.count("there are no exact answers at this table") == 2
    assert "11 12 13 21 22 23 31 32 33" in unknown


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("castle", "'castle' is not a cell of a 3x3 board; cells are 11 (top left) to 33; help lists the commands"),
        ("44", "'44' is not a cell of a 3x3 board; cells are 11 (top left) to 33; help lists the commands"),
        ("", "'' is not a cell of a 3x3 board; cells are 11 (top left) to 33; help lists the commands"),
        ("22", "22 is occupied; moves lists the free cells"),
    ],
)
def test_what_is_no_move_gets_one_sentence(typed: str, sentence: str) -> None:
    evening = Evening("22", typed, "MOVES")
    assert evening.said[5:9] == [sentence, "O to move: ", "11 12 13 21 23 31 32 33", "O to move: "]


def test_help_names_every_command() -> None:
    evening = Evening("help", rules=Rules(5, 5, 4, 3))
    words = [line.split()[0] for line in evening.said[3].splitlines()]
    assert words == ["55", "undo", "hint", "values", "why", "moves", "resign", "new", "quit", "help"]


def test_resigning_is_saved_and_the_sides_stay() -> None:
    evening = Evening("33", "resign", "maybe", "yes", "resign", "no", opponent=FirstFree())
    assert evening.said.count("X resigns: O wins, you lose") == 2
    assert "'maybe' is not an answer; type y for another game or n to leave" in evening.said
    assert [record.moves for record in evening.saved] == [(8, 0), ()]
    assert {(record.result, record.reason) for record in evening.saved} == {(Outcome.O_WINS, "resigned")}
    assert {record.o for record in evening.saved} == {"queue"}


def test_a_new_game_forgets_the_old_one() -> None:
    evening = Evening("33", "new", "moves", "quit")
    assert evening.said[-3] == "11 12 13 21 22 23 31 32 33"
    assert evening.saved == []


def test_an_opponent_with_a_fault_forfeits_and_may_try_again() -> None:
    evening = Evening("33", "32", "y", "31", opponent=FirstFree(gives_up_at=6))
    assert "the first player in the queue has left" in evening.said
    assert "queue forfeits: X wins, you win" in evening.said
    assert evening.said[-2:] == ["", "goodbye"]
    (record,) = evening.saved
    assert (record.moves, record.result) == ((8, 0, 7), Outcome.X_WINS)
    assert record.reason == "O, queue, lost by a fault: the first player in the queue has left"


def test_control_c_says_goodbye_and_is_passed_up() -> None:
    said: list[str] = []

    def interrupted(prompt: str) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Conversation.play(TICTACTOE, Console(interrupted, said.append, "nobody"))
    assert said[-1] == "\ngoodbye"


def test_games_are_appended_to_a_file(tmp_path: Path) -> None:
    games = Evening("11", "resign", "y", "resign", "n").saved
    path = tmp_path / "new" / "games.jsonl"
    for _ in range(2):
        typed = ["11", "resign", "y", "resign", "n"]
        Conversation.play(TICTACTOE, Console(lambda prompt: typed.pop(0), str, "nobody", save=path))  # noqa: B023
    assert [each.moves for each in read_records(path)] == [each.moves for each in games] * 2
    assert len(games) == 2
    with pytest.raises(FileTrouble, match="cannot write"):
        Conversation.play(TICTACTOE, Console(lambda prompt: "quit", lambda text: None, "heuristic", save=tmp_path))


@pytest.mark.parametrize(
    ("rules", "moves", "text"),
    [
        (Rules(3, 3, 3), "11 21 12 22 33 23", "O wins with 3 in a row"),
        (Rules(3, 3, None, 3), "11 21 12 22 13", "X has 3 in a row, which loses: O wins"),
        (Rules(4, 4, 4, 3), "11 41 12 31 14 44 13", "X wins with 4 in a row"),
        (Rules(3, 3, 3), "11 12 13 22 21 23 32 31 33", "the board is full: a draw"),
    ],
)
def test_endings_are_told_by_the_rules(rules: Rules, moves: str, text: str) -> None:
    position = Position(rules)
    for move in moves.split():
        position = position.play(move)
    assert ending_text(position) == text


def test_the_last_move_is_underlined_where_there_is_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    boards = [text for text in Evening("22", "13", "undo", "quit").said if "1  2  3" in text]
    marked = [re.findall(r";4m(\S)\x1b", board) for board in boards]
    assert marked == [[], ["X"], ["O"], ["X"]]


# ---- real terminals


def test_a_real_terminal() -> None:
    keyboard, terminal = pty.openpty()
    command, plain = [sys.executable, "-c", PROGRAM], os.environ | {"NO_COLOR": "1"}
    game = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=plain)
    os.close(terminal)
    try:
        shown = [read_until(keyboard, "X to move: ")]
        for line in ["22", "moves", "22", "undo", "moves", "quit"]:
            os.write(keyboard, f"{line}\n".encode())
            shown.append(read_until(keyboard, "goodbye" if line == "quit" else "X to move: "))
        assert game.wait(5) == 0
    finally:
        game.kill()
        game.wait()
        os.close(keyboard)
    _, played, free, occupied, undone, all_free, _ = shown
    reply = played.partition("O plays ")[2][:2]
    assert reply in {"11", "12", "13", "21", "23", "31", "32", "33"}
    assert " 2  .  X  ." in played.partition("O plays ")[0]
    assert free.splitlines()[1].split() == [
        cell for cell in all_free.splitlines()[1].split() if cell not in ("22", reply)
    ]
    assert occupied.splitlines()[1] == "22 is occupied; moves lists the free cells"
    assert undone.splitlines()[1:5] == ["    1  2  3", " 1  .  .  .", " 2  .  .  .", " 3  .  .  ."]
    assert all_free.splitlines()[1] == "11 12 13 21 22 23 31 32 33"


def read_until(keyboard: int, ending: str, seconds: float = 10) -> str:
    """What a terminal shows up to and with an ending."""
    shown, end = "", time.monotonic() + seconds
    while ending not in shown:
        assert select.select([keyboard], [], [], max(0, end - time.monotonic()))[0], f"{ending!r} not in {shown!r}"
        shown += os.read(keyboard, 1000).decode()
    return shown


@pytest.mark.parametrize("redirection", ["</dev/null", "<&-"])
def test_the_end_of_input_leaves_cleanly(redirection: str) -> None:
    shell = ["sh", "-c", f'exec "$0" -c "$1" {redirection}', sys.executable, PROGRAM]
    ended = subprocess.run(shell, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.endswith("goodbye\n")


class Talkative(FirstFree):
    """One that says how it has found its move."""

    def report(self, position: Position) -> str:
        return f"the first free cell of {position}"


def test_why_asks_the_opponent_about_its_last_move() -> None:
    assert "the first free cell of .../.../X.." in Evening("31", "why", "quit", opponent=Talkative()).said
    assert (
        "queue does not say how it finds its moves; dqn-minimax does" in Evening("31", "why", opponent=FirstFree()).said
    )
    assert "there is no move of an opponent to ask about" in Evening("why", opponent=Talkative()).said
    assert "there is no move of an opponent to ask about" in Evening("11", "why").said
