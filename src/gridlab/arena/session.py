"""A game being played, and games on record.

    session = Session.begin(rules, {"X": None, "O": make_player("perfect", rules)}, seed=1)     None is a person
    session.play(12)          the move of whoever is to move
    session.reply()           the move of the player whose turn it is
    session.undo()            back to the last decision of a person
    session.values()          what each move is worth, as the adviser sees it

Every position since the start is kept; `random` is the only source of chance, for players and for new tiles alike.

Games on record are one JSON object a line, the same for every game between two and every way in which it is played.

{"rules": "3x3:3", "x": "random", "o": "random", "seed": 7, "opening": 2, "moves": [22, 11, 31, 13, 12, 32, …],
 "result": "draw", "reason": "played"}

x, o       who played each side, under its name
seed       what made the choices of chance, or null
opening    how many of the first moves were set, not chosen
moves      as the game writes them: numbers, or text ("1,1") where they are none
result     x_wins, o_wins or draw
reason     "played" to the end of the rules, "resigned", or a sentence on the answer that lost
answers    of programs that speak JSON, if there are any: the ply, and every try with what was said, its text, its
           tokens, its time, and what was wrong with it
"""

import json
import logging
import pickle
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from reprlib import repr as short_repr
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Protocol, Self

import msgspec

from gridlab.core.arguments import counted, shortened, typed
from gridlab.core.draw import AsJson, Sheet, brief, facts, shown
from gridlab.core.errors import BadNotation, BadRules, CorruptFile, IllegalMove, PlayerFault, Resigned, WrongAnswer
from gridlab.core.files import whole_file
from gridlab.core.progress import bar
from gridlab.core.run import available_cores, can_travel
from gridlab.core.untrusted import Count, lines, parse_json
from gridlab.games.registry import FAMILIES, DuelPosition, GamePosition, GameRules, Move, family_of, game
from gridlab.players import registry
from gridlab.players.registry import MOST_TRIES, Player, Try, ask, checked, close_player, make_player, player_name

if TYPE_CHECKING:
    from numpy.random import Generator
else:  # records are verified without NumPy
    Generator = Any

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
        source: str | bytes | Player = player
        if isinstance(player, str):
            registry.parse_player(player, registry.kinds_of(rules))  # its errors come before anything long begins
        elif reason := can_travel(checked(player)):
            if workers > 1:
                told = f"cannot be sent to other processes ({reason}); one worker plays"
                logging.getLogger("gridlab").warning(f"the player {player_name(player)} {told}")
            workers = 1
        else:
            source = _pickled(player)
        entrants.append(Entrant(player_name(player), source))
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

    def move(self, position: GamePosition, random: Generator, moves: Sequence[Move] | None = None) -> Move:
        """A legal move, given the moves so far if they are known; PlayerFault says what was wrong with the answer."""
        if self._player is None:
            self._player = self._entrant.make(self._rules, self._tablebase)
        import numpy as np

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
PLAYED, RESIGNED, TIME, DRAW = "played", "resigned", "time", "draw"


class Adviser(Protocol):
    """Somebody who can be asked for more than a move."""

    def values(self, position: Any, random: Generator, /) -> Any:
        """What each move is worth; how that is said is a matter of the game."""

    def hint(self, position: Any, random: Generator, /) -> Move | None:
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
    random: Generator
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
        random: Generator | None = None, start: Any = None, moves: Iterable[Move] = (),
    ) -> "Session":  # fmt: skip
        """A new game; sides that nobody is named for are people. It can begin elsewhere, and with moves played."""
        import numpy as np

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

    def as_dict(self) -> AsJson:
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


# ---- Games on record


MOST_COMPLAINTS = 10  # printed; all are in the verdict
ENOUGH = 1000  # complaints, after which the rest of a file is not looked at
MOST_MOVES = 10_000  # of a game

LONGEST_LINE = 1 << 25  # bytes of a game, with all that was said
UNCHECKED = "who played, and what chance chose"


class Answered(msgspec.Struct, frozen=True):
    """What a program said when it was asked for a move."""

    ply: Annotated[int, msgspec.Meta(ge=0, lt=MOST_MOVES)]
    tries: Annotated[tuple[Try, ...], msgspec.Meta(min_length=1, max_length=MOST_TRIES)]


