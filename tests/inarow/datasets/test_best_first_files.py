"""The files of best-first search: what is read, what is written, what is refused."""

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gridlab.core.errors import BadNotation, FileTrouble
from gridlab.inarow.datasets.best_first import (
    BothReports,
    Prover,
    Report,
    answer,
    answer_folder,
    check_places,
    off_turn,
    read_start,
)
from gridlab.inarow.rules import Rules
from gridlab.inarow.search.best_first import Start
from tests.inarow.search import by_the_letter

GOLDEN = Path(__file__).parents[2] / "golden" / "best_first"
SAMPLE = "3\nX.O\n.X.\nO.X\nX\n"
ONGOING = Start(3, 0b000010001, 0b001000100, "X")  # X.O/.X./O..


def read(text: str | bytes, folder: Path) -> Start:
    path = folder / "input.txt"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_start(path)


# ---- golden files


def answer_in(folder: Path, start: Start, prove: Prover | None = None, limit: int = 1000) -> Report:
    report = answer(start, folder / "steps.txt", folder / "output.txt", limit, prove)
    assert isinstance(report, Report)
    return report


@pytest.mark.parametrize("name", ["sample", "reply", "blocked"])
def test_golden_files(name: str, tmp_path: Path) -> None:
    """The document's sample, already won; a line of seven moves; a board on which nothing is found."""
    report = answer_in(tmp_path, read_start(GOLDEN / f"{name}.input.txt"))
    assert (tmp_path / "steps.txt").read_text() == (GOLDEN / f"{name}.steps.txt").read_text()
    assert (tmp_path / "output.txt").read_text() == (GOLDEN / f"{name}.output.txt").read_text()
    assert (tmp_path / "output.txt").read_text() == f"{report}\n"


@pytest.mark.parametrize("name", ["reply", "blocked"])
def test_golden_files_are_what_the_letter_of_the_document_gives(name: str) -> None:
    """Not made by what they test: every step once more by the document's own program."""
    rows = [line.replace(" ", "") for line in (GOLDEN / f"{name}.input.txt").read_text().splitlines() if line[0] != "#"]
    found = by_the_letter.best_first(by_the_letter.to_key(rows[1:-1]), rows[-1], 1000)
    written = (GOLDEN / f"{name}.steps.txt").read_text().split("\n\n")[1:-1]
    assert len(written) == len(found.steps)
    for number, (block, step) in enumerate(zip(written, found.steps, strict=True), 1):
        head, *board = block.splitlines()
        assert head.startswith(
            f"expansion {number}: depth {step.depth}, {step.player} to move, heuristic {step.heuristic} = "
        )
        assert board == ["".join(row) for row in step.board]
    moves = " ".join(f"{row + 1}{col + 1}" for row, col in found.path)
    assert (f": {moves} (" if moves else "Nothing found") in (GOLDEN / f"{name}.output.txt").read_text()


def test_the_first_steps_of_a_golden_file_by_hand() -> None:
    """X in a corner, O in the centre: O is absent from the 4 edges, X from 2 rows, 2 columns and a diagonal, 4 - 5.

    A corner or the far side of an edge takes two more lines from O, 4 - 3: 13, 23, 31, 32 and 33, in this order.
    """
    heads = [line for line in (GOLDEN / "reply.steps.txt").read_text().splitlines() if line.startswith("exp")]
    assert heads[0].endswith("depth 0, X to move, heuristic -1 = 4 - 5")
    assert all(head.endswith("depth 1, O to move, heuristic 1 = 4 - 3") for head in heads[1:6])
    assert heads[6].endswith("depth 1, O to move, heuristic 0 = 4 - 4")


# ---- reading


