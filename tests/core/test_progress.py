"""Bars for a whole and its parts go on together."""

from typing import Any

import pytest
from tqdm import tqdm

from gridlab.core import progress
from gridlab.core.progress import bars


def test_a_whole_and_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def watched(**options: Any) -> "tqdm[Any]":
        made.append(tqdm(**options | {"disable": False}))
        return made[-1]

    monkeypatch.setattr(progress, "tqdm", watched)
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
    with progress.listening(lambda *said: heard.append(said)):
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

    with pytest.raises(KeyboardInterrupt), progress.listening(enough), progress.bar(9, "x", "things", False) as shown:
        shown.update(1)
