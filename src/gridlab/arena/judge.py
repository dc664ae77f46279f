"""Games between two judged by the truth: what each move is worth, which positions to ask about, what an answer costs.

win -> draw, win -> loss, draw -> loss     blunders
win -> win                                 kept; the regret is the plies by which it comes later than it could

A question is a position in which a move can change the value: not all its moves are worth the same. Questions are taken
from every ply in turn. They hang on the game, the seed and the budget alone, so players graded with the same seed
answer the same questions and can be compared pair by pair.

A family names a function `truth` (gridlab.games.registry), or a judge of its own that knows more of its boards.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
import numpy as np

from gridlab.arena.exam import MOST_QUESTIONS, NODES, Drawn, Id, Judged, Question, in_turn
from gridlab.arena.records import replay, start_of
from gridlab.core.arguments import counted
from gridlab.core.errors import BadNotation, BadRules, CorruptFile
from gridlab.games.protocol import Move
from gridlab.games.registry import family_of

POINTS = {"win": 2, "draw": 1, "loss": 0}
UNKNOWN = "unknown"
FAR = 1 << 30  # more plies than any game has
VERBS = {"win": ("wins", "win"), "draw": ("draws", "draw"), "loss": ("loses", "lose")}
GUESSES = (2, 3, 5)  # a level is harder when fewer than one in so many moves are right
GIVE_UP = 200  # positions of a ply without a choice, one after the other, before it is left
TOO_HARD = 3  # positions of a ply beyond the budget, one after the other, before it is left
LEAST_BATCH, SPARE = 64, 8  # positions of a ply that are looked at together: these, or so many times what is wanted
OPENINGS = 1 << 16  # random openings tried for a ply
SAMPLED = 100  # random games that say how long games last
DRAWING = 0  # what a source of chance is for

Value = Literal["win", "draw", "loss"]
Distance = Annotated[int, msgspec.Meta(ge=1, le=MOST_QUESTIONS)]
Worth = tuple[Value, Distance | None]


class Key(msgspec.Struct, frozen=True):
    """The truth about a question: its value, and how many plies it takes; both for every move."""

    id: Id
    value: Value
    distance: Distance | None
    moves: dict[str, Worth]

    @property
    def depth(self) -> str:
        """What a table by distance calls it."""
        return f"{self.value} in {self.distance}"

    @property
    def rank(self) -> tuple[bool, int]:
        """Wins first, then draws, each by distance."""
        return self.value != "win", self.distance or 0

    @property
    def best(self) -> list[str]:
        return [move for move, worth in self.moves.items() if worth == (self.value, self.distance)]


class Truth(NamedTuple):
    """What is known of a position: its value and distance, and those of its moves, to whoever makes them."""

    value: str  # may be unknown, as may those of moves
    distance: int | None
    moves: Mapping[Move, tuple[str, int | None]]

    @classmethod
    def of(cls, moves: Mapping[Move, tuple[str, int | None]]) -> "Truth":
        """What a position is worth whose moves are all known: a near win is best, else a draw, else a far loss."""
        return cls(*max(moves.values(), key=_goodness), moves)

    @property
    def best(self) -> tuple[Move, ...]:
        return tuple(move for move, worth in self.moves.items() if worth == (self.value, self.distance))

    @property
    def decisive(self) -> bool:
        """Whether a move can change the value; no, if the value of any is unknown."""
        values = {value for value, _ in self.moves.values()}
        return len(values) > 1 and UNKNOWN not in values


def _goodness(worth: tuple[str, int | None]) -> tuple[int, int]:
    value, distance = worth
    return POINTS[value], -(distance or 0) if value == "win" else distance or 0


Oracle = Callable[[Any], Truth]


class Judge:
    """Draws questions about games between two, and judges answers."""

    STAGE, DEPTH = "ply", "distance"
    UNIT = "plies lost a move where a win was kept"
    KINDS = ("win->draw", "win->loss", "draw->loss")
    TASK = "In each position, write down the move that you would play."
    RIGHT = (
        "Right are all moves that keep the result under best play; the quickest wins and draws stand first, in bold."
    )
    TICKS = False  # an answer is written on a line
    LEVELS = (
        "at least half of the moves are right",
        "at least a third of the moves are right, but less than half",
        "at least a fifth of the moves are right, but less than a third",
        "less than a fifth of the moves are right",
    )
    KEY = Key

    # ---- what a family may know better

    def oracle(self, rules: Any, tablebase: Path | str | None, nodes: int) -> Oracle:
        """What gives the truth about positions."""
        family = family_of(rules)
        if not family.truth:
            raise BadRules(f"{rules} is a game of {family.name}, and there are no exams about these")
        truth = family.load("truth")
        return lambda position: Truth.of(truth(position))

    def plies(self, rules: Any) -> range:
        """The plies that may have questions."""
        random = np.random.default_rng(0)
        return range(max(_length(rules, random) for _ in range(SAMPLED)))

    def positions(self, rules: Any, ply: int, random: np.random.Generator) -> Iterator[Any]:
        """Different ongoing positions of a ply, in random order."""
        draw_opening = family_of(rules).load("openings")
        seen: set[object] = set()
        for _ in range(OPENINGS):
            try:
                position = replay(draw_opening(rules, ply, random), rules)
            except BadNotation:
                return  # random games of that length are over
            known = getattr(position, "key", position)
            if known not in seen:
                seen.add(known)
                yield position

    def check(self, position: Any) -> None:
        """Refuse a position to which no game leads, as far as that is known."""

    def drawn(self, position: Any) -> str:
        """The board as HTML."""
        return f"<pre>{escape(position.draw())}</pre>"

    def picture(self, position: Any, key: Key, move: str) -> str:
        """The board with what each move is worth, as HTML: the best marked, the one that was played struck."""
        return self.drawn(position)

    # ---- questions

    def question(self, number: int, position: Any) -> Question:
        """What an exam says of a position."""
        self.check(position)
        legal = tuple(position.move_text(move) for move in position.moves())
        return Question(number, str(position.rules), str(position), position.to_move, legal, ply=position.ply)

    def of_ply(self, rules: Any, ply: int, seed: int, ask: Oracle, nodes: int) -> Iterator[tuple[Any, Truth]]:
        """The questions of a ply, until its positions run out or too many in a row leave no choice or are too hard."""
        without, hard = 0, 0
        for position in self.positions(rules, ply, chance(seed, DRAWING, ply)):
            truth = ask(position)
            if truth.decisive:
                without = hard = 0
                yield position, truth
                continue
            without += 1
            hard = hard + 1 if truth.value == UNKNOWN else 0
            if hard == TOO_HARD:
                told = f"ply {ply} is left: {hard} positions took more than {nodes:,} nodes"
                logging.getLogger("gridlab").warning(told)
            if without == GIVE_UP or hard == TOO_HARD:
                return

    def draw_evenly(
        self, rules: Any, number: int, plies: Sequence[int] | None = None, seed: int = 0,
        tablebase: Path | str | None = None, nodes: int = NODES,
    ) -> Iterator[Drawn]:  # fmt: skip
        """Up to so many different questions, one from each ply in turn; a longer list begins like a short one."""
        ask = self.oracle(rules, tablebase, nodes)
        sources = [self.of_ply(rules, ply, seed, ask, nodes) for ply in plies or self.plies(rules)]
        yield from self._numbered(sources, number)

    def draw_questions(
        self, rules: Any, number: int, plies: range | None = None, seed: int = 0, tablebase: Path | str | None = None,
        nodes: int = NODES,
    ) -> Iterator[Drawn]:  # fmt: skip
        """Questions from every ply in turn, and within a ply from every distance in turn; one of each symmetry class.

        The truth comes from the tablebase as far as it goes, else from search of at most so many nodes.
        """
        every = self.plies(rules)
        chosen = every if plies is None else plies
        if not set(chosen) <= set(every):
            raise BadNotation(f"plies {chosen.start}-{chosen.stop - 1} of {rules}: 0 to {every[-1]} have a choice")
        ask = self.oracle(rules, tablebase, nodes)
        batch = max(LEAST_BATCH, SPARE * -(-number // len(chosen)))
        sources = [_stratified(self.of_ply(rules, ply, seed, ask, nodes), batch) for ply in chosen]
        yield from self._numbered(sources, number)

    def _numbered(self, sources: list[Iterator[tuple[Any, Truth]]], number: int) -> Iterator[Drawn]:
        for place, found in enumerate(islice(in_turn(sources), number), 1):
            yield self.asked(place, *found)

    def asked(self, number: int, position: Any, truth: Truth) -> Drawn:
        """A question and its key."""
        moves = {position.move_text(move): worth for move, worth in truth.moves.items()}
        key = {"id": number, "value": truth.value, "distance": truth.distance, "moves": moves}
        return Drawn(self.question(number, position), position, msgspec.convert(key, Key))

    def check_key(self, key: Key, position: Any) -> None:
        """CorruptFile if what a key says of a position cannot be."""
        if None in (distance for _, distance in (*key.moves.values(), (key.value, key.distance))):
            raise CorruptFile("it does not say how many plies every move takes")
        value, distance = max(key.moves.values(), key=_goodness)
        if (key.value, key.distance) != (value, distance):
            best = f"its best move is {value} in {distance}"
            raise CorruptFile(f"the position is said to be a {key.value} in {key.distance}, {best}")
        if len({value for value, _ in key.moves.values()}) == 1:
            raise CorruptFile(f"every move is a {value}: there is nothing to decide")

    # ---- answers

    def judge(self, key: Key, move: str) -> Judged:
        """What a legal move gives away. A near win that was missed, and a near loss not seen, are the worst."""
        value, distance = key.moves[move]
        if value == key.value:
            if value == "draw" or distance is None or key.distance is None:
                return Judged("", None, ())
            return Judged("", abs(distance - key.distance), ())
        missed = key.distance or FAR if key.value == "win" else FAR
        unseen = distance or FAR if value == "loss" else FAR
        return Judged(f"{key.value}->{value}", None, (POINTS[key.value] - POINTS[value], -min(missed, unseen)))

    def told(self, key: Key, move: str) -> str:
        """An answer and the truth, in words."""
        value, distance = key.moves[move]
        best = ", ".join(key.best[:3]) + (" …" if len(key.best) > 3 else "")
        how = "" if value == "draw" else f" in {distance}"
        right = "" if key.value == "draw" else f" in {key.distance}"
        return f"{move} {VERBS[value][0]}{how}; {best} {VERBS[key.value][len(key.best) > 1]}{right}"

    def outlook(self, key: Key) -> str:
        """What a position comes to under best play."""
        return "draw" if key.value == "draw" else f"{key.value} in {counted(key.distance or 0, 'ply', 'plies')}"

    def level(self, key: Key) -> int:
        """How hard a question is for people, from 1: the fewer of its moves are right, the harder."""
        right = sum(value == key.value for value, _ in key.moves.values())
        return 1 + sum(right * guesses < len(key.moves) for guesses in GUESSES)

    def aim(self, key: Key) -> str:
        """What the right moves keep."""
        return key.value


BY_TRUTH = Judge()


def _length(rules: Any, random: np.random.Generator) -> int:
    """How many moves a random game has."""
    position = start_of(rules)
    while not position.over:
        moves = position.moves()
        position = position.step(moves[random.integers(len(moves))], random)
    return int(position.ply)


def _stratified(found: Iterator[tuple[Any, Truth]], batch: int) -> Iterator[tuple[Any, Truth]]:
    """Positions in turn from all their values and distances, a batch after the other."""
    while some := list(islice(found, batch)):
        groups: dict[tuple[int, int], list[tuple[Any, Truth]]] = {}
        for each in some:
            groups.setdefault((-POINTS[each[1].value], each[1].distance or 0), []).append(each)
        yield from in_turn([iter(groups[name]) for name in sorted(groups)])


def chance(seed: int, purpose: int, number: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(purpose, number)))
