"""Networks that choose a direction of 2048: they judge the board after each move; their files.

    cnn, dual      16 channels [4, 4], one a tile -> 2x2 convolutions [w, 3, 3], [w, 2, 2], [2w, 1, 1], ReLU after each
    transformer    16 cells, tile and place of each embedded -> blocks of attention and two linear layers -> LayerNorm;
                   a head also has a number for each pair of cells, so that it finds neighbours whatever stands there
    policy head    linear -> a number for each direction; a softmax over the legal ones follows
    value head     linear, ReLU, linear -> √(points still to come / scale) after each move; then the mean by the policy

So nothing has to be learnt about how tiles slide, and what was learnt of one direction is known of all.
Cells come as binary logarithms of tiles, 0 to 15; cells beside a smaller board are 15.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import torch
from msgspec import Meta
from torch import Tensor, nn

from gridlab.core.errors import BadRules, CorruptFile
from gridlab.core.untrusted import Count, Plain
from gridlab.game2048.rules import Rules2048
from gridlab.learn import networks as tensors_file
from gridlab.learn.networks import Name, Number, Row, Saved, Stated, Tensors, load_weights

METHODS = ("cnn", "dual", "transformer")
CELLS, TILES, DIRECTIONS = 16, 16, 4
VALUE_WIDTH = 64
NEVER = -1e9  # instead of a number for a direction that is no move


@dataclass(frozen=True)
class Shape:
    """How large a network is."""

    width: Annotated[int, Meta(ge=4, le=1024)] = 48  # channels of a convolution, numbers of a cell
    layers: Annotated[int, Meta(ge=1, le=16)] = 2  # blocks of the transformer
    heads: Annotated[int, Meta(ge=1, le=64)] = 4  # of attention


class Convolutions(nn.Module):
    """Cells [board, 16] to features [board, 2 · width]."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.features = 2 * shape.width
        self.first = nn.Conv2d(TILES, shape.width, 2)
        self.second = nn.Conv2d(shape.width, shape.width, 2)
        self.third = nn.Conv2d(shape.width, self.features, 2)

    def forward(self, cells: Tensor) -> Tensor:
        planes = nn.functional.one_hot(cells, TILES).float().view(-1, 4, 4, TILES).permute(0, 3, 1, 2)
        planes = planes.to(self.first.weight.dtype)
        near = torch.relu(self.second(torch.relu(self.first(planes))))
        return torch.relu(self.third(near)).flatten(1)


class Block(nn.Module):
    """Attention over all cells, then two linear layers for each; both are added to what was there."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.pairs = nn.Parameter(torch.zeros(heads, CELLS, CELLS))
        nn.init.normal_(self.pairs)
        self.mix, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, cells: Tensor) -> Tensor:
        boards, number, width = cells.shape
        mixed = self.mix(self.norm1(cells)).view(boards, number, 3, self.heads, width // self.heads)
        query, key, value = mixed.permute(2, 0, 3, 1, 4)
        alike = query @ key.transpose(-1, -2) * (width // self.heads) ** -0.5
        weights = torch.softmax(alike + self.pairs, -1)
        cells = cells + self.out((weights @ value).transpose(1, 2).reshape(boards, number, width))
        more: Tensor = self.narrow(torch.relu(self.wide(self.norm2(cells))))
        return cells + more


class Attention(nn.Module):
    """Cells [board, 16] to features [board, 16 · width]."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.features, self.heads = CELLS * shape.width, shape.heads
        self.tile, self.place = nn.Embedding(TILES, shape.width), nn.Parameter(torch.zeros(CELLS, shape.width))
        nn.init.normal_(self.place, std=0.02)
        self.blocks = nn.ModuleList(Block(shape.width, shape.heads) for _ in range(shape.layers))
        self.norm = nn.LayerNorm(shape.width)

    def forward(self, cells: Tensor) -> Tensor:
        seen = self.tile(cells) + self.place
        for block in self.blocks:
            seen = block(seen)
        return self.norm(seen).flatten(1)  # type: ignore[no-any-return]


class PolicyNetwork(nn.Module):
    """Cells after each move [board, 4, 16], int64, and which are legal [board, 4], to directions and values.

    Directions [board, 4] are numbers for a softmax, NEVER where it is no move; values [board] are None but for `dual`.
    """

    def __init__(self, method: str, shape: Shape) -> None:
        super().__init__()
        self.method = method
        self.body = Attention(shape) if method == "transformer" else Convolutions(shape)
        self.policy = nn.Linear(self.body.features, 1)
        self.value = None
        if method == "dual":
            self.value = nn.Sequential(nn.Linear(self.body.features, VALUE_WIDTH), nn.ReLU(), nn.Linear(VALUE_WIDTH, 1))

    def forward(self, cells: Tensor, legal: Tensor) -> tuple[Tensor, Tensor | None]:
        features = self.body(cells.flatten(0, 1))
        said = self.policy(features).view(-1, DIRECTIONS).masked_fill(~legal, NEVER)
        if self.value is None:
            return said, None
        after = self.value(features).view(-1, DIRECTIONS)
        return said, (torch.softmax(said, 1) * after).sum(1)


def new_policy(method: str, shape: Shape, seed: int) -> PolicyNetwork:
    """A network of random weights that hang on the seed alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return PolicyNetwork(method, shape)


# ---- Networks that choose a direction of 2048, on disk: safetensors files, written whole (tensors_file)
#
#     network.…     the weights; a file of weights alone holds nothing else and is what players take
#     best.…        in a file to go on from: the weights that did best on the games kept apart
#     optimiser.…   and Adam's moments, a step number each
#     metadata      JSON: format, behaviour, method, rules, shape, settings, seed, epoch, data, curve, SHA-256
#
# Foreign and damaged files, and numbers that are none, are refused with the reason.


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
class PolicyFile(Saved[Facts]):
    """What a file holds."""

    rules: Rules2048
    shape: Shape

    def network(self, prefix: str = NETWORK) -> PolicyNetwork:
        """The network, or why these are no weights of it."""
        network = PolicyNetwork(self.facts.method, self.shape)
        load_weights(network, self.part(prefix), self.path)
        return network


def write(path: Path, tensors: Tensors, facts: Facts) -> None:
    """Write a file whole; its checksum is found now."""
    said: dict[str, Any] = msgspec.to_builtins(facts)
    tensors_file.write(path, tensors, {k: v for k, v in said.items() if k not in ("behaviour", "sha256")})


def read(path: Path | str) -> PolicyFile:
    """Read a network, or say what is wrong with the file."""
    path = Path(path)
    tensors, facts = tensors_file.read(path, Facts, FORMAT, "a network that chooses directions of 2048", COMMAND)
    try:
        rules = Rules2048.parse(facts.rules)
    except BadRules as error:
        raise CorruptFile(f"{path}: {error}") from error
    return PolicyFile(path, facts, tensors, rules, _shape_in(facts, path))


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
