"""The tour: every step works, a second one uses what is there, and what fails is told while the others go on."""

import re
from collections import Counter
from functools import partial
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from gridlab import grade, play_match
from gridlab.core.run import import_extra, program
from gridlab.inarow.learn import training
from gridlab.learn.run import where_extras_allow
from gridlab.tour import run as steps
from gridlab.tour.run import Shown, next_commands
from tests.cli.parsing import parse
from tests.conftest import Run

pytestmark = pytest.mark.compiled
EMPTY = {"meta", "line", "rect", "polyline", "path", "circle", "br"}


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "SECONDS", 1)
    monkeypatch.setattr(steps, "EPISODES", 5)
    monkeypatch.setattr(training, "GAMES", 4)


class Balance(HTMLParser):
    """Sees that every element that is opened is closed, in order, and gathers what is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.seen: Counter[str] = Counter()
        self.links: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        assert "src" not in found, "the page stands alone"
        self.links += [found["href"] or ""] if "href" in found else []
        self.seen.update([tag, f"{tag}.{found.get('class')}"])
        if tag not in EMPTY:
            self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in EMPTY:
            assert self.opened.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data if "style" not in self.opened else ""


def check_report(path: Path) -> None:
    """The page is whole, is explained before it is used, and leads on: its links, its commands."""
    page, balance = path.read_text(), Balance()
    balance.feed(page)
    assert balance.opened == []
    assert balance.seen["svg"] > 20
    assert balance.seen["text.axis"] == 2 * balance.seen["svg.chart"] > 0
    assert 'class="axis"><' not in page, "every axis has a name"
    assert not re.search(r"\d%", balance.text), "65 %, with a space"
    assert len(re.findall(r"\d %", balance.text)) > 5
    for word, meaning in {"W14": "wins in 14 plies", "L13": "loses in 13", "ply": "one move of one player"}.items():
        assert 0 <= balance.text.find(word) < balance.text.find(meaning) < balance.text.index("1. "), word
    assert len(balance.links) > 10
    for link in balance.links:
        assert (path.parent / unquote(link)).is_file(), link
    assert balance.seen["figure.drawn"] == len(re.findall(r'<figcaption>[^<]+<div class="made">', page))
    for command in re.findall(r"<code>(.*?)</code>", page):
        if command != str(Path.cwd()):
            parse(unescape(command).removeprefix(f"{program()} "))


@pytest.mark.parametrize(
    ("plies", "wins", "workers"),
    [(range(9, 11), "30,890", 1), pytest.param(range(9, 12), "380,192", None, marks=pytest.mark.long)],
)
def test_the_tour_a_second_one_and_one_that_fails(
    gridlab: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plies: range, wins: str, workers: int | None
) -> None:
    monkeypatch.setattr(steps, "EARLY", plies)
    monkeypatch.setattr("gridlab.play_match", partial(play_match, workers=workers))
    monkeypatch.setattr("gridlab.grade", partial(grade, workers=workers))
    monkeypatch.chdir(tmp_path)
    folder = Path("tour")
    code, out, _ = gridlab("tour", "-o", folder)
    assert code == 0
    assert re.findall(r"^    (\S.*)\n        \S", out[out.index("What to type next") :], re.MULTILINE) == [
        each.command for each in next_commands()
    ]
    assert "6,046 arrangements, 5,478 legal positions, 255,168 games" in out
    assert "X wins in 7 plies, if O allows it: 13 12 32 21 23 31 33" in out
    assert f"{wins} wins of the first plies, every one verified" in out
    assert "best play on 2x3 makes 480.26 points" in out
    check_report(folder / "report.html")
    assert "earlier tour" not in (folder / "report.html").read_text()

    made = {path: path.stat().st_mtime_ns for path in folder.glob("*.tb")}
    every = [step for step in steps.steps() if step.work is not steps.graded]  # which keeps nothing
    monkeypatch.setattr("gridlab.tour.run.steps", lambda: every)
    code, out, _ = gridlab("tour", "-o", folder, "--quiet")
    assert code == 0
    assert {path: path.stat().st_mtime_ns for path in folder.glob("*.tb")} == made
    assert len(re.findall("found from an earlier tour", (folder / "report.html").read_text())) >= 5

    (folder / "2048-2x3.tb").write_bytes(b"nothing of the kind")
    last = [step for step in steps.steps() if step.name in ("2048 solved", "2048 learnt")]
    monkeypatch.setattr("gridlab.tour.run.steps", lambda: last)
    code, out, err = gridlab("tour", "-o", folder, "--quiet")
    assert (code, "failed: 2048 solved" in err) == (1, True)
    assert "this did not work: " in out
    assert "points a game" in out.split("this did not work")[1], "the steps after it go on"
    assert "This did not work: " in (folder / "report.html").read_text()


def test_an_accident_is_kept_to_its_stop(gridlab: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def accident(folder: Path, progress: bool) -> Shown:
        raise ZeroDivisionError("<b>&")

    monkeypatch.setattr("gridlab.tour.run.steps", lambda: [steps.Step("One", "falls", accident)])
    code, out, _ = gridlab("tour", "-o", tmp_path / "t")
    assert (code, "this did not work: ZeroDivisionError: <b>&" in out) == (1, True)
    assert "ZeroDivisionError: &lt;b&gt;&amp;" in (tmp_path / "t" / "report.html").read_text()


def test_a_training_of_the_tour_does_not_miss_its_own_picture(caplog: pytest.LogCaptureFixture) -> None:
    with steps.without_pictures(), where_extras_allow():
        import_extra("not_there", "plots")
    assert not caplog.messages
    with where_extras_allow():
        import_extra("not_there", "plots")
    assert len(caplog.messages) == 1
