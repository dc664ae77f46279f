"""Where gridlab runs, and what to type there: a checkout that make has set up, or somebody's own environment."""

import shlex
import shutil
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[3]  # of a checkout; some folder of Python's where the package is installed


def checkout() -> Path | None:
    """The checkout whose own environment this is; None in any other environment."""
    own = ROOT / ".venv"
    known = all((ROOT / name).is_file() for name in ("Makefile", "pyproject.toml"))
    return ROOT if known and own.exists() and own.samefile(sys.prefix) else None


def program() -> str:
    """How `gridlab` is typed in the current folder; a PATH that only `uv run` or make has set is not relied on."""
    scripts = checkout_scripts() or Path(sysconfig.get_path("scripts"))
    found = shutil.which("gridlab", path=str(scripts))
    if found is None:
        return f"{shlex.quote(sys.executable)} -m gridlab"
    if Path(found).is_relative_to(Path.cwd()):
        return shlex.quote(str(Path(found).relative_to(Path.cwd())))
    usual = shutil.which("gridlab")
    return "gridlab" if usual and Path(usual).samefile(found) else shlex.quote(found)


def checkout_scripts() -> Path | None:
    """The programs of the checkout's environment, named by way of the checkout even if it is a link."""
    root = checkout()
    return root / ".venv" / Path(sysconfig.get_path("scripts")).name if root else None


def remedy(extra: str) -> str:
    """The command that installs an extra in this environment."""
    root = checkout()
    if root is None:
        return f"pip install 'gridlab[{extra}]'"
    return f"make extra-{extra}" if Path.cwd() == root else f"make -C {shlex.quote(str(root))} extra-{extra}"
