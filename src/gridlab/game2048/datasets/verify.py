"""Is a file of 2048 games what it says? Its form, and every game replayed by the rules.

Every field of every format is checked but those that no rule tells: when a game was played, by whom, and what the
player thought of its moves. Which of them a file has is said with the verdict.
"""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gridlab.core.arguments import counted
from gridlab.core.charts import new_figure, save
from gridlab.core.draw import AsJson, facts
from gridlab.game2048.datasets.files import check_name, known_index, read_games, reading_bar, size_of, texts_of
from gridlab.game2048.datasets.settings import MAX_MOVES, stage
from gridlab.game2048.datasets.tables import FORMS, Found, read_table
from gridlab.game2048.kernels import REASONS, unpack_board
from gridlab.game2048.records import MADE_BY, WINNING_TILE, Game, Misshapen, details_of, flaw_by_rules, parse
from gridlab.game2048.rules import DIRECTIONS

SHOWN = 20  # flaws named; all are counted


class FileFlaw(NamedTuple):
    """Something wrong with a file."""

    place: int  # the line of a .jsonl file, the number of the game elsewhere, from 1
    move: int  # from 1; 0 if it is about the game
    reason: str


class Verification(NamedTuple):
    """What was found out about a file."""

    path: Path
    games: int
    moves: int
    flawed: int
    flaws: list[FileFlaw]
    unchecked: list[str]  # fields that the file has and no rule tells

    @property
    def sound(self) -> bool:
        return not self.flawed

    def as_dict(self) -> AsJson:
        return {"file": str(self.path)} | facts(self, "sound games moves flawed flaws unchecked")

    def __str__(self) -> str:
        if self.sound:
            replayed = f"{counted(self.games, 'game')}, {counted(self.moves, 'move')} replayed"
            return f"{self.path}: {replayed}: all sound; not checked: {', '.join(self.unchecked)}"
        word = "line" if self.path.suffix == ".jsonl" else "game"
        places = (f"{place}{f', move {move}' if move else ''}: {reason}" for place, move, reason in self.flaws)
        lines = [f"{self.path}, {word} {each}" for each in places]
        verb = "is" if self.flawed == 1 else "are"
        return "\n".join([*lines, f"{self.path}: {self.flawed:,} of {counted(self.games, 'game')} {verb} not sound"])


def verify(path: Path, max_moves: int | None = None, progress: bool = False) -> Verification:
    """Look at every game of a file; a game may stop alive after `max_moves`.

    If none is said it is what the game says, what the index beside the file says of how it was made, or 5000.
    """
    check_name(path)
    max_moves = _made_with(path).get("max_moves") if max_moves is None else max_moves
    games, moves, flawed, flaws, unchecked = 0, 0, 0, list[FileFlaw](), {"timestamp": None}
    size = size_of(path)
    with reading_bar(path, "verifying", progress) as shown:
        for place, found in enumerate(read_table(path), 1) if path.suffix in FORMS else texts_of(path):
            games += 1
            game, flaw = _judge(found, place, max_moves)
            if game is not None:
                moves += game.moves
                unchecked |= dict.fromkeys(_untold(game))
            if flaw:
                flawed += 1
                flaws += [flaw] if len(flaws) < SHOWN else []
            shown.update(len(found) if isinstance(found, bytes) else round(size * found.done) - shown.n)
    if not games:
        flawed, flaws = 1, [FileFlaw(1, 0, "there are no games")]
    return Verification(path, games, moves, flawed, flaws, list(unchecked))


def _made_with(path: Path) -> AsJson:
    """How a file was made, as far as the index beside it says."""
    index = known_index(path) if path.suffix == ".jsonl" and path.is_file() else None
    return index.settings if index else {}


def _judge(found: bytes | Found, place: int, max_moves: int | None) -> tuple[Game | None, FileFlaw | None]:
    try:
        game, reason = parse(found) if isinstance(found, bytes) else found[:2]
    except Misshapen as error:
        return None, FileFlaw(place, error.move + 1, str(error))
    return game, FileFlaw(place, 0, reason) if reason else game_flaw(game, place, max_moves)