@shown
@dataclass(frozen=True, slots=True)
class Record:
    """One game, and who played each side, in the order of the sides; nobody has won a draw."""

    rules: Any
    players: tuple[str, ...]
    moves: tuple[Move, ...]
    winner: str | None
    reason: str = PLAYED
    seed: int | None = None
    opening: int = 0
    answers: tuple[Answered, ...] = ()

    @classmethod
    def of(cls, rules: Any, players: tuple[str, ...], moves: Iterable[Move], winner: str | None, *more: Any) -> Self:
        """The record of a game; a family may have another class of them, with another way to make one."""
        return cls(rules, players, tuple(moves), winner, *more)

    def _in_short(self) -> str:
        names = " – ".join(brief(name, 24) for name in self.players)
        return f"{names}, {self.rules}: {result_of(self.winner)}, {len(self.moves)} moves, {self.reason}"

    def _sheet(self) -> Sheet:
        played = " ".join(str(move) for move in _written(self.moves, self.rules))
        return Sheet(f"{' – '.join(self.players)}: {result_of(self.winner)}", notes=[played, self.reason])

    def as_dict(self) -> AsJson:
        names = dict(zip(_fields(self.rules.sides), self.players, strict=True))
        return {
            "rules": str(self.rules), **names, "seed": self.seed, "opening": self.opening,
            "moves": _written(self.moves, self.rules), "result": result_of(self.winner), "reason": self.reason,
        } | ({"answers": msgspec.to_builtins(self.answers)} if self.answers else {})  # fmt: skip

    @classmethod
    def parse(cls, line: str | bytes, where: str = "the line") -> Any:
        """Read a line of a file; CorruptFile says `where` and why it is not a record."""
        try:
            return _parse(line)
        except CorruptFile as error:
            raise CorruptFile(f"{where}: {error}") from error

    def final(self) -> Any:
        """The position after the last move; IllegalMove if the rules do not allow one of them."""
        return replay(self.moves, self.rules)


def duel(rules: GameRules | str) -> Any:
    """The rules of a game between two, or a sentence that names such games."""
    found: GameRules = game(rules)
    if len(family_of(found).load("rules").sides) != 2:
        forms = "; or ".join(each.form for each in FAMILIES.values() if len(each.load("rules").sides) == 2)
        raise BadRules(f"{rules} is not a game for this; write {forms}")
    return found


class Chance:
    """Random numbers for games that hang on none: NumPy makes them only if somebody asks after all."""

    @cached_property
    def _random(self) -> Any:
        import numpy as np

        return np.random.default_rng(0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._random, name)


def start_of(rules: Any) -> Any:
    """The position with which a game between two begins; nothing in it hangs on chance."""
    return family_of(rules).load("position").start(Chance(), rules)


def replay(moves: Iterable[Move], rules: Any) -> Any:
    """The position after some moves."""
    position, random = start_of(rules), Chance()
    for move in moves:
        position = position.step(move, random)
    return position


def result_of(winner: str | None) -> str:
    """How a result is written: x_wins, o_wins or draw."""
    return DRAW if winner is None else f"{winner.lower()}_wins"


def other_side(side: str, rules: GameRules) -> str:
    first, second = rules.sides
    return second if side == first else first


def record_of(session: Session) -> Any:
    """The record of a finished game of a session."""
    rules, early = session.rules, session.early_end
    names = tuple(session.names[side] for side in rules.sides)
    winner, reason = session.position.winner, PLAYED
    if early is not None:
        winner, reason = other_side(early.loser, rules), early.reason
    return record_from(rules, names, session.moves, winner, reason, session.seed)


def record_from(rules: Any, *said: Any) -> Any:
    """A record of the class that the family of a game has for it."""
    return family_of(rules).load("record").of(rules, *said)


