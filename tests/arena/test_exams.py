"""Exams: made of the right positions, sat by anybody, marked as by hand."""

import json
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gridlab.arena.answers import read_answers, sit
from gridlab.arena.assess import compare_marks, grade, listed, mark
from gridlab.arena.exam import SHIPPED, Drawn, Exam, Key, key_path, make_exam, read_exam, standard_exams, write_exam
from gridlab.arena.printed import page_of
from gridlab.arena.statistics import mcnemar
from gridlab.core.errors import BadNotation, CorruptFile, FileTrouble
from gridlab.game2048.exact.probe import Tablebase2048
from gridlab.game2048.exam import stake
from gridlab.games import game
from gridlab.inarow.exact.states import positions
from gridlab.inarow.position import Position
from gridlab.inarow.questions import JUDGE, truth_of
from gridlab.inarow.search.alpha_beta import solve
from tests.conftest import Run, Table

STANDARD = {
    "tictactoe-v1": ("3x3:3", 431),
    "4x4-4-3-v1": ("4x4:4-3", 300),
    "squava-v1": ("5x5:4-3", 300),
    "5x5-4-v1": ("5x5:4", 300),
    "2048-3x3-v1": ("2048:3x3", 300),
}
QUICK = 16  # free cells, that search solves in no time


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Exam:
    """Forty questions about 3x4:3."""
    return make_exam("3x4:3", tmp_path_factory.mktemp("exam") / "small.jsonl", 40, seed=3)


def test_questions_are_decisive_different_and_true(small: Exam) -> None:
    assert len({position.key for position in small.positions}) == 40  # type: ignore[attr-defined]
    for position, key in zip(small.positions, small.key(), strict=True):
        assert isinstance(position, Position)
        found = solve(position)
        assert truth_of(found).decisive
        assert (key.value, key.distance) == (found.value, found.distance)
        assert {position.parse_move(move): worth for move, worth in key.moves.items()} == {
            move.cell: (move.value, move.distance) for move in found.moves
        }


def test_questions_come_from_all_plies_and_distances_in_turn(small: Exam) -> None:
    plies = [each.stage for each in small.questions]
    first = plies[: len(set(plies))]
    assert first == sorted(set(plies))  # every ply once before any comes again
    depths = {(each.ply, key.depth) for each, key in zip(small.questions, small.key(), strict=True)}
    assert len(depths) > 2 * len(first)


def test_the_same_seed_makes_the_same_bytes(small: Exam, tmp_path: Path) -> None:
    again = make_exam("3x4:3", tmp_path / "small.jsonl", 40, seed=3)
    assert again.path.read_bytes() == small.path.read_bytes()
    assert key_path(again.path).read_bytes() == key_path(small.path).read_bytes()
    other = make_exam("3x4:3", tmp_path / "small.jsonl", 40, seed=4)
    assert other.path.read_bytes() != small.path.read_bytes()


def test_plies_can_be_chosen(tmp_path: Path) -> None:
    made = make_exam("3x3:3", tmp_path / "late.jsonl", 10, plies=range(4, 7))
    assert {each.ply for each in made.questions} == {4, 5, 6}
    with pytest.raises(BadNotation, match="0 to 7 have a choice"):
        make_exam("3x3:3", tmp_path / "late.jsonl", 10, plies=range(8, 9))


def test_the_questions_of_a_seed_about_2048(tmp_path: Path) -> None:
    """Whoever has an exam can make it again, with any later version that draws in the same way."""
    made = make_exam("2048:2x3", tmp_path / "exam.jsonl", 4, seed=7)
    assert [str(each) for each in made.positions] == ["4 2 4/4 2 .", "2 4 2/2 8 4", "8 4 8/4 . 16", "2 32 16/. . 2"]


def test_an_exam_about_2048_is_true(tmp_path: Path) -> None:
    made = make_exam("2048:2x3", tmp_path / "small.jsonl", 60, seed=1)
    table = Tablebase2048("2048:2x3")
    stakes = set()
    for question, position, key in zip(made.questions, made.positions, made.key(), strict=True):
        assert key.moves == table.values(position)  # type: ignore[arg-type]
        assert question.sum == sum(position.tiles)  # type: ignore[attr-defined]
        stakes.add(stake(key.moves))
    assert stakes == {-4, -3, -2, -1}
    perfect, worst = mark(made, sit(made, "perfect", workers=1)), {}
    assert perfect.accuracy == 1
    assert perfect.regret == 0
    for key in made.key():
        worst[key.id] = min(key.moves, key=key.moves.__getitem__)
    marks = mark(made, worst)
    assert marks.accuracy == 0
    assert marks.regret == pytest.approx(np.mean([key.value - min(key.moves.values()) for key in made.key()]))
    assert sum(marks.blunders.values()) == 60
    assert "points lost a move" in str(marks)
    assert "<svg" in page_of([marks])
    with pytest.raises(BadNotation, match="--plies is for in-a-row games"):
        make_exam("2048:2x3", tmp_path / "x.jsonl", 5, plies=range(3))
    with pytest.raises(FileTrouble, match="an exam needs a table of"):
        make_exam("2048:3x3", tmp_path / "x.jsonl", 5)


