"""Networks on disk: safetensors files, written whole, nothing in them is ever executed; and ONNX files, compared.

    tensors       by name, of a few kinds of numbers
    metadata      "gridlab": JSON that begins with format, behaviour, and the SHA-256 of the numbers

What a file says of itself is of a declared form, `Facts` of whoever reads it; a damaged one is refused with the reason.
"""

import hashlib
import json
import logging
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gridlab.core.arguments import shortened
from gridlab.core.errors import CorruptFile, FileTrouble
from gridlab.core.files import RESULTS_VERSION, refuse_overlap, try_place, whole_file
from gridlab.core.run import import_extra
from gridlab.core.untrusted import parse_json, read_bytes, refusing

# ---- ONNX files, written only after onnxruntime has been seen to compute what torch does


Tensors = dict[str, Tensor]

OPSET, VERSION = 18, 9  # of operations, and of the format: known to every runtime of today
CLOSE = 1e-4


def write_onnx(
    path: Path, source: Path | None, network: torch.nn.Module, seen: Tensors, outputs: Sequence[str], axis: str,
    about: dict[str, str] | None = None,
) -> float:  # fmt: skip
    """Write a network; the largest difference to torch on what it has `seen`, its inputs by name.

    The first axis of inputs and outputs is of any length, and named; `about` goes into the metadata.
    """
    if path.suffix != ".onnx":
        raise FileTrouble(f"{path} is not a name for an ONNX file; end it in .onnx")
    if source is not None:
        refuse_overlap(source, path)
    try_place(path)
    content = model_of(network, seen, outputs, axis, about or {})
    session = import_extra("onnxruntime", "onnx").InferenceSession(content, providers=["CPUExecutionProvider"])
    theirs = session.run(None, {name: each.numpy() for name, each in seen.items()})
    with torch.inference_mode():
        found = network(*seen.values())
    ours = [each for each in (found if isinstance(found, tuple) else (found,)) if each is not None]
    worst = max(float(np.abs(one - other.numpy()).max()) for one, other in zip(theirs, ours, strict=True))
    if not worst <= CLOSE:  # so for what is no number
        raise FileTrouble(f"{path} was not written: onnxruntime differs from torch by {worst:.2g}")
    with whole_file(path) as file:
        file.write(content)
    return worst


def model_of(
    network: torch.nn.Module, seen: Tensors, outputs: Sequence[str], axis: str, about: dict[str, str]
) -> bytes:
    """The network as ONNX, traced by torch. Its other exporter would need one package more, onnxscript."""
    onnx, helper = import_extra("onnx", "onnx"), import_extra("onnx.helper", "onnx")
    traced = BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that tracing is not torch's newest way, and that it takes shapes as they are
        torch.onnx.export(
            network, tuple(each[:2] for each in seen.values()), traced,  # type: ignore[arg-type]  # it may be in memory
            input_names=list(seen), output_names=list(outputs), opset_version=OPSET, dynamo=False,
            dynamic_axes={name: {0: axis} for name in (*seen, *outputs)},
        )  # fmt: skip
    model = onnx.load_from_string(traced.getvalue())
    model.ir_version, model.producer_name = VERSION, "gridlab"
    model.ClearField("producer_version")
    helper.set_model_props(model, about)
    import_extra("onnx.checker", "onnx").check_model(model)
    content: bytes = model.SerializeToString()
    return content


# ---- Tensors on disk with what is to be said of them


MOST_BYTES = 256 << 20  # of a file; a training with a million moves in memory has 50 MB
KINDS = (torch.float16, torch.bfloat16, torch.float32, torch.int64, torch.bool)  # of numbers that a file may hold
WEIGHTS = (torch.float16, torch.bfloat16, torch.float32)
LARGE = 1e9  # no number of a curve is larger

Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z_0-9]{1,40}\Z")]
Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
Measured = Annotated[int, msgspec.Meta(ge=0, le=2**53)] | Annotated[float, msgspec.Meta(ge=-LARGE, le=LARGE)] | None
Row = dict[Name, Measured]


class Stated(msgspec.Struct, frozen=True, kw_only=True):
    """What every file says of itself."""

    format: str = ""
    behaviour: Number = 0
    sha256: str = ""


Facts = TypeVar("Facts", bound=Stated)


class Header(msgspec.Struct, rename={"metadata": "__metadata__"}):
    """Of what stands before the numbers, the part that is ours."""

    metadata: dict[str, str] = msgspec.field(default_factory=dict)


def write(path: Path, tensors: Tensors, facts: dict[str, Any]) -> None:
    """Write tensors and what is said of them, `format` among it, whole."""
    library = import_extra("safetensors.torch", "learn")
    tensors = {name: each.detach().cpu().contiguous() for name, each in sorted(tensors.items())}
    about = {"behaviour": RESULTS_VERSION, "sha256": digest_of(tensors)} | facts
    with whole_file(path) as file:
        file.write(library.save(tensors, {"gridlab": json.dumps(about, sort_keys=True)}))


def digest_of(tensors: Tensors) -> str:
    digest = hashlib.sha256()
    for name in sorted(tensors):
        digest.update(
            name.encode() + b"\0" + tensors[name].contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
        )
    return digest.hexdigest()


