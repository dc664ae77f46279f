"""Datasets of 2048 games by expectimax or another player: every game checked by the rules, the same for any workers.

Games go into a journal as they end (gridlab.game2048.datasets.settings); the file itself is made of it when all are
there, so a run that was stopped can go on, and the last good file stays until the new one is whole.
"""

import hashlib
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gridlab.core.arguments import counted, typed
from gridlab.core.draw import AsJson, Sheet, brief, shown
from gridlab.core.errors import BadNotation, CorruptFile, FileTrouble, GridlabError
from gridlab.core.files import RESULTS_VERSION, check_place, locked, sha256_of, timestamp, try_place
from gridlab.core.progress import bar
from gridlab.core.run import Stop, available_cores, current_stop, in_order, is_elsewhere, stop_flag
from gridlab.core.untrusted import lines, parse_json
from gridlab.game2048 import records
from gridlab.game2048.datasets import files
from gridlab.game2048.datasets import settings as recipes
from gridlab.game2048.datasets.files import Index, Made
from gridlab.game2048.datasets.settings import Base, Curriculum, DatasetSettings, Dropped, Journal, dropped, stage
from gridlab.game2048.datasets.verify import Statistics, game_flaw
from gridlab.game2048.kernels import Boards, unpack_board
from gridlab.game2048.players import Player2048, find_player2048
from gridlab.game2048.records import LONGEST_LINE, LONGEST_TEXT, Game, Misshapen
from gridlab.game2048.rules import Rules2048
from gridlab.game2048.search.play import Limits, Watch, has_kernel_policy, record_game
from gridlab.games.registry import game
from gridlab.players.registry import close_player, player_name

# ---- More games for a finished file or a stopped run: how it was made, and that it is still what it was
#
# Games are numbered on from where the run of the file ended, so two runs give the bytes of one that played all of them.


def settings_for(
    output: Path, said: AsJson, extend: bool = False, resume: bool = False, player: str = ""
) -> DatasetSettings:
    """The settings of a run: what is said, and for the rest those of the file or of the run that it goes on with.

    `player` is the name of one that is handed over and takes the place of the one that the settings name.
    """
    if extend:
        return settings_to_extend(output, said)
    asked = recipes.make_settings(**said)
    asked = replace(asked, player=player) if player else asked
    return recipes.settings_to_resume(output, asked, "seed" in said) if resume else asked


def settings_to_extend(output: Path, said: AsJson) -> DatasetSettings:
    """How a finished file was made; FileTrouble if that is not known, or is not what is said now."""
    known = recipes.settings_from(_index(output)[0].settings, files.index_of(output), "the games cannot be numbered on")
    has = known.as_dict()
    recipes.make_settings(
        **{name: value for name, value in has.items() if name != "player"}
    )  # refuses what makes no sense
    differing = [name for name, value in said.items() if has.get(name) != value]
    if differing:
        told = ", ".join(f"{name} {has[name]!r}" if name in has else f"no {name}" for name in differing)
        asked = ", ".join(repr(said[name]) for name in differing)
        raise FileTrouble(f"{output} was made with {told}, not {asked}; leave that out, or write another file")
    return known


def base_of(output: Path) -> Base:
    """The file as it is now."""
    index, made = _index(output)
    return Base(made.played, len(index.moves), sha256_of(output))


def lines_of(output: Path, base: Base) -> Iterator[bytes]:
    """The games of the file, which must be the one that a run has begun with."""
    digest = hashlib.sha256()
    for _, line in lines(output, LONGEST_LINE):
        digest.update(line)
        yield line
    if digest.hexdigest() != base.sha256:
        raise FileTrouble(f"{output} is not what it was when the run began; bring that file back, or start over")


def _index(output: Path) -> tuple[Index, Made]:
    """The index of a whole file, and the run that it is of."""
    why = f"{output} cannot be extended:"
    if output.suffix != ".jsonl":
        raise FileTrouble(f"{why} only of JSON lines (.jsonl) is it written down how they were made")
    if not output.exists():
        raise FileTrouble(f"{why} there is no such file; leave out --extend to make it")
    index = files.known_index(output)
    if index is None or index.made is None:
        raise FileTrouble(f"{why} {files.index_of(output).name} does not say which run it is of; write another file")
    if index.made.behaviour != RESULTS_VERSION:
        raise FileTrouble(f"{why} it was made by another version, whose games differ; write another file")
    if index.made.played < len(index.moves):
        raise FileTrouble(f"{why} {files.index_of(output).name} says that it has more games than were played")
    return index, index.made


