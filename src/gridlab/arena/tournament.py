"""Everybody against everybody, every pairing a match.

    tournament.json                  the settings: rules, players, games, openings, seed
    01-02.jsonl, 01-03.jsonl, …      the games of each pairing (arena/records.py), whole or not there

A tournament that was stopped goes on after the last whole pairing. Every pairing has its own seed, made from that of
the tournament; its games say which.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from gridlab.arena.match import Match, check_settings, faults_text, parse_openings, play_between
from gridlab.arena.records import duel, read_records, verify_records, write_records
from gridlab.arena.session import enter
from gridlab.arena.statistics import Rating, count_pairs, rate
from gridlab.core import draw
from gridlab.core.arguments import counted, typed
from gridlab.core.charts import new_figure, save
from gridlab.core.draw import Sheet, brief, shown
from gridlab.core.errors import BadPlayer, CorruptFile, FileTrouble
from gridlab.core.files import locked_folder, try_folder, write_json
from gridlab.core.progress import bar
from gridlab.core.untrusted import read_json
from gridlab.games.registry import GameRules
from gridlab.players.registry import Player, player_name

SETTINGS = "tournament.json"
FORMAT, VERSION = "gridlab tournament", 1

MOST_BYTES = 1 << 20  # of the settings
MOST_PLAYERS = 100  # of a tournament that is read: its ratings are drawn a thousand times

Pairing = tuple[int, int]


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The settings as they stand in a file."""

    format: str
    version: int
    rules: str
    players: list[str]
    games: int
    openings: str
    seed: int


@shown
@dataclass(frozen=True)
class Tournament:
    """The matches of all pairings (i, j) with i < j; i is A. One that is not over lacks some."""

    rules: Any
    players: tuple[str, ...]
    games: int  # a pairing
    openings: str
    seed: int
    matches: dict[Pairing, Match]

    @cached_property
    def ratings(self) -> list[Rating]:
        """Elo of the players, in their order."""
        pairs = np.zeros((len(self.players), len(self.players), 5), dtype=np.int64)
        for pairing, match in self.matches.items():
            pairs[pairing] = count_pairs(match.pair_points)
        return rate(pairs, self.seed)

    @property
    def cross_table(self) -> list[list[float | None]]:
        """Points of each player against each; None against itself, and where no game was played yet."""
        cells: list[list[float | None]] = [[None] * len(self.players) for _ in self.players]
        for (first, second), match in self.matches.items():
            cells[first][second] = float(match.points.sum())
            cells[second][first] = match.games - float(match.points.sum())
        return cells

    @property
    def ranking(self) -> list[int]:
        """The players by Elo, the strongest first."""
        return sorted(range(len(self.players)), key=lambda player: -self.ratings[player].elo)

    @property
    def faults(self) -> list[str]:
        return [
            f"{_stem(pairing)} {fault}" for pairing, match in sorted(self.matches.items()) for fault in match.faults
        ]

    def points(self, player: int) -> float:
        """What a player got from all its games."""
        return sum(cell for cell in self.cross_table[player] if cell is not None)

    def games_of(self, player: int) -> int:
        """How many games a player has played."""
        return sum(match.games for pairing, match in self.matches.items() if player in pairing)

    def as_dict(self) -> dict[str, Any]:
        ranked = [
            {
                "player": self.players[player],
                "elo": self.ratings[player].elo,
                "elo_interval": list(self.ratings[player].interval),
                "points": self.points(player),
                "games": self.games_of(player),
            }
            for player in self.ranking
        ]
        return {
            **_settings(self.rules, list(self.players), self.games, self.openings, self.seed),
            "ranking": ranked,
            "cross_table": self.cross_table,
            "matches": [self.matches[pairing].as_dict() for pairing in sorted(self.matches)],
            "faults": self.faults,
        }

    def _in_short(self) -> str:
        field = f"{self.rules}, {counted(len(self.players), 'player')}, {len(self.matches):,} pairings"
        first = self.ranking[0]
        return f"{field}: {brief(self.players[first])} is first, Elo {self.ratings[first].elo:+.0f}"

    def _sheet(self) -> Sheet:
        rows = []
        for rank, player in enumerate(self.ranking, 1):
            elo, (low, high) = self.ratings[player]
            points = f"{self.points(player):g}"
            rows.append(
                (rank, self.players[player], f"{elo:+.0f}", f"{low:+.0f} to {high:+.0f}", points, self.games_of(player))
            )
        return Sheet(self._heading(), ("", "player", "Elo", "95 %", "points", "games"), rows, faults_text(self.faults))

    def _heading(self) -> str:
        return f"{self.rules}, {counted(self.games, 'game')} a pairing, openings {self.openings}, seed {self.seed}"

    def __str__(self) -> str:
        ranking, cells = self.ranking, self.cross_table
        rows: list[tuple[str | int, ...]] = []
        for rank, player in enumerate(ranking, 1):
            elo, interval = self.ratings[player]
            against = ["·" if (cell := cells[player][other]) is None else f"{cell:g}" for other in ranking]
            range_text = f"{interval.low:+.0f} to {interval.high:+.0f}"
            rows.append((rank, self.players[player], f"{elo:+.0f}", range_text, f"{self.points(player):g}", *against))
        header = ("", "player", "Elo", "95 %", "points", *(str(rank) for rank in range(1, len(ranking) + 1)))
        return "\n".join([self._heading(), draw.table(header, rows), *faults_text(self.faults)])


