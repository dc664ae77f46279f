"""Exams of in-a-row games: positions drawn by ply and by distance, answers judged by value and by plies.

win -> draw, win -> loss, draw -> loss     blunders
win -> win                                 kept; the regret is the plies by which it comes later than it could
"""

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import msgspec

from gridlab.arena.exam import Id, Judged, Question, in_turn
from gridlab.core import draw
from gridlab.core.arguments import counted
from gridlab.core.errors import BadNotation, CorruptFile
from gridlab.games import notation
from gridlab.inarow.exact.oracle import Oracle, whole_line
from gridlab.inarow.position import Position
from gridlab.inarow.questions import NODES, of_ply
from gridlab.inarow.rules import MAX_CELLS, Rules
from gridlab.inarow.solution import Budget, Solution

STAGE, DEPTH = "ply", "distance"
UNIT = "plies lost a move where a win was kept"
KINDS = ("win->draw", "win->loss", "draw->loss")
POINTS = {"win": 2, "draw": 1, "loss": 0}
SIGNS = {"win": "+", "draw": "=", "loss": "-"}
TASK = "In each position, write down the move that you would play, by the number in its cell."
RIGHT = "Right are all moves that keep the result under best play; the quickest wins and draws stand first, in bold."
TICKS = False  # an answer is written on a line
LEVELS = (
    "at least half of the moves are right",
    "at least a third of the moves are right, but less than half",
    "at least a fifth of the moves are right, but less than a third",
    "less than a fifth of the moves are right",
)
GUESSES = (2, 3, 5)  # a level is harder when fewer than one in so many moves are right
LEAST_BATCH, SPARE = 64, 8  # positions of a ply that are looked at together: these, or so many times what is wanted

Value = Literal["win", "draw", "loss"]
Distance = Annotated[int, msgspec.Meta(ge=1, le=MAX_CELLS)]


class Step(NamedTuple):
    """A move of a line, and the positions around it."""

    before: Position
    move: int
    after: Position


class Key(msgspec.Struct, frozen=True):
    """The truth about a question: its value, and how many plies it takes; both for every move."""

    id: Id
    value: Value
    distance: Distance
    moves: dict[str, tuple[Value, Distance]]

    @property
    def depth(self) -> str:
        """What a table by distance calls it."""
        return f"{self.value} in {self.distance}"

    @property
    def rank(self) -> tuple[bool, int]:
        """Wins first, then draws, each by distance."""
        return self.value != "win", self.distance

    @property
    def best(self) -> list[str]:
        return [move for move, worth in self.moves.items() if worth == (self.value, self.distance)]


def question(number: int, position: Position) -> Question:
    """What an exam says of a position."""
    position.require_legal()
    legal = tuple(position.move_text(move) for move in position.moves())
    return Question(number, str(position.rules), str(position), position.to_move, legal, ply=position.ply)


