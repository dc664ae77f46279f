"""Long work."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from gridlab.web.models import BoardText, FileName, GameText, PlayerText, Seed, Told
from gridlab.web.settings import MOST_GAMES, MOST_POSITIONS, SOLVE_SECONDS


class SolveAsked(Told):
    """An exact answer that takes a while."""

    game: GameText
    board: BoardText = ""
    seconds: Annotated[float, Field(ge=0.1, le=SOLVE_SECONDS)] = SOLVE_SECONDS


class MatchAsked(Told):
    """A match."""

    game: GameText
    a: PlayerText
    b: PlayerText
    games: Annotated[int, Field(ge=1, le=MOST_GAMES)] = 100
    openings: Annotated[str, Field(max_length=20)] = "random:0"
    seed: Seed = 0


class GradeAsked(Told):
    """A grade."""

    game: GameText
    player: PlayerText
    positions: Annotated[int, Field(ge=1, le=MOST_POSITIONS)] = 200
    seed: Seed = 0


class FindAsked(Told):
    """Records of a dataset that match a description."""

    file: FileName
    pattern: Annotated[str, Field(max_length=200, description="Such as X?./???/..O; ? is any cell.")] = ""
    winner: Literal["", "X", "O"] = ""
    symmetric: bool = True
    count: Annotated[int, Field(ge=1, le=60)] = 24


class FileAsked(Told):
    """A file to be looked through."""

    file: FileName


class ListedGame(BaseModel):
    """A game of a match; A is X in the first, third, … and O in the others."""

    moves: list[str]
    opening: Annotated[int, Field(description="So many of the first moves were drawn by chance.")]
    result: Literal["x_wins", "o_wins", "draw"]
    end: Literal["played", "resigned", "fault"]


class JobInfo(BaseModel):
    """How far long work has come, and what came of it."""

    id: str
    kind: str
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    doing: str
    done: float
    total: float | None
    partial: Any = None
    result: Any = None
    error: str
