"""A trained network for other programs or places: as an ONNX graph, or an n-tuple network in half precision."""

from pathlib import Path
from typing import NamedTuple

from gridlab.core.errors import BadNotation
from gridlab.core.extras import import_extra
from gridlab.core.files import refuse_overlap, try_place
from gridlab.games import game
from gridlab.nets.ntuple_file import is_ntuple_file, write_small

SUFFIXES = (".safetensors", ".ntuple")  # that the name of an export takes the place of


class Exported(NamedTuple):
    """A file that was written, and what is to be said of it."""

    path: Path
    said: str

    def __str__(self) -> str:
        return f"{self.path}: {self.said}"


def export_network(checkpoint: Path, onnx: bool = False, half: bool = False, out: Path | None = None) -> Exported:
    """Write a network in the form that its kind has; beside the checkpoint unless `out` says where."""
    if onnx == half or half != is_ntuple_file(checkpoint):
        raise BadNotation("a network of torch is exported with --onnx, an n-tuple network of 2048 with --half")
    path = try_place(out or _beside(checkpoint, ".half.ntuple" if half else ".onnx"))
    refuse_overlap(checkpoint, path)
    if half:
        return Exported(path, f"{write_small(checkpoint, path):,} bytes")
    return Exported(path, f"onnxruntime differs from torch by at most {_write_onnx(checkpoint, path):.1e}")


def _beside(checkpoint: Path, ending: str) -> Path:
    name = checkpoint.stem if checkpoint.suffix in SUFFIXES else checkpoint.name
    return checkpoint.with_name(name + ending)


def _write_onnx(checkpoint: Path, path: Path) -> float:
    """The graph of a network of either game; the largest difference to torch that was seen."""
    import_extra("torch", "learn")
    from gridlab.nets import policy_file
    from gridlab.nets.judge import load_judge
    from gridlab.nets.onnx_file import write_onnx
    from gridlab.nets.policy_onnx import write_policy_onnx

    if policy_file.is_policy_file(checkpoint):
        return write_policy_onnx(policy_file.read(checkpoint), path)
    return write_onnx(load_judge(checkpoint, game("squava", "mnk")), path)