def draw_questions(
    rules: Rules,
    number: int,
    plies: range | None = None,
    seed: int = 0,
    tablebase: Path | str | None = None,
    nodes: int = NODES,
) -> Iterator[tuple[Question, Key]]:
    """Questions from every ply in turn, and within a ply from every distance in turn; one of each symmetry class.

    The truth comes from the tablebase as far as it goes, else from search of at most so many nodes.
    """
    chosen = range(rules.cells - 1) if plies is None else plies
    if not set(chosen) <= set(range(rules.cells - 1)):
        raise BadNotation(f"plies {chosen.start}-{chosen.stop - 1} of {rules}: 0 to {rules.cells - 2} have a choice")
    oracle = Oracle(rules, Budget(nodes), tablebase=tablebase)
    batch = max(LEAST_BATCH, SPARE * -(-number // len(chosen)))
    sources = [_stratified(rules, ply, seed, oracle, batch) for ply in chosen]
    for place, found in enumerate(islice(in_turn(sources), number), 1):
        yield question(place, found.position), key_of(place, found)


def _stratified(rules: Rules, ply: int, seed: int, oracle: Oracle, batch: int) -> Iterator[Solution]:
    """The positions of a ply, in turn from all its values and distances, a batch after the other."""
    drawn = of_ply(rules, ply, seed, oracle)
    while found := [each.solution for each in islice(drawn, batch)]:
        groups: dict[tuple[int, int], list[Solution]] = {}
        for each in found:
            groups.setdefault((-POINTS[each.value], each.distance or 0), []).append(each)
        yield from in_turn([iter(groups[name]) for name in sorted(groups)])


def key_of(number: int, found: Solution) -> Key:
    """The truth about a position, as a key has it."""
    moves = {found.position.move_text(move.cell): (move.value, move.distance) for move in found.moves}
    return msgspec.convert(
        {"id": number, "value": found.value, "distance": found.distance, "moves": moves}, Key, strict=False
    )


def check_key(key: Key, position: Position) -> None:
    """CorruptFile if what a key says of a position cannot be."""
    ranked = {
        move: (POINTS[value], -distance if value == "win" else distance)
        for move, (value, distance) in key.moves.items()
    }
    value, distance = key.moves[max(ranked, key=ranked.__getitem__)]
    if (key.value, key.distance) != (value, distance):
        raise CorruptFile(
            f"the position is said to be a {key.value} in {key.distance}, its best move is {value} in {distance}"
        )
    if len({value for value, _ in key.moves.values()}) == 1:
        raise CorruptFile(f"every move is a {value}: there is nothing to decide")
    left = position.rules.cells - position.ply
    for move, (value, distance) in key.moves.items():
        if distance > left or (value == "draw" and distance != left):
            raise CorruptFile(f"{move} is a {value} in {distance}, with {left} free cells")


def judge(key: Key, move: str) -> Judged:
    """What a legal move gives away. A near win that was missed, and a near loss that was not seen, are the worst."""
    value, distance = key.moves[move]
    if value == key.value:
        return Judged("", None if value == "draw" else abs(distance - key.distance), ())
    near = min(distance if value == "loss" else MAX_CELLS, key.distance if key.value == "win" else MAX_CELLS)
    return Judged(f"{key.value}->{value}", None, (POINTS[key.value] - POINTS[value], -near))


def told(key: Key, move: str) -> str:
    """An answer and the truth, in words."""
    value, distance = key.moves[move]
    verb, verbs = {"win": "wins", "draw": "draws", "loss": "loses"}, {"win": "win", "draw": "draw"}
    best = ", ".join(key.best[:3]) + (" …" if len(key.best) > 3 else "")
    how = "" if value == "draw" else f" in {distance}"
    right = "" if key.value == "draw" else f" in {key.distance}"
    return f"{move} {verb[value]}{how}; {best} {(verb if len(key.best) == 1 else verbs)[key.value]}{right}"


def picture(position: Position, key: Key, move: str) -> str:
    """The board with what each move is worth, as SVG: the best marked, the one that was played struck."""
    marks = [notation.MARKS[value] for value in position.values]
    for name, (value, distance) in key.moves.items():
        marks[position.parse_move(name)] = f"{SIGNS[value]}{'' if value == 'draw' else distance}"
    best, played = [position.parse_move(each) for each in key.best], position.parse_move(move)
    title = f"{position.rules} {position}, {position.to_move} to move"
    return draw.board_svg(marks, position.rules.cols, best, title, wrong=played)


def drawn(position: Position) -> str:
    """The board as SVG, every free cell with the name of its move."""
    marks = [notation.MARKS[value] if value else position.move_text(cell) for cell, value in enumerate(position.values)]
    return draw.board_svg(marks, position.rules.cols, title=f"{position}, {position.to_move} to move")


def outlook(key: Key) -> str:
    """What a position comes to under best play."""
    return "draw" if key.value == "draw" else f"{key.value} in {counted(key.distance, 'ply', 'plies')}"


def level(key: Key) -> int:
    """How hard a question is for people, from 1: the fewer of its moves are right, the harder."""
    right = sum(value == key.value for value, _ in key.moves.values())
    return 1 + sum(right * guesses < len(key.moves) for guesses in GUESSES)


def aim(key: Key) -> str:
    """What the right moves keep."""
    return key.value


def line(position: Position, move: str, ask: Callable[[Position], Solution]) -> list[Step]:
    """A move and the best replies to it, to the end of the game if it is known so far."""
    after = position.play(position.parse_move(move))
    steps = [Step(position, position.parse_move(move), after)]
    for cell in () if after.over else whole_line(after, ask):
        steps.append(Step(steps[-1].after, cell, steps[-1].after.play(cell)))
    return steps
