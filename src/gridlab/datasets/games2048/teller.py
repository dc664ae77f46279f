"""What --verbose tells of games while they are played: every 50 moves, as they happen."""

from collections.abc import Callable
from typing import NamedTuple

from gridlab.arena.records.game2048 import Game
from gridlab.games.game2048.kernels import unpack_board
from gridlab.games.game2048.rules import Rules2048
from gridlab.search.game2048.play import Watch

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
