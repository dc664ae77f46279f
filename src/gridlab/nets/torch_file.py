"""Networks of Squava that other programs have saved by torch.save, as the published guide does; made checkpoints.

    {"q_network_state_dict": {…}, "target_network_state_dict": {…}, "optimizer_state_dict": {…}, "epsilon": …,
     "episode": …, "training_stats": {…}, "hyperparameters": {…}}

Such a file is a pickle in a zip archive. It is read by torch with `weights_only`, so nothing in it is run: what is not
a tensor, a number, a text or a collection of these is refused. Only the network and a few numbers are taken. The guide
gives no names to the LayerNorms of the hidden layers; the two tensors of 512 numbers that follow the names it has given
are taken in the order of the file.
"""

import pickle
import re
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import torch

from gridlab.core.errors import CorruptFile, FileTrouble
from gridlab.core.files import refuse_overlap
from gridlab.core.numbers import shortened
from gridlab.core.untrusted import refusing
from gridlab.games import game
from gridlab.nets import checkpoint
from gridlab.nets.networks import ValueNetwork
from gridlab.nets.tensors_file import MOST_BYTES, Tensors, named, read_bytes_of

NETWORK = "q_network_state_dict"
NORMS = ("norm1", "norm2")  # what gridlab calls those of the hidden layers
MOST_EPISODES = 2**53
KEPT = ("learning_rate", "gamma", "epsilon_decay")  # of the hyperparameters


def import_network(path: Path, out: Path) -> None:
    """Write the network of a file of torch.save as a checkpoint for players; FileTrouble if it is another network."""
    refuse_overlap(path, out)
    found = read_saved(path)
    weights = found.get(NETWORK)
    if not isinstance(weights, dict):
        raise FileTrouble(f"{path} has no {NETWORK}, where the guide saves its network; save it under this name")
    network = checkpoint.network_of(with_our_names(weights, path), path, 0.0)
    checkpoint.write(out, named(checkpoint.NETWORK, network), facts_of(found))


def read_saved(path: Path) -> dict[Any, Any]:
    """What torch.save has put into a file, if it is a dict of plain things and tensors."""
    content = read_bytes_of(path, "torch.save")
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
    for name, each in found.items():
        if not isinstance(name, str) or not isinstance(each, torch.Tensor) or each.layout != torch.strided:
            raise CorruptFile(f"{path} holds another network: {shortened(str(name))} is not a tensor of numbers")
    ours = [name for name in ValueNetwork().state_dict() if not name.startswith(NORMS)]
    others = list(dict.fromkeys(name.rpartition(".")[0] for name in found if name not in ours))
    if len(others) != len(NORMS):
        raise FileTrouble(
            f"{path} holds another network: beside {', '.join(sorted({name.partition('.')[0] for name in ours}))} it "
            f"has {', '.join(map(shortened, others[:5])) or 'nothing'}, and two LayerNorms are needed"
        )
    renamed = dict(zip(others, NORMS, strict=True))
    weights: Tensors = {}
    for name, each in found.items():
        layer, dot, kind = name.rpartition(".")
        weights[name if name in ours else renamed[layer] + dot + kind] = each
    return weights


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
