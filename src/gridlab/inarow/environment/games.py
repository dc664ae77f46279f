"""Thousands of in-a-row games that go on side by side: a step is one kernel call."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridlab.core.arguments import counted, typed
from gridlab.core.bits import States, popcount
from gridlab.core.draw import shown
from gridlab.core.errors import BadPlayer, FileTrouble, IllegalMove, TooLarge
from gridlab.core.jit import inner, kernel
from gridlab.games import environment, game
from gridlab.games.grid import MARKS
from gridlab.games.tablebases import usual_table
from gridlab.inarow.exact.oracle import Oracle
from gridlab.inarow.exact.tablebase.layout import values_and_distances
from gridlab.inarow.exact.tablebase.probe import Tablebase
from gridlab.inarow.kernels import LENGTH, RESULT, STARTS, STEP, Int64s, run_starts, runs_of
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules

# ---- A step of thousands of in-a-row games in one kernel
#
# A game is two bitboards: `own`, the stones of the player to move, and `other`. A step lays a stone; then the players
# change places. With `replies` an opponent who plays at random answers inside the step, and `own` is always the
# learner.
#
#     observations  uint8[game, 2 · cells]   own stones, then those of the other player
#     masks         int8[game, cells]        1 where a stone may be laid
#     rewards       float64[game]            for whoever has moved: 1 won, -1 lost (by an illegal move too), else 0
#     ended         bool[game]               whether the game has ended with this step
#
# A game that has ended begins anew in the same step, and its last observation stays in `finals`; or in the next one,
# whose action counts for nothing (`waiting` marks such games, and any action is allowed there).


Stones = Int64s  # [game]
Cells = NDArray[Any]  # [game, cell]

LOSES, GOES_ON, WINS, DRAWS = range(-1, 3)
CROSSES, NOUGHTS, BY_CHANCE = range(3)  # which side the learner has against an opponent


@inner
def result_of(stones: int, others: int, board: int, runs: Int64s) -> int:
    """What the last stone of a player does to the game."""
    for run in range(len(runs)):
        if run_starts(stones, runs[run, LENGTH], runs[run, STEP], runs[run, STARTS]) != 0:
            return int(runs[run, RESULT])
    return DRAWS if stones | others == board else GOES_ON


@inner
def random_stone(free: int, states: States, game: int) -> int:
    """One of the free cells, all equally likely, as a bit."""
    return environment.nth_bit(free, environment.by_chance(popcount(free), states, game))


@inner
def write_board(own: int, other: int, free: int, game: int, observations: Cells, masks: Cells) -> None:
    """The row of a game in observations and masks."""
    cells = masks.shape[1]
    for cell in range(cells):
        observations[game, cell] = own >> cell & 1
        observations[game, cells + cell] = other >> cell & 1
        masks[game, cell] = free >> cell & 1


@inner
def first_stone(side: int, board: int, states: States, game: int) -> int:
    """What lies on the board when the learner moves first: the opponent's stone where the learner has the noughts."""
    if side == BY_CHANCE:
        side = environment.by_chance(2, states, game)
    return random_stone(board, states, game) if side == NOUGHTS else 0


@kernel
def begin_games(
    chosen: NDArray[np.bool_], own: Stones, other: Stones, waiting: NDArray[np.bool_], states: States, board: int,
    replies: bool, side: int, observations: Cells, masks: Cells,
) -> None:  # fmt: skip
    """The chosen games begin anew."""
    for i in range(len(own)):
        if chosen[i]:
            own[i], waiting[i] = 0, False
            other[i] = first_stone(side, board, states, i) if replies else 0
            write_board(own[i], other[i], board & ~other[i], i, observations, masks)


@kernel
def step_games(
    own: Stones, other: Stones, waiting: NDArray[np.bool_], states: States, actions: Int64s, board: int, runs: Int64s,
    replies: bool, side: int, same_step: bool, observations: Cells, masks: Cells, rewards: NDArray[np.float64],
    ended: NDArray[np.bool_], finals: Cells,
) -> int:  # fmt: skip
    """A stone in every game, and -1; nothing if an action is no cell of the board, and the first game that has such."""
    cells = masks.shape[1]
    wrong = environment.first_outside(actions, cells)
    if wrong >= 0:
        return wrong
    for i in range(len(own)):
        if waiting[i]:
            rewards[i], ended[i], waiting[i] = 0.0, False, False
            mine, theirs = 0, first_stone(side, board, states, i) if replies else 0
            own[i], other[i] = mine, theirs
            write_board(mine, theirs, board & ~theirs, i, observations, masks)
            continue
        mine, theirs = own[i], other[i]
        stone = 1 << actions[i]
        illegal = (mine | theirs) & stone != 0
        mine |= stone
        result = LOSES if illegal else result_of(mine, theirs, board, runs)
        if illegal:
            mine = own[i]
        elif replies and result == GOES_ON:
            theirs |= random_stone(board & ~(mine | theirs), states, i)
            result = result_of(theirs, mine, board, runs)
            if result != DRAWS:
                result = -result
        elif not replies:
            mine, theirs = theirs, mine
        over = result != GOES_ON
        rewards[i] = 0.0 if result == DRAWS else float(result)
        ended[i] = over
        if over and same_step:
            for cell in range(cells):
                finals[i, cell] = mine >> cell & 1
                finals[i, cells + cell] = theirs >> cell & 1
            mine, theirs = 0, first_stone(side, board, states, i) if replies else 0
        waiting[i] = over and not same_step
        own[i], other[i] = mine, theirs
        free = board if waiting[i] else board & ~(mine | theirs)
        write_board(mine, theirs, free, i, observations, masks)
    return -1


