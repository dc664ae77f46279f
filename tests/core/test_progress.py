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
