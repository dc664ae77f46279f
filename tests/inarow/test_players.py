"""Players from text."""

import time

import numpy as np
import pytest

from gridlab.core.errors import BadPlayer
from gridlab.core.run import remedy
from gridlab.games import game
from gridlab.inarow.players import PLAYERS, PerfectPlayer
from gridlab.inarow.position import Position
from gridlab.inarow.solution import Move, Solution, Value
from gridlab.players.registry import close_player, make_player, parse_player
from tests.conftest import Python
from tests.inarow.search.by_the_letter import best_first, to_key

RULES = game("tictactoe")


@pytest.mark.parametrize("text", ["random", "heuristic", "alpha-beta", "alpha-beta depth=3", "perfect", "best-first"])
def test_players_make_legal_moves(text: str) -> None:
    player, random = make_player(text, RULES), np.random.default_rng(0)
    position = Position.parse("XX./OO./...", RULES)
    for _ in range(3):
        assert player.move(position, random) in position.moves()
    if text != "random":
        assert player.move(position, random) == 2  # it wins
    close_player(player)


def test_settings() -> None:
    assert parse_player("alpha-beta", PLAYERS) == ("alpha-beta", {"depth": 4})
    assert parse_player("alpha-beta depth=6", PLAYERS) == ("alpha-beta", {"depth": 6})
    assert parse_player('command="./bot --fast" seconds=2', PLAYERS) == (
        "command",
        {"command": "./bot --fast", "seconds": 2.0, "protocol": "line", "retries": 0, "log": ""},
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "'' is not a player; there are random, heuristic, alpha-beta, perfect, command"),
        ("clever", "'clever' is not a player; there are random"),
        ("0" * 300, "is not a player; there are random"),  # longer than any file's name
        ("command=/" + "0" * 300, "there is no such file"),
        ("random depth=3", "'depth=3' is not a setting of the player random; it takes no settings"),
        ("alpha-beta deep=3", "'deep=3' is not a setting of the player alpha-beta; it takes depth=4"),
        ("alpha-beta 3", "'3' is not a setting of the player alpha-beta"),
        ("alpha-beta depth=x", "depth=x of the player alpha-beta: a number such as 4 is needed"),
        ("alpha-beta depth=0", "depth=0 of the player alpha-beta: 1 to 9 plies make sense in 3x3:3"),
        ("best-first expansions=0", "expansions=0 of the player best-first: at least 1 is needed"),
        ("alpha-beta depth='3", "cannot be read: No closing quotation"),
    ],
)
def test_wrong_texts_are_refused_with_what_exists(text: str, sentence: str) -> None:
    with pytest.raises(BadPlayer) as refusal:
        make_player(text, RULES)
    assert sentence in str(refusal.value)


def test_every_kind_says_what_it_is() -> None:
    assert all(kind.about for kind in PLAYERS.values())


@pytest.mark.compiled
def test_perfect_against_perfect_is_a_draw() -> None:
    player, random = make_player("perfect", RULES), np.random.default_rng(1)
    for _ in range(5):
        position = Position(RULES)
        while position.outcome() is None:
            position = position.play(player.move(position, random))
        outcome = position.outcome()
        assert outcome
        assert outcome.winner is None


@pytest.mark.parametrize("name", ["3x4:3", "4x4:3", "5x5:4-3", "3x3:3-2", "3x3:-3"])
def test_best_first_plays_n_in_a_row_on_n_by_n(name: str) -> None:
    with pytest.raises(BadPlayer, match="the player best-first plays n in a row on n×n boards, such as 3x3:3; not"):
        make_player("best-first", game(name))


def test_best_first_plays_the_line_it_finds() -> None:
    player, random = make_player("best-first", RULES), np.random.default_rng(0)
    assert player.move(Position(RULES), random) == 4
    board = ["XO.", ".O.", "..X"]
    (row, col), *_ = best_first(to_key(board), "X", 10_000).path
    assert (row, col) != (2, 1)  # which O threatens to fill: this player hopes that it will not
    assert player.move(Position.parse("/".join(board), RULES), random) == 3 * row + col
    assert player.move(Position.parse("XXO/OOX/X..", RULES), random) == 7  # no line is left to O: it takes one from X


