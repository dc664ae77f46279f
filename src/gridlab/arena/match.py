"""Players held against each other: two in a match, in the way their game allows, and everybody in a tournament.

Of a game between two a match has many games, in pairs.

    pair 0    game 0  A begins     game 1  B begins     both from the same opening
    pair 1    game 2  A begins     game 3  B begins     both from the next opening
    …

Every game has its own sources of chance, made from the seed and the number of the game, and players are made anew
for every chunk of pairs. So the same seed gives the same match for any number of workers.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import msgspec
import numpy as np
import numpy.typing as npt

from gridlab.arena import session as on_record
from gridlab.arena.session import PLAYED, RESIGNED, Answered, Entrant, Record, Seat, duel, enter, replay, start_of
from gridlab.arena.statistics import Interval, Rating, count_pairs, paired, rate, shares, wilson
from gridlab.core import draw
from gridlab.core.arguments import check_seed, counted, typed
from gridlab.core.charts import new_figure, save
from gridlab.core.draw import AsJson, Sheet, between, brief, facts, percent, shown
from gridlab.core.errors import BadNotation, BadPlayer, CorruptFile, FileTrouble, PlayerFault, Resigned
from gridlab.core.files import locked_folder, try_folder, write_json
from gridlab.core.progress import bar
from gridlab.core.run import in_order
from gridlab.core.untrusted import read_json
from gridlab.games.registry import GameRules, Move, family_of, game
from gridlab.players.registry import Player, player_name

if TYPE_CHECKING:
    from gridlab.game2048.evaluate import ScoreMatch
    from gridlab.game2048.rules import Rules2048
    from gridlab.inarow.rules import Rules

PAIRS_A_JOB = 4
TRIES = 1000  # draws of an opening before it is given up
OPENING, SIDES = 0, 1  # what a source of chance is for: the opening, and each side in turn
HEADER = ("", "games", "share", "95 %")
MOST_FAULTS = 5  # printed; all are in `faults`


@shown
@dataclass(frozen=True)
class Match:
    """The games of A against B: A begins the first, third, … and B the others."""

    rules: Any
    a: str
    b: str
    openings: str
    seed: int
    records: tuple[Any, ...]

    @property
    def games(self) -> int:
        return len(self.records)

    @cached_property
    def points(self) -> npt.NDArray[np.float64]:
        """What A got from each game: 1 for a win, ½ for a draw."""
        sides = self.rules.sides  # of A, in turn
        won = zip((each.winner for each in self.records), cycle(sides), strict=False)
        return np.array([0.5 if winner is None else float(winner == own) for winner, own in won])

    @property
    def pair_points(self) -> npt.NDArray[np.float64]:
        """What A got from each pair of games, 0 to 2."""
        return np.asarray(self.points.reshape(-1, 2).sum(axis=1))

    @property
    def a_wins(self) -> int:
        return int(np.sum(self.points == 1))

    @property
    def b_wins(self) -> int:
        return int(np.sum(self.points == 0))

    @property
    def draws(self) -> int:
        return self.games - self.a_wins - self.b_wins

    @property
    def a_score(self) -> float:
        """Points of A a game."""
        return float(self.points.mean())

    @cached_property
    def a_score_interval(self) -> Interval:
        return paired(self.pair_points)

    @property
    def faults(self) -> list[str]:
        """A sentence for every game that was lost by a wrong, late or missing answer."""
        told = enumerate((each.reason for each in self.records), 1)
        return [f"game {number}: {reason}" for number, reason in told if reason not in (PLAYED, RESIGNED)]

    def save(self, out: Path | str) -> None:
        """Write the games as JSON lines."""
        on_record.write_records(Path(out), self.records)

    def as_dict(self) -> AsJson:
        return facts(self, "a b rules games a_wins b_wins draws a_score a_score_interval faults seed")

    def _in_short(self) -> str:
        names = f"{brief(self.a, 24)} – {brief(self.b, 24)}, {self.rules}"
        result = f"+{self.a_wins} ={self.draws} -{self.b_wins}"
        return f"{names}: {result}, {percent(self.a_score)}, {between(self.a_score_interval)}"

    def _sheet(self) -> Sheet:
        notes = [f"A  {self.a}", f"B  {self.b}", *faults_text(self.faults)]
        return Sheet(self._heading(), HEADER, self._rows(), notes)

    def _heading(self) -> str:
        return f"{self.rules}, {counted(self.games, 'game')}, openings {self.openings}, seed {self.seed}"

    def _rows(self) -> list[tuple[str, ...]]:
        counts = (("A wins", self.a_wins), ("draws", self.draws), ("B wins", self.b_wins))
        rows = [(name, f"{count:,}", *shares(count / self.games, wilson(count, self.games))) for name, count in counts]
        return [*rows, ("score of A", f"{self.points.sum():,.1f}", *shares(self.a_score, self.a_score_interval))]

    def __str__(self) -> str:
        table = draw.table(HEADER, self._rows())
        return "\n".join([self._heading(), f"A  {self.a}", f"B  {self.b}", table, *faults_text(self.faults)])


def faults_text(faults: list[str]) -> list[str]:
    """The first few faults, and how many more there are."""
    more = len(faults) - MOST_FAULTS
    return faults[:MOST_FAULTS] + ([f"and {more:,} more faults"] if more > 0 else [])


@overload
def play_match(
    a: str | Player, b: str | Player, rules: "Rules", games: int = 100, openings: str = ..., seed: int = 0,
    workers: int | None = None, progress: bool = False,
) -> "Match": ...  # fmt: skip
@overload
def play_match(
    a: str | Player, b: str | Player, rules: "Rules2048", games: int = 100, openings: str = ..., seed: int = 0,
    workers: int | None = None, progress: bool = False,
) -> "ScoreMatch": ...  # fmt: skip
@overload
def play_match(
    a: str | Player, b: str | Player, rules: str, games: int = 100, openings: str = ..., seed: int = 0,
    workers: int | None = None, progress: bool = False,
) -> Any: ...  # fmt: skip
@typed
def play_match(
    a: str | Player, b: str | Player, rules: GameRules | str, games: int = 100, openings: str = "random:0",
    seed: int = 0, workers: int | None = None, progress: bool = False,
) -> Any:  # fmt: skip
    """Let A and B play; a player is a text, or an object with `move(position, random)`, of a notebook too.

    `openings` says how games between two begin: `random:4` with four random moves. The same seed gives the same games
    for any number of workers. In 2048 A and B each play alone, on the same chance.
    """
    played: GameRules = game(rules)
    return family_of(played).load("match")(a, b, played, games, openings, seed, workers, progress)


def play_between(
    a: str | Player, b: str | Player, rules: GameRules | str, games: int = 100, openings: str = "random:0",
    seed: int = 0, workers: int | None = None, progress: bool = False,
    tell: Callable[["Match"], object] = lambda so_far: None,
) -> Match:  # fmt: skip
    """Let A and B play an even number of games; `tell` hears of the match as far as it has been played."""
    played: GameRules = duel(rules)
    check_settings(played, games, openings, seed)
    (one, other), workers = enter([a, b], played, workers)
    pairs = range(games // 2)
    chunks = (pairs[first : first + PAIRS_A_JOB] for first in pairs[::PAIRS_A_JOB])
    jobs = [Job(played, one, other, parse_openings(openings), seed, chunk) for chunk in chunks]
    workers = min(workers, len(jobs))
    match = Match(played, one.name, other.name, openings, seed, ())
    with bar(games, f"{one.name} – {other.name}", "games", progress) as shown:
        shared = in_order(play_pairs, jobs, workers, processes=True, name=Job.name)
        for some in shared if workers > 1 else map(play_pairs, jobs):
            match = replace(match, records=(*match.records, *some))
            shown.update(len(some))
            tell(match)
    return match


def check_settings(rules: GameRules, games: int, openings: str, seed: int) -> None:
    """Refuse what cannot be played before anything is."""
    if games < 2 or games % 2:
        played = counted(games, "game")
        raise BadNotation(f"{played} cannot be played in pairs that share an opening; an even number is needed")
    check_seed(seed)
    opening_of(rules, parse_openings(openings), seed, 0)


def parse_openings(text: str) -> int:
    """The number of random moves a game begins with: `random:4` is 4."""
    kind, _, number = text.partition(":")
    if kind != "random" or not (number.isascii() and number.isdigit() and len(number) < 4):
        raise BadNotation(f"{text!r} is not a way to open games; write random:4 for four random moves, or random:0")
    return int(number)


def opening_of(rules: GameRules, length: int, seed: int, game: int) -> tuple[Move, ...]:
    """The random moves with which a game begins."""
    drawn: tuple[Move, ...] = family_of(rules).load("openings")(rules, length, _chance(seed, game, OPENING))
    return drawn


def draw_opening(rules: GameRules, length: int, random: np.random.Generator) -> tuple[Move, ...]:
    """Random moves after which the game is not over."""
    for _ in range(TRIES):
        position, moves = start_of(rules), list[Move]()
        while not position.over and len(moves) < length:
            legal = position.moves()
            moves.append(legal[random.integers(len(legal))])
            position = position.step(moves[-1], random)
        if not position.over:
            return tuple(moves)
    raise no_opening(rules, length)


def no_opening(rules: GameRules, length: int) -> BadNotation:
    """Why a game cannot open with so many moves."""
    return BadNotation(f"no {length} random moves were found that leave a game of {rules} open; fewer are needed")


class Job(NamedTuple):
    """A chunk of pairs for one worker."""

    rules: GameRules
    a: Entrant
    b: Entrant
    opening: int
    seed: int
    pairs: range

    def name(self) -> str:
        return f"games {2 * self.pairs.start + 1} to {2 * self.pairs.stop}"


def play_pairs(job: Job) -> list[Record]:
    """The games of a chunk."""
    with ExitStack() as held:
        a, b = Seat(job.a, job.rules), Seat(job.b, job.rules)
        held.callback(b.leave)
        held.callback(a.leave)
        return list(_games(job, a, b))


def _games(job: Job, a: Seat, b: Seat) -> Iterator[Record]:
    for pair in job.pairs:
        opening = opening_of(job.rules, job.opening, job.seed, 2 * pair)
        yield play_game(a, b, job.rules, opening, job.seed, 2 * pair)
        yield play_game(b, a, job.rules, opening, job.seed, 2 * pair + 1)


def _chance(seed: int, game: int, purpose: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(game, purpose)))


def play_game(first: Seat, second: Seat, rules: Any, opening: tuple[Move, ...], seed: int, number: int) -> Record:
    """One game to its end, or to the first fault, which loses it."""
    seats, moves, answers = (first, second), list(opening), list[Answered]()
    chance = [_chance(seed, number, SIDES + place) for place in range(2)]
    players = dict(zip(rules.sides, zip(seats, chance, strict=True), strict=True))
    position, reason = replay(opening, rules), PLAYED
    winner = position.winner
    while not position.over and reason == PLAYED:
        side, ply = position.to_move, len(moves)
        seat, random = players[side]
        try:
            moves.append(seat.move(position, random, moves))
            position = position.step(moves[-1], random)
            winner = position.winner
        except PlayerFault as fault:
            reason = RESIGNED if isinstance(fault, Resigned) else f"{side}, {seat.name}, lost by a fault: {fault}"
            winner = on_record.other_side(side, rules)
        if seat.tries:
            answers.append(Answered(ply, seat.tries))
        if reason != PLAYED:
            seat.leave()
    names = first.name, second.name
    record: Record = on_record.record_from(rules, names, moves, winner, reason, seed, len(opening), tuple(answers))
    return record


# ---- Everybody against everybody, every pairing a match
#
#     tournament.json                  the settings: rules, players, games, openings, seed
#     01-02.jsonl, 01-03.jsonl, …      the games of each pairing (arena/session.py), whole or not there
#
# A tournament that was stopped goes on after the last whole pairing. Every pairing has its own seed, made from that of
# the tournament; its games say which.


SETTINGS = "tournament.json"
FORMAT, VERSION = "gridlab tournament", 1
MOST_BYTES = 1 << 20  # of the settings
MOST_PLAYERS = 100  # of a tournament that is read: its ratings are drawn a thousand times
RANKING = ("", "player", "Elo", "95 %", "points")

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
        matches = sorted(self.matches.items())
        return [f"{_stem(pairing)} {fault}" for pairing, match in matches for fault in match.faults]

    def points(self, player: int) -> float:
        """What a player got from all its games."""
        return sum(cell for cell in self.cross_table[player] if cell is not None)

    def games_of(self, player: int) -> int:
        """How many games a player has played."""
        return sum(match.games for pairing, match in self.matches.items() if player in pairing)

    def as_dict(self) -> AsJson:
        ranked = []
        for player in self.ranking:
            elo, interval = self.ratings[player]
            told = {"player": self.players[player], "elo": elo, "elo_interval": list(interval)}
            ranked.append(told | {"points": self.points(player), "games": self.games_of(player)})
        matches = [self.matches[pairing].as_dict() for pairing in sorted(self.matches)]
        found = {"ranking": ranked, "cross_table": self.cross_table, "matches": matches, "faults": self.faults}
        return self.settings() | found

    def settings(self) -> AsJson:
        """What was settled before the first game."""
        return facts(self, "rules players games openings seed")

    def _in_short(self) -> str:
        field = f"{self.rules}, {counted(len(self.players), 'player')}, {len(self.matches):,} pairings"
        first = self.ranking[0]
        return f"{field}: {brief(self.players[first])} is first, Elo {self.ratings[first].elo:+.0f}"

    def _sheet(self) -> Sheet:
        rows = [(*self._line(rank), self.games_of(player)) for rank, player in enumerate(self.ranking)]
        return Sheet(self._heading(), (*RANKING, "games"), rows, faults_text(self.faults))

    def _heading(self) -> str:
        return f"{self.rules}, {counted(self.games, 'game')} a pairing, openings {self.openings}, seed {self.seed}"

    def _line(self, rank: int) -> tuple[str | int, ...]:
        player = self.ranking[rank]
        elo, (low, high) = self.ratings[player]
        points = f"{self.points(player):g}"
        return rank + 1, self.players[player], f"{elo:+.0f}", f"{low:+.0f} to {high:+.0f}", points

    def __str__(self) -> str:
        ranking, cells = self.ranking, self.cross_table
        rows: list[tuple[str | int, ...]] = []
        for rank, player in enumerate(ranking):
            against = ["·" if (cell := cells[player][other]) is None else f"{cell:g}" for other in ranking]
            rows.append((*self._line(rank), *against))
        header = (*RANKING, *(str(rank + 1) for rank in range(len(ranking))))
        return "\n".join([self._heading(), draw.table(header, rows), *faults_text(self.faults)])


@typed
def play_tournament(
    players: Sequence[str | Player], rules: GameRules | str, out: Path | str | None = None, games: int = 100,
    openings: str = "random:0", seed: int = 0, workers: int | None = None, resume: bool = False, progress: bool = False,
) -> Tournament:  # fmt: skip
    """Let everybody play everybody; games go into the folder `out`; with `resume` what it holds is not played again."""
    asked = Tournament(duel(rules), tuple(map(player_name, players)), games, openings, seed, {})
    _check(asked)
    place = None if out is None else try_folder(Path(out))

    def play(pairing: Pairing, own_seed: int) -> Match:
        a, b = (players[each] for each in pairing)
        return play_between(a, b, asked.rules, games, openings, own_seed, workers, progress)

    with ExitStack() as held:
        if place is not None:
            held.enter_context(locked_folder(place))
        enter(players, asked.rules, workers)
        if place is not None:
            _begin(place, asked, resume)
        return _with_matches(asked, place, play, "tournament", progress)


@typed
def read_tournament(folder: Path | str, progress: bool = False) -> Tournament:
    """What a folder holds of a tournament, every game checked; pairings that were not played yet are missing."""
    folder = Path(folder)
    held = read_json(folder / SETTINGS, Settings, MOST_BYTES)
    if (held.format, held.version) != (FORMAT, VERSION):
        raise CorruptFile(f"{folder / SETTINGS}: not the settings of a tournament of version {VERSION}")
    if len(held.players) > MOST_PLAYERS:
        raise FileTrouble(f"{folder} holds a tournament of {len(held.players):,} players; {MOST_PLAYERS} can be rated")
    found = Tournament(duel(held.rules), tuple(held.players), held.games, held.openings, held.seed, {})
    _check(found)
    return _with_matches(found, folder, None, "reading", progress)


def _with_matches(
    asked: Tournament, folder: Path | None, play: Callable[[Pairing, int], Match] | None, doing: str, progress: bool
) -> Tournament:
    """The tournament with its matches: those that the folder holds are read, the others played if they are to be."""
    matches: dict[Pairing, Match] = {}
    pairings = list(combinations(range(len(asked.players)), 2))
    with bar(len(pairings), doing, "pairings", progress) as shown:
        for pairing in pairings:
            a, b = (asked.players[each] for each in pairing)
            match = Match(asked.rules, a, b, asked.openings, pairing_seed(asked.seed, *pairing), ())
            path = None if folder is None else folder / f"{_stem(pairing)}.jsonl"
            if path is not None and path.exists():
                matches[pairing] = _read_match(path, match, asked.games)
            elif play is not None:
                matches[pairing] = play(pairing, match.seed)
                if path is not None:
                    matches[pairing].save(path)
            shown.update(1)
    return replace(asked, matches=matches)


def pairing_seed(seed: int, first: int, second: int) -> int:
    """The seed of one pairing: with it `gridlab match` plays the same games."""
    return int(np.random.SeedSequence(seed, spawn_key=(first, second)).generate_state(1)[0])


def _check(asked: Tournament) -> None:
    """Refuse what cannot be played before anything is."""
    names = [" ".join(text.split()) for text in asked.players]
    if len(names) < 2:
        raise BadPlayer(f"a tournament of {counted(len(names), 'player')} has no games; at least 2 are needed")
    if twice := [name for name in names if names.count(name) > 1]:
        raise BadPlayer(f"{twice[0]!r} stands twice among the players; a result needs one name for each")
    check_settings(asked.rules, asked.games, asked.openings, asked.seed)


def _stem(pairing: Pairing) -> str:
    return f"{pairing[0] + 1:02}-{pairing[1] + 1:02}"


def _begin(folder: Path, asked: Tournament, resume: bool) -> None:
    """Write down the settings, or see that those of the folder are the same."""
    path = folder / SETTINGS
    wanted = {"format": FORMAT, "version": VERSION, **asked.settings()}
    if not path.exists():
        if foreign := sorted(folder.glob("??*-??*.jsonl")):
            raise FileTrouble(f"{folder} holds {foreign[0].name} without {SETTINGS}; name another folder")
        write_json(path, wanted)
        return
    if not resume:
        raise FileTrouble(f"{folder} holds a tournament; --resume goes on with it, or name another folder")
    held = msgspec.structs.asdict(read_json(path, Settings, MOST_BYTES))
    if other := [name for name in wanted if held[name] != wanted[name]]:
        said = f"{other[0]} is {held[other[0]]!r:.200}, not {wanted[other[0]]!r:.200}"
        raise FileTrouble(f"{folder} holds a tournament whose {said}; name another folder")


def _read_match(path: Path, match: Match, games: int) -> Match:
    """The match that a file holds; refused if its games are not those of this pairing."""
    if not path.is_file():
        raise FileTrouble(f"{path} is not a file of games; remove it to have the pairing played")
    if complaints := on_record.verify_records(path).complaints:
        raise CorruptFile(f"{complaints[0]}; remove the file to have the pairing played again")
    records = tuple(islice(on_record.read_records(path), games + 1))
    if len(records) != games:
        number = len(records) if len(records) < games else f"more than {games}"
        raise CorruptFile(f"{path}: {number} games, not {games}; remove it to have the pairing played again")
    length = parse_openings(match.openings)
    for number, record in enumerate(records, 1):
        players = (match.a, match.b) if number % 2 else (match.b, match.a)
        found = record.rules, record.players, record.seed, record.opening
        if found != (match.rules, players, match.seed, length):
            told = "a game of another match; remove the file to have the pairing played again"
            raise CorruptFile(f"{path} line {number}: {told}")
    return replace(match, records=records)


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
