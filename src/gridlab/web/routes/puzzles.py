"""Puzzles: the questions of the standard exams, one at a time; who answers learns what every move is worth."""

from typing import Annotated

from fastapi import APIRouter, Query, Request

from gridlab.arena.exams.puzzles import Puzzle, book_of, books
from gridlab.games.registry import game as game_of
from gridlab.web.lab import Lab
from gridlab.web.models import GameText, MoveText
from gridlab.web.models.puzzles import (
    LevelNumber,
    Number,
    PuzzleAnswer,
    PuzzleGame,
    PuzzleLine,
    PuzzleQuestion,
    PuzzleVerdict,
)
from gridlab.web.settings import REPLY_SECONDS

Game = Annotated[GameText, Query()]
OfLevel = Annotated[LevelNumber, Query()]
OfNumber = Annotated[Number, Query()]


def router(lab: Lab) -> APIRouter:
    """The routes of puzzles."""
    routes = APIRouter(prefix="/puzzles", tags=["puzzles"])

    @routes.get("")
    async def games(request: Request) -> list[PuzzleGame]:
        """The games that there are puzzles of, and their levels."""

        def look() -> list[PuzzleGame]:
            return [PuzzleGame.of(book) for book in books().values()]

        return await lab.quick.run(look, REPLY_SECONDS, request.is_disconnected)

    @routes.get("/question")
    async def question(request: Request, game: Game, level: OfLevel = 1, number: OfNumber = 1) -> PuzzleQuestion:
        """A puzzle, without its answer."""

        def look() -> PuzzleQuestion:
            return PuzzleQuestion.of_puzzle(puzzle_of(game, level, number))

        return await lab.quick.run(look, REPLY_SECONDS, request.is_disconnected)

    @routes.post("/answer")
    async def answer(request: Request, asked: PuzzleAnswer) -> PuzzleVerdict:
        """Whether a move is right, and what every move is worth; at once, for the exam knows it."""

        def judge() -> PuzzleVerdict:
            puzzle = puzzle_of(asked.game, asked.level, asked.number)
            return PuzzleVerdict.of(puzzle, puzzle.move(asked.move))

        return await lab.quick.run(judge, REPLY_SECONDS, request.is_disconnected)

    @routes.get("/line")
    async def line(
        request: Request, game: Game, move: Annotated[MoveText, Query()], level: OfLevel = 1, number: OfNumber = 1
    ) -> PuzzleLine:
        """A move of a puzzle and the best replies to it, to the end of the game if it is known so far."""

        def look() -> PuzzleLine:
            puzzle = puzzle_of(game, level, number)
            return PuzzleLine.of(puzzle.line(puzzle.move(move), lab.truth.ask))

        return await lab.quick.run(look, REPLY_SECONDS, request.is_disconnected)

    return routes


def puzzle_of(game: str, level: int, number: int) -> Puzzle:
    return book_of(game_of(game)).puzzle(level, number)
