"""Where compiled kernels live: whose folders are used, and which are removed."""

import os
import time
from pathlib import Path

import pytest

from gridlab.core import jit as kernel_cache
from gridlab.core import jit as ownership
from gridlab.core.jit import KEPT, homes, prune

posix = pytest.mark.skipif(os.name == "nt", reason="owners and modes of POSIX")


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user whose cache and temporary folders are in `tmp_path`; the home among the temporary files."""
    ownership._why_not.cache_clear()
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr("numba.config.CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(folder))
    return folder / f"gridlab-{os.getuid()}"


def test_the_environment_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path))
    assert list(homes()) == list(homes(make=True)) == [tmp_path]


@posix
def test_the_users_cache_comes_before_the_temporary_folder(temporary: Path, tmp_path: Path) -> None:
    assert list(homes()) == [tmp_path / "caches" / "gridlab"]
    assert list(homes(make=True)) == [tmp_path / "caches" / "gridlab", temporary]
    assert list(homes()) == [tmp_path / "caches" / "gridlab", temporary]
    assert temporary.stat().st_mode & 0o777 == 0o700


@posix
def test_a_user_without_a_home_has_the_temporary_folder(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", nowhere)
    assert list(homes(make=True)) == [temporary]


@posix
def test_a_temporary_folder_that_others_can_write_to_is_not_used(temporary: Path, tmp_path: Path) -> None:
    temporary.mkdir(mode=0o700)
    temporary.chmod(0o777)
    assert list(homes(make=True)) == [tmp_path / "caches" / "gridlab"]
    temporary.rmdir()
    temporary.symlink_to(tmp_path)
    ownership._why_not.cache_clear()
    assert list(homes(make=True)) == [tmp_path / "caches" / "gridlab"]


@posix
def test_a_cache_that_others_can_write_to_is_not_used(temporary: Path, tmp_path: Path) -> None:
    (tmp_path / "caches").mkdir(mode=0o700)
    (tmp_path / "caches").chmod(0o777)
    assert list(homes(make=True)) == [temporary]


@posix
def test_a_full_disk_leads_to_the_next_home(temporary: Path, tmp_path: Path) -> None:
    (tmp_path / "caches").touch()
    kernel_cache.save_file("gridlab.core.bits-1/deposit-2.code", b"code")
    assert (temporary / "gridlab.core.bits-1" / "deposit-2.code").read_bytes() == b"code"
    assert len(list(temporary.glob("*/.*"))) == 0


def folder_used(home: Path, name: str, days_ago: float) -> Path:
    folder = home / name
    folder.mkdir(parents=True)
    os.utime(folder, (time.time() - days_ago * 24 * 3600,) * 2)
    return folder


def test_old_folders_of_a_module_go_and_recent_ones_stay(tmp_path: Path) -> None:
    for days in range(1, 9):
        folder_used(tmp_path, f"gridlab.core.bits-{days}", days)
    folder_used(tmp_path, "gridlab.core.bits_and_pieces-1", 50)
    folder_used(tmp_path, "of somebody else", 1000)
    prune(folder_used(tmp_path, "gridlab.core.bits-0", 0))
    kept = {path.name for path in tmp_path.iterdir()}
    assert kept == {
        *(f"gridlab.core.bits-{days}" for days in range(KEPT)),
        "gridlab.core.bits_and_pieces-1",
        "of somebody else",
    }


def test_folders_that_nobody_uses_any_more_go(tmp_path: Path) -> None:
    folder_used(tmp_path, "gridlab.core.renamed-1", 101)
    prune(folder_used(tmp_path, "gridlab.core.bits-0", 0))
    assert [path.name for path in tmp_path.iterdir()] == ["gridlab.core.bits-0"]