# ---- What --verbose tells of games while they are played: every 50 moves, as they happen


EVERY = 50  # moves between two remarks


class Teller(NamedTuple):
    """Tells of games; where several are played at a time every line begins with the number of its game."""

    tell: Callable[[str], object]
    games: int  # of the file; 0 if nobody knows
    alone: bool  # one game at a time
    rules: Rules2048 = Rules2048()

    def begins(self, number: int) -> None:
        of = f"/{self.games}" if self.games else ""
        self.tell(f"🎯 Game {number + 1}{of}")

    def watch(self, number: int) -> Watch:
        """Looks on while the game of this number is played."""

        def see(board: int, score: int, moves: int) -> None:
            self._say(number, f"Move {moves}: Score {score}, Max tile {max(unpack_board(board, self.rules))}")

        return Watch(EVERY, see)

    def ends(self, number: int, game: Game, why_dropped: str) -> None:
        moves = game.moves + game.about.get("movesBefore", 0)
        end = f", dropped: {why_dropped}" if why_dropped else ""
        self._say(number, f"✓ Finished: Score {game.final_score}, Max tile {game.max_tile}, Moves {moves}{end}")

    def _say(self, number: int, text: str) -> None:
        self.tell(text if self.alone else f"[{number + 1}] {text}")


# ---- Datasets of 2048 games by expectimax or another player: every game checked by the rules, the same for any workers


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

    def as_dict(self) -> AsJson:
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


@typed
def generate(
    rules: Rules2048 | str, out: Path | str, games: int | None = None, keep: int = 0,
    player: Player2048 | str | None = None, depth: int | None = None, evaluator: str | None = None,
    sample_cells: int | None = None, max_moves: int | None = None, curriculum: Curriculum | None = None,
    min_score: int | None = None, min_tile: int | None = None, metadata: bool | None = None,
    settings: DatasetSettings | None = None, extend: bool = False, say: Callable[[str], object] | None = None,
    seed: int | None = None, workers: int | None = None, resume: bool = False, progress: bool = False,
) -> Generated:  # fmt: skip
    """Play `games` games (500) and write those that pass the filters; with `resume` go on where a run was stopped.

    With `keep` games are played until so many pass, at most `games` (100 for each); with `extend` they are added to a
    finished file, whose settings hold. A `player` is a text, or anything with `move(position, random)`; without one
    expectimax plays, with `depth`, `evaluator` and `sample_cells`. `seed` fixes the games, `max_moves` stops them, the
    `curriculum` is easy, medium or hard, `min_score` and `min_tile` are filters, with `metadata` a file says more of
    every move. `settings` have all of this in one object, for those who made one. Workers are threads: all cores by
    default for a player that has a kernel policy, one for any other; `say` is called by them.
    """
    output, board = Path(out), game(rules, "2048")
    files.check_name(output)
    games = _number_of_games(games, keep)
    named, handed = (player, None) if isinstance(player, str) else (None, player)
    said = {
        "seed": seed, "depth": depth, "evaluator": evaluator, "sample_cells": sample_cells, "max_moves": max_moves,
        "curriculum": curriculum, "min_score": min_score, "min_tile": min_tile, "metadata": metadata,
        "rules": None if settings or board == Rules2048() else str(board), "player": named,
    }  # fmt: skip
    said = {name: value for name, value in said.items() if value is not None}
    if settings and said:
        raise BadNotation(f"{', '.join(said)} and settings are both given; say one or the other")
    settings = settings or settings_for(output, said, extend, resume, player_name(handed) if handed else "")
    playing, settings = _player_of(output, settings, board, handed)
    try_place(output)
    with _only_run(output):
        base = None
        if extend:
            settings, base = settings_to_extend(output, settings.as_dict()), base_of(output)
        try:
            run = Run(output, games, keep, settings, playing, base)
            run.begin(resume)
            run.play(workers, say, progress)
            return run.finished()
        finally:
            if handed is None:  # who was handed over is not ours to close
                close_player(playing)


