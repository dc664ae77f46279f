"""2048: a game goes on from its board; chance hangs on the seed and the number of the move, so it can be replayed."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse

from gridlab.arena.records.game2048 import game_of
from gridlab.core.errors import BadNotation, BadRules
from gridlab.games.game2048.position import Position2048
from gridlab.games.game2048.seeded import begun, replayed
from gridlab.web.lab import Lab
from gridlab.web.models import BoardText, GameText, PlayerText, RecordLine, Seed
from gridlab.web.models.game2048 import Play2048, Record2048, Review2048, State2048, Values2048
from gridlab.web.play2048 import Game as PlayedGame
from gridlab.web.play2048 import review as review_in_parts
from gridlab.web.play2048 import rules_of, state_of, usable, valued
from gridlab.web.settings import REPLY_SECONDS
from gridlab.web.stream import MEDIA_TYPE, streamed

Game = Annotated[GameText, Query()]
IN_PARTS: dict[int | str, dict[str, Any]] = {200: {"content": {MEDIA_TYPE: {}}, "description": "Lines of JSON."}}


def router(lab: Lab) -> APIRouter:
    """The routes of 2048."""
    routes = APIRouter(prefix="/2048", tags=["2048"])

    @routes.get("/start")
    async def start(game: Game = "2048", seed: Annotated[Seed, Query()] = 0) -> State2048:
        """The beginning of a game."""
        return state_of(begun(rules_of(game), seed), seed, 0)

    @routes.post("/play", response_class=StreamingResponse, responses=IN_PARTS)
    async def play(asked: Play2048) -> StreamingResponse:
        """Moves to be replayed, directions to be played, moves of a player, and values: in parts, lines of JSON."""
        game = PlayedGame(asked)
        if asked.player:
            usable(lab, asked.player, game.rules)
        lane = lab.replies if asked.player or asked.values else lab.quick
        return streamed(lane, lambda tell: game.play(lab, asked, tell), REPLY_SECONDS, lab.folder.plain)

    @routes.post("/review", response_class=StreamingResponse, responses=IN_PARTS)
    async def review(asked: Review2048) -> StreamingResponse:
        """The moves of a game that gave away the most, as a player sees it: in parts, lines of JSON."""
        usable(lab, asked.player, rules_of(asked.game))
        return streamed(lab.replies, lambda tell: review_in_parts(lab, asked, tell), REPLY_SECONDS, lab.folder.plain)

    @routes.get("/values")
    async def values(
        request: Request,
        board: Annotated[BoardText, Query()],
        game: Game = "2048",
        player: Annotated[PlayerText, Query()] = "expectimax",
    ) -> Values2048:
        """What each legal direction is worth, as a player sees it; exact if the player knows it exactly."""
        position = Position2048.parse(board, rules_of(game))
        return await lab.replies.run(lambda: valued(lab, position, player), REPLY_SECONDS, request.is_disconnected)

    @routes.post("/record")
    async def record(asked: Record2048) -> RecordLine:
        """A finished game as a line of a file that `gridlab 2048 verify` reads."""
        return RecordLine(line=await lab.quick.run(lambda: record_line(asked), REPLY_SECONDS))

    return routes


def record_line(asked: Record2048) -> str:
    rules = rules_of(asked.game)
    if not rules.packed:
        raise BadRules(f"games of {rules} cannot be recorded; the format of files is for 4x4 boards")
    positions = replayed(rules, asked.seed, asked.moves)
    if not positions[-1].over:
        raise BadNotation("the game is not over; a record is of a finished game")
    return game_of(positions, asked.moves).line().decode()
