"""From nothing: the wheel in a clean environment, the README's first command in a fresh clone."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def run(*command: str | Path, folder: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_requirements_are_the_package_with_extras_that_it_has() -> None:
    (line,) = (ROOT / "requirements.txt").read_text().splitlines()
    found = re.fullmatch(r"\.\[([a-z,]+)\]", line)
    assert found, line
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(found[1].split(",")) <= set(extras)


@pytest.mark.long
def test_the_requirements_make_every_format(tmp_path: Path) -> None:
    """`uv pip install -r requirements.txt`, then games and all the tables of them."""
    uv = shutil.which("uv") or ROOT / ".uv" / "bin" / "uv"
    run(uv, "venv", "--quiet", tmp_path / "clean", folder=ROOT)
    python = tmp_path / "clean" / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(uv, "pip", "install", "--quiet", "--python", python, "-r", "requirements.txt", folder=ROOT)
    asked = "--games", "1", "--depth", "2", "--max-moves", "20", "--seed", "1", "--quiet"
    for ending in ("jsonl", "csv", "npz", "h5", "parquet"):
        said = run(python, ROOT / "generate_dataset.py", *asked, "-o", f"games.{ending}", folder=tmp_path)
        assert f"Output saved to: games.{ending}" in said


@pytest.mark.long
def test_the_wheel_counts_in_a_clean_environment(tmp_path: Path) -> None:
    uv = shutil.which("uv") or ROOT / ".uv" / "bin" / "uv"
    run(uv, "build", "--wheel", "--out-dir", tmp_path, ROOT, folder=tmp_path)
    (wheel,) = tmp_path.glob("gridlab-*.whl")
    run(sys.executable, "-m", "venv", "clean", folder=tmp_path)
    binaries = tmp_path / "clean" / ("Scripts" if os.name == "nt" else "bin")
    run(binaries / "python", "-m", "pip", "install", "--quiet", wheel, folder=tmp_path)
    assert "5,478 legal positions" in run(binaries / "gridlab", "census", "tictactoe", folder=tmp_path)


@pytest.mark.long
def test_the_tour_sets_itself_up_in_a_fresh_clone(tmp_path: Path) -> None:
    run("git", "clone", "--quiet", ROOT, tmp_path / "clone", folder=tmp_path)
    assert "255,168 games" in run("make", "tour", folder=tmp_path / "clone")
