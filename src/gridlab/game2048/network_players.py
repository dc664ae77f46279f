"""Players of 2048 with a network that was trained on games: alone, at the leaves of expectimax, in playouts.

All of them look at many boards at once, `choose_many(boards)`, so that games are played side by side.
"""

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from gridlab.core.draw import shown
from gridlab.core.errors import BadPlayer
from gridlab.core.machine import import_extra
from gridlab.core.splitmix import States
from gridlab.game2048.kernels import Boards
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import DIRECTIONS, Rules2048
from gridlab.game2048.search.mcts import EXPLORATION, PLAYOUTS, MctsMoves, new_mcts
from gridlab.game2048.search.play import best_direction, values_by_kernel

if TYPE_CHECKING:
    from gridlab.game2048.learn.policy import Policy

IMAGES, ALL_IMAGES = 1, 8
DEPTHS = (2, 4)
MOST_PLAYOUTS = 1_000_000
MOST_MOVES = 10_000
NETWORK_MOVES = 10  # of a playout

Numbers = NDArray[np.float64]


def policy_of(rules: Rules2048, player: str, method: str | None, checkpoint: str, images: int) -> "Policy":
    """The network of a file for a player, if it can play this game; of any kind if no method is named."""
    if not checkpoint:
        raise BadPlayer(f"the player {player} needs a network: {player} checkpoint=FILE; gridlab train 2048 makes one")
    if not rules.packed:
        raise BadPlayer(f"the player {player} plays on boards of up to 4x4 cells, not on {rules}")
    import_extra("torch", "learn")
    from gridlab.game2048.learn.policy import load_policy

    return load_policy(checkpoint, method, rules, images)


def said_of(values: Numbers, position: Position2048) -> dict[str, float]:
    """What was found for each direction, of those that are legal."""
    legal = position.moves()
    return {name: float(value) for name, value in zip(DIRECTIONS, values, strict=True) if name in legal}


@shown
@dataclass(frozen=True)
class NetworkPlayer:
    """The most probable direction, by a network that is asked about `images` of the board."""

    rules: Rules2048
    method: str
    checkpoint: str = ""
    images: int = IMAGES

    def __post_init__(self) -> None:
        if self.images not in (IMAGES, ALL_IMAGES):
            raise BadPlayer(f"images={self.images} of the player {self.method}: 1, the board itself, or {ALL_IMAGES}")
        self.policy  # noqa: B018 - refuses files and boards now

    def __str__(self) -> str:
        more = "" if self.images == IMAGES else f" images={self.images}"
        return f"{self.method} checkpoint={shlex.quote(self.checkpoint)}{more}"

    @property
    def policy(self) -> "Policy":
        return policy_of(self.rules, self.method, self.method, self.checkpoint, self.images)

    def move(self, position: Position2048, random: np.random.Generator) -> str:
        return best_direction(self.values(position, random), position)

    def values(self, position: Position2048, random: np.random.Generator) -> dict[str, float]:
        """The probability of each legal direction; the first of the largest is played."""
        return said_of(np.exp(self.policy.directions(np.array([position.packed], np.uint64))[0]), position)

    def choose_many(self, boards: Boards) -> NDArray[np.int8]:
        """The direction on each board; there is a move on all of them."""
        return np.asarray(self.policy.directions(boards).argmax(axis=1), np.int8)


@shown
@dataclass(frozen=True)
class DualSearchPlayer:
    """The most points: those of its moves, and those to come by the value head of a dual network."""

    points: ClassVar[bool] = True  # what its values are
    rules: Rules2048
    checkpoint: str
    depth: int = 2

    def __post_init__(self) -> None:
        if self.depth not in DEPTHS:
            raise BadPlayer(
                f"depth={self.depth} with a dual network, which values boards before a move: "
                f"{' and '.join(map(str, DEPTHS))} end with one"
            )
        self.policy  # noqa: B018 - refuses files and boards now

    def __str__(self) -> str:
        return f"expectimax evaluator={shlex.quote(f'dual:{self.checkpoint}')} depth={self.depth}"

    @property
    def policy(self) -> "Policy":
        return policy_of(self.rules, "dual", "dual", self.checkpoint, 1)

    def move(self, position: Position2048, random: np.random.Generator) -> str:
        return best_direction(self.values(position, random), position)

    def values(self, position: Position2048, random: np.random.Generator) -> dict[str, float]:
        """The points that each legal direction is worth; the first of the largest is played."""
        return said_of(self._points(np.array([position.packed], np.uint64))[0], position)

    def choose_many(self, boards: Boards) -> NDArray[np.int8]:
        """The direction on each board; there is a move on all of them."""
        return np.asarray(self._points(boards).argmax(axis=1), np.int8)

    def _points(self, boards: Boards) -> Numbers:
        policy = self.policy
        from gridlab.game2048.learn.policy import expected_values

        return expected_values(boards, self.depth, policy)


