"""The files of an exam: questions for everybody, and a key with the truth, which stays in the drawer.

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
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeVar

import msgspec

from gridlab.core.arguments import check_seed, counted, typed
from gridlab.core.draw import Sheet, brief, shown
from gridlab.core.errors import BadNotation, CorruptFile, FileTrouble, GridlabError
from gridlab.core.files import whole_file
from gridlab.core.progress import bar
from gridlab.core.untrusted import Count, parse_json, read_bytes
from gridlab.games.protocol import GamePosition, GameRules
from gridlab.games.registry import family_of, game

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
        every = len(self.questions)
        if questions is None:
            if seed is not None:
                raise BadNotation("a seed draws some of the questions; say how many: --questions N")
            return tuple(range(1, every + 1))
        if not 1 <= questions <= every:
            raise BadNotation(f"{questions} questions cannot be taken: {self.name} has {every:,}")
        if seed is None:
            return tuple(range(1, questions + 1))
        return tuple(sorted(Random(check_seed(seed)).sample(range(1, every + 1), questions)))

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
    known = ", ".join(standard_exams())
    raise FileTrouble(
        f"{str(name)[:200]!r} is neither a file nor an exam that comes with the package; these are {known}"
    )


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
        raise CorruptFile(
            f"{path} is the key of another exam than {exam.path}: the checksum it names is not the exam's"
        )
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
