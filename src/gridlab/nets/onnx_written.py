"""ONNX files, written only after onnxruntime has been seen to compute what torch does."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from gridlab.core.errors import FileTrouble
from gridlab.core.extras import import_extra
from gridlab.core.files import refuse_overlap, try_place, whole_file

OPSET = 18
CLOSE = 1e-4


def write_checked(
    path: Path, source: Path | None, model: Callable[[], Any], difference: Callable[[Any], float]
) -> float:
    """Write a model; the largest difference to torch that `difference(session)` has seen."""
    if path.suffix != ".onnx":
        raise FileTrouble(f"{path} is not a name for an ONNX file; end it in .onnx")
    if source is not None:
        refuse_overlap(source, path)
    try_place(path)
    made = model()
    import_extra("onnx.checker", "onnx").check_model(made)
    content = made.SerializeToString()
    session = import_extra("onnxruntime", "onnx").InferenceSession(content, providers=["CPUExecutionProvider"])
    worst = difference(session)
    if worst > CLOSE:
        raise FileTrouble(f"{path} was not written: onnxruntime differs from torch by {worst:.2g}")
    with whole_file(path) as file:
        file.write(content)
    return worst


def made_model(graph: Any) -> Any:
    """A graph as a model of a version that every runtime of today knows."""
    helper = import_extra("onnx.helper", "onnx")
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="gridlab")
    model.ir_version = 9
    return model
