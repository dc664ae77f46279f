"""The files of best-first search: input.txt; steps.txt, how it went, and output.txt, what it came to.

    expansion 2: depth 1, O to move, heuristic 4 = 8 - 4        of us: lines open to us - lines open to the opponent
    ...
    .X.
    ...

Both say which question was asked: for a *cooperative* line, which the opponent would have to allow, by best-first
search; for a *forced* win, which no defence prevents, by a prover that is handed in; or both. A bad input is said in
both files too, so that no answer to another input stays there.
"""

import re
import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, NoReturn

from gridlab.core import draw, files
from gridlab.core.arguments import counted, shortened
from gridlab.core.draw import AsJson, plain
from gridlab.core.errors import BadNotation, FileTrouble, GridlabError
from gridlab.core.progress import bar
from gridlab.core.run import pause
from gridlab.core.untrusted import read_bytes, reading
from gridlab.games.grid import move_text
from gridlab.inarow.position import Player
from gridlab.inarow.search.best_first import MAX_EXPANSIONS, MAX_SIZE, BestFirstResult, Expansion, Start, best_first

if TYPE_CHECKING:
    from gridlab.inarow.search.proof_number import Proof

# ---- The input file of best-first search: the size of the board, its rows, the player to move
#
#     3            # lines that are blank and what follows a # do not count
#     X.O          spaces between the cells and lower case are fine: x . o
#     .X.
#     O..
#     X
#
# The file `-` is standard input. Whatever is wrong is said in one sentence with the file, the line and what was
# expected there; what stands there is quoted as it was written.


PLAYERS: dict[str, Player] = {"X": "X", "O": "O"}
MOST_BYTES = 1 << 20  # of an input, comments and all
SIZE_WANTED = f"the size of the board, a number from 1 to {MAX_SIZE}, is expected"
PLAYER_WANTED = "the player to move, X or O, is expected"


class Line(NamedTuple):
    """What a line says, without comments."""

    number: int  # in the file, from 1
    written: str  # as it stands there

    @property
    def text(self) -> str:
        """In capitals and without spaces."""
        return re.sub(r"\s", "", self.written).upper()


def is_standard_input(path: Path) -> bool:
    return str(path) in ("-", "/dev/stdin")


def read_start(path: Path) -> Start:
    """The board and the player of an input file."""
    lines = _lines(path)
    size = _size(path, lines[0])
    marks = "".join(_row(path, lines, size, row) for row in range(1, size + 1))
    crosses, noughts = (sum(1 << cell for cell, mark in enumerate(marks) if mark == each) for each in "XO")
    start = Start(size, crosses, noughts, _player(path, lines, size))
    _check_possible(path, lines[1].number, start)
    return start


def off_turn(start: Start) -> str | None:
    """A remark where the counts of stones would give the turn to somebody else; None where they agree."""
    crosses, noughts = start.crosses.bit_count(), start.noughts.bit_count()
    turn = "X" if crosses == noughts else "O"
    why = f"so {turn} would be to move" if turn != start.player else ""
    why = "though X moves first" if noughts > crosses else why
    stones = f"off turn: X has {counted(crosses, 'stone')} and O {noughts}"
    return f"{stones}, {why}; the player line rules, {start.player} is to move" if why else None


def _refuse(path: Path, line: int, sentence: str) -> NoReturn:
    name = "standard input" if is_standard_input(path) else path
    raise BadNotation(f"{name}, line {line}: {sentence}")


def _content(path: Path) -> bytes:
    if not is_standard_input(path):
        return read_bytes(files.check_source(path), MOST_BYTES)
    if sys.stdin is None:
        raise FileTrouble("standard input cannot be read: it is closed; name a file")
    with reading("standard input"):
        content = sys.stdin.buffer.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise FileTrouble(f"standard input has more than {MOST_BYTES:,} bytes, more than an input can have")
    return content


