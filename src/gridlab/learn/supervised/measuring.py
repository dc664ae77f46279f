"""How well a network does on games it has not learnt from: accuracy by phase of the game, confusion of directions."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gridlab.core import draw
from gridlab.core.interrupts import pause
from gridlab.core.numbers import counted
from gridlab.datasets.games2048.moves import Moves2048
from gridlab.datasets.games2048.sampling import PHASES, Samples
from gridlab.games.game2048.reference import DIRECTIONS
from gridlab.games.game2048.row_tables import row_tables
from gridlab.games.game2048.rules import Rules2048
from gridlab.nets.policy import input_of
from gridlab.nets.policy_file import Measure
from gridlab.nets.policy_networks import PolicyNetwork

CHUNK = 4096  # moves


def forward(network: PolicyNetwork, samples: Samples, rules: Rules2048) -> tuple[Tensor, Tensor | None]:
    """What a network says of directions, illegal ones masked, and of values."""
    said: tuple[Tensor, Tensor | None] = network(*input_of(samples.boards, row_tables(rules)))
    return said


def roots_of(samples: Samples, scale: float) -> Tensor:
    """What the value head should say."""
    return torch.from_numpy(np.sqrt(np.maximum(samples.remaining, 0) / scale).astype(np.float32))


@torch.inference_mode()
def measure(network: PolicyNetwork, moves: Moves2048, numbers: NDArray[np.int64], scale: float) -> Measure:
    """Ask a network about moves of a part of the data."""
    was_training, losses, errors = network.training, 0.0, 0.0
    network.eval()
    confusion, phases = np.zeros((4, 4), np.int64), np.zeros((len(PHASES), 2), np.int64)
    for first in range(0, len(numbers), CHUNK):
        pause()
        samples = moves.samples(numbers[first : first + CHUNK])
        said, values = forward(network, samples, moves.rules)
        losses += float(torch.nn.functional.cross_entropy(said, torch.from_numpy(samples.directions), reduction="sum"))
        chosen = said.argmax(1).numpy()
        np.add.at(confusion, (samples.directions, chosen), 1)
        np.add.at(phases, (samples.phases, (chosen == samples.directions).astype(int)), 1)
        if values is not None:
            errors += float(((values - roots_of(samples, scale)) ** 2).sum())
    network.train(was_training)
    seen = {name: (row[0] + row[1], row[1]) for name, row in zip(PHASES, phases.tolist(), strict=True)}
    number = len(numbers)
    return Measure(
        number,
        losses / number,
        float(np.trace(confusion)) / number,
        {name: hits / all_ for name, (all_, hits) in seen.items() if all_},
        tuple(map(tuple, confusion.tolist())),  # type: ignore[arg-type]
        None if network.value is None else (errors / number) ** 0.5,
    )


def measure_text(found: Measure) -> str:
    """A measurement as lines for people."""
    phases = ", ".join(f"{name} {rate:.1%}" for name, rate in found.phases.items())
    rows = [
        (direction, *row, f"{row[i] / sum(row):.1%}" if sum(row) else "")
        for i, (direction, row) in enumerate(zip(DIRECTIONS, found.confusion, strict=True))
    ]
    return "\n".join([
        f"on {counted(found.moves, 'move')} of games kept apart: accuracy {found.accuracy:.2%}, loss {found.loss:.4f}",
        f"by phase: {phases}",
        draw.table(("in the data", *DIRECTIONS, "accuracy"), rows),
    ])  # fmt: skip
