"""Grades: questions, blunders, faults, seeds and comparisons."""

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gridlab.arena.answers import Answer
from gridlab.arena.assess import FAULT, Grade, Marked, compare, find_questions, grade, plot_grades
from gridlab.arena.exam import Judged, Key, Question
from gridlab.core.errors import BadNotation, BadPlayer, FileTrouble
from gridlab.games import game
from gridlab.inarow.exact.oracle import Oracle
from gridlab.inarow.exact.tablebase.build import build_tablebase
from gridlab.inarow.players import PLAYERS, PerfectPlayer
from gridlab.inarow.position import Position
from gridlab.inarow.questions import JUDGE
from gridlab.inarow.rules import Rules
from gridlab.players.registry import Kind, make_player
from tests.arena.players import Answers, First, Late, add_player
from tests.conftest import Run, Table, in_long_runs

pytestmark = pytest.mark.compiled
RULES = game("tictactoe")
oracle_of = cache(Oracle)
questions_of = cache(find_questions)
BLUNDERS = (*JUDGE.KINDS, FAULT)


class Wrong(First):
    """Always gives the value away."""

    def __init__(self, rules: Rules) -> None:
        self.oracle = oracle_of(rules)

    def move(self, position: Position, random: np.random.Generator) -> int:
        solution = self.oracle.ask(position)
        return next(move.cell for move in solution.moves if move.value != solution.value)


class Slow(First):
    """Keeps the value as slowly as can be."""

    def __init__(self, rules: Rules) -> None:
        self.oracle = oracle_of(rules)

    def move(self, position: Position, random: np.random.Generator) -> int:
        solution = self.oracle.ask(position)
        return max((move.distance or 0, move.cell) for move in solution.moves if move.value == solution.value)[1]


@pytest.mark.parametrize("text", ["3x3:3", *in_long_runs("3x4:4-3", "4x4:3")])
def test_perfect_loses_nothing_and_random_something(text: str) -> None:
    rules = game(text)
    questions = questions_of(rules, 300)
    perfect = grade("perfect", rules, questions=questions, workers=1)
    assert (perfect.positions, perfect.accuracy, perfect.lost_distance) == (300, 1, 0)
    assert perfect.accuracy_interval.low > 0.98
    assert perfect.blunders == dict.fromkeys(BLUNDERS, 0)
    random = grade("random", rules, questions=questions, workers=1)
    assert 0 < random.accuracy < 1
    assert random.lost_distance > 0
    assert compare(perfect, random).difference_interval.low > 0
    assert compare(random, perfect).difference_interval.high < 0


@pytest.mark.parametrize(("text", "positions"), [("4x4:4-3", 80), pytest.param("squava", 4000, marks=pytest.mark.long)])
def test_perfect_by_search_never_blunders_by_the_tablebase(text: str, positions: int, table: Table) -> None:
    """The truth and the player do not share a method here."""
    rules = game(text)
    questions = find_questions(rules, positions, tablebase=table(text).file.path, seed=3)
    perfect = grade("perfect", rules, questions=questions, workers=1 if positions < 1000 else None)
    assert (perfect.positions, perfect.accuracy, perfect.lost_distance) == (positions, 1, 0)


def test_the_first_plies_of_squava() -> None:
    rules = game("squava")
    questions = find_questions(rules, 60, plies=range(4))
    assert {position.ply for position in questions.positions} <= set(range(4))  # type: ignore[attr-defined]
    perfect = grade("perfect", rules, questions=questions, workers=1)
    assert (perfect.accuracy, perfect.lost_distance) == (1, 0)


@pytest.mark.parametrize("text", ["3x3:3", "3x4:4-3"])
def test_questions(text: str) -> None:
    rules = game(text)
    questions = find_questions(rules, 100, seed=1)
    positions: list[Any] = [*questions.positions]
    assert len({position.key for position in positions}) == 100
    for position, key in zip(positions, questions.keys, strict=True):
        solution = oracle_of(rules).ask(position)
        assert position.outcome() is None
        assert key.moves == {position.move_text(move.cell): (move.value, move.distance) for move in solution.moves}
        assert len({value for value, _ in key.moves.values()}) > 1
    plies = Counter(position.ply for position in positions)
    assert max(plies) <= rules.cells - 2
    assert 0 not in plies or text != "3x3:3"  # every first move of tic-tac-toe draws
    short, other = find_questions(rules, 30, seed=1), find_questions(rules, 30, seed=2)
    assert short.positions == questions.positions[:30]
    assert other.positions != short.positions