def _untold(game: Game) -> list[str]:
    """The fields of a game that no rule tells."""
    thought = ("evaluation_score", "evaluations", "nodes_evaluated")
    of_moves = set().union(*game.details) if game.details else set()
    told = ("rules", "max_moves")
    return [key for key in (*MADE_BY, *thought) if key not in told and (key in game.about or key in of_moves)]


def game_flaw(game: Game, place: int = 0, max_moves: int | None = None) -> FileFlaw | None:
    """The first thing wrong with a game by the rules."""
    if reason := _start_flaw(game):
        return FileFlaw(place, 0, reason)
    move, number = flaw_by_rules(game)
    if move >= 0:
        return FileFlaw(place, move + 1, REASONS[number])
    if game.details and (move := _details_flaw(game)) >= 0:
        return FileFlaw(place, move + 1, "what is said of the move's alternatives or of the new tile is not so")
    reason = _end_flaw(game, max_moves)
    return FileFlaw(place, 0, reason) if reason else None


def _start_flaw(game: Game) -> str | None:
    if not game.moves:
        return "there are no moves"
    tiles = [tile for tile in unpack_board(int(game.boards[0]), game.rules) if tile]
    since, before = stage(game.about.get("curriculum", "")).since, game.about.get("movesBefore", 0)
    if since and before:
        return _middle_flaw(tiles, int(game.scores[0]), since, before)
    if before:
        return f"movesBefore is {json.dumps(before)}, but only a run of the curriculum hard begins in the middle"
    if len(tiles) != 2 or not set(tiles) <= {2, 4}:
        return "the first board does not hold two tiles of 2 or 4 and nothing else"
    return None if game.scores[0] == 0 else f"the first score is {game.scores[0]}, not 0"


def _middle_flaw(tiles: list[int], score: int, since: int, before: int) -> str | None:
    """A board in the middle of a game: its tiles say how many of them came as a 4, hence the moves, hence the points.

    Made of twos alone a tile of 2^k has brought (k - 1) 2^k points; every 4 that came as such saves 4 of them.
    """
    if max(tiles, default=0) != since:
        return f"the run begins without a tile of {since}, or after the first one"
    fours = sum(tiles) // 2 - (before + 2)
    if not 0 <= fours <= before + 2:
        return f"movesBefore is {before}, but the tiles of the first board cannot come of so many moves"
    points = sum((tile.bit_length() - 2) * tile for tile in tiles) - 4 * fours
    return None if score == points else f"the first score is {score}; with {before} moves before it must be {points}"


def _end_flaw(game: Game, max_moves: int | None) -> str | None:
    until, said = stage(game.about.get("curriculum", "")).until, game.about.get("max_moves")
    played = game.moves + game.about.get("movesBefore", 0)
    if until and max(unpack_board(int(game.boards[-1]), game.rules)) >= until:
        return f"the run goes on after the first tile of {until}"
    if said and played > said:
        return f"{played:,} moves are more than max_moves, {said:,}"
    if game.over or (until and game.max_tile >= until):
        return None
    limit = game.about.get("max_moves", max_moves or MAX_MOVES)
    if played == limit:
        return None
    return f"the final board still has a move, and {played:,} moves are not the limit of {limit or 'none'}"


def _details_flaw(game: Game) -> int:
    """The first move whose alternatives, evaluations or new tile do not fit the boards, or -1."""
    truth = details_of(game.boards, game.directions, game.final_board, rules=game.rules)
    for number, (said, true) in enumerate(zip(game.details or [], truth, strict=True)):
        if any(said[key] != true[key] for key in ("alternative_moves", "spawn") if key in said):
            return number
        chosen, known = DIRECTIONS[game.directions[number]], said.get("evaluations")
        if known is not None and set(known) != {chosen, *true["alternative_moves"]}:
            return number
        if known is not None and said.get("evaluation_score", known[chosen]) != known[chosen]:
            return number
    return -1


# ---- What a dataset of 2048 games comes to: scores, tiles, moves, directions, and what should make one suspicious


