"""Moves for training: augmented samples a second of one core, by the kernel and through a PyTorch DataLoader.

python benchmarks/loader.py [FILE…]          by default 200 games of expectimax, depth 2, made for the occasion
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from gridlab.core.run import import_extra
from gridlab.game2048.datasets.generate import generate
from gridlab.game2048.datasets.moves import Moves2048
from gridlab.game2048.datasets.settings import make_settings

BATCH = 1024
SECONDS = 3.0  # of CPU, for each figure


def measure(paths: list[Path]) -> None:
    begun = time.process_time()
    moves = Moves2048(*paths, symmetries=True)
    train, *_ = moves.split(0.7, 0.15, 0.15)
    opened = time.process_time() - begun
    print(f"{len(moves.games):,} games, {len(moves):,} moves; opened and split in {opened:.2f} s of CPU")
    again = time.process_time()
    Moves2048(*paths).split(0.7, 0.15, 0.15)
    print(f"  once more                              {time.process_time() - again:>12.3f} s of CPU")
    order = np.random.default_rng(0).permutation(len(train))
    batches = [order[first : first + BATCH] for first in range(0, len(order), BATCH)]
    train.samples(batches[0])
    rate = _rate(lambda i: len(train.samples(batches[i % len(batches)]).directions))
    print(f"  batches of {BATCH:,}, by the kernel         {rate:>12,.0f} a second")
    loader = import_extra("torch.utils.data", "learn").DataLoader(train, batch_size=BATCH, shuffle=True)
    done, begun = 0, time.process_time()
    while time.process_time() - begun < SECONDS:
        for batch in loader:
            done += len(batch["direction"])
            if time.process_time() - begun >= SECONDS:
                break
    print(f"  DataLoader, shuffled, no worker        {done / (time.process_time() - begun):>12,.0f} a second")


def _rate(work: Callable[[int], int]) -> float:
    """How much is done in a second of CPU by work(0), work(1), …"""
    done, begun, turn = 0, time.process_time(), 0
    while time.process_time() - begun < SECONDS:
        done += work(turn)
        turn += 1
    return done / (time.process_time() - begun)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure([Path(each) for each in sys.argv[1:]])
    else:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "games.jsonl"
            generate("2048", path, 200, settings=make_settings(seed=1, depth=2))
            measure([path])
