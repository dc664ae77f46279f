"""Networks on disk: safetensors files, written whole. Nothing in them is ever executed.

    network.…     the weights; a file of weights alone holds nothing else and is what players take
    target.…      the target network
    optimiser.…   Adam's moments, a step number each
    replay.…      the moves in memory
    metadata      JSON: format, behaviour, rules, settings, seed, episode, curve, SHA-256 of the numbers

A damaged file, another game, a foreign network and numbers that are none are refused with the reason.
"""

import hashlib
import json
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
import torch
from torch import Tensor

from gridlab.core.behaviour import BEHAVIOUR
from gridlab.core.errors import FileTrouble, SpoiltFile
from gridlab.core.extras import import_extra
from gridlab.core.files import whole_file
from gridlab.core.numbers import shortened
from gridlab.core.untrusted import Count, Plain, parse_json, read_bytes, refusing
from gridlab.nets.networks import ValueNetwork

FORMAT = "gridlab value network 1"
NETWORK = "network."
SHIPPED = Path(__file__).parent / "shipped" / "squava.safetensors"

Tensors = dict[str, Tensor]


MOST_BYTES = 256 << 20  # of a file; a training with a million moves in memory has 50 MB
LARGE = 1e9  # no number of a curve is larger
KINDS = (torch.float16, torch.bfloat16, torch.float32, torch.int64, torch.bool)  # of numbers that a file may hold
WEIGHTS = (torch.float16, torch.bfloat16, torch.float32)

Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z_]{1,40}\Z")]
Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
Measured = Annotated[int, msgspec.Meta(ge=0, le=2**53)] | Annotated[float, msgspec.Meta(ge=-LARGE, le=LARGE)] | None
Row = dict[Name, Measured]


class Facts(msgspec.Struct, frozen=True):
    """What a file says of itself; what a player does not need may be missing."""

    format: str = ""
    behaviour: Number = 0
    rules: str = ""
    sha256: str = ""
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
        raise FileTrouble(f"{path} holds another network: it also has {shortened(min(more))}")
    require_kind(weights, WEIGHTS, f"{path} holds another network")
    numbers = {name: each.float() for name, each in weights.items()}
    require_finite(numbers, f"{path} holds another network")
    network.load_state_dict(numbers)
    return network


def require_kind(tensors: Tensors, kinds: tuple[torch.dtype, ...], what: str) -> None:
    """Refuse numbers of another kind."""
    for name, each in tensors.items():
        if each.dtype not in kinds:
            raise SpoiltFile(f"{what}: {shortened(name)} has numbers of kind {each.dtype}")


def require_finite(tensors: Tensors, what: str) -> None:
    """Refuse numbers that are none, and such that their sum is infinite."""
    for name, each in tensors.items():
        if not torch.isfinite(each.sum()):  # a single one makes it so
            raise SpoiltFile(f"{what}: {name} has numbers that are none, or too large")


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
    if facts.format != FORMAT:
        raise FileTrouble(f"{path} is no checkpoint of gridlab of a kind known here; train one: gridlab train squava")
    if facts.rules != rules:
        raise FileTrouble(f"{path} is a network for {facts.rules[:40]}, not for {rules}; name one for this game")
    if facts.sha256 != digest_of(tensors):
        raise SpoiltFile(f"{path} is damaged: its numbers do not have the SHA-256 written beside them")
    if facts.behaviour != BEHAVIOUR:
        logging.getLogger("gridlab").warning(
            f"{path} was made by behaviour version {facts.behaviour}; this is {BEHAVIOUR}"
        )
    return Checkpoint(path, facts, tensors)


def _bytes_of(path: Path) -> bytes:
    try:
        return read_bytes(path, MOST_BYTES, regular=True)
    except SpoiltFile:
        raise
    except FileTrouble as error:
        reason = str(error).removeprefix(f"{path} cannot be read: ")
        raise FileTrouble(f"cannot read the checkpoint {path}: {reason}; gridlab train squava makes one") from error


def _parse(path: Path, content: bytes) -> tuple[Tensors, Facts]:
    library = import_extra("safetensors.torch", "learn")
    with refusing(path, "whole safetensors file"):
        tensors: Tensors = library.load(content)
    header = content[8 : 8 + int.from_bytes(content[:8], "little")]
    about = parse_json(header, Header, path).metadata.get("gridlab", "{}")
    require_kind(tensors, KINDS, f"{path} is no checkpoint")
    return tensors, parse_json(about, Facts, path)


class Header(msgspec.Struct, rename={"metadata": "__metadata__"}):
    """Of what stands before the numbers, the part that is ours."""

    metadata: dict[str, str] = msgspec.field(default_factory=dict)