def test_learnt_players_need_torch_and_say_so(python: Python) -> None:
    """The rest of the package does not: nothing imports it before such a player is made."""
    done = python(
        "import sys; sys.modules['torch'] = None\n"
        "from gridlab import cli\n"
        "sys.exit(cli.run(['match', 'dqn', 'random', '--game', 'squava', '--games', '2', '--workers', '1']))"
    )
    assert done.returncode == 2
    assert done.stderr.endswith(f"error: this needs torch, which is not installed: {remedy('learn')}\n")
    done = python(
        "import sys, gridlab.cli, gridlab.inarow.players, gridlab.arena.match; sys.exit('torch' in sys.modules)"
    )
    assert done.returncode == 0


def test_perfect_that_errs_gives_the_value_away_as_often_as_it_is_told() -> None:
    position, random = Position.parse(".../.X./...", RULES), np.random.default_rng(5)
    draws = {0, 2, 6, 8}  # an edge loses
    chosen = [make_player("perfect errs=0.3", RULES).move(position, random) for _ in range(200)]
    mistakes = sum(cell not in draws for cell in chosen)
    assert 40 <= mistakes <= 80  # 60 expected, 6.5 the standard deviation
    assert make_player("perfect errs=1", RULES).move(position, random) not in draws
    won = Position.parse("XX./OO./...", RULES)
    assert make_player("perfect errs=1", RULES).move(won, random) != 2
    with pytest.raises(BadPlayer, match="probability"):
        make_player("perfect errs=1.5", RULES)


def test_perfect_that_never_errs_draws_the_same_chance_as_ever() -> None:
    position = Position(RULES)
    moves = [
        make_player(text, RULES).move(position, np.random.default_rng(3)) for text in ("perfect", "perfect errs=0")
    ]
    assert moves[0] == moves[1]


@pytest.mark.compiled
def test_perfect_answers_in_time_exactly_or_not_and_says_which() -> None:
    random, hard = np.random.default_rng(0), Position(game("5x5:5")).play("33")
    player = make_player("perfect seconds=0.5", hard.rules)
    player.move(hard, random)  # compiled
    begun = time.monotonic()
    assert player.move(hard, random) in hard.moves()
    assert time.monotonic() - begun < 2.5
    assert "not proved" in player.source  # type: ignore[attr-defined]
    quick = make_player("perfect seconds=5", RULES)
    assert quick.move(Position.parse("XX./OO./...", RULES), random) == 2
    assert quick.source == "exact"  # type: ignore[attr-defined]
    with pytest.raises(BadPlayer, match="seconds=-1"):
        make_player("perfect seconds=-1", RULES)


class Half:
    """Knows what some moves are worth, and nothing else."""

    def __init__(self, known: dict[int, Value]) -> None:
        self.known = known

    def ask(self, position: Position) -> Solution:
        moves = tuple(Move(cell, self.known.get(cell, "unknown"), None) for cell in position.moves())
        return Solution(position, "unknown", None, moves, ())


@pytest.mark.compiled
def test_what_is_proved_counts_though_the_rest_is_not() -> None:
    position, random = Position(game("5x5:5")).play("33"), np.random.default_rng(0)
    cells = position.moves()
    won = PerfectPlayer(position.rules, "", 0.0, 0.2, Half({0: "win"}))
    assert won.move(position, random) == 0
    lost = PerfectPlayer(position.rules, "", 0.0, 0.2, Half(dict.fromkeys(cells[:-1], "loss")))
    assert lost.move(position, random) == cells[-1]
    errs = PerfectPlayer(position.rules, "", 1.0, 0.2, Half({0: "win"}))
    assert errs.move(position, random) != 0
