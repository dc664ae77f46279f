"""README and docs are true: every command is run, every output compared, every picture made once more."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

import gridlab
from gridlab import Position, Rules
from tests.fork_server import forking

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


LONG = "<!-- takes long -->\n"  # before a block whose commands only `make test-long` runs


class Example(NamedTuple):
    page: str
    command: str
    output: str
    long: bool


def name_of(page: Path) -> str:
    """README.md, census.md, formats/tablebases.md: as the toctree has it, with its ending."""
    return page.relative_to(DOCS if page.is_relative_to(DOCS) else ROOT).as_posix()


def examples() -> list[Example]:
    found = []
    for page in PAGES:
        for long, block in re.findall(rf"({LONG})?```console\n(.*?)```", page.read_text(), re.DOTALL):
            for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
                found.append(Example(name_of(page), command, output, bool(long)))
    return found


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, ...]]:
    """Folders in which a command finds `gridlab`, before all others."""
    if not hasattr(os, "fork"):
        yield ()
        return
    with forking(tmp_path_factory.mktemp("fork")) as folder:
        yield (folder,)


def run(command: str, folder: Path, programs: tuple[Path, ...] = ()) -> str:
    path = os.pathsep.join(map(str, [*programs, Path(sys.executable).parent, os.environ["PATH"]]))
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


def commands_of(page: str) -> list[Example]:
    return [each for each in examples() if each.page == page and not each.command.startswith("make ")]


WITH_COMMANDS = [name_of(page) for page in PAGES if commands_of(name_of(page))]
TAKE_LONG = [page for page in WITH_COMMANDS if any(each.long for each in commands_of(page))]


@pytest.mark.compiled
@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_commands_print_what_the_page_shows(page: str, tmp_path: Path, programs: tuple[Path, ...]) -> None:
    """One after the other in one folder: later commands of a page use what earlier ones have made."""
    for example in commands_of(page):
        if not example.long:
            printed = run(example.command, tmp_path, programs)
            assert matches(example.output, printed), f"{example.command}\n{printed}"


@pytest.mark.long
@pytest.mark.compiled
@pytest.mark.parametrize("page", TAKE_LONG)
def test_commands_that_take_long(page: str, tmp_path: Path, programs: tuple[Path, ...]) -> None:
    """Those that the page marks as such; they need nothing that others have made."""
    for example in commands_of(page):
        if example.long:
            printed = run(example.command, tmp_path, programs)
            assert matches(example.output, printed), f"{example.command}\n{printed}"


@pytest.mark.parametrize(
    "example", [each for each in examples() if each.command.startswith("make ")], ids=lambda each: each.command
)
def test_make_knows_its_targets(example: Example) -> None:
    """What they do is run by `make test-long` in a fresh clone, and by whoever runs these tests."""
    steps = run(f"{example.command} --dry-run", ROOT)
    assert "gridlab tour" in steps or "pytest" in steps


def test_every_page_is_linked_and_every_link_leads_somewhere() -> None:
    listed = (DOCS / "index.md").read_text().splitlines()
    assert "docs/index.md" in (ROOT / "README.md").read_text()
    for page in PAGES[1:]:
        assert name_of(page).removesuffix(".md") in (*listed, "index")
    for page in PAGES:
        for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{name_of(page)}: {target}"


def test_the_packages_are_drawn_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    packages = import_module("packages")
    page = (DOCS / "design.md").read_text()
    assert packages.redrawn(page) == page, "python tools/packages.py draws them again"


def test_prose_is_wrapped_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    wrap = import_module("wrap")
    for page in wrap.pages():
        text = page.read_text()
        assert wrap.wrapped(text) == text, f"python tools/wrap.py wraps {page.name} again"


def test_the_first_paragraph_of_a_page_is_prose() -> None:
    """It says what the page is for, before any heading, code, table or picture."""
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
        begin = page.read_text().split("\n\n")[1]
        assert re.match(r"[\w`*[][^\0]{60}", begin), name_of(page)


def test_words_of_the_glossary_are_linked_where_they_first_appear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    glossary = import_module("glossary")
    linked = set[str]()
    for page in glossary.pages():
        text = page.read_text()
        assert glossary.linked(text, glossary.way_from(page)) == text, f"python tools/glossary.py links {page.name}"
        linked |= set(re.findall(r"glossary\.md#([\w-]+)", text))
    assert linked == {term.anchor for term in glossary.terms()}, "every entry is linked from somewhere, and is there"


def test_glossary_links_leave_code_headings_and_other_links_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    glossary = import_module("glossary")
    code = "    orbit\n    -  an orbit\n    2  an orbit\n\n```\norbit\n```\n\n"
    page = f"# Orbits\n\n`orbit`, [an orbit](x.md)\n\n| orbit |\n\n{code}"
    assert glossary.linked(page, "glossary.md") == page
    again = "Two\nplies, 765 up to\nsymmetry; a ply and a symmetry.\n"
    shown = (
        "Two\n[plies](g.md#ply), 765 [up to symmetry](g.md#up-to-symmetry); a ply and a [symmetry](g.md#symmetry).\n"
    )
    assert glossary.linked(page + again, "g.md") == page + shown
    assert glossary.linked(page + f"Every ply. {shown}", "g.md") == page + (
        f"Every [ply](g.md#ply). {shown.replace('[plies](g.md#ply)', 'plies')}"
    ), "the first one is linked, and no other"


def test_the_glossary_is_short_and_in_order() -> None:
    """Every entry has at most a few lines of prose, and says where to read on."""
    entries = (DOCS / "glossary.md").read_text().split("\n## ")[1:]
    titles = [entry.partition("\n")[0] for entry in entries]
    assert titles == sorted(titles, key=str.lower)
    for title, entry in zip(titles, entries, strict=True):
        prose = [line for line in entry.splitlines()[1:] if line and not line.startswith("<!--")]
        assert 1 <= len(prose) <= 4, title
        assert re.search(r"More:\s\[.+\]\(.+\.md", entry), title


def test_what_gridlab_exports_is_named_by_its_short_name() -> None:
    """`gridlab.Games`, not gridlab.game2048.datasets.reader.Games: in imports, and where the text names it."""
    imported = re.compile(r"from gridlab\.[\w.]+ import ([\w, ]+)")
    named = re.compile(rf"`(?:gridlab\.)?(?:{'|'.join(packages_of_gridlab())})\.[a-z0-9_.]*?\.?(\w+)`")
    places = [*PAGES, ROOT / "CONTRIBUTING.md", *(ROOT / "examples").rglob("*.*")]
    for place in [place for place in places if place.suffix in (".md", ".py", ".ipynb")]:
        text = place.read_text()
        long = {name.strip() for names in imported.findall(text) for name in names.split(",")}
        assert not long & set(gridlab.__all__), place.name
        assert place.suffix != ".md" or not set(named.findall(text)) & set(gridlab.__all__), place.name


def packages_of_gridlab() -> list[str]:
    return [path.parent.name for path in (ROOT / "src" / "gridlab").glob("*/__init__.py")]


NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_a_page_with_all_it_shows(notebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/conf.py puts the page in the place of a short one that leads to the notebook, for those who read files."""
    monkeypatch.syspath_prepend(ROOT / "tools")
    page = import_module("notebooks").page_of(notebook)
    code = [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
    outputs = [output for cell in code for output in cell["outputs"]]
    pictures = [output for output in outputs if {"image/png", "image/svg+xml"} & set(output.get("data", {}))]
    assert page.count('src="data:image/') == len(pictures) > 0
    for cell in code:
        assert "".join(cell["source"]) in page
        assert cell["execution_count"], "a notebook is stored as it was run"
    for output in outputs:
        assert "".join(output.get("text", [])).rstrip() in page
    assert f"examples/notebooks/{notebook.name}" in (DOCS / "notebooks" / f"{notebook.stem}.md").read_text()


def test_the_benchmarks_are_those_that_were_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    module = import_module("page")
    measured = json.loads((ROOT / "docs" / "benchmarks.json").read_text())
    assert module.page(measured) == (ROOT / "docs" / "benchmarks.md").read_text(), "python benchmarks/page.py --page"


def test_the_picture_is_what_the_code_draws() -> None:
    assert (DOCS / "board.svg").read_text() == Position.parse("X.O/.X./O.X", Rules(3, 3, 3))._repr_svg_()


def test_nothing_in_the_tree_names_a_machine() -> None:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    home = re.compile("|".join(re.escape(str(path)) for path in (Path.home(), ROOT)))
    for name in filter(None, done.stdout.split("\0")):
        assert not home.search((ROOT / name).read_bytes().decode("utf-8", "replace")), name
