"""The compile cache follows the source, and kernels mean the same without the compiler."""

import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_args, get_type_hints

import numba
import pytest

import gridlab
from gridlab.core import jit
from tests.conftest import Python, in_long_runs

PACKAGE = Path(jit.__file__).parent.parent
ENDING = """
from gridlab.inarow.kernels import ending, runs_of
from gridlab.inarow.rules import Rules
print(ending(0b000000111, runs_of(Rules(3, 3, 3))))
"""
NOTE = "compiling, first run only"


def test_a_kernel_leaves_the_settings_of_others_alone() -> None:
    before = numba.config.CACHE_DIR

    @jit.kernel
    def twice(number: int) -> int:
        return 2 * number

    assert twice(21) == 42
    assert before == numba.config.CACHE_DIR


def test_without_the_compiler_kernels_are_plain_python(python: Python) -> None:
    done = python(f"from gridlab.inarow import kernels\nprint(type(kernels.ending))\n{ENDING}", NUMBA_DISABLE_JIT="1")
    assert done.stdout.split("\n")[:2] == ["<class 'function'>", "3"]
    assert done.stderr == ""


class Copy:
    """A copy of the package that can be changed, with a cache of its own."""

    def __init__(self, folder: Path, package: Path = PACKAGE) -> None:
        self.folder, self.cache = folder, folder / "cache"
        shutil.copytree(package, folder / "gridlab", ignore=shutil.ignore_patterns("__pycache__"))

    def change(self, file: str, before: str, after: str) -> None:
        path = self.folder / "gridlab" / file
        text = path.read_text()
        assert before in text
        path.write_text(text.replace(before, after))

    def run(self, program: str = ENDING, **environment: str) -> tuple[str, str]:
        """What a program says, on stdout and stderr."""
        own = {"PYTHONPATH": str(self.folder), "NUMBA_CACHE_DIR": str(self.cache), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | own | environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip(), done.stderr.strip()


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """One that has run once, and so has compiled."""
    copy = Copy(tmp_path_factory.mktemp("once"))
    assert copy.run() == ("3", NOTE)
    return copy


@pytest.fixture
def compiled(once: Copy, tmp_path: Path) -> Copy:
    """A copy of that one, with what it has compiled."""
    shutil.copytree(once.cache, tmp_path / "cache")
    return Copy(tmp_path, once.folder / "gridlab")


@pytest.mark.compiled
def test_a_changed_helper_is_never_served_stale(compiled: Copy) -> None:
    """`ending` calls `popcount` of another file: numba alone would go on using the old one."""
    assert compiled.run() == ("3", "")
    compiled.change("core/bits.py", "return builder.ctpop(arguments[0])", "return arguments[0]")
    assert compiled.run() == ("7", NOTE)
    assert len(list(compiled.cache.glob("gridlab.inarow.kernels-*"))) == 2
    compiled.change("core/bits.py", "return arguments[0]", "return builder.ctpop(arguments[0])")
    assert compiled.run() == ("3", "")  # as it was: both are kept


@pytest.mark.compiled
def test_a_changed_constant_is_never_served_stale(copy: Copy) -> None:
    """`lowest_bit` shifted by a constant from a module without kernels; then the constant changes."""
    (copy.folder / "gridlab" / "core" / "shift.py").write_text("SHIFT = 1\n")
    copy.change("core/bits.py", "return stones & -stones", "return (stones & -stones) << SHIFT")
    copy.change("core/bits.py", "from gridlab.core.jit", "from gridlab.core.shift import SHIFT\nfrom gridlab.core.jit")
    program = "from gridlab.core.bits import lowest_bit\nprint(lowest_bit(12))"
    assert copy.run(program) == ("8", NOTE)
    copy.change("core/shift.py", "1", "2")
    assert copy.run(program) == ("16", NOTE)


@pytest.mark.compiled
def test_a_changed_module_out_of_reach_compiles_nothing(compiled: Copy) -> None:
    for file in ("cli/__init__.py", "inarow/search/mcts.py", "core/run.py"):
        compiled.change(file, '"""', '"""Changed. ')
    assert compiled.run() == ("3", "")


@pytest.mark.compiled
@pytest.mark.parametrize(
    "damage",
    [
        lambda code: code[:-1] + bytes([code[-1] ^ 1]),
        *in_long_runs(
            lambda code: code[:32], lambda code: b"", lambda code: code[:20], lambda code: code[: len(code) // 2]
        ),
    ],
    ids=["a bit flipped", "checksum alone", "empty", "cut in the checksum", "cut in half"],
)
def test_a_damaged_file_is_compiled_anew(compiled: Copy, damage: Callable[[bytes], bytes]) -> None:
    for file in compiled.cache.glob("*/*"):
        file.write_bytes(damage(file.read_bytes()))
    assert compiled.run() == ("3", NOTE)
    assert compiled.run() == ("3", "")


@pytest.mark.compiled
def test_without_a_place_for_it_compiled_code_is_not_kept(copy: Copy) -> None:
    copy.cache.touch()  # a file where a folder should be
    program = "from gridlab.core.bits import lowest_bit, next_of_same_size\nprint(lowest_bit(12), next_of_same_size(3))"
    for _ in range(2):
        out, err = copy.run(program)
        assert out == "4 5"
        assert err.splitlines() == [
            NOTE,
            "compiled kernels are not kept (not a directory), so every run compiles: "
            "set NUMBA_CACHE_DIR to a folder that can be written",
        ]


@pytest.mark.compiled
def test_kernels_of_a_notebook_work_and_are_not_kept(copy: Copy) -> None:
    """What they reach cannot be known: other cells, other files."""
    cells = "from gridlab.core.bits import lowest_bit\nfrom gridlab.core.jit import kernel\nSHIFT = {}\n" + (
        "exec(compile('@kernel\\ndef shifted(stones):\\n    return lowest_bit(stones) << SHIFT', '<cell>', 'exec'))\n"
        "print(shifted(12))\n"
    )
    assert copy.run(cells.format(1))[0] == "8"
    assert copy.run(cells.format(2))[0] == "16"
    assert [path.name.rpartition("-")[0] for path in copy.cache.iterdir()] == ["gridlab.core.bits"]


@pytest.mark.compiled
def test_a_reloaded_module_does_not_damage_the_cache(copy: Copy) -> None:
    """The digest is that of the source as first imported; what comes after is compiled for this process alone."""
    reload = """
import importlib, pathlib
from gridlab.core import bits
file = pathlib.Path(bits.__file__)
file.write_text(file.read_text().replace("return stones & -stones", "return (stones & -stones) << 1"))
importlib.reload(bits)
print(bits.lowest_bit(12))
"""
    text = (copy.folder / "gridlab" / "core" / "bits.py").read_text()
    assert copy.run(reload)[0] == "8"
    (copy.folder / "gridlab" / "core" / "bits.py").write_text(text)
    assert copy.run("from gridlab.core.bits import lowest_bit\nprint(lowest_bit(12))")[0] == "4"


@pytest.mark.compiled
def test_settings_of_the_compiler_have_code_of_their_own(compiled: Copy) -> None:
    assert compiled.run(NUMBA_BOUNDSCHECK="1") == ("3", NOTE)
    assert compiled.run() == ("3", "")


@pytest.mark.compiled
def test_kernels_give_plain_tuples_to_python() -> None:
    """Numba calls the class of a NamedTuple to make one, and crashes if Ctrl-C is raised there."""
    kernels = [
        (f"{name}.{each}", value)
        for name in (module.name for module in pkgutil.walk_packages(gridlab.__path__, "gridlab."))
        if not name.startswith("gridlab.__")
        for each, value in vars(importlib.import_module(name)).items()
        if isinstance(value, jit.Kernel)
    ]
    assert len(kernels) > 100
    for name, each in kernels:
        given = get_type_hints(each.py_func)["return"]
        for part in (given, *get_args(given)):
            assert not hasattr(part, "_fields"), name
