import hashlib
from pathlib import Path

import pytest

from gridlab.core.errors import FileTrouble
from gridlab.core.files import whole_file


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "new" / "folder" / "data.bin"
    with whole_file(target) as file:
        file.write(b"one ")
        file.write(memoryview(b"two"))
        assert not target.exists()
    assert target.read_bytes() == b"one two"
    assert file.size == 7
    assert file.sha256 == hashlib.sha256(b"one two").hexdigest()
    assert [path.name for path in target.parent.iterdir()] == ["data.bin"]


def test_a_failed_run_leaves_the_last_good_file(tmp_path: Path) -> None:
    target = tmp_path / "data.bin"
    target.write_bytes(b"good")
    with pytest.raises(KeyboardInterrupt):
        interrupted_writing(target)
    assert target.read_bytes() == b"good"
    assert [path.name for path in tmp_path.iterdir()] == ["data.bin"]


def interrupted_writing(target: Path) -> None:
    with whole_file(target) as file:
        file.write(b"half of something new")
        raise KeyboardInterrupt


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    target = tmp_path / "file" / "data.bin"
    with (
        pytest.raises(FileTrouble, match=r"cannot write .*data\.bin: .*; name a place that can be written"),
        whole_file(target),
    ):
        pass
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(FileTrouble, match="cannot write"), whole_file(folder) as file:
        file.write(b"x")
