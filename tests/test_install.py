"""From nothing: the wheel in a clean environment, the README's first command in a fresh clone."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from html import unescape
from pathlib import Path

import pytest

from tests.typed import health_of_the_web_lab, outcome

ROOT = Path(__file__).parent.parent
BINARIES = "Scripts" if os.name == "nt" else "bin"
MISSED = """
import gridlab.core.extras
try:
    gridlab.core.extras.import_extra("gymnasium", "gym")
except gridlab.MissingExtra as error:
    print(error)
"""


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
    python = tmp_path / "clean" / BINARIES / "python"
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
    binaries = tmp_path / "clean" / BINARIES
    run(binaries / "python", "-m", "pip", "install", "--quiet", wheel, folder=tmp_path)
    assert "5,478 legal positions" in run(binaries / "gridlab", "census", "tictactoe", folder=tmp_path)


@pytest.mark.long
def test_the_tour_sets_itself_up_in_a_fresh_clone(tmp_path: Path) -> None:
    run("git", "clone", "--quiet", ROOT, tmp_path / "clone", folder=tmp_path)
    clone = tmp_path / "clone"
    said = run("make", "tour", folder=clone)
    assert "255,168 games" in said
    assert "not installed" not in said
    serve, play, grade = re.findall(r"^    (\S.*)\n        \S", said[said.index("What to type next") :], re.MULTILINE)
    for command in (serve, play, grade):
        assert command in (ROOT / "README.md").read_text()
        assert command in unescape((clone / "tour" / "report.html").read_text())
    assert health_of_the_web_lab(serve, clone) == 200
    assert outcome(play, "22\n", clone)[0] == 0
    assert outcome(grade, "", clone)[0] == 0
    for command in re.findall(r'"made"><code>(.*?)</code>', (clone / "tour" / "report.html").read_text()):
        code, printed = outcome(unescape(command), "", clone)
        assert code == 0, f"{command}\n{printed}"


@pytest.mark.long
def test_an_extra_is_installed_as_its_hint_says(tmp_path: Path) -> None:
    """In a clone by make, in somebody's own environment by pip."""
    clone, mine = tmp_path / "clone", tmp_path / "mine"
    run("git", "clone", "--quiet", ROOT, clone, folder=tmp_path)
    run("make", ".venv/.tour", folder=clone)
    run(sys.executable, "-m", "venv", mine, folder=tmp_path)
    run(mine / BINARIES / "python", "-m", "pip", "install", "--quiet", clone, folder=tmp_path)
    for python, folder, expected in (
        (clone / ".venv" / BINARIES / "python", clone, "make extra-gym"),
        (mine / BINARIES / "python", tmp_path, "pip install 'gridlab[gym]'"),
    ):
        hint = run(python, "-c", MISSED, folder=folder).partition(": ")[2].strip()
        assert hint == expected
        run("sh", "-c", f'PATH="{python.parent}:$PATH"; {hint}', folder=folder)
        run(python, "-c", "import gymnasium", folder=folder)