PERCENTILES = (10, 25, 50, 75, 90)
RULE = "=" * 60
SHORT = 50  # moves of a very short game
GOOD_SCORE, GOOD_LENGTH = 10_000, 100  # on average
MANY, LARGE_TILE = 1000, 4096  # in so many games there should be one with this tile
BAR = 40  # signs of the longest bar


class Stopped(NamedTuple):
    """How far a game had come when a limit or its curriculum stopped it."""

    score: int
    moves: int
    tile: int


@dataclass
class Statistics:
    """Games counted as they come."""

    scores: list[int] = field(default_factory=list)
    moves: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)  # moves, and those before the first one recorded
    tiles: Counter[int] = field(default_factory=Counter)  # games by their largest tile
    directions: list[int] = field(default_factory=lambda: [0] * 4)
    stopped: list[Stopped] = field(default_factory=list)  # games that still had a move
    min_score: int = 0  # games below were dropped
    min_tile: int = 0  # and games without this tile
    small: bool = False  # some are of boards smaller than 4x4, on which nobody gets far

    def add(self, game: Game) -> None:
        self.scores.append(game.final_score)
        self.moves.append(game.moves)
        self.lengths.append(game.moves + game.about.get("movesBefore", 0))
        self.tiles[game.max_tile] += 1
        self.small |= game.rules.walled
        if not game.over:
            self.stopped.append(Stopped(game.final_score, self.lengths[-1], game.max_tile))
        for direction, number in enumerate(np.bincount(game.directions, minlength=4).tolist()):
            self.directions[direction] += number

    @property
    def games(self) -> int:
        return len(self.scores)

    @property
    def wins(self) -> int:
        return sum(number for tile, number in self.tiles.items() if tile >= WINNING_TILE)

    @property
    def samples(self) -> int:
        return sum(self.moves)

    @property
    def short(self) -> int:
        """Very short games, whole ones."""
        return sum(length < SHORT for length in self.lengths)

    @property
    def filters(self) -> str:
        """What the games were held to."""
        score = f"score {self.min_score:,} or more" if self.min_score else ""
        tile = f"tile {self.min_tile} or more" if self.min_tile else ""
        return ", ".join(filter(None, (score, tile)))

    def flags(self) -> list[str]:
        """The published description's red flags, and directions that nobody took.

        A game that was stopped might have gone on to anything, so none of these is raised for where it stood then.
        """
        if not self.games:
            return ["there are no games"]
        if self.small:
            return self._unused()
        return [flag for is_raised, flag in self._flags() if is_raised] + self._unused()

    def _flags(self) -> list[tuple[bool, str]]:
        """The published red flags, each with whether it is to be raised."""
        score, length = float(np.mean(self.scores)), float(np.mean(self.lengths))
        lost = self.games - self.wins - sum(each.tile < WINNING_TILE for each in self.stopped)
        low = score < GOOD_SCORE and all(each.score >= GOOD_SCORE for each in self.stopped)
        short = length < GOOD_LENGTH and all(each.moves >= GOOD_LENGTH for each in self.stopped)
        shallow = self.games >= MANY and max(self.tiles) < LARGE_TILE and not self.stopped
        kept = " of the games kept" if self.filters else ""
        rate = f"win rate {self.wins / self.games:.1%}{kept}"
        return [
            (lost > self.games / 2, f"{rate} is below 50%: the player does not perform well"),
            (low, f"average score {score:,.0f}{kept} is below {GOOD_SCORE:,}: check the evaluation function"),
            (shallow, f"no {LARGE_TILE} tile in {counted(self.games, 'game')}: the search is too shallow"),
            (short, f"average move count {length:.1f} is below {GOOD_LENGTH}: games end too early"),
        ]

    def _unused(self) -> list[str]:
        unused = [name for name, number in zip(DIRECTIONS, self.directions, strict=True) if not number]
        return [f"no move goes {name}" for name in unused]

    def as_dict(self) -> AsJson:
        return {
            **facts(self, "games wins"), "mean_score": float(np.mean(self.scores)) if self.games else 0.0,
            "mean_moves": float(np.mean(self.moves)) if self.games else 0.0, "max_tile": max(self.tiles, default=0),
            "max_tiles": {str(tile): self.tiles[tile] for tile in sorted(self.tiles, reverse=True)},
            "samples": self.samples, "score_percentiles": self._percentiles(self.scores),
            "move_percentiles": self._percentiles(self.moves),
            "directions": dict(zip(DIRECTIONS, self.directions, strict=True)), "short_games": self.short,
            "stopped_games": len(self.stopped), **facts(self, "min_score min_tile"), "flags": self.flags(),
        }  # fmt: skip

    def _percentiles(self, values: list[int]) -> dict[str, float]:
        return {str(each): float(np.percentile(values, each)) for each in PERCENTILES} if values else {}

    def __str__(self) -> str:
        if not self.games:
            return f"📊 Dataset Statistics\n{RULE}\nTotal games: 0"
        lines = [
            "📊 Dataset Statistics",
            RULE,
            f"Total games: {self.games:,}",
            *([f"Kept: {self.filters}"] if self.filters else []),
            f"Wins (2048+): {self.wins:,} ({self.wins / self.games:.1%})",
            f"Average score: {np.mean(self.scores):,.0f}",
            f"Average moves per game: {np.mean(self.moves):,.1f}",
            f"Max tile achieved: {max(self.tiles)}",
            f"Very short games (<{SHORT} moves): {self.short:,} ({self.short / self.games:.1%})",
            *([f"Stopped by a limit or a curriculum: {len(self.stopped):,}"] if self.stopped else []),
            "",
            "Max tile distribution:",
            *(f"  {tile:>4}: {self.tiles[tile]:>4} games ({self.tiles[tile] / self.games:>6.1%})"
              for tile in sorted(self.tiles, reverse=True)),
            "",
            f"Total training samples: {self.samples:,}",
            f"Average samples per game: {self.samples / self.games:,.0f}",
            "",
            "Percentiles: " + "  ".join(f"{each}%" for each in PERCENTILES),
            "  score: " + "  ".join(f"{value:,.0f}" for value in self._percentiles(self.scores).values()),
            "  moves: " + "  ".join(f"{value:,.0f}" for value in self._percentiles(self.moves).values()),
            "",
            "Directions:",
            *self._histogram(),
        ]  # fmt: skip
        flags = [f"⚠️ {flag}" for flag in self.flags()]
        return "\n".join([*lines, *(["", *flags] if flags else [])])

    def _histogram(self) -> list[str]:
        lines, most, total = [], max(self.directions) or 1, self.samples or 1
        for name, number in zip(DIRECTIONS, self.directions, strict=True):
            lines.append(f"  {name:>5}: {number:>9,} ({number / total:>6.1%}) {'█' * round(BAR * number / most)}")
        return lines


