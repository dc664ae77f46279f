"""A game being played, without any text: what the terminal prints and what a page draws is the same session.

    session = Session.begin(rules, {"X": None, "O": make_player("perfect", rules)}, seed=1)     None is a person
    session.play(12)          the move of whoever is to move
    session.reply()           the move of the player whose turn it is
    session.undo()            back to the last decision of a person
    session.values()          what each move is worth, as the adviser sees it

Every position since the start is kept; `random` is the only source of chance, for players and for new tiles alike.
"""

import logging
import pickle
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from reprlib import repr as short_repr
from typing import Any, NamedTuple, Protocol

import numpy as np

from gridlab.core.arguments import counted, typed
from gridlab.core.draw import Sheet, brief, shown
from gridlab.core.errors import BadNotation, IllegalMove, PlayerFault, Resigned, WrongAnswer
from gridlab.core.workers import available_cores, can_travel
from gridlab.games.protocol import GamePosition, GameRules, Move
from gridlab.games.registry import family_of, game
from gridlab.players import registry
from gridlab.players.registry import Player, ask, checked, close_player, make_player, player_name
from gridlab.players.tries import Try

# ---- Places at the board: who sits there is made when first asked, and anew after a fault
#
# A player handed over as an object is sent to every chunk of work as it was at the start, so that what it learns in one
# game does not hang on how many workers there are. An object that cannot be sent plays as it is, in this process alone.


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
            registry.parse_player(player, registry.kinds_of(rules))  # its errors come before anything long begins
            entrants.append(Entrant(player, player))
        elif reason := can_travel(checked(player)):
            if workers > 1:
                told = f"cannot be sent to other processes ({reason}); one worker plays"
                logging.getLogger("gridlab").warning(f"the player {player_name(player)} {told}")
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


# ---- A game being played, without any text: what the terminal prints and what a page draws is the same session


PERSON = "person"
RESIGNED, TIME = "resigned", "time"


class Adviser(Protocol):
    """Somebody who can be asked for more than a move."""

    def values(self, position: Any, random: np.random.Generator, /) -> Any:
        """What each move is worth; how that is said is a matter of the game."""

    def hint(self, position: Any, random: np.random.Generator, /) -> Move | None:
        """The best move, None if it is not known."""


class EarlyEnd(NamedTuple):
    """A game that ended before its rules did."""

    loser: str  # the side
    reason: str  # "resigned", "time", or the sentence of a fault


