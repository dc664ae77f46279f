"""2048."""

from typing import Annotated

from pydantic import BaseModel, Field

from gridlab.web.models import BoardText, Direction, GameText, PlayerText, Score, Seed, Told
from gridlab.web.settings import MOST_AUTOPLAY

MOST_RECORDED = 70_000  # moves of a game; no game on 4x4 has more
MOST_DIRECTIONS = 500


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


Moves = Annotated[list[Direction], Field(max_length=MOST_RECORDED)]


class Play2048(Told):
    """Where a game is, and what is to be done with it.

    It goes on from a board; without one from the start of its seed, after `moves`.
    """

    game: GameText = "2048"
    seed: Seed = 0
    board: BoardText = ""
    score: Score = 0
    ply: Annotated[int, Field(ge=0, le=10**6)] = 0
    moves: Moves = Field(default_factory=list)
    directions: Annotated[list[Direction], Field(max_length=MOST_DIRECTIONS, description="To be played now.")] = Field(
        default_factory=list
    )
    player: PlayerText = ""
    count: Annotated[int, Field(ge=1, le=MOST_AUTOPLAY, description="Moves of the player.")] = 1
    values: Annotated[PlayerText, Field(description="Who says what each direction is worth in the end.")] = ""


class Step2048(BaseModel):
    """A move: where tiles went, what appeared, and what is there now."""

    direction: Direction
    travel: list[tuple[int, int]] = Field(description="From cell to cell; two tiles that merge go to the same one.")
    spawned: int = Field(description="The cell of the new tile.")
    state: State2048


class Values2048(BaseModel):
    """What each legal direction is worth, as a player sees it."""

    player: str
    board: str
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
    moves: Moves


class Review2048(Record2048):
    """A game to be looked through, and who does it."""

    player: PlayerText = "expectimax"


class Worst2048(BaseModel):
    """A move that gave something away."""

    ply: int
    state: State2048
    played: Direction
    best: Direction
    loss: float