def _number_of_games(games: int | None, keep: int) -> int:
    """How many are to be played, at most if some are to be kept."""
    games = games if games is not None else PLAYED_FOR_ONE * keep or USUAL_GAMES
    if games < 1 or keep < 0:
        raise BadNotation(f"{games if games < 1 else keep} games make no dataset; at least 1 is needed")
    if keep > games:
        raise BadNotation(f"{games} games cannot bring {keep} that pass; ask for more of them (-g)")
    return games


def _player_of(
    output: Path, settings: DatasetSettings, board: Rules2048, handed: Player2048 | None
) -> tuple[Player2048, DatasetSettings]:
    """Who plays, and the settings that name this player; BadNotation if they are not for this board or this file."""
    if settings.game != board:
        raise BadNotation(f"the games of {output} are of {settings.game}, not of {board}; say {settings.game}")
    if handed:
        player, _ = find_player2048(handed, settings.game)
        settings = replace(settings, player=player_name(player))
    else:
        player = settings.make_player()
    files.check_board(output, settings.game)
    if len(settings.player) > LONGEST_TEXT:
        raise BadNotation(f"the player {settings.player[:40]!r}… has a name of more than {LONGEST_TEXT} letters")
    return player, settings


@contextmanager
def _only_run(output: Path) -> Iterator[None]:
    """The right to make a file, for the whole run: a second run of it would write into the same journal."""
    place = check_place(output)
    place.parent.mkdir(parents=True, exist_ok=True)
    with locked(place if place.is_file() or not place.exists() else Journal(output).path):
        yield