# ---- marks


HAND = [  # board, and for each legal move what it comes to: worked out on paper
    ("XX./OO./...", {"13": ("win", 1), "23": ("draw", 5), "31": ("loss", 2), "32": ("loss", 2), "33": ("loss", 2)}),
    ("X.O/.X./...", {"33": ("draw", 6), "12": ("loss", 2), "21": ("loss", 2), "23": ("loss", 2), "31": ("loss", 2),
                     "32": ("loss", 2)}),
]  # fmt: skip


@pytest.fixture
def hand(tmp_path: Path) -> Exam:
    """An exam of the two positions above."""
    rules = game("3x3:3")
    drawn = []
    for number, (board, moves) in enumerate(HAND, 1):
        position = Position.parse(board, rules)
        ordered = {position.move_text(move): moves[position.move_text(move)] for move in position.moves()}
        value = "win" if number == 1 else "draw"
        key = Key(number, value, 1 if number == 1 else 6, ordered)  # type: ignore[arg-type]
        drawn.append(Drawn(JUDGE.question(number, position), position, key))
    write_exam(tmp_path / "hand.jsonl", rules, 0, drawn)
    return read_exam(tmp_path / "hand.jsonl")


def answers(folder: Path, *lines: object, name: str = "mine.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_marks_by_hand(hand: Exam, tmp_path: Path) -> None:
    good = mark(hand, answers(tmp_path, {"id": 1, "move": "13"}, {"id": 2, "move": 33, "note": "as a number"}))
    assert (good.accuracy, good.regret, good.player) == (1.0, 0.0, "mine")
    half = mark(hand, answers(tmp_path, {"id": 2, "move": "12"}, {"id": 1, "move": "1, 3"}))  # any order, any notation
    assert half.accuracy == 0.5
    assert half.blunders == {"win->draw": 0, "win->loss": 0, "draw->loss": 1, "illegal": 0, "missing": 0}
    bad = mark(hand, answers(tmp_path, {"id": 1, "move": "11"}))  # occupied, and nothing
    assert bad.blunders == {"win->draw": 0, "win->loss": 0, "draw->loss": 0, "illegal": 1, "missing": 1}
    silent = mark(hand, answers(tmp_path, {"id": 1, "move": None, "error": "late"}, {"id": 2, "move": "I think 33"}))
    assert silent.blunders["missing"] == silent.blunders["illegal"] == 1
    assert mark(hand, {1: "23", 2: "33"}).blunders["win->draw"] == 1


def test_expectations_by_hand(hand: Exam) -> None:
    """One of five moves keeps the win, one of six the draw; the first legal moves, 13 and 12, win and lose."""
    marks = mark(hand, {})
    assert marks.random.accuracy == (Fraction(1, 5) + Fraction(1, 6)) / 2
    assert marks.random.blunders == {
        "win->draw": Fraction(1, 10),
        "win->loss": Fraction(3, 10),
        "draw->loss": Fraction(5, 12),
    }
    assert marks.first_legal.accuracy == Fraction(1, 2)


def test_regret_counts_the_plies_of_a_later_win(tmp_path: Path) -> None:
    made = make_exam("3x3:3", tmp_path / "some.jsonl", 60)
    slow = {}
    for key in made.key():
        kept = {move: distance for move, (value, distance) in key.moves.items() if value == key.value}
        slow[key.id] = max(kept, key=kept.__getitem__)
    marks = mark(made, slow)
    expected = [
        max(distance for value, distance in key.moves.values() if value == "win") - key.distance
        for key in made.key()
        if key.value == "win"
    ]
    assert marks.accuracy == 1
    assert marks.regret == pytest.approx(np.mean(expected))
    assert marks.regret != 0


def test_the_exact_score_of_random_is_what_random_gets(small: Exam) -> None:
    """`grade random` and sittings of random, on the same questions, scatter around the number worked out."""
    rules = game("3x4:3", "mnk")
    exact = mark(small, {}).random
    graded = [grade("random", rules, questions=small, seed=seed, workers=1) for seed in range(40)]
    shares = [each.accuracy for each in graded]
    error = float(exact.accuracy * (1 - exact.accuracy) / (40 * len(small.questions))) ** 0.5  # at most
    assert abs(np.mean(shares) - float(exact.accuracy)) < 4 * error
    for kind, share in exact.blunders.items():
        assert abs(np.mean([each.blunders[kind] / 40 for each in graded]) - float(share)) < 0.06
    same = mark(small, sit(small, "random", seed=7, workers=1))
    assert same.accuracy == graded[7].accuracy  # the same chance, too


def test_first_legal_is_what_the_first_legal_move_gets(small: Exam) -> None:
    class First:
        def move(self, position: Position, random: object) -> int:
            return position.moves()[0]

    marks = mark(small, sit(small, First(), workers=1))
    assert marks.player == "First"
    assert marks.accuracy == float(marks.first_legal.accuracy)
    assert {kind: count / 40 for kind, count in marks.blunders.items() if count} == {
        kind: float(share) for kind, share in marks.first_legal.blunders.items() if share
    }


def test_sittings_do_not_hang_on_workers(small: Exam) -> None:
    assert sit(small, "random", seed=1, workers=1) == sit(small, "random", seed=1, workers=2)


def test_two_files_are_compared_question_by_question(hand: Exam, small: Exam) -> None:
    a, b = mark(hand, {1: "13", 2: "33"}), mark(hand, {1: "13", 2: "12"})
    paired = compare_marks(a, b)
    assert (paired.both, paired.only_a, paired.only_b, paired.neither, paired.difference) == (1, 1, 0, 0, 0.5)
    assert paired.p == 1.0
    with pytest.raises(BadNotation, match="different exams"):
        compare_marks(a, mark(small, {}))


@pytest.mark.parametrize(("one", "other"), [(0, 0), (1, 0), (5, 5), (10, 2), (3, 17)])
def test_mcnemar_is_the_sum_of_the_coins(one: int, other: int) -> None:
    number = one + other
    coins = [comb(number, heads) / 2**number for heads in range(number + 1)]
    extreme = sum(chance for heads, chance in enumerate(coins) if abs(heads - number / 2) >= abs(one - number / 2))
    assert mcnemar(one, other) == pytest.approx(extreme)


# ---- files


def test_answers_are_kept_as_they_come_and_a_sitting_goes_on(small: Exam, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    whole = sit(small, "random", path, seed=5, workers=1)
    lines = path.read_bytes().splitlines(keepends=True)
    assert json.loads(lines[0]) == {
        "format": "gridlab-exam-answers", "version": 1, "exam": "small", "player": "random",
    }  # fmt: skip
    path.write_bytes(b"".join(lines[:11]) + b'{"id": 11, "error": "late"}\n')
    assert sit(small, "random", path, seed=5, workers=1, resume=True) == whole
    assert read_answers(path, small) == whole
    with pytest.raises(FileTrouble, match="has the answers of random, not of heuristic"):
        sit(small, "heuristic", path, resume=True)


def test_a_sitting_that_was_stopped_is_not_written_over(small: Exam, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    whole = sit(small, "random", path, seed=5, workers=1)
    lines = path.read_bytes().splitlines(keepends=True)
    assert sit(small, "random", path, seed=5, workers=1) == whole  # a whole one may be
    other = lines[0].replace(b'"small"', b'"other"')
    for left in (lines[:1], lines[:-1], [*lines[:4], lines[4][:9]], [other, *lines[1:]]):
        path.write_bytes(b"".join(left))
        with pytest.raises(FileTrouble, match="is what an earlier sitting has left; go on with --resume, or remove it"):
            sit(small, "random", path, workers=1)
        assert path.read_bytes() == b"".join(left)
    path.write_bytes(b"something else")
    assert sit(small, "random", path, seed=5, workers=1) == whole


def test_nobody_else_writes_the_answers_of_a_sitting(small: Exam, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"

    class Curious:
        """Tries, while it is asked, to write where its own answers go."""

        def move(self, position: Any, random: Any) -> int:
            with ThreadPoolExecutor(1) as other:  # locks are of a thread, as they are of a process
                refused = other.submit(sit, small, "random", path, workers=1, resume=True).exception()
            assert "another process is writing" in str(refused)
            return int(position.moves()[0])

    given = sit(small, Curious(), path, workers=1)
    assert {each.error for each in given.given.values()} == {""}
    assert read_answers(path, small).given == given.given


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ([{"id": 3, "move": "11"}], "has no question 3; it has 2"),
        ([{"id": 0, "move": "11"}], "line 1 is not an answer"),
        ([{"id": 1, "move": "11"}, {"id": 1, "move": "12"}], "line 2: question 1 is answered a second time"),
        ([{"move": "11"}], "line 1 is not an answer"),
        ([{"id": 1, "move": [11]}], "line 1 is not an answer"),
        ([{"format": "gridlab-exam-answers", "version": 2}], "line 1 is not the head of answers"),
        (
            [{"format": "gridlab-exam-answers", "version": 1, "exam": "other", "player": "x"}],
            "answers to the exam other, not to hand",
        ),
    ],
)
def test_answers_that_are_none(hand: Exam, tmp_path: Path, lines: list[object], complaint: str) -> None:
    with pytest.raises(CorruptFile, match=complaint):
        mark(hand, answers(tmp_path, *lines))


def test_an_exam_says_what_is_true_or_is_refused(hand: Exam, tmp_path: Path) -> None:
    content = hand.path.read_text()
    for old, new, complaint in [
        ('"ply": 4', '"ply": 5', "'ply' is '5', where '4' is true"),
        ('"to_move": "X"', '"to_move": "O"', "'to_move' is 'O', where 'X' is true"),
        ('"13", ', "", "'legal' is"),
        ("XX./OO./...", "XXX/OO./O..", "line 2: "),
        ('"questions": 2', '"questions": 3', "has 2 entries, where 3 are needed"),
        ('"version": 1', '"version": 2', "is not the head of an exam"),
        ('"id": 2', '"id": 3', "'id' is '3', where '2' is true"),
    ]:
        assert old in content
        hand.path.write_text(content.replace(old, new, 1))
        with pytest.raises(CorruptFile, match=complaint):
            read_exam(hand.path)
    hand.path.write_text(content.replace('"seed": 0', '"seed": 1'))
    with pytest.raises(CorruptFile, match="is the key of another exam"):
        mark(hand.path, {})


def test_a_key_says_what_can_be_or_is_refused(hand: Exam) -> None:
    path = key_path(hand.path)
    content = path.read_text()
    for old, new, complaint in [
        ('"13": ["win", 1]', '"13": ["win", 2]', "its best move is win in 2"),
        ('"13": ["win", 1]', '"13": ["draw", 5]', "its best move is draw in 5"),
        ('"23": ["draw", 5]', '"23": ["draw", 4]', "23 is a draw in 4, with 5 free cells"),
        ('"13": ["win", 1], ', "", "answers another question than number 1"),
        ('["loss", 2]', '["lost", 2]', "line 2 is not an entry of a key"),
        ('"questions": 2', '"questions": 1', "has 2 entries, where 1 are needed"),
    ]:
        assert old in content
        path.write_text(content.replace(old, new, 1))
        with pytest.raises(CorruptFile, match=complaint):
            hand.key()


def test_a_name_that_is_no_exam(gridlab: Run) -> None:
    assert gridlab("exam", "mark", "nothing-v1", __file__)[0] == 2
    code, _, err = gridlab("exam", "sit", "nothing-v1", "random")
    assert code == 2
    assert "tictactoe-v1" in err


# ---- the standard exams


def test_the_standard_exams_are_these() -> None:
    found = {each.exam.name: (str(each.exam.rules), len(each.marked)) for each in listed().exams}
    assert found == STANDARD
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < 1 << 20


def test_the_exam_of_tictactoe_is_complete() -> None:
    """Every class of positions in which a move can change the value, counted by listing all positions."""
    classes = {each.key: each for each in positions(game("3x3:3", "mnk"))}
    decisive = {key for key, each in classes.items() if not each.over and truth_of(solve(each)).decisive}
    exam = read_exam("tictactoe-v1")
    assert {position.key for position in exam.positions} == decisive  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", [name for name, (rules, _) in STANDARD.items() if not rules.startswith("2048")])
def test_keys_are_what_search_finds(name: str) -> None:
    """Made from tablebases (5x5:4 by search), checked by alpha-beta where that is quick: the later positions."""
    exam = read_exam(name)
    checked = 0
    for position, key in list(zip(exam.positions, exam.key(), strict=True))[::7]:
        assert isinstance(position, Position)
        if position.rules.cells - position.ply <= QUICK - 2:
            found = solve(position)
            moves = {position.move_text(move.cell): (move.value, move.distance) for move in found.moves}
            assert key.moves == moves
            checked += 1
    assert checked >= 15


@pytest.mark.parametrize("name", ["tictactoe-v1", "4x4-4-3-v1"])
def test_perfect_scores_all(name: str, table: Table) -> None:
    exam = read_exam(name)
    marks = mark(exam, sit(exam, "perfect", tablebase=table(str(exam.rules)).file.path, workers=1))
    assert marks.accuracy == 1
    assert marks.regret == 0
    assert not any(marks.blunders.values())


@pytest.mark.compiled
def test_a_table_that_does_not_know_every_board_makes_no_exam(tmp_path: Path, gridlab: Run) -> None:
    for option in (["--max-sum", "20"], ["--target", "16"]):
        table = str(tmp_path / f"{option[1]}.tb")
        assert gridlab("tablebase", "build", "2048:2x3", *option, "-o", table, "--quiet")[0] == 0
        words = ("exam", "make", "2048:2x3", "--positions", "5", "--tablebase", table, "-o", str(tmp_path / "e.jsonl"))
        code, _, err = gridlab(*words)
        assert (code, "does not know the points to come of every board" in err) == (2, True)


@pytest.mark.long
@pytest.mark.parametrize("name", list(STANDARD))
def test_perfect_scores_all_with_its_tablebase(name: str, tmp_path: Path, gridlab: Run) -> None:
    """The large ones too: minutes."""
    rules, _ = STANDARD[name]
    assert gridlab("tablebase", "build", rules, "-o", str(tmp_path / "t.tb"), "--quiet")[0] == 0
    marks = mark(name, sit(name, "perfect", tablebase=tmp_path / "t.tb"))
    assert marks.accuracy == 1
    assert marks.regret == 0


def test_standard_exams_have_keys_of_their_own() -> None:
    for name in standard_exams():
        exam = read_exam(name)
        assert len(exam.key()) == len(exam.questions)


# ---- commands


def test_quiet_sittings_say_nothing(gridlab: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is there a bar or a line of progress, however long it takes."""
    monkeypatch.setattr("gridlab.core.progress.FIRST_LINE", 0.0)
    words = "exam", "sit", "tictactoe-v1", "random", "--workers", "1", "-o"
    code, out, err = gridlab(*words, str(tmp_path / "a.jsonl"))
    assert (code, out) == (0, "")
    assert err.count("431 answers, 0 missing") == 1
    assert err.count("\n") > 1
    assert gridlab(*words, str(tmp_path / "b.jsonl"), "--quiet") == (0, "", "")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_commands(gridlab: Run, tmp_path: Path) -> None:
    exam, given, page = (str(tmp_path / name) for name in ("e.jsonl", "a.jsonl", "a.html"))
    assert gridlab("exam", "make", "tictactoe", "--positions", "20", "--plies", "3-6", "-o", exam, "--quiet")[0] == 0
    code, out, err = gridlab("exam", "sit", exam, "heuristic", "-o", given, "--workers", "1")
    assert (code, out) == (0, "")
    assert "20 answers, 0 missing" in err
    code, out, _ = gridlab("exam", "sit", exam, "random", "--seed", "1", "--workers", "1", "--quiet")
    assert code == 0
    (tmp_path / "b.jsonl").write_text(out)
    code, out, _ = gridlab("exam", "mark", exam, given, str(tmp_path / "b.jsonl"), "--html", page, "--quiet")
    assert code == 0
    assert "McNemar" in out
    text = Path(page).read_text()
    assert "The worst blunders of random" in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")  # nothing is fetched
    code, out, _ = gridlab("exam", "mark", exam, given, "--json", "--quiet")
    found = json.loads(out)
    assert found["questions"] == 20
    assert found["expected"]["random"]["accuracy"] == pytest.approx(found["random"])
    assert gridlab("exam", "show", exam)[1] == Path(exam).read_text()
    assert "squava-v1" in gridlab("exam", "list")[1]
    assert gridlab("exam", "make", "tictactoe", "--plies", "6-3", "-o", exam)[0] == 2
    assert gridlab("exam", "sit", exam, "random", "--resume")[0] == 2
    assert gridlab("exam", "sit", exam, "random", "-o", exam)[0] == 2
