"""What best-first search leaves behind: steps.txt, how it went, and output.txt, what it came to.

    expansion 2: depth 1, O to move, heuristic 4 = 8 - 4        of us: lines open to us - lines open to the opponent
    ...
    .X.
    ...

Both say which question was asked: for a *cooperative* line, which the opponent would have to allow, by best-first
search; for a *forced* win, which no defence prevents, by a prover that is handed in; or both. A bad input is said in
both files too, so that no answer to another input stays there.
"""

from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from gridlab.core import draw
from gridlab.core.errors import FileTrouble, GridlabError
from gridlab.core.files import Sink, refuse_overlap, resolved, try_place, whole_file
from gridlab.core.numbers import counted
from gridlab.datasets.best_first.input import read_start
from gridlab.games.notation import move_text
from gridlab.search.mnk.best_first import MAX_EXPANSIONS, BestFirstResult, Expansion, Start, best_first

Asked = Literal["cooperative", "forced"]


class ProverAnswer(Protocol):
    """What a prover answers."""

    @property
    def result(self) -> str:
        """Proved, refuted or unknown."""

    @property
    def nodes(self) -> int:
        """Positions looked at."""

    @property
    def size(self) -> int:
        """Positions of the proof; 0 unless proved."""

    @property
    def line(self) -> tuple[int, ...]:
        """The main line as cells, the winner's and the loser's moves in turn."""


Prover = Callable[[Start], ProverAnswer]


class Report(NamedTuple):
    """An answer, for people and as JSON."""

    start: Start
    asked: Asked
    result: str
    sentence: str
    line: tuple[int, ...]
    effort: dict[str, int]

    def as_dict(self) -> dict[str, Any]:
        return {
            "rules": str(self.start.rules),
            "board": str(self.start).replace("\n", "/"),
            "player": self.start.player,
            "asked": self.asked,
            "result": self.result,
            "winner": self.start.winner or (self.start.player if self.line else None),
            "line": [int(name) for name in moves_of(self.start, self.line)],
            **self.effort,
        }

    def __str__(self) -> str:
        """The text of output.txt."""
        return "\n".join([headline(self.start, self.asked), self.sentence, *drawn(self.start, self.line)])


class BothReports(NamedTuple):
    """The answers to both questions."""

    cooperative: Report
    forced: Report

    def as_dict(self) -> dict[str, Any]:
        start = self.cooperative.start
        known = {"rules": str(start.rules), "board": str(start).replace("\n", "/"), "player": start.player}
        answers: dict[str, Any] = {str(each.asked): _without(each.as_dict(), known) for each in self}
        return {**known, "asked": "both", **answers}

    def __str__(self) -> str:
        """The text of output.txt: both sentences, then both lines side by side."""
        start = self.cooperative.start
        sentences = [f"{asked_for(start, each.asked)}\n{each.sentence}" for each in self]
        lines = ["\n".join([each.asked, *drawn(start, each.line)]) for each in self]
        return "\n".join([f"Best-first and proof-number search, {game_of(start)}.", *sentences, "", draw.beside(lines)])


def _without(values: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in known}


Answer = Report | BothReports


def answer(
    start: Start,
    steps: Path,
    output: Path,
    limit: int = MAX_EXPANSIONS,
    prove: Prover | None = None,
    tell: Callable[[Expansion], object] = lambda expansion: None,
    both: bool = False,
) -> Answer:
    """Write both files and say what was found: a cooperative line, with a prover a forced win, or `both`."""
    found = []
    with whole_file(output) as told, whole_file(steps) as file:  # both locked before the work: they are one answer
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


def write_failure(sentence: str, steps: Path, output: Path) -> None:
    """Say in both files why there is no answer."""
    with whole_file(output) as told, whole_file(steps) as file:
        for each in (told, file):
            each.write(f"Failed: {sentence}\n".encode(errors="replace"))  # it may tell a name that is no text


def read_or_fail(path: Path, steps: Path, output: Path) -> Start:
    """The board and the player of an input file; what is wrong with it is raised, and said in both files."""
    try:
        return read_start(path)
    except GridlabError as error:
        write_failure(str(error), steps, output)
        raise


def check_places(source: Path | None, steps: Path, output: Path) -> None:
    """Nothing that is read or written may be written over, and both files can be written."""
    places = [path for path in (source, steps, output) if path is not None]
    if len({resolved(path) for path in places}) < len(places):
        named = ", ".join(map(str, places[:-1]))
        raise FileTrouble(f"{named} and {places[-1]}: input, steps and output must be three different files")
    for one, other in combinations(places, 2):
        refuse_overlap(one, other)
    try_place(steps)
    try_place(output)


def search(start: Start, limit: int, sink: Sink, tell: Callable[[Expansion], object]) -> Report:
    """Best-first search, each expansion written as it is made."""

    def write(expansion: Expansion) -> None:
        sink.write(step_text(expansion).encode())
        tell(expansion)

    found = best_first(start, limit, tell=write)
    effort = {"expansions": found.expansions, "max_expansions": limit}
    return Report(start, "cooperative", found.ending, found_sentence(found, limit), found.line, effort)


def ask_prover(start: Start, prove: Prover, sink: Sink) -> Report:
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
        return (
            f"Nothing found: the queue is empty after {expanded}; {player} cannot win even with the help of {opponent}"
        )
    if found.ending == "limit":
        return f"Nothing found: the limit of {counted(limit, 'expansion')} was reached"
    return over_sentence(start)


def over_sentence(start: Start) -> str:
    return f"Already won by {start.winner}" if start.winner else "Nothing found: the board is full"


def proof_sentence(start: Start, proof: ProverAnswer) -> str:
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
