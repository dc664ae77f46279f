"""Puzzles: the questions of the standard exams, one at a time; who answers learns what every move is worth."""

from typing import Annotated, Any, Literal, cast

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from gridlab.arena.exam import Book, Level, Puzzle, book_of, books
from gridlab.game2048.position import Position2048
from gridlab.games.registry import game as game_of
from gridlab.inarow.position import Position
from gridlab.web.lab import Lab
from gridlab.web.routes.inarow import MoveValue, label_of
from gridlab.web.work import ApiModel, Direction, GameText, MoveText, Side, Told

# ---- Puzzles: what is asked does not hold the answer; that comes when somebody has answered


Aim = Literal["win", "draw", "points"]
LevelNumber = Annotated[int, Field(ge=1, le=9, description="From 1, the easiest.")]
Number = Annotated[int, Field(ge=1, le=100_000, description="The number of a puzzle within its level, from 1.")]


class PuzzleLevel(ApiModel):
    """Puzzles that are about equally hard."""

    level: int
    name: str
    about: str = Field(description="What makes a puzzle one of this level.")
    puzzles: int
    right: tuple[int, int] = Field(description="The fewest and the most right moves of its puzzles.")
    legal: tuple[int, int] = Field(description="Out of so many moves, the fewest and the most.")

    @classmethod
    def of(cls, level: Level) -> "PuzzleLevel":
        return cls.taken_from(level, puzzles=len(level.puzzles))


class PuzzleGame(BaseModel):
    """A game that there are puzzles of."""

    game: str
    rules: str
    family: str
    words: str = Field(description="The game in a few sentences.")
    exam: str
    levels: list[PuzzleLevel]

    @classmethod
    def of(cls, book: Book) -> "PuzzleGame":
        return cls(
            game=book.game, rules=str(book.rules), family=book.rules.family, words=book.rules.words,
            exam=book.exam.name, levels=[PuzzleLevel.of(each) for each in book.levels.values()],
        )  # fmt: skip


class PuzzleBoard(BaseModel):
    """A board to look at: stones, or in 2048 tiles."""

    rows: int
    cols: int
    board: str
    to_move: str
    marked: list[int] = Field(description="The cells of completed lines.")
    tiles: list[int]

    @classmethod
    def of(cls, position: Position | Position2048) -> "PuzzleBoard":
        rules = position.rules
        return cls(
            rows=rules.rows, cols=rules.cols, board=str(position), to_move=position.to_move, marked=_marked(position),
            tiles=list(position.tiles) if isinstance(position, Position2048) else [],
        )  # fmt: skip


def _marked(position: Position | Position2048) -> list[int]:
    lines = [] if isinstance(position, Position2048) else position.lines()
    return sorted({cell for line in lines for cell in range(position.rules.cells) if line >> cell & 1})


class PuzzleQuestion(BaseModel):
    """A puzzle, without its answer."""

    game: str
    level: int
    number: int
    of: int = Field(description="How many puzzles the level has.")
    question: int = Field(description="Its number in the exam.")
    aim: Aim = Field(description="What a right move keeps.")
    legal: list[str]
    position: PuzzleBoard

    @classmethod
    def of_puzzle(cls, puzzle: Puzzle) -> "PuzzleQuestion":
        return cls(
            game=puzzle.book.game, level=puzzle.level, number=puzzle.number,
            of=len(puzzle.book.levels[puzzle.level].puzzles), question=puzzle.question.id, aim=cast(Aim, puzzle.aim),
            legal=list(puzzle.question.legal), position=PuzzleBoard.of(puzzle.position),
        )  # fmt: skip


class PuzzleAnswer(Told):
    """The move that somebody thinks is right."""

    game: GameText
    level: LevelNumber
    number: Number
    move: MoveText


class PuzzleMove(MoveValue):
    """What a move is worth, and whether it is right."""

    right: bool


