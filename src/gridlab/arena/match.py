"""Two players held against each other, in the way their game allows.

in-a-row games    A against B, every opening twice with colours exchanged (match/mnk.py)
2048              A and B each alone, on the same chance: the same starts, new tiles from the same streams
"""

from typing import TYPE_CHECKING, Any, overload

from gridlab.core.arguments import typed
from gridlab.games.protocol import GameRules
from gridlab.games.registry import family_of, game
from gridlab.players.registry import Player

if TYPE_CHECKING:
    from gridlab.game2048.evaluate import ScoreMatch
    from gridlab.game2048.rules import Rules2048
    from gridlab.inarow.match import Match
    from gridlab.inarow.rules import Rules


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
    a: str | Player,
    b: str | Player,
    rules: GameRules | str,
    games: int = 100,
    openings: str = "random:0",
    seed: int = 0,
    workers: int | None = None,
    progress: bool = False,
) -> Any:
    """Let A and B play; a player is a text, or an object with `move(position, random)`, of a notebook too.

    `openings` says how games between two begin: `random:4` with four random moves. The same seed gives the same games
    for any number of workers.
    """
    played: GameRules = game(rules)
    return family_of(played).load("match").play_match(a, b, played, games, openings, seed, workers, progress)
