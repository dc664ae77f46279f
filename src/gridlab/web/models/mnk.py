"""In-a-row games."""

from pydantic import BaseModel, Field

from gridlab.games.mnk.position import Position
from gridlab.games.mnk.solution import Move, Solution
from gridlab.web.models import BoardText, GameText, MoveText, PlayerText, Seed, Side, Told, Value


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
            line=[position.move_text(cell) for cell in found.line], source=found.source, exact=found.exact,
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


class ReviewAsked(Told):
    """A game to be held to the truth: where it began and what was played."""

    game: GameText
    start: BoardText = ""
    moves: list[MoveText] = Field([], max_length=63)


class GameAsked(ReviewAsked):
    """A game in progress, and who plays it. The server keeps nothing of it."""

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
