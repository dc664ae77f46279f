import csv
import io
import tracemalloc

import pytest

from gridlab.inarow.exact.states import positions, write_states
from gridlab.inarow.rules import Rules
from tests.conftest import in_long_runs


def plain_csv(rules: Rules, canonical: bool) -> bytes:
    """The reference implementation: the csv module over positions."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["ply", "crosses", "noughts", "board", "outcome"])
    for position in positions(rules, canonical):
        outcome = position.outcome()
        result = outcome.value if outcome else "ongoing"
        writer.writerow([position.ply, position.crosses, position.noughts, str(position), result])
    return text.getvalue().encode()


@pytest.mark.parametrize(
    "text",
    ["1x1:1", "2x3:2", "1x5:3-2", pytest.param("3x3:3", marks=pytest.mark.compiled), *in_long_runs("3x4:3")],
)
@pytest.mark.parametrize("canonical", [False, True])
def test_the_kernel_writes_what_csv_writes(text: str, canonical: bool) -> None:
    rules = Rules.parse(text)
    sink = io.BytesIO()
    count = write_states(rules, sink, canonical)
    assert sink.getvalue() == plain_csv(rules, canonical)
    assert sink.getvalue().count(b"\n") == count + 1


class Counter:
    """A sink that keeps nothing."""

    lines = 0

    def write(self, data: bytes | memoryview, /) -> None:
        self.lines += bytes(data).count(b"\n")


@pytest.mark.compiled
def test_ten_million_lines_stream() -> None:
    sink = Counter()
    tracemalloc.start()
    write_states(Rules(4, 4, 4), sink)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sink.lines == 9_722_011 + 1
    assert peak < 100e6  # the file itself has 406 MB
