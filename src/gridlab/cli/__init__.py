"""The command line: thin commands, and what they all share.

Data goes to stdout, progress and remarks to stderr. Exit codes: 0 done, 1 the answer is no, 2 wrong use,
130 interrupted. A wrong argument or a spoilt file gives one sentence, never a traceback.
"""

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress

import typer

from gridlab.cli import (
    arena,
    best_first,
    datasets2048,
    exam,
    game2048,
    grade,
    play,
    players,
    positions,
    serve,
    solve,
    tablebase,
    terminals,
    tour,
    train,
    warm,
)  # fmt: skip
from gridlab.core.errors import GridlabError

HELP = {"help_option_names": ["-h", "--help"]}
app = typer.Typer(
    name="gridlab",
    help="A laboratory for small grid games.",
    epilog="GAME is a name (tictactoe, tictactoe4, tictactoe5, squava) or rules such as 3x3:3, 5x5:4-3, 3x3:-3.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings=HELP,
)
COMMANDS: tuple[Callable[..., int | None], ...] = (
    tour.tour, positions.census, positions.states, positions.lines, positions.show, solve.solve,
    best_first.best_first, play.play, arena.match, arena.tournament, grade.grade, players.players,
    serve.serve, warm.warm,
)  # fmt: skip
for command in COMMANDS:
    app.command()(command)
app.add_typer(arena.games, name="games")
app.add_typer(terminals.app, name="terminals")
app.add_typer(tablebase.app, name="tablebase")
app.add_typer(game2048.app, name="2048")
app.add_typer(train.app, name="train")
app.add_typer(exam.app, name="exam")

SCRIPTS: dict[str, Callable[..., int | None]] = {
    "generate_dataset.py": datasets2048.generate,
    "analyze_dataset.py": datasets2048.stats,
    "visual.py": positions.lines,
}


def run(arguments: Sequence[str], script: str = "") -> int:
    """Run one command, or the one that a script stands for; its exit code."""
    program, name = (_script(SCRIPTS[script]), script) if script else (app, app.info.name)
    try:
        code = program(list(arguments) or ([] if script else ["--help"]), prog_name=name, standalone_mode=False) or 0
        sys.stdout.flush()
    except GridlabError as error:
        return _refuse(str(error))
    except typer.TyperException as error:
        return _refuse(f"{error.format_message().rstrip('.')}; see {name} --help")
    except BrokenPipeError:
        return _reader_left()
    except KeyboardInterrupt:
        code = 130
    except OSError as error:
        return _output_lost(error)
    except MemoryError:
        return _refuse("there is not enough memory for this; a smaller board or fewer positions would do")
    except SystemExit as ending:
        if isinstance(ending.__context__, BrokenPipeError):
            return _reader_left()
        raise
    if code == 130:
        print("interrupted", file=sys.stderr)  # noqa: T201
    return int(code)


def _script(command: Callable[..., int | None]) -> typer.Typer:
    """A program of one command, which names itself in its help."""
    program = typer.Typer(
        add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False, context_settings=HELP
    )
    program.command()(command)
    return program


def _refuse(sentence: str) -> int:
    line = "".join(each if each.isprintable() else repr(each)[1:-1] for each in sentence)
    print(f"error: {line}", file=sys.stderr)  # noqa: T201
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
