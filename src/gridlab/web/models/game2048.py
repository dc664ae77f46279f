"""2048."""

from typing import Annotated

from pydantic import BaseModel, Field

from gridlab.web.models import BoardText, Direction, GameText, PlayerText, Score, Seed, Told
from gridlab.web.settings import MOST_AUTOPLAY


class State2048(BaseModel):
    """A position of 2048; with its seed and the number of its move it goes on the same way every time."""

    rules: str
    rows: int
    cols: int
    board: str
    tiles: list[int]
    score: int
    max_tile: int
    over: bool
    moves: list[Direction]
    seed: int
    ply: int
    svg: str


class Board2048(Told):
    """A position to go on from."""

    game: GameText = "2048"
    board: BoardText
    score: Score = 0
    seed: Seed = 0
    ply: Annotated[int, Field(ge=0, le=10**6)] = 0


class Move2048(Board2048):
    """A move to be made."""

    direction: Direction


class Autoplay2048(Board2048):
    """Some moves of a player."""

    player: PlayerText = "expectimax"
    moves: Annotated[int, Field(ge=1, le=MOST_AUTOPLAY)] = 1


class Step2048(BaseModel):
    """A move: where tiles went, what appeared, and what is there now."""

    direction: Direction
    travel: list[tuple[int, int]] = Field(description="From cell to cell; two tiles that merge go to the same one.")
    spawned: int = Field(description="The cell of the new tile.")
    state: State2048


class Steps2048(BaseModel):
    """Moves, one after the other."""

    steps: list[Step2048]


class Values2048(BaseModel):
    """What each legal direction is worth, as a player sees it."""

    player: str
    values: dict[Direction, float]
    best: Direction | None
    exact: bool = Field(description="Whether these are the truth, from a solved board.")
    target: str = Field(
        description="What an exact value is: score, the points to come, or the tile whose chance it is."
    )
    points: bool = Field(description="Whether a value is points to come, true or expected.")


class Record2048(Told):
    """A game of 2048 to be written down: all its directions since the start of its seed."""

    game: GameText = "2048"
    seed: Seed
    moves: Annotated[list[Direction], Field(max_length=70_000)]
