"""What lies in the served folder: tablebases, datasets, recorded games, trained networks."""

from itertools import islice
from typing import Annotated, Any, cast

import numpy as np
from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from gridlab.arena.session import read_records
from gridlab.core import draw
from gridlab.core.errors import FileTrouble
from gridlab.core.run import import_extra
from gridlab.game2048.datasets.moves import Games
from gridlab.game2048.learn.ntuple_file import read_head
from gridlab.game2048.records import tiles_of
from gridlab.game2048.rules import DIRECTIONS
from gridlab.games.grid import move_text
from gridlab.inarow.datasets.terminals.dataset import Terminals, open_terminals
from gridlab.inarow.exact.tablebase.probe import Tablebase
from gridlab.inarow.exact.tablebase.verify import stats
from gridlab.inarow.position import Position
from gridlab.inarow.records import Record
from gridlab.web.lab import FileKind, Lab
from gridlab.web.routes.inarow import Values
from gridlab.web.work import ApiModel, BoardText, Direction, FileName

# ---- What lies in the served folder


class FoundFile(ApiModel):
    """Something in the served folder that the lab can show."""

    path: str
    kind: FileKind
    bytes: int


class PlyCount(ApiModel):
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


class LayerCount(ApiModel):
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


class RecordInfo(ApiModel):
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


class Game2048Info(ApiModel):
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


class CheckpointInfo(ApiModel):
    """A trained network."""

    path: str
    rules: str
    episode: int | None
    steps: int | None
    parameters: int
    settings: dict[str, Any]
    curve: list[CurvePoint]


class NTuplePoint(ApiModel):
    """Where a training of an n-tuple network stood."""

    games: int
    minutes: float
    mean_score: float
    tile_rates: dict[str, float]


class NTupleInfo(ApiModel):
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


# ---- What lies in the served folder: tablebases, datasets, recorded games, trained networks


FAR = 2**62
MOST_BOARDS = 200  # of a replay in one answer
MOST_POINTS = 300  # of its history
File = Annotated[FileName, Query()]
First = Annotated[int, Query(ge=0, le=FAR)]
Count = Annotated[int, Query(ge=1, le=60)]
Boards = Annotated[int, Query(ge=1, le=MOST_BOARDS)]


def router(lab: Lab) -> APIRouter:
    """The routes of data."""
    routes = APIRouter(prefix="/files", tags=["data"])

    @lab.quick.on(routes.get(""))
    def files() -> list[FoundFile]:
        """What there is to see."""
        return [FoundFile.taken_from(each) for each in lab.folder.listing()]

    @lab.quick.on(routes.get("/tablebase"))
    def tablebase(file: File) -> TablebaseInfo:
        """Positions by value, ply by ply, and the openings."""
        found = stats(Tablebase(lab.folder.inside(file)))
        plies = [PlyCount.taken_from(each) for each in found.plies]
        rules, max_ply = str(found.directory.rules), found.directory.max_ply
        return TablebaseInfo(path=file, rules=rules, max_ply=max_ply, plies=plies, openings=Values.of(found.openings))

    @lab.quick.on(routes.get("/terminals"))
    def terminals(file: File) -> TerminalsInfo:
        """The layers of a dataset of terminal wins."""
        return terminals_info(lab, file)

    @lab.quick.on(routes.get("/terminals/boards"))
    def boards(file: File, ply: Annotated[int, Query(ge=0, le=63)], first: First = 0, count: Count = 24) -> Page:
        """A gallery: some boards of a layer, drawn."""
        return drawn_page(opened(lab, file), ply, first, count)

    @lab.quick.on(routes.get("/terminals/contains"))
    def contains(file: File, board: Annotated[BoardText, Query()]) -> Contains:
        """Whether a board is there, turned or mirrored in any way."""
        data = opened(lab, file)
        answer, found = data.answer(Position.parse(board, data.rules))
        return Contains(found=found, answer=answer)

    @lab.quick.on(routes.get("/records"))
    def records(file: File, first: First = 0, count: Count = 24) -> RecordsPage:
        """Recorded games between two."""
        found = list(islice(read_records(lab.folder.inside(file)), first, first + count + 1))
        games = [record_info(number, each) for number, each in enumerate(found[:count], first)]
        return RecordsPage(first=first, more=len(found) > count, games=games)

    @lab.quick.on(routes.get("/games2048"))
    def games2048(file: File, first: First = 0, count: Count = 24) -> Games2048Page:
        """Recorded games of 2048."""
        games = Games(lab.folder.inside(file))
        some = ((number, games[number]) for number in range(first, min(first + count, len(games))))
        shown = [Game2048Info.taken_from(game, number=number, score=game.final_score) for number, game in some]
        return Games2048Page(total=len(games), samples=games.samples, first=first, games=shown)

    @lab.quick.on(routes.get("/games2048/replay"))
    def replay(file: File, number: First, first: First = 0, count: Boards = MOST_BOARDS) -> Replay2048:
        """The boards of a recorded game, some at a time."""
        return replayed(lab, file, number, first, count)

    @lab.quick.on(routes.get("/checkpoint"))
    def checkpoint(file: File) -> CheckpointInfo:
        """A trained network, and its learning curve."""
        return checkpoint_info(lab, file)

    @lab.quick.on(routes.get("/ntuple"))
    def ntuple(file: File) -> NTupleInfo:
        """An n-tuple network of 2048, and its learning curve."""
        return ntuple_info(lab, file)

    return routes


