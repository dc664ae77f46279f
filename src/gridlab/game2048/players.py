"""Players of 2048: "random", "expectimax depth=5", "ntuple", "cnn checkpoint=FILE", 'command="./bot"'.

`PLAYERS` is the one list to extend.

A player is anything with `move(position, random)`. More methods are asked for where they are of use, never needed:

    values(position, random)     what each legal direction is worth: an adviser, and what datasets record of each move
    points                       whether these values are points to come
    kernel_policy()              the player as kernels take it (game2048/search/play.py): whole games without Python
    choose_many(boards)          a direction for each of many boards: games are then played side by side
"""

import shlex
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from gridlab.core.arguments import shortened
from gridlab.core.bits import States, Stream
from gridlab.core.draw import shown
from gridlab.core.errors import BadPlayer
from gridlab.core.run import import_extra
from gridlab.game2048.exact.file import SCORE
from gridlab.game2048.exact.probe import Tablebase2048, check_rules
from gridlab.game2048.kernels import Boards
from gridlab.game2048.learn.ntuple_file import NTupleFile, load_network
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import DIRECTIONS, Rules2048
from gridlab.game2048.search.evaluators import Evaluate, find_evaluator
from gridlab.game2048.search.expectimax import DEEPEST, Expectimax, PlainSearch, SearchSettings, new_expectimax
from gridlab.game2048.search.mcts import EXPLORATION, PLAYOUTS, new_mcts
from gridlab.game2048.search.ntuple import NEVER, new_moves
from gridlab.game2048.search.ntuple_search import DEEPEST_NTUPLE, new_search
from gridlab.game2048.search.play import KernelPolicy, adviser_of, best_direction, new_random_moves, values_by_kernel
from gridlab.games import game
from gridlab.games.tablebases import usual_table
from gridlab.players.command import ABOUT, NEEDS, SETTINGS, CommandPlayer
from gridlab.players.registry import Kind, checked, make_player, player_name

if TYPE_CHECKING:
    from gridlab.game2048.learn.policy import Policy

# ---- What all players share that know what directions are worth


class ByValues(ABC):
    """A player that goes where its values are largest."""

    @abstractmethod
    def values(self, position: Position2048, random: np.random.Generator) -> dict[str, float]:
        """What each legal direction is worth."""

    def move(self, position: Position2048, random: np.random.Generator) -> str:
        return best_direction(self.values(position, random), position)


# ---- Players of 2048 by n-tuple networks: "ntuple file=FILE", "expectimax evaluator=ntuple:FILE depth=3"
#
# The network values boards after a move; boards with tiles that it hardly knows are seen with large tiles halved
# (gridlab.game2048.search.ntuple).


TILES = tuple(str(1 << exponent) for exponent in range(2, 16))  # that can be halved


@shown
@dataclass(frozen=True)
class NTuplePlayer(ByValues):
    """The most points by an n-tuple network, those of its moves and those to come; `depth` as for expectimax."""

    points: ClassVar[bool] = True  # what its values are
    rules: Rules2048
    file: str = ""  # the one that comes with the package
    depth: int = 1
    downgrade: str = "auto"  # boards with this tile are seen with halved tiles; "0" none

    def __post_init__(self) -> None:
        if self.depth not in range(1, DEEPEST_NTUPLE + 1, 2):
            raise BadPlayer(
                f"depth={self.depth} with an n-tuple network, which values boards after a move: "
                f"1, 3, 5 and {DEEPEST_NTUPLE} end with one"
            )
        if self.downgrade not in ("auto", "0", *TILES):
            raise BadPlayer(
                f"downgrade={shortened(self.downgrade)} with an n-tuple network: name a tile of {TILES[0]} to "
                f"{TILES[-1]}, 0 for none, or auto for the one where the training of the network ended"
            )
        self.loaded  # noqa: B018 - refuses files and boards now

    def __str__(self) -> str:
        """What `make_player` reads."""
        said = f" downgrade={self.downgrade}" if self.downgrade != "auto" else ""
        if self.depth == 1:
            return (f"ntuple file={shlex.quote(self.file)}" if self.file else "ntuple") + said
        evaluator = shlex.quote(f"ntuple:{self.file}") if self.file else "ntuple"
        return f"expectimax evaluator={evaluator} depth={self.depth}{said}"

    @property
    def loaded(self) -> NTupleFile:
        return load_network(self.file, self.rules)

    @property
    def halved_from(self) -> int:
        """The tile from which on tiles are seen halved, 0 for none. A small board is learnt to its end."""
        if self.downgrade != "auto":
            return int(self.downgrade)
        return self.loaded.frontier if self.rules.cells == 16 else 0

    def values(self, position: Position2048, random: np.random.Generator) -> dict[str, float]:
        """The points that each legal direction is worth on the board as it is seen; the first of the best is played."""
        return values_by_kernel(self.kernel_policy(), position, np.zeros(1, np.uint64))

    def kernel_policy(self) -> KernelPolicy:
        network, tile = self.loaded.network(), self.halved_from
        exponent = tile.bit_length() - 1 if tile else NEVER
        if self.depth == 1:
            return new_moves(network, exponent)
        return new_search(network, self.depth, self.rules.odds, exponent)


