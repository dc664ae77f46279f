"""The compile cache follows the source, and kernels mean the same without the compiler."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numba
import pytest

from gridlab.core import jit
from gridlab.core.errors import FileTrouble
from tests.conftest import Python

PACKAGE = Path(jit.__file__).parent.parent
ENDING = """
from gridlab.games.mnk.kernels import ending, runs_of
from gridlab.games.mnk.rules import Rules
print(ending(0b000000111, runs_of(Rules(3, 3, 3))))
"""


def test_a_kernel_leaves_the_settings_of_others_alone() -> None:
    before = numba.config.CACHE_DIR

    @jit.kernel
    def twice(number: int) -> int:
        return 2 * number

    assert twice(21) == 42
    assert before == numba.config.CACHE_DIR


def test_old_caches_go_and_recent_ones_stay(tmp_path: Path) -> None:
    for age in range(8):
        folder = tmp_path / f"kernels-{age}"
        folder.mkdir()
        os.utime(folder, (time.time() - 100 * age - 100,) * 2)
    cache = jit.fresh_cache([tmp_path])
    kept = {path.name for path in tmp_path.iterdir()}
    assert kept == {cache.name, "kernels-0", "kernels-1", "kernels-2"}


def test_a_home_that_cannot_be_written_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert jit.fresh_cache([tmp_path / "file" / "cache", tmp_path]).parent == tmp_path
    with pytest.raises(FileTrouble, match="set NUMBA_CACHE_DIR"):
        jit.fresh_cache([tmp_path / "file" / "cache"])


def test_without_the_compiler_kernels_are_plain_python(python: Python) -> None:
    done = python(
        f"from gridlab.games.mnk import kernels\nprint(type(kernels.ending))\n{ENDING}", NUMBA_DISABLE_JIT="1"
    )
    assert done.stdout.split("\n")[:2] == ["<class 'function'>", "3"]
    assert done.stderr == ""


@pytest.mark.compiled
def test_a_changed_helper_is_never_served_stale(tmp_path: Path) -> None:
    """`ending` calls `popcount` of another file: numba alone would go on using the old one."""
    shutil.copytree(PACKAGE, tmp_path / "gridlab", ignore=shutil.ignore_patterns("__pycache__"))

    def run() -> tuple[str, str]:
        environment = os.environ | {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        done = subprocess.run(
            [sys.executable, "-c", ENDING], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip(), done.stderr.strip()

    assert run() == ("3", "compiling, first run only")
    assert run() == ("3", "")
    bits = tmp_path / "gridlab" / "core" / "bits.py"
    bits.write_text(bits.read_text().replace("return builder.ctpop(arguments[0])", "return arguments[0]"))
    assert run() == ("7", "compiling, first run only")
    assert len(list((tmp_path / "cache").iterdir())) == 2
