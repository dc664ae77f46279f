"""One list of games: families are found by their text, and another one takes an entry and a module."""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import gridlab
from gridlab.arena.answers import sit
from gridlab.arena.assess import mark
from gridlab.arena.session import Session
from gridlab.arena.terminal import Console, play
from gridlab.core.errors import BadPlayer, BadRules
from gridlab.game2048.rules import Rules2048
from gridlab.games import NAMED, game, laws
from gridlab.games.registry import FAMILIES, Family, family_of
from gridlab.inarow.rules import Rules
from gridlab.players.registry import make_player
from tests.conftest import Run

NIM = (Path(__file__).parents[2] / "examples" / "nim.py").read_text()


@pytest.fixture
def nim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A third family: a module of its own, and one entry in the registry. No other place changes."""
    (tmp_path / "nim_family.py").write_text(NIM)
    monkeypatch.syspath_prepend(tmp_path)
    family = Family(
        name="nim",
        pattern="nim:",
        form="nim:STONES, such as nim:21",
        rules="nim_family:Rules",
        position="nim_family:Position",
        players="nim_family",
        truth="nim_family:truth",
        named={"nim": "nim:21"},
    )
    monkeypatch.setitem(FAMILIES, "nim", family)
    yield
    sys.modules.pop("nim_family", None)


def test_a_game_is_found_by_its_text() -> None:
    assert gridlab.game("squava") == Rules(5, 5, 4, 3)
    assert gridlab.game("2048:3x3") == Rules2048(3, 3)
    assert gridlab.game("2048") == Rules2048()
    assert gridlab.game(Rules(3, 3, 3)) == Rules(3, 3, 3)


def test_what_is_no_game_is_told_what_would_be() -> None:
    with pytest.raises(BadRules, match=r"'chess' is not a game; name one of tictactoe, .*2048, or write ROWSxCOLS:WIN"):
        game("chess")
    with pytest.raises(BadRules, match="'2048:x' is not a game of 2048"):
        game("2048:x")
    with pytest.raises(BadRules, match=r"2048 is not a game for this; write ROWSxCOLS:WIN"):
        game("2048", "mnk")
    with pytest.raises(BadRules, match=r"7 is not the rules of a game known here; .*; the families are mnk, 2048"):
        family_of(7)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [*NAMED, "3x3:-3", "1x1:1", "7x9:5", "12x5:4", "2048:3x3", "2048:5x4:0.2"])
def test_every_game_obeys_the_laws(text: str) -> None:
    assert laws.check_game(game(text), games=2) > 0


def test_another_family_takes_one_module_and_one_entry(nim: None, gridlab: Run) -> None:
    rules = game("nim")
    assert laws.check_game(rules) > 10
    session = Session.begin("nim:5", {"second": make_player("perfect", rules)})
    session.play(2)
    assert session.reply() == 3
    assert session.over
    with pytest.raises(BadPlayer, match="'mcts' is not a player; there are perfect, random"):
        make_player("mcts", rules)


def test_it_is_played_in_the_terminal(nim: None, gridlab: Run, tmp_path: Path) -> None:
    typed = iter(["4", "hint", "values", "1", "why", "1", "y", "resign", "n"])
    said: list[str] = []
    play("nim:5", Console(lambda prompt: next(typed), said.append, save=tmp_path / "games.jsonl"))
    assert said == [
        "nim:5, you are first against perfect; help lists the commands",
        "|||||",
        "'4' is not a number of stones; 1, 2 or 3 can be taken; help lists the commands",
        "the best move is 1: a win in 3 plies",
        "1 [+3]   2 -2   3 -2",
        "||||",
        "second plays 1",
        "|||",
        "perfect does not say how it finds its moves",
        "||",
        "second plays 2",
        "nothing is left",
        "second wins, you lose",
        "nim:5, you are first against perfect; help lists the commands",
        "|||||",
        "|||||",
        "first resigns: second wins, you lose",
        "goodbye",
    ]
    lines = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    assert [(each["first"], each["moves"], each["result"]) for each in lines] == [
        ("person", [1, 1, 1, 2], "second_wins"),
        ("person", [], "second_wins"),
    ]
    assert gridlab("games", "verify", str(tmp_path / "games.jsonl"), "--quiet")[0] == 0


def test_it_is_played_in_matches_and_tournaments(nim: None, gridlab: Run, tmp_path: Path) -> None:
    words = ("nim", "perfect", "random", "--games", "8", "--openings", "random:2", "--seed", "1", "--workers", "1")
    code, out, _ = gridlab("match", *words, "--json", "--quiet", "--out", str(tmp_path / "games.jsonl"))
    found = json.loads(out)
    assert (code, found["rules"], found["games"], found["faults"]) == (0, "nim:21", 8, [])
    assert found["a_wins"] == 8 - found["b_wins"] > 6
    code, out, _ = gridlab("games", "verify", str(tmp_path / "games.jsonl"), "--quiet")
    assert (code, "8 games replayed: all sound" in out) == (0, True)
    wrong = (tmp_path / "games.jsonl").read_text().replace("first_wins", "second_wins")
    (tmp_path / "wrong.jsonl").write_text(wrong)
    code, out, _ = gridlab("games", "verify", str(tmp_path / "wrong.jsonl"), "--quiet")
    assert (code, "the board says first_wins, not second_wins" in out) == (1, True)
    cup = ("tournament", *words, "--out", str(tmp_path / "cup"), "--quiet")
    assert gridlab(*cup)[1].splitlines()[3].split()[:2] == ["1", "perfect"]
    assert gridlab(*cup, "--resume")[1] == gridlab(*cup, "--resume")[1]


def test_its_players_are_graded_and_examined(nim: None, gridlab: Run, tmp_path: Path) -> None:
    words = ("grade", "nim", "perfect", "random", "--positions", "12", "--seed", "1", "--workers", "1", "--quiet")
    code, out, _ = gridlab(*words, "--json")
    perfect, random = json.loads(out)["grades"]
    assert (code, perfect["positions"], perfect["accuracy"], perfect["lost_distance"]) == (0, 12, 1.0, 0.0)
    assert random["blunders"]["win->loss"] > 0
    assert "accuracy of perfect less that of random: +" in gridlab(*words, "--verbose")[1]
    exam, given, page = (str(tmp_path / name) for name in ("e.jsonl", "a.jsonl", "p.html"))
    assert gridlab("exam", "make", "nim:9", "--positions", "6", "--out", exam, "--quiet")[0] == 0
    assert gridlab("exam", "sit", exam, "random", "--out", given, "--quiet", "--workers", "1")[0] == 0
    code, out, _ = gridlab("exam", "mark", exam, given, "--html", page, "--quiet")
    assert (code, "e: nim:9, 6 questions" in out) == (0, True)
    assert "|||" in Path(page).read_text()
    assert gridlab("exam", "print", exam, "--out", page, "--answers", str(tmp_path / "r.html"), "--quiet")[0] == 0
    assert "<pre>|||" in Path(page).read_text()
    marks = mark(exam, sit(exam, "perfect", workers=1))
    assert (marks.accuracy, marks.regret) == (1.0, 0.0)


def test_what_it_does_not_have_is_said(nim: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FAMILIES, "nim", replace(FAMILIES["nim"], truth=""))
    with pytest.raises(BadRules, match="nim:21 is a game of nim, and there are no exams about these"):
        gridlab.grade("perfect", "nim", 5)
    with pytest.raises(BadRules, match=r"2048 is not a game for this; write ROWSxCOLS:WIN or .*; or nim:STONES"):
        gridlab.play_tournament(["random", "perfect"], "2048")


BROKEN = {
    "moves that stand twice": (
        "return [taken for taken in (1, 2, 3)",
        "return [1, 1] or [taken for taken in (1, 2, 3)",
    ),
    "a move that leads nowhere": ("self.left - move, self.ply + 1", "self.left, self.ply"),
    "an end with moves left": ("return self.left == 0", "return self.left < 3"),
    "illegal moves that are made": ("if move not in self.moves():", "if False:"),
    "text that is not read": ('return f"{self.left}/{self.ply}"', 'return f"{self.left}/0"'),
    "moves that are not read": ("return int(text)\n\n    def draw", "return 1\n\n    def draw"),
    "nothing to see": ('"|" * self.left or "nothing is left"', '""'),
    "a side that nobody has": ("self.rules.sides[self.ply % 2]", '"somebody"'),
    "rules that are not read": ('return f"nim:{self.heap}"', 'return "nim:3"'),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_game_is_caught(what: str, nim: None, tmp_path: Path) -> None:
    before, after = BROKEN[what]
    assert before in NIM
    (tmp_path / "nim_family.py").write_text(NIM.replace(before, after))
    sys.modules.pop("nim_family", None)
    with pytest.raises(laws.BrokenLaw):
        laws.check_game(game("nim:9"), games=5)
