"""Datasets of 2048 games by expectimax or another player: every game checked by the rules, the same for any workers.

Games go into a journal as they end (gridlab.datasets.games2048.journal); the file itself is made of it when all are
there, so a run that was stopped can go on, and the last good file stays until the new one is whole.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gridlab.arena.records.game2048 import LONGEST_TEXT, Game, Misshapen, details_of, parse, tiles_of
from gridlab.arena.solo import record_game
from gridlab.core.errors import BadNotation, FileTrouble, GridlabError, SpoiltFile
from gridlab.core.files import check_place, locked, timestamp, try_place
from gridlab.core.progress import bar
from gridlab.core.stop import Stop, stop_flag
from gridlab.core.untrusted import parse_json
from gridlab.core.workers import in_order
from gridlab.datasets.games2048.curriculum import stage
from gridlab.datasets.games2048.files import check_name, write_games, write_lines
from gridlab.datasets.games2048.journal import DROPPED, Dropped, Journal, dropped
from gridlab.datasets.games2048.reader import write_index
from gridlab.datasets.games2048.settings import RULES, DatasetSettings, make_settings, settings_to_resume
from gridlab.datasets.games2048.stats import Statistics
from gridlab.datasets.games2048.verify import game_flaw
from gridlab.games.game2048.kernels import Boards, unpack
from gridlab.players.game2048 import Player2048, find_player2048, has_chooser
from gridlab.players.registry import player_name
from gridlab.search.game2048.play import Limits

MOST_GAMES = 10_000  # more get a warning
EVERY = 50  # moves between two remarks of --verbose


class Generated(NamedTuple):
    """A finished run."""

    output: Path
    settings: DatasetSettings
    played: int
    dropped: int
    statistics: Statistics

    def as_dict(self) -> dict[str, Any]:
        made = {"output": str(self.output), "played": self.played, "dropped": self.dropped}
        return {**made, "settings": self.settings.as_dict(), **self.statistics.as_dict()}

    def __str__(self) -> str:
        kept = f"Games played: {self.played:,}, dropped: {self.dropped:,}\n" if self.dropped else ""
        return f"{self.statistics}\n\n{kept}✅ Dataset generation complete!\nOutput saved to: {self.output}"


def generate(
    output: Path | str,
    games: int,
    settings: DatasetSettings | None = None,
    workers: int | None = None,
    resume: bool = False,
    verbose: Callable[[str], object] | None = None,
    progress: bool = False,
    player: Player2048 | None = None,
) -> Generated:
    """Play `games` games and write those that pass the filters; with `resume` go on where a run was stopped.

    A `player` is anything with `move(position, random)`, and takes the place of the one that the settings name.
    Workers are threads: all cores by default for a player that has a chooser for kernels, one for any other.
    """
    output, settings = Path(output), settings or make_settings()
    check_name(output)
    if games < 1:
        raise BadNotation(f"{games} games make no dataset; at least 1 is needed")
    if player is None:
        player = settings.make_player()
    else:
        player, _ = find_player2048(player, RULES)
        settings = replace(settings, player=player_name(player))
    if len(settings.player) > LONGEST_TEXT:
        raise BadNotation(f"the player {settings.player[:40]!r}… has a name of more than {LONGEST_TEXT} letters")
    try_place(output)
    with _only_run(output):
        return _run(output, games, settings, player, workers, resume, verbose, progress)


@contextmanager
def _only_run(output: Path) -> Iterator[None]:
    """The right to make a file, for the whole run: a second run of it would write into the same journal."""
    place = check_place(output)
    place.parent.mkdir(parents=True, exist_ok=True)
    with locked(place if place.is_file() or not place.exists() else Journal(output).path):
        yield


def _run(
    output: Path, games: int, settings: DatasetSettings, player: Player2048, workers: int | None, resume: bool,
    verbose: Callable[[str], object] | None, progress: bool,
) -> Generated:  # fmt: skip
    journal, found, lost = Journal(output), Statistics(), 0
    if resume and journal.exists():
        settings_to_resume(output, settings, seed_was_said=True)
        lost = _count(journal, found, settings)
        if found.games + lost > games:
            raise BadNotation(f"{journal.path} already has {found.games + lost} games; ask for so many or more (-g)")
        journal.cut()
    else:
        journal.begin(settings.as_dict())
    stop = stop_flag()
    play = partial(_play, settings=settings, player=player, stop=stop)
    workers = workers or (None if has_chooser(player, RULES) else 1)
    first = found.games + lost
    with bar(games, "Playing games", "games", progress) as shown:
        shown.update(min(first, games))
        for number, played in enumerate(_played(play, range(first, games), workers, stop, journal), first + 1):
            shown.update(1)
            if verbose:
                verbose(_story(played.game, number, games))
            if played.kept:
                found.add(played.game)
            else:
                lost += 1
    _finish(journal, output, settings)
    return Generated(output, settings, max(games, first), lost, found)


def _played(
    play: "Callable[[int], Played]", numbers: range, workers: int | None, stop: Stop, journal: Journal
) -> "Iterator[Played]":
    """Games as they end, in order, each in the journal; if the first one fails there is nothing to go on with."""
    try:
        for played in in_order(play, numbers, workers, stop):
            journal.add(played.line)
            yield played
    except GridlabError as error:
        if journal.is_empty() and not isinstance(error, FileTrouble):
            journal.remove()
        raise


def _count(journal: Journal, found: Statistics, settings: DatasetSettings) -> int:
    """Add the games of a journal to the statistics, each replayed by the rules; how many were dropped."""
    lost = 0
    for number, line in enumerate(journal.lines()):
        if line.startswith(DROPPED):
            parse_json(line, Dropped, f"{journal.path}, game {number}")
            if not (settings.min_score or settings.min_tile or stage(settings.curriculum).since):
                raise SpoiltFile(f"{journal.path}, game {number}: it was dropped, but no game should be; start over")
            lost += 1
            continue
        try:
            game, flaw = parse(line)
        except Misshapen as error:
            game, flaw = None, str(error)
        if game is not None and flaw is None:
            flaw = _journal_flaw(game, number, settings)
        if game is None or flaw is not None:
            raise SpoiltFile(f"{journal.path}, game {number}: {flaw}; remove the file and start over")
        found.add(game)
    return lost


def _journal_flaw(game: Game, number: int, settings: DatasetSettings) -> str | None:
    """Why a game is none of a run with these settings."""
    if game.about != _about(number, settings, game.about.get("movesBefore", 0)):
        return "it says that it was made in another way"
    if bool(game.details) != settings.metadata:
        return "what is said of its moves is not what was asked for"
    flaw = game_flaw(game, max_moves=settings.max_moves or None)
    return flaw.reason if flaw else _filtered(game, settings) or None


def _finish(journal: Journal, output: Path, settings: DatasetSettings) -> None:
    """The file itself, with an index beside JSON lines; the journal has done its work then."""
    if output.suffix in (".jsonl", ".json"):
        write_lines(output, journal.games(), output.suffix[1:])
    else:
        write_games(output, (parse(line)[0] for line in journal.games()))
    if output.suffix == ".jsonl" and output.is_file():  # a pipe is not there to be read again
        write_index(output, settings.as_dict())
    journal.remove()


class Played(NamedTuple):
    """A game, its line for the journal, and whether it passed the filters."""

    game: Game
    line: bytes
    kept: bool


def _play(number: int, settings: DatasetSettings, player: Player2048, stop: Stop) -> Played:
    game = play(number, settings, player, stop)
    reason = _filtered(game, settings)
    return Played(game, dropped(reason) if reason else game.line(), not reason)


def play(number: int, settings: DatasetSettings, player: Player2048 | None = None, stop: Stop | None = None) -> Game:
    """Game `number` of a dataset, checked by the rules."""
    limits = Limits(settings.max_moves, max(0, stage(settings.curriculum).until.bit_length() - 1))
    found = record_game(
        player or settings.make_player(), RULES, settings.seed, number, stop_flag() if stop is None else stop, limits,
        settings.metadata,
    )  # fmt: skip
    first = _first(found.boards, settings)
    run, details = found.since(first), None
    if settings.metadata:
        details = details_of(run.boards, run.directions, run.final_board, run.values, run.nodes)
    game = Game(
        run.boards, run.directions, run.scores, run.final_board, run.final_score, timestamp(),
        _about(number, settings, first), details,
    )  # fmt: skip
    if game.moves and not (stop is not None and stop[0]):
        flaw = game_flaw(game, max_moves=settings.max_moves or None)
        assert flaw is None, flaw
    return game


def _first(boards: Boards, settings: DatasetSettings) -> int:
    """The first move that is recorded."""
    since = stage(settings.curriculum).since
    reached = np.flatnonzero(tiles_of(boards).max(axis=(1, 2), initial=0) >= since)
    return int(reached[0]) if len(reached) else len(boards)


def _about(number: int, settings: DatasetSettings, first: int) -> dict[str, Any]:
    run = {"curriculum": settings.curriculum, "movesBefore": first} if settings.curriculum else {}
    if not settings.metadata:
        return run
    by: dict[str, Any] = {"depth": settings.depth, "evaluator": settings.evaluator}
    by = {"player": settings.player} if settings.player else by
    return {**run, "seed": settings.seed, "game": number, **by, "max_moves": settings.max_moves or None}


def _filtered(game: Game, settings: DatasetSettings) -> str:
    """Why a game is dropped; empty if it is kept."""
    if not game.moves:
        return f"there is no tile of {stage(settings.curriculum).since}"
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


__all__ = ["DatasetSettings", "Generated", "generate", "make_settings", "play", "settings_to_resume"]
