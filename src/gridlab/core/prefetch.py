"""A hint to the processor: this entry of a large array will be needed soon.

A loop over random places of a table waits for memory most of its time. Where it knows the next places early, it says
so and goes on working while they are fetched. The hint changes nothing but the time.
"""

from typing import Any

from llvmlite import ir

from gridlab.core.jit import intrinsic, overload, types

FOR_READING, KEEP, DATA = 0, 3, 1  # what LLVM's prefetch takes: kind of access, locality, kind of cache
NUMBER = ir.IntType(32)
POINTER = ir.IntType(8).as_pointer()
TYPE = ir.FunctionType(ir.VoidType(), [POINTER, NUMBER, NUMBER, NUMBER])
NAME = "llvm.prefetch.p0"


def prefetch(array: Any, index: Any) -> None:
    """Fetch the entry of an array of one dimension; in plain Python there is nothing to be done."""


@intrinsic
def _prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.bitcast(builder.gep(data, [arguments[1]]), POINTER)
        hint = builder.module.globals.get(NAME) or ir.Function(builder.module, TYPE, NAME)
        builder.call(hint, [place, *(ir.Constant(NUMBER, each) for each in (FOR_READING, KEEP, DATA))])
        return context.get_dummy_value()

    return types.void(array, index), build


@overload(prefetch)
def _prefetch_in_kernels(array: Any, index: Any) -> Any:
    return lambda array, index: _prefetch(array, index)
