"""Datasets of 2048 games by expectimax or another player: every game checked by the rules, the same for any workers.

Games go into a journal as they end (gridlab.datasets.games2048.journal); the file itself is made of it when all are
there, so a run that was stopped can go on, and the last good file stays until the new one is whole.
"""

from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gridlab.arena.records.game2048 import Game, about_rules, details_of, tiles_of
from gridlab.arena.records.game2048_reading import LONGEST_TEXT, Misshapen, parse
from gridlab.arena.solo import record_game
from gridlab.core.arguments import typed
from gridlab.core.behaviour import BEHAVIOUR
from gridlab.core.errors import BadNotation, CorruptFile, FileTrouble, GridlabError
from gridlab.core.files import check_place, locked, timestamp, try_place
from gridlab.core.numbers import counted
from gridlab.core.progress import bar
from gridlab.core.shown import Sheet, brief, shown
from gridlab.core.stop import Stop, current_stop, stop_flag
from gridlab.core.untrusted import parse_json
from gridlab.core.workers import available_cores, in_order, is_elsewhere
from gridlab.datasets.games2048.curriculum import Curriculum, stage
from gridlab.datasets.games2048.extend import base_of, lines_of, settings_for, settings_to_extend
from gridlab.datasets.games2048.files import check_board, check_name, write_games, write_lines
from gridlab.datasets.games2048.journal import DROPPED, Base, Dropped, Journal, dropped
from gridlab.datasets.games2048.reader import Made, write_index
from gridlab.datasets.games2048.settings import DatasetSettings, make_settings, settings_to_resume
from gridlab.datasets.games2048.stats import Statistics
from gridlab.datasets.games2048.teller import Teller
from gridlab.datasets.games2048.verify import game_flaw
from gridlab.games.game2048.kernels import Boards
from gridlab.games.game2048.rules import Rules2048
from gridlab.games.registry import game
from gridlab.players.game2048 import Player2048, find_player2048, has_chooser
from gridlab.players.registry import close_player, player_name
from gridlab.search.game2048.play import Limits, Watch

MOST_GAMES = 10_000  # more get a warning
USUAL_GAMES = 500
PLAYED_FOR_ONE = 100  # games at most for each one that is to be kept, unless said otherwise


@shown
class Generated(NamedTuple):
    """A finished run."""

    output: Path
    settings: DatasetSettings
    played: int  # for the whole file, whatever run has played them
    statistics: Statistics  # of the whole file
    tried: int  # games that this run has played
    added: int  # those of them that it has kept
    keep: int = 0  # games that it was to keep; 0 if it was to play a number of them

    @property
    def dropped(self) -> int:
        return self.played - self.statistics.games

    @property
    def enough(self) -> bool:
        """Whether there is what was asked for; a run that keeps nothing writes nothing."""
        return self.added >= max(1, self.keep)

    def _in_short(self) -> str:
        kept = f"{counted(self.statistics.games, 'game')} of {self.played:,} played"
        return f"{self.settings.rules}, {brief(self.output.name)}: {kept}, seed {self.settings.seed}"

    def _sheet(self) -> Sheet:
        rows = [(str(tile), number) for tile, number in sorted(self.statistics.tiles.items())]
        notes = [f"{self.tried:,} games tried, {self.added:,} added", str(self.output)]
        return Sheet(self._in_short(), ("largest tile", "games"), rows, notes)

    def as_dict(self) -> dict[str, Any]:
        made = {"output": str(self.output), "written": self.added > 0, "enough": self.enough}
        counts = {"played": self.played, "dropped": self.dropped, "tried": self.tried, "added": self.added}
        return {**made, **counts, "settings": self.settings.as_dict(), **self.statistics.as_dict()}

    def __str__(self) -> str:
        why = self.statistics.filters or f"tile {stage(self.settings.curriculum).since} or more"
        if not self.added:
            return f"No game of {self.tried:,} passes ({why}): nothing was written to {self.output}."
        kept = f"Games played: {self.played:,}, dropped: {self.dropped:,}\n" if self.dropped else ""
        if self.enough:
            return f"{self.statistics}\n\n{kept}✅ Dataset generation complete!\nOutput saved to: {self.output}"
        wanted, verb = counted(self.keep, "game"), "passes" if self.added == 1 else "pass"
        short = f"⚠️ Only {self.added:,} of the {wanted} asked for {verb} ({why}); play more to find more (-g)."
        return f"{self.statistics}\n\n{kept}{short}\nOutput saved to: {self.output}"


