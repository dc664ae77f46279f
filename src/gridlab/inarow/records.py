"""Games on record: one JSON object a line, the same for every way in which games are played.

{"rules": "3x3:3", "x": "random", "o": "random", "seed": 7, "opening": 2, "moves": [22, 11, 31, 13, 12, 32, …],
 "result": "draw", "reason": "played"}

seed       what made the choices of chance, or null
opening    how many of the first moves were set, not chosen
moves      as in gridlab.games.notation: numbers, or text ("1,1") where a side exceeds 9
result     x_wins, o_wins or draw
reason     "played" to the end of the rules, "resigned", or a sentence on the answer that lost
answers    of programs that speak JSON, if there are any: the ply, and every try with what was said, its text, its
           tokens, its time, and what was wrong with it
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec

from gridlab.core import draw
from gridlab.core.arguments import counted, shortened
from gridlab.core.draw import Sheet, brief, shown
from gridlab.core.errors import CorruptFile, IllegalMove
from gridlab.core.files import whole_file
from gridlab.core.progress import bar
from gridlab.core.untrusted import Count, lines, parse_json
from gridlab.games.notation import move_text, parse_move
from gridlab.inarow.position import Outcome, Player, Position
from gridlab.inarow.rules import MAX_CELLS, Rules
from gridlab.players.tries import MOST_TRIES, Try

if TYPE_CHECKING:
    from gridlab.arena.session import Session

PLAYED, RESIGNED = "played", "resigned"
MOST_COMPLAINTS = 10  # printed; all are in the verdict
ENOUGH = 1000  # complaints, after which the rest of a file is not looked at

LONGEST_LINE = 1 << 25  # bytes of a game, with all that was said
UNCHECKED = "who played, and what chance chose"


class Answered(msgspec.Struct, frozen=True):
    """What a program said when it was asked for a move."""

    ply: Annotated[int, msgspec.Meta(ge=0, lt=MAX_CELLS)]
    tries: Annotated[tuple[Try, ...], msgspec.Meta(min_length=1, max_length=MOST_TRIES)]


class Line(msgspec.Struct, frozen=True):
    """A game as it stands in a file."""

    rules: str
    x: str
    o: str
    seed: Count | None
    opening: Count
    moves: Annotated[tuple[int | str, ...], msgspec.Meta(max_length=MAX_CELLS)]
    result: str
    reason: str
    answers: Annotated[tuple[Answered, ...], msgspec.Meta(max_length=MAX_CELLS)] = ()


@shown
@dataclass(frozen=True, slots=True)
class Record:
    """One game; its moves are cells from 0."""

    rules: Rules
    x: str
    o: str
    moves: tuple[int, ...]
    result: Outcome
    reason: str = PLAYED
    seed: int | None = None
    opening: int = 0
    answers: tuple[Answered, ...] = ()

    def _in_short(self) -> str:
        moves = f"{len(self.moves)} moves"
        return f"{brief(self.x, 24)} – {brief(self.o, 24)}, {self.rules}: {self.result.value}, {moves}, {self.reason}"

    def _sheet(self) -> Sheet:
        marks = ["."] * self.rules.cells
        for number, cell in enumerate(self.moves, 1):
            marks[cell] = f"{'X' if number % 2 else 'O'}{number}"
        heading = f"{self.x} – {self.o}: {self.result.value}"
        return Sheet(heading, pictures=[draw.board_svg(marks, self.rules.cols, title=heading)], notes=[self.reason])

    def as_dict(self) -> dict[str, Any]:
        return {
            "rules": str(self.rules),
            "x": self.x,
            "o": self.o,
            "seed": self.seed,
            "opening": self.opening,
            "moves": [_written(move, self.rules) for move in self.moves],
            "result": self.result.value,
            "reason": self.reason,
        } | ({"answers": msgspec.to_builtins(self.answers)} if self.answers else {})

    @classmethod
    def parse(cls, line: str | bytes, where: str = "the line") -> "Record":
        """Read a line of a file; CorruptFile says `where` and why it is not a record."""
        try:
            return _parse(line)
        except CorruptFile as error:
            raise CorruptFile(f"{where}: {error}") from error

    def final(self) -> Position:
        """The position after the last move; IllegalMove if the rules do not allow one of them."""
        return replay(self.moves, self.rules)


def record_of(session: "Session") -> Record:
    """The record of a finished game of a session."""
    early = session.early_end
    result = session.position.outcome() if early is None else win_of("O" if early.loser == "X" else "X")
    return Record(
        rules=session.rules,
        x=session.names["X"],
        o=session.names["O"],
        seed=session.seed,
        opening=0,
        moves=tuple(session.moves),
        result=result,
        reason=PLAYED if early is None else early.reason,
    )


def win_of(side: Player) -> Outcome:
    return Outcome.X_WINS if side == "X" else Outcome.O_WINS


def replay(moves: Iterable[int], rules: Rules) -> Position:
    position = Position(rules)
    for move in moves:
        position = position.play(move)
    return position


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Write games to a file, which appears when it is whole."""
    with whole_file(path) as file:
        for record in records:
            file.write((json.dumps(record.as_dict()) + "\n").encode())