@shown
@dataclass(frozen=True)
class MctsPlayer2048:
    """Plays boards out at random and goes where that brings most points."""

    points: ClassVar[bool] = True  # what its values are
    rules: Rules2048
    playouts: int = PLAYOUTS
    exploration: float = EXPLORATION

    def __post_init__(self) -> None:
        _check_search(self.playouts, self.exploration)
        if not self.rules.packed:
            raise BadPlayer(f"the player mcts plays on boards of up to 4x4 cells, not on {self.rules}")

    def __str__(self) -> str:
        return _search_text(self.playouts, self.exploration)

    def move(self, position: Position2048, random: np.random.Generator) -> str:
        return best_direction(self.values(position, random), position)

    def values(self, position: Position2048, random: np.random.Generator) -> dict[str, float]:
        """The points that each legal direction has brought on average; the first of the largest is played."""
        return values_by_kernel(self.chooser(), position, _states(random, 1))

    def chooser(self) -> MctsMoves:
        return new_mcts(self.playouts, float(self.exploration), self.rules.odds)


@shown
@dataclass(frozen=True)
class NetworkMctsPlayer:
    """The same with playouts by a network: `moves` of each are its own, what is to come then it says, or chance."""

    points: ClassVar[bool] = True  # what its values are
    rules: Rules2048
    playouts: int
    exploration: float
    checkpoint: str
    moves: int

    def __post_init__(self) -> None:
        _check_search(self.playouts, self.exploration)
        if not 0 <= self.moves <= MOST_MOVES:
            raise BadPlayer(f"moves={self.moves} of the player mcts: 0 to {MOST_MOVES:,} of a playout by the network")
        self.policy  # noqa: B018 - refuses files and boards now

    def __str__(self) -> str:
        more = "" if self.moves == NETWORK_MOVES else f" moves={self.moves}"
        text = _search_text(self.playouts, self.exploration)
        return f"{text} checkpoint={shlex.quote(self.checkpoint)}{more}"

    @property
    def policy(self) -> "Policy":
        return policy_of(self.rules, "mcts", None, self.checkpoint, 1)

    def move(self, position: Position2048, random: np.random.Generator) -> str:
        return best_direction(self.values(position, random), position)

    def values(self, position: Position2048, random: np.random.Generator) -> dict[str, float]:
        """The points that each legal direction has brought on average; the first of the largest is played."""
        policy = self.policy
        from gridlab.game2048.learn.policy import TOGETHER, playout_values

        states, board = _states(random, min(TOGETHER, self.playouts)), np.uint64(position.packed)
        return said_of(playout_values(board, self.playouts, self.exploration, self.moves, policy, states), position)


def make_mcts(
    rules: Rules2048, playouts: int, exploration: float, checkpoint: str, moves: int
) -> MctsPlayer2048 | NetworkMctsPlayer:
    """A search with random playouts, or with those of a network."""
    if checkpoint:
        return NetworkMctsPlayer(rules, playouts, exploration, checkpoint, moves)
    if moves != NETWORK_MOVES:
        raise BadPlayer(f"moves={moves} of the player mcts are those of a network; name it: checkpoint=FILE")
    return MctsPlayer2048(rules, playouts, exploration)


def _check_search(playouts: int, exploration: float) -> None:
    if not 4 <= playouts <= MOST_PLAYOUTS:
        raise BadPlayer(f"playouts={playouts} of the player mcts: 4 to {MOST_PLAYOUTS:,} make sense")
    if not 0 <= exploration < 100:
        raise BadPlayer(f"exploration={exploration} of the player mcts: a number from 0 to 100, such as 0.3")


def _search_text(playouts: int, exploration: float) -> str:
    more = "" if exploration == EXPLORATION else f" exploration={exploration:g}"
    return f"mcts playouts={playouts}{more}"


def _states(random: np.random.Generator, number: int) -> States:
    return random.integers(1 << 64, size=number, dtype=np.uint64)
