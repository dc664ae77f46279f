"""Best-first search on the command line."""

import io
import json
from pathlib import Path

import pytest

from tests.conftest import Run

GOLDEN = Path(__file__).parent.parent / "golden" / "best_first"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the command is run."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_sample_of_the_document(gridlab: Run, folder: Path) -> None:
    """No argument at all: input.txt is read, steps.txt and output.txt are written, the terminal shows the same."""
    (folder / "input.txt").write_text("3\nX.O\n.X.\nO.X\nX\n")
    code, out, err = gridlab("best-first")
    assert code == 0
    assert out == (folder / "output.txt").read_text() == (GOLDEN / "sample.output.txt").read_text()
    assert (folder / "steps.txt").read_text() == (GOLDEN / "sample.steps.txt").read_text()
    assert err.splitlines() == [
        "off turn: X has 3 stones and O 2, so O would be to move; the player line rules, X is to move",
        "steps.txt, output.txt",
    ]
    assert gridlab("best-first", "--quiet") == (0, out, "")


def test_places_and_limit(gridlab: Run, folder: Path) -> None:
    places = ["--steps", "new/s.txt", "--output", "new/o.txt"]
    code, out, _ = gridlab("best-first", str(GOLDEN / "reply.input.txt"), *places)
    assert code == 0
    assert out == (folder / "new" / "o.txt").read_text() == (GOLDEN / "reply.output.txt").read_text()
    code, out, _ = gridlab("best-first", str(GOLDEN / "reply.input.txt"), *places, "--max-expansions", "5")
    assert code == 0
    assert "Nothing found: the limit of 5 expansions was reached" in out
    assert (folder / "new" / "s.txt").read_text().count("\nexpansion ") == 5
    assert gridlab("best-first", str(GOLDEN / "blocked.input.txt"))[0] == 0


def test_as_json(gridlab: Run, folder: Path) -> None:
    code, out, _ = gridlab("best-first", str(GOLDEN / "reply.input.txt"), "--json")
    assert code == 0
    assert json.loads(out) == {
        "rules": "3x3:3",
        "board": "X../.O./...",
        "player": "X",
        "asked": "cooperative",
        "result": "found",
        "winner": "X",
        "line": [13, 12, 32, 21, 23, 31, 33],
        "expansions": 21,
        "max_expansions": 100_000,
    }


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("3\nX.O\n.X.\nO.\nX\n", "input.txt, line 4: row 3 has 2 cells, O.; 3 are expected"),
        ("3\nX.O\n.X.\nO..\n", "input.txt, line 4: the file ends after the board; the player to move, X or O, is"),
        (None, "'input.txt' cannot be read: "),
    ],
)
def test_bad_input_is_one_sentence_and_no_other_answer_stays(
    gridlab: Run, folder: Path, text: str | None, sentence: str
) -> None:
    """Whoever reads the files afterwards reads of the failure, not of another board."""
    (folder / "output.txt").write_text("Found: X wins")
    if text is not None:
        (folder / "input.txt").write_text(text)
    code, out, err = gridlab("best-first")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: ")
    assert sentence in err
    for name in ("output.txt", "steps.txt"):
        assert (folder / name).read_text() == f"Failed: {err.removeprefix('error: ')}"


def test_wrong_places(gridlab: Run, folder: Path) -> None:
    (folder / "input.txt").write_text("1\n.\nX\n")
    code, _, err = gridlab("best-first", "--output", "input.txt")
    assert (code, err.count("\n")) == (2, 1)
    assert "must be three different files" in err
    assert (folder / "input.txt").read_text() == "1\n.\nX\n"
    assert gridlab("best-first", "--max-expansions", "0")[0] == 2
    assert gridlab("best-first", "--forced", "--both")[0] == 2
    assert gridlab("best-first", "input.txt", "--output", "")[0] == 2
    assert [path.name for path in folder.iterdir()] == ["input.txt"]


