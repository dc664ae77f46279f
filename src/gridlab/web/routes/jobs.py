"""Long work: solve, match, grade, search through a dataset; its progress as server-sent events."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Path
from fastapi.responses import StreamingResponse
from pydantic import Field

from gridlab.arena.assess import Grades, Order, grade_all
from gridlab.arena.match import Match, play_between, play_match, read_tournament
from gridlab.arena.session import PLAYED, RESIGNED
from gridlab.game2048.datasets.verify import statistics_of
from gridlab.game2048.exact.probe import Tablebase2048
from gridlab.game2048.exact.verify import stats
from gridlab.game2048.grade import Grade2048, find_table
from gridlab.game2048.rules import Rules2048
from gridlab.games.grid import move_text
from gridlab.games.registry import game
from gridlab.inarow.datasets.terminals.dataset import Terminals, find_terminals, open_terminals
from gridlab.inarow.records import Record
from gridlab.inarow.rules import Rules
from gridlab.inarow.solution import Solution
from gridlab.web import work
from gridlab.web.lab import Lab
from gridlab.web.routes.inarow import Values, position_of
from gridlab.web.work import ApiModel, BoardText, FileName, GameText, Job, PlayerText, Seed, Told

# ---- Long work


class SolveAsked(Told):
    """An exact answer that takes a while."""

    game: GameText
    board: BoardText = ""
    seconds: Annotated[float, Field(ge=0.1, le=work.SOLVE_SECONDS)] = work.SOLVE_SECONDS


class MatchAsked(Told):
    """A match."""

    game: GameText
    a: PlayerText
    b: PlayerText
    games: Annotated[int, Field(ge=1, le=work.MOST_GAMES)] = 100
    openings: Annotated[str, Field(max_length=20)] = "random:0"
    seed: Seed = 0


class GradeAsked(Told):
    """A grade."""

    game: GameText
    player: PlayerText
    positions: Annotated[int, Field(ge=1, le=work.MOST_POSITIONS)] = 200
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


class JobInfo(ApiModel):
    """How far long work has come, and what came of it."""

    id: str
    kind: str
    state: work.State
    doing: str
    done: float
    total: float | None
    partial: Any = None
    result: Any = None
    error: str


# ---- Long work: solve, match, grade, search through a dataset; its progress as server-sent events


GLANCE = 0.1  # seconds between two looks at a job
HEARTBEAT = 100  # looks after which something is said in any case, so that a client who has left is noticed
MOST_LISTENERS = 8  # to a job
SHOWN_BLUNDERS = 60
SHOWN_GAMES = 200  # of a match

Number = Annotated[str, Path(max_length=40)]


def router(lab: Lab) -> APIRouter:
    """The routes of long work."""
    routes = APIRouter(prefix="/jobs", tags=["long work"])

    @routes.post("/solve", status_code=202)
    async def solve(asked: SolveAsked) -> JobInfo:
        """An exact answer that takes a while."""
        position = position_of(asked.game, asked.board).require_legal()

        def searched(job: Job) -> Any:
            def tell(moves: int, nodes: int) -> None:
                job.hear(f"{nodes:,} positions searched", moves, len(position.moves()))

            def show(so_far: Solution) -> None:
                job.change(partial=Values.of(so_far).model_dump())

            return Values.of(lab.truth.search(position, asked.seconds, tell, show)).model_dump()

        return info(lab.jobs.begin("solve", searched, asked.seconds + 30))

    @routes.post("/match", status_code=202)
    async def match(asked: MatchAsked) -> JobInfo:
        """A match, with its score and interval so far as it goes on."""
        rules = game(asked.game)
        a, b = (lab.safe(text, rules) for text in (asked.a, asked.b))
        return info(lab.jobs.begin("match", lambda job: play(job, asked, rules, a, b)))

    @routes.post("/grade", status_code=202)
    async def graded(asked: GradeAsked) -> JobInfo:
        """A player compared with perfect play, by ply, with its blunders."""
        rules = game(asked.game)
        safe, table = lab.safe(asked.player, rules), lab.folder.tablebase_of(rules)
        if isinstance(rules, Rules2048):
            find_table(rules, table)  # a board that is not solved is told at once
        order = Order(asked.positions, tablebase=table, seed=asked.seed, workers=1)
        return info(lab.jobs.begin("grade", lambda job: graded_as_dict(grade_all([safe], rules, order), asked)))

    @routes.post("/find", status_code=202)
    async def find(asked: FindAsked) -> JobInfo:
        """Records of a dataset of terminal wins that match a description."""
        data = open_terminals(lab.folder.whole_folder(asked.file))
        return info(lab.jobs.begin("find", lambda job: matches(data, asked)))

    @routes.post("/statistics", status_code=202)
    async def statistics(asked: FileAsked) -> JobInfo:
        """What a file of 2048 games comes to."""
        path = lab.folder.inside(asked.file)
        return info(lab.jobs.begin("statistics", lambda job: statistics_of(path).as_dict()))

    @routes.post("/tournament", status_code=202)
    async def tournament(asked: FileAsked) -> JobInfo:
        """The ratings and the cross table of a tournament, every game checked."""
        folder = lab.folder.whole_folder(asked.file)
        return info(lab.jobs.begin("tournament", lambda job: read_tournament(folder).as_dict()))

    @routes.post("/tablebase2048", status_code=202)
    async def tablebase2048(asked: FileAsked) -> JobInfo:
        """What a solved board of 2048 comes to, counted sum by sum."""
        path = lab.folder.inside(asked.file)
        return info(lab.jobs.begin("tablebase2048", lambda job: stats(Tablebase2048(path)).as_dict()))

    @routes.get("/{number}")
    async def look(number: Number) -> JobInfo:
        """How far a job has come."""
        return info(known(lab, number))

    @routes.delete("/{number}")
    async def cancel(number: Number) -> JobInfo:
        """Stop a job."""
        job = known(lab, number)
        job.cancel()
        return info(job)

    @routes.get("/{number}/events", response_class=StreamingResponse)
    async def events(number: Number) -> StreamingResponse:
        """A job as server-sent events, until it ends; one that nobody listens to is cancelled."""
        job = known(lab, number)
        if job.listeners >= MOST_LISTENERS:
            raise work.Busy
        return StreamingResponse(told(job), media_type="text/event-stream")

    return routes


def info(job: Job) -> JobInfo:
    return JobInfo.taken_from(job)


def known(lab: Lab, number: str) -> Job:
    job = lab.jobs.get(number)
    if job is None:
        raise HTTPException(404, "there is no such job; results are kept for a while only")
    return job


async def told(job: Job) -> AsyncIterator[str]:
    """What becomes of a job, as events."""
    job.listeners += 1
    seen, looks = -1, 0
    try:
        while True:
            version, active = job.version, job.active
            looks += 1
            if version != seen or not active:
                seen = version
                yield f"data: {json.dumps(info(job).model_dump())}\n\n"
            elif looks % HEARTBEAT == 0:
                yield ": still at it\n\n"
            if not active:
                return
            await asyncio.sleep(GLANCE)
    finally:
        job.listeners -= 1
        job.left_at = time.monotonic()


def play(job: Job, asked: MatchAsked, rules: Any, a: str, b: str) -> Any:
    """A match of players that may be asked for here; a match of in-a-row games tells of itself as it goes on."""
    if isinstance(rules, Rules2048):
        told = play_match(a, b, rules, asked.games, "random:0", asked.seed, 1).as_dict()
        return told | {"family": "2048", "names": [asked.a, asked.b], "rules": str(rules), "seed": asked.seed}
    if not isinstance(rules, Rules):
        return play_match(a, b, rules, asked.games, asked.openings, asked.seed, 1).as_dict()
    trail: list[tuple[float, ...]] = []  # games, the interval, the score

    def tell(so_far: Match) -> None:
        trail.append((so_far.games, *so_far.a_score_interval, so_far.a_score))
        job.change(partial=match_result(so_far, asked, trail))

    play_between(a, b, rules, asked.games, asked.openings, asked.seed, 1, tell=tell)
    return job.partial


def match_result(played: Match, asked: MatchAsked, trail: list[tuple[float, ...]]) -> dict[str, Any]:
    more = {"family": "mnk", "a": asked.a, "b": asked.b, "faults": [each[:200] for each in played.faults[:5]]}
    listed = [listed_game(each) for each in played.records[:SHOWN_GAMES]]
    return played.as_dict() | more | {"trail": list(trail), "listed": listed}


def listed_game(record: Record) -> dict[str, Any]:
    """A game of a match, whose first moves were drawn by chance; A is X in the first, third, … and O in the others."""
    moves = [move_text(each, record.rules.rows, record.rules.cols) for each in record.moves]
    end = record.reason if record.reason in (PLAYED, RESIGNED) else "fault"
    return {"moves": moves, "opening": record.opening, "result": record.result.value, "end": end}


def matches(data: Terminals, asked: FindAsked) -> dict[str, Any]:
    """Records that match, the first of them drawn."""
    asking: dict[str, Any] = {"pattern": asked.pattern, "symmetric": asked.symmetric, "count": asked.count}
    found = find_terminals(data, winner=asked.winner or None, workers=1, **asking)
    boards = [each.as_dict() | {"svg": each.position._repr_svg_()} for each in found.shown]
    return {"matches": found.matches, "records": found.records, "boards": boards}


def graded_as_dict(found: Grades, asked: GradeAsked) -> Any:
    """A grade with the moves that gave something away, each with its board."""
    (held,) = found.grades
    if isinstance(held, Grade2048):
        worst = [each.as_dict() | {"svg": each.position._repr_svg_()} for each in held.own.worst]
        return held.as_dict() | {"family": "2048", "player": asked.player, "mistakes": worst}
    wrong = [(each.position, each.move, each.blunder) for each in held.outcomes if each.blunder and each.move]
    blunders = [
        {"board": str(here), "ply": here.ply, "move": move, "change": change, "svg": here._repr_svg_()}
        for here, move, change in wrong[:SHOWN_BLUNDERS]
    ]
    return held.as_dict() | {"family": "mnk", "player": asked.player, "mistakes": blunders}
