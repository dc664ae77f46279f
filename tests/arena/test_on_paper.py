"""Exams on paper: sheets to hand out, answers that can be kept apart, and tables of answers typed off the sheets."""

import csv
import re
from html import unescape
from pathlib import Path

import pytest

import gridlab
from gridlab.arena.answers import read_table
from gridlab.arena.assess import ClassList, mark, mark_all
from gridlab.arena.exam import Exam, read_exam
from gridlab.arena.printed import page_of, print_exam
from gridlab.core.errors import BadNotation, CorruptFile, FileTrouble
from tests.conftest import Run

FIGURE = re.compile(r"<figure>.*?</figure>", re.DOTALL)
ROW = re.compile(r"<div><span>(\d+)</span><span>(.*?)</span><span>.*?</span></div>")
STANDARD = ["tictactoe-v1", "squava-v1", "2048-3x3-v1"]


@pytest.fixture(scope="module")
def tictactoe() -> Exam:
    return read_exam("tictactoe-v1")


def figures(path: Path) -> dict[int, str]:
    """The questions of a sheet by their numbers."""
    found = FIGURE.findall(path.read_text())
    return {int(re.findall(r"<strong>(\d+)</strong>", each)[0]): each for each in found}


def right_answers(path: Path) -> dict[int, list[str]]:
    """What the page of answers says, the best first."""
    return {
        int(number): unescape(re.sub("<.*?>", "", moves)).split(", ") for number, moves in ROW.findall(path.read_text())
    }


# ---- sheets


@pytest.mark.parametrize("name", STANDARD)
def test_a_sheet_asks_every_question_by_the_names_of_its_moves(name: str, tmp_path: Path) -> None:
    exam = read_exam(name)
    print_exam(exam, tmp_path / "sheet.html")
    found = figures(tmp_path / "sheet.html")
    assert list(found) == [each.id for each in exam.questions]
    for question in exam.questions:
        figure = found[question.id]
        if name.startswith("2048"):
            named = re.findall(r"<i></i> (\w+)<", figure)
            tiles = [int(tile) for tile in re.findall(r">(\d+)</text>", figure)]
            assert tiles == [int(tile) for tile in re.findall(r"\d+", question.board) if int(tile)]
        else:
            named = re.findall(r'font-size="18" text-anchor="middle">([^<]*)<', figure)
            assert f"{question.to_move} to move" in figure
            assert 'class="answer"' in figure
        assert tuple(named) == question.legal


def test_pages_stand_alone(tmp_path: Path) -> None:
    print_exam("squava-v1", tmp_path / "s.html", 5, tmp_path / "a.html")
    for name in ("s.html", "a.html"):
        text = (tmp_path / name).read_text()
        assert not re.search(r"src=|href=|url\(|@import|<script", text)
        assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
        assert "size: A4" in text
        assert "counter(page)" in text


@pytest.mark.parametrize("name", STANDARD)
def test_the_answers_are_right_and_on_a_page_of_their_own(name: str, tmp_path: Path) -> None:
    exam = read_exam(name)
    print_exam(exam, tmp_path / "s.html", 40, tmp_path / "a.html", seed=9)
    found = right_answers(tmp_path / "a.html")
    assert tuple(found) == exam.numbers(40, 9)
    for key in exam.key():
        if key.id in found:
            assert sorted(found[key.id]) == sorted(move for move in key.moves if exam.family.judge(key, move).kept)
            assert found[key.id][: len(key.best)] == key.best
    assert not ROW.findall((tmp_path / "s.html").read_text())


def test_some_questions(tictactoe: Exam, tmp_path: Path) -> None:
    assert tictactoe.numbers() == tuple(range(1, 432))
    assert tictactoe.numbers(3) == (1, 2, 3)
    drawn = tictactoe.numbers(20, 4)
    assert drawn == tictactoe.numbers(20, 4) == tuple(sorted(set(drawn)))
    assert len(drawn) == 20
    assert drawn != tictactoe.numbers(20, 5)
    print_exam(tictactoe, tmp_path / "s.html", 20, seed=4)
    assert tuple(figures(tmp_path / "s.html")) == drawn
    for questions, seed, complaint in ((0, None, "0 questions cannot"), (432, 1, "has 431"), (None, 1, "say how many")):
        with pytest.raises(BadNotation, match=complaint):
            tictactoe.numbers(questions, seed)