def statistics(games: Iterable[Game], min_score: int = 0, min_tile: int = 0) -> Statistics:
    """All games counted; the filters are those that they have passed before."""
    found = Statistics(min_score=min_score, min_tile=min_tile)
    for game in games:
        found.add(game)
    return found


def statistics_of(path: Path, progress: bool = False) -> Statistics:
    """The games of a file; what they were held to is known from the index beside it, if there is one."""
    said = [_made_with(path).get(name) for name in ("min_score", "min_tile")]
    held_to = [number if type(number) is int and number > 0 else 0 for number in said]
    with reading_bar(path, "reading", progress) as shown:
        return statistics(read_games(path, shown.update), *held_to)


def plot_statistics(found: Statistics, path: Path, title: str) -> None:
    """Largest tiles above, scores below."""
    figure = new_figure(path, 6.5)
    above, below = figure.subplots(2)
    tiles = sorted(found.tiles)
    above.bar([str(tile) for tile in tiles], [found.tiles[tile] for tile in tiles], color="#1f4e9c")
    above.set(xlabel="largest tile", ylabel="games")
    below.hist(found.scores, bins=min(50, max(5, found.games // 5)), color="#2e7d32")
    below.set(xlabel="final score", ylabel="games")
    figure.suptitle(f"{title}: {counted(found.games, 'game')}, {counted(found.samples, 'move')}")
    save(figure, path)
