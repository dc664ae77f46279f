"""`gridlab play`: a game in the terminal."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from gridlab.cli import completion
from gridlab.cli.options import Game, Seed, Table, out_file, print_boards


def play(
    game: Game,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="PLAYER",
            autocompletion=completion.players,
            help="A player, perfect by default; nobody lets two people share the keyboard; in 2048 the adviser.",
        ),
    ] = None,
    side: Annotated[
        Literal["x", "o"], typer.Option("--side", case_sensitive=False, help="The stones you play; x begins.")
    ] = "x",
    seed: Seed = None,
    tablebase: Table = None,
    out: Annotated[Path | None, out_file("Add finished games to this file, as JSON lines.")] = None,
) -> None:
    """Play a game in the terminal, with hints and the exact value of every move.

    A move is a row and a column: 11 is the top left cell. Type help for the commands, and q or Ctrl-D to leave. You
    play 2048 alone, with the arrow keys; --against names the adviser who gives the hints.
    """
    from gridlab.arena.terminal import Console
    from gridlab.arena.terminal import play as play_at

    play_at(game, Console(ask, print_boards, against, "X" if side == "x" else "O", seed, tablebase, out))


def ask(prompt: str) -> str:
    """A line from the person; stdin may have ended, be closed, or hold bytes that are no text."""
    if sys.stdin is None:
        raise EOFError
    try:
        return input(prompt)
    except UnicodeDecodeError:
        return "?"
