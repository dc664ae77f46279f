"""In-a-row games: positions, exact values, opinions, games in progress, reviews."""

import json
from contextlib import AbstractContextManager, nullcontext
from typing import Annotated, Any, Literal, Self

import numpy as np
from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from gridlab.arena.session import PERSON, Session, record_of
from gridlab.core.errors import BadNotation, GridlabError
from gridlab.core.run import import_extra
from gridlab.games.grid import symmetries
from gridlab.games.registry import game
from gridlab.inarow.exact.oracle import whole_line
from gridlab.inarow.players import EXACT_SHARE, PerfectPlayer
from gridlab.inarow.position import Position
from gridlab.inarow.questions import Review, Reviewed, review
from gridlab.inarow.rules import Rules
from gridlab.inarow.search.mcts import search
from gridlab.inarow.solution import Solution, Value
from gridlab.players.registry import Player, parse_player
from gridlab.web import work
from gridlab.web.lab import Lab, Prompt, own_kinds
from gridlab.web.work import ApiModel, BoardText, FileName, GameText, MoveText, PlayerText, RecordLine, Seed, Side, Told

# ---- In-a-row games


class BoardInfo(ApiModel):
    """A position as the page needs it, which draws the board itself."""

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

    @classmethod
    def of(cls, position: Position, **more: str) -> Self:
        rules, flaw, outcome = position.rules, position.flaw(), position.outcome()
        marked = {cell for line in position.lines() for cell in range(rules.cells) if line >> cell & 1}
        return cls.taken_from(
            position, rules=str(rules), rows=rules.rows, cols=rules.cols, win=rules.win, lose=rules.lose,
            board=str(position), winner=outcome.winner if outcome else None,
            moves=[position.move_text(cell) for cell in position.moves()], flaw=flaw.value if flaw else "",
            marked=sorted(marked), **more,
        )  # fmt: skip


class PositionInfo(BoardInfo):
    """A position, legal or not."""

    canonical: str
    svg: str


class MoveValue(ApiModel):
    """What a move is worth to the player who makes it."""

    move: str
    cell: int
    value: Value
    distance: int | None
    label: str = Field(description="W3 wins in 3 plies, L4 loses in 4, D draws, ? is not known.")


class Values(ApiModel):
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
        moves = [
            MoveValue.taken_from(each, move=position.move_text(each.cell), label=label_of(each.value, each.distance))
            for each in found.moves
        ]
        known = found.value != "unknown"
        return cls.taken_from(
            found, board=str(position), to_move=position.to_move, moves=moves,
            at_least=found.value if known else found.at_least, at_most=found.value if known else found.at_most,
            label=label_of(found.value, found.distance), line=list(map(position.move_text, found.line)),
            best=list(map(position.move_text, found.best)) if known else [],
        )  # fmt: skip


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


class ReviewStep(ApiModel):
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


class SideScore(ApiModel):
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


# ---- In-a-row games: positions, exact values, opinions, games in progress, reviews


Board = Annotated[BoardText, Query()]
Game = Annotated[GameText, Query()]
By = Literal["search", "network"]
Checkpoint = Annotated[FileName, Query()]
IN_PARTS: dict[int | str, dict[str, Any]] = {
    200: {"description": "A line of JSON for each part.", "model": PlayPart, "content": {work.MEDIA_TYPE: {}}}
}


