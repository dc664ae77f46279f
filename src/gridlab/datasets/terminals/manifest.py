"""A dataset of terminal wins is a folder: a layer file for each ply, a manifest and a card.

    layer_09.bin … layer_25.bin     the records (layer_file.py)
    manifest.json                   rules, behaviour version, and for each layer counts, size, SHA-256
    README.md                       the same for people (card.py)

The manifest is written anew after each layer. Whatever it names is whole; a layer it does not name is not part of
the dataset yet.
"""

import json
from pathlib import Path
from typing import NamedTuple

from gridlab.core.errors import FileTrouble, SpoiltFile
from gridlab.core.files import whole_file, write_json
from gridlab.datasets.terminals.card import card_text
from gridlab.datasets.terminals.layer_file import layer_name
from gridlab.games.mnk.rules import Rules

FORMAT, VERSION = "gridlab terminal wins", 1
MANIFEST = "manifest.json"


class Layer(NamedTuple):
    """What the manifest says of one layer."""

    ply: int
    file: str
    records: int
    x_wins: int
    o_wins: int
    candidates: int
    bytes: int
    sha256: str


class Manifest(NamedTuple):
    """What is in a folder."""

    rules: Rules
    behaviour: int
    made: dict[str, str]
    layers: tuple[Layer, ...]

    @classmethod
    def read(cls, folder: Path) -> "Manifest":
        path = folder / MANIFEST
        try:
            content = json.loads(path.read_text())
            if content["format"] != FORMAT or content["version"] != VERSION:
                raise SpoiltFile(
                    f"{path}: this is {content['format']!r} version {content['version']}; {FORMAT!r} 1 is read"
                )
            rules = Rules.parse(content["rules"])
            layers = tuple(sorted(Layer(**each) for each in content["layers"]))
            for each in layers:
                if each.ply not in range(1, rules.cells + 1) or each.file != layer_name(each.ply):
                    raise SpoiltFile(f"{path}: {each.file!r} is no layer of ply {each.ply} of {rules}")
            made = {name: str(content["made"][name]) for name in ("when", "by", "command")}
            return cls(rules, content["behaviour"], made, layers)
        except OSError as error:
            raise FileTrouble(f"{folder} holds no dataset: {MANIFEST} cannot be read: {error.strerror}") from error
        except (ValueError, KeyError, TypeError) as error:
            if isinstance(error, SpoiltFile):
                raise
            raise SpoiltFile(f"{path}: not a manifest of terminal wins: {error}") from error

    def write(self, folder: Path) -> None:
        content = {
            "format": FORMAT,
            "version": VERSION,
            "rules": str(self.rules),
            "behaviour": self.behaviour,
            "made": self.made,
            "layers": [each._asdict() for each in self.layers],
        }
        write_json(folder / MANIFEST, content)
        with whole_file(folder / "README.md") as card:
            card.write(card_text(self.rules, self.made, [each._asdict() for each in self.layers]).encode())
