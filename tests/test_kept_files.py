"""Files written by an earlier version are still read, and say the same (tests/golden/kept/README.md)."""

import gzip
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.conftest import Run

pytestmark = pytest.mark.compiled
KEPT = Path(__file__).parent / "golden" / "kept"
SAID: dict[str, str] = json.loads((KEPT / "contents.json").read_text())
TIMES = re.compile(r'("\w*(?:seconds|per_second)\w*": )[-+.e\d]+')
REALS = re.compile(r"-?\d+\.\d+(?:e[-+]\d+)?|-?\d+e[-+]\d+")
GAMES = ["rich.jsonl", "rich.json", "rich.csv", "rich.parquet", "rich.h5", "rich.npz"]


def plain(text: str) -> str:
    """Without times."""
    return TIMES.sub(r"\g<1>0", text)


def words_and_numbers(text: str) -> tuple[list[str], list[float]]:
    """A text in its parts: the last digit of a computed number differs from one processor to another."""
    return REALS.split(text), [float(each) for each in REALS.findall(text)]


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the files, in which commands run."""
    folder = tmp_path / "kept"
    shutil.copytree(KEPT, folder)
    for packed in folder.glob("*.gz"):
        packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
        packed.unlink()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    return folder


def answers(gridlab: Run, line: str) -> str:
    """What a command prints, or several with && between them; the last one is looked at."""
    out = ""
    for command in line.split(" && "):
        code, out, err = gridlab(*shlex.split(command))
        assert code == 0, f"{command}: {err}"
    return plain(out)


@pytest.mark.parametrize("line", SAID)
def test_what_was_written_before_says_the_same(gridlab: Run, kept: Path, line: str) -> None:
    words, numbers = words_and_numbers(answers(gridlab, line))
    expected, as_before = words_and_numbers(SAID[line])
    assert words == expected
    assert numbers == pytest.approx(as_before, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", GAMES)
def test_games_are_the_same_in_every_format(gridlab: Run, kept: Path, name: str) -> None:
    answers(gridlab, f"2048 export {name} --out again.jsonl --quiet")
    assert (kept / "again.jsonl").read_bytes() == (kept / "rich.jsonl").read_bytes()


def test_more_games_are_added_as_if_they_had_been_asked_for_at_once(gridlab: Run, kept: Path) -> None:
    asked = "--depth 2 --max-moves 30 --seed 1 --quiet --workers 1 --out"
    answers(gridlab, f"2048 generate --games 5 {asked} games.jsonl --extend")
    answers(gridlab, f"2048 generate --games 8 {asked} anew.jsonl")
    assert (kept / "games.jsonl").read_bytes() == (kept / "anew.jsonl").read_bytes()


def test_each_file_is_described_and_asked() -> None:
    described, asked = (KEPT / "README.md").read_text(), " ".join([*SAID, *GAMES])
    for each in set(KEPT.iterdir()) - {KEPT / "README.md", KEPT / "contents.json"}:
        beside = r"^\.|\.(?:index|moves|training|journal)$|\.key(?=\.jsonl$)"  # what comes with a file
        name = re.sub(beside, "", each.name.removesuffix(".gz"))
        assert name in described, f"README.md does not say where {each.name} comes from"
        assert name in asked, f"nothing is asked about {each.name}"
    assert sum(each.stat().st_size for each in KEPT.rglob("*") if each.is_file()) < 300_000
