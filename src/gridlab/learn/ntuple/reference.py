"""What a game teaches an n-tuple network, in the plainest Python: what the kernels are compared with."""

from collections.abc import Sequence

from gridlab.games.game2048.reference import Board
from gridlab.search.game2048.ntuple_reference import PlainNetwork


def learn_backwards(
    path: Sequence[tuple[Board, int]],
    network: PlainNetwork,
    weights: list[float],
    sums: list[tuple[float, float]] | None,
    step: float,
    trace: float,
) -> None:
    """Change the weights by a game: the boards after its moves, with the points of each move.

    `sums` are Σ errors and Σ |errors| for each weight with temporal coherence, None with one rate for all.
    """
    target = 0.0
    for board, points in reversed(path):
        places = network.places(board)
        value = sum(weights[each] for each in places)
        error = target - value
        changes = 0.0
        for each in places:
            rate = 1.0
            if sums is not None:
                total, absolute = sums[each]
                rate = abs(total) / absolute if absolute else 1.0
                sums[each] = total + error, absolute + abs(error)
            change = step * rate * error / len(places)
            weights[each] += change
            changes += change
        target = points + (1 - trace) * (value + changes) + trace * target