def opened(lab: Lab, file: str) -> Terminals:
    return open_terminals(lab.folder.whole_folder(file))


def terminals_info(lab: Lab, file: str) -> TerminalsInfo:
    data = opened(lab, file)
    if data.manifest:
        layers = [LayerCount.taken_from(each) for each in data.manifest.layers]
    else:
        layers = [LayerCount(ply=ply, records=len(data.records(ply)), x_wins=None, o_wins=None) for ply in data.plies]
    remark = data.remark.replace(str(data.folder), file)
    return TerminalsInfo(path=file, rules=str(data.rules), remark=remark, layers=layers)


def drawn_page(data: Terminals, ply: int, first: int, count: int) -> Page:
    records = data.records(ply)
    boards = []
    for number in range(first, min(first + count, len(records))):
        here = Position.unpack(int(records[number]), data.rules)
        outcome = here.outcome()
        winner = (outcome and outcome.winner) or "nobody"
        boards.append(Drawn(ply=ply, number=number, board=str(here), winner=winner, svg=here._repr_svg_()))
    return Page(total=len(records), first=first, boards=boards)


def record_info(number: int, record: Record) -> RecordInfo:
    rules = record.rules
    moves = [move_text(move, rules.rows, rules.cols) for move in record.moves]
    return RecordInfo.taken_from(record, number=number, rules=str(rules), moves=moves, result=record.result.value)


def replayed(lab: Lab, file: str, number: int, first: int, count: int) -> Replay2048:
    games = Games(lab.folder.inside(file))
    if number >= len(games):
        raise FileTrouble(f"{file} has {len(games):,} games, counted from 0: there is no game {number}")
    game = games[number]
    some, rules = slice(first, first + count), game.rules
    packed = np.append(game.boards, np.uint64(game.final_board))[some]
    boards = tiles_of(packed, rules).reshape(-1, rules.cells).tolist()
    scores = np.append(game.scores, game.final_score)[some].tolist()
    directions = [*(DIRECTIONS[each] for each in game.directions), None][some]
    svgs = [draw.tiles_svg(tiles, rules.cols, f"{score:,} points") for tiles, score in zip(boards, scores, strict=True)]
    points = range(0, game.moves, game.moves // MOST_POINTS + 1)
    history = [*((at, int(game.scores[at])) for at in points), (game.moves, game.final_score)]
    return Replay2048(
        number=number, rows=rules.rows, cols=rules.cols, total=game.moves + 1, first=first, boards=boards,
        scores=scores, directions=cast(list[Direction | None], directions), svgs=svgs, history=history,
    )  # fmt: skip


def checkpoint_info(lab: Lab, file: str) -> CheckpointInfo:
    path = lab.folder.inside(file)
    import_extra("torch", "learn")
    from gridlab.games.registry import game
    from gridlab.inarow.learn import networks as checkpoint

    found = checkpoint.read(path, str(game("squava", "mnk")))
    curve = []
    for row in found.facts.curve:
        values = {name: float(value) for name, value in row.items() if value is not None}
        if "episode" in values:
            curve.append(CurvePoint(episode=int(values.pop("episode")), values=values))
    parameters = sum(each.numel() for each in found.part(checkpoint.NETWORK).values())
    more = {"parameters": parameters, "settings": dict(found.facts.settings), "curve": curve}
    return CheckpointInfo.taken_from(found.facts, path=file, **more)


def ntuple_info(lab: Lab, file: str) -> NTupleInfo:
    head = read_head(lab.folder.inside(file))
    learnt, settings = head.learnt, ("rate", "step", "trace", "restart", "optimistic", "settle", "seed")
    return NTupleInfo.taken_from(
        learnt, path=file, rules=head.rules, tuples=head.tuples.split(","), weights=head.weights,
        minutes=learnt.seconds / 60,
        settings={"lambda" if name == "trace" else name: getattr(learnt, name) for name in settings},
        curve=[NTuplePoint.taken_from(each, minutes=each.seconds / 60) for each in learnt.curve],
    )  # fmt: skip
