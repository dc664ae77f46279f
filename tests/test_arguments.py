"""Arguments of a wrong type: every public function refuses them with a sentence; texts are taken where rules are."""

import inspect
from collections.abc import Callable
from enum import Enum, IntEnum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gridlab
from gridlab.core.arguments import typed

WRONG: list[Any] = [
    object(), 1j, float("nan"), 1.5, True, -7, "wrong", b"wrong", None, [1], [[1], [2, 3]], {"a": 1}, (), len,
    np.array([[1, 2], [3, 4]]), np.array(["a"]), int, gridlab.Outcome.DRAW,
]  # fmt: skip
RESULTS = {  # made by functions, never by hand
    "Census", "Comparison", "Evaluation2048", "Exam", "Grade", "Grade2048", "Info", "Marks", "Match", "NTupleTraining",
    "Probe2048", "Record", "ScoreMatch", "Session", "Solution", "SupervisedTraining", "Symmetry", "Tournament",
    "Training", "Whole2048", "Player", "Flaw", "Outcome", "Direction",
}  # fmt: skip
FUNCTIONS = sorted(
    name
    for name in set(gridlab.__all__) - RESULTS - {"NAMED", "RESULTS_VERSION", "__version__"}
    if not (isinstance(each := getattr(gridlab, name), type) and issubclass(each, gridlab.GridlabError))
)


def sentence(error: BaseException) -> bool:
    """Whether it is one for people: words, one line, not too long, and no mere repr of an inner error."""
    text = str(error)
    return len(text.split()) >= 5 and len(text) < 700 and "object has no attribute" not in text


