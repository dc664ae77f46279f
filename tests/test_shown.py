"""What is shown without `print`: one object of every public type, its line and what a notebook makes of it."""

import pickle
import re
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gridlab
from gridlab.core.draw import LONGEST, MOST_ROWS, Sheet, brief, line_of
from gridlab.game2048.learn.ntuple_file import Learnt, Point
from gridlab.learn.info import Info

LONG_NAME = "a player <b>with</b> a name that nobody would want to read to its very end, " * 5


class Long:
    """The first move; its name is long, and looks like HTML."""

    name = LONG_NAME

    def move(self, position: Any, random: np.random.Generator) -> Any:
        return position.moves()[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shown")


def training(folder: Path) -> gridlab.SupervisedTraining:
    pytest.importorskip("torch")
    from gridlab.game2048.learn.policy_networks import Facts

    row: dict[str, int | float | None] = {"epoch": 1, "loss": 1.5, "validation_accuracy": 0.5}
    facts = Facts(epoch=2, best_epoch=1, curve=(row, row))
    return gridlab.SupervisedTraining(folder / "2048.cnn", facts, True)


@cache
def games_file(folder: Path) -> Path:
    made: Path = gridlab.generate("2048:2x3", folder / "games.jsonl", 2, player="random", seed=1).output
    return made


@cache
def terminals(folder: Path) -> Path:
    gridlab.build_terminals("3x3:3", folder / "wins", workers=1)
    return folder / "wins"


def marks() -> gridlab.Marks:
    exam = gridlab.read_exam("tictactoe-v1")
    return gridlab.mark(exam, {1: exam.questions[0].legal[0]})


def match() -> gridlab.Match:
    return gridlab.play_match(Long(), "random", gridlab.Rules(3, 3, 3), 4, workers=1)


# One object of every public type: a new one needs a line here, and what every other one has.
POINT = Point(games=10, moves=100, seconds=1.0, mean_score=500.0, tile_rates={"64": 0.5})
MADE: dict[str, Callable[[Path], Any]] = {
    "Budget": lambda folder: gridlab.Budget(10, 0.5),
    "Census": lambda folder: gridlab.census("tictactoe", workers=1),
    "Comparison": lambda folder: gridlab.compare(
        *(gridlab.grade(each, gridlab.game("tictactoe"), 20, workers=1) for each in (Long(), "random"))
    ),
    "Direction": lambda folder: gridlab.Direction.UP,
    "Evaluation2048": lambda folder: gridlab.evaluate(Long(), "2048:2x2", 3, seed=1),
    "Exam": lambda folder: gridlab.read_exam("squava-v1"),
    "Flaw": lambda folder: gridlab.find_flaw(3, 0, "tictactoe"),
    "Games": lambda folder: gridlab.Games(games_file(folder)),
    "Games2048": lambda folder: gridlab.Games2048("2048:2x2", 3),
    "Grade": lambda folder: gridlab.grade(Long(), "tictactoe", 20, workers=1),
    "Grade2048": lambda folder: gridlab.grade(Long(), "2048:2x2", 20),
    "InARowGames": lambda folder: gridlab.InARowGames("tictactoe", 3),
    "Info": lambda folder: Info(folder / "x", "network", {"games": 5, "rules": "2048"}, {}, (), (), "games"),
    "Marks": lambda folder: marks(),
    "Match": lambda folder: match(),
    "Moves2048": lambda folder: gridlab.Moves2048(games_file(folder)),
    "NTupleTraining": lambda folder: gridlab.NTupleTraining(
        folder / "net.ntuple", gridlab.Rules2048(), Learnt(games=10, curve=(POINT,) * 50), True
    ),
    "Oracle": lambda folder: gridlab.Oracle("tictactoe"),
    "Outcome": lambda folder: gridlab.Outcome.DRAW,
    "Player": lambda folder: gridlab.make_player("mcts playouts=200", "tictactoe"),
    "Position": lambda folder: gridlab.Position("7x9:5").play(3),
    "Position2048": lambda folder: gridlab.Position2048([1 << 30] * 64, 12, "2048:8x8"),
    "Probe2048": lambda folder: gridlab.Tablebase2048("2048:2x3").probe(
        gridlab.Position2048.parse("2 . 2/4 . .", "2048:2x3")
    ),
    "Record": lambda folder: match().records[0],
    "Rules": lambda folder: gridlab.Rules(7, 9, 5, 3),
    "Rules2048": lambda folder: gridlab.Rules2048(8, 8, 0.125),
    "ScoreMatch": lambda folder: gridlab.play_match(Long(), "random", gridlab.Rules2048(2, 2), 3),
    "Session": lambda folder: gridlab.Session.begin("squava", {"O": Long()}),
    "Solution": lambda folder: gridlab.solve("X../.O./..."),
    "SupervisedTraining": training,
    "Symmetry": lambda folder: gridlab.symmetries(7, 9)[1],
    "Tablebase": lambda folder: gridlab.Tablebase("squava"),
    "Tablebase2048": lambda folder: gridlab.open_tablebase("2048:2x3"),
    "Terminals": lambda folder: gridlab.open_terminals(terminals(folder)),
    "Tournament": lambda folder: gridlab.play_tournament([Long(), "random"], "tictactoe", games=2, workers=1),
    "Training": lambda folder: gridlab.Training(folder, 10, 20, {"random": 0.5}, {"episode": 10, "loss": 0.25}),
    "Whole2048": lambda folder: gridlab.follow_player(Long(), "2048:2x2"),
}
# And what functions give whose types have no public name.
GIVEN: dict[str, Callable[[Path], Any]] = {
    "search": lambda folder: gridlab.search("X../.O./...", 50),
    "prove": lambda folder: gridlab.prove("X../.O./..."),
    "best_first": lambda folder: gridlab.best_first(gridlab.Position("tictactoe")),
    "compare_marks": lambda folder: gridlab.compare_marks(marks(), marks()),
    "sit": lambda folder: gridlab.sit("tictactoe-v1", "random", workers=1),
    "find_terminals": lambda folder: gridlab.find_terminals(str(terminals(folder))),
    "generate": lambda folder: gridlab.generate("2048:2x2", folder / "more.jsonl", 2, player=Long()),
    "game of Games": lambda folder: gridlab.Games(games_file(folder))[0],
    "player of 2048": lambda folder: gridlab.make_player("expectimax depth=3", "2048"),
    "merge_terminals": lambda folder: gridlab.merge_terminals([terminals(folder)], folder / "merged"),
}
VALUES = {"Budget", "Direction", "Flaw", "Outcome", "Player", "Rules", "Rules2048", "Symmetry", "Oracle"} | {
    "Games2048",
    "InARowGames",
    "player of 2048",
}  # fmt: skip - small values and machines: a line is enough for a notebook too


def public_types() -> set[str]:
    every = {name: getattr(gridlab, name) for name in gridlab.__all__}
    return {
        name for name, each in every.items() if isinstance(each, type) and not issubclass(each, gridlab.GridlabError)
    }


class Page(HTMLParser):
    """The tags of a page, and whether all are closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        self.seen.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_every_public_type_is_here() -> None:
    assert public_types() == set(MADE)


@pytest.mark.parametrize("name", sorted(MADE | GIVEN))
def test_it_shows_itself_in_a_line_and_in_a_notebook(name: str, folder: Path) -> None:
    thing = (MADE | GIVEN)[name](folder)
    line = repr(thing)
    assert len(line) <= LONGEST
    assert "\n" not in line
    assert not re.search(r" at 0x|\bobject\b", line)
    if name in MADE and name not in ("Player", "Direction", "Flaw", "Outcome"):
        assert line.startswith(f"{name}(")
    page = getattr(thing, "_repr_html_", getattr(thing, "_repr_svg_", str))()
    if name not in VALUES:
        assert page, "a notebook has nothing to show"
        assert len(page) < 40_000
        found = Page(page)
        assert not found.open
        assert {"table", "svg", "b"} & set(found.seen)
        assert found.seen.count("tr") <= MOST_ROWS + 2
        assert "<b>with" not in page


def test_lines_say_what_matters() -> None:
    assert repr(gridlab.Position("tictactoe").play(4)) == "Position(3x3:3 .../.X./...)"
    assert repr(gridlab.solve("XX./OO./...")).startswith("Solution(3x3:3 XX./OO./...: X is to move and wins in 1 ply")
    assert repr(gridlab.census("tictactoe", 1)) == (
        "Census(3x3:3: 5,478 legal positions, 765 up to symmetry, 255,168 games)"
    )
    grade = gridlab.grade("perfect", "tictactoe", 20, workers=1)
    assert repr(grade) == "Grade(perfect, 3x3:3: 100.0 % of 20 positions, 83.9 to 100.0 %)"
    assert str(grade).startswith("3x3:3, 20 positions in which a move can change the value, seed 0\nperfect\n")
    assert repr(gridlab.make_player("alpha-beta depth=2", "squava")) == "AlphaBetaPlayer(alpha-beta depth=2)"


def test_a_sheet_is_escaped_and_has_an_end() -> None:
    rows = [(number, "<i>&") for number in range(100)]
    page = Sheet("<u>", ("a", "b"), rows, ["</div>"]).html()
    assert not {"<u>", "<i>", "</div></div></div>"} & set(re.findall(r"<[ui]>", page))
    assert "… 80 more …" in page
    assert "&lt;i&gt;&amp;" in page
    assert page.count("<tr>") == MOST_ROWS + 2  # the heading, and what is left out
    assert page.index(">99<") > page.index("more")
    assert brief("a\nb  c") == "a b c"
    assert len(line_of(grade_like := object(), "x" * 1000)) == LONGEST
    assert line_of(grade_like, "y") == "object(y)"


def test_a_tablebase_travels(folder: Path) -> None:
    table = gridlab.Tablebase("squava")
    position = gridlab.Position("squava").play("33")
    assert pickle.loads(pickle.dumps(table)).probe(position) == table.probe(position)
