"""A dataset of terminal wins is a folder: a layer file for each ply, a manifest and a card.

    layer_09.bin … layer_25.bin     the records (layer_file.py)
    manifest.json                   rules, behaviour version, and for each layer counts, size, SHA-256
    README.md                       the same for people (card.py)

The manifest is written anew after each layer. Whatever it names is whole; a layer it does not name is not part of
the dataset yet.

Nothing of a manifest is believed before it was read by its form and found to agree with itself.
"""

from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from gridlab.core.errors import CorruptFile, FileTrouble, GridlabError
from gridlab.core.files import whole_file, write_json
from gridlab.core.numbers import counted
from gridlab.core.shown import Sheet, shown
from gridlab.core.untrusted import Count, parse_json, read_bytes
from gridlab.datasets.terminals.card import card_text
from gridlab.datasets.terminals.layer_file import layer_name, layer_size
from gridlab.exact.terminals import MAX_CELLS, candidates, first_ply
from gridlab.games.mnk.rules import Rules

FORMAT, VERSION = "gridlab terminal wins", 1
MANIFEST, CARD = "manifest.json", "README.md"
MOST_BYTES = 1 << 20  # of a manifest; 32 layers take a hundredth of it

MadeBy = Annotated[str, msgspec.Meta(pattern=r"^gridlab [ -~]{1,400}\Z")]
Moment = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\+00:00\Z")]
Digest = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]


def wins_of_players(ply: int, won: int, lost: int) -> tuple[int, int]:
    """The wins of X and of O at a ply that so many times was won, and so many lost, by the player who moved last."""
    return (won, lost) if ply % 2 else (lost, won)


class Layer(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """What the manifest says of one layer."""

    ply: Count
    file: Annotated[str, msgspec.Meta(max_length=20)]
    records: Count
    x_wins: Count
    o_wins: Count
    candidates: Count
    bytes: Count
    sha256: Digest

    @classmethod
    def of(cls, rules: Rules, ply: int, won: int, lost: int, sha256: str) -> "Layer":
        """The entry of a layer, `won` and `lost` by the player who moved last."""
        records, wins = won + lost, wins_of_players(ply, won, lost)
        return cls(ply, layer_name(ply), records, *wins, candidates(rules, ply), layer_size(records), sha256)

    def flaw(self, rules: Rules) -> str:
        """What cannot be in this entry; empty if all can."""
        if not first_ply(rules) <= self.ply <= rules.cells or self.file != layer_name(self.ply):
            return f"{self.file!r} is not a layer of ply {self.ply} of {rules}"
        if self.records != self.x_wins + self.o_wins:
            return f"{self.file}: {self.records:,} records, {self.x_wins:,} won by X and {self.o_wins:,} by O"
        if self.bytes != layer_size(self.records):
            return f"{self.file}: {self.records:,} records are not {self.bytes:,} bytes"
        return ""


class Head(msgspec.Struct):
    """What tells a manifest from other files."""

    format: str
    version: int


class Made(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who made it, when, and how."""

    when: Moment
    by: MadeBy
    command: MadeBy


class Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A manifest as it stands in a file."""

    format: str
    version: int
    rules: Annotated[str, msgspec.Meta(max_length=20)]
    behaviour: Count
    made: Made
    layers: Annotated[tuple[Layer, ...], msgspec.Meta(min_length=1, max_length=MAX_CELLS)]


@shown
class Manifest(NamedTuple):
    """What is in a folder."""

    rules: Rules
    behaviour: int
    made: dict[str, str]
    layers: tuple[Layer, ...]

    def _in_short(self) -> str:
        return (
            f"{self.rules}: {counted(len(self.layers), 'layer')}, {sum(each.records for each in self.layers):,} records"
        )

    def _sheet(self) -> Sheet:
        rows = [(each.ply, each.records, each.x_wins, each.o_wins) for each in self.layers]
        return Sheet(f"Terminal wins of {self.rules}", ("ply", "records", "X wins", "O wins"), rows)

    @classmethod
    def read(cls, folder: Path) -> "Manifest":
        """The manifest of a folder, if it agrees with itself; `verify` holds it to the files."""
        path = folder / MANIFEST
        try:
            content = read_bytes(path, MOST_BYTES)
        except CorruptFile:
            raise
        except FileTrouble as error:
            raise FileTrouble(f"{folder} holds no dataset: {error}") from error
        head = parse_json(content, Head, f"{path}: not a manifest of terminal wins")
        if (head.format, head.version) != (FORMAT, VERSION):
            raise CorruptFile(f"{path}: this is {head.format!r} version {head.version}; {FORMAT!r} {VERSION} is read")
        found = parse_json(content, Written, f"{path}: not a manifest of terminal wins")
        try:
            rules = Rules.parse(found.rules)
        except GridlabError as error:
            raise CorruptFile(f"{path}: not a manifest of terminal wins: {error}") from error
        manifest = cls(rules, found.behaviour, msgspec.structs.asdict(found.made), found.layers)
        if flaw := manifest.flaw():
            raise CorruptFile(f"{path}: {flaw}")
        return manifest

    def with_layer(self, layer: Layer, command: str) -> "Manifest":
        """The manifest with one layer more, and the command that makes them all."""
        return self._replace(layers=tuple(sorted([*self.layers, layer])), made=self.made | {"command": command})

    def flaw(self) -> str:
        """Where it contradicts itself; empty if it does not."""
        if self.rules.cells > MAX_CELLS:
            return f"{self.rules} has {self.rules.cells} cells; records hold up to {MAX_CELLS}"
        if not all(one.ply < other.ply for one, other in pairwise(self.layers)):
            return "the layers do not ascend by ply, each once"
        return next((flaw for each in self.layers if (flaw := each.flaw(self.rules))), "")

    def write(self, folder: Path) -> None:
        content = {
            "format": FORMAT,
            "version": VERSION,
            "rules": str(self.rules),
            "behaviour": self.behaviour,
            "made": self.made,
            "layers": self.entries(),
        }
        write_json(folder / MANIFEST, content)
        self.write_card(folder)

    def write_card(self, folder: Path) -> None:
        with whole_file(folder / CARD) as card:
            card.write(self.card())

    def card(self) -> bytes:
        """What README.md must hold."""
        return card_text(self.rules, self.made, self.entries()).encode()

    def entries(self) -> list[dict[str, Any]]:
        return [msgspec.structs.asdict(each) for each in self.layers]
