"""From nothing: wheel and release, the README's first command in a fresh clone, old and new dependencies."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from datetime import date
from html import unescape
from pathlib import Path

import pytest

from tests.typed import health_of_the_web_lab, outcome

ROOT = Path(__file__).parent.parent
BINARIES = "Scripts" if os.name == "nt" else "bin"
TESTS_OF_DEPENDENCIES = [  # whatever calls a library; what only calls ourselves tells nothing more
    *(f"tests/{name}" for name in ("core", "cli", "arena", "players", "environments", "learn", "games")),
    *(f"tests/{name}" for name in ("inarow", "game2048", "cluster", "web", "test_api.py", "test_shown.py")),
]
NOT_THEIRS = ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE")  # the last: every process would compile anew
MISSED = """
import gridlab.core.run
try:
    gridlab.core.run.import_extra("gymnasium", "gym")
except gridlab.MissingExtra as error:
    print(error)
"""


def run(*command: str | Path, folder: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in NOT_THEIRS}
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
def test_a_release_is_whole_and_can_be_repeated(tmp_path: Path) -> None:
    """The wheel, the source, checksums that are right, and an SBOM of everything that any extra brings."""
    releases = []
    for name in ("one", "two"):
        clone = tmp_path / name
        run("git", "clone", "--quiet", ROOT, clone, folder=tmp_path)
        run("make", "release", folder=clone)
        run("sha256sum", "--check", "--quiet", "SHA256SUMS", folder=clone / "dist")
        releases.append((clone / "dist" / "SHA256SUMS").read_text().splitlines())
    built = [[line for line in each if line.endswith((".whl", ".tar.gz"))] for each in releases]
    assert built[0] == built[1]
    assert len(built[0]) == 2
    listed = json.loads((tmp_path / "one" / "dist" / "gridlab.cdx.json").read_text())
    assert (listed["bomFormat"], listed["metadata"]["component"]["name"]) == ("CycloneDX", "gridlab")
    names = {each["name"]: each for each in listed["components"]}
    assert set(dependencies()) <= set(names)
    assert all(names[name]["version"] for name in dependencies())


@pytest.mark.long
@pytest.mark.parametrize("resolution", ["lowest-direct", "highest"])
def test_the_oldest_and_the_newest_dependencies(tmp_path: Path, resolution: str) -> None:
    """What pyproject.toml allows works: the tests pass with the oldest versions, and with those of today."""
    uv = shutil.which("uv") or ROOT / ".uv" / "bin" / "uv"
    clone = tmp_path / "clone"
    run("git", "clone", "--quiet", ROOT, clone, folder=tmp_path)
    newest = ("--exclude-newer", f"{date.today():%Y-%m-%d}T23:59:59Z") if resolution == "highest" else ()
    run(uv, "sync", "--quiet", "--all-extras", "--resolution", resolution, *newest, folder=clone)
    python = clone / ".venv" / BINARIES / "python"
    run(python, "-m", "gridlab", "warm", "--quiet", folder=clone)
    run(python, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", *TESTS_OF_DEPENDENCIES, folder=clone)


def dependencies() -> dict[str, tuple[str, str]]:
    """All that pyproject.toml names, core and extras: the oldest version of each, and the first that is too new."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [
        *project["dependencies"],
        *(each for extra in project["optional-dependencies"].values() for each in extra),
    ]
    bounds = {}
    for each in wanted:
        found = re.fullmatch(r"([a-z0-9-]+)(?:\[\w+\])?(?:[>=]=([\d.]+)(?:\.\*)?)?(?:,<([\d.]+))?", each)
        assert found, each
        bounds[found[1]] = found[2] or "", found[3] or ""
    del bounds["gridlab"]
    return bounds


def test_the_page_names_every_dependency_and_its_versions() -> None:
    """Its oldest version as in pyproject.toml, and a newest one that pyproject.toml allows."""
    page = (ROOT / "docs" / "supply-chain.md").read_text()
    rows = {row.split("|")[1].strip(): row.split("|") for row in page.splitlines() if row.startswith("| ")}
    for name, (oldest, too_new) in dependencies().items():
        assert rows[name][5].strip() == oldest, name
        if too_new:
            newest = rows[name][6].strip()
            assert numbers(oldest) < numbers(newest) < numbers(too_new), name


def numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


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
