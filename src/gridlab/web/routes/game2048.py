"""2048: a game goes on from its board; chance hangs on the seed and the number of the move, so it can be replayed."""

import time
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from gridlab.core.draw import AsJson, facts
from gridlab.core.errors import BadNotation, BadRules, IllegalMove
from gridlab.core.run import working
from gridlab.game2048.grade import review_game
from gridlab.game2048.players import as_adviser
from gridlab.game2048.position import Position2048, begun, chance, moved, replayed
from gridlab.game2048.records import game_of
from gridlab.game2048.rules import Rules2048, travel
from gridlab.games.registry import game
from gridlab.players.registry import Player
from gridlab.web import work
from gridlab.web.lab import Lab
from gridlab.web.work import ApiModel, BoardText, Direction, GameText, PlayerText, RecordLine, Score, Seed, Told

# ---- 2048


MOST_RECORDED = 70_000  # moves of a game; no game on 4x4 has more
MOST_DIRECTIONS = 500


class State2048(ApiModel):
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
    directions: list[Direction] = Field(
        default_factory=list, max_length=MOST_DIRECTIONS, description="To be played now."
    )
    player: PlayerText = ""
    count: Annotated[int, Field(ge=1, le=work.MOST_AUTOPLAY, description="Moves of the player.")] = 1
    values: Annotated[PlayerText, Field(description="Who says what each direction is worth in the end.")] = ""


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


# ---- A game of 2048 in parts: what was played before, what is played now, and what each direction is worth then
#
# {"part": "state", "state": …, "before": […], "history": [[ply, score], …]}   if moves were to be replayed
# {"part": "steps", "steps": […], "skipped": n}                                  those asked for, or of a player
# {"part": "values", …}                                                          of the board that came of it


MOST_BEFORE = 50  # states that a page can go back to without asking
MOST_POINTS = 200  # of a chart
REVIEW_SECONDS = 8.0
OFTEN = 0.15  # seconds between two words of how far a review has come


def rules_of(text: str) -> Rules2048:
    rules: Rules2048 = game(text, "2048")
    return rules


def state_of(position: Position2048, seed: int, ply: int) -> State2048:
    rules, moves = position.rules, position.moves()
    size = {"rules": str(rules), "rows": rules.rows, "cols": rules.cols}
    return State2048.taken_from(position, board=str(position), moves=moves, seed=seed, ply=ply, **size)


def step_of(before: Position2048, direction: str, after: Position2048, seed: int, ply: int) -> AsJson:
    """A move: where tiles went, cell by cell, two that merge to the same one, what appeared, and what is there now.

    The new tile stands in the cell where no other has gone.
    """
    goes = travel(before.rules, before.tiles, direction)
    spawned = next(cell for cell, tile in enumerate(after.tiles) if tile and cell not in goes.values())
    state = state_of(after, seed, ply + 1).model_dump()
    return {"direction": direction, "travel": list(goes.items()), "spawned": spawned, "state": state}


# ---- players


def usable(text: str, rules: Rules2048) -> str:
    """The player by text; on boards that no kernel plays, one that names no depth looks less far ahead."""
    if not rules.packed and text.split()[:1] == ["expectimax"] and "depth=" not in text:
        return f"{text} depth={work.PLAIN_DEPTH}"
    return text


def about_values(player: Player) -> AsJson:
    """What the values of a player are: true or an opinion, points or a scale of its own."""
    return {
        "exact": bool(getattr(player, "exact", False)),
        "target": str(getattr(getattr(player, "table", None), "target", "")),
        "points": bool(getattr(player, "points", False)),
    }


def valued(lab: Lab, position: Position2048, text: str) -> Values2048:
    with lab.lent(usable(text, position.rules), position.rules) as player:
        adviser = as_adviser(player, text)
        found = adviser.values(position, chance(0, 0)) if position.moves() else {}
        about = about_values(player)
    about["best"] = max(found, key=found.__getitem__) if found else None
    about["values"] = {direction: value for direction, value in found.items() if isfinite(value)}
    return Values2048(player=text, board=str(position), **about)


# ---- a game in parts


