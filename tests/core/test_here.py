"""What to type: a command that works in the folder and the environment in which somebody is."""

import subprocess
import sys
from pathlib import Path

import pytest

from gridlab.core import run as here


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that looks like a checkout with an environment of its own, in which this process runs."""
    (tmp_path / "a clone" / ".venv" / "bin").mkdir(parents=True)
    root = tmp_path / "a clone"
    for name in ("Makefile", "pyproject.toml"):
        (root / name).touch()
    put(root / ".venv" / "bin")
    monkeypatch.setattr(here, "ROOT", root)
    monkeypatch.setattr(sys, "prefix", str(root / ".venv"))
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(root / ".venv" / "bin"))
    return root


def put(folder: Path) -> Path:
    program = folder / "gridlab"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return program


def test_in_a_clone_make_installs_extras(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(clone)
    assert here.remedy("web") == "make extra-web"
    monkeypatch.chdir(clone.parent)
    assert here.remedy("web") == f"make -C '{clone}' extra-web"


def test_elsewhere_pip_does(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(clone.parent))
    assert here.remedy("web") == "pip install 'gridlab[web]'"


@pytest.mark.skipif(sys.platform == "win32", reason="programs have other names there")
def test_the_program_is_named_so_that_it_is_found(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(clone / ".venv" / "bin"))  # as `uv run` sets it, for one command
    monkeypatch.chdir(clone)
    assert here.program() == ".venv/bin/gridlab"
    monkeypatch.chdir("/")
    assert here.program() == f"'{clone.relative_to('/')}/.venv/bin/gridlab'"
    (clone.parent / "elsewhere").mkdir()
    monkeypatch.chdir(clone.parent / "elsewhere")
    assert here.program() == "gridlab"
    monkeypatch.setenv("PATH", "")
    assert here.program() == f"'{clone}/.venv/bin/gridlab'"
    (clone / ".venv" / "bin" / "gridlab").unlink()
    assert here.program().endswith(" -m gridlab")


def test_what_it_names_here_runs() -> None:
    said = subprocess.run(f"{here.program()} --version", shell=True, capture_output=True, text=True, check=True).stdout
    assert said.startswith("gridlab ")