class PuzzleDirection(BaseModel):
    """What a direction of 2048 is worth, and whether it is right."""

    move: Direction
    points: float = Field(description="The points to come with best play after it, its own included.")
    lost: float = Field(description="The points by which the best direction is worth more.")
    right: bool


class PuzzleVerdict(BaseModel):
    """Whether an answer is right, and what every move is worth."""

    move: str
    right: bool
    best: list[str]
    moves: list[PuzzleMove] | list[PuzzleDirection]

    @classmethod
    def of(cls, puzzle: Puzzle, move: str) -> "PuzzleVerdict":
        worths = _directions(puzzle) if puzzle.aim == "points" else _moves(puzzle)
        return cls(move=move, right=puzzle.judge(move).kept, best=puzzle.key.best, moves=worths)


def _moves(puzzle: Puzzle) -> list[PuzzleMove]:
    right = puzzle.right
    return [
        PuzzleMove(
            move=move, cell=puzzle.position.parse_move(move), value=value, distance=distance,
            label=label_of(value, distance), right=move in right,
        )
        for move, (value, distance) in puzzle.key.moves.items()
    ]  # fmt: skip


def _directions(puzzle: Puzzle) -> list[PuzzleDirection]:
    right = puzzle.right
    return [
        PuzzleDirection(move=move, points=points, lost=puzzle.judge(move).regret or 0.0, right=move in right)
        for move, points in puzzle.key.moves.items()
    ]


class PuzzleStep(BaseModel):
    """A move of a line, and the board after it."""

    move: str
    side: Side
    position: PuzzleBoard


class PuzzleLine(BaseModel):
    """A move of a puzzle and the best replies to it."""

    steps: list[PuzzleStep]
    whole: bool = Field(description="Whether it goes to the end of the game; else it is too expensive to know at once.")

    @classmethod
    def of(cls, line: list[Any]) -> "PuzzleLine":
        steps = [
            PuzzleStep(move=before.move_text(move), side=before.to_move, position=PuzzleBoard.of(after))
            for before, move, after in line
        ]
        return cls(steps=steps, whole=line[-1].after.over)


# ---- Puzzles: the questions of the standard exams, one at a time; who answers learns what every move is worth


Game = Annotated[GameText, Query()]
OfLevel = Annotated[LevelNumber, Query()]
OfNumber = Annotated[Number, Query()]


def router(lab: Lab) -> APIRouter:
    """The routes of puzzles."""
    routes = APIRouter(prefix="/puzzles", tags=["puzzles"])

    @lab.quick.on(routes.get(""))
    def games() -> list[PuzzleGame]:
        """The games that there are puzzles of, and their levels."""
        return [PuzzleGame.of(book) for book in books().values()]

    @lab.quick.on(routes.get("/question"))
    def question(game: Game, level: OfLevel = 1, number: OfNumber = 1) -> PuzzleQuestion:
        """A puzzle, without its answer."""
        return PuzzleQuestion.of_puzzle(puzzle_of(game, level, number))

    @lab.quick.on(routes.post("/answer"))
    def answer(asked: PuzzleAnswer) -> PuzzleVerdict:
        """Whether a move is right, and what every move is worth; at once, for the exam knows it."""
        puzzle = puzzle_of(asked.game, asked.level, asked.number)
        return PuzzleVerdict.of(puzzle, puzzle.move(asked.move))

    @lab.quick.on(routes.get("/line"))
    def line(game: Game, move: Annotated[MoveText, Query()], level: OfLevel = 1, number: OfNumber = 1) -> PuzzleLine:
        """A move of a puzzle and the best replies to it, to the end of the game if it is known so far."""
        puzzle = puzzle_of(game, level, number)
        return PuzzleLine.of(puzzle.line(puzzle.move(move), lab.truth.ask))

    return routes


def puzzle_of(game: str, level: int, number: int) -> Puzzle:
    return book_of(game_of(game)).puzzle(level, number)