def read_records(path: Path) -> Iterator[Record]:
    """The games of a file. They are read, not replayed: `verify_records` does that."""
    for number, line in lines(path, LONGEST_LINE):
        yield Record.parse(line, f"{path} line {number}")


def find_flaw(record: Record) -> str | None:
    """Why a record is no true game, found by replaying it, or None if it is one."""
    if record.opening > len(record.moves):
        return f"an opening of {counted(record.opening, 'move')} in a game of {len(record.moves)}"
    plies = [each.ply for each in record.answers]
    if plies != sorted(set(plies)) or any(not record.opening <= ply <= len(record.moves) for ply in plies):
        return f"answers at the plies {shortened(str(plies))} of a game of {counted(len(record.moves), 'move')}"
    try:
        position = record.final()
    except IllegalMove as error:
        return f"a move is not legal: {error}"
    if outcome := position.outcome():
        if record.reason != PLAYED:
            return f"the game is over on the board ({outcome.value}), but its reason is {shortened(record.reason)}"
        return None if record.result is outcome else f"the board says {outcome.value}, not {record.result.value}"
    if record.reason == PLAYED:
        return f"the game is not over after {counted(len(record.moves), 'move')}, but its reason is {PLAYED!r}"
    if record.result is Outcome.DRAW:
        return f"a game that ended early has a loser, but its result is {record.result.value}"
    if record.reason != RESIGNED and record.result.winner == position.to_move:
        return f"{position.to_move} was to move and at fault, but the result is {record.result.value}"
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
        found = [each._asdict() for each in self.complaints]
        return {**self._asdict(), "complaints": found, "sound": not found}

    def __str__(self) -> str:
        done = f"{self.file}: {counted(self.games, 'game')} replayed"
        if not self.complaints:
            return f"{done}: all sound; not checked: {self.unchecked}"
        shown = [str(each) for each in self.complaints[:MOST_COMPLAINTS]]
        if len(self.complaints) > MOST_COMPLAINTS:
            shown.append(f"and {len(self.complaints) - MOST_COMPLAINTS:,} more")
        return "\n".join(
            [*shown, f"{done}: {counted(len(self.complaints), 'complaint')}; not checked: {self.unchecked}"]
        )


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


def _parse(line: str | bytes) -> Record:
    """A record; CorruptFile with the mere reason if the line is none."""
    if isinstance(line, bytes) and not line.endswith(b"\n"):
        raise CorruptFile("the line is cut off: every game ends in a line end")
    found = parse_json(line, Line, "this is not a game")
    rules = _parse_rules(found.rules)
    return Record(
        rules,
        found.x,
        found.o,
        tuple(_read(move, rules) for move in found.moves),
        _parse_result(found.result),
        found.reason,
        found.seed,
        found.opening,
        found.answers,
    )


def _parse_rules(text: str) -> Rules:
    try:
        return Rules.parse(text)
    except ValueError as error:
        raise CorruptFile(f"'rules' are wrong: {error}") from error


def _parse_result(text: str) -> Outcome:
    try:
        return Outcome(text)
    except ValueError as error:
        wanted = ", ".join(each.value for each in Outcome)
        raise CorruptFile(f"'result' is {shortened(text)}; it takes {wanted}") from error


def _written(cell: int, rules: Rules) -> int | str:
    """A cell as it stands in `moves`: 0 -> 11, or "1,1" where a side exceeds 9."""
    text = move_text(cell, rules.rows, rules.cols)
    return text if "," in text else int(text)


def _read(move: int | str, rules: Rules) -> int:
    if type(move) is not type(_written(0, rules)):
        raise CorruptFile(f"the move {json.dumps(move)[:40]} is not written like {json.dumps(_written(0, rules))}")
    try:
        return parse_move(str(move), rules.rows, rules.cols)
    except ValueError as error:
        raise CorruptFile(f"'moves' are wrong: {error}") from error
