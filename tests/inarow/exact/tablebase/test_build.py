"""Building: the same bytes whatever happens on the way; refusals before anything is done."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from gridlab.core.errors import CorruptFile, FileTrouble, TooLarge
from gridlab.games import game, tablebases
from gridlab.inarow.exact.census import census
from gridlab.inarow.exact.tablebase import build as building
from gridlab.inarow.exact.tablebase.build import build_tablebase, estimate, part_path
from gridlab.inarow.exact.tablebase.layout import TableFile
from gridlab.inarow.exact.tablebase.probe import Tablebase
from gridlab.inarow.exact.tablebase.sampling import draw_positions
from gridlab.inarow.exact.tablebase.solve import Solver
from gridlab.inarow.position import Position
from tests.conftest import Run

pytestmark = pytest.mark.compiled
RULES = game("4x4:4-3")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "whole.tb"
    build_tablebase(RULES, path, workers=1)
    return path


def test_any_number_of_workers_gives_the_same_bytes(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gridlab.inarow.exact.tablebase.solve.JOB", 1)  # a job for each block
    for workers in (2, 3):
        build_tablebase(RULES, tmp_path / "again.tb", workers=workers)
        assert (tmp_path / "again.tb").read_bytes() == whole.read_bytes()
        assert not (tmp_path / "again.tb.plies").exists()


def test_a_killed_build_goes_on_with_the_next_ply(whole: Path, tmp_path: Path) -> None:
    """SIGKILL in the middle of a ply: what is done is kept, the rest is made, and the bytes are the same."""
    path, folder = tmp_path / "killed.tb", tmp_path / "killed.tb.plies"
    program = f"""
import time
from pathlib import Path
from gridlab.inarow.exact.tablebase import build as building
from gridlab.games import game

solve = building.solve_to_file

def slowly(solver, ply, folder):
    solve(solver, ply, folder)
    if ply == 10:
        time.sleep(60)  # until it is killed

