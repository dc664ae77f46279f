"""The value network: how a position looks to the player to move, from -1 (lost) to 1 (won); its files.

    50 -> 512 ─┬─> 512 ─> dropout ─> 512 ─(+)─> 256 ─> dropout ─> 1 ─> tanh
               └──────────────────────────┘
         each of the first three: linear, LayerNorm, ReLU;  256: linear, ELU

686,081 numbers are learnt. The last layer begins with zeros: with random ones the first steps of Adam, of one size for
every weight, drive tanh to its end, where it has no slope and nothing is learnt any more.
"""

import pickle
import re
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
import torch
from torch import Tensor, nn

from gridlab.core.arguments import shortened
from gridlab.core.errors import CorruptFile, FileTrouble
from gridlab.core.files import refuse_overlap
from gridlab.core.untrusted import Count, Plain, refusing
from gridlab.games import game
from gridlab.inarow.learn.features import FEATURES
from gridlab.learn import networks as tensors_file
from gridlab.learn.networks import MOST_BYTES, Name, Number, Row, Saved, Stated, Tensors

WIDTH, NARROW, DROPOUT = 512, 256, 0.1
PARAMETERS = 686_081


class ValueNetwork(nn.Module):
    """Features [position, 50] to values [position]."""

    def __init__(self, dropout: float = DROPOUT) -> None:
        super().__init__()
        self.input_layer, self.input_norm = nn.Linear(FEATURES, WIDTH), nn.LayerNorm(WIDTH)
        self.hidden1, self.norm1 = nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH)
        self.hidden2, self.norm2 = nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH)
        self.dropout = nn.Dropout(dropout)
        self.output_layer = nn.Sequential(
            nn.Linear(WIDTH, NARROW), nn.ELU(), nn.Dropout(dropout), last := nn.Linear(NARROW, 1), nn.Tanh()
        )
        nn.init.zeros_(last.weight)
        nn.init.zeros_(last.bias)

    def forward(self, features: Tensor) -> Tensor:
        first = torch.relu(self.input_norm(self.input_layer(features)))
        second = self.dropout(torch.relu(self.norm1(self.hidden1(first))))
        third = torch.relu(self.norm2(self.hidden2(second))) + first
        value: Tensor = self.output_layer(third)
        return value.squeeze(-1)