class PlayedGame:
    """A game as one request goes on with it."""

    def __init__(self, asked: Play2048) -> None:
        """Where it goes on: what is wrong with the board is said before the first part."""
        self.seed, self.ply = asked.seed, asked.ply
        self.rules = rules_of(asked.game)
        self.position = Position2048.parse(asked.board, self.rules, asked.score) if asked.board else None

    def play(self, lab: Lab, asked: Play2048, tell: work.Tell) -> None:
        """Everything that is asked for, one after the other."""
        here = self.position or self.replay(asked.moves, tell)
        if asked.directions:
            here = self.push(here, asked.directions, tell)
        if asked.player:
            here = self.follow(here, lab, asked.player, asked.count, tell)
        if asked.values:
            tell("values", **valued(lab, here, asked.values).model_dump())

    def replay(self, moves: Sequence[str], tell: work.Tell) -> Position2048:
        """The moves so far: where they lead, the last states before, and the score over the game."""
        if len(moves) > MOST_BEFORE:
            tell("doing", doing=f"replaying {len(moves):,} moves")
        positions = replayed(self.rules, self.seed, moves)
        self.ply = len(moves)
        first = max(0, self.ply - MOST_BEFORE)
        states = [state_of(each, self.seed, first + i).model_dump() for i, each in enumerate(positions[first:])]
        tell("state", state=states[-1], before=states[:-1], history=history_of(positions))
        return positions[-1]

    def push(self, here: Position2048, directions: Sequence[str], tell: work.Tell) -> Position2048:
        """These directions in turn; one that changes nothing when its turn comes is skipped."""
        steps = []
        for direction in directions:
            if direction in here.moves():
                here, step = self._step(here, direction)
                steps.append(step)
        tell("steps", steps=steps, skipped=len(directions) - len(steps))
        return here

    def follow(self, here: Position2048, lab: Lab, text: str, count: int, tell: work.Tell) -> Position2048:
        """Some moves of a player, fewer if the game ends; each is told when it is found."""
        if here.over:
            raise IllegalMove(f"there is no move in {here}")
        with lab.lent(usable(text, self.rules), self.rules) as player:
            for _ in range(count):
                here, step = self._step(here, player.move(here, chance(self.seed + 1, self.ply)))
                tell("steps", steps=[step], skipped=0)
                if here.over:
                    break
        return here

    def _step(self, here: Position2048, direction: str) -> tuple[Position2048, AsJson]:
        after = moved(here, direction, self.seed, self.ply)
        step = step_of(here, direction, after, self.seed, self.ply)
        self.ply += 1
        return after, step


def history_of(positions: Sequence[Position2048]) -> list[tuple[int, int]]:
    """The score over a game, thinned; its end is always there."""
    last = len(positions) - 1
    every = max(1, -(-last // (MOST_POINTS - 1)))
    return [(ply, positions[ply].score) for ply in [*range(0, last, every), last]]


def review_in_parts(lab: Lab, asked: Review2048, tell: work.Tell) -> None:
    """The worst moves of a game, and how far the review has come in the meantime."""
    rules = rules_of(asked.game)
    positions = replayed(rules, asked.seed, asked.moves)
    with lab.lent(usable(asked.player, rules), rules) as player, working(hear=now_and_then(tell)):
        found = review_game(as_adviser(player, asked.player), positions, asked.moves, REVIEW_SECONDS)
        about = about_values(player)
    worst = [
        {"ply": ply, "state": state_of(each.position, asked.seed, ply).model_dump(), "played": each.played,
         "best": each.best, "loss": each.regret}
        for ply, each in found.worst
    ]  # fmt: skip
    seen = facts(found, "decisions looked_at kept")
    tell("review", player=asked.player, moves=len(asked.moves), **seen, worst=worst, **about)


def now_and_then(tell: work.Tell) -> Callable[[str, float, float | None], None]:
    """work.Tell how far some work has come, not too often."""
    told = time.monotonic()

    def hear(doing: str, done: float, total: float | None) -> None:
        nonlocal told
        if time.monotonic() - told >= OFTEN:
            told = time.monotonic()
            tell("doing", doing=doing, done=done, total=total)

    return hear


# ---- 2048: a game goes on from its board; chance hangs on the seed and the number of the move, so it can be replayed


Game = Annotated[GameText, Query()]
IN_PARTS: dict[int | str, AsJson] = {200: {"content": {work.MEDIA_TYPE: {}}, "description": "Lines of JSON."}}


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
            lab.safe(usable(asked.player, game.rules), game.rules)
        lane = lab.replies if asked.player or asked.values else lab.quick
        return lab.streamed(lambda tell: game.play(lab, asked, tell), lane)

    @routes.post("/review", response_class=StreamingResponse, responses=IN_PARTS)
    async def review(asked: Review2048) -> StreamingResponse:
        """The moves of a game that gave away the most, as a player sees it: in parts, lines of JSON."""
        rules = rules_of(asked.game)
        lab.safe(usable(asked.player, rules), rules)
        return lab.streamed(lambda tell: review_in_parts(lab, asked, tell))

    @lab.replies.on(routes.get("/values"))
    def values(
        board: Annotated[BoardText, Query()], game: Game = "2048", player: Annotated[PlayerText, Query()] = "expectimax"
    ) -> Values2048:
        """What each legal direction is worth, as a player sees it; exact if the player knows it exactly."""
        return valued(lab, Position2048.parse(board, rules_of(game)), player)

    @lab.quick.on(routes.post("/record"))
    def record(asked: Record2048) -> RecordLine:
        """A finished game as a line of a file that `gridlab 2048 verify` reads."""
        return RecordLine(line=record_line(asked))

    return routes


def record_line(asked: Record2048) -> str:
    rules = rules_of(asked.game)
    if not rules.packed:
        raise BadRules(f"games of {rules} cannot be recorded; the format of files is for 4x4 boards")
    positions = replayed(rules, asked.seed, asked.moves)
    if not positions[-1].over:
        raise BadNotation("the game is not over; a record is of a finished game")
    return game_of(positions, asked.moves).line().decode()
