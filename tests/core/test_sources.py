"""What a module reaches, held to the syntax trees of all our sources."""

import ast
import time
from pathlib import Path

import pytest

from gridlab.core import jit

FILES = sorted(Path(jit.PACKAGE).rglob("*.py"))


def module_name(file: Path) -> str:
    parts = file.relative_to(jit.PACKAGE).with_suffix("").parts
    return ".".join(["gridlab", *(part for part in parts if part != "__init__")])


def names_in(tree: ast.AST) -> set[str]:
    """Every dotted name that a source imports, wherever it does."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_no_import_is_overlooked() -> None:
    for file in FILES:
        text = file.read_bytes()
        named = {jit.module_of(name) for name in names_in(ast.parse(text)) if name.split(".")[0] == "gridlab"}
        assert named <= jit.imports(text), file


@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ("from gridlab.core.bits import popcount", ["core.bits"]),
        ("from gridlab.core import bits, run as work  # both", ["core", "core.bits", "core.run"]),
        ("from gridlab.core import (\n    bits,  # (once)\n    run,\n)", ["core", "core.bits", "core.run"]),
        ("from gridlab.core import bits, \\\n    run", ["core.bits", "core.run"]),
        ("def late():\n    import gridlab.core.bits", ["core.bits"]),
        ("import gridlab.core.bits as b", ["core.bits"]),
        ("from gridlab.games import game", ["games"]),
        ("import gridlab", [""]),
        ("import numpy\nfrom gridlabs import nothing", []),
        ("see gridlab.core.bits, of gridlab", []),
    ],
)
def test_imports_of_all_kinds(text: str, modules: list[str]) -> None:
    assert jit.imports(text.encode()) == {f"gridlab.{module}".rstrip(".") for module in modules}


def test_a_module_reaches_itself_and_what_its_imports_reach() -> None:
    reached = jit.reached("gridlab.core.bits")
    assert {"gridlab.core.bits", "gridlab.core.jit", "gridlab.core.errors"} <= reached
    assert all(module.startswith("gridlab.core.") for module in reached)
    assert "gridlab.inarow.rules" in jit.reached("gridlab.inarow.exact.census")
    assert not any(
        module.startswith(("gridlab.inarow.search.", "gridlab.game2048.search."))
        for module in jit.reached("gridlab.inarow.exact.census")
    )


def test_all_sources_are_searched_in_no_time() -> None:
    for function in (jit.digest_of, jit.read, jit.module_of, jit.file_of):
        function.cache_clear()
    begun = time.process_time()
    for file in FILES:
        jit.digest_of(module_name(file))
    assert time.process_time() - begun < 0.1  # 10 ms on an idle machine
