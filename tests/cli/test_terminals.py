"""`gridlab terminals`, as a user types it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import Run

pytestmark = pytest.mark.compiled


@pytest.fixture
def folder(gridlab: Run, tmp_path: Path) -> str:
    folder = str(tmp_path / "wins")
    code, out, _ = gridlab("terminals", "build", "tictactoe", "--out", folder, "--quiet")
    assert code == 0
    assert out.splitlines()[-1].split() == ["all", "135", "91", "44", "1,120"]
    return folder


def test_the_default_game_and_folder(gridlab: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, _ = gridlab("terminals", "build", "--plies", "9-10", "--workers", "1")
    assert code == 0
    assert {path.name for path in (tmp_path / "dataset_5x5_final").iterdir()} == {
        "layer_09.bin",
        "layer_10.bin",
        "manifest.json",
        "README.md",
    }
    assert "9    7,428   7,428       0      58,140" in out


def test_verify(gridlab: Run, folder: str) -> None:
    code, out, _ = gridlab("terminals", "verify", folder, "--full")
    assert code == 0
    assert (
        out
        == "3x3:3: 5 layers, 135 records, 135 of them judged one by one: all sound; not checked: who made it and when\n"
    )
    (Path(folder) / "layer_07.bin").write_bytes(b"5TTT")
    code, out, _ = gridlab("terminals", "verify", folder, "--json", "--quiet")
    assert code == 1
    report = json.loads(out)
    assert report["sound"] is False
    assert report["complaints"][-1]["file"] == "layer_07.bin"


def test_show_and_contains(gridlab: Run, folder: str) -> None:
    code, out, _ = gridlab("terminals", "show", folder, "5", "--at", "12", "--count", "2")
    assert code == 0
    assert "record 12" in out
    assert "X wins" in out
    code, out, _ = gridlab("terminals", "contains", folder, "XXX/OO./...")
    assert (code, out) == (0, "yes: layer_05.bin record 12, as .../.OO/XXX (rotate 180)\n")
    code, out, _ = gridlab("terminals", "contains", folder, "XX./OO./...")
    assert (code, out) == (1, "no: this position is not over, and only wins are here\n")


@pytest.mark.parametrize("form", ["csv", "parquet", "hdf5"])
def test_export_and_plot(gridlab: Run, folder: str, tmp_path: Path, form: str) -> None:
    target = tmp_path / "out" / f"wins.{form}"
    code, out, err = gridlab("terminals", "export", folder, "--format", form, "--output", str(target), "--plies", "5-6")
    assert (code, out) == (0, "")
    assert err.endswith(f"{target}: 42 records\n")
    quiet = gridlab("terminals", "export", folder, "--format", form, "-o", str(target), "--plies", "5-6", "--quiet")
    assert quiet == (0, "", "")
    assert gridlab("terminals", "plot", folder)[0] == 0
    assert (Path(folder) / "counts.png").exists()


def test_find(gridlab: Run, folder: str) -> None:
    """All 23 wins of O at ply 8; 8 lines can be asked for; what is stored is one image of each board."""
    code, out, _ = gridlab("terminals", "find", folder, "--winner", "o", "--ply", "8", "--json")
    found = json.loads(out)
    assert (code, found["records"], found["matches"], len(found["shown"])) == (0, 23, 23, 4)
    assert {each["winner"] for each in found["shown"]} == {"O"}
    asked = ["terminals", "find", folder, "--pattern", "XXX/OO./...", "--count", "1"]
    assert gridlab(*asked)[:2] == (1, "3x3:3: 0 of 135 records match\n")
    code, out, _ = gridlab(*asked, "--symmetric")
    assert code == 0
    assert out.startswith("3x3:3: 1 of 135 records matches\n\nply 5 record 12\nX wins\n")
    random = [*asked[:3], "--sample", "3", "--json", "--seed"]
    assert gridlab(*random, "1")[1] == gridlab(*random, "1")[1] != gridlab(*random, "2")[1]
    assert gridlab("terminals", "find", folder, "--line", "8")[0] == 2
    assert gridlab(*random, "1", "--count", "3")[0] == 2


def test_layers_without_a_manifest(gridlab: Run, folder: str, tmp_path: Path) -> None:
    place = Path(folder)
    (place / "manifest.json").unlink()
    (place / "README.md").unlink()
    code, _, err = gridlab("terminals", "show", folder, "5")
    assert code == 2
    assert "say with --game which game it is" in err
    asked = ["--game", "tictactoe"]
    remark = f"{folder} has no manifest: read as 3x3:3, its checksums and counts cannot be checked\n"
    code, out, err = gridlab("terminals", "contains", folder, "XXX/OO./...", *asked)
    assert (code, out, err) == (0, "yes: layer_05.bin record 12, as .../.OO/XXX (rotate 180)\n", remark)
    assert gridlab("terminals", "show", folder, "5", *asked)[2] == remark
    assert gridlab("terminals", "find", folder, *asked, "--quiet")[2] == ""
    assert gridlab("terminals", "plot", folder, "-o", str(tmp_path / "w.png"), *asked)[0] == 0
    code, out, _ = gridlab("terminals", "verify", folder, "--full", *asked)
    assert code == 0
    assert "not checked: checksums, and whether these are the rules meant (there is no manifest)" in out
    code, out, _ = gridlab("terminals", "adopt", folder, *asked)
    assert (code, out.splitlines()[-1].split()) == (0, ["all", "135", "91", "44", "1,120"])
    assert gridlab("terminals", "verify", folder, "--full")[0] == 0
    assert gridlab("terminals", "adopt", folder, *asked)[0] == 2


def test_merge(gridlab: Run, tmp_path: Path) -> None:
    for name, plies in (("a", "5-7"), ("b", "7-9")):
        gridlab("terminals", "build", "tictactoe", "--out", str(tmp_path / name), "--plies", plies, "--quiet")
    merged = ["terminals", "merge", str(tmp_path / "a"), str(tmp_path / "b"), "--out", str(tmp_path / "c")]
    code, out, _ = gridlab(*merged)
    assert (code, out.splitlines()[-1].split()) == (0, ["all", "135", "91", "44", "1,120"])
    assert gridlab("terminals", "verify", str(tmp_path / "c"), "--full")[0] == 0
    assert gridlab(*merged)[0] == 2
    assert gridlab(*merged, "--resume")[:2] == (0, out)


def test_the_lines_by_the_name_of_the_document() -> None:
    """tools/visual.py is `gridlab lines`: the base masks and all twelve lines, numbered."""
    tool = Path(__file__).parents[2] / "tools" / "visual.py"
    shown = subprocess.run([sys.executable, tool], capture_output=True, text=True, check=True).stdout
    assert shown.startswith("12 winning lines of 5x5:5, from 8 base masks\n")
    assert {line for line in " ".join(shown.split()).split() if line.isdigit()} >= {str(each) for each in range(12)}
    asked = subprocess.run([sys.executable, tool, "tictactoe", "--json"], capture_output=True, text=True, check=True)
    assert json.loads(asked.stdout)["rules"] == "3x3:3"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["build", "6x6:4", "--out", "x"], "36 cells do not fit a record of 64 bits; up to 32 do"),
        (["build", "--plies", "8"], "5x5:5 has no terminal win at ply 8; its layers are 9 to 25"),
        (["build", "--plies", "nine"], "'nine' is not a list of plies"),
        (["build", "1x3:3", "--plies", "3", "--out", "x"], "1x3:3 has no terminal win at all"),
        (["verify", "nowhere"], "'nowhere' cannot be read"),
        (["verify", ".", "--full", "--sample", "5"], "--sample and --full exclude each other"),
        (["show", ".", "5"], ". holds no dataset"),
    ],
)
def test_wrong_use(
    gridlab: Run, arguments: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = gridlab("terminals", *arguments)
    assert code == 2
    assert sentence in err.splitlines()[-1]
    assert "Traceback" not in err
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_keeps_whole_layers_and_says_how_to_go_on(tmp_path: Path) -> None:
    folder = tmp_path / "wins"
    command = [sys.executable, "-m", "gridlab", "terminals", "build", "--plies", "9,15", "--out", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        deadline = time.monotonic() + 120
        while not list(folder.glob(".layer_15.bin.*.part")) and time.monotonic() < deadline:
            time.sleep(0.005)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=30)
    assert (run.returncode, out) == (130, "")
    assert err.splitlines()[-2:] == [
        f"stopped; {folder} keeps its complete layers; continue with --resume",
        "interrupted",
    ]
    assert {path.name for path in folder.iterdir()} == {"layer_09.bin", "manifest.json", "README.md"}