# ---- Players by a network that was trained on games: alone, at the leaves of expectimax, in playouts
#
# All but the search without a network look at many boards at once, `choose_many(boards)`, so that games are played side
# by side.


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


class SeesMany(ByValues):
    """A player that says what the directions of many boards are worth at once."""

    @abstractmethod
    def worth(self, boards: Boards) -> Numbers:
        """What each direction is worth on each board: [board, direction]."""

    def values(self, position: Position2048, random: np.random.Generator) -> dict[str, float]:
        """What each legal direction is worth; the first of the largest is played."""
        return said_of(self.worth(np.array([position.packed], np.uint64))[0], position)

    def choose_many(self, boards: Boards) -> NDArray[np.int8]:
        """The direction on each board; there is a move on all of them."""
        return np.asarray(self.worth(boards).argmax(axis=1), np.int8)


@shown
@dataclass(frozen=True)
class NetworkPlayer(SeesMany):
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

    def worth(self, boards: Boards) -> Numbers:
        """The logarithm of the probability of each direction."""
        return self.policy.directions(boards)

    def values(self, position: Position2048, random: np.random.Generator) -> dict[str, float]:
        """The probability of each legal direction; the first of the largest is played."""
        return {name: float(np.exp(value)) for name, value in super().values(position, random).items()}


@shown
@dataclass(frozen=True)
class DualSearchPlayer(SeesMany):
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

    def worth(self, boards: Boards) -> Numbers:
        """The points that each direction is worth."""
        policy = self.policy
        from gridlab.game2048.learn.policy import expected_values

        return expected_values(boards, self.depth, policy)


@shown
@dataclass(frozen=True)
class MctsPlayer2048(ByValues):
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

    def values(self, position: Position2048, random: np.random.Generator) -> dict[str, float]:
        """The points that each legal direction has brought on average; the first of the largest is played."""
        return values_by_kernel(self.kernel_policy(), position, _states(random, 1))

    def kernel_policy(self) -> KernelPolicy:
        return new_mcts(self.playouts, float(self.exploration), self.rules.odds)


@shown
@dataclass(frozen=True)
class NetworkMctsPlayer(ByValues):
    """Plays boards out by a network: `moves` of each are its own, what is to come then it says, or chance."""

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


# ---- Players of 2048: "random", "expectimax depth=5", "ntuple", "cnn checkpoint=FILE", 'command="./bot"'


TABLE_PAYS = 5  # the depth
MOST_ENTRIES = 24  # a table of 2^24 entries a level


class Player2048(Protocol):
    """Finds directions; `random` is its only source of chance."""

    def move(self, position: Position2048, random: np.random.Generator) -> str:
        """A legal direction of a position that is not over."""


class Adviser2048(Player2048, Protocol):
    """A player that can say what each legal direction is worth."""

    def values(self, position: Position2048, random: np.random.Generator) -> dict[str, float]: ...


@shown
@dataclass(frozen=True)
class RandomPlayer2048:
    """Any legal direction, all equally likely."""

    rules: Rules2048

    def move(self, position: Position2048, random: np.random.Generator) -> str:
        return str(random.choice(position.moves()))

    def kernel_policy(self) -> KernelPolicy:
        return new_random_moves()

    def __str__(self) -> str:
        return "random"


