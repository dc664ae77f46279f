"""Bars for a whole and its parts go on together; on a terminal the whole stays, elsewhere it is lines."""

import io
import os
import sys
from typing import Any

import pytest
from tqdm import tqdm

from gridlab.core import progress
from gridlab.core.progress import bars
from gridlab.core.run import working
from tests.screen import screen


def test_a_whole_and_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tqdm[Any]] = []

    def watched(total: int, *_: Any) -> "tqdm[Any]":
        made.append(tqdm(total=total, file=io.StringIO()))
        return made[-1]

    monkeypatch.setattr(progress, "bar", watched)
    with bars(100, "all", "things", True) as shown:
        whole = made[0]
        with shown.part(10, "one", "things", worth=40):
            shown.update(5)
            assert (made[1].n, whole.n) == (5, 20)
        assert whole.n == 40  # the part was left before its end
        with shown.part(60, "two", "things"):
            shown.update(60)
        with shown.part(0, "none", "things"):
            pass
    assert (made[2].n, whole.n, len(made)) == (60, 100, 4)
    assert all(each.disable for each in made)  # closed


def test_who_listens_hears_every_bar_of_the_thread() -> None:
    heard: list[tuple[str, float, float | None]] = []
    with working(hear=lambda *said: heard.append(said)):
        with progress.bar(3, "counting", "things", shown=False) as shown:
            shown.update(1)
            shown.update(2)
        with bars(4, "all", "things", shown=False) as both, both.part(2, "half", "things"):
            both.update(2)
    with progress.bar(1, "later", "things", shown=False) as shown:
        shown.update(1)
    assert heard[:2] == [("counting", 1, 3), ("counting", 3, 3)]
    assert ("half", 2, 2) in heard
    assert "later" not in [what for what, _, _ in heard]


def test_what_a_listener_raises_ends_the_work() -> None:
    def enough(what: str, done: float, total: float | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), working(hear=enough), progress.bar(9, "x", "things", False) as shown:
        shown.update(1)


class Log:
    """A stderr that is no terminal, and a clock that stands until it is set forward."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self._stream = 1000.0, io.StringIO()
        monkeypatch.setattr("gridlab.core.progress.time.monotonic", lambda: self.now)
        monkeypatch.setattr(sys, "stderr", self._stream)

    @property
    def lines(self) -> list[str]:
        return self._stream.getvalue().splitlines()


def test_without_a_terminal_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log(monkeypatch)
    with progress.bar(1000, "counting", "things", shown=True, done=100) as shown:
        for _ in range(90):
            shown.set_postfix_str(f"{shown.n} so far", refresh=False)
            log.now += 1
            shown.update(10)
    assert log.lines == [
        "counting:  15% 150/1000 [00:05<01:25, 10.00 things/s, 140 so far]",
        "counting:  45% 450/1000 [00:35<00:55, 10.00 things/s, 440 so far]",
        "counting:  75% 750/1000 [01:05<00:25, 10.00 things/s, 740 so far]",
        "counting: 100% 1000/1000 [01:30<00:00, 10.00 things/s, 990 so far]",
    ]


def test_without_a_terminal_short_work_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log(monkeypatch)
    with bars(10, "counting", "things", True) as shown, shown.part(10, "some", "things"):
        log.now += 4.9
        shown.update(10)
    assert log.lines == []


def test_without_a_terminal_the_whole_speaks_for_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log(monkeypatch)
    with bars(4, "counting", "things", True) as shown:
        for _ in range(2):
            with shown.part(20, "some", "things", worth=2):
                log.now += 10
                shown.update(15)
    assert log.lines == [
        "counting:  25% 1/4 [00:10<00:30, 10.00s/ things]",
        "counting: 100% 4/4 [00:20<00:00,  5.00s/ things]",
    ]


def test_what_fails_leaves_its_last_line(monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log(monkeypatch)

    def fail(shown: "tqdm[Any]") -> None:
        log.now += 6
        shown.update(3)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), progress.bar(10, "counting", "things", shown=True) as shown:
        fail(shown)
    assert progress._Lines.opened == 0
    assert log.lines == ["counting:  30% 3/10 [00:06<00:14,  2.00s/ things]"] * 2


@pytest.mark.skipif(os.name == "nt", reason="terminals of POSIX")
@pytest.mark.parametrize(("short", "lasting", "stays"), [(0.0, False, True), (60.0, False, False), (60.0, True, True)])
def test_on_a_terminal_the_bar_of_long_work_stays(
    short: float, lasting: bool, stays: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "SHORT", short)
    with screen(80) as terminal:
        monkeypatch.setattr(sys, "stderr", terminal.stream)
        with progress.bar(20_000, "counting", "things", True, lasting) as whole:
            whole.update(10_000)
            progress.remark("half of it")
            with progress.bar(3, "below", "things", True) as part:
                part.update(1)
            whole.update(10_000)
        monkeypatch.undo()
    assert "below:" in terminal.text
    assert terminal.lines[0] == "half of it"
    left = [line for line in terminal.lines[1:] if line]
    assert bool(left) == stays
    amount = "20000/20000" if lasting else "20.0k/20.0k"
    assert all(line.startswith("counting: 100%|") and amount in line for line in left)
    assert len(left) < 2