class Order(NamedTuple):
    """What a run is asked for."""

    output: Path
    games: int  # to be played, or at most if some are to be kept
    keep: int
    settings: DatasetSettings
    player: Player2048
    base: Base | None  # the file that is extended

    @property
    def first(self) -> int:
        """The number of the first game."""
        return self.base.played if self.base else 0

    @property
    def known(self) -> int:
        """Games that are there already."""
        return self.base.kept if self.base else 0


@typed
def generate(
    rules: Rules2048 | str,
    out: Path | str,
    games: int | None = None,
    keep: int = 0,
    player: Player2048 | str | None = None,
    depth: int | None = None,
    evaluator: str | None = None,
    sample_cells: int | None = None,
    max_moves: int | None = None,
    curriculum: Curriculum | None = None,
    min_score: int | None = None,
    min_tile: int | None = None,
    metadata: bool | None = None,
    settings: DatasetSettings | None = None,
    extend: bool = False,
    say: Callable[[str], object] | None = None,
    seed: int | None = None,
    workers: int | None = None,
    resume: bool = False,
    progress: bool = False,
) -> Generated:
    """Play `games` games (500) and write those that pass the filters; with `resume` go on where a run was stopped.

    With `keep` games are played until so many pass, at most `games` (100 for each); with `extend` they are added to a
    finished file, whose settings hold. A `player` is a text, or anything with `move(position, random)`; without one
    expectimax plays, with `depth`, `evaluator` and `sample_cells`. `seed` fixes the games, `max_moves` stops them, the
    `curriculum` is easy, medium or hard, `min_score` and `min_tile` are filters, with `metadata` a file says more of
    every move. `settings` have all of this in one object, for those who made one. Workers are threads: all cores by
    default for a player that has a chooser for kernels, one for any other; `say` is called by them.
    """
    output, board = Path(out), game(rules, "2048")
    check_name(output)
    games = games if games is not None else PLAYED_FOR_ONE * keep or USUAL_GAMES
    if games < 1 or keep < 0:
        raise BadNotation(f"{games if games < 1 else keep} games make no dataset; at least 1 is needed")
    if keep > games:
        raise BadNotation(f"{games} games cannot bring {keep} that pass; ask for more of them (-g)")
    said = {
        "seed": seed, "depth": depth, "evaluator": evaluator, "sample_cells": sample_cells, "max_moves": max_moves,
        "curriculum": curriculum, "min_score": min_score, "min_tile": min_tile, "metadata": metadata,
        "rules": None if settings or board == Rules2048() else str(board),
    }  # fmt: skip
    if isinstance(player, str):
        said["player"], player = player, None
    said = {name: value for name, value in said.items() if value is not None}
    if settings and said:
        raise BadNotation(f"{', '.join(said)} and settings are both given; say one or the other")
    settings = settings or settings_for(output, said, extend, resume, player_name(player) if player else "")
    if settings.game != board:
        raise BadNotation(f"the games of {output} are of {settings.game}, not of {board}; say {settings.game}")
    ours = player is None
    if player is None:
        player = settings.make_player()
    else:
        player, _ = find_player2048(player, settings.game)
        settings = replace(settings, player=player_name(player))
    check_board(output, settings.game)
    if len(settings.player) > LONGEST_TEXT:
        raise BadNotation(f"the player {settings.player[:40]!r}… has a name of more than {LONGEST_TEXT} letters")
    try_place(output)
    with _only_run(output):
        base = None
        if extend:
            settings, base = settings_to_extend(output, settings.as_dict()), base_of(output)
        try:
            return _run(Order(output, games, keep, settings, player, base), workers, resume, say, progress)
        finally:
            if ours:  # who was handed over is not ours to close
                close_player(player)


@contextmanager
def _only_run(output: Path) -> Iterator[None]:
    """The right to make a file, for the whole run: a second run of it would write into the same journal."""
    place = check_place(output)
    place.parent.mkdir(parents=True, exist_ok=True)
    with locked(place if place.is_file() or not place.exists() else Journal(output).path):
        yield


