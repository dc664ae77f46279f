"""Players followed through all boards they can reach: against plain search, against games, against the table."""

from collections import defaultdict

import numpy as np
import pytest

from gridlab.core.errors import BadPlayer, PlayerFault, TooLarge
from gridlab.game2048.evaluate import evaluate
from gridlab.game2048.exact.policy import follow_player
from gridlab.game2048.players import ExpectimaxPlayer
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import Board, Rules2048, legal_moves, move
from tests.game2048.exact.reference import new_tiles

TINY, SMALL = Rules2048(2, 2), Rules2048(2, 3)


class LastLegal:
    """Always plays the same, and has no policy."""

    def move(self, position: Position2048, random: np.random.Generator) -> str:
        return position.moves()[-1]


class Deciding(LastLegal):
    """Lets chance decide."""

    def move(self, position: Position2048, random: np.random.Generator) -> str:
        return str(random.choice(position.moves()))


class Wrong(LastLegal):
    def move(self, position: Position2048, random: np.random.Generator) -> str:
        return "nowhere" if position.max_tile >= 8 else super().move(position, random)


def plain(rules: Rules2048, choose) -> tuple[float, float, dict[int, float]]:  # type: ignore[no-untyped-def]
    """Mean score, mean moves and the largest tiles at the end of a player, by plain search: board by board, by sum."""
    layers: dict[int, dict[Board, float]] = defaultdict(lambda: defaultdict(float))
    for one, first in new_tiles(rules, (0,) * rules.cells):
        for other, board in new_tiles(rules, first):
            layers[sum(board)][board] += one * other
    score, moves, ends = 0.0, 0.0, defaultdict[int, float](float)
    while layers:
        for board, weight in layers.pop(min(layers)).items():
            chosen = choose(board)
            if not chosen:
                ends[max(board)] += weight
            for direction in chosen:
                after, points = move(rules, board, direction)
                share = weight / len(chosen)
                score, moves = score + share * points, moves + share
                for chance, following in new_tiles(rules, after):
                    layers[sum(following)][following] += share * chance
    return score, moves, dict(ends)


@pytest.mark.parametrize("rules", [TINY, Rules2048(2, 2, 0.5), Rules2048(2, 2, 0.0)], ids=str)
def test_random_moves_against_plain_search(rules: Rules2048) -> None:
    score, moves, ends = plain(rules, lambda board: legal_moves(rules, board))
    found = follow_player("random", rules).followed
    assert (found.mean_score, found.mean_moves) == pytest.approx((score, moves), rel=1e-12)
    assert found.tiles == pytest.approx(ends, rel=1e-9)


@pytest.mark.parametrize(
    "player",
    [LastLegal(), ExpectimaxPlayer(TINY, "rows", 2), ExpectimaxPlayer(TINY, "spec", 1)],
    ids=["last legal", "rows", "spec"],
)
def test_players_against_plain_search(player: LastLegal) -> None:
    def choose(board: Board) -> list[str]:
        position = Position2048(board, 0, TINY)
        return [player.move(position, np.random.default_rng(0))] if position.moves() else []

    score, moves, ends = plain(TINY, choose)
    found = follow_player(player, TINY).followed
    assert (found.mean_score, found.mean_moves) == pytest.approx((score, moves), rel=1e-12)
    assert found.tiles == pytest.approx(ends, rel=1e-9)
    assert sum(found.tiles.values()) == pytest.approx(1.0)


@pytest.mark.compiled
def test_the_perfect_player_is_worth_what_the_table_says() -> None:
    """Upwards with weights, downwards with values: two ways to one number."""
    found = follow_player("perfect", SMALL)
    assert found.mean_score == pytest.approx(480.2582717759582, rel=1e-12)
    assert found.followed.in_a_corner > 0.9


@pytest.mark.compiled
@pytest.mark.parametrize("player", ["random", "expectimax depth=2", "expectimax evaluator=spec depth=3", "perfect"])
def test_the_mean_of_games_is_the_exact_one(player: str) -> None:
    exact = follow_player(player, SMALL, workers=2)
    games = evaluate(player, SMALL, 4000, seed=5)
    error = float(games.scores.std(ddof=1)) / 4000**0.5
    assert abs(games.mean_score - exact.mean_score) < 4 * error
    for tile in (16, 32, 64):
        reached = exact.followed.reaching(tile)
        share = float(np.mean(games.max_tiles >= tile))
        assert abs(share - reached) < 4 * (reached * (1 - reached) / 4000) ** 0.5 + 1e-3


@pytest.mark.compiled
def test_workers_and_jobs_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    one = follow_player("expectimax depth=3", SMALL, workers=1)
    monkeypatch.setattr("gridlab.game2048.exact.layers.ALONE", 64)
    assert follow_player("expectimax depth=3", SMALL, workers=3) == one


def test_who_cannot_be_followed() -> None:
    for player in ("expectimax depth=2 sample=1", Deciding()):
        with pytest.raises(BadPlayer, match="plays by chance; only random, and players that always play the same"):
            follow_player(player, TINY)
    with pytest.raises(PlayerFault, match="answers 'nowhere' in"):
        follow_player(Wrong(), TINY)
    with pytest.raises(TooLarge, match="through all boards of up to 9 cells, not of 2048"):
        follow_player("random", Rules2048())
