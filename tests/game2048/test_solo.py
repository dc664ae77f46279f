"""Games of 2048 by anybody: players from text, objects with nothing but `move`, those that kernels can play for."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from gridlab.core.errors import BadPlayer, PlayerFault
from gridlab.core.run import stop_flag
from gridlab.game2048.evaluate import evaluate
from gridlab.game2048.players import ExpectimaxPlayer, RandomPlayer2048, find_player2048
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import DIRECTIONS, Rules2048
from gridlab.game2048.search.play import Limits, adviser_of, has_kernel_policy, record_game
from gridlab.players.registry import make_player, player_name

RULES = Rules2048()
SQUARE = Rules2048(3, 3)


class FirstLegal:
    """All that a player needs."""

    def move(self, position: Position2048, random: np.random.Generator) -> str:
        return position.moves()[0]


class Wrapped:
    """An expectimax player that hides its policy: the same games, move by move in Python."""

    def __init__(self, player: ExpectimaxPlayer) -> None:
        self.player = player

    def move(self, position: Position2048, random: np.random.Generator) -> str:
        return self.player.move(position, random)


class Advising(Wrapped):
    def values(self, position: Position2048, random: np.random.Generator) -> dict[str, float]:
        return self.player.values(position, random)


@dataclass
class Answering:
    """Answers what it was told to."""

    answer: Any

    def move(self, position: Position2048, random: np.random.Generator) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize("depth", [1, pytest.param(3, marks=pytest.mark.compiled)])
def test_both_loops_play_the_same_games(depth: int) -> None:
    """One inside a kernel, one in Python: boards, directions, scores, values and limits."""
    player = ExpectimaxPlayer(RULES, depth=depth)
    for limits in (Limits(60), Limits(0, 5), Limits(7, 5)):
        fast = record_game(player, RULES, 5, 2, stop_flag(), limits, with_values=True)
        slow = record_game(Advising(player), RULES, 5, 2, stop_flag(), limits, with_values=True)
        for name in ("boards", "directions", "scores", "values"):
            one, other = getattr(fast, name), getattr(slow, name)
            assert np.array_equal(one, other)
            assert one.dtype == other.dtype
        assert (fast.final_board, fast.final_score) == (slow.final_board, slow.final_score)
        assert (fast.nodes is None, slow.nodes is None) == (False, True)


def test_values_are_recorded_for_those_who_have_them_when_asked() -> None:
    player = ExpectimaxPlayer(RULES, depth=1)
    for each, said in ((player, True), (Advising(player), True), (Wrapped(player), False)):
        for asked in (False, True):
            game = record_game(each, RULES, 1, 0, stop_flag(), Limits(5), asked)
            assert (game.values is not None) == (said and asked)
    assert record_game(RandomPlayer2048(RULES), RULES, 1, 0, stop_flag(), Limits(5), True).nodes is None


def test_being_asked_for_values_changes_no_game() -> None:
    """A player that draws: it is asked for values with a copy of its source of chance."""
    player = Advising(ExpectimaxPlayer(RULES, depth=2, sample=1))
    plain, asked = (record_game(player, RULES, 1, 0, stop_flag(), Limits(20), each) for each in (False, True))
    assert np.array_equal(plain.boards, asked.boards)
    assert asked.values is not None
    assert asked.values.argmax(axis=1).tolist() == asked.directions.tolist()


@pytest.mark.parametrize("rules", [RULES, SQUARE, Rules2048(2, 5, 0.5)], ids=str)
def test_anything_with_a_move_is_evaluated(rules: Rules2048) -> None:
    one, two = (evaluate(FirstLegal(), rules, 6, seed=3, workers=workers) for workers in (None, 2))
    assert (one.player, one.rules, one.games) == ("FirstLegal", rules, 6)
    assert one.scores.tolist() == two.scores.tolist()
    assert one.moves == two.moves > 0


def test_an_object_plays_as_its_text() -> None:
    for text in ("random", "expectimax depth=1", "expectimax evaluator=spec depth=2 sample=3"):
        by_text = evaluate(text, games=2, seed=4, workers=1)
        by_object = evaluate(make_player(text, RULES), games=2, seed=4, workers=1)
        assert (by_text.scores.tolist(), by_text.player) == (by_object.scores.tolist(), by_object.player)
        assert player_name(make_player(text, RULES)) == text


def test_rules_come_with_the_player_or_the_call() -> None:
    player = ExpectimaxPlayer(SQUARE, depth=1)
    assert find_player2048(player) == (player, SQUARE)
    assert find_player2048(player, SQUARE) == (player, SQUARE)
    assert find_player2048("random") == (RandomPlayer2048(RULES), RULES)
    with pytest.raises(BadPlayer, match="the player expectimax depth=1 is made for 2048:3x3, not for 2048"):
        evaluate(player, RULES, 1)
    with pytest.raises(BadPlayer, match=r"3 is not a player; give a text such as 'random', or an object"):
        evaluate(3, games=1)  # type: ignore[arg-type]


def test_how_players_are_called() -> None:
    assert player_name("random") == "random"
    assert player_name(FirstLegal()) == "FirstLegal"
    assert player_name(Answering("up")) == "Answering(answer='up')"


class Timid(ExpectimaxPlayer):
    """Inherits a policy that does not play as it does."""

    def move(self, position: Position2048, random: np.random.Generator) -> str:
        return position.moves()[-1]


class Renamed(ExpectimaxPlayer):
    def __str__(self) -> str:
        return "another name"


def test_kernels_play_only_for_those_they_play_alike() -> None:
    assert has_kernel_policy(Renamed(RULES), RULES)
    assert not has_kernel_policy(Timid(RULES), RULES)
    assert has_kernel_policy(ExpectimaxPlayer(SQUARE), SQUARE)
    assert not has_kernel_policy(ExpectimaxPlayer(Rules2048(5, 2)), Rules2048(5, 2))
    assert not has_kernel_policy(FirstLegal(), RULES)
    game = record_game(Timid(RULES), RULES, 1, 0, stop_flag(), Limits(4))
    last = [Position2048.unpack(board).moves()[-1] for board in game.boards.tolist()]
    assert [DIRECTIONS[direction] for direction in game.directions] == last
    assert evaluate(Renamed(RULES, depth=1), games=1).player == "another name"


def test_advisers_are_those_with_values() -> None:
    assert adviser_of(ExpectimaxPlayer(RULES)) is not None
    assert adviser_of(Advising(ExpectimaxPlayer(RULES))) is not None
    assert adviser_of(RandomPlayer2048(RULES)) is None


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ("sideways", "answers 'sideways' in {}, where {} can be played"),
        (None, "answers None in {}, where {} can be played"),
        (np.array([1, 2]), "answers array([1, 2]) in {}, where {} can be played"),
        (KeyError("left"), "fails in {}: KeyError: 'left'"),
        (BadPlayer("no weights"), "fails in {}: no weights"),
    ],
)
def test_faults_name_game_and_position(answer: Any, complaint: str) -> None:
    first = Position2048.unpack(int(record_game(FirstLegal(), RULES, 9, 0, stop_flag(), Limits(1)).boards[0]))
    with pytest.raises(PlayerFault) as fault:
        evaluate(Answering(answer), games=3, seed=9)
    said = f"game 1: the player {player_name(Answering(answer))} {complaint}"
    assert str(fault.value) == said.format(first, ", ".join(first.moves()))


def test_values_must_be_numbers() -> None:
    class Vague(FirstLegal):
        def values(self, position: Position2048, random: np.random.Generator) -> dict[str, float]:
            return {"up": 1.0, "down": float("nan")}

    with pytest.raises(PlayerFault, match=r"game 3: the player Vague gives the values \{'down': nan, 'up': 1.0\} in"):
        record_game(Vague(), RULES, 1, 2, stop_flag(), with_values=True)
    assert len(record_game(Vague(), RULES, 1, 2, stop_flag()).boards) > 10
