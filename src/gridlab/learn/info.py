"""What a checkpoint is: every kind of file that a training leaves, described in one form, and exported.

    info_of("dqn/training.safetensors")      a network of Squava, its recipe and its curve
    info_of("2048.ntuple")                   an n-tuple network of 2048
    info_of("2048.cnn.training")             a network trained on games, with checksums of its data

Each game lists its kinds of files (`networks` in the registry of games). They go through the readers that players
use, so what is told here was checked.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from gridlab.core import draw
from gridlab.core.arguments import counted, typed
from gridlab.core.draw import AsJson, Sheet, brief, shown
from gridlab.core.errors import BadNotation, FileTrouble
from gridlab.core.files import refuse_overlap, try_place
from gridlab.core.run import import_extra
from gridlab.core.untrusted import open_regular, reading
from gridlab.games.registry import FAMILIES

SUFFIXES = (".safetensors", ".ntuple")  # that the name of an export takes the place of
ROWS = 12  # of a curve that is told in lines


@shown
@dataclass(frozen=True)
class Info:
    """What a checkpoint holds; `axis` is the column of the curve that counts how far the training was."""

    path: Path
    kind: str
    facts: AsJson  # by name, for people and machines
    recipe: AsJson
    data: tuple[AsJson, ...]  # what was learnt from, with checksums
    curve: tuple[Mapping[str, Any], ...]
    axis: str

    def as_dict(self) -> AsJson:
        learnt = {"recipe": self.recipe, "data": list(self.data), "curve": [dict(row) for row in self.curve]}
        return {"file": str(self.path), "kind": self.kind, **self.facts, **learnt}

    def _in_short(self) -> str:
        done = f", {self.facts[self.axis]:,} {self.axis}" if isinstance(self.facts.get(self.axis), int) else ""
        return f"{brief(self.path.name)}: {self.kind}, {self.facts.get('rules', '')}{done}"

    def _sheet(self) -> Sheet:
        known = {name: value for name, value in (self.facts | self.recipe).items() if value is not None}
        rows = [(name.replace("_", " "), _told(value)) for name, value in known.items()]
        return Sheet(f"{self.path.name}: {self.kind}", ("", ""), rows, [str(self.path)])

    def __str__(self) -> str:
        lines = [f"{self.path}: {self.kind}"]
        known = {name: value for name, value in self.facts.items() if value is not None}
        lines += [f"{name.replace('_', ' ')}: {_told(value)}" for name, value in known.items()]
        lines.append("recipe: " + ", ".join(f"{name} {_told(value)}" for name, value in self.recipe.items()))
        lines += [
            f"data: {each['file']}, {counted(each['games'], 'game')}, {counted(each['moves'], 'move')}, "
            f"SHA-256 {each['sha256']}"
            for each in self.data
        ]
        return "\n".join([*lines, self._curve_text()])

    def _curve_text(self) -> str:
        if not self.curve:
            return "no curve is in this file; the one to go on from has it"
        names = [self.axis, *(name for name in self.columns() if name != self.axis)]
        places = sorted({round(i * (len(self.curve) - 1) / (ROWS - 1)) for i in range(ROWS)})
        rows = [[_told(self.curve[place].get(name, "")) for name in names] for place in places]
        return draw.table(tuple(name.replace("_", " ") for name in names), rows)

    def columns(self) -> list[str]:
        """What the curve has numbers of."""
        return list(dict.fromkeys(name for row in self.curve for name, value in row.items() if value is not None))


def _told(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{name}={_told(each)}" for name, each in value.items())
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


class Format(NamedTuple):
    """A kind of file that trainings of a game leave; a game lists its own by the words that such a file begins with.

    `export` writes it for other programs or places and says what is to be said of that.
    """

    info: Callable[[Path], Info]
    export: Callable[[Path, Path], str]
    half: bool = False  # exported in half precision, not as an ONNX graph


@typed
def info_of(path: Path | str) -> Info:
    """Describe a checkpoint of any kind."""
    path = Path(path)
    if path.is_dir():
        path = path / "training.safetensors"
    return format_of(path).info(path)


def format_of(path: Path) -> Format:
    """What a checkpoint is: by its first bytes, or by what a safetensors file says of itself, which takes torch."""
    known = _formats()
    with reading(path), open_regular(path) as file:
        magic = file.read(8)
    if magic in known:
        return known[magic]
    import_extra("torch", "learn")
    from gridlab.learn.networks import read_bytes_of, stated_in

    stated = stated_in(path, read_bytes_of(path, "gridlab train")).format.encode()
    if stated not in known:
        raise FileTrouble(f"{path} is not a checkpoint of gridlab of a kind known here")
    return known[stated]


def _formats() -> dict[bytes, Format]:
    modules = [family.load("networks") for family in FAMILIES.values() if family.networks]
    return {key: each for module in modules for key, each in module.FORMATS.items()}


# ---- a trained network for other programs or places


class Exported(NamedTuple):
    """A file that was written, and what is to be said of it."""

    path: Path
    said: str

    def __str__(self) -> str:
        return f"{self.path}: {self.said}"


def export_network(checkpoint: Path, onnx: bool = False, half: bool = False, out: Path | None = None) -> Exported:
    """Write a network in the form that its kind has; beside the checkpoint unless `out` says where."""
    if onnx == half or half != format_of(checkpoint).half:
        raise BadNotation("a network of torch is exported with --onnx, an n-tuple network of 2048 with --half")
    path = try_place(out or _beside(checkpoint, ".half.ntuple" if half else ".onnx"))
    refuse_overlap(checkpoint, path)
    return Exported(path, format_of(checkpoint).export(checkpoint, path))


def _beside(checkpoint: Path, ending: str) -> Path:
    name = checkpoint.stem if checkpoint.suffix in SUFFIXES else checkpoint.name
    return checkpoint.with_name(name + ending)
