"""A quick first run: every function of `exact` that kernels are made of is compiled for one set of argument types."""

import json
from pathlib import Path

import pytest

from tests.conftest import Python

PROGRAM = """
import json
import os
from collections import defaultdict
from pathlib import Path

from numba.core import event

compiled = defaultdict(set)


class Types(event.Listener):
    def on_start(self, event):
        function = event.data["dispatcher"].py_func
        compiled[f"{function.__module__}.{function.__name__}"].add(str(event.data["args"]))

    def on_end(self, event):
        pass


event.register("numba:compile", Types())

from gridlab.inarow.exact.states import blocks
from gridlab.inarow.exact.tablebase.build import build_tablebase
from gridlab.inarow.exact.tablebase.verify import verify
from gridlab.inarow.exact.terminals import count_shards, layer, prepare
from gridlab.games import game

rules, path = game("tictactoe"), Path(os.environ["TABLE"])
build_tablebase(rules, path)
assert not verify(path).complaints
tables = prepare(rules, 7)
assert list(layer(tables, count_shards(tables, 7)))
assert list(blocks(rules, canonical=True))
print(json.dumps({name: sorted(types) for name, types in compiled.items()}))
"""


@pytest.mark.compiled
@pytest.mark.long
def test_no_function_is_compiled_twice(python: Python, tmp_path: Path) -> None:
    """A constant, an int16 or a slice of another layout in one call would make a second version of what is called."""
    run = python(PROGRAM, NUMBA_CACHE_DIR=str(tmp_path / "cache"), TABLE=str(tmp_path / "t.tb"))
    assert run.returncode == 0, run.stderr
    found: dict[str, list[str]] = json.loads(run.stdout)
    ours = {name: types for name, types in found.items() if name.startswith("gridlab.inarow.exact.")}
    assert "gridlab.inarow.exact.tablebase.solve.min_over_crosses" in ours
    assert {name: types for name, types in ours.items() if len(types) > 1} == {}
