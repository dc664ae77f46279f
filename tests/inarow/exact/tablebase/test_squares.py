"""The 5×5 games whole: minutes each, so only in `make test-long`. The build itself holds every ply to the census."""

from pathlib import Path

import numpy as np
import pytest

from gridlab.games import game
from gridlab.inarow.exact.tablebase.build import build_tablebase
from gridlab.inarow.exact.tablebase.layout import TableFile, before
from gridlab.inarow.exact.tablebase.probe import Tablebase, shipped
from gridlab.inarow.exact.tablebase.sampling import draw_positions
from gridlab.inarow.exact.tablebase.verify import verify
from gridlab.inarow.position import Position

pytestmark = [pytest.mark.long, pytest.mark.compiled]


def test_squava(tmp_path: Path) -> None:
    rules = game("squava")
    path = tmp_path / "squava.tb"
    build_tablebase(rules, path)
    assert path.stat().st_size < 300 << 20
    assert verify(path, full=True).complaints == ()
    table = Tablebase(path)
    probe = table.probe(Position(rules))
    assert (probe.value, probe.distance, len(probe.line)) == ("win", 17, 17)
    cross = {cell for cell in range(25) if 2 in divmod(cell, 5)}
    assert {move.cell for move in probe.moves if move.value == "loss"} == cross
    assert sum(sum(ply.canonical.values()) for ply in table.file.directory.counts) == 2_146_025_130
    early = shipped(rules)
    assert early
    build_tablebase(rules, tmp_path / "early.tb", max_ply=6)
    made, kept = TableFile(tmp_path / "early.tb"), TableFile(early)
    assert made.directory.counts == kept.directory.counts
    for ply in kept.directory.plies:  # scores, not bytes: another version of zstd may pack them otherwise
        assert all(np.array_equal(made.block(ply.ply, i), kept.block(ply.ply, i)) for i in range(ply.blocks))


@pytest.mark.parametrize("name", ["5x5:4", "5x5:5"])
def test_five_by_five_is_a_draw(name: str, tmp_path: Path) -> None:
    rules = game(name)
    build_tablebase(rules, tmp_path / "t.tb")
    table = Tablebase(tmp_path / "t.tb")
    assert table.score(Position(rules)) == 0
    random = np.random.default_rng(1)
    for ply in range(25):
        for board in draw_positions(rules, ply, 40, random).tolist():
            position = Position(rules, *board)
            assert table.score(position) == before(list(table.after(position).values()))