@shown
@dataclass
class Session:
    """A game under way. `history` has one position more than there are moves."""

    rules: Any
    seats: Mapping[str, Player | None]  # who plays each side; None is a person
    names: Mapping[str, str]
    random: np.random.Generator
    adviser: Adviser | None = None
    seed: int | None = None
    seconds: float | None = None  # of each side for the whole game; None is no limit
    clock: Callable[[], float] = time.monotonic
    history: list[Any] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    spent: dict[str, float] = field(default_factory=dict)  # seconds of each side
    early_end: EarlyEnd | None = None
    _turn_began: float = 0.0

    @classmethod
    @typed
    def begin(
        cls, rules: GameRules | str, seats: Mapping[str, Player | None] | None = None, seed: int | None = None,
        adviser: Adviser | None = None, names: Mapping[str, str] | None = None, seconds: float | None = None,
        random: np.random.Generator | None = None, start: Any = None, moves: Iterable[Move] = (),
    ) -> "Session":  # fmt: skip
        """A new game; sides that nobody is named for are people. It can begin elsewhere, and with moves played."""
        played: GameRules = game(rules)
        everybody = dict.fromkeys(played.sides) | dict(seats or {})
        if unknown := set(everybody) - set(played.sides):
            raise BadNotation(f"{min(unknown)!r} is not a side of {played}; there are {', '.join(played.sides)}")
        called = {side: PERSON if player is None else player_name(player) for side, player in everybody.items()}
        chance = np.random.default_rng(seed) if random is None else random
        session = cls(played, everybody, called | dict(names or {}), chance, adviser, seed, seconds)
        session.restart(start)
        for move in moves:
            session.play(move)
        return session

    def restart(self, start: Any = None) -> None:
        """Another game between the same, with chance going on; from a position of the game, or from its beginning."""
        begun = family_of(self.rules).load("position").start(self.random, self.rules) if start is None else start
        self.history = [begun]
        self.moves = []
        self.spent = dict.fromkeys(self.rules.sides, 0.0)
        self.early_end = None
        self._turn_began = self.clock()

    # ---- where it stands

    @property
    def position(self) -> Any:
        return self.history[-1]

    @property
    def to_move(self) -> str:
        return str(self.position.to_move)

    @property
    def over(self) -> bool:
        return self.early_end is not None or self.position.over

    @property
    def waits_for_person(self) -> bool:
        return not self.over and self.seats[self.to_move] is None

    def _in_short(self) -> str:
        sides = " – ".join(brief(self.names[side], 24) for side in self.rules.sides)
        turn = "over" if self.over else f"{self.to_move} to move"
        return f"{self.rules}, {sides}: {counted(len(self.moves), 'move')}, {turn}"

    def _sheet(self) -> Sheet:
        picture = getattr(self.position, "_repr_svg_", str)()
        return Sheet(self._in_short(), pictures=[picture] if picture else [], notes=[str(self.position)])

    def remaining(self, side: str) -> float | None:
        """The seconds a side has left, None if there is no limit."""
        if self.seconds is None:
            return None
        running = self.clock() - self._turn_began if side == self.to_move and not self.over else 0.0
        return max(0.0, self.seconds - self.spent[side] - running)

    def as_dict(self) -> dict[str, Any]:
        """Everything there is to show, as JSON takes it."""
        here = self.position
        return {
            "rules": str(self.rules), "board": str(here),
            "moves": [before.move_text(move) for before, move in zip(self.history, self.moves, strict=False)],
            "to_move": None if self.over else self.to_move,
            "legal_moves": [] if self.over else [here.move_text(move) for move in here.moves()],
            "over": self.over, "early_end": self.early_end and self.early_end._asdict(), "players": dict(self.names),
            "seed": self.seed, "seconds": dict(self.spent),
        }  # fmt: skip

    # ---- what can be done

    def play(self, move: Move) -> Any:
        """Make a move for the side to move; the position after it, or IllegalMove."""
        if self.early_end is not None:
            raise IllegalMove(f"the game is over: {self.early_end.loser} has lost ({self.early_end.reason})")
        side, following = self.to_move, self.position.step(move, self.random)
        self._stop_clock(side)
        if self.early_end is None:
            self.history.append(following)
            self.moves.append(move)
        return self.position

    def reply(self) -> Move:
        """Let the player to move make its move; a fault ends the game, and is told."""
        side = self.to_move
        player = self.seats[side]
        if player is None:
            raise IllegalMove(f"{side} is a person, who has to say what to play")
        try:
            move = ask(player, self.position, self.random, self.moves)
            self.play(move)
        except Resigned:
            self._stop_clock(side)
            self.early_end = EarlyEnd(side, RESIGNED)
            raise
        except (PlayerFault, IllegalMove) as fault:
            self._stop_clock(side)
            self.early_end = EarlyEnd(side, f"{side}, {self.names[side]}, lost by a fault: {fault}")
            raise PlayerFault(str(fault)) from fault
        return move

    def undo(self) -> bool:
        """Back to the last position in which a person had to decide; False if there is none."""
        people = [number for number, each in enumerate(self.history[:-1]) if self.seats[str(each.to_move)] is None]
        if not people:
            return False
        del self.history[people[-1] + 1 :], self.moves[people[-1] :]
        self.early_end, self._turn_began = None, self.clock()
        return True

    def resign(self) -> None:
        """The side to move gives up."""
        self.early_end = EarlyEnd(self.to_move, RESIGNED)

    def values(self) -> Any:
        """What each move is worth, as the adviser sees it; None without one."""
        return None if self.adviser is None else self.adviser.values(self.position, self.random)

    def hint(self) -> Move | None:
        """The best move, as the adviser sees it; None without one, or if it does not know."""
        return None if self.adviser is None else self.adviser.hint(self.position, self.random)

    def _stop_clock(self, side: str) -> None:
        now = self.clock()
        self.spent[side] += now - self._turn_began
        self._turn_began = now
        if self.seconds is not None and self.spent[side] > self.seconds:
            self.early_end = EarlyEnd(side, TIME)
