"""Exams: questions for everybody, and a key with the truth, which stays in the drawer; judges, and puzzles.

NAME.jsonl        {"format": "gridlab-exam", "version": 1, "name": "squava-v1", "rules": "5x5:4-3", "questions": 300, …}
                  {"id": 1, "rules": "5x5:4-3", "board": "X..../…", "to_move": "O", "ply": 1, "legal": ["12", "13", …]}
                  …
NAME.key.jsonl    {"format": "gridlab-exam-key", "version": 1, "exam": "squava-v1", "sha256": …, "questions": 300}
                  {"id": 1, "value": "win", "distance": 18, "moves": {"12": ["win", 20], "13": ["loss", 19], …}}
                  …

A key belongs to the bytes of one exam. Questions are numbered from 1. In 2048 `sum`, that of the tiles, stands in the
place of `ply`, and a move is worth the points to come. Nothing is believed: boards are positions of the game with a
choice in them, `legal` lists exactly their moves, and a key is worth what its best move is.
"""

import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import islice
from pathlib import Path
from random import Random
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeVar

import msgspec
import numpy as np

from gridlab.arena.session import replay, start_of
from gridlab.core.arguments import check_seed, counted, typed
from gridlab.core.draw import Sheet, brief, shown
from gridlab.core.errors import BadNotation, BadRules, CorruptFile, FileTrouble, GridlabError, IllegalMove
from gridlab.core.files import whole_file
from gridlab.core.progress import bar
from gridlab.core.untrusted import Count, parse_json, read_bytes
from gridlab.games.registry import FAMILIES, GamePosition, GameRules, Move, family_of, game

EXAM: Final = "gridlab-exam"
KEY: Final = "gridlab-exam-key"
VERSION: Final = 1
ENDING, KEY_ENDING = ".jsonl", ".key.jsonl"
SHIPPED = Path(__file__).parent / "shipped"
MOST_QUESTIONS = 100_000

Id = Annotated[int, msgspec.Meta(ge=1, le=MOST_QUESTIONS)]
Length = Annotated[int, msgspec.Meta(ge=1, le=MOST_QUESTIONS)]
Short = Annotated[str, msgspec.Meta(max_length=1000)]


class Head(msgspec.Struct, frozen=True):
    """The first line of an exam."""

    format: Literal["gridlab-exam"]
    version: Literal[1]
    name: Short
    rules: Short
    words: Annotated[str, msgspec.Meta(max_length=10_000)]
    questions: Length
    seed: Count


class Question(msgspec.Struct, frozen=True, omit_defaults=True):
    """A position whose moves are not all worth the same."""

    id: Id
    rules: Short
    board: Short
    to_move: Short
    legal: Annotated[tuple[Short, ...], msgspec.Meta(min_length=2, max_length=64)]
    ply: Count | None = None
    sum: Count | None = None

    @property
    def stage(self) -> int:
        """How far the game has come: the ply, or in 2048 the sum of the tiles."""
        return self.ply if self.ply is not None else self.sum or 0


class KeyHead(msgspec.Struct, frozen=True):
    """The first line of a key."""

    format: Literal["gridlab-exam-key"]
    version: Literal[1]
    exam: Short
    sha256: Short
    questions: Length


@shown
@dataclass(frozen=True)
class Exam:
    """Questions about one game, in an order whose every beginning is a fair part of the whole."""

    name: str
    rules: GameRules
    seed: int
    questions: tuple[Question, ...]
    positions: tuple[GamePosition, ...]  # of the questions
    sha256: str
    path: Path
    keys: tuple[Any, ...] = ()  # the truth about each question, of an exam that is in no file

    def _in_short(self) -> str:
        return f"{brief(self.name)}, {self.rules}: {counted(len(self.questions), 'question')}, seed {self.seed}"

    def _sheet(self) -> Sheet:
        rows = [(each.id, each.board, each.to_move, each.stage, len(each.legal)) for each in self.questions]
        header = ("question", "board", "to move", self.family.STAGE, "legal moves")
        return Sheet(f"{self.name}: {self.rules}, {len(rows):,} questions", header, rows)

    @property
    def family(self) -> Any:
        """What draws questions about this game and judges answers."""
        return family_of(self.rules).load("exams")

    def numbers(self, questions: int | None = None, seed: int | None = None) -> tuple[int, ...]:
        """The numbers of so many questions: of the first, or with a seed of some drawn at random; of all by default."""
        every = range(1, len(self.questions) + 1)
        if questions is None and seed is not None:
            raise BadNotation("a seed draws some of the questions; say how many: --questions N")
        if questions is not None and questions not in every:
            raise BadNotation(f"{questions} questions cannot be taken: {self.name} has {len(every):,}")
        if seed is None or questions is None:
            return tuple(every[:questions])
        return tuple(sorted(Random(check_seed(seed)).sample(every, questions)))

    def key(self, path: Path | None = None) -> tuple[Any, ...]:
        """The truth about each question; it lies beside the exam unless a path is named."""
        return self.keys or read_key(self, path or key_path(self.path))


