"""Compiling ahead: what is run, what is remembered, what is refused."""

from pathlib import Path

import pytest

from gridlab import cli
from gridlab.core.errors import FileTrouble, GridlabError
from gridlab.core.warming import WarmJob, warm
from tests.conftest import in_long_runs

SMALL = WarmJob("small", 1, ("census 2x2:2 --workers 1",))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own, for this process and those it starts."""
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.compiled
def test_a_job_is_run_while_any_of_its_kernels_is_missing(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(cache.parent)  # from which a cache may be named, too
    monkeypatch.setattr("numba.config.CACHE_DIR", cache.name)
    monkeypatch.setenv("NUMBA_CACHE_DIR", cache.name)
    first = warm([SMALL], cli.run)
    assert first.kernels == first.compiled > 0
    assert first.done[0].seconds > 0
    assert all((cache / kernel).is_file() for kernel in first.done[0].kernels)
    second = warm([SMALL], cli.run)
    assert (second.kernels, second.compiled, second.done[0].seconds) == (first.kernels, 0, 0)
    (cache / first.done[0].kernels[0]).unlink()
    third = warm([SMALL], cli.run)
    assert (third.kernels, third.compiled) == (first.kernels, 1)


@pytest.mark.compiled
@pytest.mark.parametrize(
    "note", [b'["../x"]', *in_long_runs(b"", b"{", b"3", b"[1]", b'["a/b\\u0000"]', b"[" * 100_000, b"\xff")]
)
def test_a_damaged_note_is_written_anew(cache: Path, note: bytes) -> None:
    nothing = WarmJob("nothing to compile", 1, ("lines tictactoe",))
    warm([nothing], cli.run)
    (path,) = cache.glob("gridlab.warm-*/nothing*.json")
    path.write_bytes(note)
    assert warm([nothing], cli.run).done[0].seconds > 0
    assert warm([nothing], cli.run).done[0].seconds == 0


@pytest.mark.compiled
def test_a_job_is_run_again_on_demand(cache: Path) -> None:
    nothing = WarmJob("nothing to compile", 1, ("lines tictactoe",))
    assert warm([nothing], cli.run).done[0].seconds > 0
    assert warm([nothing], cli.run).done[0].seconds == 0
    assert warm([nothing], cli.run, anew=True).done[0].seconds > 0


@pytest.mark.compiled
def test_a_command_that_fails_is_told(cache: Path) -> None:
    with pytest.raises(
        GridlabError, match=r"gridlab census chess ended with exit code 2: error: 'chess' is not a game"
    ):
        warm([WarmJob("wrong", 1, ("census chess",))], cli.run)


@pytest.mark.compiled
def test_jobs_whose_libraries_are_missing_are_left_out(cache: Path) -> None:
    assert warm([WarmJob("elsewhere", 1, ("census chess",), needs=("no_such_library",))], cli.run).done == ()


@pytest.mark.compiled
def test_a_cache_that_cannot_be_written_is_told_at_once(cache: Path) -> None:
    cache.touch()  # a file where a folder should be
    with pytest.raises(FileTrouble, match=r"compiled kernels cannot be kept \(not a directory\); set NUMBA_CACHE_DIR"):
        warm([SMALL], cli.run)
