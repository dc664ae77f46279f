"""Best-first search on the command line."""

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
        (None, "input.txt cannot be read: "),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_the_last_answer(
    gridlab: Run, folder: Path, text: str | None, sentence: str
) -> None:
    (folder / "output.txt").write_text("the last answer")
    if text is not None:
        (folder / "input.txt").write_text(text)
    code, out, err = gridlab("best-first")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: input.txt")
    assert sentence in err
    assert (folder / "output.txt").read_text() == "the last answer"
    assert not (folder / "steps.txt").exists()


def test_wrong_places(gridlab: Run, folder: Path) -> None:
    (folder / "input.txt").write_text("1\n.\nX\n")
    code, _, err = gridlab("best-first", "--output", "input.txt")
    assert (code, err.count("\n")) == (2, 1)
    assert "must be three different files" in err
    assert (folder / "input.txt").read_text() == "1\n.\nX\n"
    assert gridlab("best-first", "--max-expansions", "0")[0] == 2


@pytest.mark.compiled
def test_forced_wins(gridlab: Run, folder: Path) -> None:
    """By proof-number search: with O's help X wins from the golden board, by force it does not."""
    pytest.importorskip("gridlab.search.mnk.proof_number")
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
