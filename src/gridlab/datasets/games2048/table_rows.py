"""Games as what stands in tables, and back: the fields that all rows of a game share, details as text, whole games."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from gridlab.arena.records.game2048 import EXPONENTS, Game, packed_of
from gridlab.arena.records.game2048_reading import checked_game, rules_of, summary_flaw
from gridlab.core.untrusted import parse_json
from gridlab.datasets.games2048.columns import Columns, WrongTable
from gridlab.games.game2048.kernels import pack, unpack

OF_GAME = ("final_score", "max_tile", "won", "final_board", "timestamp", "about")
BLOCK = 64  # games handled at a time
TILES = {str(tile): tile for tile in EXPONENTS}


class Found(NamedTuple):
    """A game of a table."""

    game: Game
    flaw: str | None  # what the table says wrongly of it
    done: float  # the share of the file that was read with it


def shared_of(game: Game) -> tuple[Any, ...]:
    """What a table repeats for every move of a game, in the order of OF_GAME."""
    final = " ".join(map(str, unpack(game.final_board)))
    return game.final_score, game.max_tile, game.won, final, game.timestamp, json.dumps(game.about)


def details_text(game: Game) -> list[str]:
    return [json.dumps(each) for each in game.details] if game.details else [""] * game.moves


def game_of(columns: Columns) -> Found:
    """A game from its columns."""
    count = len(columns.directions)
    if len(columns.boards) != 64 * count or len(columns.scores) != 8 * count:
        raise WrongTable("the columns are not equally long")
    tiles = [TILES.get(tile) for tile in columns.final_board.split(" ")]
    if len(tiles) != 16 or None in tiles:
        raise WrongTable("final_board is not 16 tiles with a space between them")
    about = parse_json(columns.about, dict[str, Any], "about")
    if rules_of(about).walled:
        raise WrongTable(f"a table holds games on boards of 16 cells, not of {rules_of(about)}")
    game = checked_game(  # copies, as kernels are compiled once more for arrays that cannot be written to
        packed_of(np.frombuffer(columns.boards, "<i4")), np.frombuffer(columns.directions, np.int8).copy(),
        np.frombuffer(columns.scores, "<i8").copy(), pack(tuple(tile for tile in tiles if tile is not None)),
        columns.final_score, columns.timestamp, about,
        _details_of(columns.details),
    )  # fmt: skip
    summary = {"totalMoves": count, "maxTile": columns.max_tile, "won": columns.won}
    return Found(game, summary_flaw(summary, game), columns.done)


def _details_of(texts: list[str]) -> list[dict[str, Any]] | None:
    """None if nothing is known of any move."""
    if not any(texts):
        return None
    return [parse_json(text, dict[str, Any], "details") for text in texts]


def blocks(games: Iterator[Game]) -> Iterator[list[Game]]:
    block: list[Game] = []
    for game in games:
        block.append(game)
        if len(block) == BLOCK:
            yield block
            block = []
    if block:
        yield block