@typed
def play_tournament(
    players: Sequence[str | Player],
    rules: GameRules | str,
    out: Path | str | None = None,
    games: int = 100,
    openings: str = "random:0",
    seed: int = 0,
    workers: int | None = None,
    resume: bool = False,
    progress: bool = False,
) -> Tournament:
    """Let everybody play everybody; games go into the folder `out`; with `resume` what it holds is not played again."""
    played: GameRules = duel(rules)
    names = [player_name(player) for player in players]
    _check_names(names)
    check_settings(played, games, openings, seed)
    settings = _settings(played, names, games, openings, seed)
    place = None if out is None else try_folder(Path(out))
    with nullcontext() if place is None else locked_folder(place):
        enter(players, played, workers)
        if place is not None:
            _begin(place, settings, resume)
        matches = _play_pairings(players, played, settings, workers, place, progress)
    return Tournament(played, tuple(names), games, openings, seed, matches)


@typed
def read_tournament(folder: Path | str, progress: bool = False) -> Tournament:
    """What a folder holds of a tournament, every game checked; pairings that were not played yet are missing."""
    folder = Path(folder)
    held = read_json(folder / SETTINGS, Settings, MOST_BYTES)
    if (held.format, held.version) != (FORMAT, VERSION):
        raise CorruptFile(f"{folder / SETTINGS}: not the settings of a tournament of version {VERSION}")
    if len(held.players) > MOST_PLAYERS:
        raise FileTrouble(f"{folder} holds a tournament of {len(held.players):,} players; {MOST_PLAYERS} can be rated")
    rules = duel(held.rules)
    _check_names(held.players)
    check_settings(rules, held.games, held.openings, held.seed)
    matches: dict[Pairing, Match] = {}
    pairings = list(combinations(range(len(held.players)), 2))
    with bar(len(pairings), "reading", "pairings", progress) as shown:
        for first, second in pairings:
            path = folder / f"{_stem((first, second))}.jsonl"
            if path.exists():
                names, own = (held.players[first], held.players[second]), pairing_seed(held.seed, first, second)
                matches[first, second] = _read_match(path, Match(rules, *names, held.openings, own, ()), held.games)
            shown.update(1)
    return Tournament(rules, tuple(held.players), held.games, held.openings, held.seed, matches)


def _play_pairings(
    players: Sequence[str | Player],
    rules: GameRules,
    settings: dict[str, Any],
    workers: int | None,
    folder: Path | None,
    progress: bool,
) -> dict[Pairing, Match]:
    """The matches of all pairings, those that the folder holds already read from it."""
    names, games, openings, seed = (settings[each] for each in ("players", "games", "openings", "seed"))
    matches: dict[Pairing, Match] = {}
    pairings = list(combinations(range(len(players)), 2))
    with bar(len(pairings), "tournament", "pairings", progress) as shown:
        for first, second in pairings:
            own = pairing_seed(seed, first, second)
            path = None if folder is None else folder / f"{_stem((first, second))}.jsonl"
            match = Match(rules, names[first], names[second], openings, own, ())
            if path is not None and path.exists():
                matches[first, second] = _read_match(path, match, games)
            else:
                match = play_between(players[first], players[second], rules, games, openings, own, workers, progress)
                if path is not None:
                    write_records(path, match.records)
                matches[first, second] = match
            shown.update(1)
    return matches


