"""Programs that speak JSON: what they are told, may answer, and what is kept of it; and programs that play 2048."""

import json
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from gridlab.arena.answers import sit
from gridlab.arena.assess import mark
from gridlab.arena.exam import make_exam
from gridlab.arena.match import play_match
from gridlab.arena.session import Session, read_records, verify_records
from gridlab.core.errors import BadPlayer, PlayerFault, Resigned, WrongAnswer
from gridlab.game2048.datasets.generate import generate
from gridlab.game2048.datasets.settings import make_settings
from gridlab.game2048.evaluate import evaluate
from gridlab.game2048.grade import grade2048
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import Rules2048
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules
from gridlab.players.command import CommandPlayer, question_of
from gridlab.players.registry import make_player

RULES = Rules(3, 3, 3)
START = Position(RULES)
RANDOM = np.random.default_rng(0)
BEGIN = """
import json, os, sys, time
def say(**reply):
    print(json.dumps(reply), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    open(sys.argv[1] + '/seen', 'a').write(line)
"""
FIRST = BEGIN + "    say(move=asked['legal'][0], text='the first', tokens=3, mood='good')\n"

Make = Callable[..., CommandPlayer]


@pytest.fixture
def text(tmp_path: Path) -> Callable[..., str]:
    """The text of a player that runs a script."""

    def make(script: str, **settings: object) -> str:
        path = tmp_path / "bot.py"
        path.write_text(script)
        said = " ".join(f"{name}={value}" for name, value in settings.items())
        return f"command={shlex.quote(shlex.join([sys.executable, str(path), str(tmp_path)]))} protocol=json {said}"

    return make


@pytest.fixture
def player(text: Callable[..., str]) -> Iterator[Make]:
    """A player that runs a script and speaks JSON; each is closed in the end."""
    made: list[CommandPlayer] = []

    def make(script: str, rules: Rules | Rules2048 = RULES, **settings: object) -> CommandPlayer:
        found = make_player(text(script, **settings), rules)
        assert isinstance(found, CommandPlayer)
        made.append(found)
        return found

    yield make
    for each in made:
        each.close()


def seen(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "seen").read_text().splitlines()]


def test_it_is_told_everything(player: Make, tmp_path: Path) -> None:
    squava = Rules(5, 5, 4, 3)
    position = Position(squava).play("11")
    first = player(FIRST, squava, seconds=7)
    assert first.move_in_game(position, [0], RANDOM) == 1
    (asked,) = seen(tmp_path)
    left = asked.pop("seconds")
    assert isinstance(left, float)
    assert 6.5 < left <= 7
    assert asked == {
        "gridlab": 1,
        "rules": "5x5:4-3",
        "words": squava.words,
        "board": "X..../...../...../...../.....",
        "rows": ["X....", ".....", ".....", ".....", "....."],
        "to_move": "O",
        "legal": [position.move_text(move) for move in position.moves()],
        "moves": ["11"],
        "try": 1,
    }
    assert first.move(position, RANDOM) == 1  # a position without a game
    assert seen(tmp_path)[1]["moves"] is None


def test_words_say_the_rules() -> None:
    assert "Whoever gets 4 or more" in Rules(5, 5, 4, 3).words
    assert "Whoever gets 3 in a row, and not 4, loses at once" in Rules(5, 5, 4, 3).words
    assert "loses" not in RULES.words
    assert "wins" not in Rules(3, 3, None, 3).words
    assert "1,1 is the top left cell, 3,11 the bottom right" in Rules(3, 11, 3).words
    assert "4 with probability 0.2" in Rules2048(3, 3, 0.2).words


def test_text_tokens_and_time_are_kept(player: Make) -> None:
    first = player(FIRST)
    first.move(START, RANDOM)
    (said,) = first.tries
    assert (said.text, said.tokens, said.error) == ("the first", 3, "")
    assert json.loads(said.answer)["mood"] == "good"
    assert 0 < said.seconds < 10


LEARNS = BEGIN + "    say(move='11' if asked['try'] < 3 else '12', text=asked.get('error', ''))\n"


def test_a_wrong_answer_comes_back_with_its_reason(player: Make, tmp_path: Path) -> None:
    learning = player(LEARNS, retries=2)
    assert learning.move(START.play("11"), RANDOM) == 1
    assert [bool(each.error) for each in learning.tries] == [True, True, False]
    assert "which is occupied in X../.../..." in learning.tries[2].text
    asked = seen(tmp_path)
    assert [each["try"] for each in asked] == [1, 2, 3]
    assert asked[2]["seconds"] < asked[0]["seconds"]  # type: ignore[operator]
    with pytest.raises(WrongAnswer, match="answers 11, which is occupied"):
        player(LEARNS, retries=1).move(START.play("11"), RANDOM)


