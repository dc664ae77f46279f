"""What lies in the served folder."""

from typing import Any

from pydantic import BaseModel, Field

from gridlab.web.folder import Kind
from gridlab.web.models import Direction
from gridlab.web.models.mnk import Values


class FoundFile(BaseModel):
    """Something in the served folder that the lab can show."""

    path: str
    kind: Kind
    bytes: int


class PlyCount(BaseModel):
    """Positions of a ply by the value for the player to move."""

    ply: int
    wins: int
    draws: int
    losses: int
    canonical: int
    longest_win: int
    longest_loss: int


class TablebaseInfo(BaseModel):
    """A tablebase."""

    path: str
    rules: str
    max_ply: int
    plies: list[PlyCount]
    openings: Values


class LayerCount(BaseModel):
    """A layer of terminal wins."""

    ply: int
    records: int
    x_wins: int | None
    o_wins: int | None


class TerminalsInfo(BaseModel):
    """A dataset of terminal wins."""

    path: str
    rules: str
    remark: str
    layers: list[LayerCount]


class Drawn(BaseModel):
    """A board of a dataset."""

    ply: int
    number: int
    board: str
    winner: str
    svg: str


class Page(BaseModel):
    """Some boards of many."""

    total: int
    first: int
    boards: list[Drawn]


class Contains(BaseModel):
    """Whether a board is in a dataset."""

    found: bool
    answer: str


class RecordInfo(BaseModel):
    """A recorded game between two."""

    number: int
    rules: str
    x: str
    o: str
    moves: list[str]
    result: str
    reason: str


class RecordsPage(BaseModel):
    """Some games of a file, and what all that were read come to."""

    first: int
    more: bool
    games: list[RecordInfo]


class Game2048Info(BaseModel):
    """A recorded game of 2048, in short."""

    number: int
    moves: int
    score: int
    max_tile: int


class Games2048Page(BaseModel):
    """Some games of a file."""

    total: int
    samples: int
    first: int
    games: list[Game2048Info]


class Replay2048(BaseModel):
    """Some moves of a recorded game of 2048; the last board has no direction if the game ends there."""

    number: int
    rows: int
    cols: int
    total: int = Field(description="Boards of the game: one more than moves.")
    first: int
    boards: list[list[int]]
    scores: list[int]
    directions: list[Direction | None]
    svgs: list[str]
    history: list[tuple[int, int]] = Field(description="Moves and scores over the whole game, a few hundred of them.")


class CurvePoint(BaseModel):
    """A row of a learning curve."""

    episode: int
    values: dict[str, float]


class CheckpointInfo(BaseModel):
    """A trained network."""

    path: str
    rules: str
    episode: int | None
    steps: int | None
    parameters: int
    settings: dict[str, Any]
    curve: list[CurvePoint]


class NTuplePoint(BaseModel):
    """Where a training of an n-tuple network stood."""

    games: int
    minutes: float
    mean_score: float
    tile_rates: dict[str, float]


class NTupleInfo(BaseModel):
    """An n-tuple network of 2048, and how it was learnt."""

    path: str
    rules: str
    tuples: list[str]
    weights: int
    games: int
    moves: int
    minutes: float
    workers: int
    settings: dict[str, float | str]
    curve: list[NTuplePoint]