def _lines(path: Path) -> list[Line]:
    """The lines that count, and behind them an empty one that stands for the end of the file."""
    content = _content(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = content.count(b"\n", 0, error.start) + 1
        _refuse(path, place, f"byte {content[error.start]:#04x} is not text; digits, X, O, . and comments are expected")
    rows = text.splitlines()
    stripped = (Line(i, row.partition("#")[0].strip()) for i, row in enumerate(rows, 1))
    lines = [line for line in stripped if line.written]
    if not lines:
        _refuse(path, 1, f"the file is empty; {SIZE_WANTED}")
    return [*lines, Line(max(1, len(rows)), "")]


def _size(path: Path, line: Line) -> int:
    if not re.fullmatch("[0-9]+", line.written):
        _refuse(path, line.number, f"{shortened(line.written)} is not a number; {SIZE_WANTED}")
    if len(line.written) > 3 or not 1 <= int(line.written) <= MAX_SIZE:
        _refuse(path, line.number, f"a board of size {line.written[:40]} is not searched; {SIZE_WANTED}")
    return int(line.written)


def _row(path: Path, lines: list[Line], size: int, row: int) -> str:
    number, written, text = *lines[row], lines[row].text
    wanted = f"row {row} of {size} is expected"
    if not text:
        _refuse(path, number, f"the file ends; {wanted}")
    if text in PLAYERS and size > 1 and not lines[row + 1].text:
        _refuse(path, number, f"the player comes after {row - 1} rows; {wanted}")
    if wrong := re.search(r"[^XOxo.\s]", written):
        _refuse(path, number, f"{wrong.group()!r} is not a mark of a board; X, O and . are expected in row {row}")
    if len(text) != size:
        shown = " ".join(written.split())[:40]
        _refuse(path, number, f"row {row} has {len(text)} cells, {shown}; {size} are expected")
    return text


def _player(path: Path, lines: list[Line], size: int) -> Player:
    number, written, text = *lines[size + 1], lines[size + 1].text
    if not text:
        _refuse(path, number, f"the file ends after the board; {PLAYER_WANTED}")
    if size > 1 and re.fullmatch("[XO.]{2,}", text):
        _refuse(path, number, f"the board has more than {size} rows; {PLAYER_WANTED} after row {size}")
    if text not in PLAYERS:
        _refuse(path, number, f"{shortened(written)} does not name a player; {PLAYER_WANTED}")
    after, more = lines[size + 2]
    if more:
        _refuse(path, after, f"{shortened(more)} comes after the player; nothing is expected")
    return PLAYERS[text]


def _check_possible(path: Path, line: int, start: Start) -> None:
    """Stones that no turn explains, and lines of both players."""
    crosses, noughts = start.crosses.bit_count(), start.noughts.bit_count()
    if abs(crosses - noughts) > 1:
        stones = f"X has {counted(crosses, 'stone')} and O {noughts}"
        _refuse(path, line, f"on the board that begins here {stones}; counts that differ by at most one are expected")
    lines = start.rules.winning_lines
    if all(any(stones & each == each for each in lines) for stones in (start.crosses, start.noughts)):
        _refuse(path, line, "on the board that begins here X and O both have a line; at most one of them is expected")


# ---- What best-first search leaves behind: steps.txt, how it went, and output.txt, what it came to


Asked = Literal["cooperative", "forced"]


Prover = Callable[[Start], "Proof"]


class Report(NamedTuple):
    """An answer, for people and as JSON."""

    start: Start
    asked: Asked
    result: str
    sentence: str
    line: tuple[int, ...]
    effort: dict[str, int]

    def found(self) -> AsJson:
        winner = self.start.winner or (self.start.player if self.line else None)
        line = [int(name) for name in moves_of(self.start, self.line)]
        return {"asked": self.asked, "result": self.result, "winner": winner, "line": line, **self.effort}

    def as_dict(self) -> AsJson:
        return question(self.start) | self.found()

    def __str__(self) -> str:
        """The text of output.txt."""
        return "\n".join([headline(self.start, self.asked), self.sentence, *drawn(self.start, self.line)])


class BothReports(NamedTuple):
    """The answers to both questions."""

    cooperative: Report
    forced: Report

    def as_dict(self) -> AsJson:
        return {**question(self.cooperative.start), "asked": "both", **{each.asked: each.found() for each in self}}

    def __str__(self) -> str:
        """The text of output.txt: both sentences, then both lines side by side."""
        start = self.cooperative.start
        sentences = [f"{asked_for(start, each.asked)}\n{each.sentence}" for each in self]
        lines = ["\n".join([each.asked, *drawn(start, each.line)]) for each in self]
        return "\n".join([f"Best-first and proof-number search, {game_of(start)}.", *sentences, "", draw.beside(lines)])


def question(start: Start) -> AsJson:
    """What was asked, as JSON."""
    return {"rules": str(start.rules), "board": str(start).replace("\n", "/"), "player": start.player}


Answer = Report | BothReports


def answer(
    start: Start, steps: Path, output: Path, limit: int = MAX_EXPANSIONS, prove: Prover | None = None,
    tell: Callable[[Expansion], object] = lambda expansion: None, both: bool = False,
) -> Answer:  # fmt: skip
    """Write both files and say what was found: a cooperative line, with a prover a forced win, or `both`."""
    found = []
    # both are locked before the work: they are one answer
    with files.whole_file(output) as told, files.whole_file(steps) as file:
        if both or not prove:
            file.write(f"{headline(start, 'cooperative')}\n\n".encode())
            found.append(search(start, limit, file, tell))
            file.write(f"{found[-1].sentence}\n{chr(10) * (prove is not None)}".encode())
        if prove:
            file.write(f"{headline(start, 'forced')}\n\n".encode())
            found.append(ask_prover(start, prove, file))
            file.write(f"{found[-1].sentence}\n".encode())
        report = BothReports(*found) if len(found) == 2 else found[0]
        told.write(f"{report}\n".encode())
    return report


def read_or_fail(path: Path, steps: Path, output: Path) -> Start:
    """The board and the player of an input file; what is wrong with it is raised, and said in both files."""
    try:
        return read_start(path)
    except GridlabError as error:
        with files.whole_file(output) as told, files.whole_file(steps) as file:
            for each in (told, file):
                each.write(f"Failed: {error}\n".encode(errors="replace"))  # it may tell a name that is no text
        raise


def check_places(source: Path | None, steps: Path, output: Path) -> None:
    """Nothing that is read or written may be written over, and both files can be written."""
    places = [path for path in (source, steps, output) if path is not None]
    if len({files.resolved(path) for path in places}) < len(places):
        named = ", ".join(map(str, places[:-1]))
        raise FileTrouble(f"{named} and {places[-1]}: input, steps and output must be three different files")
    for one, other in combinations(places, 2):
        files.refuse_overlap(one, other)
    files.try_place(steps)
    files.try_place(output)


def search(start: Start, limit: int, sink: files.Sink, tell: Callable[[Expansion], object]) -> Report:
    """Best-first search, each expansion written as it is made."""

    def write(expansion: Expansion) -> None:
        sink.write(step_text(expansion).encode())
        tell(expansion)

    found = best_first(start, limit, tell=write)
    effort = {"expansions": found.expansions, "max_expansions": limit}
    return Report(start, "cooperative", found.ending, found_sentence(found, limit), found.line, effort)


def ask_prover(start: Start, prove: Prover, sink: files.Sink) -> Report:
    """A forced win proved or refuted; the steps are those of the main line."""
    if start.winner or start.full:
        over = "already won" if start.winner else "full board"
        return Report(start, "forced", over, over_sentence(start), (), {"nodes": 0, "proof_size": 0})
    proof = prove(start)
    line = proof.line if proof.result == "proved" else ()
    sink.write("\n".join([*drawn(start, line)[1:], "\n"]).encode())
    effort = {"nodes": proof.nodes, "proof_size": proof.size}
    return Report(start, "forced", proof.result, proof_sentence(start, proof), line, effort)


# ---- texts


def game_of(start: Start) -> str:
    return f"{start.size}x{start.size}, {start.size} in a row, {start.player} to move"


def asked_for(start: Start, asked: Asked) -> str:
    if asked == "forced":
        return f"Asked: a forced win, which {start.opponent} cannot prevent."
    return f"Asked: a cooperative line, which {start.opponent} would have to allow."


def headline(start: Start, asked: Asked) -> str:
    search = "Proof-number" if asked == "forced" else "Best-first"
    return f"{search} search, {game_of(start)}.\n{asked_for(start, asked)}"


def step_text(step: Expansion) -> str:
    heuristic = f"heuristic {step.heuristic} = {step.hp} - {step.ho}"
    return f"expansion {step.number}: depth {step.depth}, {step.board.player} to move, {heuristic}\n{step.board}\n\n"


def found_sentence(found: BestFirstResult, limit: int) -> str:
    start = found.start
    player, opponent, expanded = start.player, start.opponent, counted(found.expansions, "expansion")
    if found.ending == "found":
        moves = " ".join(moves_of(start, found.line))
        allowed = f"in {len(found.line)} plies, if {opponent} allows it" if len(found.line) > 1 else "at once"
        return f"Found: {player} wins {allowed}: {moves} ({expanded})"
    if found.ending == "nothing":
        why = f"{player} cannot win even with the help of {opponent}"
        return f"Nothing found: the queue is empty after {expanded}; {why}"
    if found.ending == "limit":
        return f"Nothing found: the limit of {counted(limit, 'expansion')} was reached"
    return over_sentence(start)


def over_sentence(start: Start) -> str:
    return f"Already won by {start.winner}" if start.winner else "Nothing found: the board is full"


def proof_sentence(start: Start, proof: "Proof") -> str:
    looked = f"{counted(proof.nodes, 'position')} looked at"
    if proof.result == "proved":
        moves = " ".join(moves_of(start, proof.line))
        size = f"proof of {counted(proof.size, 'position')}"
        return f"Proved: {start.player} wins whatever {start.opponent} plays; main line {moves} ({size}, {looked})"
    if proof.result == "refuted":
        return f"Refuted: {start.player} has no forced win ({looked})"
    return f"Unknown: a forced win of {start.player} is neither proved nor refuted ({looked})"


def moves_of(start: Start, line: tuple[int, ...]) -> list[str]:
    return [move_text(cell, start.size, start.size) for cell in line]


def drawn(start: Start, line: tuple[int, ...]) -> list[str]:
    """The boards from the start to the end of the line, each under its move, with blank lines between."""
    blocks = ["", f"start: {start.player} to move", str(start)]
    for number, (cell, move) in enumerate(zip(line, moves_of(start, line), strict=True), 1):
        blocks += ["", f"{number}. {start.player} {move}", str(start := start.play(cell))]
    return blocks


# ---- What `gridlab best-first` asks of a board: a cooperative line, a forced win, or both
#
# Each search has a bar and a limit of its own.


MAX_POSITIONS = 10_000_000  # where a proof stops by default


def ask(
    start: Start, steps: Path, output: Path, limit: int | None, forced: bool, both: bool, progress: bool = False
) -> Answer:
    """The answer to one board, in its files too; `limit` is for expansions, and for the positions of a proof."""
    expansions, positions = limit or MAX_EXPANSIONS, limit or MAX_POSITIONS
    with (
        bar(expansions, "searching", "positions", progress and not forced) as searched,
        bar(positions, "proving", "positions", progress and (forced or both)) as proved,
    ):
        prove = prover(positions, lambda nodes: proved.update(nodes - proved.n)) if forced or both else None
        found = answer(start, steps, output, expansions, prove, lambda expansion: searched.update(), both)
        searched.total, proved.total = searched.n, proved.n  # it ends here, whatever was allowed
    return found


def prover(nodes: int, tell: Callable[[int], object]) -> Prover:
    """Depth-first proof-number search that looks at so many positions at most; `tell` hears how many so far."""
    from gridlab.inarow.search.proof_number import prove_win  # with numba behind it, and most questions need none
    from gridlab.inarow.solution import Budget

    return lambda start: prove_win(start.own, start.other, start.rules, Budget(nodes=nodes), tell=tell)


# ---- Best-first search over a folder of inputs: every file answered, and a table with a row for each
#
# inputs/a.txt   ->   steps/a.txt   output/a.txt


Ask = Callable[[Start, Path, Path, Path], Answer]  # start, where it stands, steps, output


class Row(NamedTuple):
    """One input: what was found, or why it could not be read."""

    file: str
    answer: Answer | None
    failure: str = ""

    @property
    def reports(self) -> tuple[Report, ...]:
        if self.answer is None:
            return ()
        return tuple(self.answer) if isinstance(self.answer, BothReports) else (self.answer,)

    def as_dict(self) -> AsJson:
        found = self.answer.as_dict() if self.answer else {"result": "failed", "why": self.failure}
        return {"file": self.file, **found}


class Summary(NamedTuple):
    """All inputs of a folder."""

    rows: list[Row]

    @property
    def failed(self) -> list[Row]:
        return [each for each in self.rows if each.answer is None]

    def as_dict(self) -> AsJson:
        return {"inputs": plain(self.rows)}

    def __str__(self) -> str:
        header = ["file", "size", "to move"]
        for report in next((row.reports for row in self.rows if row.answer), ()):
            header += [report.asked, "plies", "expansions" if report.asked == "cooperative" else "positions"]
        header += [] if len(header) > 3 else ["result"]
        rows = [_cells(row, len(header)) for row in self.rows]
        return "\n".join([draw.table(header, rows), *(f"failed: {row.failure}" for row in self.failed)])


def _cells(row: Row, width: int) -> list[str | int]:
    if not row.reports:
        return [row.file, "-", "-", "failed", *["-"] * (width - 4)]
    start = row.reports[0].start
    found: list[str | int] = [row.file, start.size, start.player]
    for report in row.reports:
        found += [report.result, len(report.line), next(iter(report.effort.values()))]
    return found


def answer_folder(folder: Path, steps: Path, output: Path, ask: Ask) -> Summary:
    """Answer every file of a folder."""
    inputs, rows = check_folders(folder, steps, output), []
    with files.locked_folder(steps), files.locked_folder(output):
        for path in inputs:
            pause()
            places = steps / path.name, output / path.name
            try:
                start = read_or_fail(path, *places)
            except GridlabError as error:
                rows.append(Row(path.name, None, str(error)))
            else:
                rows.append(Row(path.name, ask(start, path, *places)))
    return Summary(rows)


def check_folders(folder: Path, steps: Path, output: Path) -> list[Path]:
    """The inputs of a folder, if there are any and the other two are folders elsewhere that can be written."""
    for one, other in combinations((folder, steps, output), 2):
        files.refuse_overlap(one, other)
        files.refuse_overlap(other, one)
    try:
        inputs = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    except OSError as error:
        raise FileTrouble(f"{folder} cannot be read: {(error.strerror or str(error)).lower()}") from error
    if not inputs:
        raise FileTrouble(f"{folder} holds no inputs; name a file, or a folder of files")
    files.try_folder(steps)
    files.try_folder(output)
    return inputs