def test_an_exam_of_ones_own_is_marked_by_its_file(tmp_path: Path) -> None:
    exam = gridlab.make_exam("3x3:3", tmp_path / "my exam.jsonl", 5)
    print_exam(exam, tmp_path / "s.html", answers=tmp_path / "a.html")
    assert "<code>gridlab exam mark 'my exam.jsonl' answers.csv</code>" in unescape((tmp_path / "a.html").read_text())


def test_what_is_read_is_not_written_over(tmp_path: Path) -> None:
    exam = gridlab.make_exam("3x3:3", tmp_path / "e.jsonl", 5)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for out, answers in (("e.jsonl", None), ("e.key.jsonl", None), ("s.html", "e.key.jsonl"), ("s.html", "s.html")):
        with pytest.raises(FileTrouble, match="is, or lies inside"):
            print_exam(exam, tmp_path / out, answers=None if answers is None else tmp_path / answers)
    (tmp_path / "e.key.jsonl").rename(tmp_path / "drawer.jsonl")
    with pytest.raises(FileTrouble, match="no such file"):
        print_exam(exam, tmp_path / "s.html", answers=tmp_path / "a.html")  # there is no key
    assert not list(tmp_path.glob("*.html"))
    (tmp_path / "drawer.jsonl").rename(tmp_path / "e.key.jsonl")
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_name_cannot_leave_its_place_in_the_style(tmp_path: Path) -> None:
    evil = 'a";}</style><b>\\'
    made = gridlab.make_exam("3x3:3", tmp_path / "e.jsonl", 2)
    exam = Exam(evil, made.rules, made.seed, made.questions, made.positions, made.sha256, made.path)
    print_exam(exam, tmp_path / "s.html", answers=tmp_path / "a.html")
    for page in tmp_path.glob("*.html"):
        text = page.read_text()
        assert text.count("</style>") == 1
        assert "<b>" not in text
        assert '"a;}' in text  # the quotation mark is gone


def test_from_the_sheet_to_the_marks(gridlab: Run, tmp_path: Path) -> None:
    """Who types the answers of the second page into a table has everything right."""
    sheet, answers, table = (str(tmp_path / name) for name in ("s.html", "a.html", "mine.csv"))
    chosen = ["--questions", "12", "--seed", "5"]
    code, out, err = gridlab("exam", "print", "squava-v1", "-o", sheet, "--answers", answers, *chosen)
    assert (code, out, err) == (0, "", f"{sheet}\n{answers}\n")
    right = right_answers(Path(answers))
    with Path(table).open("w", newline="") as file:
        csv.writer(file).writerows([("question", "answer"), *((number, moves[0]) for number, moves in right.items())])
    command = re.findall(r"<code>gridlab (exam mark .*?)</code>", Path(answers).read_text())[0]
    code, out, _ = gridlab(*command.replace("answers.csv", table).split())
    assert code == 0
    assert "squava-v1: 5x5:4-3, 12 questions\nmine\n" in out
    assert re.search(r"all +12 +100\.0%", out)
    assert gridlab("exam", "mark", "squava-v1", table, "--questions", "12")[0] == 2  # others were on that sheet
    assert gridlab("exam", "print", "squava-v1", "-o", sheet, "--seed", "1")[0] == 2


# ---- tables


@pytest.mark.parametrize(
    "text",
    [
        "question,answer\n1,11\n2,\n3,31\n",
        "question;answer\r\n1;11\r\n2;\r\n3;31\r\n",
        "\ufeffQuestion\tAnswer\n3\t31\n1\t11",
        '"question","answer",,\n"1","11",,\n,,,\n3," 31 ",,\n',
    ],
)
def test_tables_as_spreadsheets_save_them(text: str, tictactoe: Exam, tmp_path: Path) -> None:
    path = tmp_path / "Ann.csv"
    path.write_bytes(text.encode())
    found = mark(tictactoe, path, questions=3)
    assert found.player == "Ann"
    assert [each.move for each in found.marked] == ["11", "", "31"]
    assert found.blunders["missing"] == 1

    assert found.as_dict() == mark(tictactoe, str(path), questions=3).as_dict()


