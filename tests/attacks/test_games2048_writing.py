"""Files of 2048 games written where something is in the way: a full disk, another run, the file that is being read."""

import math
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gridlab.core.errors import BadNotation, FileTrouble, GridlabError
from gridlab.game2048.datasets.files import export_games, read_games
from gridlab.game2048.datasets.generate import generate
from gridlab.game2048.datasets.settings import Journal, journal_of
from gridlab.game2048.datasets.split import NAMES, split
from gridlab.game2048.datasets.verify import verify
from tests.attacks.games2048 import FORMS, settings
from tests.attacks.harness import Attacker

pytestmark = pytest.mark.compiled

KEPT = "the last good file"


@pytest.fixture(scope="module")
def many(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Games enough for more than a block, and for files larger than a small disk."""
    path = tmp_path_factory.mktemp("many") / "many.jsonl"
    path.write_bytes((samples / "rich.jsonl").read_bytes() * 30)
    return path


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = shutil.which("mount")
    if mount is None or subprocess.run([mount, "-t", "tmpfs", "-o", "size=64k", "none", place], check=False).returncode:
        pytest.skip("a disk cannot be mounted here")
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


def leftovers(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("form", ["jsonl", *FORMS])
def test_a_full_disk(form: str, many: Path, small_disk: Path, attacker: Attacker) -> None:
    target = small_disk / "out"
    for taken in (45_000, 57_000):
        target.write_text(KEPT)
        (small_disk / "taken").write_bytes(bytes(taken))
        ending = attacker.attack("2048", "export", many, "--format", form, "-o", target, cwd=small_disk)
        assert ending.code == 2, ending
        assert "no space left on device" in ending.err
        assert (target.read_text(), leftovers(small_disk)) == (KEPT, [])


@pytest.mark.parametrize("form", ["jsonl", *FORMS])
@pytest.mark.parametrize("limit", [1000, 8000])
def test_a_limit_on_the_size_of_files(form: str, limit: int, many: Path, tmp_path: Path, attacker: Attacker) -> None:
    target = tmp_path / "out"
    target.write_text(KEPT)
    asked = ("2048", "export", many, "--format", form, "-o", target)
    ending = attacker.attack(*asked, cwd=tmp_path, biggest_file=limit)
    assert (ending.code, target.read_text(), leftovers(tmp_path)) == (2, KEPT, []), ending


ASKED = ("2048", "generate", "--player", "random", "--seed", "3", "--quiet", "--workers", "1")


def test_a_run_on_a_full_disk_goes_on_when_there_is_room(small_disk: Path, tmp_path: Path, attacker: Attacker) -> None:
    target = small_disk / "a.jsonl"
    ending = attacker.attack(*ASKED, "-g", "12", "-o", target, cwd=tmp_path)
    assert (ending.code, target.exists()) == (2, False)
    assert "the run goes on with --resume" in ending.err
    assert leftovers(small_disk) == [journal_of(target).name]
    room = tmp_path / "a.jsonl"
    shutil.copy(journal_of(target), journal_of(room))
    assert attacker.attack(*ASKED, "-g", "12", "-o", room, "--resume", cwd=tmp_path).code == 0
    assert (verify(room).sound, verify(room).games, leftovers(tmp_path)) == (True, 12, [])


def test_a_split_on_a_full_disk_changes_nothing(many: Path, small_disk: Path, attacker: Attacker) -> None:
    for name in NAMES.values():
        (small_disk / name).write_text(KEPT)
    ending = attacker.attack("2048", "split", many, "-o", small_disk, cwd=small_disk)
    assert (ending.code, leftovers(small_disk)) == (2, []), ending
    assert {(small_disk / name).read_text() for name in NAMES.values()} == {KEPT}


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Ctrl-C may come while Python tidies up
@pytest.mark.parametrize("form", ["jsonl", *FORMS])
def test_ctrl_c(form: str, many: Path, tmp_path: Path) -> None:
    """At any moment: either the file is as it was, or it is whole."""
    target, stopped = tmp_path / "out", 0
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        for moment in (0.002, 0.01, 0.02, 0.03, 0.06, 0.1):
            target.write_text(KEPT)
            try:
                signal.setitimer(signal.ITIMER_REAL, moment)
                export_games(many, form, target)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                stopped += 1
            assert leftovers(tmp_path) == []
            if target.read_bytes() != KEPT.encode():
                assert verify(target.rename(tmp_path / f"named{FORMS.get(form, '.jsonl')}")).sound
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert stopped


# ---- what is being read is not written


def test_the_file_that_is_named_is_the_one_written(samples: Path, tmp_path: Path, attacker: Attacker) -> None:
    for form in ("json", "jsonl", "csv", "npz"):
        target = tmp_path / "results.v1"
        ending = attacker.attack("2048", "export", samples / "plain.json", "--format", form, "-o", target, cwd=tmp_path)
        assert (ending.code, ending.out) == (0, f"{target}\n")
        assert [path.name for path in tmp_path.iterdir()] == ["results.v1"]
        named = target.rename(tmp_path / f"named.{form}")
        assert [game.line() for game in read_games(named)] == [
            game.line() for game in read_games(samples / "plain.jsonl")
        ]
        named.unlink()


def other_names(path: Path) -> list[Path]:
    """The same file by other names."""
    folder = path.parent
    (folder / "link.jsonl").symlink_to(path)
    os.link(path, folder / "hard.jsonl")
    (folder / "sub").mkdir()
    return [path, folder / "link.jsonl", folder / "hard.jsonl", folder / "sub" / ".." / path.name, Path(f"{path}")]


def test_an_export_onto_itself(samples: Path, tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_bytes((samples / "plain.jsonl").read_bytes())
    before = source.read_bytes()
    for target in (*other_names(source), None):
        with pytest.raises(FileTrouble, match="which is being read"):
            export_games(source, "jsonl", target)
    assert source.read_bytes() == before


def test_a_split_onto_its_source(samples: Path, tmp_path: Path) -> None:
    for name in NAMES.values():
        folder = tmp_path / name
        folder.mkdir()
        source = folder / name
        source.write_bytes((samples / "plain.jsonl").read_bytes())
        for each in other_names(source):
            if name == NAMES["train"] and each.parent.resolve() / each.name == source:
                continue  # all of it is kept beside its parts
            with pytest.raises(FileTrouble, match="which is being read"):
                split(each, folder, 0.4, 0.3, 0.3)
        assert source.read_bytes() == (samples / "plain.jsonl").read_bytes()


def test_a_split_beside_its_source_on_a_full_disk_changes_nothing(
    samples: Path, small_disk: Path, attacker: Attacker
) -> None:
    """There is room for the file and its parts, but not for all of it once more."""
    source, games = small_disk / NAMES["train"], b""
    game = min((samples / "plain.jsonl").read_bytes().splitlines(keepends=True), key=len)
    while len(games) < 22_000:
        games += game
    assert 2 * len(games) < 56_000
    source.write_bytes(games)
    ending = attacker.attack("2048", "split", source, "-o", small_disk, cwd=small_disk)
    assert (ending.code, "no space left on device" in ending.err, leftovers(small_disk)) == (2, True, []), ending
    assert source.read_bytes() == games
    assert {path.name for path in small_disk.iterdir()} <= {source.name, f"{source.name}.index"}


def test_a_picture_onto_its_source(samples: Path, tmp_path: Path, attacker: Attacker) -> None:
    source = tmp_path / "a.jsonl"
    source.write_bytes((samples / "plain.jsonl").read_bytes())
    (tmp_path / "a.png").symlink_to(source)
    for name, said in (("a.png", "which is being read"), ("a.txt", "is not a name for a picture")):
        ending = attacker.attack("2048", "stats", source, "--out", tmp_path / name, cwd=tmp_path)
        assert (ending.code, ending.out, said in ending.err) == (2, "", True), ending
    assert source.read_bytes() == (samples / "plain.jsonl").read_bytes()
    assert attacker.attack("2048", "stats", source, "--out", tmp_path / "b.png", cwd=tmp_path).code == 0
    assert (tmp_path / "b.png").exists()


@pytest.mark.parametrize(
    "shares",
    [(math.nan, 0.5, 0.5), (math.inf, 0, 0), (1, math.nan, 0), (2, -1, 0), (0.5, 0.5, 0.5), (0, 0, 0), (1e308,) * 3],
)
def test_shares_that_are_none(shares: tuple[float, float, float], samples: Path, tmp_path: Path) -> None:
    for name in NAMES.values():
        (tmp_path / name).write_text(KEPT)
    with pytest.raises(BadNotation, match="are not shares"):
        split(samples / "plain.jsonl", tmp_path, *shares)
    assert {(tmp_path / name).read_text() for name in NAMES.values()} == {KEPT}


def test_a_split_of_no_games(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("\n\n")
    with pytest.raises(FileTrouble, match="has no games"):
        split(tmp_path / "a.jsonl", tmp_path / "parts", 0.4, 0.3, 0.3)
    assert not (tmp_path / "parts").exists()


# ---- runs


def test_two_runs_of_one_file(tmp_path: Path, attacker: Attacker) -> None:
    """The second is refused as long as the first one lives, and no longer."""
    command = [sys.executable, "-m", "gridlab", *ASKED]
    command = [each if each != "random" else "expectimax depth=6" for each in command]
    target = tmp_path / "a.jsonl"
    with subprocess.Popen([*command, "-g", "500", "-o", target], stderr=subprocess.DEVNULL) as first:
        while not journal_of(target).exists():
            assert first.poll() is None
            time.sleep(0.01)
        for more in ([], ["--resume"]):
            ending = attacker.attack(*ASKED, "-g", "2", "-o", target, *more, cwd=tmp_path)
            assert ending.code == 2
        same = [each if each != "random" else "expectimax depth=6" for each in ASKED]
        ending = attacker.attack(*same, "-g", "500", "-o", target, "--resume", cwd=tmp_path)
        assert (ending.code, "another process is writing" in ending.err) == (2, True)
        assert first.poll() is None
        first.kill()
    assert (
        attacker.attack(*ASKED, "-g", "2", "-o", target, cwd=tmp_path).err.count("go on with --resume, or remove") == 1
    )
    journal_of(target).unlink()
    assert attacker.attack(*ASKED, "-g", "2", "-o", target, cwd=tmp_path).code == 0
    assert verify(target).games == 2


def test_a_run_asked_for_fewer_games_than_it_has(samples: Path, tmp_path: Path) -> None:
    target = tmp_path / "a.jsonl"
    before = journal_of(samples / "plain-run.jsonl").read_bytes() + b"torn"
    journal_of(target).write_bytes(before)
    with pytest.raises(BadNotation, match="already has 3 games; ask for so many or more"):
        generate("2048", target, 2, settings=settings(False), resume=True)
    assert journal_of(target).read_bytes() == before
    assert generate("2048", target, 3, settings=settings(False), resume=True).statistics.games == 3


def test_places_that_cannot_be_written_are_found_before_the_first_game(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "loop.jsonl").symlink_to("loop.jsonl")
    for name in ("file/a.jsonl", "folder.jsonl", "loop.jsonl", f"{'a' * 300}.jsonl"):
        with pytest.raises(GridlabError):
            generate("2048", tmp_path / name, 1, settings=settings(False))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder.jsonl", "loop.jsonl"]


def test_a_journal_that_is_there_already(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "a.jsonl")
    journal.begin(settings(False).as_dict())
    with pytest.raises(FileTrouble, match="go on with --resume, or remove that file"):
        Journal(tmp_path / "a.jsonl").begin(settings(False).as_dict())
