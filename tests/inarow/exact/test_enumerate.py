from collections.abc import Iterator

import pytest

from gridlab.core.errors import TooLarge
from gridlab.games import game
from gridlab.inarow.exact.census import census
from gridlab.inarow.exact.states import OUTCOMES, blocks, count_listable, positions
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules
from tests.conftest import in_long_runs
from tests.inarow import reference
from tests.inarow.exact.reference import double_loop_states
from tests.laws import all_rules, played


def listed(rules: Rules, canonical: bool) -> Iterator[tuple[int, int, int, str]]:
    for block in blocks(rules, canonical):
        for crosses, noughts, outcome in zip(block.crosses, block.noughts, block.outcomes, strict=True):
            yield block.ply, int(crosses), int(noughts), OUTCOMES[outcome]


@pytest.mark.parametrize("rules", [rules for rules in all_rules(4, 4) if rules.cells <= 6], ids=str)
@pytest.mark.parametrize("canonical", [False, True])
def test_listing_equals_plain_play(rules: Rules, canonical: bool) -> None:
    reached = {
        (ply, position.crosses, position.noughts, reference.outcome(rules, board))
        for ply, boards in enumerate(played(rules))
        for board in boards
        if not canonical or reference.canonical(rules, board) == board
        for position in [Position.of_values(board, rules)]
    }
    found = list(listed(rules, canonical))
    assert found == sorted(reached)


@pytest.mark.compiled
@pytest.mark.parametrize("text", ["3x3:3", "3x3:3-2", "3x3:-3", *in_long_runs("3x4:3")])
@pytest.mark.parametrize("canonical", [False, True])
def test_listing_equals_plain_play_on_larger_boards(text: str, canonical: bool) -> None:
    test_listing_equals_plain_play(Rules.parse(text), canonical)


@pytest.mark.compiled
def test_listing_equals_the_double_loop() -> None:
    found = {(noughts, crosses) for _, crosses, noughts, _ in listed(game("tictactoe"), canonical=False)}
    assert found == set(double_loop_states())


@pytest.mark.compiled
@pytest.mark.parametrize("text", ["4x4:4", "4x4:3", "4x5:2"])
def test_as_many_are_listed_as_were_counted(text: str) -> None:
    rules = Rules.parse(text)
    counted = census(rules)
    assert sum(len(block.crosses) for block in blocks(rules)) == counted.counts.legal
    assert sum(len(block.crosses) for block in blocks(rules, canonical=True)) == counted.canonical.legal


@pytest.mark.compiled
def test_positions_are_objects() -> None:
    classes = list(positions(game("tictactoe"), canonical=True))
    assert len(classes) == 765
    assert all(position.canonical()[0] == position for position in classes)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("text", "legal"),
    [("4x5:4", "674,794,169"), pytest.param("5x5:5", "158,977,021,146", marks=pytest.mark.long)],
)
def test_too_many_positions_are_counted_instead(text: str, legal: str) -> None:
    with pytest.raises(TooLarge, match=f"{legal} legal positions; .* `gridlab census {text}` counts them"):
        count_listable(game(text))