# ---- Thousands of in-a-row games that go on side by side: a step is one kernel call


SIDES = {"X": CROSSES, "O": NOUGHTS, "random": BY_CHANCE}


def side_of(name: str) -> int:
    """The side of a learner by its name."""
    if name not in SIDES:
        raise BadPlayer(f"{name!r} is not a side; the learner has X, O or random")
    return SIDES[name]


@shown
class InARowGames:
    """Many in-a-row games of one kind: their observations, and the results of the last step.

    opponent   None: every step is a move of whoever is to move; "random": the opponent answers within the step
    side       of the learner against an opponent: X, O, or drawn for each game
    same_step  a game that has ended starts again at once; else with the next step

    Arrays are written over by the next step: observations uint8[game, (own, other), row, col], masks int8[game, cell],
    rewards float64[game], ended bool[game], finals (the last observations of games that have ended).
    """

    @typed
    def __init__(
        self, rules: str | Rules, number: int, opponent: str | None = None, side: str = "X", same_step: bool = True
    ) -> None:
        self.rules = game(rules, "mnk")
        environment.check_number(number)
        self.number, self.same_step = number, same_step
        self.replies = opponent == "random"
        if opponent not in (None, "random"):
            raise BadPlayer(f"{opponent!r} cannot play thousands of games at once; only 'random' and None, nobody, can")
        self.side = side_of(side)
        cells = self.rules.cells
        self._runs = runs_of(self.rules)
        self.stones = np.zeros((2, number), np.int64)
        self.own, self.other = self.stones
        self.waiting, self.ended = np.zeros(number, np.bool_), np.zeros(number, np.bool_)
        self.rewards, self.states = np.zeros(number), environment.unseeded(number)
        self._seen, self._last = np.zeros((number, 2 * cells), np.uint8), np.zeros((number, 2 * cells), np.uint8)
        self.masks = np.zeros((number, cells), np.int8)
        shape = (number, 2, self.rules.rows, self.rules.cols)
        self.observations, self.finals = self._seen.reshape(shape), self._last.reshape(shape)

    def _in_short(self) -> str:
        return f"{self.rules}: {counted(self.number, 'game')} side by side"

    def reset(self, seeds: Sequence[int | None] = (), chosen: NDArray[np.bool_] | None = None) -> None:
        """New games, all or some; a seed for each fixes its chance, None leaves it as it is."""
        environment.reseed(self.states, seeds)
        chosen = np.ones(self.number, np.bool_) if chosen is None else chosen
        begin_games(
            chosen, self.own, self.other, self.waiting, self.states, self.rules.board, self.replies, self.side,
            self._seen, self.masks,
        )  # fmt: skip

    def step(self, actions: Int64s) -> None:
        """A move in every game: a cell, row by row from the top left."""
        wrong = step_games(
            self.own, self.other, self.waiting, self.states, actions, self.rules.board, self._runs, self.replies,
            self.side, self.same_step, self._seen, self.masks, self.rewards, self.ended, self._last,
        )  # fmt: skip
        if wrong >= 0:
            raise IllegalMove(f"action {actions[wrong]} of game {wrong} is none of 0 to {self.rules.cells - 1}")

    def renew(self) -> None:
        """From the next step on observations go into new arrays, and those there are can be kept."""
        shape = self.observations.shape
        self._seen, self._last = np.empty(self._seen.shape, np.uint8), np.zeros(self._last.shape, np.uint8)
        self.observations, self.finals = self._seen.reshape(shape), self._last.reshape(shape)

    def boards(self) -> Int64s:
        """All boards, [game, (crosses, noughts)]; whoever is to move has as many stones as the other, or one less."""
        crosses_move = np.bitwise_count(self.own) == np.bitwise_count(self.other)
        return np.where(crosses_move, (self.own, self.other), (self.other, self.own)).T

    def position(self, number: int) -> Position:
        """How one of the games stands."""
        return Position(self.rules, *self.boards()[number].tolist())


