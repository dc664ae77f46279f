"""What a job finds on another machine: what came with it, under its old name, and nothing else."""

import hashlib
from pathlib import Path
from types import SimpleNamespace

import pytest

from gridlab.core.cluster import Fingerprint, differences, fingerprint, lacking, package_digest, receive
from gridlab.core.errors import GridlabError
from gridlab.core.jit import PACKAGE
from gridlab.core.run import Attachments, Wanted, here, packed_variables, require_home, variable, working
from gridlab.core.untrusted import open_regular


def test_files_keep_their_names(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.write_bytes(b"what came")
    named = tmp_path / "net.ntuple"
    named.write_bytes(b"something else of the same name")
    assert here(named) == named
    with working(attachments=Attachments({str(named): copy, "net.ntuple": copy}, {})):
        for name in (named, Path("net.ntuple")):
            with open_regular(name) as file:
                assert file.read() == b"what came"
        with pytest.raises(Wanted, match=r"^other.ntuple$"):
            here(Path("other.ntuple"))
        shipped = Path(PACKAGE) / "game2048" / "learn" / "shipped" / "2048.ntuple"
        assert here(shipped) == shipped
    assert here(named) == named


def test_variables_are_those_of_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")
    monkeypatch.setenv("HOME", "/nowhere")
    monkeypatch.delenv("GRIDLAB_TABLEBASE", raising=False)
    assert packed_variables() == {"SOURCE_DATE_EPOCH": "1"}
    with working(attachments=Attachments({}, {"SOURCE_DATE_EPOCH": "2"})):
        assert variable("SOURCE_DATE_EPOCH") == "2"
    assert variable("SOURCE_DATE_EPOCH") == "1"
    assert variable("GRIDLAB_TABLEBASE") == ""


def test_what_stays_at_home() -> None:
    require_home("the program ./bot")
    with (
        working(attachments=Attachments({}, {})),
        pytest.raises(GridlabError, match=r"^the program ./bot does not travel"),
    ):
        require_home("the program ./bot")


def test_a_file_takes_its_place_if_it_is_what_it_should_be(tmp_path: Path) -> None:
    worker = SimpleNamespace(local_directory=str(tmp_path))
    data = bytes(range(256)) * 10
    digest = hashlib.sha256(data).hexdigest()
    for sent, whole in ((data[:-1], False), (data, True)):
        assert receive(digest, "me", 0, sent[:1000], worker)
        assert receive(digest, "me", 1000, sent[1000:], worker)
        assert lacking(digest, worker)
        assert receive(digest, "me", -1, b"", worker) is whole
        assert lacking(digest, worker) is not whole
    (kept,) = (tmp_path / "gridlab-files").iterdir()
    assert kept.read_bytes() == data


def test_fingerprints() -> None:
    mine = fingerprint()
    assert mine.sources == package_digest()
    assert differences(mine, mine) == []
    assert differences(mine._replace(python="3.9.1"), mine) == [f"has python 3.9.1, and here it is {mine.python}"]
    assert differences(mine._replace(torch=""), mine) == []
    assert len(differences(Fingerprint("a", "b", "c", "d", "e", "f", ""), mine)) == 6
