"""Players of 2048 on small boards, measured without a single game: every board they can reach, exactly weighted.

For players that always play the same move on the same board, and for random moves: see gridlab.game2048.exact.policy.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn, cast

import numpy as np

from gridlab.core import draw
from gridlab.core.arguments import counted, typed
from gridlab.core.bits import Stop, streams
from gridlab.core.draw import Sheet, brief, shown
from gridlab.core.errors import BadPlayer, PlayerFault, TooLarge
from gridlab.core.progress import bar
from gridlab.core.run import in_order, interruptible, own_cores, stop_flag
from gridlab.game2048.exact.build import MOST_CELLS
from gridlab.game2048.exact.file import SCORE, tile_of
from gridlab.game2048.exact.policy import Directions, Followed, follow
from gridlab.game2048.kernels import Boards, row_tables
from gridlab.game2048.players import Player2048, chooser_of, find_player2048, sees_many
from gridlab.game2048.position import Position2048
from gridlab.game2048.replay import can_move
from gridlab.game2048.rules import DIRECTIONS, Rules2048
from gridlab.game2048.search.play import Chooser, choose_boards
from gridlab.game2048.search.random_moves import RandomMoves
from gridlab.players.registry import player_name

HEADER = ("tile", "largest at the end", "reached")
A_JOB = 1 << 13  # boards


@shown
@dataclass(frozen=True)
class Whole2048:
    """The exact results of a player on a small board."""

    player: str
    rules: Rules2048
    followed: Followed
    target: str = SCORE  # or the tile whose chance is asked for
    best: float | None = None  # the mean score, or the chance, of best play

    @property
    def mean_score(self) -> float:
        return self.followed.mean_score

    @property
    def value(self) -> float:
        """What was asked for: the mean score, or how likely the tile is reached."""
        return self.mean_score if self.target == SCORE else self.followed.reaching(int(self.target))

    def as_dict(self) -> dict[str, Any]:
        found = self.followed
        return {
            "player": self.player,
            "rules": str(self.rules),
            "target": self.target,
            "value": self.value,
            "best": self.best,
            "mean_score": found.mean_score,
            "mean_moves": found.mean_moves,
            "tiles": {str(tile): share for tile, share in found.tiles.items()},
            "largest_in_a_corner": found.in_a_corner,
            "largest_along_an_edge": found.along_an_edge,
            "boards": found.boards,
        }

    def _in_short(self) -> str:
        what = self._asked()
        boards = f"{self.followed.boards:,} boards"
        return f"{brief(self.player)}, {self.rules}: {what} {self._told(self.value)} exactly, over {boards}"

    def _sheet(self) -> Sheet:
        heading, *notes = self._facts()
        return Sheet(heading, HEADER, self._rows(), notes)

    def _facts(self) -> list[str]:
        found = self.followed
        beside = "" if self.best is None else f", {self.value / self.best:.2%} of best play, {self._told(self.best)}"
        return [
            f"{self.rules}, {self.player}: exactly, over all {counted(found.boards, 'board')} it can reach",
            f"{self._asked()} {self._told(self.value)}{beside}",
            f"{found.mean_moves:,.2f} moves a game; after {found.in_a_corner:.1%} of them the largest tile is in a "
            f"corner, after {found.along_an_edge:.1%} the largest fall along an edge",
        ]

    def _rows(self) -> list[tuple[str, ...]]:
        found = self.followed
        return [(str(tile), f"{share:.4%}", f"{found.reaching(tile):.4%}") for tile, share in found.tiles.items()]

    def __str__(self) -> str:
        return "\n".join([*self._facts(), draw.table(HEADER, self._rows())])

    def _told(self, value: float) -> str:
        return f"{value:,.4f}" if self.target == SCORE else f"{value:.6%}"

    def _asked(self) -> str:
        return "mean score" if self.target == SCORE else f"chance of {self.target}"


class NoChance:
    """In place of a source of random numbers: whoever asks it for one does not always play the same."""

    def __getattr__(self, name: str) -> NoReturn:
        raise BadPlayer("it plays by chance")


@typed
def follow_player(
    player: str | Player2048,
    rules: Rules2048 | str,
    target: int | str = SCORE,
    best: float | None = None,
    workers: int | None = None,
    progress: bool = False,
) -> Whole2048:
    """The exact mean score of a player that always plays the same on the same board, or of random moves.

    The `target` is score, or a tile whose chance is asked for instead; `best` is what best play comes to.
    """
    tile = tile_of(target)
    found, rules = find_player2048(player, rules)
    if rules.cells > MOST_CELLS:
        raise TooLarge(f"a player can be followed through all boards of up to {MOST_CELLS} cells, not of {rules}")
    chooser, name = chooser_of(found, rules), player_name(player)
    at_random = isinstance(chooser, RandomMoves)
    if not at_random:
        _require_certain(found, rules, name)
    choose = partial(_ask, found, rules) if chooser is None else partial(_choose, found, rules, workers)
    with bar(None, name, "boards", progress) as shown:
        followed = follow(rules, None if at_random else choose, shown.update)
    return Whole2048(name, rules, followed, str(tile) if tile else SCORE, best)


def _require_certain(player: Player2048, rules: Rules2048, name: str) -> None:
    """BadPlayer if a player needs chance on one of some boards."""
    random: Any = NoChance()
    position = Position2048.start(np.random.default_rng(0), rules)
    while legal := position.moves():
        try:
            player.move(position, random)
        except BadPlayer as error:
            raise BadPlayer(
                f"the player {name} plays by chance; only random, and players that always play the same, can be "
                "followed through all boards"
            ) from error
        position = position.step(legal[0], np.random.default_rng(len(legal)))


def _choose(player: Player2048, rules: Rules2048, workers: int | None, boards: Boards) -> Directions:
    """What a player plays on many boards, by kernels."""
    directions, workers = np.full(len(boards), -1, np.int8), workers or own_cores()
    rows = row_tables(rules)

    def work(job: slice, stop: Stop) -> None:
        chooser: Chooser | None = chooser_of(player, rules)
        assert chooser is not None
        choose_boards(chooser, boards[job], directions[job], rows, streams(0, 1), stop)

    if workers == 1 or len(boards) <= A_JOB:
        interruptible(lambda stop: work(slice(0, len(boards)), stop))
        return directions
    stop, jobs = stop_flag(), [slice(first, first + A_JOB) for first in range(0, len(boards), A_JOB)]
    for _ in in_order(lambda job: work(job, stop), jobs, workers, stop):
        pass
    return directions


def _ask(player: Player2048, rules: Rules2048, boards: Boards) -> Directions:
    """The same for a player that only Python can ask, about many boards if it can, else one after the other."""
    random: Any = NoChance()
    directions = np.full(len(boards), -1, np.int8)
    if sees_many(player, rules):
        going = np.flatnonzero(can_move(boards, row_tables(rules)))
        directions[going] = cast(Any, player).choose_many(boards[going]) if len(going) else 0
        return directions
    for number, board in enumerate(boards.tolist()):
        position = Position2048.unpack(board, rules=rules)
        if legal := position.moves():
            try:
                answer = position.as_move(player.move(position, random))
            except BadPlayer as error:
                raise BadPlayer(f"the player {player_name(player)} plays by chance in {position}") from error
            if answer not in legal:
                raise PlayerFault(f"the player {player_name(player)} answers {answer!r} in {position}")
            directions[number] = DIRECTIONS.index(answer)
    return directions