# ---- files


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Write games to a file, which appears when it is whole."""
    with whole_file(path) as file:
        for record in records:
            file.write((json.dumps(record.as_dict()) + "\n").encode())


def read_records(path: Path) -> Iterator[Any]:
    """The games of a file. They are read, not replayed: `verify_records` does that."""
    for number, line in lines(path, LONGEST_LINE):
        yield Record.parse(line, f"{path} line {number}")


class Head(msgspec.Struct, frozen=True):
    """What a line is of."""

    rules: str


@cache
def _form_of(sides: tuple[str, ...]) -> Any:
    """A game as it stands in a file: a field for who played each side."""
    moves = Annotated[tuple[int | str, ...], msgspec.Meta(max_length=MOST_MOVES)]
    answers = Annotated[tuple[Answered, ...], msgspec.Meta(max_length=MOST_MOVES)]
    fields: list[Any] = [
        *((name, str) for name in _fields(sides)), ("seed", Count | None), ("opening", Count), ("moves", moves),
        ("result", str), ("reason", str), ("answers", answers, ()),
    ]  # fmt: skip
    return msgspec.defstruct("Line", fields, frozen=True)


def _fields(sides: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(side.lower() for side in sides)


def _parse(line: str | bytes) -> Any:
    """A record; CorruptFile with the mere reason if the line is none."""
    if isinstance(line, bytes) and not line.endswith(b"\n"):
        raise CorruptFile("the line is cut off: every game ends in a line end")
    rules = _parse_rules(parse_json(line, Head, "this is not a game").rules)
    found: Any = parse_json(line, _form_of(rules.sides), "this is not a game")
    players = tuple(getattr(found, name) for name in _fields(rules.sides))
    winner = _parse_result(found.result, rules)
    moves = _read(found.moves, rules)
    return record_from(rules, players, moves, winner, found.reason, found.seed, found.opening, found.answers)


def _parse_rules(text: str) -> Any:
    try:
        return duel(text)
    except ValueError as error:
        raise CorruptFile(f"'rules' are wrong: {error}") from error


def _parse_result(text: str, rules: GameRules) -> str | None:
    results = {result_of(side): side for side in (*rules.sides, None)}
    if text not in results:
        raise CorruptFile(f"'result' is {shortened(text)}; it takes {', '.join(results)}")
    return results[text]


def _written(moves: Iterable[Move], rules: Any) -> list[int | str]:
    """Moves as they stand in a file: 11, or "1,1" where that is no number."""
    start: GamePosition = start_of(rules)
    return [int(text) if text.isdigit() else text for text in map(start.move_text, moves)]


def _read(moves: Iterable[int | str], rules: Any) -> list[Move]:
    start: GamePosition = start_of(rules)
    usual = next(iter(_written(start.moves()[:1], rules)), "")
    for move in moves:
        if type(move) is not type(usual):
            raise CorruptFile(f"the move {json.dumps(move)[:40]} is not written like {json.dumps(usual)}")
    try:
        return [start.parse_move(str(move)) for move in moves]
    except ValueError as error:
        raise CorruptFile(f"'moves' are wrong: {error}") from error


# ---- verification


def find_flaw(record: Record) -> str | None:
    """Why a record is no true game, found by replaying it, or None if it is one."""
    if record.opening > len(record.moves):
        return f"an opening of {counted(record.opening, 'move')} in a game of {len(record.moves)}"
    plies = [each.ply for each in record.answers]
    if plies != sorted(set(plies)) or any(not record.opening <= ply <= len(record.moves) for ply in plies):
        return f"answers at the plies {shortened(str(plies))} of a game of {counted(len(record.moves), 'move')}"
    try:
        return _find_false_end(record, record.final())
    except IllegalMove as error:
        return f"a move is not legal: {error}"


def _find_false_end(record: Record, position: DuelPosition) -> str | None:
    """Why a game did not end in this position as it is said."""
    said, found = result_of(record.winner), result_of(position.winner)
    if position.over and record.reason != PLAYED:
        return f"the game is over on the board ({found}), but its reason is {shortened(record.reason)}"
    if position.over:
        return None if said == found else f"the board says {found}, not {said}"
    if record.reason == PLAYED:
        return f"the game is not over after {counted(len(record.moves), 'move')}, but its reason is {PLAYED!r}"
    if record.winner is None:
        return f"a game that ended early has a loser, but its result is {said}"
    if record.reason != RESIGNED and record.winner == position.to_move:
        return f"{position.to_move} was to move and at fault, but the result is {said}"
    return None


class Complaint(NamedTuple):
    """What is wrong with one line, or with the file where there is no line."""

    file: str
    line: int | None
    reason: str

    def __str__(self) -> str:
        where = "" if self.line is None else f" line {self.line}"
        return f"{self.file}{where}: {self.reason}"


class Verdict(NamedTuple):
    """The result of a verification."""

    file: str
    games: int
    complaints: list[Complaint]
    unchecked: str = UNCHECKED

    def as_dict(self) -> AsJson:
        return facts(self) | {"sound": not self.complaints}

    def __str__(self) -> str:
        done = f"{self.file}: {counted(self.games, 'game')} replayed"
        if not self.complaints:
            return f"{done}: all sound; not checked: {self.unchecked}"
        shown = [str(each) for each in self.complaints[:MOST_COMPLAINTS]]
        if len(self.complaints) > MOST_COMPLAINTS:
            shown.append(f"and {len(self.complaints) - MOST_COMPLAINTS:,} more")
        complaints = counted(len(self.complaints), "complaint")
        return "\n".join([*shown, f"{done}: {complaints}; not checked: {self.unchecked}"])


def verify_records(path: Path, progress: bool = False) -> Verdict:
    """Replay every game of a file by the rules: moves legal, really over, result true."""
    games = 0
    complaints: list[Complaint] = []
    size = path.stat().st_size if path.is_file() else None
    with bar(size, f"verifying {path.name}", "B", progress) as shown:
        for number, line in lines(path, LONGEST_LINE):
            games += 1
            try:
                flaw = find_flaw(_parse(line))
            except CorruptFile as error:
                flaw = str(error)
            if flaw:
                complaints.append(Complaint(str(path), number, flaw))
            if len(complaints) == ENOUGH:
                return Verdict(str(path), games, complaints, f"{UNCHECKED}, and what comes after line {number}")
            shown.update(len(line))
    if not games:
        complaints.append(Complaint(str(path), None, "there is no game in it"))
    return Verdict(str(path), games, complaints)
