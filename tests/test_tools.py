"""The instruments in tools/ that count and compare the source."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = '''"""What it is for."""

import ast  # a comment
from gridlab.b import (
    one,
    two,
)


def plain(x):
    """Two lines
    of words."""
    with open(x) as file:
        return [y for y in file if y and x] if x else None


@kernel
def fast(x):
    # nothing but a comment
    return """
text"""
'''


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT / "tools")
    return import_module("lines")


def test_lines_of_code_are_counted_without_words_about_it(lines: Any) -> None:
    texts = {"src/gridlab/a.py": SOURCE, "src/gridlab/b.py": "one = two = 3\n", "src/gridlab/__init__.py": "# none\n"}
    found = lines.figures(texts)
    assert (found["files"], found["lines"], found["import_lines"]) == (2, 13, 5)
    assert (found["longest_file"], found["longest_file_name"]) == (12, "gridlab.a")
    assert found["names_imported_once"] == ["gridlab.b"]
    assert found["longest"] == {"a.py plain": 3}, "a kernel is left out"
    assert lines.Module.read("src/gridlab/a.py", SOURCE).functions[0].branches == 5


def test_a_revision_is_read_as_files_are(lines: Any) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a working copy of git")
    before = lines.at("HEAD")
    assert before.keys() >= {"src/gridlab/__init__.py", "src/gridlab/__main__.py"}
    assert lines.figures(before)["lines"] > 0
    with pytest.raises(SystemExit, match="git does not read nothing-of-the-kind"):
        lines.at("nothing-of-the-kind")