@pytest.mark.parametrize(
    ("answer", "complaint", "kind"),
    [
        ("print('33', flush=True)", "answers no JSON", WrongAnswer),
        ("print('[33]', flush=True)", "answers no JSON", WrongAnswer),
        ("print('{\"move\": {}}', flush=True)", "answers no JSON", WrongAnswer),
        ("print('[' * 90000, flush=True)", "answers no JSON", WrongAnswer),
        ("say(move='44')", "'44' is not a cell of a 3x3 board", WrongAnswer),
        ("say(move=None, text='hm')", "is not a cell of a 3x3 board", WrongAnswer),
        ("say(text='no move')", "is not a cell of a 3x3 board", WrongAnswer),
        ("say(move='22')", "which is occupied", WrongAnswer),
        ("say(move='x' * 200000)", "more than 100000 characters", PlayerFault),
        ("say(move='11', tokens=-1)", "answers no JSON", WrongAnswer),
        ("say(resign=True)", "resigns", Resigned),
        ("sys.exit(4)", "exit code 4", PlayerFault),
        ("time.sleep(60)", "has not answered within 0.5 seconds", PlayerFault),
    ],
)
def test_answers_that_are_none(player: Make, answer: str, complaint: str, kind: type[PlayerFault]) -> None:
    seconds = 0.5 if "sleep" in answer else 10
    with pytest.raises(PlayerFault, match=complaint) as found:
        player(f"{BEGIN}    {answer}\n", seconds=seconds, retries=1).move(START.play("22"), RANDOM)
    assert type(found.value) is kind


def test_moves_may_be_numbers_and_long_texts_are_cut(player: Make) -> None:
    wordy = player(f"{BEGIN}    say(move=33, text='so ' * 20000)\n")
    assert wordy.move(START, RANDOM) == 8
    assert len(wordy.tries[0].text) == 4000


def test_all_tries_share_the_time_of_a_move(player: Make) -> None:
    slow = player(f"{BEGIN}    time.sleep(0.8)\n    say(move='22')\n", seconds=2, retries=9)
    began = time.monotonic()
    with pytest.raises(PlayerFault, match="has not answered within 2 seconds"):
        slow.move(START.play("22"), RANDOM)
    assert time.monotonic() - began < 8
    assert 1 <= len(slow.tries) <= 2


def test_unasked_lines_are_a_fault(player: Make) -> None:
    chatty = player(f"{BEGIN}    say(move='11')\n    say(move='12')\n")
    assert chatty.move(START, RANDOM) == 0
    time.sleep(0.3)
    with pytest.raises(PlayerFault, match="without being asked"):
        chatty.move(START, RANDOM)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ("protocol=xml", "there are line and json"),
        ("protocol=json retries=11", "0 to 10 make sense"),
        ("retries=1", "only protocol=json can say what was wrong"),
    ],
)
def test_settings_that_make_no_player(settings: str, complaint: str) -> None:
    with pytest.raises(BadPlayer, match=complaint):
        make_player(f"command=bot {settings}", RULES)


def test_a_text_of_a_player_makes_the_same_player(text: Callable[..., str]) -> None:
    made = make_player(text(FIRST, retries=2, seconds=3), RULES)
    assert str(make_player(str(made), RULES)) == str(made)
    assert "retries=2" in str(made)


# ---- records, exams, sessions


def test_a_match_keeps_what_was_said(text: Callable[..., str], tmp_path: Path) -> None:
    match = play_match(
        text(LEARNS.replace("asked['try'] < 3", "asked['try'] < 2"), retries=2), "random", RULES, 2, workers=1
    )
    match.save(tmp_path / "games.jsonl")
    found = list(read_records(tmp_path / "games.jsonl"))
    assert tuple(found) == match.records
    answers = found[0].answers  # the bot is X, and 11 is free at first
    assert answers[0].ply == 0
    assert [bool(each.error) for each in answers[1].tries] == [True, False]
    assert not verify_records(tmp_path / "games.jsonl").complaints
    broken = (tmp_path / "games.jsonl").read_text().replace('{"ply": 0,', '{"ply": 60,', 1)
    (tmp_path / "games.jsonl").write_text(broken)
    assert "answers at the plies" in str(verify_records(tmp_path / "games.jsonl"))


def test_who_resigns_loses_without_a_fault(text: Callable[..., str], tmp_path: Path) -> None:
    resigns = text(BEGIN + "    say(resign=len(asked['moves']) > 3, move=asked['legal'][-1], text='enough')\n")
    match = play_match(resigns, "heuristic", RULES, 2, workers=1)
    resigned = [each for each in match.records if each.reason == "resigned"]
    assert resigned
    assert not match.faults
    assert all(each.result.winner == ("O" if "command" in each.x else "X") for each in resigned)
    assert resigned[0].answers[-1].tries[0].text == "enough"
    match.save(tmp_path / "games.jsonl")
    assert not verify_records(tmp_path / "games.jsonl").complaints


