"""What goes over the wire, in the words of the field: a value is for the player to move, a distance counts plies."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from gridlab.games.mnk.position import Position
from gridlab.games.mnk.solution import Move, Solution
from gridlab.web.folder import Kind
from gridlab.web.lab import is_exact
from gridlab.web.settings import MOST_AUTOPLAY, MOST_GAMES, MOST_POSITIONS, SOLVE_SECONDS

Value = Literal["win", "draw", "loss", "unknown"]
Side = Literal["X", "O"]
Direction = Literal["up", "down", "left", "right"]

GameText = Annotated[str, Field(max_length=40, description="A name, or rules such as 3x3:3, 5x5:4-3 or 2048:3x3.")]
BoardText = Annotated[str, Field(max_length=400, description="Such as X.O/.X./...; the empty board if it is empty.")]
MoveText = Annotated[str, Field(max_length=5, description="Row and column, both from 1: 23; 2,3 on large boards.")]
PlayerText = Annotated[str, Field(max_length=300, description="Such as perfect, or alpha-beta depth=4.")]
FileName = Annotated[str, Field(max_length=500, description="A file or folder inside the served folder.")]
Seed = Annotated[int, Field(ge=0, le=2**53 - 1)]
Score = Annotated[int, Field(ge=0, le=2**40)]


class Told(BaseModel):
    """What is asked for, with nothing else in it."""

    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """Why something was not done, in a sentence."""

    error: str


class Health(BaseModel):
    """Whether the server answers."""

    status: Literal["ok"]
    version: str
    behaviour: int


class NamedGame(BaseModel):
    """A game with a name."""

    name: str
    rules: str
    family: str


class LabInfo(BaseModel):
    """What this server offers."""

    version: str
    behaviour: int
    games: list[NamedGame]
    folder: str
    learning: bool  # whether networks can be asked
    commands: bool  # whether players may start programs


class Setting(BaseModel):
    """A setting of a player."""

    name: str
    default: str | int | float
    kind: Literal["whole", "real", "text"]


class PlayerKind(BaseModel):
    """A kind of player."""

    name: str
    about: str
    settings: list[Setting]
    reason: str = Field(description="Why it cannot play this game here; empty if it can.")


# ---- in-a-row games


class PositionInfo(BaseModel):
    """A position, legal or not."""

    rules: str
    rows: int
    cols: int
    win: int | None
    lose: int | None
    board: str
    ply: int
    to_move: Side
    over: bool
    winner: Side | None
    moves: list[str]
    flaw: str = Field(description="Why no game leads here; empty if one does.")
    marked: list[int] = Field(description="The cells of completed lines.")
    canonical: str
    svg: str

    @classmethod
    def of(cls, position: Position) -> "PositionInfo":
        rules, flaw, outcome = position.rules, position.flaw(), position.outcome()
        marked = {cell for line in position.lines() for cell in range(rules.cells) if line >> cell & 1}
        return cls(
            rules=str(rules), rows=rules.rows, cols=rules.cols, win=rules.win, lose=rules.lose, board=str(position),
            ply=position.ply, to_move=position.to_move, over=outcome is not None,
            winner=outcome.winner if outcome else None,
            moves=[position.move_text(cell) for cell in position.moves()], flaw=flaw.value if flaw else "",
            marked=sorted(marked), canonical=str(position.canonical()[0]), svg=position._repr_svg_(),
        )  # fmt: skip


class MoveValue(BaseModel):
    """What a move is worth to the player who makes it."""

    move: str
    cell: int
    value: Value
    distance: int | None
    label: str = Field(description="W3 wins in 3 plies, L4 loses in 4, D draws, ? is not known.")


class Values(BaseModel):
    """What is known of a position and of its moves."""

    board: str
    to_move: Side
    value: Value
    at_least: Value
    at_most: Value
    distance: int | None
    label: str
    moves: list[MoveValue]
    best: list[str]
    line: list[str]
    source: str
    exact: bool = Field(description="Whether the value of the position and of every move is known.")

    @classmethod
    def of(cls, found: Solution) -> "Values":
        position = found.position
        moves = [_move_value(position, each) for each in found.moves]
        known = found.value != "unknown"
        return cls(
            board=str(position), to_move=position.to_move, value=found.value,
            at_least=found.value if known else found.at_least, at_most=found.value if known else found.at_most,
            distance=found.distance, label=label_of(found.value, found.distance), moves=moves,
            best=[position.move_text(cell) for cell in found.best] if known else [],
            line=[position.move_text(cell) for cell in found.line], source=found.source, exact=is_exact(found),
        )  # fmt: skip


def _move_value(position: Position, move: Move) -> MoveValue:
    label = label_of(move.value, move.distance)
    name = position.move_text(move.cell)
    return MoveValue(move=name, cell=move.cell, value=move.value, distance=move.distance, label=label)


def label_of(value: Value, distance: int | None) -> str:
    """A value to be read at a glance, without colours."""
    letter = {"win": "W", "draw": "D", "loss": "L", "unknown": "?"}[value]
    return letter if value in ("draw", "unknown") or distance is None else f"{letter}{distance}"


class Line(BaseModel):
    """Moves, one after the other."""

    moves: list[str]


class GameAsked(Told):
    """A game in progress: where it began and what was played. The server keeps nothing of it."""

    game: GameText
    start: BoardText = ""
    moves: Annotated[list[MoveText], Field(max_length=63)] = []
    x: PlayerText = ""
    o: PlayerText = ""
    seed: Seed = 0


class GameState(BaseModel):
    """A game in progress, as the session sees it."""

    rules: str
    start: str
    moves: list[str]
    x: str
    o: str
    position: PositionInfo
    move: str | None = Field(default=None, description="What the player has answered, if it was asked.")


class ReviewAsked(Told):
    """A game to be held to the truth."""

    game: GameText
    start: BoardText = ""
    moves: Annotated[list[MoveText], Field(max_length=63)] = []


class ReviewStep(BaseModel):
    """A position of a game, and what was done there."""

    board: str
    to_move: Side
    value: Value
    distance: int | None
    label: str
    move: str | None
    blunder: str = Field(description="What was given away, such as win->draw; empty if nothing.")
    lost: int | None = Field(description="Plies given away where the value was kept.")
    decision: bool = Field(description="Whether the move could change the value.")


class SideScore(BaseModel):
    """How a side has played."""

    decisions: int
    kept: int
    accuracy: float | None
    blunders: list[int] = Field(description="The numbers of its steps that gave something away, from 0.")


class ReviewResult(BaseModel):
    """A game, step by step, and its scorecard."""

    steps: list[ReviewStep]
    x: SideScore
    o: SideScore


class OpinionMove(BaseModel):
    """What somebody thinks a move is worth, from -1 to 1, to the player who makes it."""

    move: str
    cell: int
    value: float
    share: float | None = Field(description="The share of playouts it got; None if there were none.")
    proved: str = Field(description="What was proved on the way: win, draw, loss or nothing.")


class Opinion(BaseModel):
    """An opinion: no exact answer."""

    by: str
    value: float
    moves: list[OpinionMove]
    best: str


class RecordLine(BaseModel):
    """A finished game in the format of `gridlab games verify`, or one of 2048 as `gridlab 2048 verify` reads it."""

    line: str


# ---- 2048


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


# ---- jobs


class SolveAsked(Told):
    """An exact answer that takes a while."""

    game: GameText
    board: BoardText = ""
    seconds: Annotated[float, Field(ge=0.1, le=SOLVE_SECONDS)] = 60.0


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


# ---- data


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
