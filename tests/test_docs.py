"""README and docs are true: every command is run, every output compared, every picture made anew."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from gridlab import Position, Rules

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


class Example(NamedTuple):
    page: str
    command: str
    output: str


def examples() -> list[Example]:
    found = []
    for page in PAGES:
        for block in re.findall(r"```console\n(.*?)```", page.read_text(), re.DOTALL):
            for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
                found.append(Example(page.name, command, output))
    return found


def run(command: str, folder: Path) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        command.removeprefix("uv run ").replace("python generate_dataset.py", f"python '{ROOT}/generate_dataset.py'"),
        shell=True,
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PATH": path},
        cwd=folder,
    )
    return done.stdout


def matches(expected: str, printed: str) -> bool:
    """A line of three dots stands for any lines."""
    parts = [re.escape(part) for part in re.split(r"^\.\.\.\n", expected, flags=re.MULTILINE)]
    return re.fullmatch("(?:.*\n)*".join(parts), printed) is not None


@pytest.fixture(scope="module")
def page_folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A folder for each page, in which its commands are run one after the other."""
    return cache(lambda page: tmp_path_factory.mktemp(page))


@pytest.mark.compiled
@pytest.mark.parametrize(
    "example", [each for each in examples() if not each.command.startswith("make ")], ids=lambda each: each.command
)
def test_commands_print_what_the_page_shows(example: Example, page_folders: Callable[[str], Path]) -> None:
    printed = run(example.command, page_folders(example.page))
    assert matches(example.output, printed), printed


@pytest.mark.parametrize(
    "example", [each for each in examples() if each.command.startswith("make ")], ids=lambda each: each.command
)
def test_make_knows_its_targets(example: Example) -> None:
    """What they do is run by `make test-long` in a fresh clone, and by whoever runs these tests."""
    steps = run(f"{example.command} --dry-run", ROOT)
    assert "gridlab tour" in steps or "pytest" in steps


def test_every_page_is_linked_and_every_link_leads_somewhere() -> None:
    text = (ROOT / "README.md").read_text()
    for page in PAGES[1:]:
        assert f"docs/{page.name}" in text
    for page in PAGES:
        for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_picture_is_what_the_code_draws() -> None:
    assert (ROOT / "docs" / "board.svg").read_text() == Position.parse("X.O/.X./O.X", Rules(3, 3, 3))._repr_svg_()


def test_nothing_in_the_tree_names_a_machine() -> None:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    home = re.compile("|".join(re.escape(str(path)) for path in (Path.home(), ROOT)))
    for name in filter(None, done.stdout.split("\0")):
        assert not home.search((ROOT / name).read_bytes().decode("utf-8", "replace")), name
