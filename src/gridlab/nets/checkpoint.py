"""Networks on disk: safetensors files, written whole. Nothing in them is ever executed.

    network.…     the weights; a file of weights alone holds nothing else and is what players take
    target.…      the target network
    optimiser.…   Adam's moments, a step number each
    replay.…      the moves in memory
    metadata      JSON: format, behaviour, rules, settings, seed, episode, curve, SHA-256 of the numbers

A damaged file, another game and a foreign network are refused with the reason.
"""

import hashlib
import json
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from gridlab.core.behaviour import BEHAVIOUR
from gridlab.core.errors import FileTrouble, SpoiltFile
from gridlab.core.extras import import_extra
from gridlab.core.files import whole_file
from gridlab.nets.networks import ValueNetwork

FORMAT = "gridlab value network 1"
NETWORK = "network."
SHIPPED = Path(__file__).parent / "shipped" / "squava.safetensors"

Tensors = dict[str, Tensor]


@dataclass(frozen=True)
class Checkpoint:
    """What a file holds."""

    path: Path
    facts: dict[str, Any]
    tensors: Tensors

    def part(self, prefix: str) -> Tensors:
        """The tensors of a part, by their own names."""
        return {name.removeprefix(prefix): each for name, each in self.tensors.items() if name.startswith(prefix)}

    def network(self, dropout: float = 0.0) -> ValueNetwork:
        """The network, or why these are no weights of it."""
        return network_of(self.part(NETWORK), self.path, dropout)


def network_of(weights: Tensors, path: Path, dropout: float) -> ValueNetwork:
    network = ValueNetwork(dropout)
    shapes = {name: tuple(each.shape) for name, each in network.state_dict().items()}
    for name, shape in shapes.items():
        if name not in weights or tuple(weights[name].shape) != shape:
            found = f"is {tuple(weights[name].shape)}" if name in weights else "is missing"
            raise FileTrouble(f"{path} holds another network: {name} {found}, and {shape} is needed")
    if more := set(weights) - set(shapes):
        raise FileTrouble(f"{path} holds another network: it also has {min(more)}")
    network.load_state_dict({name: each.float() for name, each in weights.items()})
    return network


def write(path: Path, tensors: Tensors, facts: dict[str, Any]) -> None:
    """Write a checkpoint whole."""
    library = import_extra("safetensors.torch", "learn")
    tensors = {name: each.detach().cpu().contiguous() for name, each in sorted(tensors.items())}
    about = {"format": FORMAT, "behaviour": BEHAVIOUR, "sha256": digest_of(tensors)} | facts
    with whole_file(path) as file:
        file.write(library.save(tensors, {"gridlab": json.dumps(about, sort_keys=True)}))


def digest_of(tensors: Tensors) -> str:
    digest = hashlib.sha256()
    for name in sorted(tensors):
        digest.update(
            name.encode() + b"\0" + tensors[name].contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
        )
    return digest.hexdigest()


def read(path: Path | str, rules: str) -> Checkpoint:
    """Read a checkpoint of a game, or say what is wrong with the file."""
    path = Path(path)
    tensors, facts = _parse(path, _bytes_of(path))
    if facts.get("format") != FORMAT:
        raise FileTrouble(f"{path} is no checkpoint of gridlab of a kind known here; train one: gridlab train squava")
    if facts.get("rules") != rules:
        raise FileTrouble(f"{path} is a network for {facts.get('rules')}, not for {rules}; name one for this game")
    if facts.get("sha256") != digest_of(tensors):
        raise SpoiltFile(f"{path} is damaged: its numbers do not have the SHA-256 written beside them")
    if facts.get("behaviour") != BEHAVIOUR:
        logging.getLogger("gridlab").warning(
            f"{path} was made by behaviour version {facts.get('behaviour')}; this is {BEHAVIOUR}"
        )
    return Checkpoint(path, facts, tensors)


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise FileTrouble(
            f"cannot read the checkpoint {path}: {error.strerror}; gridlab train squava makes one"
        ) from error


def _parse(path: Path, content: bytes) -> tuple[Tensors, dict[str, Any]]:
    library, errors = import_extra("safetensors.torch", "learn"), import_extra("safetensors", "learn")
    try:
        tensors: Tensors = library.load(content)
        length = int.from_bytes(content[:8], "little")
        header = json.loads(content[8 : 8 + length])
        facts: dict[str, Any] = json.loads(header.get("__metadata__", {}).get("gridlab", "{}"))
    except (errors.SafetensorError, ValueError) as error:
        raise SpoiltFile(f"{path} is damaged or no safetensors file ({error}); take another copy") from error
    return tensors, facts
