"""2048: a game goes on from its board; chance hangs on the seed and the number of the move, so it can be replayed."""

from contextlib import AbstractContextManager
from typing import Annotated, cast

import numpy as np
from fastapi import APIRouter, Query, Request

from gridlab.arena.records.game2048 import game_of
from gridlab.core.errors import BadNotation, BadRules, IllegalMove
from gridlab.games.game2048.position import Position2048
from gridlab.games.game2048.reference import travel
from gridlab.games.game2048.rules import Rules2048
from gridlab.games.registry import game
from gridlab.players.game2048 import as_adviser
from gridlab.players.registry import Player
from gridlab.web.lab import Lab
from gridlab.web.models import BoardText, Direction, GameText, PlayerText, RecordLine, Seed
from gridlab.web.models.game2048 import (
    Autoplay2048,
    Board2048,
    Move2048,
    Record2048,
    State2048,
    Step2048,
    Steps2048,
    Values2048,
)
from gridlab.web.players import safe_player
from gridlab.web.settings import PLAIN_DEPTH, REPLY_SECONDS

Game = Annotated[GameText, Query()]


def router(lab: Lab) -> APIRouter:
    """The routes of 2048."""
    routes = APIRouter(prefix="/2048", tags=["2048"])

    @routes.get("/start")
    async def start(game: Game = "2048", seed: Annotated[Seed, Query()] = 0) -> State2048:
        """The beginning of a game."""
        return state_of(begun(rules_of(game), seed), seed, 0)

    @routes.post("/move")
    async def move(asked: Move2048) -> Step2048:
        """A move, and the tile that chance adds."""
        before = position_of(asked)
        after = moved(before, asked.direction, asked.seed, asked.ply)
        return step_of(before, asked.direction, after, asked.seed, asked.ply)

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

    @routes.post("/autoplay")
    async def autoplay(request: Request, asked: Autoplay2048) -> Steps2048:
        """Some moves of a player, fewer if the game ends."""
        return await lab.replies.run(lambda: played(lab, asked), REPLY_SECONDS, request.is_disconnected)

    @routes.post("/record")
    async def record(asked: Record2048) -> RecordLine:
        """A finished game as a line of a file that `gridlab 2048 verify` reads."""
        return RecordLine(line=await lab.quick.run(lambda: record_line(asked), REPLY_SECONDS))

    return routes


def rules_of(text: str) -> Rules2048:
    rules: Rules2048 = game(text, "2048")
    return rules


def position_of(asked: Board2048) -> Position2048:
    return Position2048.parse(asked.board, rules_of(asked.game), asked.score)


def begun(rules: Rules2048, seed: int) -> Position2048:
    return Position2048.start(np.random.default_rng([seed, 0]), rules)


def chance(seed: int, ply: int) -> np.random.Generator:
    """What chance does after a move: the same whenever this move of this game is made."""
    return np.random.default_rng([seed, ply + 1])


def state_of(position: Position2048, seed: int, ply: int) -> State2048:
    rules = position.rules
    return State2048(
        rules=str(rules), rows=rules.rows, cols=rules.cols, board=str(position), tiles=list(position.tiles),
        score=position.score, max_tile=position.max_tile, over=position.over,
        moves=cast(list[Direction], position.moves()), seed=seed, ply=ply, svg=position._repr_svg_(),
    )  # fmt: skip


def moved(position: Position2048, direction: str, seed: int, ply: int) -> Position2048:
    return position.step(direction, chance(seed, ply))


def step_of(before: Position2048, direction: str, after: Position2048, seed: int, ply: int) -> Step2048:
    """What a move has changed; the new tile stands where no other has gone."""
    goes = travel(before.rules, before.tiles, direction)
    spawned = next(cell for cell, tile in enumerate(after.tiles) if tile and cell not in goes.values())
    return Step2048(
        direction=cast(Direction, direction), travel=list(goes.items()), spawned=spawned,
        state=state_of(after, seed, ply + 1),
    )  # fmt: skip


def usable(lab: Lab, text: str, rules: Rules2048) -> str:
    """The player by text; on boards that no kernel plays, one that names no depth looks less far ahead."""
    if not rules.packed and text.split()[:1] == ["expectimax"] and "depth=" not in text:
        text = f"{text} depth={PLAIN_DEPTH}"
    return safe_player(text, rules, lab.folder, lab.settings.commands)


def lent(lab: Lab, text: str, rules: Rules2048) -> AbstractContextManager[Player]:
    """A player, with a table of the served folder if there is one for it."""
    return lab.players.lent(usable(lab, text, rules), rules, lab.folder.tablebase_of(rules))


def valued(lab: Lab, position: Position2048, text: str) -> Values2048:
    with lent(lab, text, position.rules) as player:
        adviser = as_adviser(player, text)
        found = adviser.values(position, chance(0, 0)) if position.moves() else {}
        exact = bool(getattr(player, "exact", False))
        target = str(getattr(getattr(player, "table", None), "target", ""))
        points = bool(getattr(player, "points", False))
    best = max(found, key=found.__getitem__) if found else None
    return Values2048(
        player=text,
        values=cast(dict[Direction, float], found),
        best=cast(Direction | None, best),
        exact=exact,
        target=target,
        points=points,
    )


def played(lab: Lab, asked: Autoplay2048) -> Steps2048:
    position, ply, steps = position_of(asked), asked.ply, list[Step2048]()
    if position.over:
        raise IllegalMove(f"there is no move in {position}")
    with lent(lab, asked.player, position.rules) as player:
        for _ in range(asked.moves):
            direction = player.move(position, chance(asked.seed + 1, ply))
            after = moved(position, direction, asked.seed, ply)
            steps.append(step_of(position, direction, after, asked.seed, ply))
            position, ply = after, ply + 1
            if position.over:
                break
    return Steps2048(steps=steps)


def record_line(asked: Record2048) -> str:
    rules = rules_of(asked.game)
    if not rules.packed:
        raise BadRules(f"games of {rules} cannot be recorded; the format of files is for 4x4 boards")
    positions = [begun(rules, asked.seed)]
    for ply, direction in enumerate(asked.moves):
        positions.append(moved(positions[-1], direction, asked.seed, ply))
    if not positions[-1].over:
        raise BadNotation("the game is not over; a record is of a finished game")
    return game_of(positions, asked.moves).line().decode()
