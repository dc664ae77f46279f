"""`gridlab play`: a game in the terminal."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from gridlab.cli.options import Game, Seed

NOBODY = "nobody"


def play(
    game: Game,
    against: Annotated[str, typer.Option("--against", help="A player; nobody for two people at one keyboard.")] = (
        "perfect"
    ),
    side: Annotated[
        Literal["x", "o"], typer.Option("--side", case_sensitive=False, help="Your stones; x begins.")
    ] = "x",
    seed: Seed = None,
    tablebase: Annotated[
        Path | None, typer.Option("--tablebase", metavar="FILE", help="Exact answers for hint and values.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option("--save", "--record", metavar="FILE", help="Append finished games as JSON lines.")
    ] = None,
) -> None:
    """Play a game in the terminal, with hints and the exact value of every move.

    Moves are 11 for row 1, column 1; help lists the commands. The end of input leaves. 2048 is played alone, with
    arrow keys; --against names the adviser for its hints.
    """
    import numpy as np

    from gridlab import games
    from gridlab.arena.terminal.mnk import append_to, play_game
    from gridlab.exact.oracle import Oracle
    from gridlab.players.mnk import make_player

    if game == "2048" or game.startswith("2048:"):
        play_2048(game, "expectimax" if against == "perfect" else against, seed, save)
        return
    rules = games.game(game)
    opponent = None if against == NOBODY else make_player(against, rules, tablebase)
    try:
        play_game(
            rules,
            opponent,
            "X" if side == "x" else "O",
            ask=ask,
            say=typer.echo,
            answer=Oracle(rules, tablebase).ask,
            random=np.random.default_rng(seed),
            save=append_to(save) if save else None,
            against=against,
            seed=seed,
        )
    finally:
        if opponent is not None:
            opponent.close()


def play_2048(game: str, adviser: str, seed: int | None, record: Path | None) -> None:
    from contextlib import nullcontext

    import numpy as np

    from gridlab.arena.terminal.game2048 import append_to, play_game
    from gridlab.arena.terminal.keys import can_give_keys, single_keys
    from gridlab.games.game2048.rules import Rules2048
    from gridlab.players.game2048 import make_adviser

    rules = Rules2048.parse(game)
    player = make_adviser(adviser, rules)
    keep = append_to(record, rules) if record else None
    with single_keys() if can_give_keys() else nullcontext(ask) as ask_for_move:
        play_game(rules, player, ask_for_move, typer.echo, np.random.default_rng(seed), keep)


def ask(prompt: str) -> str:
    """A line from the person; stdin may have ended, be closed, or hold bytes that are no text."""
    if sys.stdin is None:
        raise EOFError
    try:
        return input(prompt)
    except UnicodeDecodeError:
        return "?"