def key_path(path: Path) -> Path:
    """Where the key of an exam lies: exam.jsonl -> exam.key.jsonl."""
    return path.with_name(path.name.removesuffix(ENDING) + KEY_ENDING)


def standard_exams() -> list[str]:
    """The exams that come with the package, by name."""
    names = (path.name.removesuffix(ENDING) for path in sorted(SHIPPED.glob(f"*{ENDING}")))
    return [name for name in names if not name.endswith(".key")]


def find_exam(name: Path | str) -> Path:
    """The file of that name, or the exam of that name that comes with the package."""
    path = Path(name)
    if path.exists():
        return path
    if str(name) in standard_exams():
        return SHIPPED / f"{name}{ENDING}"
    known = f"an exam that comes with the package; these are {', '.join(standard_exams())}"
    raise FileTrouble(f"{str(name)[:200]!r} is neither a file nor {known}")


# ---- writing


class Drawn(NamedTuple):
    """A question, the position it is about, and the truth."""

    question: Question
    position: Any
    key: Any


def write_exam(path: Path, rules: GameRules, seed: int, drawn: Iterable[Drawn]) -> Exam:
    """Write an exam and, beside it, its key; the exam, as it will be read."""
    questions, _, keys = zip(*drawn, strict=True)
    name = path.name.removesuffix(ENDING)
    head = Head(EXAM, VERSION, name, str(rules), rules.words, len(questions), seed)
    content = _text(head, questions)
    key_head = KeyHead(KEY, VERSION, name, hashlib.sha256(content).hexdigest(), len(keys))
    with whole_file(path) as paper, whole_file(key_path(path)) as key:  # locked together: they are one exam
        paper.write(content)
        key.write(_text(key_head, keys))
    return _exam(content, path)


def _text(head: msgspec.Struct, lines: Iterable[msgspec.Struct]) -> bytes:
    return b"".join(json.dumps(msgspec.to_builtins(each)).encode() + b"\n" for each in (head, *lines))


# ---- reading


@typed
def read_exam(name: Path | str) -> Exam:
    """The questions of an exam, by file or name, checked by the rules of the game."""
    path = find_exam(name)
    return _exam(read_bytes(path), path)


def exam_of(exam: Exam | Path | str) -> Exam:
    """An exam, or the one of that name."""
    return exam if isinstance(exam, Exam) else read_exam(exam)


def _exam(content: bytes, path: Path) -> Exam:
    lines = _lines(content, path)
    where, line = next(lines, (f"{path}", b""))
    head = parse_json(line, Head, f"{where} is not the head of an exam")
    with _at(where):
        rules: GameRules = game(head.rules)
    questions, positions = [], []
    for number, (where, line) in enumerate(lines, 1):
        question = parse_json(line, Question, f"{where} is not a question")
        with _at(where):
            positions.append(_position(question, rules, number))
        questions.append(question)
    _check_count(path, len(questions), head.questions)
    digest = hashlib.sha256(content).hexdigest()
    return Exam(head.name, rules, head.seed, tuple(questions), tuple(positions), digest, path)


def _position(question: Question, rules: GameRules, number: int) -> GamePosition:
    """The position of a question, if all that is said of it is true."""
    family = family_of(rules)
    position: GamePosition = family.load("position").parse(question.board, rules)
    truth = family.load("exams").question(number, position)
    for name in truth.__struct_fields__:
        found, right = getattr(question, name), getattr(truth, name)
        if found != right:
            raise CorruptFile(f"'{name}' is {str(found)[:80]!r}, where {str(right)[:80]!r} is true")
    return position


