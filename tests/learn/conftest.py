"""What the tests of learning share: curves are drawn only where they are looked at."""

from collections.abc import Iterator

import pytest

from gridlab.learn.dqn import train as dqn
from gridlab.learn.ntuple import learner as ntuple
from gridlab.learn.supervised import train as supervised

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
