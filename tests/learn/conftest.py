"""What the tests of learning share: curves are drawn only where they are looked at."""

from collections.abc import Iterator

import pytest

from gridlab.game2048.learn import ntuple
from gridlab.game2048.learn.supervised import train as supervised
from gridlab.inarow.learn import dqn

DRAWN = {module: module.plot_curve for module in (dqn, ntuple, supervised)}


@pytest.fixture(scope="package", autouse=True)
def undrawn() -> Iterator[None]:
    """A picture takes longer than the few games it shows."""
    with pytest.MonkeyPatch.context() as patch:
        for module in DRAWN:
            patch.setattr(module, "plot_curve", lambda *_: None)
        yield


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Curves are drawn all the same."""
    for module, plot_curve in DRAWN.items():
        monkeypatch.setattr(module, "plot_curve", plot_curve)