def _run(
    order: Order, workers: int | None, resume: bool, say: Callable[[str], object] | None, progress: bool
) -> Generated:
    settings = order.settings
    journal, found = Journal(order.output), Statistics(min_score=settings.min_score, min_tile=settings.min_tile)
    if order.base:
        _count_base(order, order.base, found)
    next_one = order.first + (_resumed(journal, order, found) if resume else _begun(journal, order))
    end = order.first + order.games
    workers = workers or (None if has_chooser(order.player, settings.game) else 1)
    alone = (workers or available_cores()) == 1
    teller = Teller(say, 0 if order.keep else end, alone, settings.game) if say else None
    play = partial(_play, settings=settings, player=order.player, teller=None if is_elsewhere() else teller)
    enough = order.known + order.keep if order.keep else 0
    numbers = range(next_one, next_one if enough and found.games >= enough else end)
    done = found.games - order.known if order.keep else next_one - order.first
    with (
        bar(order.keep or order.games, "Playing games", "games", progress, lasting=True, done=done) as shown,
        closing(_played(play, numbers, workers, journal)) as games,
    ):
        for played in games:
            next_one += 1
            if played.kept:
                found.add(played.game)
            if teller and is_elsewhere():  # where it was played nobody listens
                teller.ends(next_one - 1, played.game, _filtered(played.game, settings))
            shown.update(played.kept or not order.keep)
            if enough and found.games == enough:
                break
    tried, added = next_one - order.first, found.games - order.known
    made = Generated(order.output, settings, next_one, found, tried, added, order.keep)
    if made.added:
        _finish(journal, order, Made(next_one, BEHAVIOUR))
    journal.remove()
    return made


def _begun(journal: Journal, order: Order) -> int:
    """A new journal; no games are in it."""
    journal.begin(order.settings.as_dict(), order.base)
    return 0


def _resumed(journal: Journal, order: Order, found: Statistics) -> int:
    """The games of a run that was stopped, counted; how many were played."""
    if not journal.exists():
        if order.base:
            raise FileTrouble(f"there is nothing to resume: no run that extends {order.output} was stopped")
        return _begun(journal, order)
    settings_to_resume(order.output, order.settings, seed_was_said=True)
    base = journal.base()
    if (base is None) != (order.base is None):
        words = "adds to a file: go on with --extend" if base else "makes a new file: leave out --extend"
        raise FileTrouble(f"the run to be resumed, {journal.path}, {words}, or remove that journal")
    if base != order.base:
        raise FileTrouble(f"{order.output} is not what it was when the run began; remove {journal.path}")
    played = _count(journal, order, found)
    if played > order.games or (order.keep and found.games - order.known > order.keep):
        raise BadNotation(f"{journal.path} already has {counted(played, 'game')}; ask for so many or more (-g)")
    journal.cut()
    return played


def _played(
    play: "Callable[[int], Played]", numbers: range, workers: int | None, journal: Journal
) -> "Generator[Played, None, None]":
    """Games as they end, in order, each in the journal; if the first one fails there is nothing to go on with."""
    try:
        shared = in_order(play, numbers, workers, travels=True, name=lambda number: f"game {number + 1}")
        with closing(shared) as games:
            for played in games:
                journal.add(played.line)
                yield played
    except GridlabError as error:
        if journal.is_empty() and not isinstance(error, FileTrouble):
            journal.remove()
        raise


def _count(journal: Journal, order: Order, found: Statistics) -> int:
    """Add the games of a journal to the statistics, each replayed by the rules; how many were played."""
    settings, number = order.settings, order.first
    for line in journal.lines():
        if line.startswith(DROPPED):
            parse_json(line, Dropped, f"{journal.path}, game {number}")
            if not (settings.min_score or settings.min_tile or stage(settings.curriculum).since):
                raise CorruptFile(f"{journal.path}, game {number}: it was dropped, but no game should be; start over")
        else:
            place = f"{journal.path}, game {number}"
            found.add(_checked(line, number, settings, place, "remove the file and start over"))
        number += 1
    return number - order.first


