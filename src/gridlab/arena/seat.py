"""Places at the board: who sits there is made when first asked, and anew after a fault.

A player handed over as an object is sent to every chunk of work as it was at the start, so that what it learns in one
game does not hang on how many workers there are. An object that cannot be sent plays as it is, in this process alone.
"""

import logging
import pickle
from collections.abc import Sequence
from pathlib import Path
from reprlib import repr as short_repr
from typing import Any, NamedTuple

import numpy as np

from gridlab.core.errors import WrongAnswer
from gridlab.core.workers import available_cores, can_travel
from gridlab.games.protocol import GamePosition, GameRules, Move
from gridlab.players.registry import (
    Player,
    ask,
    checked,
    close_player,
    kinds_of,
    make_player,
    parse_player,
    player_name,
)  # fmt: skip
from gridlab.players.tries import Try


class Entrant(NamedTuple):
    """A player as work is shared out: its name, and the text, the pickled object or the object it is made from."""

    name: str
    source: str | bytes | Player

    def make(self, rules: GameRules, tablebase: Path | str | None = None) -> Player:
        if isinstance(self.source, bytes):
            player: Player = pickle.loads(self.source)
            return player
        return make_player(self.source, rules, tablebase)


def enter(players: Sequence[str | Player], rules: GameRules, workers: int | None) -> tuple[list[Entrant], int]:
    """Players ready to be shared out, and the workers they allow: one if an object cannot be sent to processes."""
    workers = workers or available_cores()
    entrants = []
    for player in players:
        if isinstance(player, str):
            parse_player(player, kinds_of(rules))  # what is wrong with it is said before anything long begins
            entrants.append(Entrant(player, player))
        elif reason := can_travel(checked(player)):
            if workers > 1:
                logging.getLogger("gridlab").warning(
                    f"the player {player_name(player)} cannot be sent to other processes ({reason}); one worker plays"
                )
            workers = 1
            entrants.append(Entrant(player_name(player), player))
        else:
            entrants.append(Entrant(player_name(player), _pickled(player)))
    return entrants, workers


def _pickled(player: Player) -> bytes:
    import cloudpickle  # classes of notebooks and scripts travel by value

    data: bytes = cloudpickle.dumps(player)
    return data


class Seat:
    """A place at the board."""

    def __init__(self, entrant: Entrant, rules: GameRules, tablebase: Path | str | None = None) -> None:
        self.name = entrant.name
        self._entrant, self._rules, self._tablebase = entrant, rules, tablebase
        self._player: Player | None = None

    def move(self, position: GamePosition, random: np.random.Generator, moves: Sequence[Move] | None = None) -> Move:
        """A legal move, given the moves so far if they are known; PlayerFault says what was wrong with the answer."""
        if self._player is None:
            self._player = self._entrant.make(self._rules, self._tablebase)
        answer: Any = ask(self._player, position, random, moves)
        moves = position.moves()
        if isinstance(answer, np.generic):
            answer = answer.item()
        if type(answer) is type(moves[0]) and answer in moves:
            return answer
        wanted = "free cell" if isinstance(moves[0], int) else "legal move"
        text = _answer_text(answer, position)
        raise WrongAnswer(f"the answer {text} is not a {wanted} of {position}", text)

    @property
    def tries(self) -> tuple[Try, ...]:
        """What the player said when it was last asked, if it keeps that."""
        return tuple(getattr(self._player, "tries", ()))

    def leave(self) -> None:
        player, self._player = self._player, None
        if player is not None:
            close_player(player)


def _answer_text(answer: Any, position: GamePosition) -> str:
    """An answer as moves are written, if it is like one; else as Python shows it, shortened."""
    try:
        text = position.move_text(answer)
        return text if position.parse_move(text) == answer else short_repr(answer)
    except Exception:  # it may be anything at all
        return short_repr(answer)
