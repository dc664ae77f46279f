"""OpenSpiel and this house play side by side, each with the other's players."""

from typing import Any

import numpy as np
import pytest

from gridlab.arena.match import play_match
from gridlab.core.errors import BadRules, IllegalPosition, PlayerFault
from gridlab.game2048.position import Position2048
from gridlab.games import game
from gridlab.inarow.position import Position
from gridlab.players.registry import make_player

pyspiel = pytest.importorskip("pyspiel")
from gridlab.game2048.environment import openspiel as spiel2048  # noqa: E402
from gridlab.inarow.environment import openspiel as spiel_mnk  # noqa: E402
from gridlab.players.openspiel import as_bot, as_player, bridge_of  # noqa: E402

RESULTS = {None: [0.0, 0.0], "X": [1.0, -1.0], "O": [-1.0, 1.0]}


@pytest.mark.parametrize("name", ["tic_tac_toe", "mnk(m=3,n=3,k=3)", "mnk(m=4,n=3,k=3)", "mnk(m=5,n=5,k=4)"])
def test_in_a_row_games_side_by_side(name: str) -> None:
    """The same legal moves, boards, ends and results, in random games."""
    theirs = pyspiel.load_game(name)
    rules, bridge = bridge_of(theirs)
    chance, ends = np.random.default_rng(1), set()
    for _ in range(30):
        state, position = theirs.new_initial_state(), Position(rules)
        while not position.over:
            assert state.legal_actions() == position.moves()
            assert state.current_player() == (position.to_move == "O")
            assert str(bridge.state_of(position, theirs)) == str(state)
            cell = int(chance.choice(position.moves()))
            position = position.play(cell)
            state.apply_action(cell)
            assert bridge.position_of(state, rules) == position
        outcome = position.outcome()
        assert state.is_terminal()
        assert outcome is not None
        assert list(state.returns()) == RESULTS[outcome.winner]
        ends.add(outcome.winner)
    assert len(ends) > 1


def test_2048_side_by_side() -> None:
    """The same boards, moves, points and ends; OpenSpiel's chance is told which tile appeared here."""
    theirs = pyspiel.load_game(spiel2048.WITHOUT_END)
    rules, _ = bridge_of(theirs)
    chance = np.random.default_rng(2)
    for _ in range(3):
        position, state = Position2048((0,) * 16, 0, rules), theirs.new_initial_state()
        for _ in range(2):
            position = follow(state, position, position.spawn(chance))
        while not position.over:
            assert spiel2048.position_of(state, rules) == position
            legal = {spiel2048.direction_of(action) for action in state.legal_actions()}
            assert legal <= set(position.moves())  # OpenSpiel 2.0.2 lists too few on some boards
            direction = str(chance.choice(position.moves()))
            state.apply_action(spiel2048.action_of(direction))
            after = position.play(direction)
            assert spiel2048.position_of(state, rules).tiles == after.tiles
            position = follow(state, after, after.spawn(chance))
        assert state.is_terminal()
        assert state.returns() == [position.score]


def follow(state: Any, before: Position2048, after: Position2048) -> Position2048:
    (cell,) = [cell for cell in range(16) if before.tiles[cell] != after.tiles[cell]]
    assert state.is_chance_node()
    state.apply_action(spiel2048.tile_action(cell, after.tiles[cell]))
    return after