@pytest.mark.parametrize(
    "text",
    [
        "3\nX.O\n.X.\nO..\nX\n",
        "3\nX.O\n.X.\nO..\nX",
        "3\r\nX.O\r\n.X.\r\nO..\r\nX\r\n",
        "\n\n3\n\nX.O\n\n.X.\nO..\n\nX\n\n",
        "# a board\n3 # its size\nX.O # row 1\n#\n.X.\nO..\n  # and\nX# moves",
        "3\nX . O\n. X .\nO\t.  .\n X \n",
        "3\nx.o\n.x.\no..\nx\n",
        "\ufeff3\nX.O\n.X.\nO..\nX\n",
    ],
)
def test_what_is_fine(text: str, tmp_path: Path) -> None:
    assert read(text, tmp_path) == ONGOING


@pytest.mark.parametrize("size", range(1, 8))
def test_every_size_is_read_searched_and_written(size: int, tmp_path: Path) -> None:
    start = read(f"{size}\n" + ("." * size + "\n") * size + "O", tmp_path)
    assert start == Start(size, 0, 0, "O")
    report = answer_in(tmp_path, start, limit=300)
    assert report.result == ("limit" if size == 6 else "found")
    blocks = (tmp_path / "steps.txt").read_text().split("\n\n")[1:-1]
    assert len(blocks) == report.effort["expansions"]
    assert all(len(block.splitlines()) == size + 1 for block in blocks)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "line 1: the file is empty; the size of the board, a number from 1 to 7, is expected"),
        ("# nothing\n\n", "line 1: the file is empty; the size of the board"),
        ("three\n...\n...\n...\nX", "line 1: 'three' is not a number; the size of the board, a number from 1 to 7"),
        ("\n²\n...", "line 2: '²' is not a number; the size of the board"),
        ("X.O\n.X.\nO.X\nX", "line 1: 'X.O' is not a number; the size of the board"),
        ("abc\n...", "line 1: 'abc' is not a number; the size of the board"),
        ("3 3\n...\n...\n...\nX", "line 1: '3 3' is not a number; the size of the board"),
        ("3\nx . o .\n...\n...\nX", "line 2: row 1 has 4 cells, x . o .; 3 are expected"),
        ("3\nX.O\n.X.\no z .\nX\n", "line 4: 'z' is not a mark of a board; X, O and . are expected in row 3"),
        ("3\nX.O\n.X.\nO..\nme first\n", "line 5: 'me first' does not name a player; the player to move"),
        ("0\nX", "line 1: a board of size 0 is not searched; the size of the board, a number from 1 to 7, is expected"),
        ("8\n........\n", "line 1: a board of size 8 is not searched; the size of the board, a number from 1 to 7"),
        ("9" * 5000, "is not searched; the size of the board"),
        ("3\nX.O\n.X.\n", "line 3: the file ends; row 3 of 3 is expected"),
        ("3\n", "line 1: the file ends; row 1 of 3 is expected"),
        ("3\nX.O\n.X.\nX\n", "line 4: the player comes after 2 rows; row 3 of 3 is expected"),
        ("3\nX.O\n.X.\nO..\n...\nX\n", "line 5: the board has more than 3 rows; the player to move, X or O, is exp"),
        ("3\nX.O\n.X\nO..\nX\n", "line 3: row 2 has 2 cells, .X; 3 are expected"),
        ("3\nX.O\n.X..\nO..\nX\n", "line 3: row 2 has 4 cells, .X..; 3 are expected"),
        ("3\nX.O\n.X.\nOZ.\nX\n", "line 4: 'Z' is not a mark of a board; X, O and . are expected in row 3"),
        ("3\nX.O\n.X.\nO0.\nX\n", "line 4: '0' is not a mark of a board; X, O and . are expected in row 3"),
        ("3\nX.O\n.X.\nO..\n", "line 4: the file ends after the board; the player to move, X or O, is expected"),
        ("1\nX", "line 2: the file ends after the board; the player to move, X or O, is expected"),
        ("3\nX.O\n.X.\nO..\nZ\n", "line 5: 'Z' does not name a player; the player to move, X or O, is expected"),
        ("3\nX.O\n.X.\nO..\n.\n", "line 5: '.' does not name a player; the player to move, X or O, is expected"),
        ("3\nX.O\n.X.\nO..\nX\nO\n", "line 6: 'O' comes after the player; nothing is expected"),
        ("3\nX.X\n.X.\nX.O\nO", "line 2: on the board that begins here X has 4 stones and O 1; counts that differ by"),
        ("3\n\nO..\n.O.\n...\nO", "line 3: on the board that begins here X has 0 stones and O 2; counts that differ"),
        ("3\nXXX\nOOO\n...\nX", "line 2: on the board that begins here X and O both have a line; at most one of"),
        (b"3\nX.O\n.\xff.\nO..\nX\n", "line 3: byte 0xff is not text; digits, X, O, . and comments are expected"),
    ],
)
def test_what_is_refused(text: str | bytes, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(BadNotation) as refusal:
        read(text, tmp_path)
    assert str(refusal.value).startswith(f"{tmp_path / 'input.txt'}, line ")
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.txt", tmp_path):
        with pytest.raises(FileTrouble, match=r"cannot be read: "):
            read_start(path)


@pytest.mark.parametrize(
    ("stones", "remark"),
    [
        ((0, 0, "X"), None),
        ((1, 0, "O"), None),
        ((0, 0, "O"), "off turn: X has 0 stones and O 0, so X would be to move; the player line rules, O is to move"),
        ((1, 0, "X"), "off turn: X has 1 stone and O 0, so O would be to move; the player line rules, X is to move"),
        ((0, 1, "X"), "off turn: X has 0 stones and O 1, though X moves first; the player line rules, X is to move"),
        ((0, 1, "O"), "off turn: X has 0 stones and O 1, though X moves first; the player line rules, O is to move"),
    ],
)
def test_the_player_line_rules(stones: tuple[int, int, str], remark: str | None) -> None:
    crosses, noughts, player = stones
    assert off_turn(Start(3, crosses, noughts, "X" if player == "X" else "O")) == remark


# ---- writing


def test_the_input_is_not_written_over(tmp_path: Path) -> None:
    a, b = tmp_path / "a.txt", tmp_path / "b.txt"
    check_places(a, b, tmp_path / "c.txt")
    for places in ((a, a, b), (a, b, a), (a, b, b), (a, tmp_path / "." / "a.txt", b)):
        with pytest.raises(FileTrouble, match="must be three different files"):
            check_places(*places)


@pytest.mark.parametrize(
    ("text", "limit", "result", "sentence"),
    [
        (SAMPLE, 9, "already won", "Already won by X"),
        (SAMPLE[:-2] + "O", 9, "already won", "Already won by X"),
        ("3\nXOX\nXOO\nOXX\nO", 9, "full board", "Nothing found: the board is full"),
        ("3\n...\n...\n...\nX", 9, "limit", "Nothing found: the limit of 9 expansions was reached"),
        ("3\n...\n...\n...\nX", 1, "limit", "Nothing found: the limit of 1 expansion was reached"),
        ("2\n..\n..\nO", 9, "found", "Found: O wins in 3 plies, if X allows it: 11 12 21 (6 expansions)"),
        ("1\n.\nX", 9, "found", "Found: X wins at once: 11 (1 expansion)"),
        ("3\nXOX\nXOO\nOX.\nX", 9, "nothing", "the queue is empty after 2 expansions; X cannot win even with the help"),
    ],
)
def test_every_ending_is_said_in_both_files(text: str, limit: int, result: str, sentence: str, tmp_path: Path) -> None:
    report = answer_in(tmp_path, read(text, tmp_path), limit=limit)
    assert report.result == report.as_dict()["result"] == result
    for name in ("steps.txt", "output.txt"):
        written = (tmp_path / name).read_text()
        assert sentence in written
        assert "Asked: a cooperative line, which " in written
        assert "forced" not in written


# ---- a forced win, by a prover that tries everything


class Tried(NamedTuple):
    result: str
    nodes: int
    size: int
    line: tuple[int, ...]


def try_everything(start: Start) -> Any:  # a Proof, as far as it is asked
    """Whether the player to move wins whatever the other does; the main line takes the first moves that do."""
    rules, nodes = start.rules, 0

    def wins(own: int, other: int) -> tuple[int, tuple[int, ...]] | None:
        """The size of the proof and a line, or None."""
        nonlocal nodes
        nodes += 1
        for cell in free(rules, own, other):
            mine = own | 1 << cell
            if any(mine & line == line for line in rules.winning_lines):
                return 2, (cell,)
            if (proof := survives(mine, other)) is not None:
                return proof[0] + 1, (cell, *proof[1])
        return None

    def survives(own: int, other: int) -> tuple[int, tuple[int, ...]] | None:
        nonlocal nodes
        nodes += 1
        size, line = 1, tuple[int, ...]()
        for cell in free(rules, own, other):
            theirs = other | 1 << cell
            lost = any(theirs & each == each for each in rules.winning_lines)
            if lost or (proof := wins(own, theirs)) is None:
                return None
            size, line = size + proof[0], line or (cell, *proof[1])
        return (size, line) if line else None

    found = wins(start.own, start.other)
    return Tried("proved", nodes, *found) if found else Tried("refuted", nodes, 0, ())


def free(rules: Rules, own: int, other: int) -> list[int]:
    return [cell for cell in range(rules.cells) if not (own | other) >> cell & 1]


def give_up(start: Start) -> Any:  # a Proof, as far as it is asked
    return Tried("unknown", 1000, 0, ())


def test_a_forced_win(tmp_path: Path) -> None:
    """O answered a corner with an edge: X threatens one line after the other and then two at once."""
    report = answer_in(tmp_path, read("3\nX.O\n...\nO.X\nX", tmp_path), try_everything)
    assert (report.result, report.line[-1]) == ("proved", 4)
    report = answer_in(tmp_path, read("3\nXO.\n...\n...\nX", tmp_path), try_everything)
    assert report.result == "proved"
    assert len(report.line) == 5
    for name in ("steps.txt", "output.txt"):
        written = (tmp_path / name).read_text()
        assert "Asked: a forced win, which O cannot prevent." in written
        assert "cooperative" not in written
        assert "Proved: X wins whatever O plays; main line " in written
        assert f"proof of {report.effort['proof_size']} positions, " in written
        assert "start: X to move\nXO.\n...\n...\n" in written
        assert "\n5. X " in written
    assert report.as_dict()["asked"] == "forced"


def test_no_forced_win(tmp_path: Path) -> None:
    """The same board as the line of seven moves: with O's help X wins, without it not."""
    start = read_start(GOLDEN / "reply.input.txt")
    report = answer_in(tmp_path, start, try_everything)
    assert (report.result, report.line, report.effort["proof_size"]) == ("refuted", (), 0)
    assert "Refuted: X has no forced win" in (tmp_path / "output.txt").read_text()
    assert "Refuted: X has no forced win" in (tmp_path / "steps.txt").read_text()
    assert answer_in(tmp_path, start).result == "found"
    report = answer_in(tmp_path, start, give_up)
    assert "Unknown: a forced win of X is neither proved nor refuted (1,000 positions looked at)" in str(report)


def test_a_finished_game_needs_no_prover(tmp_path: Path) -> None:
    def refuse(start: Start) -> Any:  # a Proof, as far as it is asked
        raise AssertionError("nothing is left to prove")

    assert "Already won by X" in str(answer_in(tmp_path, read(SAMPLE, tmp_path), refuse))
    assert "the board is full" in str(answer_in(tmp_path, read("3\nXOX\nXOO\nOXX\nO", tmp_path), refuse))
    assert "a forced win" in (tmp_path / "steps.txt").read_text()


# ---- both questions


def test_both_answers(tmp_path: Path) -> None:
    """With O's help X wins, without it not; both sentences in both files, the lines side by side."""
    start = read_start(GOLDEN / "reply.input.txt")
    report = answer(start, tmp_path / "steps.txt", tmp_path / "output.txt", 1000, try_everything, both=True)
    assert isinstance(report, BothReports)
    alone = answer_in(tmp_path / "alone", start), answer_in(tmp_path / "alone", start, try_everything)
    assert tuple(report) == alone
    for name in ("steps.txt", "output.txt"):
        written = (tmp_path / name).read_text()
        assert "Asked: a cooperative line, which O would have to allow.\n" in written
        assert "Asked: a forced win, which O cannot prevent.\n" in written
        assert all(each.sentence in written for each in alone)
    shown = str(report).splitlines()
    assert "cooperative        forced" in shown
    assert "start: X to move   start: X to move" in shown
    assert (tmp_path / "steps.txt").read_text().count("\nexpansion ") == alone[0].effort["expansions"]
    found = report.as_dict()
    assert (found["asked"], found["player"], found["board"]) == ("both", "X", "X../.O./...")
    assert found["cooperative"]["line"] == [13, 12, 32, 21, 23, 31, 33]
    assert (found["forced"]["result"], found["forced"]["line"]) == ("refuted", [])


# ---- folders of inputs


def ask(start: Start, path: Path, steps: Path, output: Path) -> Report | BothReports:
    return answer(start, steps, output, 1000, try_everything, both=True)


def test_a_folder_of_inputs(tmp_path: Path) -> None:
    folder = tmp_path / "inputs"
    folder.mkdir()
    for name in ("sample", "reply", "blocked"):
        (folder / name).write_bytes((GOLDEN / f"{name}.input.txt").read_bytes())
    (folder / "wrong").write_text("3 3\n")
    (folder / ".hidden").write_text("not looked at")
    (folder / "deeper").mkdir()
    summary = answer_folder(folder, tmp_path / "s", tmp_path / "o", ask)
    assert [row.file for row in summary.rows] == ["blocked", "reply", "sample", "wrong"]
    assert [row.file for row in summary.failed] == ["wrong"]
    for place in ("s", "o"):
        assert sorted(path.name for path in (tmp_path / place).iterdir()) == ["blocked", "reply", "sample", "wrong"]
        assert "is not a number" in (tmp_path / place / "wrong").read_text()
    assert "Found: X wins" in (tmp_path / "o" / "reply").read_text()
    rows = [line.split() for line in str(summary).splitlines()]
    assert rows[0] == [
        "file",
        "size",
        "to",
        "move",
        "cooperative",
        "plies",
        "expansions",
        "forced",
        "plies",
        "positions",
    ]
    assert rows[3][:6] == ["reply", "3", "X", "found", "7", "21"]
    assert rows[5][:4] == ["wrong", "-", "-", "failed"]
    assert rows[6][:2] == ["failed:", f"{folder / 'wrong'},"]
    found = summary.as_dict()["inputs"]
    assert (found[1]["file"], found[1]["forced"]["result"], found[3]["result"]) == ("reply", "refuted", "failed")


def test_folders_that_are_none(tmp_path: Path) -> None:
    inputs = tmp_path / "inputs"
    inputs.mkdir()
    with pytest.raises(FileTrouble, match="holds no inputs"):
        answer_folder(inputs, tmp_path / "s", tmp_path / "o", ask)
    (inputs / "a").write_text("1\n.\nX\n")
    for steps, output in (("inputs", "o"), ("s", "inputs/o"), ("s", "s"), ("s", ".")):
        with pytest.raises(FileTrouble, match="is, or lies inside"):
            answer_folder(inputs, tmp_path / steps, tmp_path / output, ask)
    (tmp_path / "file").touch()
    with pytest.raises(FileTrouble, match="it is not a folder"):
        answer_folder(inputs, tmp_path / "s", tmp_path / "file", ask)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "inputs"]
