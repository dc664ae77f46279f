"""A cluster looked at before it is used: its workers, their versions, the way there and back, and a small job."""

import time
from dataclasses import dataclass

import numpy as np

from gridlab.core import draw
from gridlab.core.arguments import counted
from gridlab.core.cluster import Cluster, Worker
from gridlab.core.draw import AsJson, facts
from gridlab.core.run import working
from gridlab.game2048.evaluate import evaluate

PLAYER, GAMES = "random", 64  # the small job


@dataclass(frozen=True)
class Visit:
    """What a cluster is like; the times are None if a worker does not fit, and nothing was tried."""

    address: str
    workers: tuple[Worker, ...]
    round_trip: float | None = None  # seconds
    seconds: float | None = None  # of the small job
    same: bool = False  # its result is what it is here

    @property
    def good(self) -> bool:
        return self.same

    @property
    def threads(self) -> int:
        return sum(each.threads for each in self.workers)

    def as_dict(self) -> AsJson:
        workers = [facts(each, "address threads flaws") | {"versions": _versions(each)} for each in self.workers]
        return facts(self, "address") | {"workers": workers} | facts(self, "round_trip seconds same")

    def __str__(self) -> str:
        heads = ("worker", "threads", "gridlab", "python", "sources")
        known = [(each, _versions(each)) for each in self.workers]
        rows: list[tuple[str | int, ...]] = [
            (each.address, each.threads, *(said.get(name, "?") for name in heads[2:])) for each, said in known
        ]
        head = f"{self.address}: {counted(len(self.workers), 'worker')}, {counted(self.threads, 'thread')}"
        flaws = (f"{each.address} {flaw}" for each in self.workers for flaw in each.flaws)
        lines = [head, draw.table(heads, rows), *flaws]
        if self.round_trip is None or self.seconds is None:
            return "\n".join([*lines, "nothing was tried: install the same everywhere"])
        outcome = "the same as here" if self.same else "not the same as here"
        job = f"{GAMES} games of 2048 by the player {PLAYER} in {self.seconds:.2f} s, {outcome}"
        return "\n".join([*lines, f"there and back in {1000 * self.round_trip:.1f} ms", job])


def _versions(worker: Worker) -> dict[str, str]:
    return {} if isinstance(worker.said, Exception) else worker.said._asdict()


def visit(address: str) -> Visit:
    """Look at a cluster; ClusterTrouble if there is none, or nobody works there."""
    cluster = Cluster(address)
    try:
        workers = tuple(cluster.workers())
        if any(each.flaws for each in workers):
            return Visit(address, workers)
        begun = time.monotonic()
        with working(elsewhere=cluster):
            there = evaluate(PLAYER, games=GAMES)
        seconds, here = time.monotonic() - begun, evaluate(PLAYER, games=GAMES)
        return Visit(address, workers, cluster.round_trip(), seconds, np.array_equal(there.scores, here.scores))
    finally:
        cluster.close()