@pytest.mark.compiled
def test_forced_wins(gridlab: Run, folder: Path) -> None:
    """By proof-number search: with O's help X wins from the golden board, by force it does not."""
    pytest.importorskip("gridlab.inarow.search.proof_number")
    code, out, _ = gridlab("best-first", str(GOLDEN / "reply.input.txt"), "--forced")
    assert code == 0
    assert "Refuted: X has no forced win" in out
    assert out == (folder / "output.txt").read_text()
    (folder / "input.txt").write_text("3\nXO.\n...\n...\nX\n")
    code, out, _ = gridlab("best-first", "--forced", "--json")
    found = json.loads(out)
    assert (code, found["asked"], found["result"], found["winner"]) == (0, "forced", "proved", "X")
    assert len(found["line"]) % 2 == 1
    assert found["proof_size"] > 0
    for name in ("steps.txt", "output.txt"):
        assert "Asked: a forced win, which O cannot prevent." in (folder / name).read_text()


def test_a_bad_input_that_is_the_output_stays(gridlab: Run, folder: Path) -> None:
    (folder / "input.txt").write_text("no board at all")
    for option in ("--output", "--steps"):
        assert gridlab("best-first", option, "input.txt")[0] == 2
        assert (folder / "input.txt").read_text() == "no board at all"
    assert [path.name for path in folder.iterdir()] == ["input.txt"]


def test_standard_input(gridlab: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def typed(text: str) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    typed((GOLDEN / "reply.input.txt").read_text())
    code, out, _ = gridlab("best-first", "-")
    assert (code, out) == (0, (GOLDEN / "reply.output.txt").read_text())
    assert (folder / "output.txt").read_text() == out
    typed("3\nX.O\n")
    code, out, err = gridlab("best-first", "-")
    assert (code, err) == (2, "error: standard input, line 2: the file ends; row 2 of 3 is expected\n")
    assert (folder / "output.txt").read_text() == f"Failed: {err.removeprefix('error: ')}"
    monkeypatch.setattr("sys.stdin", None)
    assert gridlab("best-first", "-")[0] == 2


@pytest.mark.compiled
def test_both_questions(gridlab: Run, folder: Path) -> None:
    code, out, _ = gridlab("best-first", str(GOLDEN / "reply.input.txt"), "--both")
    assert code == 0
    assert "Found: X wins in 7 plies, if O allows it" in out
    assert "Refuted: X has no forced win" in out
    assert out == (folder / "output.txt").read_text()
    assert "Refuted: X has no forced win" in (folder / "steps.txt").read_text()


@pytest.mark.compiled
def test_a_folder_of_inputs(gridlab: Run, folder: Path) -> None:
    (folder / "in").mkdir()
    for name in ("sample", "reply"):
        (folder / "in" / f"{name}.txt").write_bytes((GOLDEN / f"{name}.input.txt").read_bytes())
    code, out, err = gridlab("best-first", "in")
    assert code == 0
    assert [line.split()[:6] for line in out.splitlines()[2:]] == [
        ["reply.txt", "3", "X", "found", "7", "21"],
        ["sample.txt", "3", "X", "already", "won", "0"],
    ]
    assert err.splitlines()[0].startswith("in/sample.txt: off turn: ")
    assert (folder / "output" / "reply.txt").read_text() == (GOLDEN / "reply.output.txt").read_text()
    (folder / "in" / "wrong.txt").write_text("?")
    code, out, err = gridlab("best-first", "in", "--both", "--json", "-o", "o", "--steps", "s", "--quiet")
    found = json.loads(out)["inputs"]
    assert (code, err) == (2, "error: 1 of 3 inputs could not be read; the table says why\n")
    assert [each["file"] for each in found] == ["reply.txt", "sample.txt", "wrong.txt"]
    assert (found[0]["forced"]["result"], found[2]["result"]) == ("refuted", "failed")
    assert (folder / "o" / "wrong.txt").read_text().startswith("Failed: in/wrong.txt, line 1: '?' is not a number")
    assert gridlab("best-first", "in", "--steps", "in/s")[0] == 2
