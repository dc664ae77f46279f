"""Small tablebases, each built once."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from gridlab.exact.tablebase.build import build
from gridlab.exact.tablebase.probe import Tablebase
from gridlab.games import game

Table = Callable[[str], Tablebase]


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """The tablebase of a game: table("3x3:3")."""
    folder: Path = tmp_path_factory.mktemp("tables")

    @cache
    def make(name: str) -> Tablebase:
        path = folder / f"{len(list(folder.iterdir()))}.tb"
        build(game(name), path)
        return Tablebase(path)

    return make
