from collections import Counter
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlab.core.errors import TooLarge
from gridlab.games import game
from gridlab.inarow.exact.census import Census, IllegalCounts, OutcomeCounts, census, count_plies, sum_over_subsets
from gridlab.inarow.position import Flaw, find_flaw
from gridlab.inarow.rules import Rules
from tests.conftest import in_long_runs
from tests.inarow.exact.by_play import plies_by_play
from tests.inarow.exact.reference import census_by_play
from tests.laws import all_rules

GOLDEN = Path(__file__).parents[2] / "golden" / "counts.txt"


counted_once = cache(census)


def known_counts() -> list[object]:
    lines = [line.split() for line in GOLDEN.read_text().splitlines() if line and not line.startswith("#")]
    return [
        pytest.param(rules, what, [int(number) for number in numbers], marks=[pytest.mark.long] * (rules == "5x5:5"))
        for rules, what, *numbers in lines
    ]


def figure(counted: Census, what: str) -> list[int]:
    if what == "games":
        return [counted.games]
    if what == "canonical":
        return [counted.canonical.legal]
    if what == "legal_by_ply":
        return [ply.counts.legal for ply in counted.plies]
    if what == "canonical_by_ply":
        return [ply.canonical.legal for ply in counted.plies]
    return [int(getattr(counted.counts, what))]


@pytest.mark.compiled
@pytest.mark.parametrize(("rules", "what", "numbers"), known_counts())
def test_published_counts(rules: str, what: str, numbers: list[int]) -> None:
    assert figure(counted_once(game(rules)), what) == numbers


@pytest.mark.compiled
def test_the_counts_of_squava() -> None:
    """A figure that later floors stand on."""
    assert counted_once(game("squava")).canonical.ongoing == 2_146_025_130


@pytest.mark.long
@pytest.mark.compiled
def test_the_counts_of_five_by_five() -> None:
    assert counted_once(game("5x5:5")).counts == OutcomeCounts(154_784_116_374, 2_449_463_372, 1_740_315_024, 3_126_376)


def counts_of(played: dict[str, int]) -> OutcomeCounts:
    return OutcomeCounts(played["ongoing"], played["x_wins"], played["o_wins"], played["draw"])


@pytest.mark.parametrize("rules", [rules for rules in all_rules(4, 4) if rules.cells <= 6], ids=str)
def test_counting_equals_plain_play(rules: Rules) -> None:
    counted = census(rules)
    raw, orbits, games = census_by_play(rules)
    assert [ply.counts for ply in counted.plies[: len(raw)]] == [counts_of(ply) for ply in raw]
    assert [ply.canonical for ply in counted.plies[: len(raw)]] == [counts_of(ply) for ply in orbits]
    assert counted.counts.legal == sum(ply.total() for ply in raw)
    assert counted.games == games


