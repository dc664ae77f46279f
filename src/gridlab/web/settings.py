"""What a server was started with, and what a request may cost."""

from dataclasses import dataclass
from pathlib import Path

GLANCE_NODES = 50_000  # of an exact search that anybody may make at any time: a few hundredths of a second
QUICK_NODES, QUICK_SECONDS = 1_000_000, 5.0  # of one that a page waits for; a third of a second as a rule
PROMPT_SECONDS = 1.5  # of a move of the player `perfect`: exact if that is possible in time, else the best so far
REPLY_SECONDS = 20.0  # of any other player's move, and of all that a request brings back
SOLVE_SECONDS = 300.0  # of a search that shows its progress
JOB_SECONDS = 900.0  # of a match, a grade or a look through a file
MOST_BODY = 1 << 20  # bytes of a request
MOST_GAMES, MOST_POSITIONS = 2000, 2000  # of a match, of a grade
MOST_AUTOPLAY = 50  # moves of one request
OPINION_PLAYOUTS, OPINION_VISITS = 40_000, 200  # of a tree search; a move tried less often has no opinion
# what a player may be asked to do over the web; any other whole number is at most a million
MOST_OF = {"depth": 12, "playouts": 200_000, "expansions": 100_000, "table": 16, "sample": 16, "moves": 1000}
MOST_OF_ANY = 1_000_000
PLAIN_DEPTH = 2  # of an expectimax on boards that no kernel plays


@dataclass(frozen=True)
class Settings:
    """How the server was started."""

    folder: Path
    host: str = "127.0.0.1"
    hosts: tuple[str, ...] = ()  # names under which it may be asked for, beside its own
    commands: bool = False  # whether players may start programs
