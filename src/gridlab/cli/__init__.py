"""The command line: thin commands, and what they all share.

Data goes to stdout, progress and remarks to stderr. Exit codes: 0 done, 1 the answer is no, 2 wrong use,
130 interrupted. A wrong argument or a damaged file gives one sentence, never a traceback.
"""

import logging
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from gridlab import __version__
from gridlab.cli import arena, exam, game2048, play, positions, setup, tablebase, terminals, train
from gridlab.cli.options import HELP, Commands
from gridlab.core import draw as colour
from gridlab.core.errors import GridlabError


def version_of(asked: bool) -> None:
    """`gridlab --version`."""
    if asked:
        typer.echo(f"gridlab {__version__}")
        raise typer.Exit


Command = Callable[..., int | None]
# What people want, and the commands for it, each in one line.
SECTIONS: dict[str, dict[str, tuple[Command | typer.Typer, str]]] = {
    "Look": {
        "tour": (setup.tour, "See a small, real example of everything, with a report."),
        "serve": (play.serve, "Start the web lab: play, see exact values, browse datasets."),
        "show": (positions.show, "Draw a position: is it legal, is the game over, whose turn?"),
        "lines": (positions.lines, "Draw the winning and losing lines of a game."),
    },
    "Count": {
        "census": (positions.census, "Count every legal position of a game."),
        "states": (positions.states, "List every legal position as CSV."),
        "terminals": (terminals.app, "Datasets of all won positions: build, verify, search."),
    },
    "Solve": {
        "solve": (positions.solve, "Find the exact value of a position and of every move."),
        "best-first": (positions.best_first, "Search for a win, best first, from a board in a file."),
        "tablebase": (tablebase.app, "Solve whole games, and small boards of 2048."),
    },
    "Play and compare": {
        "play": (play.play, "Play in the terminal, with hints and exact values."),
        "match": (arena.match, "Let two players play each other."),
        "tournament": (arena.tournament, "Let every player meet every other: cross table and Elo."),
        "grade": (arena.grade, "Compare players with perfect play: accuracy and blunders."),
        "players": (play.players, "List all players, their settings, and what they need."),
        "exam": (exam.app, "Set the same questions for every player and mark the answers."),
        "games": (arena.games, "Verify recorded games."),
    },
    "Data, learning": {
        "2048": (game2048.app, "Measure players; make and check datasets of games."),
        "train": (train.app, "Train, inspect and export networks for Squava and 2048."),
    },
    "This machine and others": {
        "doctor": (setup.doctor, "Check this installation: versions, extras, cache, files."),
        "cluster": (setup.cluster, "Start a Dask cluster, and test whether it is ready."),
        "warm": (setup.warm, "Compile everything now, so that no command has to wait."),
    },
}


class Sectioned(TyperGroup):
    """The commands by what people want."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, line) for name, (_, line) in commands.items()], col_max=12)


app = Commands(
    name="gridlab", cls=Sectioned,
    help="A laboratory for small grid games: in-a-row games of any size, Squava, 2048.",
    epilog="GAME is a name (tictactoe, tictactoe4, tictactoe5, squava, 2048) or rules such as 5x5:4-3, 2048:3x3.",
    rich_markup_mode=None, pretty_exceptions_enable=False, context_settings=HELP,
)  # fmt: skip
for each in SECTIONS.values():
    for name, (command, _) in each.items():
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(command)


@app.callback()
def whole(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=version_of, help="Show the version and exit.")
    ] = False,
) -> None:
    """A laboratory for small grid games: in-a-row games of any size, Squava, 2048."""


SCRIPTS: dict[str, Callable[..., int | None]] = {
    "generate_dataset.py": game2048.generate,
    "analyze_dataset.py": game2048.stats,
    "visual.py": positions.lines,
}


def run(arguments: Sequence[str], script: str = "") -> int:
    """Run one command, or the one that a script stands for; its exit code."""
    logging.lastResort = Warnings(logging.WARNING)
    program, name = (_script(SCRIPTS[script]), script) if script else (app, app.info.name)
    try:
        code = program(list(arguments) or ([] if script else ["--help"]), prog_name=name, standalone_mode=False) or 0
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = 130
    except SystemExit as ending:
        if isinstance(ending.__context__, BrokenPipeError):
            return _reader_left()
        raise
    except Exception as error:
        refused = _refused(error, name or "gridlab")
        if refused is None:
            raise
        return refused
    if code == 130:
        print("interrupted", file=sys.stderr)  # noqa: T201
    return int(code)


def _refused(error: Exception, name: str) -> int | None:
    """The exit code of a command that has failed for a reason, which is said; None for a fault of ours."""
    match error:
        case GridlabError():
            return _refuse(str(error))
        case typer.TyperException():
            return _refuse(_wrong_use(error, name))
        case BrokenPipeError():
            return _reader_left()
        case OSError():
            return _output_lost(error)
    if _is_lack_of_memory(error):
        return _refuse("there is not enough memory for this; a smaller board or fewer positions would do")
    return None


class Warnings(logging.Handler):
    """What gridlab logs where nobody else listens: a line on stderr, above the bar if there is one."""

    def emit(self, record: logging.LogRecord) -> None:
        from gridlab.core.progress import remark  # tqdm behind it, which most commands do not need

        remark(colour.warning(self.format(record)))


def _script(command: Callable[..., int | None]) -> typer.Typer:
    """A program of one command, which names itself in its help."""
    program = typer.Typer(
        add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False, context_settings=HELP
    )
    program.command()(command)
    return program


def _is_lack_of_memory(error: BaseException | None) -> bool:
    """Whether it is, or comes of it: a library whose import runs out of memory may say something else."""
    while error is not None and not isinstance(error, MemoryError):
        error = error.__cause__ or error.__context__
    return error is not None


def _wrong_use(error: typer.TyperException, name: str) -> str:
    """What is wrong with the words of a command, in one line, and whose help says how they are used."""
    context = getattr(error, "ctx", None)
    words = " ".join(error.format_message().split()).rstrip(".")
    return f"{words}; see {context.command_path if context else name} --help"


def _refuse(sentence: str) -> int:
    line = "".join(each if each.isprintable() else repr(each)[1:-1] for each in sentence)
    typer.echo(colour.error(line), err=True, color=colour.has_colour(sys.stderr) or None)
    return 2


def _reader_left() -> int:
    """`gridlab states … | head`: nobody reads on, so nothing more is said."""
    _forget_output()
    return 141


def _output_lost(error: OSError) -> int:
    """Nothing but stdout is written or read without a sentence of its own."""
    _forget_output()
    where = f"{error.filename} cannot be used" if error.filename else "the output cannot be written"
    return _refuse(f"{where}: {(error.strerror or str(error)).lower()}; name another place for it")


def _forget_output() -> None:
    """What is still to be written goes nowhere, so that the end of the process does not try again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
