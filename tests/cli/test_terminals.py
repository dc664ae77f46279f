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
    assert gridlab("terminals", "plot", folder)[0] == 0
    assert (Path(folder) / "counts.png").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["build", "squava"], "say where the dataset of 5x5:4-3 goes: --out DIR"),
        (["build", "6x6:4", "--out", "x"], "36 cells do not fit a record of 64 bits; up to 32 do"),
        (["build", "--plies", "8"], "5x5:5 has no terminal win at ply 8; its layers are 9 to 25"),
        (["build", "--plies", "nine"], "'nine' is no list of plies"),
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
    assert err.splitlines()[-2:] == [f"stopped; {folder} keeps its whole layers: go on with --resume", "interrupted"]
    assert {path.name for path in folder.iterdir()} == {"layer_09.bin", "manifest.json", "README.md"}