def tried(function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Call it; whatever it says must be said on purpose. A call that goes well is no wrong one."""
    said: Exception | None = None
    try:
        found = function(*args, **kwargs)
        if inspect.isgenerator(found):
            next(found, None)
    except (gridlab.GridlabError, TypeError) as error:
        said = error
    if isinstance(said, gridlab.GridlabError):
        assert sentence(said), f"{function}: {said}"
    elif said is not None:
        assert "argument" in str(said), f"{function}: {said!r}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_wrong_type_gets_a_sentence(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the first argument, and as every other one by name after it."""
    monkeypatch.chdir(tmp_path)
    function: Any = getattr(gridlab, name)
    parameters = list(inspect.signature(function).parameters.values())
    needed = [each for each in parameters if each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD]
    for wrong in WRONG:
        if name not in ("generate", "train_ntuple") or not isinstance(wrong, str):  # which would be the name of a file
            tried(function, *[wrong] * max(1, len(needed)))
    for each in parameters:
        if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY) and each not in needed:
            tried(function, *[object()] * len(needed), **{each.name: object()})
    tried(function, 1, 2, 3, nothing=4)


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "a board of one and a half rows": (lambda: gridlab.Rules(1.5, 3, 3), "rows of a game is a whole number, not 1.5"),  # type: ignore[arg-type]
    "True rows": (lambda: gridlab.Rules(True, 3, 3), "rows of a game is a whole number, not True"),
    "rows of 2048": (lambda: gridlab.Rules2048(2.5, 2), "rows of a board is a whole number, not 2.5"),  # type: ignore[arg-type]
    "odds": (lambda: gridlab.Rules2048(2, 2, float("nan")), "the share of fours is a number from 0 to 1, not nan"),
    "an array": (lambda: gridlab.game(np.array([1, 2])), r"array\(\[1, 2\]\) is not the rules of a game"),  # type: ignore[call-overload]
    "workers": (lambda: gridlab.census("tictactoe", float("nan")), "census takes a whole number or None as workers"),  # type: ignore[arg-type]
    "nodes": (lambda: gridlab.Budget(1j), "a budget has a whole number of nodes"),  # type: ignore[arg-type]
    "seconds": (lambda: gridlab.Budget(None, float("inf")), "a budget has a number of seconds"),
    "best-first": (lambda: gridlab.best_first(gridlab.Position("squava")), "n in a row on n×n boards"),
    "a folder": (lambda: gridlab.find_terminals("wins"), "wins holds no dataset"),
    "a position": (lambda: gridlab.solve(3), "solve takes a Position or a text as position, not 3"),  # type: ignore[arg-type]
    "two games": (lambda: gridlab.solve("/".join(["....."] * 5)), "is a board of 5x5:5 and 5x5:4-3 alike; say the"),
    "no game": (lambda: gridlab.solve("..../..../...."), "is not a board of a game that has a name; say the rules"),
    "a move": (lambda: gridlab.Position("tictactoe").play(1.0), "1.0 is not a move; a move is a cell such as 4"),  # type: ignore[arg-type]
    "stones": (lambda: gridlab.Position("tictactoe", "X"), "stones are a whole number"),  # type: ignore[arg-type]
    "tiles": (lambda: gridlab.Position2048([2, 4.5]), "is not a board of 2048; 16 tiles"),  # type: ignore[list-item]
    "a direction": (lambda: gridlab.Position2048([2, 2] * 8).play(7), "7 is not a direction; there are up, down, left"),
    "one player for several": (lambda: gridlab.play_tournament("random", "tictactoe"), "takes a list as players"),
    "a curriculum": (lambda: gridlab.generate("2048", "x.jsonl", curriculum="harder"), "takes one of '', 'easy'"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call, words = REFUSED[name]
    with pytest.raises(gridlab.GridlabError, match=words):
        call()


def test_text_is_taken_where_rules_are() -> None:
    rules = gridlab.game("tictactoe")
    assert gridlab.Position("tictactoe") == gridlab.Position(rules)
    assert gridlab.Position.parse("X../.O./...", "tictactoe").rules == rules
    assert gridlab.Position.unpack(9, "3x3:3") == gridlab.Position.unpack(9, rules)
    assert gridlab.solve("X../.O./...").value == "draw"
    assert gridlab.Oracle("tictactoe").ask("X../.O./...").value == "draw"
    assert gridlab.find_flaw(0, 1, "tictactoe") is gridlab.Flaw.TOO_MANY_NOUGHTS
    assert gridlab.check_game("tictactoe", 1) > 1
    assert gridlab.make_player("random", "tictactoe").move(gridlab.Position(rules), np.random.default_rng(1)) < 9
    empty = gridlab.Position2048(gridlab.game("2048:2x3"))
    assert empty == gridlab.Position2048("2048:2x3") == gridlab.Position2048((0,) * 6, rules="2048:2x3")
    assert gridlab.Position2048(np.array([[2, 0], [0, 4]]), rules="2048:2x2").tiles == (2, 0, 0, 4)
    assert gridlab.Rules(np.int64(3), 3, 3) == rules  # type: ignore[arg-type]


class Compass(IntEnum):
    NORTH, SOUTH, WEST, EAST = range(4)


class Named(Enum):
    LEFT = object()


def test_directions_in_every_dialect() -> None:
    position = gridlab.Position2048([2, 0, 0, 2] * 4)
    left = position.play("left")
    for each in ("LEFT", " Left ", 2, np.int64(2), gridlab.Direction.LEFT, Compass.WEST, Named.LEFT):
        assert position.play(each) == left  # type: ignore[arg-type]
    assert gridlab.Direction("Up") is gridlab.Direction(0) is gridlab.Direction.UP  # type: ignore[arg-type]
    assert {"right": 3}[gridlab.Direction.RIGHT] == 3
    assert gridlab.Direction.RIGHT.number == 3
    for wrong in (4, -1, True, "upwards", None, 1.0):
        with pytest.raises(gridlab.IllegalMove, match="is not a direction; there are up, down, left, right, or 0 to 3"):
            position.play(wrong)  # type: ignore[arg-type]


class InNumbers:
    """Answers with the number of a direction."""

    def move(self, position: gridlab.Position2048, random: np.random.Generator) -> int:
        return gridlab.Direction(position.moves()[0]).number


def test_players_may_answer_in_numbers() -> None:
    assert gridlab.evaluate(InNumbers(), "2048:2x2", 2).games == 2  # type: ignore[arg-type]
    assert gridlab.grade(InNumbers(), "2048:2x2", 20).player == "InNumbers"
    assert gridlab.follow_player(InNumbers(), "2048:2x2").mean_score > 0  # type: ignore[arg-type]
    session = gridlab.Session.begin("2048:2x2", {"player": InNumbers()}, seed=1)
    assert session.reply() in ("up", "down", "left", "right")


def test_tiles_and_exponents() -> None:
    tiles = np.array([[0, 2], [4, 32768]], np.int32)
    exponents = gridlab.exponents_of(tiles)
    assert exponents.tolist() == [[0, 1], [2, 15]]
    assert exponents.dtype == np.uint8
    assert gridlab.tiles_of(exponents).tolist() == tiles.tolist()
    assert gridlab.tiles_of([30]).tolist() == [1 << 30]
    for wrong in ([1], [3], [-2], [2.0], "2", [1 << 31]):
        with pytest.raises(gridlab.BadNotation, match="tiles"):
            gridlab.exponents_of(wrong)
    for large in ([31], [-1], [0.5], [[1], [1, 2]]):
        with pytest.raises(gridlab.BadNotation, match="exponents"):
            gridlab.tiles_of(large)


def test_one_door_for_both_families(tmp_path: Path) -> None:
    table = gridlab.Tablebase("2048:2x2")
    assert isinstance(table, gridlab.Tablebase2048)
    assert isinstance(gridlab.Tablebase(table.file.path), gridlab.Tablebase2048)
    assert isinstance(gridlab.grade("random", "2048:2x2", 20), gridlab.Grade2048)
    with pytest.raises(gridlab.BadNotation, match="questions are for in-a-row games"):
        gridlab.grade("random", "2048:2x2", 20, questions=[])
    exam = gridlab.make_exam("2048:2x3", tmp_path / "small.jsonl", 5)
    assert gridlab.mark(exam, gridlab.sit(exam, "random", workers=1)).exam.rules == gridlab.Rules2048(2, 3)


def test_games_are_made_without_private_names(tmp_path: Path) -> None:
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for file in files:
        made = gridlab.generate("2048:2x3", file, 2, depth=2, max_moves=9, seed=5)
    assert (made.settings.seed, made.settings.depth, made.settings.rules) == (5, 2, "2048:2x3")
    one, other = ([game.boards.tolist() for game in gridlab.Games(file)] for file in files)
    assert one == other
    by_name = gridlab.generate("2048", tmp_path / "c.jsonl", 1, player="random", seed=5)
    assert by_name.settings.player == "random"
    with pytest.raises(gridlab.BadNotation, match="seed and settings are both given"):
        gridlab.generate("2048", tmp_path / "d.jsonl", 1, settings=made.settings, seed=1)


def test_annotations_are_what_is_checked() -> None:
    @typed
    def both(number: int, *others: str, share: float = 0.5, **more: object) -> float:
        return number + share

    assert both(1, "a", "b", share=np.float32(0.5), else_=1) == 1.5  # type: ignore[arg-type]
    for args, words in {("1",): "a whole number as number, not '1'", (1, 2): "a text as others, not 2"}.items():
        with pytest.raises(gridlab.BadNotation, match=words):
            both(*args)  # type: ignore[arg-type]
    with pytest.raises(gridlab.BadNotation, match="a number as share, not nan"):
        both(1, share=float("nan"))
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        both()  # type: ignore[call-arg]
