"""Whose files are trusted, by every way in which somebody else could have written them."""

import hashlib
import os
import pickle
import stat
import struct
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from gridlab.core import jit as kernel_cache
from gridlab.core import jit as ownership
from gridlab.core.errors import FileTrouble
from gridlab.core.jit import read_trusted, why_not_trusted
from tests.conftest import Python

pytestmark = pytest.mark.skipif(os.name == "nt", reason="owners and modes of POSIX")
root_only = pytest.mark.skipif(getattr(os, "getuid", lambda: 1)() != 0, reason="only root gives files away")
SOMEBODY = 12_345  # another user
NOBODY = 2**32 - 1  # in a list of rights: whoever the entry is for by itself


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A file in a folder of ours."""
    folder = tmp_path / "cache" / "module"
    folder.mkdir(parents=True, mode=0o700)
    (folder.parent).chmod(0o700)
    path = folder / "kernel.code"
    path.write_bytes(b"code")
    path.chmod(0o600)
    return path


@pytest.fixture(autouse=True)
def looked_at_anew() -> None:
    ownership._why_not.cache_clear()
    ownership._alone_in.cache_clear()


def test_what_is_ours_is_read(kept: Path) -> None:
    assert read_trusted(kept) == b"code"
    kept.parent.chmod(0o755)
    kept.chmod(0o644)
    assert read_trusted(kept) == b"code"


WAYS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a file that all can write": (lambda kept: kept.chmod(0o666), "written by others"),
    "a folder that all can write": (lambda kept: kept.parent.chmod(0o777), "written by others"),
    "a folder above that all can write": (lambda kept: kept.parent.parent.chmod(0o777), "written by others"),
    "a folder above that a group can write": (lambda kept: _share(kept.parent.parent), "written by others"),
    "a file of another user": (lambda kept: _give(kept, SOMEBODY), "another user"),
    "a folder of another user": (lambda kept: _give(kept.parent, SOMEBODY), "another user"),
    "a folder above of another user": (lambda kept: _give(kept.parent.parent, SOMEBODY), "another user"),
    "a link": (lambda kept: _link(kept), ""),
    "a folder that is a link": (lambda kept: _link(kept.parent), "is a link"),
    "a folder above that is a link": (lambda kept: _link(kept.parent.parent), "is a link"),
    "a pipe": (lambda kept: _pipe(kept), "not a regular file"),
}


def _give(path: Path, user: int) -> None:
    os.chown(path, user, -1)


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path, 0o600)


def _share(path: Path) -> None:
    os.chown(path, -1, SOMEBODY)
    path.chmod(0o770)


def _link(path: Path) -> None:
    moved = path.rename(path.with_name(f"{path.name} moved"))
    path.symlink_to(moved)


@root_only
@pytest.mark.parametrize("way", WAYS)
def test_what_others_could_have_written_is_not_read(kept: Path, way: str) -> None:
    damage, said = WAYS[way]
    damage(kept)
    with pytest.raises((FileTrouble, OSError)) as refused:
        read_trusted(kept)
    assert said in str(refused.value)


def test_a_sticky_folder_above_is_safe(kept: Path) -> None:
    above = kept.parent.parent
    above.chmod(0o1777)
    assert above.stat().st_mode & stat.S_ISVTX
    assert read_trusted(kept) == b"code"


def test_a_folder_still_to_be_made_is_as_safe_as_those_above_it(tmp_path: Path) -> None:
    assert why_not_trusted(tmp_path / "a" / "b") == ""
    (tmp_path / "a").mkdir()
    (tmp_path / "a").chmod(0o777)  # whoever has made it since
    assert "written by others" in why_not_trusted(tmp_path / "a" / "b")


def test_the_private_group_of_a_user_is_nobody_else(monkeypatch: pytest.MonkeyPatch, kept: Path) -> None:
    kept.parent.chmod(0o770)
    monkeypatch.setattr(ownership, "_alone_in", lambda group: True)
    assert read_trusted(kept) == b"code"


def test_a_group_with_other_members_is_not_private(monkeypatch: pytest.MonkeyPatch) -> None:
    """Members are those of the list of groups, and all users whose own group it is."""
    import grp
    import pwd

    me = pwd.getpwuid(os.getuid())
    own, other = (SimpleNamespace(pw_name=name, pw_gid=me.pw_gid) for name in (me.pw_name, "mallory"))
    for members, users, alone in (
        ([], [own], True),
        ([me.pw_name], [own], True),
        (["mallory"], [own], False),
        ([], [own, other], False),
    ):
        group = SimpleNamespace(gr_name=me.pw_name, gr_mem=members)
        with monkeypatch.context() as patch:
            patch.setattr(grp, "getgrgid", lambda _, group=group: group)
            patch.setattr(pwd, "getpwall", lambda users=users: users)
            ownership._alone_in.cache_clear()
            assert ownership._alone_in(me.pw_gid) is alone


def test_a_list_of_rights_is_seen(monkeypatch: pytest.MonkeyPatch, kept: Path) -> None:
    """It lends the bits of the group to whom it names, whoever is in the group."""
    monkeypatch.setattr(ownership, "_alone_in", lambda group: True)
    entries = (1, 7, NOBODY), (2, 7, SOMEBODY), (4, 0, NOBODY), (16, 7, NOBODY), (32, 0, NOBODY)
    rights = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *each) for each in entries)
    for place in (kept.parent, kept):
        try:
            os.setxattr(place, "system.posix_acl_access", rights)
        except (AttributeError, OSError):
            pytest.skip("no lists of rights on this disk")
        ownership._why_not.cache_clear()
        with pytest.raises(FileTrouble, match="written by others"):
            read_trusted(kept)
        os.removexattr(place, "system.posix_acl_access")
        place.chmod(0o700)
    ownership._why_not.cache_clear()
    assert read_trusted(kept) == b"code"


def test_a_relative_folder_is_looked_at_where_we_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, mode in (("safe", 0o700), ("shared", 0o777)):
        (tmp_path / name / "cache").mkdir(parents=True)
        (tmp_path / name).chmod(mode)
    monkeypatch.chdir(tmp_path / "safe")
    assert why_not_trusted(Path("cache")) == ""
    monkeypatch.chdir(tmp_path / "shared")
    assert "written by others" in why_not_trusted(Path("cache"))


@root_only
def test_nothing_is_kept_in_a_folder_that_somebody_was_faster_to_make(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def faster(folder: Path) -> None:
        folder.mkdir(parents=True)
        os.chown(folder, SOMEBODY, -1)

    monkeypatch.setattr(kernel_cache, "_make_private", faster)
    with pytest.raises(PermissionError, match="another user"):
        kernel_cache._write_whole(tmp_path / "module" / "kernel.code", b"code")
    assert not list((tmp_path / "module").iterdir())


# ---- the attack itself

CALL = """
import logging
logging.basicConfig(format="%(message)s")
from gridlab.core.bits import next_of_same_size
from gridlab.core.jit import used_files
print(next_of_same_size(3), *set(used_files.values()))
"""


class Evil:
    """A pickle that does something when it is read."""

    def __init__(self, witness: Path) -> None:
        self.witness = witness

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return os.system, (f"touch {self.witness}",)


def poison(cache: Path, witness: Path) -> int:
    """Put a pickle of one's own into every file of a cache, with the checksum and the key that belong to it."""
    files = list(cache.rglob("*.code"))
    for path in files:
        data = path.read_bytes()[32:64] + pickle.dumps(Evil(witness))
        path.write_bytes(hashlib.sha256(data).digest() + data)
    return len(files)


@pytest.mark.compiled
@pytest.mark.parametrize("variable", ["NUMBA_CACHE_DIR", "XDG_CACHE_HOME"])
def test_code_of_others_is_not_run(python: Python, tmp_path: Path, variable: str) -> None:
    cache, witness = tmp_path / "cache", tmp_path / "was-here"
    (tmp_path / "tmp").mkdir()
    around = {variable: str(cache), "TMPDIR": str(tmp_path / "tmp")}  # where kernels go that have no other place
    first, second = (python(CALL, **around) for _ in range(2))
    assert (first.stdout.split(), second.stdout.split()) == (["5", "True"], ["5", "False"]), first.stderr
    assert poison(cache, witness)
    cache.chmod(0o777)
    done = python(CALL, **around)
    assert done.stdout.split()[0] == "5"
    assert not witness.exists()
    assert done.stderr.count("can be written by others") == 1
    cache.chmod(0o700)
    python(CALL, **around)
    assert witness.exists()  # the attack is one: in a folder of our own what we have put there ourselves is run
