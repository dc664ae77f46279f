"""One list of games: families are found by their text, and another one takes an entry and a module."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import gridlab
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
        match="nim_family",
        terminal="nim_family",
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
    with pytest.raises(BadRules, match="2048 is not a game for this; write ROWSxCOLS:WIN"):
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
    with pytest.raises(BadPlayer, match="'random' is not a player; there are perfect"):
        make_player("random", rules)
    typed = iter(["1", "1"])
    said: list[str] = []
    play("nim:5", Console(lambda prompt: next(typed), said.append))
    assert said == ["|||||", "||||", "the player takes 1", "|||", "||", "the player takes 2", "goodbye"]
    assert gridlab("play", "nim:0") == (0, "goodbye\n", "")


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
