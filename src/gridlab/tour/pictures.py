"""Findings of the tour as the report shows them: a board, a chart or a table, with the command that shows the same."""

from collections.abc import Iterator
from pathlib import Path

from gridlab.arena.evaluate import Evaluation2048
from gridlab.arena.grade import Grade
from gridlab.arena.match.mnk import Match
from gridlab.core.charts import lines_svg
from gridlab.exact.tablebase.probe import Tablebase
from gridlab.games.mnk.position import Position
from gridlab.players.registry import player_text
from gridlab.tour.show import drawn, gallery, named, percent, table, values

LARGE = 512  # the least tile of which a table tells


def worth(known: Tablebase, name: str, *positions: Position) -> str:
    """Boards with what every move is worth, by a table that goes by this name in commands."""
    boards = "".join(values(each, known.probe(each)) for each in positions)
    probes = [f"tablebase probe {name} {each}" for each in positions]
    return drawn(f'<div class="gallery">{boards}</div>', "What every move is worth to whoever makes it", *probes)


def played_out(position: Position, moves: list[int]) -> Iterator[tuple[str, str]]:
    """The board before and after each move, drawn."""
    yield position._repr_svg_(), f"{position.to_move} to move"
    for move in moves:
        mover, position = position.to_move, position.play(str(move))
        yield position._repr_svg_(), f"{mover} {move}"


def result(played: Match) -> str:
    """A match as a table."""
    rows = [
        (f"{played.a} wins", played.a_wins, percent(played.a_wins / played.games)),
        ("draws", played.draws, percent(played.draws / played.games)),
        (f"{played.b} wins", played.b_wins, percent(played.b_wins / played.games)),
    ]
    how = f"--games {played.games} --openings {played.openings} --seed {played.seed}"
    again = f'match {played.rules} "{played.a}" "{played.b}" {how}'
    return drawn(table(("result", "games", "share"), rows), f"{played.a} scores {percent(played.a_score)}", again)


def accuracies(held: list[Grade], command: str) -> str:
    """How often each of some players kept the value, by ply."""
    series = {
        each.player: [(float(row["ply"]), 100 * float(row["accuracy"])) for row in each.as_dict()["by_ply"]]
        for each in held
    }
    chart = lines_svg("Accuracy by ply", series, "plies played", "moves that keep the value (%)", 100)
    return drawn(chart, "How often each keeps a win or a draw that it has", command)


def blunders(held: Grade, command: str) -> str:
    """The first positions in which a player gave something away."""
    found = [(each, each.move) for each in held.outcomes if each.blunder and each.move is not None]
    pictures = gallery(
        (each.position._repr_svg_(), f"{held.player} plays {each.position.move_text(move)}: {arrow(each.blunder)}")
        for each, move in found[:4]
    )
    return drawn(
        pictures, "Moves that gave something away: what the position was worth, and what it is worth then", command
    )


def arrow(blunder: str) -> str:
    return blunder.replace("->", " → ")


def reached(played: Evaluation2048, place: Path) -> str:
    """How often each large tile was reached."""
    rates = [(f"{tile}", percent(rate)) for tile, rate in played.tile_rates.items() if tile >= LARGE]
    caption = f"{played.games} games of the network: {played.mean_score:,.0f} points a game"
    again = f"2048 evaluate {named(player_text('ntuple', file=place))} --games {played.games} --seed 1"
    return drawn(table(("tile", "games that reach it"), rates), caption, again)
