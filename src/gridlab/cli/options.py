"""How a command is described, options that mean the same in every command, and one way to read each kind of value.

    def show(folder: Source, ply: Natural, count: Positive = 1, json: Json = False) -> None:
        '''Draw records of one layer.

        DIR           The folder of a dataset.
        PLY           The layer, such as 9.
        --count N     How many records to show.
        '''

The last paragraph of the docstring lists what is not described elsewhere, in the order of the parameters. The type of a
parameter says how its text is read:

Annotated[int, whole(1)]     a whole number from 1          Annotated[Path, source]     a file or folder to read
Annotated[float, real(0)]    a number from 0 on             Annotated[Path, target]     a file that can be written
"""

import ast
import json
import logging
import math
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import cleandoc, getsource
from pathlib import Path
from textwrap import dedent
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_type_hints

import typer
from typer.core import TyperGroup
from typer.models import ParameterInfo

from gridlab.core import draw as colour
from gridlab.core.arguments import MOST, shortened, whole_number
from gridlab.core.errors import BadNotation, GridlabError
from gridlab.core.files import check_source, try_folder, try_place

# ---- Groups of commands, and how their help lists what they do


HELP = {"help_option_names": ["-h", "--help"]}
WHOLE = 10_000  # characters; no sentence of a command is longer


