"""Thousands of games of 2048 that go on side by side: a step is one kernel call."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridlab.core.arguments import counted, typed
from gridlab.core.bits import States, Stream, int64
from gridlab.core.draw import shown
from gridlab.core.errors import BadRules, IllegalMove
from gridlab.core.jit import inner, kernel
from gridlab.core.run import stop_flag
from gridlab.game2048 import kernels
from gridlab.game2048 import rules as reference
from gridlab.game2048.exact.probe import Tablebase2048, table_of_points
from gridlab.game2048.kernels import FOUR, LEFT, ROW, ROWS, S8, S16, S32, S48, Boards
from gridlab.game2048.position import Position2048, exponents_of
from gridlab.game2048.rules import DIRECTIONS, Board, Rules2048
from gridlab.game2048.search.play import value_boards
from gridlab.games import game
from gridlab.games.environment import check_number, first_outside, reseed, unseeded

# ---- A step of thousands of games of 2048 in one kernel: slide, new tile, what can be done next, a new game where none
#
#     boards        uint64[game]      packed as in gridlab.game2048.kernels, with their walls
#     observations  uint64[game, 2]   the exponents of the 4x4 board, a byte each: seen as bytes, [game, 4, 4]
#     masks         uint32[game]      seen as bytes, [game, (up, down, left, right)]: 1 where the direction is a move
#     rewards       float64[game]     the points of the move
#     ended         bool[game]        whether no move is left
#
# A direction that is no move leaves the board as it is, without a new tile, as the keys of the game do. A game that has
# ended begins anew in the same step, and its last observation stays in `finals`; or in the next one, whose action
# counts for nothing (`waiting` marks such games, and any action is allowed there).


Flags = NDArray[np.bool_]  # [game]

SPREAD_16, SPREAD_8, SPREAD_4 = (
    np.uint64(each) for each in (0x0000FFFF0000FFFF, 0x00FF00FF00FF00FF, 0x0F0F0F0F0F0F0F0F)
)
LOWER = np.uint64(0xFFFFFFFF)


@cache
def moving_rows(walled: bool) -> NDArray[np.uint8]:
    """For each row whether it can slide to the left (1), to the right (2)."""
    slides = kernels.row_tables(Rules2048(3, 3) if walled else Rules2048()).slides
    rows = np.arange(ROWS, dtype=np.uint32)
    table: NDArray[np.uint8] = (slides & 0xFFFF != rows).astype(np.uint8) | (slides >> 16 != rows).astype(np.uint8) << 1
    table.flags.writeable = False
    return table


@cache
def masks_of_sets() -> NDArray[np.uint32]:
    """For each set of directions, bit 0 for up, its four bytes of a mask as one number."""
    bytes_of = np.arange(16)[:, None] >> np.arange(4) & 1
    return bytes_of.astype(np.uint8).view(np.uint32).ravel()


@inner
def moves_of(board: np.uint64, moving: NDArray[np.uint8]) -> int:
    """The directions that change a board, as bits: up, down, left, right from the lowest."""
    turned = kernels.transpose(board)
    columns = moving[turned & ROW] | moving[turned >> S16 & ROW] | moving[turned >> S32 & ROW] | moving[turned >> S48]
    lines = moving[board & ROW] | moving[board >> S16 & ROW] | moving[board >> S32 & ROW] | moving[board >> S48]
    return int64(columns) | int64(lines) << 2


@inner
def spread(half: np.uint64) -> np.uint64:
    """Eight cells of four bits as eight bytes."""
    half = (half | half << S16) & SPREAD_16
    half = (half | half << S8) & SPREAD_8
    return (half | half << FOUR) & SPREAD_4


@kernel
def begin_games(
    chosen: Flags, boards: Boards, waiting: Flags, states: States, walls: np.uint64, odds: tuple[int, int],
    moving: NDArray[np.uint8], sets: NDArray[np.uint32], observations: Boards, masks: NDArray[np.uint32],
) -> None:  # fmt: skip
    """The chosen games begin anew."""
    for i in range(len(boards)):
        if chosen[i]:
            board = kernels.start(walls, odds[0], odds[1], states, i)
            boards[i], waiting[i] = board, False
            observations[i, 0], observations[i, 1] = spread(board & LOWER), spread(board >> S32)
            masks[i] = sets[moves_of(board, moving)]


@kernel
def step_games(
    boards: Boards, waiting: Flags, states: States, actions: NDArray[np.int64], slides: NDArray[np.uint32],
    points: NDArray[np.int32], walls: np.uint64, odds: tuple[int, int], moving: NDArray[np.uint8],
    sets: NDArray[np.uint32], same_step: bool, observations: Boards, masks: NDArray[np.uint32],
    rewards: NDArray[np.float64], ended: Flags, finals: Boards,
) -> int:  # fmt: skip
    """A move in every game, and -1; nothing if an action is none of 0 to 3, and the first game that has such a one."""
    wrong = first_outside(actions, 4)
    if wrong >= 0:
        return wrong
    twos, fours = odds
    for i in range(len(boards)):
        board, gained = boards[i], 0
        if waiting[i]:
            board = kernels.start(walls, twos, fours, states, i)
        else:
            upright = actions[i] < LEFT
            lines = kernels.transpose(board) if upright else board
            front, back = kernels.slide_rows(lines, slides)
            slid = front if actions[i] & 1 == 0 else back
            gained = points[lines & ROW] + points[lines >> S16 & ROW]
            gained += points[lines >> S32 & ROW] + points[lines >> S48]
            if slid != lines:
                board = kernels.spawn(kernels.transpose(slid) if upright else slid, twos, fours, states, i)
            else:
                gained = 0
        rewards[i] = float(gained)
        moves = moves_of(board, moving)
        over = moves == 0
        ended[i], waiting[i] = over, over and not same_step
        if over:
            if same_step:
                finals[i, 0], finals[i, 1] = spread(board & LOWER), spread(board >> S32)
                board = kernels.start(walls, twos, fours, states, i)
                moves = moves_of(board, moving)
            else:
                moves = 15
        boards[i] = board
        observations[i, 0], observations[i, 1] = spread(board & LOWER), spread(board >> S32)
        masks[i] = sets[moves]
    return -1


# ---- A game on a board of any size, in plain Python


class LargeGame2048:
    """One game as `Games2048` has many, of a board that kernels do not play."""

    def __init__(self, rules: Rules2048) -> None:
        self.rules, self.states, self.board = rules, unseeded(1), (0,) * rules.cells

    def reset(self, seeds: Sequence[int | None] = ()) -> None:
        reseed(self.states, seeds)
        stream = Stream(int(self.states[0]))
        self._show(reference.start(self.rules, stream), stream, 0)

    def step(self, actions: NDArray[np.int64]) -> None:
        stream = Stream(int(self.states[0]))
        after, points = reference.move(self.rules, self.board, DIRECTIONS[actions[0]])
        self._show(after if after == self.board else reference.spawn(self.rules, after, stream), stream, points)

    def _show(self, board: Board, stream: Stream, points: int) -> None:
        self.board, self.states[0], self.rewards = board, stream.state, [points]
        legal = reference.legal_moves(self.rules, board)
        self.observations = exponents_of(board).reshape(1, self.rules.rows, self.rules.cols)
        self.masks, self.ended = np.array([[each in legal for each in DIRECTIONS]], np.int8), [not legal]

    def position(self, number: int) -> Position2048:
        """How the game stands; the points are not known here."""
        return Position2048(self.board, rules=self.rules)


# ---- Thousands of games of 2048 that go on side by side: a step is one kernel call


@shown
class Games2048:
    """Many games of 2048 on boards of up to 4x4 cells: their observations, and the results of the last step.

    With `same_step` a game that has ended starts again at once, else with the next step. Arrays are written over by the
    next step: observations uint8[game, row, col] (exponents of the tiles, 0 where a cell is empty), masks int8[game,
    direction], rewards float64[game] (points), ended bool[game], finals (last observations of games that have ended).
    """

    @typed
    def __init__(self, rules: str | Rules2048, number: int, same_step: bool = True) -> None:
        self.rules = game(rules, "2048")
        if not self.rules.packed:
            raise BadRules(f"{self.rules}: thousands of games at once are played on boards of up to 4x4 cells")
        check_number(number)
        self.number, self.same_step = number, same_step
        self.packed, self.states = np.zeros(number, np.uint64), unseeded(number)
        self.waiting, self.ended = np.zeros(number, np.bool_), np.zeros(number, np.bool_)
        self.rewards = np.zeros(number)
        self._rows, self._odds = kernels.row_tables(self.rules), self.rules.odds
        self._moving, self._sets = moving_rows(self.rules.walled), masks_of_sets()
        self._seen, self._last = np.zeros((number, 2), np.uint64), np.zeros((number, 2), np.uint64)
        self._masks = np.zeros(number, np.uint32)
        self.observations, self.finals = self._cells(self._seen), self._cells(self._last)
        self.masks = self._masks.view(np.int8).reshape(number, 4)

    def _cells(self, spread: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """The cells of the board among those of the 4x4 board; nothing is copied."""
        return spread.view(np.uint8).reshape(-1, 4, 4)[:, : self.rules.rows, : self.rules.cols]

    def _in_short(self) -> str:
        return f"{self.rules}: {counted(self.number, 'game')} side by side"

    def reset(self, seeds: Sequence[int | None] = (), chosen: NDArray[np.bool_] | None = None) -> None:
        """New games, all or some; a seed for each fixes its chance, None leaves it as it is."""
        reseed(self.states, seeds)
        chosen = np.ones(self.number, np.bool_) if chosen is None else chosen
        begin_games(
            chosen, self.packed, self.waiting, self.states, self._rows.walls, self._odds, self._moving, self._sets,
            self._seen, self._masks,
        )  # fmt: skip

    def step(self, actions: NDArray[np.int64]) -> None:
        """A move in every game: 0 up, 1 down, 2 left, 3 right."""
        slides, points, walls = self._rows
        wrong = step_games(
            self.packed, self.waiting, self.states, actions, slides, points, walls, self._odds, self._moving,
            self._sets, self.same_step, self._seen, self._masks, self.rewards, self.ended, self._last,
        )  # fmt: skip
        if wrong >= 0:
            raise IllegalMove(f"action {actions[wrong]} of game {wrong} is none of 0 to 3")

    def renew(self) -> None:
        """From the next step on observations go into new arrays, and those there are can be kept."""
        self._seen, self._last = np.empty(self._seen.shape, np.uint64), np.zeros(self._last.shape, np.uint64)
        self.observations, self.finals = self._cells(self._seen), self._cells(self._last)

    def position(self, number: int) -> Position2048:
        """How one of the games stands; the points are not known here."""
        return Position2048.unpack(int(self.packed[number]), rules=self.rules)


# ---- The exact value of a board of 2048 and of the move that was made, as facts of a step
#
#     value          points to come under best play
#     action_value   the same after the move, its points included
#     regret         value - action_value, 0 or more
#
# A direction that is no move leaves the board as it is, and gives nothing away.


def truth_of(table: Tablebase2048, position: Position2048, direction: int) -> dict[str, float]:
    """What a move is worth, beside what there was to be had."""
    found = table.probe(position)
    action_value = found.values.get(DIRECTIONS[direction], found.value)
    return {"value": found.value, "action_value": action_value, "regret": found.value - action_value}


class TableTruth2048:
    """What the moves of thousands of games at once are worth; the whole table is in memory."""

    def __init__(self, rules: Rules2048, tablebase: Path | str | None) -> None:
        self.table = table_of_points(rules, tablebase, "truth=True")
        self.policy, self.rows, self.stop = self.table.kernel_policy(), kernels.row_tables(rules), stop_flag()

    def __call__(self, games: Games2048, actions: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        found = np.empty((games.number, 4))
        value_boards(self.policy, games.packed, found, self.rows, games.states, self.stop)
        values = np.where(games.waiting, 0.0, found.max(axis=1))
        taken = found[np.arange(games.number), actions]
        taken = np.where(np.isinf(taken), values, taken)
        return {"value": values, "action_value": taken, "regret": values - taken}
