"""Networks of Squava on disk: safetensors files, written whole (tensors_file).

    network.…     the weights; a file of weights alone holds nothing else and is what players take
    target.…      the target network
    optimiser.…   Adam's moments, a step number each
    replay.…      the moves in memory
    metadata      JSON: format, behaviour, rules, settings, seed, episode, curve, SHA-256 of the numbers

A damaged file, another game, a foreign network and numbers that are none are refused with the reason.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from gridlab.core.errors import FileTrouble
from gridlab.core.untrusted import Count, Plain
from gridlab.nets import tensors_file
from gridlab.nets.networks import ValueNetwork
from gridlab.nets.tensors_file import Name, Number, Row, Stated, Tensors, load_weights, part_of

FORMAT = "gridlab value network 1"
NETWORK = "network."
SHIPPED = Path(__file__).parent / "shipped" / "squava.safetensors"


class Facts(Stated, frozen=True, kw_only=True):
    """What a file says of itself; what a player does not need may be missing."""

    rules: str = ""
    settings: dict[Name, Plain | dict[Name, Plain]] = msgspec.field(default_factory=dict)
    seed: Count | None = None
    episode: Number | None = None
    steps: Number | None = None
    added: Number | None = None
    curve: tuple[Row, ...] = ()


@dataclass(frozen=True)
class Checkpoint:
    """What a file holds."""

    path: Path
    facts: Facts
    tensors: Tensors

    def part(self, prefix: str) -> Tensors:
        """The tensors of a part, by their own names."""
        return part_of(self.tensors, prefix)

    def network(self, dropout: float = 0.0) -> ValueNetwork:
        """The network, or why these are no weights of it."""
        return network_of(self.part(NETWORK), self.path, dropout)


def network_of(weights: Tensors, path: Path, dropout: float) -> ValueNetwork:
    network = ValueNetwork(dropout)
    load_weights(network, weights, path)
    return network


def write(path: Path, tensors: Tensors, facts: dict[str, Any]) -> None:
    """Write a checkpoint whole."""
    tensors_file.write(path, tensors, {"format": FORMAT} | facts)


def read(path: Path | str, rules: str) -> Checkpoint:
    """Read a checkpoint of a game, or say what is wrong with the file."""
    path = Path(path)
    tensors, facts = tensors_file.parse(path, tensors_file.read_bytes_of(path, "gridlab train squava"), Facts)
    if facts.format != FORMAT:
        raise FileTrouble(
            f"{path} is not a checkpoint of gridlab of a kind known here; train one: gridlab train squava"
        )
    if facts.rules != rules:
        raise FileTrouble(f"{path} is a network for {facts.rules[:40]}, not for {rules}; name one for this game")
    tensors_file.require_whole(path, tensors, facts)
    return Checkpoint(path, facts, tensors)
