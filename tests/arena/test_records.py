"""Games on record: written, read, replayed; every way to damage a line is found and named."""

import json
from pathlib import Path
from typing import Any

import pytest

from gridlab.arena.session import ENOUGH, UNCHECKED, read_records, verify_records, write_records
from gridlab.core.errors import CorruptFile, FileTrouble, IllegalMove
from gridlab.games import game
from gridlab.inarow.position import Outcome
from gridlab.inarow.records import Record

RULES = game("tictactoe")
WON = Record(RULES, "someone", "somebody else", (4, 0, 2, 1, 6), Outcome.X_WINS, seed=7, opening=2)
DRAWN = Record(RULES, "a", "b", (4, 0, 8, 2, 1, 7, 3, 5, 6), Outcome.DRAW)
RESIGNED = Record(RULES, "a", "b", (4,), Outcome.O_WINS, "resigned")
WIDE = Record(game("2x10:2"), "a", "b", (10, 4, 11), Outcome.X_WINS, seed=0)
LINE: dict[str, Any] = WON.as_dict()


def test_a_record_as_json() -> None:
    assert LINE == {
        "rules": "3x3:3",
        "x": "someone",
        "o": "somebody else",
        "seed": 7,
        "opening": 2,
        "moves": [22, 11, 13, 12, 31],
        "result": "x_wins",
        "reason": "played",
    }
    assert WIDE.as_dict()["moves"] == ["2,1", "1,5", "2,2"]


def test_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "new" / "games.jsonl"
    records = [WON, DRAWN, RESIGNED, WIDE]
    write_records(path, iter(records))
    assert list(read_records(path)) == records
    verdict = verify_records(path)
    assert verdict.as_dict() == {"file": str(path), "games": 4, "complaints": [], "sound": True, "unchecked": UNCHECKED}
    assert str(verdict) == f"{path}: 4 games replayed: all sound; not checked: {UNCHECKED}"


def test_final() -> None:
    assert str(WON.final()) == "OOX/.X./X.."
    with pytest.raises(IllegalMove, match="22 is occupied"):
        Record(RULES, "a", "b", (4, 4), Outcome.DRAW).final()


def changed(**changes: Any) -> str:
    return json.dumps({**LINE, **changes})


def without(key: str) -> str:
    return json.dumps({name: value for name, value in LINE.items() if name != key})


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "this is not a game"),
        ("{", "this is not a game"),
        ("[" * 100_000, "this is not a game"),
        ("[1]", "this is not a game: Expected `object`, got `array`"),
        *((without(key), f"Object missing required field `{key}`") for key in LINE),
        (changed(rules=3), "Expected `str`, got `int` - at `$.rules`"),
        (changed(rules="3x3"), "'rules' are wrong: '3x3' is not a game"),
        (changed(rules="3x3:4"), "the winning length 4 does not fit"),
        (changed(x=None), "Expected `str`, got `null` - at `$.x`"),
        (changed(seed="7"), "Expected `int | null`, got `str` - at `$.seed`"),
        (changed(opening=True), "Expected `int`, got `bool` - at `$.opening`"),
        (changed(opening=-1), "Expected `int` >= 0 - at `$.opening`"),
        (changed(moves="22 11"), "Expected `array`, got `str` - at `$.moves`"),
        (changed(moves=["22"]), 'the move "22" is not written like 11'),
        (changed(moves=[22.0]), "Expected `int | str`, got `float` - at `$.moves[0]`"),
        (changed(moves=[14]), "'14' is not a cell of a 3x3 board"),
        (changed(moves=[-11]), "'-11' is not a cell of a 3x3 board"),
        (changed(rules="2x10:2", moves=[11]), 'the move 11 is not written like "1,1"'),
        (changed(result="won"), "'result' is 'won'; it takes x_wins, o_wins, draw"),
        (changed(opening=6), "an opening of 6 moves in a game of 5"),
        (changed(moves=[22, 22, 13, 12, 31]), "a move is not legal: 22 is occupied"),
        (changed(moves=[22, 11, 13, 12, 31, 33]), "a move is not legal: 33 cannot be played"),
        (changed(moves=[22, 11, 13, 12]), "the game is not over after 4 moves"),
        (changed(result="o_wins"), "the board says x_wins, not o_wins"),
        (changed(result="draw"), "the board says x_wins, not draw"),
        (changed(reason="resigned"), "the game is over on the board (x_wins), but its reason is 'resigned'"),
        (changed(moves=[22, 11], reason="resigned", result="draw"), "a game that ended early has a loser"),
        (changed(moves=[22, 11], reason="X was late"), "X was to move and at fault, but the result is x_wins"),
    ],
)
def test_a_damaged_line(tmp_path: Path, line: str, reason: str) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(f"{json.dumps(LINE)}\n{line}\n{json.dumps(LINE)}\n")
    verdict = verify_records(path)
    (complaint,) = verdict.complaints
    assert (complaint.file, complaint.line, verdict.games) == (str(path), 2, 3)
    assert reason in complaint.reason
    assert str(complaint).startswith(f"{path} line 2: ")
    assert str(verdict).endswith(f"3 games replayed: 1 complaint; not checked: {UNCHECKED}")
    assert verdict.as_dict()["sound"] is False


def test_a_cut_file(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    write_records(path, [WON, DRAWN])
    path.write_bytes(path.read_bytes()[:-20])
    assert str(verify_records(path).complaints[0]).startswith(f"{path} line 2: the line is cut off")
    with pytest.raises(CorruptFile, match="line 2: the line is cut off"):
        list(read_records(path))


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(b'{"x": "\xff"}\n')
    assert "this is not a game" in verify_records(path).complaints[0].reason


def test_an_empty_file_and_none(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert str(verify_records(tmp_path / "empty").complaints[0]).endswith("empty: there is no game in it")
    with pytest.raises(FileTrouble, match=r"nowhere cannot be read"):
        verify_records(tmp_path / "nowhere")


def test_many_complaints_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text("?\n" * 15)
    verdict = verify_records(path)
    assert len(verdict.complaints) == 15
    assert str(verdict).splitlines()[-2] == "and 5 more"


def test_after_many_complaints_the_rest_is_not_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text("?\n" * 3 * ENOUGH)
    verdict = verify_records(path)
    assert len(verdict.complaints) == ENOUGH
    assert str(verdict).endswith(f"not checked: {UNCHECKED}, and what comes after line {ENOUGH}")


def test_a_refused_line_says_where() -> None:
    assert Record.parse(json.dumps(LINE)) == WON
    with pytest.raises(CorruptFile, match=r"^web line 4: this is not a game: Object missing required field `o`"):
        Record.parse(without("o"), "web line 4")