# ---- The exact value of a position of an in-a-row game and of the move that was made, as facts of a step
#
#     value, distance                 of the position: 1, 0 or -1 for whoever moves, and plies to the end
#     action_value, action_distance   of the move
#     regret                          value - action_value: 0 kept, 1 a win became a draw or a draw a loss, 2 both
#
# An illegal move loses at once.


VALUES = {"win": 1, "draw": 0, "loss": -1}
FACTS = ("value", "distance", "action_value", "action_distance", "regret")


def truth_of(oracle: Oracle, position: Position, cell: int) -> dict[str, int | None]:
    """What a move is worth, beside what there was to be had."""
    found = oracle.ask(position)
    move = next((each for each in found.moves if each.cell == cell), None)
    value = VALUES[found.value]
    action_value, action_distance = (VALUES[move.value], move.distance) if move else (-1, 0)
    facts = value, found.distance, action_value, action_distance, value - action_value
    return dict(zip(FACTS, facts, strict=True))


class TableTruth:
    """What the moves of thousands of games at once are worth, from a tablebase that holds every ply."""

    def __init__(self, rules: Rules, tablebase: Path | str | None) -> None:
        table = Tablebase(tablebase) if tablebase else usual_table(rules)
        if table is None:
            advice = f"gridlab tablebase build {rules} -o FILE makes one, and tablebase=FILE names it"
            raise FileTrouble(f"truth=True asks a tablebase of {rules}: {advice}")
        if table.rules != rules:
            raise FileTrouble(f"{table.file.path} is a tablebase of {table.rules}, not of {rules}")
        if table.max_ply < rules.cells - 1:
            known = f"{table.file.path} knows the first {table.max_ply} plies of {rules}"
            raise TooLarge(f"{known}; truth=True needs all of them")
        self.table: Tablebase = table

    def __call__(self, games: InARowGames, actions: Int64s) -> dict[str, NDArray[Any]]:
        playing = np.flatnonzero(~games.waiting)
        before = games.boards()[playing]
        stones, laid = before[:, 0] | before[:, 1], 1 << actions[playing]
        legal = stones & laid == 0
        crosses_move = np.bitwise_count(before[:, 0]) == np.bitwise_count(before[:, 1])
        after = before + np.where(crosses_move, (laid, 0 * laid), (0 * laid, laid)).T
        scores = np.zeros((2, games.number), np.int64)
        empty = np.zeros(games.number, np.int64)
        empty[playing] = games.rules.cells - np.bitwise_count(stones)
        scores[0, playing] = self.table.probe_many(before)
        scores[1, playing] = -100  # an illegal move loses at once
        lowest = self.table.probe_many(after[legal]).astype(np.int64)
        scores[1, playing[legal]] = np.sign(lowest) - lowest
        values, distances = values_and_distances(scores, empty)
        distances[:, games.waiting] = 0
        facts = values[0], distances[0], values[1], distances[1], values[0] - values[1]
        return dict(zip(FACTS, facts, strict=True))


# ---- What is seen of a position of an in-a-row game: planes of stones, a mask of moves, text, a picture


def observed(position: Position) -> NDArray[np.uint8]:
    """Own stones, then those of the other player: uint8[2, row, col]."""
    shifts = np.arange(position.rules.cells)
    stones = np.array([position.own, position.other])[:, None] >> shifts & 1
    return stones.astype(np.uint8).reshape(2, position.rules.rows, position.rules.cols)


def mask_of(position: Position) -> NDArray[np.int8]:
    """1 for every cell where a stone may be laid."""
    mask = np.zeros(position.rules.cells, np.int8)
    mask[position.moves()] = 1
    return mask


def board_texts(stones: NDArray[Any], crosses: NDArray[np.bool_] | None = None) -> NDArray[np.object_]:
    """Many boards as text, from planes [game, (own, other), row, col]; `crosses` says where the own stones are X.

    Without it they are those of the player to move, who has as many stones as the other, or one less.
    """
    if crosses is None:
        counts = stones.sum(axis=(2, 3))
        crosses = counts[:, 0] == counts[:, 1]
    own, other = stones[:, 0].astype(np.uint8), stones[:, 1].astype(np.uint8)
    values = np.where(crosses[:, None, None], own + 2 * other, other + 2 * own)
    games, rows, cols = values.shape
    letters = np.full((games, rows, cols + 1), ord("/"), np.uint32)
    letters[:, :, :cols] = np.array([ord(mark) for mark in MARKS], np.uint32)[values]
    text = np.ascontiguousarray(letters.reshape(games, -1)[:, :-1])
    return text.view(f"U{text.shape[1]}")[:, 0].astype(object)


def rendered(position: Position, mode: str) -> str | environment.Picture:
    """The board as text, or as a picture."""
    if mode == "ansi":
        return position.draw()
    cells = range(position.rules.cells)
    marked = frozenset(cell for cell in cells for line in position.lines() if line >> cell & 1)
    return environment.stones_picture(position.values, position.rules.cols, marked)
