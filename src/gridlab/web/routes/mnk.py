"""In-a-row games: positions, exact values, opinions, games in progress, reviews."""

import json
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Query, Request

from gridlab.arena.records.mnk import record_of
from gridlab.arena.review import Review, Scorecard, Step, review
from gridlab.arena.session import PERSON, Session
from gridlab.core.errors import BadNotation
from gridlab.core.extras import import_extra
from gridlab.exact.oracle import whole_line
from gridlab.games.mnk.position import Position
from gridlab.games.mnk.rules import Rules
from gridlab.games.registry import game
from gridlab.search.mnk.mcts import search
from gridlab.web.lab import Lab
from gridlab.web.models import BoardText, FileName, GameText, RecordLine
from gridlab.web.models.mnk import (
    GameAsked,
    GameState,
    Line,
    Opinion,
    OpinionMove,
    PositionInfo,
    ReviewAsked,
    ReviewResult,
    ReviewStep,
    SideScore,
    Values,
    label_of,
)
from gridlab.web.players import safe_player
from gridlab.web.settings import OPINION_PLAYOUTS, REPLY_SECONDS

Board = Annotated[BoardText, Query()]
Game = Annotated[GameText, Query()]


def router(lab: Lab) -> APIRouter:
    """The routes of in-a-row games."""
    routes = APIRouter(tags=["in a row"])

    @routes.get("/position")
    async def position(game: Game, board: Board = "") -> PositionInfo:
        """A position: whose turn it is, whether a game leads to it, how it is drawn."""
        return PositionInfo.of(position_of(game, board))

    @routes.get("/values")
    async def values(request: Request, game: Game, board: Board = "") -> Values:
        """The exact value of a legal position and of every move, as far as a small budget goes."""
        asked = position_of(game, board)
        return Values.of(await lab.quick.run(lambda: lab.truth.ask(asked), REPLY_SECONDS, request.is_disconnected))

    @routes.get("/line")
    async def line(request: Request, game: Game, board: Board = "") -> Line:
        """The best moves from a legal position on, to the end of the game if it is known so far."""
        asked = position_of(game, board)
        found = await lab.quick.run(lambda: whole_line(asked, lab.truth.ask), REPLY_SECONDS, request.is_disconnected)
        return Line(moves=[asked.move_text(cell) for cell in found])

    @routes.get("/opinion")
    async def opinion(
        request: Request,
        game: Game,
        board: Board = "",
        by: Literal["search", "network"] = "search",
        checkpoint: Annotated[FileName, Query()] = "",
    ) -> Opinion:
        """What a tree search, or a network, thinks of an ongoing position: an opinion, where the truth is dear."""
        asked = position_of(game, board).require_legal()
        if asked.over:
            raise BadNotation(f"{asked} is over; opinions are for games that go on")
        path = str(lab.folder.inside(checkpoint)) if checkpoint else ""
        think = (lambda: network_opinion(asked, path)) if by == "network" else (lambda: search_opinion(asked))
        return await lab.replies.run(think, REPLY_SECONDS, request.is_disconnected)

    @routes.post("/game")
    async def state(asked: GameAsked) -> GameState:
        """A game in progress, after its moves."""
        return game_state(asked, session_of(asked))

    @routes.post("/game/reply")
    async def reply(request: Request, asked: GameAsked) -> GameState:
        """The same after the move of the player whose turn it is."""
        return await lab.replies.run(lambda: replied(lab, asked), REPLY_SECONDS, request.is_disconnected)

    @routes.post("/game/record")
    async def record(asked: GameAsked) -> RecordLine:
        """A finished game as a line of a file that `gridlab games verify` reads."""
        return RecordLine(line=record_line(asked))

    @routes.post("/review")
    async def reviewed(request: Request, asked: ReviewAsked) -> ReviewResult:
        """What every position of a game was worth, which moves gave something away, and how each side has played."""
        session = session_of(GameAsked(**asked.model_dump()))

        def look() -> Review:
            return review(session.history, session.moves, lab.truth.ask)

        return review_result(await lab.quick.run(look, REPLY_SECONDS, request.is_disconnected))

    return routes


