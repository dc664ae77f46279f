"""What every game must obey, as functions that raise BrokenLaw with a sentence.

    check_game(game("squava"))           random games, every law at every position
    check_position(position, random)     the laws of one position

Whoever adds a family of games runs these first; the tests of gridlab run them on every game they can name.
"""

import pickle
from typing import Any

import numpy as np

from gridlab.core.arguments import typed
from gridlab.core.errors import GridlabError
from gridlab.games.grid import symmetries
from gridlab.games.registry import GamePosition, GameRules, family_of, game

LONGEST = 10_000  # moves of a random game


class BrokenLaw(AssertionError):
    """A game that is not what gridlab takes for a game, and why."""


@typed
def check_game(rules: GameRules | str, games: int = 3, seed: int = 0) -> int:
    """Play random games and check every law at every position; returns the number of positions."""
    played: GameRules = game(rules)
    check_rules(played)
    random, seen = np.random.default_rng(seed), 0
    for _ in range(games):
        position: Any = family_of(played).load("position").start(random, played)
        for _ in range(LONGEST):
            seen += 1
            check_position(position, random)
            if position.over:
                break
            position = position.step(random.choice(np.array(position.moves(), object)), random)
        else:
            raise BrokenLaw(f"{played}: a random game is not over after {LONGEST:,} moves")
    return seen


def check_rules(rules: GameRules) -> None:
    """Rules are values that can be written, read, hashed and sent elsewhere."""
    _require(game(str(rules)) == rules, f"{rules}: what str writes, gridlab.game does not read as the same game")
    _require(hash(game(str(rules))) == hash(rules), f"{rules}: equal rules have different hashes")
    _require(pickle.loads(pickle.dumps(rules)) == rules, f"{rules}: pickled rules come back as others")
    _require(bool(rules.sides), f"{rules}: nobody plays")


def check_position(position: GamePosition, random: np.random.Generator) -> None:
    """The laws of one position."""
    check_moves(position, random)
    check_value(position)
    check_text(position)
    if hasattr(position, "canonical"):
        check_symmetry(position)
    _require(position.to_move in position.rules.sides, f"{position}: {position.to_move!r} is not a side of the game")


def check_moves(position: GamePosition, random: np.random.Generator) -> None:
    """Moves are different, there are some exactly while the game goes on, and each can be made; nothing else can."""
    moves, before = list(position.moves()), str(position)
    _require(len(set(moves)) == len(moves), f"{position}: a move stands twice in {moves}")
    _require(list(position.moves()) == moves, f"{position}: asked twice, the moves come in another order")
    _require(position.over == (not moves), f"{position}: there must be moves exactly while the game goes on")
    for move in moves:
        after = position.step(move, random)
        _require(str(position) == before, f"{position}: {move} has changed the position it was made in")
        _require(after != position, f"{position}: {move} leads nowhere")
        _require(after.rules == position.rules, f"{position}: {move} changes the rules")
    for wrong in (-1, 1 << 40, "nonsense"):
        _refuses(position, wrong, random)


def _refuses(position: GamePosition, move: object, random: np.random.Generator) -> None:
    try:
        position.step(move, random)
    except GridlabError:
        return
    except Exception as error:
        raise BrokenLaw(f"{position}: {move!r} is not a move, and gives {error!r} instead of IllegalMove") from error
    raise BrokenLaw(f"{position}: {move!r} is not a move, but it can be made")


def check_value(position: GamePosition) -> None:
    """A position is a value: equal to its copy, hashed like it."""
    copy = pickle.loads(pickle.dumps(position))
    _require(copy == position, f"{position}: pickled, it comes back as {copy}")
    _require(hash(copy) == hash(position), f"{position}: equal positions have different hashes")


def check_text(position: GamePosition) -> None:
    """What is written can be read: boards and moves."""
    kind: Any = type(position)
    read = kind.parse(str(position), position.rules)
    same = (str(read), read.to_move, read.moves()) == (str(position), position.to_move, position.moves())
    _require(same, f"{position}: parse does not read what str writes, but {read}")
    for move in position.moves():
        text = position.move_text(move)
        _require(position.parse_move(text) == move, f"{position}: {move!r} is written {text!r}, but not read so")
    _require(bool(position.draw().strip()), f"{position}: there is nothing to see")


def check_symmetry(position: Any) -> None:
    """Images of a position have one canonical form, one key, one outcome and the same moves, seen through the symmetry.

    For games that have `canonical`, `image` and `key`; gridlab.games.grid has the symmetries of a board.
    """
    best, to_best = position.canonical()
    _require(position.image(to_best) == best, f"{position}: the symmetry to its canonical form leads elsewhere")
    _require(best.image(to_best.inverse) == position, f"{position}: the inverse does not lead back")
    for symmetry in symmetries(position.rules.rows, position.rules.cols):
        image = position.image(symmetry)
        _require(image.canonical()[0] == best, f"{position}: {symmetry.name} has another canonical form")
        _require(image.key == position.key, f"{position}: {symmetry.name} has another key")
        _require(image.outcome() == position.outcome(), f"{position}: {symmetry.name} has another outcome")
        moves = sorted(map(symmetry.move, position.moves()))
        _require(moves == image.moves(), f"{position}: {symmetry.name} has other moves")


def _require(law: bool, sentence: str) -> None:
    if not law:
        raise BrokenLaw(sentence)