def _count_base(order: Order, base: Base, found: Statistics) -> None:
    """The same for the games of a file that is extended."""
    for number, line in enumerate(lines_of(order.output, base)):
        found.add(_checked(line, None, order.settings, f"{order.output}, game {number}", "it cannot be extended"))


def _checked(line: bytes, number: int | None, settings: DatasetSettings, place: str, remedy: str) -> Game:
    """The game of a line, if it is one of a run with these settings; its number may not be known."""
    try:
        game, flaw = parse(line)
        flaw = flaw or _foreign(game, game.about.get("game", 0) if number is None else number, settings)
    except Misshapen as error:
        raise CorruptFile(f"{place}: {error}; {remedy}") from error
    if flaw is not None:
        raise CorruptFile(f"{place}: {flaw}; {remedy}")
    return game


def _foreign(game: Game, number: int, settings: DatasetSettings) -> str | None:
    """Why a game is none of a run with these settings."""
    if game.about != _about(number, settings, game.about.get("movesBefore", 0)):
        return "it says that it was made in another way"
    if bool(game.details) != settings.metadata:
        return "what is said of its moves is not what was asked for"
    flaw = game_flaw(game, max_moves=settings.max_moves or None)
    return flaw.reason if flaw else _filtered(game, settings) or None


def _finish(journal: Journal, order: Order, made: Made) -> None:
    """The file itself, with an index beside JSON lines."""
    output, games = order.output, journal.games()
    if order.base:
        games = chain(lines_of(output, order.base), games)
    if output.suffix in (".jsonl", ".json"):
        write_lines(output, games, output.suffix[1:])
    else:
        write_games(output, (parse(line)[0] for line in games))
    if output.suffix == ".jsonl" and output.is_file():  # a pipe is not there to be read again
        write_index(output, order.settings.as_dict(), made)


class Played(NamedTuple):
    """A game, its line for the journal, and whether it passed the filters."""

    game: Game
    line: bytes
    kept: bool


def _play(number: int, settings: DatasetSettings, player: Player2048, teller: Teller | None = None) -> Played:
    stop = current_stop()
    if teller:
        teller.begins(number)
    game = play(number, settings, player, stop, teller.watch(number) if teller else None)
    reason = _filtered(game, settings)
    if teller and not stop[0]:
        teller.ends(number, game, reason)
    return Played(game, dropped(reason) if reason else game.line(), not reason)


def play(
    number: int, settings: DatasetSettings, player: Player2048 | None = None, stop: Stop | None = None,
    watch: Watch | None = None,
) -> Game:  # fmt: skip
    """Game `number` of a dataset, checked by the rules."""
    limits = Limits(settings.max_moves, max(0, stage(settings.curriculum).until.bit_length() - 1))
    found = record_game(
        player or settings.make_player(), settings.game, settings.seed, number,
        stop_flag() if stop is None else stop, limits, settings.metadata, watch,
    )  # fmt: skip
    first = _first(found.boards, settings)
    run, details = found.since(first), None
    if settings.metadata:
        details = details_of(run.boards, run.directions, run.final_board, run.values, run.nodes, settings.game)
    game = Game(
        run.boards, run.directions, run.scores, run.final_board, run.final_score, timestamp(),
        _about(number, settings, first), details,
    )  # fmt: skip
    if game.moves and not (stop is not None and stop[0]):
        flaw = game_flaw(game, max_moves=settings.max_moves or None)
        if flaw is not None:
            raise GridlabError(
                f"game {number} breaks the rules and is not kept: {flaw}; this is a fault of gridlab, please report it"
            )
    return game


def _first(boards: Boards, settings: DatasetSettings) -> int:
    """The first move that is recorded."""
    since = stage(settings.curriculum).since
    reached = np.flatnonzero(tiles_of(boards, settings.game).max(axis=(1, 2), initial=0) >= since)
    return int(reached[0]) if len(reached) else len(boards)


def _about(number: int, settings: DatasetSettings, first: int) -> dict[str, Any]:
    run = about_rules(settings.game)
    run |= {"curriculum": settings.curriculum, "movesBefore": first} if settings.curriculum else {}
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


__all__ = ["DatasetSettings", "Generated", "generate", "make_settings", "play", "settings_to_resume"]
