"""Files that nobody else can have written: theirs is the code that runs without question.

A file is trusted if it belongs to this user or to root, nobody else can write to it, and the same holds for its folder
and every folder above: whoever can write to one of them can put another file in its place. In a sticky folder, such as
/tmp, others can add files but not replace ours, so it counts as safe. Links are refused, but for those of the system
at the very top (/var on macOS, /home on some): whoever made one can point it elsewhere later.
"""

import os
import stat
from contextlib import suppress
from functools import cache
from pathlib import Path

from gridlab.core.errors import FileTrouble

OURS = hasattr(os, "getuid")  # Windows: the folders of caches are the user's own


def read_trusted(path: Path) -> bytes:
    """The bytes of a file, or FileTrouble if anybody else could have written them.

    What is looked at is the file that was opened, so that it cannot be exchanged after the look.
    """
    if not OURS:
        return path.read_bytes()
    if reason := why_not_trusted(path.parent):
        raise FileTrouble(f"{path} is not read: {reason}")
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or (reason := _why_not_ours(str(path), file.fileno(), found)):
            raise FileTrouble(f"{path} is not read: {reason or 'it is not a regular file'}")
        return file.read()


def why_not_trusted(folder: Path) -> str:
    """Why others could have put something into a folder, or could once it is made; empty if they cannot.

    A folder that others cannot change stays so; one that is missing may be made by anybody, and is looked at anew.
    """
    if not OURS:
        return ""
    here = Path.cwd() / folder  # with the links that it names
    return _why_not(here) if os.path.lexists(here) else _why_not.__wrapped__(here)


@cache
def _why_not(folder: Path) -> str:
    chain = [*_above(folder), *_above(folder.resolve())]
    return next(filter(None, map(_why_not_safe, chain)), "")


def _above(folder: Path) -> list[Path]:
    """A folder and all above it, as far as they are there."""
    return [each for each in (folder, *folder.parents) if os.path.lexists(each)]


def _why_not_safe(folder: Path) -> str:
    try:
        found = folder.lstat()
    except OSError as error:
        return f"{folder} cannot be looked at: {(error.strerror or '').lower()}"
    if stat.S_ISLNK(found.st_mode):
        return "" if found.st_uid == 0 and folder.parent == Path(folder.anchor) else f"{folder} is a link"
    return _why_not_ours(str(folder), folder, found)


def _why_not_ours(name: str, place: Path | int, found: os.stat_result) -> str:
    if found.st_uid not in (0, os.getuid()):
        return f"{name} belongs to another user"
    sticky = stat.S_ISDIR(found.st_mode) and found.st_mode & stat.S_ISVTX
    shared = found.st_mode & stat.S_IWGRP and not (_alone_in(found.st_gid) and not _has_list(place))
    writable = found.st_mode & stat.S_IWOTH or shared
    return f"{name} can be written by others" if writable and not sticky else ""


def _has_list(place: Path | int) -> bool:
    """Whether a list of rights (ACL) goes with a file: then the rights of the group stand for those of all it names."""
    try:
        return bool(os.getxattr(place, "system.posix_acl_access"))
    except (AttributeError, OSError):  # not on this system, not on this disk, or there is none
        return False


@cache
def _alone_in(group: int) -> bool:
    """Whether a group is the private one of this user: of the same name, and without other members."""
    with suppress(ImportError, KeyError):
        import grp
        import pwd

        user, found = pwd.getpwuid(os.getuid()), grp.getgrgid(group)
        members = {*found.gr_mem, *(each.pw_name for each in pwd.getpwall() if each.pw_gid == group)}
        return found.gr_name == user.pw_name and members == {user.pw_name}
    return False