class Run:
    """A run under way: what it is asked for, its journal, and the games that there are so far."""

    def __init__(
        self, output: Path, games: int, keep: int, settings: DatasetSettings, player: Player2048, base: Base | None
    ) -> None:
        self.output, self.settings, self.player, self.base = output, settings, player, base
        self.games, self.keep = games, keep  # to be played, or at most if some are to be kept
        self.first, self.known = (base.played, base.kept) if base else (0, 0)  # number of its first game; games before
        self.next_one = self.first
        self.journal = Journal(output)
        self.found = Statistics(min_score=settings.min_score, min_tile=settings.min_tile)

    @property
    def played(self) -> int:
        return self.next_one - self.first

    @property
    def added(self) -> int:
        return self.found.games - self.known

    @property
    def has_enough(self) -> bool:
        return bool(self.keep) and self.added >= self.keep

    # ---- what there is already

    def begin(self, resume: bool) -> None:
        """Count the games of the file that is extended and of the run that goes on, or begin a journal."""
        if self.base:
            for number, line in enumerate(lines_of(self.output, self.base)):
                self._count(line, None, f"{self.output}, game {number}", "it cannot be extended")
        if resume and self.journal.exists():
            self._resume()
        elif resume and self.base:
            raise FileTrouble(f"there is nothing to resume: no run that extends {self.output} was stopped")
        else:
            self.journal.begin(self.settings.as_dict(), self.base)

    def _resume(self) -> None:
        """The games of a run that was stopped, counted."""
        recipes.settings_to_resume(self.output, self.settings, seed_was_said=True)
        base = self.journal.base()
        if (base is None) != (self.base is None):
            words = "adds to a file: go on with --extend" if base else "makes a new file: leave out --extend"
            raise FileTrouble(f"the run to be resumed, {self.journal.path}, {words}, or remove that journal")
        if base != self.base:
            raise FileTrouble(f"{self.output} is not what it was when the run began; remove {self.journal.path}")
        for line in self.journal.lines():
            place = f"{self.journal.path}, game {self.next_one}"
            if line.startswith(recipes.DROPPED):
                self._check_dropped(line, place)
            else:
                self._count(line, self.next_one, place, "remove the file and start over")
            self.next_one += 1
        if self.played > self.games or (self.keep and self.added > self.keep):
            held = counted(self.played, "game")
            raise BadNotation(f"{self.journal.path} already has {held}; ask for so many or more (-g)")
        self.journal.cut()

    def _check_dropped(self, line: bytes, place: str) -> None:
        parse_json(line, Dropped, place)
        if not (self.settings.min_score or self.settings.min_tile or stage(self.settings.curriculum).since):
            raise CorruptFile(f"{place}: it was dropped, but no game should be; start over")

    def _count(self, line: bytes, number: int | None, place: str, remedy: str) -> None:
        """Add the game of a line, if it is one of a run with these settings; its number may not be known."""
        try:
            game, flaw = records.parse(line)
            flaw = flaw or _foreign(game, game.about.get("game", 0) if number is None else number, self.settings)
        except Misshapen as error:
            raise CorruptFile(f"{place}: {error}; {remedy}") from error
        if flaw is not None:
            raise CorruptFile(f"{place}: {flaw}; {remedy}")
        self.found.add(game)

    # ---- what is played

    def play(self, workers: int | None, say: Callable[[str], object] | None, progress: bool) -> None:
        """Play until there is what was asked for."""
        settings = self.settings
        workers = workers or (None if has_kernel_policy(self.player, settings.game) else 1)
        teller = self._teller(say, workers or available_cores()) if say else None
        play = partial(_play, settings=settings, player=self.player, teller=None if is_elsewhere() else teller)
        done, total = (self.added, self.keep) if self.keep else (self.played, self.games)
        with (
            bar(total, "Playing games", "games", progress, lasting=True, done=done) as shown,
            closing(self._played(play, self._left(), workers)) as games,
        ):
            for played in games:
                if teller and is_elsewhere():  # where it was played nobody listens
                    teller.ends(self.next_one, played.game, _filtered(played.game, settings))
                self._take(played)
                shown.update(played.kept or not self.keep)
                if self.has_enough:
                    break

    def _left(self) -> range:
        """The numbers of the games that may be played."""
        return range(self.next_one, self.next_one if self.has_enough else self.first + self.games)

    def _take(self, played: "Played") -> None:
        self.next_one += 1
        if played.kept:
            self.found.add(played.game)

    def _teller(self, say: Callable[[str], object], workers: int) -> Teller:
        return Teller(say, 0 if self.keep else self.first + self.games, workers == 1, self.settings.game)

    def _played(
        self, play: "Callable[[int], Played]", numbers: range, workers: int | None
    ) -> "Generator[Played, None, None]":
        """Games as they end, in order, each in the journal; if the first one fails there is nothing to go on with."""
        try:
            shared = in_order(play, numbers, workers, travels=True, name=lambda number: f"game {number + 1}")
            with closing(shared) as games:
                for played in games:
                    self.journal.add(played.line)
                    yield played
        except GridlabError as error:
            if self.journal.is_empty() and not isinstance(error, FileTrouble):
                self.journal.remove()
            raise

    # ---- the file

    def finished(self) -> Generated:
        """Write the file, if any game was kept."""
        counts = self.played, self.added, self.keep
        made = Generated(self.output, self.settings, self.next_one, self.found, *counts)
        if made.added:
            self._write()
        self.journal.remove()
        return made

    def _write(self) -> None:
        """The file itself, with an index beside JSON lines."""
        output, games = self.output, self.journal.games()
        if self.base:
            games = chain(lines_of(output, self.base), games)
        if output.suffix in (".jsonl", ".json"):
            files.write_lines(output, games, output.suffix[1:])
        else:
            files.write_games(output, (records.parse(line)[0] for line in games))
        if output.suffix == ".jsonl" and output.is_file():  # a pipe is not there to be read again
            files.write_index(output, self.settings.as_dict(), Made(self.next_one, RESULTS_VERSION))


def _foreign(game: Game, number: int, settings: DatasetSettings) -> str | None:
    """Why a game is none of a run with these settings."""
    if game.about != _about(number, settings, game.about.get("movesBefore", 0)):
        return "it says that it was made in another way"
    if bool(game.details) != settings.metadata:
        return "what is said of its moves is not what was asked for"
    flaw = game_flaw(game, max_moves=settings.max_moves or None)
    return flaw.reason if flaw else _filtered(game, settings) or None


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
        details = records.details_of(run.boards, run.directions, run.final_board, run.values, run.nodes, settings.game)
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
    reached = np.flatnonzero(records.tiles_of(boards, settings.game).max(axis=(1, 2), initial=0) >= since)
    return int(reached[0]) if len(reached) else len(boards)


def _about(number: int, settings: DatasetSettings, first: int) -> AsJson:
    run = records.about_rules(settings.game)
    run |= {"curriculum": settings.curriculum, "movesBefore": first} if settings.curriculum else {}
    if not settings.metadata:
        return run
    by: AsJson = {"depth": settings.depth, "evaluator": settings.evaluator}
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
