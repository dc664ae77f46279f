"""Networks that choose a direction of 2048, on disk: safetensors files, written whole (tensors_file).

    network.…     the weights; a file of weights alone holds nothing else and is what players take
    best.…        in a file to go on from: the weights that did best on the games kept apart
    optimiser.…   and Adam's moments, a step number each
    metadata      JSON: format, behaviour, method, rules, shape, settings, seed, epoch, data, curve, SHA-256

Foreign and damaged files, and numbers that are none, are refused with the reason.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from gridlab.core.errors import BadRules, CorruptFile, FileTrouble
from gridlab.core.untrusted import Count, Plain
from gridlab.games.game2048.rules import Rules2048
from gridlab.nets import tensors_file
from gridlab.nets.policy_networks import PolicyNetwork, Shape
from gridlab.nets.tensors_file import Name, Number, Row, Stated, Tensors, load_weights, part_of

FORMAT = "gridlab 2048 policy 1"
COMMAND = "gridlab train 2048 --method cnn"
NETWORK, BEST, OPTIMISER = "network.", "best.", "optimiser."

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Sums = Annotated[tuple[float, ...], msgspec.Meta(min_length=3, max_length=3)]
Positive = Annotated[float, msgspec.Meta(gt=0, le=1e12)]


class DataFile(msgspec.Struct, frozen=True):
    """A file that was learnt from."""

    file: Annotated[str, msgspec.Meta(max_length=4096)]
    sha256: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
    games: Number
    moves: Number


class Measure(msgspec.Struct, frozen=True):
    """How often a network chooses what was chosen, on games it has not learnt from."""

    moves: Number
    loss: Annotated[float, msgspec.Meta(ge=0, le=1e9)]
    accuracy: Share
    phases: dict[Name, Share]  # accuracy by phase of the game
    confusion: tuple[tuple[Number, Number, Number, Number], ...]  # [chosen in the data][chosen by the network]
    value_error: Annotated[float, msgspec.Meta(ge=0, le=1e9)] | None = None  # of the value head: root mean square


class Facts(Stated, frozen=True, kw_only=True):
    """What a file says of itself."""

    method: Literal["cnn", "dual", "transformer"] = "cnn"
    rules: Annotated[str, msgspec.Meta(max_length=40)] = "2048"
    scale: Positive = 1.0  # points that a value of 1 means
    settings: dict[Name, Plain] = msgspec.field(default_factory=dict)
    seed: Count = 0
    epoch: Number = 0  # done
    steps: Number = 0  # gradient steps
    seconds: Annotated[float, msgspec.Meta(ge=0, le=1e12)] = 0.0
    sums: Sums = (0.0, 0.0, 0.0)  # of the epoch at hand: losses, hits, moves
    best_epoch: Number = 0
    data: tuple[DataFile, ...] = ()
    curve: tuple[Row, ...] = ()  # a row an epoch
    test: Measure | None = None


@dataclass(frozen=True)
class PolicyFile:
    """What a file holds."""

    path: Path
    facts: Facts
    rules: Rules2048
    shape: Shape
    tensors: Tensors

    def part(self, prefix: str) -> Tensors:
        return part_of(self.tensors, prefix)

    def network(self, prefix: str = NETWORK) -> PolicyNetwork:
        """The network, or why these are no weights of it."""
        network = PolicyNetwork(self.facts.method, self.shape)
        load_weights(network, self.part(prefix), self.path)
        return network


def write(path: Path, tensors: Tensors, facts: Facts) -> None:
    """Write a file whole; its checksum is found now."""
    said: dict[str, Any] = msgspec.to_builtins(facts)
    tensors_file.write(path, tensors, {k: v for k, v in said.items() if k not in ("behaviour", "sha256")})


def is_policy_file(path: Path) -> bool:
    """Whether a file says that it is such a network."""
    try:
        return tensors_file.stated_in(path, tensors_file.read_bytes_of(path, COMMAND)).format == FORMAT
    except CorruptFile:
        return False


def read(path: Path | str) -> PolicyFile:
    """Read a network, or say what is wrong with the file."""
    path = Path(path)
    tensors, facts = tensors_file.parse(path, tensors_file.read_bytes_of(path, COMMAND), Facts)
    if facts.format != FORMAT:
        raise FileTrouble(f"{path} is not a network that chooses directions of 2048; train one: {COMMAND}")
    tensors_file.require_whole(path, tensors, facts)
    try:
        rules = Rules2048.parse(facts.rules)
    except BadRules as error:
        raise CorruptFile(f"{path}: {error}") from error
    return PolicyFile(path, facts, rules, _shape_in(facts, path), tensors)


def _shape_in(facts: Facts, path: Path) -> Shape:
    """How large the network is, as the settings say."""
    said = {name: facts.settings[name] for name in ("width", "layers", "heads") if name in facts.settings}
    try:
        shape = msgspec.convert(said, Shape)
    except msgspec.ValidationError as error:
        raise CorruptFile(f"{path} does not say how large its network is: {error}") from error
    if shape.width % shape.heads:
        raise CorruptFile(f"{path} has {shape.heads} heads for a width of {shape.width}, which they do not divide")
    return shape
