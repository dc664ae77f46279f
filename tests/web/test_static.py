"""The page is sound before anybody opens it."""

import subprocess
import sys
from pathlib import Path

from gridlab.web.app import STATIC

LONGEST = 320  # lines of a module: one job each


def test_the_linter_finds_nothing() -> None:
    words = [str(Path(sys.executable).parent / "oxlint"), "--deny-warnings", str(STATIC)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_modules_are_small_and_say_what_they_are() -> None:
    for path in STATIC.rglob("*.js"):
        lines = path.read_text().splitlines()
        assert len(lines) <= LONGEST, path
        assert lines[0].startswith("// "), path


def test_colours_stand_in_the_tokens_alone() -> None:
    """But those of the tiles of 2048, which are the same by day and by night."""
    for path in (STATIC / "css").glob("*.css"):
        if path.name not in ("tokens.css", "tiles.css"):
            text = path.read_text().replace("light-dark(#fff, #0e1730)", "").replace("light-dark(#fff, #2b0f0c)", "")
            assert "#" not in text, path
