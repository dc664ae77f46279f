"""Datasets of 2048 games played by expectimax: every game checked by the rules, in order, whatever the workers.

Games go into a journal as they end (gridlab.datasets.games2048.journal); the file itself is made of it when all are
there, so a run that was stopped can go on, and the last good file stays until the new one is whole.
"""

import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from gridlab.arena.records.game2048 import Game, details_of, parse
from gridlab.core.errors import BadNotation, FileTrouble
from gridlab.core.files import timestamp
from gridlab.core.progress import bar
from gridlab.core.splitmix import streams
from gridlab.core.stop import Stop, stop_flag
from gridlab.core.workers import in_order
from gridlab.datasets.games2048.files import check_name, write_games, write_lines
from gridlab.datasets.games2048.journal import Journal, dropped, journal_of
from gridlab.datasets.games2048.reader import write_index
from gridlab.datasets.games2048.stats import Statistics
from gridlab.datasets.games2048.verify import MAX_MOVES, SINCE, UNTIL, game_flaw
from gridlab.games.game2048.kernels import row_tables, unpack
from gridlab.games.game2048.rules import Rules2048
from gridlab.search.game2048.evaluators import find_evaluator
from gridlab.search.game2048.expectimax import Memory, new_memory
from gridlab.search.game2048.last_plies import Settings as SearchSettings
from gridlab.search.game2048.trace import play_game

Curriculum = Literal["", "easy", "medium", "hard"]
DEPTHS = {"easy": 2, "medium": 3, "hard": 5}
SPEC = "spec"
MOST_GAMES = 10_000  # more get a warning
TABLE, TABLE_PAYS = 1 << 12, 5  # entries a level, and the depth from which they pay
EVERY = 50  # moves between two remarks of --verbose


@dataclass(frozen=True)
class Settings:
    """What is asked for: this and the number of a game decide every byte of it but its time."""

    seed: int
    depth: int = 4
    evaluator: str = SPEC
    sample_cells: int = 0  # at each chance node; 0 is all
    max_moves: int = 0  # 0 is no limit
    curriculum: Curriculum = ""
    min_score: int = 0
    min_tile: int = 0
    metadata: bool = False


class Generated(NamedTuple):
    """A finished run."""

    output: Path
    settings: Settings
    played: int
    dropped: int
    statistics: Statistics

    def as_dict(self) -> dict[str, Any]:
        made = {"output": str(self.output), "played": self.played, "dropped": self.dropped}
        return {**made, "settings": asdict(self.settings), **self.statistics.as_dict()}

    def __str__(self) -> str:
        kept = f"Games played: {self.played:,}, dropped: {self.dropped:,}\n" if self.dropped else ""
        return f"{self.statistics}\n\n{kept}✅ Dataset generation complete!\nOutput saved to: {self.output}"


def make_settings(
    seed: int | None = None,
    depth: int | None = None,
    evaluator: str = SPEC,
    sample_cells: int = 0,
    max_moves: int | None = None,
    curriculum: Curriculum = "",
    min_score: int = 0,
    min_tile: int = 0,
    metadata: bool = False,
) -> Settings:
    """Settings with what was not said filled in; BadNotation where they make no sense."""
    if depth is not None and curriculum and depth != DEPTHS[curriculum]:
        raise BadNotation(f"the curriculum {curriculum} has depth {DEPTHS[curriculum]}; leave out --depth {depth}")
    depth = DEPTHS.get(curriculum, 4) if depth is None else depth
    if not 2 <= depth <= 6:
        raise BadNotation(f"depth {depth} is out of range; 2 to 6 can be searched")
    if not 0 <= sample_cells <= 16:
        raise BadNotation(f"{sample_cells} cells cannot be sampled; 1 to 16, or 0 for all")
    if seed is not None and not 0 <= seed < 1 << 63:
        raise BadNotation(f"{seed} is no seed; a number from 0 to 2^63 - 1 is needed")
    if max_moves is not None and max_moves < 0:
        raise BadNotation(f"{max_moves} moves are no limit; a number from 1, or 0 for none, is needed")
    find_evaluator(evaluator)
    if max_moves is None:
        max_moves = MAX_MOVES if evaluator == SPEC else 0
    seed = secrets.randbits(32) if seed is None else seed
    return Settings(
        seed, depth, evaluator, sample_cells, max_moves, curriculum, min_score, min_tile, metadata
    )  # fmt: skip


def generate(
    output: Path,
    games: int,
    settings: Settings,
    workers: int | None = None,
    resume: bool = False,
    verbose: Callable[[str], object] | None = None,
    progress: bool = False,
) -> Generated:
    """Play `games` games and write those that pass the filters; with `resume` go on where a run was stopped."""
    check_name(output)
    if games < 1:
        raise BadNotation(f"{games} games make no dataset; at least 1 is needed")
    journal, found, lost = Journal(output), Statistics(), 0
    if resume and journal.path.exists():
        lost = _count(journal, found)
    else:
        journal.begin(asdict(settings))
    stop = stop_flag()
    play = partial(_play, settings=settings, stop=stop)
    first = found.games + lost
    with bar(games, "Playing games", "games", progress) as shown:
        shown.update(min(first, games))
        for number, played in enumerate(in_order(play, range(first, games), workers, stop), first + 1):
            journal.add(played.line)
            shown.update(1)
            if verbose:
                verbose(_story(played.game, number, games))
            if played.kept:
                found.add(played.game)
            else:
                lost += 1
    _finish(journal, output, settings)
    return Generated(output, settings, max(games, first), lost, found)