def test_all_questions_of_tic_tac_toe() -> None:
    """Held to a walk over all positions."""
    oracle, met, open_positions = oracle_of(RULES), set(), {Position(RULES)}
    while open_positions:
        asked = [oracle.ask(each) for each in open_positions]
        met |= {each.position.key for each in asked if len({move.value for move in each.moves}) > 1}
        children = {each.position.play(move.cell).canonical()[0] for each in asked for move in each.moves}
        open_positions = {each for each in children if each.outcome() is None}
    questions = find_questions(RULES, 10_000)
    assert {each.key for each in questions.positions} == met  # type: ignore[attr-defined]
    assert len(questions.questions) == len(met)


def test_large_boards_are_drawn_by_play() -> None:
    rules = game("6x6:3")
    questions = find_questions(rules, 20, plies=range(4, 8))
    assert Counter(question.ply for question in questions.questions) == dict.fromkeys(range(4, 8), 5)
    assert find_questions(rules, 20, plies=range(4, 8)) == questions


def test_positions_that_are_too_hard_are_left_out(caplog: pytest.LogCaptureFixture) -> None:
    rules = game("5x5:5")
    questions = find_questions(rules, 20, nodes=2000, plies=(4, 20))
    assert {question.ply for question in questions.questions} == {20}
    assert caplog.messages == ["ply 4 is left: 3 positions took more than 2,000 nodes"]


def test_the_tablebase_of_a_grade_serves_perfect_too(tmp_path: Path) -> None:
    build_tablebase(RULES, tmp_path / "t.tb")
    perfect = make_player("perfect", RULES, tmp_path / "t.tb")
    assert isinstance(perfect, PerfectPlayer)
    assert perfect.oracle.ask(Position(RULES)).source == "t.tb"
    assert grade("perfect", RULES, 10, tablebase=tmp_path / "t.tb", workers=1).accuracy == 1


def test_a_player_that_is_always_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PLAYERS, "wrong", Kind(Wrong, {}, "for tests"))
    wrong = grade("wrong", RULES, questions=questions_of(RULES, 200), workers=1)
    assert (wrong.accuracy, wrong.accuracy_interval.low, wrong.lost_distance) == (0, 0, 0)
    assert sum(wrong.blunders.values()) == 200
    assert wrong.blunders["fault"] == 0
    values = Counter(each.value for each in wrong.outcomes)
    assert wrong.blunders["win->draw"] + wrong.blunders["win->loss"] == values["win"] > 0
    assert wrong.blunders["draw->loss"] == values["draw"] > 0


def test_lost_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PLAYERS, "slow", Kind(Slow, {}, "for tests"))
    slow = grade("slow", RULES, questions=questions_of(RULES, 200), workers=1)
    assert slow.accuracy == 1
    lost = [each.lost for each in slow.outcomes if each.value == "win"]
    assert [each.lost for each in slow.outcomes if each.value == "draw"] == [None] * (200 - len(lost))
    assert slow.lost_distance == sum(each or 0 for each in lost) / len(lost) > 0


def test_the_same_seed_is_the_same_grade_for_any_workers() -> None:
    one = grade("random", RULES, 60, seed=3, workers=1)
    assert grade("random", RULES, 60, seed=3, workers=2) == one
    assert grade("random", RULES, 60, seed=4, workers=1).outcomes != one.outcomes


def test_plies_add_up() -> None:
    found = grade("random", game("3x4:4-3"), questions=questions_of(game("3x4:4-3"), 150), workers=1)
    assert [row["ply"] for row in found.by_ply] == sorted({each.position.ply for each in found.outcomes})
    assert sum(row["positions"] for row in found.by_ply) == found.positions == 150
    assert round(sum(row["positions"] * row["accuracy"] for row in found.by_ply)) == round(150 * found.accuracy)
    assert {kind: sum(row["blunders"][kind] for row in found.by_ply) for kind in BLUNDERS} == found.blunders
    assert sum(found.blunders.values()) == 150 - round(150 * found.accuracy)


@pytest.mark.parametrize(
    ("make", "sentence"), [(Late, "no answer within 2"), (lambda: Answers(99), "is not a free cell")]
)
def test_faults(monkeypatch: pytest.MonkeyPatch, make: type[First], sentence: str) -> None:
    add_player(monkeypatch, "faulty", make)
    found = grade("faulty", RULES, questions=questions_of(RULES, 20), workers=1)
    assert found.accuracy == 0
    assert found.blunders == {"win->draw": 0, "win->loss": 0, "draw->loss": 0, "fault": 20}
    assert sentence in found.faults[0]
    assert str(found).endswith("and 15 more faults")


