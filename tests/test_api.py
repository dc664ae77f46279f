"""`import gridlab` is enough: every name is there, is documented, and costs nothing before it is used."""

import re
from pathlib import Path

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
    data = {"NAMED", "BEHAVIOUR", "__version__"}
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


def test_a_function_and_a_room_may_share_a_name(python: Python) -> None:
    """`gridlab.search` is both, whichever is used first."""
    program = "import gridlab; {}; print(gridlab.search(gridlab.Position(gridlab.game('tictactoe')), 50).playouts)"
    for first in ("import gridlab.search.mnk.alpha_beta as package", "gridlab.search", "pass"):
        done = python(program.format(first), NUMBA_DISABLE_JIT="1")
        assert done.stdout == "50\n", done.stderr
