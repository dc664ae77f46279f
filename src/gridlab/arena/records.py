"""Games on record: one JSON object a line, the same for every game between two and every way in which it is played.

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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

import msgspec
import numpy as np

from gridlab.arena.session import Session
from gridlab.core.arguments import counted, shortened
from gridlab.core.draw import Sheet, brief, shown
from gridlab.core.errors import BadRules, CorruptFile, IllegalMove
from gridlab.core.files import whole_file
from gridlab.core.plain import facts
from gridlab.core.progress import bar
from gridlab.core.untrusted import Count, lines, parse_json
from gridlab.games.protocol import DuelPosition, GamePosition, GameRules, Move
from gridlab.games.registry import FAMILIES, family_of, game
from gridlab.players.tries import MOST_TRIES, Try

PLAYED, RESIGNED, DRAW = "played", "resigned", "draw"
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

    def as_dict(self) -> dict[str, Any]:
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


def start_of(rules: Any) -> Any:
    """The position with which a game between two begins; nothing in it hangs on chance."""
    return family_of(rules).load("position").start(np.random.default_rng(0), rules)


def replay(moves: Iterable[Move], rules: Any) -> Any:
    """The position after some moves."""
    position, random = start_of(rules), np.random.default_rng(0)
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

    def as_dict(self) -> dict[str, Any]:
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