@shown
@dataclass(frozen=True)
class ExpectimaxPlayer(ByValues):
    """Looks `depth` moves and tiles ahead; see gridlab.game2048.search.expectimax."""

    rules: Rules2048
    evaluator: str = "rows"
    depth: int = 4
    sample: int = 0
    cutoff: float = 0.0
    table: int = 12

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= DEEPEST:
            raise BadPlayer(f"depth={self.depth} of the player expectimax: 1 to {DEEPEST} can be searched")
        if not 0 <= self.sample <= self.rules.cells:
            raise BadPlayer(f"sample={self.sample} of the player expectimax: cells to try, such as 4, or 0 for all")
        if not 0 <= self.cutoff < 1:
            raise BadPlayer(f"cutoff={self.cutoff:g} of the player expectimax: a probability such as 0.0001, or 0")
        if not 0 <= self.table <= MOST_ENTRIES:
            raise BadPlayer(
                f"table={self.table} of the player expectimax: 2 to the power of 0 to {MOST_ENTRIES} entries"
            )
        self.evaluate  # noqa: B018 - refuses unknown names and boards now

    def __str__(self) -> str:
        """What `make_player` reads."""
        defaults = PLAYERS["expectimax"].settings
        names = (each.name for each in fields(self) if each.name in defaults)
        said = (f"{name}={getattr(self, name)}" for name in names if getattr(self, name) != defaults[name])
        return " ".join(["expectimax", *said])

    @property
    def evaluate(self) -> Evaluate:
        """The plain evaluation of a board."""
        return find_evaluator(self.evaluator).board(self.rules)

    def values(self, position: Position2048, random: np.random.Generator) -> dict[str, float]:
        """What each legal direction is worth; the first of the largest is played."""
        state = np.array([random.integers(1 << 64, dtype=np.uint64)]) if self.sample else np.zeros(1, np.uint64)
        if not self.rules.packed:
            dead, stream = find_evaluator(self.evaluator).dead, Stream(int(state[0]))
            search = PlainSearch(self.rules, self.evaluate, self.depth, self.sample, self.cutoff, stream, dead)
            return search.move_values(position.tiles)
        return values_by_kernel(self.kernel_policy(), position, state)

    def kernel_policy(self) -> Expectimax:
        twos, fours = self.rules.odds
        settings = SearchSettings(self.depth, twos, fours, self.sample, float(self.cutoff))
        return new_expectimax(find_evaluator(self.evaluator).arrays(self.rules), settings, self._entries())

    def _entries(self) -> int:
        """Entries of the table a level: it pays from depth 5 on, and a sampled value must not be used twice."""
        return 1 << self.table if self.table and self.depth >= TABLE_PAYS and not self.sample else 0


@shown
class PerfectPlayer2048(ByValues):
    """Looks up what each direction is worth on a solved board (gridlab.game2048.exact); the first of the best."""

    exact: ClassVar[bool] = True  # what its values are

    def __init__(self, rules: Rules2048, tablebase: str = "") -> None:
        self.rules, self.tablebase = rules, tablebase
        self.table = check_rules(Tablebase2048(tablebase) if tablebase else self._usual(), rules)

    def __reduce__(self) -> tuple[Any, ...]:
        """Sent to another process it opens its table there."""
        return PerfectPlayer2048, (self.rules, self.tablebase)

    def _usual(self) -> Tablebase2048:
        found: Tablebase2048 | None = usual_table(self.rules)
        if found is None:
            raise BadPlayer(
                f"the player perfect needs a table of {self.rules}: gridlab tablebase build {self.rules} -o FILE makes "
                "one where the board is small, and perfect tablebase=FILE names it"
            )
        return found

    @property
    def points(self) -> bool:
        """Whether its values are points to come, not the chance of a tile."""
        return self.table.target == SCORE

    def __str__(self) -> str:
        return f"perfect tablebase={shlex.quote(self.tablebase)}" if self.tablebase else "perfect"

    def values(self, position: Position2048, random: np.random.Generator) -> dict[str, float]:
        """What each legal direction is worth under best play, the points of the move included, or its chance."""
        return self.table.values(position)

    def kernel_policy(self) -> KernelPolicy:
        return self.table.kernel_policy()