def read_key(exam: Exam, path: Path) -> tuple[Any, ...]:
    """The truth about each question of an exam."""
    form = exam.family.KEY
    lines = _lines(read_bytes(path), path)
    where, line = next(lines, (f"{path}", b""))
    head = parse_json(line, KeyHead, f"{where} is not the head of a key")
    if head.sha256 != exam.sha256:
        told = "the checksum it names is not the exam's"
        raise CorruptFile(f"{path} is the key of another exam than {exam.path}: {told}")
    keys: list[Any] = []
    for (where, line), question in zip(lines, exam.questions, strict=False):
        key = parse_json(line, form, f"{where} is not an entry of a key")
        with _at(where):
            if key.id != question.id or tuple(key.moves) != question.legal:
                raise CorruptFile(f"it answers another question than number {question.id}")
            exam.family.check_key(key, exam.positions[question.id - 1])
        keys.append(key)
    _check_count(path, len(keys) + sum(1 for _ in lines), len(exam.questions))
    _check_count(path, len(keys), head.questions)
    return tuple(keys)


def _lines(content: bytes, path: Path) -> Iterator[tuple[str, bytes]]:
    """Every line, with where it stands."""
    if content and not content.endswith(b"\n"):
        raise CorruptFile(f"{path}: the last line is cut off; every line ends in a line end")
    for number, line in enumerate(content.split(b"\n")[:-1], 1):
        yield f"{path} line {number}", line


@contextmanager
def _at(where: str) -> Iterator[None]:
    """Say where in a file something is wrong."""
    try:
        yield
    except GridlabError as error:
        raise CorruptFile(f"{where}: {error}") from error


def _check_count(path: Path, found: int, said: int) -> None:
    if found != said:
        raise CorruptFile(f"{path} has {found:,} entries, where {said:,} are needed")


# ---- An exam made: positions whose moves are not all worth the same, with the truth in a file of its own


NODES = 10_000_000  # of a search for one truth


@typed
def make_exam(
    rules: GameRules | str, out: Path | str, positions: int = 300, plies: range | None = None, nodes: int = NODES,
    tablebase: Path | str | None = None, seed: int = 0, progress: bool = False,
) -> Exam:  # fmt: skip
    """Draw questions and write them to `out`, their key beside it.

    Decisive positions alone: two moves at least end differently under best play (2048: are worth different points).
    They come from all plies and distances in turn, one of each symmetry class, as a random image of it.
    """
    played: GameRules = game(rules)
    if not 1 <= positions <= MOST_QUESTIONS:
        raise BadNotation(f"{positions} questions make no exam; 1 to {MOST_QUESTIONS:,} do")
    family = family_of(played).load("exams")
    found = family.draw_questions(played, positions, plies, check_seed(seed), tablebase, nodes)
    drawn = collect(found, played, positions, "ask about another game", progress)
    if len(drawn) < positions:
        told = f"only {len(drawn):,} such positions of {played} were found, one of each symmetry class"
        logging.getLogger("gridlab").warning(told)
    return write_exam(Path(out), played, seed, drawn)


def collect(found: Iterable[Drawn], rules: GameRules, number: int, advice: str, progress: bool) -> list[Drawn]:
    """Up to so many questions as they are found; at least one, or it is said that there is none, with some advice."""
    drawn: list[Drawn] = []
    with bar(number, "questions", "positions", progress) as shown:
        for each in found:
            drawn.append(each)
            shown.update(1)
    if not drawn:
        raise BadNotation(f"no position of {rules} was found in which a move changes the value; {advice}")
    return drawn


# ---- What an answer is worth: the words that the exams of all games share


class Judged(NamedTuple):
    """A legal answer beside the best one."""

    kind: str  # what kind of blunder it is; empty if nothing was given away
    regret: Any  # plies, or points, given away; None where that has no meaning
    gravity: tuple[float, ...]  # the larger the worse

    @property
    def kept(self) -> bool:
        return not self.kind


# ---- Taking turns: one from each source, again and again, until none has any more


Item = TypeVar("Item")


def in_turn(sources: list[Iterator[Item]]) -> Iterator[Item]:
    """One from each source, again and again, until none has any more."""
    while sources:
        for source in tuple(sources):
            found = next(source, None)
            if found is None:
                sources.remove(source)
            else:
                yield found


# ---- Games between two judged by the truth: what each move is worth, what to ask about, what an answer costs
#
# win -> draw, win -> loss, draw -> loss     blunders
# win -> win                                 kept; the regret is the plies by which it comes later than it could
#
# A question is a position in which a move can change the value: not all its moves are worth the same. Questions are
# taken from every ply in turn. They hang on the game, the seed and the budget alone, so players graded with the same
# seed answer the same questions and can be compared pair by pair.
#
# A family names a function `truth` (gridlab.games.registry), or a judge of its own that knows more of its boards.


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