@pytest.mark.compiled
def test_our_perfect_player_as_a_bot() -> None:
    """It never loses to their search, on either side, and its policy is sure of its move."""
    theirs = pyspiel.load_game("tic_tac_toe")
    perfect = as_bot("perfect", theirs, seed=1)
    mcts = pyspiel.MCTSBot(theirs, pyspiel.RandomRolloutEvaluator(1, 1), 2.0, 20, 100, True, 1, False)
    random = pyspiel.make_uniform_random_bot(1, 5)
    for seed in range(4):
        assert pyspiel.evaluate_bots(theirs.new_initial_state(), [perfect, mcts], seed)[0] >= 0
        assert pyspiel.evaluate_bots(theirs.new_initial_state(), [perfect, random], seed)[0] >= 0
        assert pyspiel.evaluate_bots(theirs.new_initial_state(), [mcts, perfect], seed)[1] >= 0
    policy, action = perfect.step_with_policy(theirs.new_initial_state())
    assert dict(policy)[action] == sum(dict(policy).values()) == 1
    with pytest.raises(BadRules, match="is not a game known here; tic_tac_toe, mnk"):
        as_bot("perfect", "connect_four")


def test_a_bot_gives_only_what_is_listed() -> None:
    """A column 2 4 4 8 can move up, but OpenSpiel does not list it: the best of the others is taken."""
    position = Position2048.parse("2 . 2 ./4 . . ./4 . . ./8 . . .")

    class Up:
        def move(self, position: Position2048, random: np.random.Generator) -> str:
            return "up"

        def values(self, position: Position2048, random: np.random.Generator) -> dict[str, float]:
            return {"up": 9.0, "down": 1.0, "left": 3.0, "right": 2.0}

    chance = np.random.default_rng()
    assert spiel2048.choose(Up(), position, chance, [0, 1, 2, 3]) == spiel2048.ACTIONS["up"]
    assert spiel2048.choose(Up(), position, chance, [1, 2, 3]) == spiel2048.ACTIONS["left"]


@pytest.mark.compiled
def test_our_player_of_2048_as_a_bot() -> None:
    theirs = pyspiel.load_game("2048")
    (score,) = pyspiel.evaluate_bots(theirs.new_initial_state(), [as_bot("expectimax depth=2", theirs)], 3)
    assert score > 1000


@pytest.mark.compiled
def test_their_bots_as_our_players() -> None:
    theirs = pyspiel.load_game("mnk(m=3,n=3,k=3)")
    mcts = as_player(
        pyspiel.MCTSBot(theirs, pyspiel.RandomRolloutEvaluator(5, 1), 2.0, 200, 100, True, 1, False), theirs
    )
    match = play_match(mcts, "random", "tictactoe", games=6, seed=1, workers=1)
    assert (match.a, match.games, match.faults) == ("OpenSpiel MCTSBot", 6, [])
    assert match.a_score > 0.6
    over = Position.parse("XXX/OO./...", game("tictactoe", "mnk"))
    with pytest.raises(IllegalPosition, match="the game is over"):
        mcts.move(over, np.random.default_rng())
    with pytest.raises(BadRules, match="no game in which a line loses"):
        spiel_mnk.name_of(game("squava", "mnk"))
    assert spiel_mnk.name_of(game("4x5:3", "mnk")) == "mnk(m=5,n=4,k=3)"


def test_their_bot_follows_a_game_of_2048() -> None:
    theirs = pyspiel.load_game(spiel2048.WITHOUT_END)
    player = as_player(pyspiel.make_uniform_random_bot(0, 7), theirs)
    chance = np.random.default_rng(1)
    for _ in range(2):  # the second game begins while the first is remembered
        position = Position2048.start(chance)
        while not position.over:
            position = position.step(player.move(position, chance), chance)
        assert position.score > 100
    with pytest.raises(PlayerFault, match="it follows games from their beginning"):
        player.move(Position2048.parse("2 2 2 2/2 2 2 2/2 2 2 2/2 2 2 ."), chance)
    short = as_player(pyspiel.make_uniform_random_bot(0, 7), "2048(max_tile=8)")
    position = Position2048.start(chance)
    while position.max_tile < 8:
        position = position.step(short.move(position, chance), chance)
    with pytest.raises(PlayerFault, match="is over in"):
        short.move(position, chance)


def test_players_are_those_of_the_game() -> None:
    assert type(as_bot("random", "2048").player) is type(make_player("random", game("2048")))