def position_of(text: str, board: str) -> Position:
    rules: Rules = game(text, "mnk")
    return Position.parse(board, rules) if board else Position(rules)


def session_of(asked: GameAsked, **seats: Any) -> Session:
    """The session of a game in progress; its chance hangs on the seed and on how far the game has come."""
    start = position_of(asked.game, asked.start).require_legal()
    random = np.random.default_rng([asked.seed, len(asked.moves)])
    names = {"X": asked.x or PERSON, "O": asked.o or PERSON}
    moves = [start.parse_move(move) for move in asked.moves]
    return Session.begin(start.rules, seats, asked.seed, names=names, random=random, start=start, moves=moves)


def game_state(asked: GameAsked, session: Session, move: str | None = None) -> GameState:
    said = session.as_dict()
    return GameState(
        rules=said["rules"], start=str(session.history[0]), moves=said["moves"], x=asked.x, o=asked.o,
        position=PositionInfo.of(session.position), move=move,
    )  # fmt: skip


def replied(lab: Lab, asked: GameAsked) -> GameState:
    """Let the player to move make its move."""
    session = session_of(asked)
    if session.over:
        raise BadNotation("the game is over; nobody has a move to make")
    side = session.to_move
    text = asked.x if side == "X" else asked.o
    if not text:
        raise BadNotation(f"{side} is a person, who has to say what to play")
    safe = safe_player(text, session.rules, lab.folder, lab.settings.commands)
    with lab.players.lent(safe, session.rules, lab.folder.tablebase_of(session.rules)) as player:
        session.seats = {**session.seats, side: player}
        before = session.position
        move = session.reply()
    return game_state(asked, session, before.move_text(move))


def record_line(asked: GameAsked) -> str:
    session = session_of(asked)
    if not session.over:
        raise BadNotation("the game is not over; a record is of a finished game")
    if session.history[0].ply:
        raise BadNotation("a record begins with the empty board; this game began elsewhere")
    return json.dumps(record_of(session).as_dict()) + "\n"


def search_opinion(position: Position) -> Opinion:
    """By Monte Carlo tree search."""
    found = search(position, OPINION_PLAYOUTS)
    visits = sum(move.visits for move in found.moves)
    moves = [
        OpinionMove(
            move=position.move_text(each.cell), cell=each.cell, value=each.value, share=each.visits / visits,
            proved=each.proved,
        )
        for each in found.moves
    ]  # fmt: skip
    best = next(each for each in found.moves if each.cell == found.best)
    by = f"Monte Carlo tree search, {found.playouts:,} playouts"
    return Opinion(by=by, value=best.value, moves=moves, best=position.move_text(found.best))


def network_opinion(position: Position, checkpoint: str) -> Opinion:
    """By a trained network, looking one ply ahead."""
    import_extra("torch", "learn")
    from gridlab.nets.judge import load_judge
    from gridlab.nets.opinion import opinion_of

    found = opinion_of(position, load_judge(checkpoint, position.rules))
    moves = [
        OpinionMove(move=move, cell=position.parse_move(move), value=value, share=None, proved="")
        for move, value in found.moves.items()
    ]
    best = max(moves, key=lambda each: each.value)
    return Opinion(by="the network, one ply ahead", value=best.value, moves=moves, best=best.move)


def review_result(found: Review) -> ReviewResult:
    return ReviewResult(
        steps=[_review_step(each) for each in found.steps],
        x=_side(found.scorecard("X")),
        o=_side(found.scorecard("O")),
    )


def _review_step(step: Step) -> ReviewStep:
    position, solution, move, answer = step
    return ReviewStep(
        board=str(position), to_move=position.to_move, value=solution.value, distance=solution.distance,
        label=label_of(solution.value, solution.distance), move=None if move is None else position.move_text(move),
        blunder=answer.blunder if answer else "", lost=answer.lost if answer else None, decision=answer is not None,
    )  # fmt: skip


def _side(card: Scorecard) -> SideScore:
    return SideScore(decisions=card.decisions, kept=card.kept, accuracy=card.accuracy, blunders=list(card.blunders))