def settings_to_resume(output: Path, asked: Settings, seed_was_said: bool) -> Settings:
    """The settings of the journal, which must be those asked for; a seed that was not said is taken from it."""
    journal = Journal(output)
    if not journal.path.exists():
        if output.exists():
            raise FileTrouble(f"there is nothing to resume: {output} is whole and no run of it was stopped")
        return asked
    known = Settings(**journal.settings())
    asked = asked if seed_was_said else replace(asked, seed=known.seed)
    differing = [name for name, value in asdict(known).items() if value != getattr(asked, name)]
    if differing:
        told = ", ".join(f"{name} {getattr(known, name)!r}, not {getattr(asked, name)!r}" for name in differing)
        raise FileTrouble(f"the run to be resumed, {journal.path}, has {told}; ask for the same or start over")
    return known


def _count(journal: Journal, found: Statistics) -> int:
    """Add the games of a journal to the statistics; how many were dropped."""
    lost = 0
    for line in journal.lines():
        if line.startswith(b'{"dropped":'):
            lost += 1
        else:
            found.add(parse(line)[0])
    return lost


def _finish(journal: Journal, output: Path, settings: Settings) -> None:
    """The file itself, with an index beside JSON lines; the journal has done its work then."""
    if output.suffix in (".jsonl", ".json"):
        write_lines(output, journal.games())
    else:
        write_games(output, (parse(line)[0] for line in journal.games()))
    if output.suffix == ".jsonl":
        write_index(output, asdict(settings))
    journal.remove()


class Played(NamedTuple):
    """A game, its line for the journal, and whether it passed the filters."""

    game: Game
    line: bytes
    kept: bool


def _play(number: int, settings: Settings, stop: Stop) -> Played:
    game = play(number, settings, stop)
    reason = _filtered(game, settings)
    return Played(game, dropped(reason) if reason else game.line(), not reason)


def play(number: int, settings: Settings, stop: Stop | None = None) -> Game:
    """Game `number` of a dataset, checked by the rules."""
    twos, fours = Rules2048().odds
    until = UNTIL.get(settings.curriculum, 0).bit_length() - 1 if settings.curriculum in UNTIL else 0
    trace, end = play_game(
        row_tables(), find_evaluator(settings.evaluator).arrays(twos, fours),
        SearchSettings(settings.depth, twos, fours, settings.sample_cells, 0.0), _memory(settings),
        streams(settings.seed, 1, number), settings.max_moves, until, stop_flag() if stop is None else stop,
    )  # fmt: skip
    first = _first(trace.boards, settings)
    details = None
    if settings.metadata:
        details = details_of(
            trace.boards[first:], trace.directions[first:], int(end.board[0]), trace.values[first:], trace.nodes[first:]
        )
    game = Game(
        trace.boards[first:], trace.directions[first:], trace.scores[first:], int(end.board[0]), int(end.score[0]),
        timestamp(), _about(number, settings, first), details,
    )  # fmt: skip
    if game.moves and not (stop is not None and stop[0]):
        flaw = game_flaw(game, max_moves=settings.max_moves or None)
        assert flaw is None, flaw
    return game


def _memory(settings: Settings) -> Memory:
    return new_memory(TABLE if settings.depth >= TABLE_PAYS and not settings.sample_cells else 0)


def _first(boards: np.ndarray[Any, np.dtype[np.uint64]], settings: Settings) -> int:
    """The first move that is recorded."""
    since = SINCE.get(settings.curriculum)
    if since is None:
        return 0
    return next((i for i, board in enumerate(boards.tolist()) if max(unpack(board)) >= since), len(boards))


def _about(number: int, settings: Settings, first: int) -> dict[str, Any]:
    run = {"curriculum": settings.curriculum, "movesBefore": first} if settings.curriculum else {}
    if not settings.metadata:
        return run
    made = {"seed": settings.seed, "game": number, "depth": settings.depth, "evaluator": settings.evaluator}
    return {**run, **made, "max_moves": settings.max_moves or None}


def _filtered(game: Game, settings: Settings) -> str:
    """Why a game is dropped; empty if it is kept."""
    if not game.moves:
        return f"there is no tile of {SINCE.get(settings.curriculum)}"
    if game.final_score < settings.min_score:
        return f"score {game.final_score} is below {settings.min_score}"
    if game.max_tile < settings.min_tile:
        return f"tile {game.max_tile} is below {settings.min_tile}"
    return ""


def _story(game: Game, number: int, games: int) -> str:
    """What --verbose says of a game."""
    lines = [f"🎯 Game {number}/{games}"]
    for move in range(EVERY, game.moves, EVERY):
        tile = max(unpack(int(game.boards[move])))
        lines.append(f"Move {move}: Score {game.scores[move]}, Max tile {tile}")
    return "\n".join([*lines, f"✓ Finished: Score {game.final_score}, Max tile {game.max_tile}, Moves {game.moves}"])


__all__ = ["Generated", "Settings", "generate", "journal_of", "make_settings", "play", "settings_to_resume"]
