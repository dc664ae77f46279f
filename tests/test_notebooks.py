"""The example notebooks run from top to bottom, and print what they show."""

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parent.parent / "examples" / "notebooks").glob("*.ipynb"))

pytestmark = [
    pytest.mark.long,
    pytest.mark.compiled,
    pytest.mark.filterwarnings("ignore"),  # of the libraries that run notebooks
]


def printed(notebook: Any) -> list[str]:
    """What each cell of code prints on stdout; pictures are left to people who look."""
    return [
        "".join(output.text for output in cell.outputs if output.output_type == "stream" and output.name == "stdout")
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_shows(path: Path, tmp_path: Path) -> None:
    shown = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    run = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    NotebookClient(run, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert printed(run) == printed(shown)


def test_there_are_three() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["exact-truth", "grade-your-player", "learning-2048"]