# ---- Puzzles: the questions of the standard exams for people, sorted by how hard they are.
#
# A level is of the truth alone: in a row the fewer moves are right, the harder; in 2048, where one direction of at most
# four is right, the less the next one gives away. Puzzles are numbered within their level, in the order of the exam, so
# the first of them are a fair part of all.


NAMES = ("easy", "medium", "hard", "very hard")


@dataclass(frozen=True)
class Puzzle:
    """A question for a person, and the truth about it."""

    book: "Book"
    level: int
    number: int  # within its level
    question: Question
    position: Any  # of the family of the game
    key: Any  # as that family has it

    @property
    def aim(self) -> str:
        """What a right move keeps: win, draw or points."""
        return str(self.book.exam.family.aim(self.key))

    @property
    def right(self) -> list[str]:
        """The moves that give nothing away."""
        return [move for move in self.question.legal if self.judge(move).kept]

    def move(self, text: str) -> str:
        """A legal move as it was written, or a sentence that says why it is none."""
        move: str = self.position.move_text(self.position.parse_move(text))
        if move not in self.question.legal:
            legal = ", ".join(self.question.legal)
            raise IllegalMove(f"{move} is not a move in {self.question.board}; there are {legal}")
        return move

    def judge(self, move: str) -> Judged:
        """What a legal move gives away."""
        judged: Judged = self.book.exam.family.judge(self.key, move)
        return judged

    def line(self, move: str, ask: Callable[..., Any]) -> list[Any]:
        """A legal move and the best replies to it, as far as `ask` knows them: (before, move, after) each."""
        line: list[Any] = self.book.exam.family.line(self.position, move, ask)
        return line


@dataclass(frozen=True)
class Level:
    """Puzzles that are about equally hard, and how many of their moves are right."""

    level: int
    about: str
    puzzles: tuple[Puzzle, ...]
    right: tuple[int, int]  # the fewest and the most right moves
    legal: tuple[int, int]  # out of so many, the fewest and the most

    @property
    def name(self) -> str:
        return NAMES[self.level - 1]


class Book:
    """The puzzles of one game, by level."""

    def __init__(self, exam: Exam) -> None:
        self.exam = exam
        sorted_: dict[int, list[Puzzle]] = {}
        for question, position, key in zip(exam.questions, exam.positions, exam.key(), strict=True):
            level = exam.family.level(key)
            same = sorted_.setdefault(level, [])
            same.append(Puzzle(self, level, len(same) + 1, question, position, key))
        self.levels = {level: _level(level, exam, sorted_[level]) for level in sorted(sorted_)}

    @property
    def rules(self) -> GameRules:
        return self.exam.rules

    @property
    def game(self) -> str:
        """The name of the game, or its rules if it has none."""
        named = family_of(self.rules).named
        return next((name for name, rules in named.items() if rules == str(self.rules)), str(self.rules))

    def puzzle(self, level: int, number: int) -> Puzzle:
        if level not in self.levels:
            known = ", ".join(map(str, self.levels))
            raise BadNotation(f"{self.game} has no puzzles of level {level}; there are {known}")
        puzzles = self.levels[level].puzzles
        if not 1 <= number <= len(puzzles):
            known = f"they are numbered 1 to {len(puzzles)}"
            raise BadNotation(f"{self.game} has no puzzle {number} of level {level}; {known}")
        return puzzles[number - 1]


def _level(level: int, exam: Exam, puzzles: list[Puzzle]) -> Level:
    right, legal = zip(*((len(each.right), len(each.question.legal)) for each in puzzles), strict=True)
    about, ends = exam.family.LEVELS[level - 1], ((min(right), max(right)), (min(legal), max(legal)))
    return Level(level, about, tuple(puzzles), *ends)


@cache
def books() -> dict[GameRules, Book]:
    """The puzzles of every game that a standard exam is about: in a row first, small boards first; read once."""
    exams = [read_exam(name) for name in standard_exams()]
    exams.sort(key=lambda exam: (list(FAMILIES).index(exam.rules.family), len(exam.questions[0].board)))
    return {exam.rules: Book(exam) for exam in exams}


def book_of(rules: GameRules) -> Book:
    """The puzzles of a game, or a sentence that names the games that have some."""
    if rules not in books():
        games = ", ".join(book.game for book in books().values())
        raise BadNotation(f"there are no puzzles of {rules}; there are puzzles of {games}")
    return books()[rules]
