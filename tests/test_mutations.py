"""Would the tests notice? Single tokens are changed, one at a time, and tests must fail.

Those below are in kernels, each with the tests that must catch it; twenty others are drawn by tools/mutants.py.
"""

import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "gridlab"


class Mutation(NamedTuple):
    """A change of one token, and the tests that must catch it."""

    file: str
    before: str
    after: str
    tests: str


MUTATIONS = [
    Mutation("core/bits.py", "return builder.cttz(", "return builder.ctlz(", "core/test_bits.py"),
    Mutation("core/bits.py", ">> 2 >> lowest_cell(low)", ">> 1 >> lowest_cell(low)", "core/test_bits.py"),
    Mutation("core/bits.py", "S27, S30, S31, S32 = np.uint64(27)", "S27, S30, S31, S32 = np.uint64(28)", "game2048/test_kernels.py"),
    Mutation("core/bits.py", "while rest >= TEN:", "while rest > TEN:", "core/test_text.py"),
    Mutation("inarow/kernels.py", "for _ in range(length - 1):", "for _ in range(length - 2):", "inarow/test_kernels.py"),
    Mutation("inarow/kernels.py", "if found != 0 and result == 0:", "if found != 0:", "inarow/test_kernels.py"),
    Mutation("inarow/kernels.py", "+ 2 * keys[byte, noughts", "+ 1 * keys[byte, noughts", "inarow/exact/test_enumerate.py"),
    Mutation("inarow/kernels.py", "if surplus == 1 else (noughts, crosses)", "if surplus == 0 else (noughts, crosses)", "inarow/test_kernels.py"),
    Mutation("game2048/kernels.py", "is_four = below_by_lower_half(bits, twos + fours) < fours", "is_four = below_by_lower_half(bits, twos + fours) <= fours", "game2048/test_kernels.py"),
    Mutation("game2048/kernels.py", "return SOUND if tile <= TWO else", "return SOUND if tile <= FOUR else", "game2048/datasets/test_verify.py"),
    Mutation("inarow/search/alpha_beta.py", "by_threat = tactics.UNDECIDED, 0, END - stones - 3", "by_threat = tactics.UNDECIDED, 0, END - stones - 2", "inarow/search/test_pins.py"),
    Mutation("inarow/search/alpha_beta.py", "elif cell in (killer, old_killer):", "elif cell in (killer, killer):", "inarow/search/test_pins.py"),
    Mutation("inarow/search/alpha_beta.py", "(cells - stones) ** 2", "(cells - stones) ** 3", "inarow/search/test_pins.py"),
    Mutation("inarow/search/depth_limited.py", "weights[left, place - 1] < weight:", "weights[left, place - 1] <= weight:", "inarow/search/test_pins.py"),
    Mutation("inarow/search/depth_limited.py", "heuristics.evaluation.lose - 1", "heuristics.evaluation.lose - 2", "inarow/search/test_pins.py"),
    Mutation("inarow/search/mcts.py", "if bound > highest and", "if bound >= highest and", "inarow/search/test_mcts.py inarow/search/test_pins.py"),
    Mutation("game2048/kernels.py", "values[direction] > values[best]", "values[direction] >= values[best]", "game2048/search/test_expectimax.py game2048/search/test_play.py"),
    Mutation("game2048/search/expectimax.py", "evaluated += 4", "evaluated += 3", "game2048/search/test_expectimax.py game2048/search/test_play.py"),
    Mutation("game2048/search/expectimax.py", "best = evaluators.static(board, board_turned, values, shape) - dead", "best = evaluators.static(board, board_turned, values, shape) + dead", "game2048/search/test_expectimax.py"),
    Mutation("inarow/exact/tablebase/solve.py", "lower_paired(min(cell, low_cells),", "lower_paired(max(cell, low_cells),", "inarow/exact/tablebase/test_solve.py"),
]  # fmt: skip


@pytest.fixture(scope="session")
def compile_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all mutations: what a change does not reach stays compiled."""
    return tmp_path_factory.mktemp("kernels")


@pytest.mark.long
@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda each: f"{each.file}: {each.after}")
def test_a_changed_token_is_noticed(mutation: Mutation, tmp_path: Path, compile_cache: Path) -> None:
    copy = tmp_path / "gridlab"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    path = copy / mutation.file
    text = path.read_text()
    assert text.count(mutation.before) == 1, f"{mutation.before!r} does not stand once in {mutation.file}"
    path.write_text(text.replace(mutation.before, mutation.after))
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(compile_cache)}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", "not long"]
    done = subprocess.run(
        [*command, *(str(ROOT / "tests" / each) for each in mutation.tests.split())],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    failed_or_crashed = done.returncode == 1 or done.returncode < 0  # a kernel may write where nothing is
    assert failed_or_crashed, f"nothing has noticed it:\n{done.stdout[-2000:]}"


@pytest.mark.long
def test_nearly_all_of_twenty_random_mutants_are_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One in ten may change nothing that anybody can see, such as the size of a buffer."""
    monkeypatch.syspath_prepend(ROOT / "tools")
    mutants = import_module("mutants")
    sites = mutants.every_site()
    rows = mutants.run([(number, mutants.drawn(1, number, sites)) for number in range(20)], tmp_path, 1, 900)
    survived = [row["mutant"] for row in rows if row["ended"] == "survived"]
    assert len(rows) == 20
    assert len(survived) <= 2, "nothing has noticed\n" + "\n".join(survived)