def test_as_dict_and_text() -> None:
    found = grade("random", RULES, 50, seed=2, workers=1)
    report = found.as_dict()
    keys = "player rules positions accuracy accuracy_interval blunders lost_distance by_ply seed"
    assert set(report) == set(keys.split())
    assert (report["player"], report["rules"], report["positions"], report["seed"]) == ("random", "3x3:3", 50, 2)
    assert set(report["by_ply"][0]) == {"ply", "positions", "accuracy", "accuracy_interval", "blunders"}
    lines = str(found).splitlines()
    assert lines[0] == "3x3:3, 50 positions in which a move can change the value, seed 2"
    assert lines[-2].split()[:3] == ["all", "50", f"{found.accuracy:.1%}"]
    assert len(lines) == 6 + len(found.by_ply)


def test_compare() -> None:
    random = grade("random", RULES, questions=questions_of(RULES, 30), workers=1)
    itself = compare(random, random)
    assert itself.difference == 0
    assert itself.difference_interval.low < 0 < itself.difference_interval.high
    with pytest.raises(BadNotation, match="not on the same positions"):
        compare(random, grade("random", RULES, 30, seed=1, workers=1))


def marked(position: Position, kept: bool) -> Marked:
    question, key = Question(1, "3x3:3", "", "X", ("11", "12"), ply=0), Key(1, "win", 1, {})
    return Marked(question, position, key, Answer(1, "11"), "11", Judged("" if kept else "win->draw", None, ()))


def test_the_interval_of_a_difference() -> None:
    """Close to the normal one for many questions."""
    start = Position(RULES)
    better = np.repeat([1, 0, -1], [300, 600, 100])
    a, b = (
        Grade(name, RULES, 0, tuple(marked(start, bool(kept)) for kept in better != missed))
        for name, missed in (("a", -1), ("b", 1))
    )
    found = compare(a, b)
    assert found.difference == pytest.approx(0.2)
    error = 1.96 * better.std() / 1000**0.5
    assert found.difference_interval == pytest.approx((0.2 - error, 0.2 + error), abs=0.003)
    assert compare(a, b) == found
    assert found.as_dict()["difference_interval"] == list(found.difference_interval)
    assert str(found).startswith("accuracy of a less that of b: +20.0 percentage points, 95 % +16")


def test_plot(tmp_path: Path) -> None:
    questions = questions_of(RULES, 300)
    grades = [grade(player, RULES, questions=questions, workers=1) for player in ("heuristic", "random")]
    plot_grades(grades, tmp_path / "grade.svg")
    assert (tmp_path / "grade.svg").read_text(encoding="utf-8").startswith("<?xml")
    with pytest.raises(FileTrouble, match="not a name for a picture"):
        plot_grades(grades, tmp_path / "grade.txt")


@pytest.mark.parametrize(
    ("text", "positions", "seed", "sentence"),
    [
        ("3x3:3", 0, 0, "0 positions are too few for a grade"),
        ("3x3:3", 10, -1, "'-1' is not a seed"),
        ("2x2:2", 10, 0, "no position of 2x2:2 was found in which a move changes the value"),
    ],
)
def test_wrong_settings(text: str, positions: int, seed: int, sentence: str) -> None:
    with pytest.raises(BadNotation, match=sentence):
        grade("random", game(text), positions, seed=seed, workers=1)


@pytest.mark.parametrize("player", ["nobody", "alpha-beta depth=99"])
def test_a_wrong_player(player: str) -> None:
    with pytest.raises(BadPlayer):
        grade(player, RULES, 10, workers=1)


@pytest.mark.compiled
def test_mistakes_are_told(gridlab: Run) -> None:
    words = ("grade", "random", "--game", "3x3:3", "--positions", "40", "--seed", "1", "--quiet", "--workers", "1")
    code, out, _ = gridlab(*words, "--verbose", "--json")
    report = json.loads(out)
    assert code == 0
    assert len(report["mistakes"]) == sum(report["blunders"].values()) > 0
    oracle = Oracle(Rules(3, 3, 3))
    for each in report["mistakes"]:
        position = Position.parse(each["board"], Rules(3, 3, 3))
        before, after = each["change"].split("->")
        assert oracle.ask(position).value == before
        assert {"win": "loss", "loss": "win", "draw": "draw"}[oracle.ask(position.play(each["move"])).value] == after
    assert "random, a mistake\n" in gridlab(*words, "-v")[1]