def new_network(seed: int, dropout: float = DROPOUT) -> ValueNetwork:
    """A network of random weights that hang on the seed alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return ValueNetwork(dropout)


# ---- Networks of Squava on disk: safetensors files, written whole (tensors_file)
#
#     network.…     the weights; a file of weights alone holds nothing else and is what players take
#     target.…      the target network
#     optimiser.…   Adam's moments, a step number each
#     replay.…      the moves in memory
#     metadata      JSON: format, behaviour, rules, settings, seed, episode, curve, SHA-256 of the numbers
#
# A damaged file, another game, a foreign network and numbers that are none are refused with the reason.


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


class Checkpoint(Saved[Facts]):
    """What a file of Squava holds."""

    def network(self, dropout: float = 0.0) -> ValueNetwork:
        """The network, or why these are no weights of it."""
        return network_of(self.part(NETWORK), self.path, dropout)


def network_of(weights: Tensors, path: Path, dropout: float) -> ValueNetwork:
    network = ValueNetwork(dropout)
    tensors_file.load_weights(network, weights, path)
    return network


def write(path: Path, tensors: Tensors, facts: dict[str, Any]) -> None:
    """Write a checkpoint whole."""
    tensors_file.write(path, tensors, {"format": FORMAT} | facts)


def read(path: Path | str, rules: str) -> Checkpoint:
    """Read a checkpoint of a game, or say what is wrong with the file."""
    path = Path(path)
    what = "a checkpoint of gridlab of a kind known here"
    tensors, facts = tensors_file.read(path, Facts, FORMAT, what, "gridlab train squava")
    if facts.rules != rules:
        raise FileTrouble(f"{path} is a network for {facts.rules[:40]}, not for {rules}; name one for this game")
    return Checkpoint(path, facts, tensors)


# ---- Networks of Squava that other programs have saved by torch.save, as the published guide does; made checkpoints
#
#     {"q_network_state_dict": {…}, "target_network_state_dict": {…}, "optimizer_state_dict": {…}, "epsilon": …,
#      "episode": …, "training_stats": {…}, "hyperparameters": {…}}
#
# Such a file is a pickle in a zip archive. It is read by torch with `weights_only`, so nothing in it is run: what is
# not a tensor, a number, a text or a collection of these is refused. Only the network and a few numbers are taken. The
# guide gives no names to the LayerNorms of the hidden layers; the two tensors of 512 numbers that follow the names it
# has given are taken in the order of the file.


GUIDE_NETWORK = "q_network_state_dict"
NORMS = ("norm1", "norm2")  # what gridlab calls those of the hidden layers
MOST_EPISODES = 2**53
KEPT = ("learning_rate", "gamma", "epsilon_decay")  # of the hyperparameters


def import_network(path: Path, out: Path) -> None:
    """Write the network of a file of torch.save as a checkpoint for players; FileTrouble if it is another network."""
    refuse_overlap(path, out)
    found = read_saved(path)
    weights = found.get(GUIDE_NETWORK)
    if not isinstance(weights, dict):
        raise FileTrouble(f"{path} has no {GUIDE_NETWORK}, where the guide saves its network; save it under this name")
    network = network_of(with_our_names(weights, path), path, 0.0)
    write(out, tensors_file.named(NETWORK, network), facts_of(found))


def read_saved(path: Path) -> dict[Any, Any]:
    """What torch.save has put into a file, if it is a dict of plain things and tensors."""
    content = tensors_file.read_bytes_of(path, "torch.save")
    _require_stored(path, content)
    try:
        with refusing(path, "a file of torch.save that is whole"):
            found = _load(path, content)
    except RecursionError as error:
        raise CorruptFile(f"{path} is not a file of torch.save: it is nested too deeply") from error
    if not isinstance(found, dict):
        raise FileTrouble(f"{path} holds a {type(found).__name__}, not the dict that the guide saves")
    return found


def _load(path: Path, content: bytes) -> Any:
    try:
        return torch.load(BytesIO(content), map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise CorruptFile(
            f"{path} holds more than numbers, texts and tensors, and nothing in a file is run to read it: "
            f"{_foreign(str(error))}; save the networks' state_dict and plain numbers alone"
        ) from error


def _foreign(message: str) -> str:
    """What torch would have had to call."""
    found = re.search(r"GLOBAL (\S+)", message)
    return f"it asks for {shortened(found[1], 80)}" if found else "torch refuses it"


def _require_stored(path: Path, content: bytes) -> None:
    """Refuse what is not an archive as torch writes it: packed parts could unpack to anything."""
    with refusing(path, "a file of torch.save (a zip archive)"), zipfile.ZipFile(BytesIO(content)) as archive:
        parts = archive.infolist()
    if any(each.compress_type != zipfile.ZIP_STORED for each in parts):
        raise CorruptFile(f"{path} is not a file of torch.save: it has compressed parts, and torch writes none")
    if sum(each.file_size for each in parts) > MOST_BYTES:
        raise CorruptFile(f"{path} is not a file of torch.save: its parts are larger than the file")


def with_our_names(found: dict[Any, Any], path: Path) -> Tensors:
    """The weights by the names of our network, which are the guide's where it has given any."""
    _require_tensors(found, path)
    ours = [name for name in ValueNetwork().state_dict() if not name.startswith(NORMS)]
    others = {name: name.rpartition(".") for name in found if name not in ours}
    layers = list(dict.fromkeys(layer for layer, _, _ in others.values()))
    if len(layers) != len(NORMS):
        known = sorted({name.partition(".")[0] for name in ours})
        raise FileTrouble(
            f"{path} holds another network: beside {', '.join(known)} it "
            f"has {', '.join(map(shortened, layers[:5])) or 'nothing'}, and two LayerNorms are needed"
        )
    renamed = dict(zip(layers, NORMS, strict=True))
    names = {name: renamed[layer] + dot + kind for name, (layer, dot, kind) in others.items()}
    return {names.get(name, name): each for name, each in found.items()}


def _require_tensors(found: dict[Any, Any], path: Path) -> None:
    for name, each in found.items():
        if not isinstance(name, str) or not isinstance(each, torch.Tensor) or each.layout != torch.strided:
            raise CorruptFile(f"{path} holds another network: {shortened(str(name))} is not a tensor of numbers")


def facts_of(found: dict[Any, Any]) -> dict[str, Any]:
    """What the new file says of itself: of the old one only what is of the right kind."""
    numbers = found.get("hyperparameters")
    plain = numbers if isinstance(numbers, dict) else {}
    recipe = {name: plain[name] for name in KEPT if isinstance(plain.get(name), float) and 0 <= plain[name] <= 1}
    episode = found.get("episode")
    known = isinstance(episode, int) and not isinstance(episode, bool) and 0 <= episode <= MOST_EPISODES
    return {
        "rules": str(game("squava")),
        "settings": {"preset": "imported", **recipe},
        **({"episode": episode} if known else {}),
    }