def router(lab: Lab) -> APIRouter:
    """The routes of in-a-row games."""
    routes = APIRouter(tags=["in a row"])

    @routes.get("/position")
    async def position(game: Game, board: Board = "") -> PositionInfo:
        """A position: whose turn it is, whether a game leads to it, how it is drawn."""
        asked = position_of(game, board)
        return PositionInfo.of(asked, canonical=str(asked.canonical()[0]), svg=asked._repr_svg_())

    @lab.quick.on(routes.get("/values"))
    def values(game: Game, board: Board = "") -> Values:
        """The exact value of a legal position and of every move, as far as a small budget goes."""
        return Values.of(lab.truth.ask(position_of(game, board)))

    @lab.quick.on(routes.get("/line"))
    def line(game: Game, board: Board = "") -> Line:
        """The best moves from a legal position on, to the end of the game if it is known so far."""
        asked = position_of(game, board)
        return Line(moves=[asked.move_text(cell) for cell in whole_line(asked, lab.truth.ask)])

    @lab.replies.on(routes.get("/opinion"))
    def opinion(game: Game, board: Board = "", by: By = "search", checkpoint: Checkpoint = "") -> Opinion:
        """What a tree search, or a network, thinks of an ongoing position: an opinion, where the truth is dear."""
        asked = position_of(game, board).require_legal()
        if asked.over:
            raise BadNotation(f"{asked} is over; opinions are for games that go on")
        path = str(lab.folder.inside(checkpoint)) if checkpoint else ""
        return network_opinion(asked, path) if by == "network" else search_opinion(asked)

    @routes.post("/play", response_class=StreamingResponse, responses=IN_PARTS)
    async def play(asked: PlayAsked) -> StreamingResponse:
        """Moves of people, the answer of the player, and what is known of the position then: a line for each part."""
        session = session_of(asked)
        refused = advance(session, asked)
        player = replier(lab, asked, session) if asked.reply and not refused and not session.over else None

        def answered(tell: work.Tell) -> None:
            tell("game", moves=session.as_dict()["moves"], refused=refused, position=board_of(session))
            if player:
                answer(player, asked.seed, session, tell)
            tell_more(lab, asked, session, tell)

        return lab.streamed(answered)

    @routes.post("/game/record")
    async def record(asked: GameAsked) -> RecordLine:
        """A finished game as a line of a file that `gridlab games verify` reads."""
        return RecordLine(line=record_line(asked))

    @lab.quick.on(routes.post("/review"))
    def reviewed(asked: ReviewAsked) -> ReviewResult:
        """What every position of a game was worth, which moves gave something away, and how each side has played."""
        session = session_of(GameAsked(**asked.model_dump()))
        return review_result(review(session.history, session.moves, lab.truth.ask))

    return routes


def position_of(text: str, board: str) -> Position:
    rules: Rules = game(text, "mnk")
    return Position.parse(board, rules) if board else Position(rules)


def session_of(asked: GameAsked, **seats: Any) -> Session:
    """The session of a game in progress; its chance hangs on the seed and on how far the game has come."""
    start = position_of(asked.game, asked.start).require_legal()
    names = {"X": asked.x or PERSON, "O": asked.o or PERSON}
    moves = [start.parse_move(move) for move in asked.moves]
    return Session.begin(start.rules, seats, asked.seed, names=names, start=start, moves=moves)


# ---- one request, and all that is shown for it


def board_of(session: Session) -> dict[str, Any]:
    return BoardInfo.of(session.position).model_dump()


def advance(session: Session, asked: PlayAsked) -> str:
    """Make the moves of people as far as they are legal; why the first of the others was not made."""
    for text in asked.next:
        side = session.to_move
        player = asked.x if side == "X" else asked.o
        if player and not session.over:
            return f"it is {side}'s turn, and {player} plays {side}"
        try:
            session.play(session.position.parse_move(text))
        except GridlabError as error:
            return str(error)
    return ""


def replier(lab: Lab, asked: PlayAsked, session: Session) -> AbstractContextManager[Player]:
    """The player to move, for one move, if it is one that may be asked for here.

    `perfect` with no table of its own goes by what the lab knows, and answers in time.
    """
    text, rules = asked.x if session.to_move == "X" else asked.o, session.rules
    if not text:
        raise BadNotation(f"{session.to_move} is a person, who has to say what to play")
    name, settings = parse_player(lab.safe(text, rules), own_kinds(rules))
    if name != "perfect" or settings["tablebase"]:
        return lab.lent(text, rules)
    seconds = min(settings["seconds"] or work.PROMPT_SECONDS, work.REPLY_SECONDS / 2)
    oracle = Prompt(lab.truth, EXACT_SHARE * seconds)
    return nullcontext(PerfectPlayer(rules, "", settings["errs"], seconds, oracle))


def answer(lent: AbstractContextManager[Player], seed: int, session: Session, tell: work.Tell) -> None:
    """Let the player to move make its move."""
    side, before = session.to_move, session.position
    tell("doing", doing=f"{side} is thinking")
    session.random = np.random.default_rng([seed, len(session.moves)])
    with lent as player:
        session.seats = {**session.seats, side: player}
        move = session.reply()
        by = getattr(player, "source", "")
    tell("reply", move=before.move_text(move), by=by, position=board_of(session))


