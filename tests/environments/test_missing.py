"""Without its library an environment refuses with the name of the extra, and `import gridlab.environments` does not."""

import pytest

from tests.conftest import Python

PROGRAM = """
import sys
for name in ("gymnasium", "pettingzoo", "pyspiel", "open_spiel"):
    sys.modules[name] = None
import importlib, gridlab.environments
try:
    importlib.import_module("{module}")
except gridlab.MissingExtra as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("module", "extra"),
    [
        ("gridlab.environments.mnk.single", "gym"),
        ("gridlab.environments.mnk.vector", "gym"),
        ("gridlab.environments.game2048.single", "gym"),
        ("gridlab.environments.game2048.vector", "gym"),
        ("gridlab.environments.mnk.aec", "pettingzoo"),
        ("gridlab.environments.openspiel", "openspiel"),
    ],
)
def test_a_missing_library_is_named(python: Python, module: str, extra: str) -> None:
    run = python(PROGRAM.replace("{module}", module))
    assert f"pip install 'gridlab[{extra}]'" in run.stdout, run.stderr
