"""Without its library an environment refuses with the name of the extra, and `import gridlab.environments` does not."""

import json
import subprocess
import sys

import pytest

from gridlab.core.run import remedy

EXTRAS = {
    "gridlab.games.vector": "gym",
    "gridlab.inarow.environment.gym": "gym",
    "gridlab.game2048.environment.gym": "gym",
    "gridlab.inarow.environment.pettingzoo": "pettingzoo",
    "gridlab.players.openspiel": "openspiel",
}
PROGRAM = """
import sys
for name in ("gymnasium", "pettingzoo", "pyspiel", "open_spiel"):
    sys.modules[name] = None
import importlib, json, gridlab.environments
said = {}
for module in sys.argv[1:]:
    try:
        importlib.import_module(module)
    except gridlab.MissingExtra as error:
        said[module] = str(error)
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def said() -> dict[str, str]:
    """What each module says in a process without the libraries."""
    run = subprocess.run([sys.executable, "-c", PROGRAM, *EXTRAS], capture_output=True, text=True, check=True)
    found: dict[str, str] = json.loads(run.stdout)
    return found


@pytest.mark.parametrize(("module", "extra"), EXTRAS.items())
def test_a_missing_library_is_named(said: dict[str, str], module: str, extra: str) -> None:
    assert remedy(extra) in said[module]
