"""Players of installed packages: a real package with its metadata, put where Python looks."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import gridlab
from gridlab.core.errors import BadPlayer
from gridlab.players.registry import found, kinds_of, list_players, make_player
from tests.conftest import Python, Run

MODULE = '''
from gridlab.players.registry import Kind

class Corners:
    """The corners first, or the cell that is asked for.

    More of it.
    """
    def __init__(self, rules, favourite=0, depth="none"):
        self.favourite = favourite
    def move(self, position, random):
        cells = [self.favourite, 0, 2, 6, 8, *position.moves()]
        return next(cell for cell in cells if cell in position.moves())

class Left:
    def __init__(self, rules):
        pass
    def move(self, position, random):
        return min(position.moves(), key=["left", "up", "down", "right"].index)

LEFT = Kind(Left, {}, "left if it can", families=("2048",))
NOTHING = 42
def greedy(rules, anything):
    return None
'''
POINTS = """[gridlab.players]
corners = tiny_players:Corners
lefty = tiny_players:LEFT
random = tiny_players:Corners
broken = tiny_players:Absent
nothing = tiny_players:NOTHING
greedy = tiny_players:greedy
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package as pip leaves it: a module, and a folder of metadata."""
    (tmp_path / "tiny_players.py").write_text(MODULE)
    info = tmp_path / "tiny_players-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-players\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(POINTS)
    return tmp_path


@pytest.fixture
def installed(package: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(package)
    found.cache_clear()
    yield
    found.cache_clear()
    sys.modules.pop("tiny_players", None)


@pytest.mark.usefixtures("installed")
def test_an_installed_player_plays_by_name() -> None:
    rules = gridlab.game("tictactoe")
    match = gridlab.play_match("corners favourite=4", "random", rules, games=4, seed=1, workers=1)
    assert match.records[0].moves[0] == 4
    assert not match.faults
    assert gridlab.grade("corners", rules, 20, workers=1).positions == 20
    with pytest.raises(BadPlayer, match=r"not a setting of the player corners; it takes favourite=0, depth=none"):
        make_player("corners speed=3", rules)
    assert gridlab.evaluate("lefty", gridlab.Rules2048(2, 2), 2).games == 2


@pytest.mark.usefixtures("installed")
def test_a_family_that_it_does_not_play_is_refused() -> None:
    with pytest.raises(BadPlayer, match="the player lefty plays games of 2048, not of mnk"):
        make_player("lefty", gridlab.game("tictactoe"))


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("broken", "broken of tiny-players 1.2 cannot be loaded: .*Absent"),
        ("nothing", "is 42; a class or function is needed"),
        ("greedy", "the setting anything of the player greedy needs a default"),
    ],
)
def test_what_is_no_player_is_refused_when_it_is_asked_for(name: str, complaint: str) -> None:
    with pytest.raises(BadPlayer, match=complaint):
        make_player(name, gridlab.game("tictactoe"))


@pytest.mark.usefixtures("installed")
def test_names_of_the_house_stay() -> None:
    kinds = kinds_of(gridlab.game("tictactoe"))
    assert kinds["random"].about == "any legal move"
    assert len(kinds) == len(set(kinds))
    assert list(kinds).count("random") == 1


@pytest.mark.usefixtures("installed")
def test_all_are_listed() -> None:
    listed = {(each.family, each.name): each for each in list_players().players}
    corners = listed["mnk", "corners"]
    assert corners.about == "The corners first, or the cell that is asked for."
    assert corners.settings == {"favourite": 0, "depth": "none"}
    assert corners.package == "tiny-players 1.2"
    assert ("mnk", "lefty") not in listed
    assert listed["2048", "lefty"].about == "left if it can"
    assert "cannot be loaded" in listed["mnk", "broken"].missing
    assert listed["mnk", "dqn"].needs == "gridlab[learn]"


def test_the_command_lists_them(gridlab: Run, package: Path, python: Python) -> None:
    code, out, _ = gridlab("players")
    assert code == 0
    assert "alpha-beta depth=4" in out
    assert "command= seconds=10.0 protocol=line retries=0" in out
    code, out, _ = gridlab("players", "2048:3x3", "--json")
    assert {each["family"] for each in json.loads(out)["players"]} == {"2048"}
    paths = f"import sys; sys.path.insert(0, {str(package)!r}); from gridlab.cli import run; run(['players', '3x3:3'])"
    done = python(paths)
    assert "corners favourite=0 depth=none" in done.stdout, done.stderr


def test_players_that_nobody_asked_for_are_not_imported(package: Path, python: Python) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(package)!r}); import gridlab; "
        "gridlab.make_player('random', gridlab.game('tictactoe')); print('tiny_players' in sys.modules)"
    )
    assert python(program).stdout == "False\n"


def test_the_listing_says_what_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridlab.players.registry.find_spec", lambda name: None if name == "torch" else object())
    missing = {each.name: each.missing for each in list_players("squava").players}
    assert missing["dqn"] == "torch is not installed"
    assert missing["random"] == missing["perfect"] == ""
