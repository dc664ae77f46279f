"""Players of 2048 by n-tuple networks: "ntuple file=FILE", "expectimax evaluator=ntuple:FILE depth=3".

The network values boards after a move; boards with tiles that it hardly knows are seen with large tiles halved
(gridlab.search.game2048.downgrading).
"""

import shlex
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gridlab.core.errors import BadPlayer
from gridlab.core.numbers import shortened
from gridlab.core.shown import shown
from gridlab.games.game2048.position import Position2048
from gridlab.games.game2048.rules import Rules2048
from gridlab.nets.ntuple_file import NTupleFile, load_network
from gridlab.players.advice2048 import best_direction, values_by_kernel
from gridlab.search.game2048.downgrading import NEVER
from gridlab.search.game2048.ntuple import NTupleMoves, new_moves
from gridlab.search.game2048.ntuple_search import DEEPEST, NTupleSearch, new_search

TILES = tuple(str(1 << exponent) for exponent in range(2, 16))  # that can be halved


@shown
@dataclass(frozen=True)
class NTuplePlayer:
    """The most points by an n-tuple network, those of its moves and those to come; `depth` as for expectimax."""

    points: ClassVar[bool] = True  # what its values are
    rules: Rules2048
    file: str = ""  # the one that comes with the package
    depth: int = 1
    downgrade: str = "auto"  # boards with this tile are seen with halved tiles; "0" none

    def __post_init__(self) -> None:
        if self.depth not in range(1, DEEPEST + 1, 2):
            raise BadPlayer(
                f"depth={self.depth} with an n-tuple network, which values boards after a move: "
                f"1, 3, 5 and {DEEPEST} end with one"
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

    def move(self, position: Position2048, random: np.random.Generator) -> str:
        return best_direction(self.values(position, random), position)

    def values(self, position: Position2048, random: np.random.Generator) -> dict[str, float]:
        """The points that each legal direction is worth on the board as it is seen; the first of the best is played."""
        return values_by_kernel(self.chooser(), position, np.zeros(1, np.uint64))

    def chooser(self) -> NTupleMoves | NTupleSearch:
        network, tile = self.loaded.network(), self.halved_from
        exponent = tile.bit_length() - 1 if tile else NEVER
        if self.depth == 1:
            return new_moves(network, exponent)
        return new_search(network, self.depth, self.rules.odds, exponent)