def pairing_seed(seed: int, first: int, second: int) -> int:
    """The seed of one pairing: with it `gridlab match` plays the same games."""
    return int(np.random.SeedSequence(seed, spawn_key=(first, second)).generate_state(1)[0])


def _check_names(names: list[str]) -> None:
    if len(names) < 2:
        raise BadPlayer(f"a tournament of {counted(len(names), 'player')} has no games; at least 2 are needed")
    names = [" ".join(text.split()) for text in names]
    if twice := [name for name in names if names.count(name) > 1]:
        raise BadPlayer(f"{twice[0]!r} stands twice among the players; a result needs one name for each")


def _stem(pairing: Pairing) -> str:
    return f"{pairing[0] + 1:02}-{pairing[1] + 1:02}"


def _settings(rules: GameRules, players: list[str], games: int, openings: str, seed: int) -> dict[str, Any]:
    return {"rules": str(rules), "players": players, "games": games, "openings": openings, "seed": seed}


def _begin(folder: Path, settings: dict[str, Any], resume: bool) -> None:
    """Write down the settings, or see that those of the folder are the same."""
    path = folder / SETTINGS
    wanted = {"format": FORMAT, "version": VERSION, **settings}
    if not path.exists():
        if foreign := sorted(folder.glob("??*-??*.jsonl")):
            raise FileTrouble(f"{folder} holds {foreign[0].name} without {SETTINGS}; name another folder")
        write_json(path, wanted)
        return
    if not resume:
        raise FileTrouble(f"{folder} holds a tournament; --resume goes on with it, or name another folder")
    held = msgspec.structs.asdict(read_json(path, Settings, MOST_BYTES))
    if other := [name for name in wanted if held[name] != wanted[name]]:
        name = other[0]
        raise FileTrouble(
            f"{folder} holds a tournament whose {name} is {held[name]!r:.200}, not {wanted[name]!r:.200}; "
            "name another folder"
        )


def _read_match(path: Path, match: Match, games: int) -> Match:
    """The match that a file holds; refused if its games are not those of this pairing."""
    if not path.is_file():
        raise FileTrouble(f"{path} is not a file of games; remove it to have the pairing played")
    if complaints := verify_records(path).complaints:
        raise CorruptFile(f"{complaints[0]}; remove the file to have the pairing played again")
    records = tuple(islice(read_records(path), games + 1))
    if len(records) != games:
        number = len(records) if len(records) < games else f"more than {games}"
        raise CorruptFile(f"{path}: {number} games, not {games}; remove it to have the pairing played again")
    length = parse_openings(match.openings)
    for number, record in enumerate(records):
        players = (match.b, match.a) if number % 2 else (match.a, match.b)
        found = record.rules, record.players, record.seed, record.opening
        if found != (match.rules, players, match.seed, length):
            raise CorruptFile(
                f"{path} line {number + 1}: a game of another match; remove the file to have the pairing played again"
            )
    return Match(match.rules, match.a, match.b, match.openings, match.seed, records)


def plot_ratings(tournament: Tournament, path: Path) -> None:
    """Elo with intervals, the strongest on top; PNG, SVG or PDF by the name of the file."""
    figure = new_figure(path, 1.5 + 0.4 * len(tournament.players))
    axes = figure.add_subplot()
    for place, player in enumerate(reversed(tournament.ranking)):
        elo, interval = tournament.ratings[player]
        axes.plot(list(interval), [place, place], color="#b8b8b8", linewidth=3)
        axes.plot([elo], [place], "o", color="#1f4e9c")
    names = [tournament.players[player] for player in reversed(tournament.ranking)]
    axes.set_yticks(range(len(names)), [name.replace("$", r"\$") for name in names])
    axes.set_xlabel("Elo, with 95 % intervals")
    axes.set_title(f"{tournament.rules}: {counted(tournament.games, 'game')} a pairing, openings {tournament.openings}")
    axes.grid(axis="x", alpha=0.3)
    save(figure, path)