def test_a_class_in_one_table(tictactoe: Exam, tmp_path: Path, gridlab: Run) -> None:
    path = tmp_path / "class.CSV"
    path.write_text("question;Ann;Béla\n1;11;12\n2;11;\n3;31;99\n", encoding="utf-8")
    ann, bela = mark_all(tictactoe, path, questions=3)
    assert (ann.player, ann.accuracy, bela.player, bela.accuracy) == ("Ann", 1.0, "Béla", 0.0)
    people = ClassList((ann, bela))
    assert [(row[0], row[1], *row[4:]) for row in people.rows] == [("Ann", 3, 0, 0, 0), ("Béla", 0, 1, 1, 1)]
    assert people.hardest == [(1, 1), (2, 1), (3, 1)]
    with pytest.raises(BadNotation, match="has the answers of 2 people, Ann, Béla; mark_all marks them all"):
        mark(tictactoe, path, questions=3)
    code, out, _ = gridlab("exam", "mark", "tictactoe-v1", str(path), "--questions", "3", "--quiet")
    assert (code, out) == (0, f"{people}\n")
    assert "McNemar" not in out
    page = page_of([ann, bela])
    assert page.count('<section class="person">') == 3  # everybody, and each


def test_two_tables_are_compared_like_other_files(tmp_path: Path, gridlab: Run) -> None:
    for name, move in (("a", "11"), ("b", "12")):
        (tmp_path / f"{name}.csv").write_text(f"question,answer\n1,{move}\n")
    code, out, _ = gridlab("exam", "mark", "tictactoe-v1", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"))
    assert code == 0
    assert "a less b" in out


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "a table of answers begins with the headings question,answer"),
        (b"question\n1\n", "line 1: a table of answers begins with"),
        (b"id,move\n1,11\n", "not with 'id,move'"),
        (b'{"id": 1, "move": "11"}\n', "line 1: a table of answers begins with"),
        (b"question,answer\n1,11\n2,11,13\n", "line 3 has 3 cells, and the first row has 2 headings"),
        (b"question,answer\n1,11\n2\n", "line 3 has 1 cells"),
        (b"question,answer\n1,11\n\n1,12\n", "line 4: question 1 has a row already, line 2"),
        (b"question,answer\nfirst,11\n", "line 2: 'first' is not the number of a question"),
        (b"question,answer\n0,11\n", "line 2: '0' is not the number of a question"),
        (b"question,answer\n1.5,11\n", "line 2: '1.5' is not the number of a question"),
        (b"question,answer\n432,11\n", "line 2: tictactoe-v1 has no question 432; it has 431"),
        (b"question,Ann,,Ben\n1,11,12,13\n", "line 1: column 3 has no heading"),
        (b"question,Ann,Ann\n1,11,12\n", "line 1: two columns are headed 'Ann'"),
        (b"question,Ann,\n1,11,12\n", "line 2: there is an answer in a column without a heading"),
        (b'question,answer\n1,"11\n2,12\n', "line 2 is not a row of a table"),
        (b"question,J\xf6rg\n1,11\n", "is not a table in UTF-8; save it as CSV UTF-8"),
        (b"question," + b",".join(b"p%d" % each for each in range(1001)), "there are 1,001 people"),
    ],
)
def test_tables_that_are_none(content: bytes, complaint: str, tictactoe: Exam, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(CorruptFile, match=re.escape(complaint)):
        read_table(tmp_path / "a.csv", tictactoe)
    with pytest.raises(CorruptFile, match=re.escape(complaint)):
        mark(tictactoe, tmp_path / "a.csv")


def test_answers_to_questions_that_were_not_asked(tictactoe: Exam) -> None:
    with pytest.raises(BadNotation, match="has answered question 9, which is not one of the 3 that were chosen"):
        mark(tictactoe, {9: "11"}, questions=3)
