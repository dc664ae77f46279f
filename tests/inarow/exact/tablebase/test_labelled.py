"""Samples of exactly labelled positions."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gridlab.core.errors import FileTrouble, TooLarge
from gridlab.core.tables import SPLITS
from gridlab.games import game
from gridlab.inarow.exact.tablebase.probe import NO_MOVE, Tablebase, scores_of_moves
from gridlab.inarow.exact.tablebase.sampling import draw_positions, sample
from gridlab.inarow.position import Position
from tests.conftest import Run, Table

pytestmark = pytest.mark.compiled
VALUES = {"win": 1, "draw": 0, "loss": -1}


@pytest.fixture
def small(table: Table) -> Tablebase:
    return table("3x4:4-3")


def read(path: Path) -> list[dict[str, Any]]:
    parquet = pytest.importorskip("pyarrow.parquet")
    rows: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
    return rows


def test_every_label_is_what_the_table_says(small: Tablebase, tmp_path: Path) -> None:
    path = tmp_path / "new" / "s.parquet"
    sample(small, path, 500, seed=3)
    rows = read(path)
    assert len({row["board"] for row in rows}) == 500
    for row in rows:
        position = Position.parse(row["board"], small.rules)
        assert position.outcome() is None
        assert position.canonical()[0] == position
        probe = small.probe(position)
        assert (row["crosses"], row["noughts"], row["ply"]) == (position.crosses, position.noughts, position.ply)
        assert (row["value"], row["distance"]) == (VALUES[probe.value], probe.distance)
        moves = {move.cell: (VALUES[move.value], move.distance) for move in probe.moves}
        given = zip(row["move_values"], row["move_distances"], strict=True)
        assert {cell: pair for cell, pair in enumerate(given) if pair[0] is not None} == moves
    assert {row["split"] for row in rows} == set(SPLITS)


def test_a_seed_fixes_the_sample_and_the_class_its_split(small: Tablebase, tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        sample(small, tmp_path / f"{name}.parquet", 3000, seed)
    first, again, other = (read(tmp_path / f"{name}.parquet") for name in "abc")
    assert first == again
    assert first != other
    split = {row["board"]: row["split"] for row in first}
    shared = [row for row in other if row["board"] in split]
    assert shared
    assert all(row["split"] == split[row["board"]] for row in shared)
    share = sum(row["split"] == "train" for row in first) / len(first)
    assert 0.77 < share < 0.83


def test_samples_are_what_they_have_always_been(small: Tablebase, table: Table, tmp_path: Path) -> None:
    """The same positions and labels for the same seed as when every position was probed by itself."""
    for tablebase, seed, digest in (
        (small, 3, "453fb17dbb24f96c"),
        (table("2x4:3"), 2, "3545a9064579e29a"),
    ):
        sample(tablebase, tmp_path / "s.parquet", 200, seed)
        text = "\n".join(repr(tuple(row.values())) for row in read(tmp_path / "s.parquet"))
        assert hashlib.sha256(text.encode()).hexdigest()[:16] == digest


def test_every_move_of_every_position(table: Table) -> None:
    """Moves looked up block by block, beside each position after a move probed by itself."""
    for name in ("3x3:3", "2x4:3", "3x3:-3"):
        tablebase = table(name)
        for ply in range(tablebase.rules.cells):
            boards = draw_positions(tablebase.rules, ply, 10**6, np.random.default_rng(0))
            for board, scores in zip(boards.tolist(), scores_of_moves(tablebase, boards).tolist(), strict=True):
                position = Position(tablebase.rules, *board)
                known = {cell: score for cell, score in enumerate(scores) if score != NO_MOVE}
                assert known == tablebase.after(position)


def test_all_of_a_game_and_one_more(small: Tablebase, tmp_path: Path) -> None:
    every = sum(sum(ply.canonical.values()) for ply in small.file.directory.counts)
    sample(small, tmp_path / "all.parquet", every)
    assert len({row["board"] for row in read(tmp_path / "all.parquet")}) == every
    with pytest.raises(TooLarge, match=f"holds {every:,} positions up to symmetry, not {every + 1:,}"):
        sample(small, tmp_path / "more.parquet", every + 1)
    with pytest.raises(FileTrouble, match=r"end it in \.parquet"):
        sample(small, tmp_path / "s.csv", 5)


def test_drawing_is_uniform_where_slots_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the 38 classes of ply 3 of tic-tac-toe comes up about as often (chi-squared, far in the tail)."""
    monkeypatch.setattr("gridlab.inarow.exact.tablebase.sampling.MOST_TRIED", 0)
    random = np.random.default_rng(5)
    seen: dict[tuple[int, ...], int] = {}
    rules = game("tictactoe")
    for _ in range(3800):
        (board,) = draw_positions(rules, 3, 1, random).tolist()
        key = Position(rules, *board).canonical()[0].values
        seen[key] = seen.get(key, 0) + 1
    assert len(seen) == 38
    assert sum((count - 100) ** 2 / 100 for count in seen.values()) < 80  # 37 degrees of freedom; 80 is p < 0.0001


def test_more_than_a_ply_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ply 15 of 4x4:4-3 has 70 positions in 728 slots: all of them come, and drawing ends."""
    monkeypatch.setattr("gridlab.inarow.exact.tablebase.sampling.MOST_TRIED", 0)
    assert len(draw_positions(game("4x4:4-3"), 15, 75, np.random.default_rng(0))) == 70


def test_on_the_command_line(gridlab: Run, small: Tablebase, tmp_path: Path) -> None:
    out = str(tmp_path / "s.parquet")
    code, _, err = gridlab("tablebase", "sample", str(small.file.path), "--positions", "40", "-o", out, "--seed", "1")
    assert (code, err.splitlines()[-1]) == (0, f"{out}: 40 positions")
    assert len(read(Path(out))) == 40