def make_expectimax(
    rules: Rules2048, evaluator: str, depth: int, downgrade: str, **settings: Any
) -> ExpectimaxPlayer | NTuplePlayer | DualSearchPlayer:
    """A search with one of the evaluators, with an n-tuple network (`ntuple:FILE`) or a dual one (`dual:FILE`)."""
    kind, _, file = evaluator.partition(":")
    if kind != "ntuple" and downgrade != "auto":
        raise BadPlayer(
            f"downgrade={shortened(downgrade)} of the player expectimax: only n-tuple networks see tiles halved"
        )
    if kind not in ("ntuple", "dual"):
        return ExpectimaxPlayer(rules, evaluator, depth, **settings)
    for name, value in settings.items():
        if value != PLAYERS["expectimax"].settings[name]:
            raise BadPlayer(f"{name}={value} of the player expectimax: a search with a network has no such setting")
    return NTuplePlayer(rules, file, depth, downgrade) if kind == "ntuple" else DualSearchPlayer(rules, file, depth)


def _network_kind(method: str, about: str) -> Kind:
    return Kind(
        lambda rules, **settings: NetworkPlayer(rules, method, **settings),
        {"checkpoint": "", "images": IMAGES},
        about,
        needs=f"the file of gridlab train 2048 --method {method}, and the extra learn",
    )


PLAYERS: dict[str, Kind] = {
    "random": Kind(RandomPlayer2048, {}, "any legal direction"),
    "expectimax": Kind(
        make_expectimax,
        {"evaluator": "rows", "depth": 4, "sample": 0, "cutoff": 0.0, "table": 12, "downgrade": "auto"},
        "some moves and tiles ahead, then an evaluator: spec, rows, ntuple:FILE or dual:FILE",
    ),
    "ntuple": Kind(
        NTuplePlayer, {"file": "", "downgrade": "auto"}, "the most points by a network that was learnt, one move deep"
    ),
    "cnn": _network_kind("cnn", "what a convolutional network has learnt from games of others"),
    "dual": _network_kind("dual", "the same by a network that also knows what a board is worth"),
    "transformer": _network_kind("transformer", "the same by attention over the cells"),
    "mcts": Kind(
        make_mcts,
        {"playouts": PLAYOUTS, "exploration": EXPLORATION, "checkpoint": "", "moves": NETWORK_MOVES},
        "Monte Carlo tree search: random playouts, or those of a network",
    ),
    "perfect": Kind(
        PerfectPlayer2048,
        {"tablebase": ""},
        "the best direction, looked up: small boards, solved",
        needs="a table of the board; those of 2x2, 2x3 and 3x2 come with the package",
    ),
    "command": Kind(CommandPlayer, SETTINGS, ABOUT, NEEDS),
}


def find_player2048(player: str | Player2048, rules: Rules2048 | str | None = None) -> tuple[Player2048, Rules2048]:
    """A player from text, or the object that is one; and the rules: those asked for, its own, or the standard ones."""
    rules = None if rules is None else game(rules, "2048")
    if isinstance(player, str):
        rules = rules or Rules2048()
        return make_player(player, rules), rules
    checked(player)
    own = getattr(player, "rules", None)
    if rules is not None and own is not None and own != rules:
        raise BadPlayer(f"the player {player_name(player)} is made for {own}, not for {rules}")
    return player, rules or own or Rules2048()


def make_adviser(text: str, rules: Rules2048, tablebase: Path | str | None = None) -> Adviser2048:
    """A player that can say what each direction is worth; `perfect` looks into this table if it names none."""
    return as_adviser(make_player(text, rules, tablebase), text)


def as_adviser(player: Player2048, text: str) -> Adviser2048:
    """The player that was made from this text; BadPlayer if it cannot say what directions are worth."""
    adviser = adviser_of(player)
    if adviser is None:
        raise BadPlayer(f"{text!r} has no values to give; name an expectimax player")
    return adviser