building.solve_to_file = slowly
building.build_tablebase(game("{RULES}"), Path({str(path)!r}))
"""
    run = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.DEVNULL)
    while not part_path(folder, 10).exists():
        time.sleep(0.01)
        assert run.poll() is None
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    assert not path.exists()
    kept = {each.name: each.stat().st_mtime_ns for each in folder.glob("[0-9]*.tb")}
    assert "14.tb" in kept
    assert "0.tb" not in kept
    (folder / ".8.tb.1.part").write_bytes(b"half a ply")  # what a kill in the middle of writing leaves
    with pytest.raises(FileTrouble, match="what an earlier build has left; go on with --resume"):
        build_tablebase(RULES, path)
    untouched = part_path(folder, 14).stat().st_mtime_ns
    assert untouched == kept["14.tb"]
    build_tablebase(RULES, path, workers=2, resume=True)
    assert path.read_bytes() == whole.read_bytes()
    assert not folder.exists()


def test_resuming_does_not_solve_again_what_is_done(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, folder = tmp_path / "t.tb", tmp_path / "t.tb.plies"
    solved: list[int] = []
    solve = building.solve_to_file

    def watch(solver: Solver, ply: int, folder: Path) -> None:
        if ply == 6 and 6 not in solved:
            solved.append(ply)
            raise KeyboardInterrupt
        solved.append(ply)
        solve(solver, ply, folder)

    monkeypatch.setattr(building, "solve_to_file", watch)
    with pytest.raises(KeyboardInterrupt):
        build_tablebase(RULES, path)
    assert sorted(int(each.stem) for each in folder.iterdir()) == [8, 10, 12, 14]
    build_tablebase(RULES, path, resume=True)
    assert solved == [14, 12, 10, 8, 6, 6, 4, 2, 0]
    assert path.read_bytes() == whole.read_bytes()


def test_what_a_build_will_take_is_said_once_and_not_of_one_that_is_refused(tmp_path: Path) -> None:
    path, folder, said = tmp_path / "t.tb", tmp_path / "t.tb.plies", list[str]()
    folder.mkdir()
    part_path(folder, 8).touch()
    with pytest.raises(FileTrouble, match="what an earlier build has left; go on with --resume"):
        build_tablebase("tictactoe", path, say=said.append)
    assert not said
    shutil.rmtree(folder)
    build_tablebase("tictactoe", path, say=said.append)
    assert said == [str(estimate(census(game("tictactoe"))))]


def test_what_is_left_of_another_build_is_not_used(whole: Path, tmp_path: Path) -> None:
    path, folder = tmp_path / "t.tb", tmp_path / "t.tb.plies"
    folder.mkdir()
    shutil.copy(whole, part_path(folder, 14))
    with pytest.raises(CorruptFile, match=r"14\.tb: the directory ends with ply 15, not 14; remove .* and start again"):
        build_tablebase(RULES, path, resume=True)
    part_path(folder, 14).write_bytes(b"GRIDTAB1 and then nothing")
    with pytest.raises(CorruptFile, match="the end is missing"):
        build_tablebase(RULES, path, resume=True)


@pytest.mark.parametrize(("max_ply", "stored"), [(0, [0]), (1, [0, 2]), (4, [0, 2, 4]), (15, list(range(0, 16, 2)))])
def test_the_first_plies_alone(whole: Path, tmp_path: Path, max_ply: int, stored: list[int]) -> None:
    path = tmp_path / "first.tb"
    build_tablebase(RULES, path, max_ply)
    table, complete = Tablebase(path), Tablebase(whole)
    assert list(table.file.plies) == stored
    assert [each.ply for each in table.file.directory.counts] == list(range(max_ply + 1))
    for ply in range(max_ply + 1):
        boards = draw_positions(RULES, ply, 20, np.random.default_rng(ply))
        assert np.array_equal(table.probe_many(boards), complete.probe_many(boards))
    if max_ply < 10:
        far = Position(RULES, *draw_positions(RULES, 10, 1, np.random.default_rng(0))[0].tolist())
        assert table.get(far) is None
        with pytest.raises(TooLarge, match=f"knows positions of up to {max_ply} plies; .* has 10"):
            table.probe(far)


def test_what_cannot_fit_is_refused_beforehand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needed = estimate(census(RULES))
    tablebases.require_room("it needs", needed.memory, needed.disk, tmp_path / "new" / "t.tb", "so")
    with monkeypatch.context() as patch:
        patch.setattr(tablebases, "available_memory", lambda: 1 << 20)
        with pytest.raises(TooLarge, match=r"4x4:4-3 needs about .* of memory and 1 MiB are free"):
            build_tablebase(RULES, tmp_path / "t.tb")
    usage = shutil.disk_usage(tmp_path)._replace(free=5000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(TooLarge, match=r"needs about .* of disk and 5 KiB are free"):
        build_tablebase(RULES, tmp_path / "t.tb")
    with pytest.raises(TooLarge, match="5x6:4 has 30 cells; strong solutions take boards of up to 25"):
        build_tablebase(game("5x6:4"), tmp_path / "t.tb")
    with pytest.raises(TooLarge, match="have 0 to 15 plies, not 16"):
        build_tablebase(RULES, tmp_path / "t.tb", max_ply=16)
    assert not list(tmp_path.iterdir())


def test_the_plan_is_of_the_right_size(whole: Path) -> None:
    needed = estimate(census(RULES))
    assert needed.positions == census(RULES).counts.ongoing
    assert needed.canonical == census(RULES).canonical.ongoing
    assert 2 * whole.stat().st_size < needed.disk < 50 * whole.stat().st_size
    assert estimate(census(RULES), workers=1).memory < estimate(census(RULES), workers=2).memory


def test_on_the_command_line(gridlab: Run, tmp_path: Path, whole: Path) -> None:
    path = tmp_path / "new" / "t.tb"
    code, out, err = gridlab("tablebase", "build", "4x4:4-3", "-o", str(path), "--workers", "2")
    assert (code, out) == (0, "")
    assert "4x4:4-3: 3,463,541 ongoing positions" in err
    assert "of memory" in err
    assert path.read_bytes() == whole.read_bytes()
    code, _, err = gridlab("tablebase", "build", "7x7:4", "-o", str(path))
    assert (code, err) == (2, "error: 7x7:4 has 49 cells; strong solutions take boards of up to 25\n")
    assert TableFile(path).directory.max_ply == 15