def test_a_session_ends_when_its_player_resigns(player: Make) -> None:
    session = Session.begin(RULES, {"X": player(BEGIN + "    say(resign=True)\n")})
    with pytest.raises(Resigned):
        session.reply()
    assert session.over
    assert session.as_dict()["early_end"] == {"loser": "X", "reason": "resigned"}


def test_an_exam_keeps_what_was_said_and_tells_illegal_from_missing(text: Callable[..., str], tmp_path: Path) -> None:
    exam = make_exam(RULES, tmp_path / "exam.jsonl", 12)
    script = """
    number = sum(1 for _ in open(sys.argv[1] + '/seen'))
    if number == 3: say(move='99', text='why not')
    elif number == 5: say(resign=True)
    elif number == 7: sys.exit(1)
    else: say(move=asked['legal'][0], text='first', tokens=7)
"""
    given = sit(exam, text(BEGIN + script, seconds=30), tmp_path / "answers.jsonl")
    marks = mark(exam, tmp_path / "answers.jsonl")
    assert (marks.blunders["illegal"], marks.blunders["missing"]) == (1, 2)
    assert (given.given[1].text, given.given[1].tokens) == ("first", 7)
    assert given.given[1].seconds is not None
    assert "resigns" in given.given[5].error
    assert "exit code 1" in given.given[7].error
    assert given.given[3].move == "99"


def test_the_log_has_every_answer(text: Callable[..., str], tmp_path: Path) -> None:
    evaluate(text(FIRST, log=tmp_path / "log.jsonl"), Rules2048(2, 2), 1)
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert len(lines) == len(seen(tmp_path))
    assert lines[0]["text"] == "the first"
    assert lines[0]["rules"] == "2048:2x2"


# ---- 2048


def test_boards_of_2048_are_told_as_numbers() -> None:
    position = Position2048.parse("2 . 4/. 8 .", Rules2048(2, 3))
    asked = question_of(position, ["up"])
    assert asked["rows"] == [[2, 0, 4], [0, 8, 0]]
    assert asked["legal"] == position.moves()
    assert asked["moves"] == ["up"]
    assert asked["to_move"] == "player"


LINE_2048 = """
import sys
for line in sys.stdin:
    rules, board = line.split()
    open(sys.argv[1] + '/seen', 'a').write(line)
    rows = [row.split(",") for row in board.split("/")]
    def moves(row): return any(a == "." != b or a == b != "." for a, b in zip(row, row[1:]))
    columns, back = list(zip(*rows)), lambda lines: [line[::-1] for line in lines]
    for name, lines in (("left", rows), ("up", columns), ("right", back(rows)), ("down", back(columns))):
        if any(moves(line) for line in lines):
            print(name, flush=True)
            break
"""


def test_a_program_of_lines_plays_2048_everywhere(text: Callable[..., str], tmp_path: Path) -> None:
    bot, rules = text(LINE_2048).replace(" protocol=json ", ""), Rules2048(2, 3)
    found = evaluate(bot, rules, 3, seed=1)

    class Same:
        def move(self, position: Position2048, random: object) -> str:
            return next(each for each in ("left", "up", "right", "down") if each in position.moves())

    assert found.scores.tolist() == evaluate(Same(), rules, 3, seed=1).scores.tolist()
    assert (tmp_path / "seen").read_text().startswith("2048:2x3 ")
    made = generate(
        "2048:2x3", tmp_path / "games.jsonl", 2, settings=make_settings(seed=1, player=bot, rules="2048:2x3")
    )
    assert made.statistics.games == 2
    assert grade2048(bot, rules, 20, seed=1).own.accuracy > 0
    exam = make_exam(rules, tmp_path / "exam.jsonl", 10)
    assert mark(exam, sit(exam, bot)).blunders["missing"] == 0


def test_a_wrong_direction_is_a_fault_with_its_reason(text: Callable[..., str]) -> None:
    with pytest.raises(PlayerFault, match=r"game 1: the player .* answers sideways|'sideways' is not a direction"):
        evaluate(text(BEGIN + "    say(move='sideways')\n"), Rules2048(2, 2), 1)
    stuck = (
        "    say(move=next((each for each in ('up', 'down', 'left', 'right') if each not in asked['legal']), 'up'))\n"
    )
    with pytest.raises(PlayerFault, match="changes nothing in"):
        evaluate(text(BEGIN + stuck), Rules2048(2, 2), 5)