def read_bytes_of(path: Path, command: str) -> bytes:
    """A file of a size that it can have; where there is none, the command that makes one is named."""
    try:
        return read_bytes(path, MOST_BYTES)
    except CorruptFile:
        raise
    except FileTrouble as error:
        reason = str(error).removeprefix(f"{path} cannot be read: ")
        raise FileTrouble(f"cannot read the checkpoint {path}: {reason}; {command} makes one") from error


def stated_in(path: Path, content: bytes) -> Stated:
    """What kind of file this is."""
    return parse_json(_metadata(path, content), Stated, path)


@dataclass(frozen=True)
class Saved(Generic[Facts]):
    """What a file holds."""

    path: Path
    facts: Facts
    tensors: Tensors

    def part(self, prefix: str) -> Tensors:
        """The tensors of a part, by their own names."""
        return part_of(self.tensors, prefix)


def read(path: Path, form: type[Facts], kind: str, what: str, command: str) -> tuple[Tensors, Facts]:
    """The tensors of a file of this kind, and what it says of itself; refused unless they are those that were written.

    `what` it should be, and the command that makes one, are said of another file; a remark if another version of
    gridlab wrote it.
    """
    content = read_bytes_of(path, command)
    library = import_extra("safetensors.torch", "learn")
    with refusing(path, "a whole safetensors file"):
        tensors: Tensors = library.load(content)
    require_kind(tensors, KINDS, f"{path} is not a checkpoint")
    facts = parse_json(_metadata(path, content), form, path)
    if facts.format != kind:
        raise FileTrouble(f"{path} is not {what}; train one: {command}")
    if facts.sha256 != digest_of(tensors):
        raise CorruptFile(f"{path} is damaged: its numbers do not have the SHA-256 written beside them")
    if facts.behaviour != RESULTS_VERSION:
        logging.getLogger("gridlab").warning(
            f"{path} was made by results version {facts.behaviour}; this is {RESULTS_VERSION}"
        )
    return tensors, facts


def _metadata(path: Path, content: bytes) -> str:
    header = content[8 : 8 + int.from_bytes(content[:8], "little")]
    return parse_json(header, Header, path).metadata.get("gridlab", "{}")


def load_weights(network: torch.nn.Module, weights: Tensors, path: Path) -> None:
    """Give a network its weights, or say why these are none of it."""
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


def require_kind(tensors: Tensors, kinds: tuple[torch.dtype, ...], what: str) -> None:
    """Refuse numbers of another kind."""
    for name, each in tensors.items():
        if each.dtype not in kinds:
            raise CorruptFile(f"{what}: {shortened(name)} has numbers of kind {each.dtype}")


def require_finite(tensors: Tensors, what: str) -> None:
    """Refuse numbers that are none, and such that their sum is infinite."""
    for name, each in tensors.items():
        if not torch.isfinite(each.sum()):  # a single one makes it so
            raise CorruptFile(f"{what}: {name} has numbers that are none, or too large")


def refuse_no_numbers(values: NDArray[Any], source: Path | None) -> None:
    """Weights that are finite may still come to what is no number."""
    if not np.isfinite(values).all():
        name = "the network" if source is None else str(source)
        raise CorruptFile(f"{name} gives values that are not numbers: its weights are too large; train another")


def part_of(tensors: Tensors, prefix: str) -> Tensors:
    """The tensors of a part, by their own names."""
    return {name.removeprefix(prefix): each for name, each in tensors.items() if name.startswith(prefix)}


def named(prefix: str, network: torch.nn.Module) -> Tensors:
    return {prefix + name: each for name, each in network.state_dict().items()}


# ---- Adam's moments


def moments(optimiser: torch.optim.Optimizer, prefix: str) -> Tensors:
    """Of every weight, by its number: `optimiser.3.exp_avg`."""
    states = optimiser.state_dict()["state"]
    return {f"{prefix}{number}.{name}": each for number, state in states.items() for name, each in state.items()}


def moments_of(found: Tensors, network: torch.nn.Module, begun: bool, path: Path) -> dict[int, dict[str, Tensor]]:
    """Moments from a file, `3.exp_avg` -> {3: {"exp_avg": …}}: none before the first step, then of every weight."""
    found, name = dict(found), f"{path} holds another optimiser"
    require_kind(found, (torch.float32,), name)
    require_finite(found, name)
    states: dict[int, dict[str, Tensor]] = {}
    if not found and not begun:
        return states
    for number, weights in enumerate(network.parameters()):
        shapes = {"step": torch.Size(()), "exp_avg": weights.shape, "exp_avg_sq": weights.shape}
        states[number] = {key: found.pop(f"{number}.{key}", torch.empty(0, 0)) for key in shapes}
        for key, each in states[number].items():
            if each.shape != shapes[key]:
                raise CorruptFile(f"{name}: {number}.{key} is missing or has another shape")
            if key != "exp_avg" and each.min() < 0:
                raise CorruptFile(f"{name}: {number}.{key} has numbers below 0")
    if found:
        raise CorruptFile(f"{name}: it also has {shortened(min(found))}")
    return states


def restore_moments(
    optimiser: torch.optim.Optimizer, found: Tensors, network: torch.nn.Module, begun: bool, path: Path
) -> None:
    """Let an optimiser go on with what a file has of it."""
    optimiser.load_state_dict({**optimiser.state_dict(), "state": moments_of(found, network, begun, path)})
