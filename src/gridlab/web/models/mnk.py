"""In-a-row games."""

from typing import Any, Literal

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
    """A game to be compared with best play: where it began and what was played."""

    game: GameText
    start: BoardText = ""
    moves: list[MoveText] = Field([], max_length=63)


class GameAsked(ReviewAsked):
    """A game in progress, and who plays it. The server keeps nothing of it."""

    x: PlayerText = ""
    o: PlayerText = ""
    seed: Seed = 0


class PlayAsked(GameAsked):
    """A game in progress, what a person plays next, and all that is wanted of the position after it."""

    next: list[MoveText] = Field([], max_length=63, description="Moves of people, to be made as far as they are legal.")
    reply: bool = Field(False, description="Whether the player whose turn it is then makes its move.")
    values: bool = Field(False, description="The exact value of the position and of every move.")
    opinion: bool = Field(False, description="What a tree search thinks, where values are not known.")
    network: bool = Field(False, description="What a trained network thinks of every move.")
    review: Literal["no", "over", "always"] = Field(
        "no", description="What every position of the game was worth: when the game is over, or always."
    )


class PlayPart(BaseModel):
    """A line of the answer: `game` first, then `reply`, `values`, `opinion`, `network`, `review` as asked for.

    `doing` says what is being worked at; `end` or `error` comes last.
    """

    part: str
    moves: list[str] | None = Field(None, description="game: every move of the game after those that were accepted.")
    refused: str | None = Field(None, description="game: why a next move was not made; empty if all were.")
    position: dict[str, Any] | None = Field(None, description="game, reply: the position then.")
    move: str | None = Field(None, description="reply: what the player has played.")
    by: str | None = Field(None, description="reply: exact, or how the move was found.")
    doing: str | None = None
    done: float | None = None
    total: float | None = None
    error: str | None = None
    status: int | None = None


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
    unknown: int = Field(description="Moves that cannot be judged, because the truth is not known.")
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
    visits: int | None = Field(description="The playouts it got, with those of symmetric moves; None for a network.")
    proved: str = Field(description="What was proved on the way: win, draw, loss or nothing.")


class Opinion(BaseModel):
    """An opinion: no exact answer."""

    by: str
    value: float
    moves: list[OpinionMove]
    best: str