class Listed(TyperGroup):
    """Lists its commands with the whole first sentence of each, over several lines where one is too short."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, each.get_short_help_str(WHOLE)) for name, each in self.commands.items()])


Command = TypeVar("Command", bound=Callable[..., Any])


class Also(NamedTuple):
    """What else is to be said of an option, `Also("show_default", False)`."""

    name: str
    value: Any


ENTRY = re.compile(r"^(\S.*?)(?: {2,}|\n +)(.*(?:\n +.*)*)$", re.MULTILINE)  # --count N    How many, over several lines


class Commands(typer.Typer):
    """A group of commands whose docstrings describe their options."""

    def command(self, name: str | None = None, **more: Any) -> Callable[[Command], Command]:
        add = super().command(name, **more)
        return lambda command: add(described(command))


def group(line: str) -> Commands:
    """A group of commands, described in one line."""
    return Commands(help=line, cls=Listed, rich_markup_mode=None, context_settings=HELP)


def described(command: Command) -> Command:
    """The command with its parameters as the last paragraph of its docstring lists them, in their order."""
    forms, types = command.__annotations__, get_type_hints(command)
    left = [name for name in forms if name != "return" and not _is_whole(forms[name])]
    if left:
        command.__doc__, _, listed = cleandoc(command.__doc__ or _written(command)).rpartition("\n\n")
        for name, (said, text) in zip(left, ENTRY.findall(listed), strict=True):
            beside = _beside(forms[name])
            more = dict(each for each in beside if isinstance(each, Also))
            parser = next((each for each in beside if callable(each)), None)
            make = option if said.startswith("-") else argument
            forms[name] = Annotated[types[name], make(said, " ".join(text.split()), parser, **more)]
    return command


def _is_whole(form: Any) -> bool:
    """Whether it is described already, as options are that mean the same everywhere."""
    return any(isinstance(each, ParameterInfo) for each in getattr(form, "__metadata__", ()))


def _beside(form: Any) -> list[Any]:
    """What stands beside the types in an annotation: `Annotated[int, whole(1)] | None` -> [whole(1)]."""
    return [*getattr(form, "__metadata__", ()), *(found for each in get_args(form) for found in _beside(each))]


def _written(command: Callable[..., Any]) -> str:
    """The docstring in the source, where Python has been told to forget it (-OO)."""
    found = ast.parse(dedent(getsource(command))).body[0]
    assert isinstance(found, ast.FunctionDef)
    return ast.get_docstring(found) or ""


# ---- What a shell can complete beside commands and options: games, players and exams


FAMILY = {"2048 evaluate": "2048"}  # commands that play one family of games alone


def games(incomplete: str) -> list[str]:
    """Names of games; rules such as 5x5:4-3 cannot be listed."""
    from gridlab.games import NAMED

    return [name for name in NAMED if name.startswith(incomplete)]


def players(ctx: Any, incomplete: str) -> list[str]:
    """Names of players of the game that the line names, or of in-a-row games."""
    from gridlab.games.registry import game
    from gridlab.players.registry import kinds_of

    asked = ctx.params.get("game") or ctx.params.get("rules") or FAMILY.get(" ".join(ctx.command_path.split()[1:]))
    try:
        kinds = kinds_of(game(asked or "tictactoe"))
    except GridlabError:
        return []
    return [name for name in kinds if name.startswith(incomplete)]


def game_then_players(ctx: Any, incomplete: str) -> list[str]:
    """Names for GAME PLAYER…: games at first, unless --game has named one, and players of that game then."""
    words = ctx.params.get("words") or ()
    if words and not ctx.params.get("game"):
        ctx.params["game"] = words[0]
    found = players(ctx, incomplete)
    return found if ctx.params.get("game") else [*games(incomplete), *found]


def exams(incomplete: str) -> list[str]:
    """Names of the exams that come with the package; files are for the shell to complete."""
    from gridlab.arena.exam import standard_exams

    return [name for name in standard_exams() if name.startswith(incomplete)]


# ---- Options that mean the same in every command, and one way to read each kind of value


Value = TypeVar("Value")


def _parser(read: Callable[[str], Value]) -> Callable[[Any], Value]:
    """A parser for typer, which hands it the texts of users and our own defaults; its sentence names the option."""

    def parse(given: Any) -> Value:
        try:
            return read(str(given))
        except GridlabError as error:
            raise typer.BadParameter(str(error)) from error

    return parse


def whole(low: int = 0, high: int = MOST) -> Callable[[Any], int]:
    """Reads whole numbers of a range."""
    return _parser(lambda text: whole_number(text, low, high))


def real(low: float, high: float = math.inf) -> Callable[[Any], float]:
    """Reads numbers of a range; infinite ones and what is no number are none."""

    def read(text: str) -> float:
        try:
            number = float(text) if text.isascii() else math.nan
        except ValueError:
            number = math.nan
        if not (low <= number <= high and math.isfinite(number)):
            upto = "on" if high == math.inf else f"to {high:g}"
            raise typer.BadParameter(f"{shortened(text)} is none of the numbers from {low:g} {upto}")
        return number

    return _parser(read)


def _find_table(text: str) -> Path:
    """A file, or a game whose first plies come with the package."""
    from gridlab.games.tablebases import find  # with numba behind it, and most commands need none

    return find(text or check_source(None))


def _bits(text: str) -> int:
    """A bitboard, written in binary, hexadecimal or decimal digits."""
    digits = {"0b": 2, "0x": 16}.get(text[:2].lower(), 10)
    try:
        number = int(text, digits) if text.isascii() and len(text) <= 80 and "_" not in text else -1
    except ValueError:
        number = -1
    if number < 0:
        raise typer.BadParameter(f"{shortened(text)} is not a bitboard; write it as 0b101100001, 353 or 0x161")
    return number


def _address(text: str) -> str:
    """Where the scheduler of a cluster listens."""
    found = re.fullmatch(r"(?:tcp|tls)://(?:[\w.-]{1,253}|\[[0-9a-fA-F:.]{2,45}\]):([0-9]{1,5})", text, re.ASCII)
    if not found or not 0 < int(found[1]) < 1 << 16:
        raise typer.BadParameter(
            f"{shortened(text)} is not the address of a scheduler; write it as tcp://10.0.0.1:8786"
        )
    return text


address = _parser(_address)
bits = _parser(_bits)
named = _parser(lambda text: Path(text) if text else check_source(None))  # whatever it leads to; the command looks
source = _parser(lambda text: check_source(Path(text) if text else None))
target = _parser(lambda text: try_place(Path(text) if text else None))
table = _parser(_find_table)
target_folder = _parser(lambda text: try_folder(Path(text) if text else None))


def option(said: str, help: str, parser: Callable[[Any], Any] | None = None, **more: Any) -> Any:
    """An option as its help shows it, names first: `option("-o --out FILE", "The file to write.", target)`."""
    words = said.split()
    names = [word for word in words if word.startswith("-")]
    metavar = " ".join(words[len(names) :]) or None
    return typer.Option(*names, metavar=metavar, parser=parser, help=help, **more)


def argument(metavar: str, help: str, parser: Callable[[Any], Any] | None = None, **more: Any) -> Any:
    """An argument without a name; in brackets if it may be left out."""
    return typer.Argument(metavar=metavar, parser=parser, help=help, **more)


def out_file(about: str, parser: Callable[[Any], Path] = target) -> Any:
    """Where the result goes: one spelling for every command."""
    return option("-o --out --output FILE", about, parser)


def out_folder(about: str = "The folder to write to; created if missing.") -> Any:
    """Where a result of many files goes."""
    return option("-o --out --output DIR", about, target_folder)


Natural = Annotated[int, whole()]
Positive = Annotated[int, whole(1)]
Source = Annotated[Path, source]
Target = Annotated[Path, target]
GameText = Annotated[str, Also("autocompletion", games)]
PlayerText = Annotated[str, Also("autocompletion", players)]

Game = Annotated[str, argument("GAME", "A name, or rules such as 3x3:3 or 5x5:4-3.", autocompletion=games)]
Out = Annotated[Path | None, out_file("The file to write; missing folders are created.")]
OutFolder = Annotated[Path | None, out_folder()]
Picture = Annotated[Path | None, out_file("The picture to write: PNG, SVG or PDF.")]
Table = Annotated[
    Path | None, option("--tablebase FILE", "A tablebase in which exact values are looked up first.", table)
]


def set_quiet(quiet: bool) -> bool:
    """With --quiet only errors are said."""
    if quiet:
        logging.getLogger("gridlab").setLevel(logging.ERROR)
    return quiet


Json = Annotated[bool, option("--json", "Print JSON for other programs.")]
Quiet = Annotated[bool, option("--quiet", "Show no progress and no remarks on stderr.", callback=set_quiet)]
Seed = Annotated[int | None, option("--seed N", "Make random choices repeatable.", whole())]
Workers = Annotated[
    int | None,
    option("--workers N", "Threads or processes, all cores by default; the result is the same.", whole(1, 1024)),
]
Cluster = Annotated[
    str | None,
    option(
        "--cluster ADDRESS",
        "Run on a Dask cluster, tcp://HOST:8786 (see gridlab cluster); the result is the same.",
        address,
    ),
]


@contextmanager
def if_stopped(said: object) -> Iterator[None]:
    """Ctrl-C leaves something to go on from, and this says so; nothing if nothing is left."""
    try:
        yield
    except KeyboardInterrupt:
        if said:
            tell(f"stopped; {said}")
        raise


@contextmanager
def working_on(cluster: str | None, workers: int | None = None) -> Iterator[None]:
    """Let the cluster work, if one was named; how many workers it has is its own affair."""
    if cluster is None:
        yield
        return
    if workers is not None:
        raise BadNotation("--workers is for this machine; leave it out with --cluster, whose workers are all used")
    from gridlab.core.cluster import on_cluster

    with on_cluster(cluster):
        yield


def given(**said: Any) -> dict[str, Any]:
    """What was said, without what was not."""
    return {name: value for name, value in said.items() if value is not None}


def picture_of(out: Path | None, plot: bool, usual: Path) -> Path | None:
    """The picture to draw, if one is asked for."""
    return out or (target(usual) if plot else None)


def print_result(result: Any, as_json: bool, paint: Callable[[str], str] = colour.flags) -> None:
    """Print a result as text, or what its `as_dict` gives as JSON; at once, whatever is still to be saved."""
    if as_json:
        typer.echo(json.dumps(result.as_dict()))
    else:
        typer.echo(paint(str(result)), color=colour.has_colour(sys.stdout) or None)


def print_verdict(verdict: Any, as_json: bool) -> int:
    """Print what was found to be wrong; the exit code is 1 if anything is."""
    print_result(verdict, as_json)
    return 1 if verdict.complaints else 0


def print_boards(result: Any, as_json: bool = False) -> None:
    """Print a result, or a text, with boards in it: stones, values and tiles in colour where there is any."""
    print_result(result, as_json, colour.boards)


def tell(text: object, quiet: bool = False) -> None:
    """A remark on stderr."""
    if not quiet:
        typer.echo(str(text), err=True)


def warn(text: str) -> None:
    """A remark on stderr of which somebody should take note."""
    typer.echo(colour.warning(text), err=True, color=colour.has_colour(sys.stderr) or None)


def tell_reading(board: str, quiet: bool = False) -> None:
    """A board that is a list of numbers could be meant in two ways; which one was taken is said on stderr."""
    from gridlab.games.grid import reading_of

    if reading := reading_of(board):
        tell(f"the list of cells was read with {reading}", quiet)