def tell_more(lab: Lab, asked: PlayAsked, session: Session, tell: work.Tell) -> None:
    """Whatever else is wanted of the position then, each as it is known."""
    if not session.over:
        opine(lab, asked, session.position, tell)
    if asked.review == "always" or (asked.review == "over" and session.over):
        tell("review", **review_result(reviewed_aloud(lab, session, tell)).model_dump())


def opine(lab: Lab, asked: PlayAsked, position: Position, tell: work.Tell) -> None:
    """Values and opinions of an ongoing position."""
    if asked.values:
        tell("doing", doing="looking for exact values")
        found = lab.truth.ask(position)
        tell("values", **Values.of(found).model_dump())
        if asked.opinion and not found.exact:
            tell("opinion", **search_opinion(position).model_dump())
    if asked.network:
        tell("doing", doing="asking the network")
        tell("network", **network_opinion(position, "").model_dump())


def reviewed_aloud(lab: Lab, session: Session, tell: work.Tell) -> Review:
    """The review of a game, with a word on how far it has come."""
    total, done = len(session.history), 0

    def ask(position: Position) -> Solution:
        nonlocal done
        tell("doing", doing="looking at earlier positions", done=done, total=total)
        done += 1
        return lab.truth.ask(position)

    return review(session.history, session.moves, ask)


def record_line(asked: GameAsked) -> str:
    session = session_of(asked)
    if not session.over:
        raise BadNotation("the game is not over; a record is of a finished game")
    if session.history[0].ply:
        raise BadNotation("a record begins with the empty board; this game began elsewhere")
    return json.dumps(record_of(session).as_dict()) + "\n"


# ---- opinions and reviews


def search_opinion(position: Position) -> Opinion:
    """By Monte Carlo tree search: symmetric moves together, and none of moves that were hardly tried."""
    found = search(position, work.OPINION_PLAYOUTS)
    alike = {each.cell: equivalent(position, each.cell) for each in found.moves}
    moves = []
    for each in found.moves:
        group = [other for other in found.moves if alike[other.cell] == alike[each.cell]]
        visits = sum(other.visits for other in group)
        proved = next((other.proved for other in group if other.proved), "")
        mean = sum(other.visits * other.value for other in group) / visits
        value = {"win": 1.0, "draw": 0.0, "loss": -1.0}.get(proved, mean)
        if proved or visits >= work.OPINION_VISITS:
            name = position.move_text(each.cell)
            moves.append(OpinionMove(move=name, cell=each.cell, value=value, visits=visits, proved=proved))
    best = next((each.value for each in moves if each.cell == found.best), 0.0)
    by = f"Monte Carlo tree search, {found.playouts:,} playouts"
    return Opinion(by=by, value=best, moves=moves, best=position.move_text(found.best))


def equivalent(position: Position, cell: int) -> int:
    """The smallest cell to which a symmetry of the position carries this one: the same for moves that are alike."""
    maps = symmetries(position.rules.rows, position.rules.cols)
    return min(each.move(cell) for each in maps if position.image(each) == position)


def network_opinion(position: Position, checkpoint: str) -> Opinion:
    """By a trained network, looking one ply ahead."""
    import_extra("torch", "learn")
    from gridlab.inarow.learn.judge import load_judge, opinion_of

    found = opinion_of(position, load_judge(checkpoint, position.rules)).moves
    cells = {move: position.parse_move(move) for move in found}
    moves = [OpinionMove(move=move, cell=cells[move], value=found[move], visits=None, proved="") for move in found]
    best = max(moves, key=lambda each: each.value)
    return Opinion(by="the network, one ply ahead", value=best.value, moves=moves, best=best.move)


def review_result(found: Review) -> ReviewResult:
    cards = {side.lower(): SideScore.taken_from(found.scorecard(side)) for side in ("X", "O")}
    return ReviewResult(steps=[_review_step(each) for each in found.steps], **cards)


def _review_step(step: Reviewed) -> ReviewStep:
    position, solution, move, answer = step
    return ReviewStep.taken_from(
        solution, board=str(position), to_move=position.to_move, label=label_of(solution.value, solution.distance),
        move=None if move is None else position.move_text(move), blunder=answer.kind if answer else "",
        lost=answer.regret if answer else None, decision=answer is not None,
    )  # fmt: skip