def illegal_by_trial(rules: Rules) -> dict[int, Counter[Flaw]]:
    """Every way to place the stones of each ply, and why no game leads to it."""
    found: dict[int, Counter[Flaw]] = {ply: Counter() for ply in range(rules.cells + 1)}
    for ply in found:
        for crosses in combinations(range(rules.cells), (ply + 1) // 2):
            for noughts in combinations(sorted(set(range(rules.cells)) - set(crosses)), ply // 2):
                boards = [sum(1 << cell for cell in stones) for stones in (crosses, noughts)]
                if flaw := find_flaw(boards[0], boards[1], rules):
                    found[ply][flaw] += 1
    return found


@pytest.mark.parametrize("rules", [rules for rules in all_rules(4, 4) if rules.cells <= 6], ids=str)
def test_what_is_not_legal_is_counted_by_reason(rules: Rules) -> None:
    counted, tried = census(rules), illegal_by_trial(rules)
    for ply in counted.plies:
        reasons = (Flaw.TWO_WINNERS, Flaw.PLAY_AFTER_WIN, Flaw.NO_LAST_MOVE)
        assert list(ply.illegal) == [tried[ply.ply][reason] for reason in reasons]
        assert ply.arrangements == ply.counts.legal + ply.illegal.all


@pytest.mark.compiled
@pytest.mark.parametrize("text", ["3x3:3", "3x3:3-2", "3x3:2", "3x3:-3", "1x9:4", "2x4:3"])
def test_what_is_not_legal_is_counted_by_reason_on_nine_cells(text: str) -> None:
    test_what_is_not_legal_is_counted_by_reason(Rules.parse(text))


@pytest.mark.compiled
def test_the_568_of_tictactoe() -> None:
    assert counted_once(game("tictactoe")).illegal == IllegalCounts(156, 412, 0)


@pytest.mark.compiled
@pytest.mark.parametrize("text", ["3x3:3", "3x3:3-2", "2x4:3", *in_long_runs("3x3:-3", "3x3:-2", "1x9:4")])
def test_counting_equals_plain_play_on_nine_cells(text: str) -> None:
    test_counting_equals_plain_play(Rules.parse(text))


LARGEST = [Rules.parse(text) for text in ("4x4:4", "4x4:-4", "4x4:-3")]


@pytest.mark.compiled
@pytest.mark.parametrize(
    "rules", [*(rules for rules in all_rules(4, 4) if rules not in LARGEST), *in_long_runs(*LARGEST)], ids=str
)
def test_counting_equals_listing(rules: Rules) -> None:
    """Every rule set up to 4×4: raw against reached, Burnside against canonicalising."""
    played = plies_by_play(rules)
    counted = census(rules)
    assert [ply.counts for ply in counted.plies] == [counts_of(ply.raw) for ply in played]
    assert [ply.canonical for ply in counted.plies] == [counts_of(ply.canonical) for ply in played]


@given(st.integers(0, 6).flatmap(lambda n: st.lists(st.integers(0, 9), min_size=1 << n, max_size=1 << n)))
def test_sums_over_subsets(values: list[int]) -> None:
    table = np.array(values, dtype=np.uint32)
    sum_over_subsets(table)
    for whole in range(len(values)):
        assert table[whole] == sum(values[part] for part in range(len(values)) if part & whole == part)


@pytest.mark.compiled
def test_sums_over_subsets_of_a_table_larger_than_the_cache() -> None:
    table = np.ones(1 << 17, dtype=np.uint32)
    sum_over_subsets(table)
    assert all(table[whole] == 2 ** whole.bit_count() for whole in range(0, 1 << 17, 97))


@pytest.mark.compiled
def test_the_derivation() -> None:
    assert census(game("tictactoe")).derivation().splitlines() == [
        "3^9 = 19,683 ways to fill 9 cells with X, O or nothing",
        "-> 6,046 with as many X as O or one more: 9!/(e!·x!·o!) summed over the plies",
        "-> 6,046 - 568 that no game leads to = 5,478 legal positions",
        "   412 play on after the end, 156 have two winners",
        " = 4,520 ongoing + 626 won by X + 316 won by O + 16 drawn; 4,536 are not won",
        "765 legal positions up to symmetry",
        "255,168 games (sequences of moves to the end)",
    ]


@pytest.mark.compiled
def test_workers_do_not_change_the_counts() -> None:
    assert census(game("4x4:3"), workers=1) == census(game("4x4:3"), workers=7)


def test_larger_boards_are_told_the_limit() -> None:
    with pytest.raises(TooLarge, match="takes boards of up to 25 cells"):
        census(Rules(6, 6, 4))


@pytest.mark.compiled
@pytest.mark.parametrize("plies", [(), (0,), (5, 6), (4, 5, 12)])
def test_some_plies_are_those_of_the_whole(plies: tuple[int, ...]) -> None:
    whole = census("3x4:3")
    assert count_plies(whole.rules, plies) == {ply: whole.plies[ply] for ply in plies}
