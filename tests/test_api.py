"""`import gridlab` is enough: every name is there, is documented, and costs nothing before it is used."""

import inspect
import pydoc
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any

import pytest

import gridlab
from gridlab.core import errors
from tests.conftest import Python

PAGE = Path(__file__).parent.parent / "docs" / "python.md"
REFERENCE = PAGE.with_name("api.md")


def documented() -> set[str]:
    """The names in the first columns of the tables, and those of the last paragraph."""
    text = PAGE.read_text()
    rows = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    return set(re.findall(r"`(\w+)`", " ".join([*rows, text.splitlines()[-1]])))


def test_everything_promised_can_be_imported_and_is_documented() -> None:
    for name in gridlab.__all__:
        assert getattr(gridlab, name) is not None
    assert set(gridlab.__all__) == set(dir(gridlab))
    assert set(gridlab.__all__) == documented()
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = gridlab.nothing  # type: ignore[attr-defined]


def test_the_reference_has_every_name_once_in_a_section_and_in_its_contents() -> None:
    contents, *sections = REFERENCE.read_text().split("\n## ")
    placed = re.findall(r"^\.\. (?:auto\w+|data):: (\w+)$", "\n".join(sections), re.MULTILINE)
    assert sorted(placed) == sorted(gridlab.__all__)
    assert re.findall(r"\[`(\w+)`\]\(#gridlab\.\1\)", contents) == placed
    titles = [section.partition("\n")[0] for section in sections]
    assert re.findall(r"^\| \[(.+?)\]\(#", contents, re.MULTILINE) == titles


def test_every_name_says_what_it_is_in_words_of_its_own() -> None:
    """The reference shows the docstring: one that is inherited, or none, says nothing."""
    data = {"NAMED", "RESULTS_VERSION", "__version__"}
    for name in set(gridlab.__all__) - data:
        thing = getattr(gridlab, name)
        assert vars(thing).get("__doc__") if isinstance(thing, type) else thing.__doc__, name


def test_every_error_is_there() -> None:
    raised = {name for name, each in vars(errors).items() if isinstance(each, type) and issubclass(each, Exception)}
    assert raised <= set(gridlab.__all__)


def test_importing_is_cheap(python: Python) -> None:
    heavy = ["numba", "numpy", "typer", "torch", "pyarrow", "matplotlib", "fastapi", "tqdm", "loky", "cloudpickle"]
    done = python(f"import sys, gridlab; print([name for name in {heavy} if name in sys.modules])")
    assert done.stdout.strip() == "[]"


# The order of arguments, as docs/python.md says it; what is not listed is a setting, and stands before `tablebase`.
SUBJECTS = {
    "a", "address", "answers", "b", "cols", "crosses", "data", "exam", "exponents", "folder", "folders", "name",
    "noughts", "path", "paths", "player", "players", "position", "rows", "text", "tiles",
}  # fmt: skip
AMOUNTS = {"games", "positions", "plies", "episodes", "epochs", "playouts", "number"}
LAST = ["tablebase", "seed", "workers", "resume", "progress"]
SETTING = 4
PLACE_OF = (
    dict.fromkeys(SUBJECTS, 0)
    | {"rules": 1, "out": 2}
    | dict.fromkeys(AMOUNTS, 3)
    | {name: SETTING + 1 + number for number, name in enumerate(LAST)}
)
SETTINGS_HERE = {
    ("generate", "player"),  # games are asked for, and expectimax plays them if nobody else is named
    ("print_exam", "answers"),  # a second page to write
}
MADE_BY_USERS = ("Games", "Games2048", "InARowGames", "Moves2048", "Oracle", "Tablebase", "Tablebase2048", "Terminals")
READ = {  # a file or a folder that is read; nothing is written there, but for the manifest of layers that are adopted
    "info_of", "read_tournament", "open_terminals", "adopt_terminals", "Games", "Tablebase", "Tablebase2048",
    "Terminals", "Moves2048", "Exam.key",
}  # fmt: skip
OTHER_WORDS = {"path", "paths", "folder", "output", "file", "place", "save", "target_folder", "destination"}


def public_functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every function of `gridlab`, and the classes whose objects users make to work with."""
    for name in gridlab.__all__:
        found = getattr(gridlab, name)
        if name in MADE_BY_USERS or (callable(found) and not isinstance(found, type)):
            yield name, found


def public_methods() -> Iterator[tuple[str, Callable[..., Any]]]:
    for name in gridlab.__all__:
        if isinstance(owner := getattr(gridlab, name), type):
            for method in vars(owner):
                if not method.startswith("_") and isinstance(
                    found := getattr(owner, method), FunctionType | MethodType
                ):
                    yield f"{name}.{method}", found


def test_arguments_have_one_order() -> None:
    """Subject, rules, out, how much, settings, then tablebase, seed, workers, resume, progress."""
    looked_at = 0
    for name, function in public_functions():
        names = list(inspect.signature(function).parameters)
        places = [SETTING if (name, each) in SETTINGS_HERE else PLACE_OF.get(each, SETTING) for each in names]
        assert places == sorted(places), f"{name}({', '.join(names)})"
        assert names, name
        looked_at += 1
    assert looked_at > 40


def test_a_destination_is_called_out() -> None:
    seen = set()
    for name, function in [*public_functions(), *public_methods()]:
        for each in set(inspect.signature(function).parameters) & OTHER_WORDS:
            assert name in READ, f"{name} has an argument {each}: call it `out`, or say here that it is read"
            seen.add(name)
    assert seen == READ
    for name, method in public_methods():
        names = list(inspect.signature(method).parameters)
        assert "out" not in names or names.index("out") == 1, name
        assert not name.rpartition(".")[2].startswith(("save", "to_", "write", "export")) or "out" in names, name


def test_search_is_a_function() -> None:
    """And no package too: it has its parameters, whatever was imported first."""
    from gridlab.inarow.search.mcts import search

    assert inspect.signature(gridlab.search) == inspect.signature(search)
    described = pydoc.plain(pydoc.render_doc(gridlab.search))
    assert "search(position" in described
    assert "Search an ongoing position" in described
