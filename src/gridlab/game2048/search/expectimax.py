"""Expectimax for 2048 by kernels: some moves ahead, all new tiles between them, then an evaluator.

Depth counts player moves and chance layers together, the player's move first:

    1  move                        the board after the move is evaluated
    2  move, tile                  … the mean over all new tiles
    3  move, tile, move
    4  move, tile, move, tile      the published description's "two moves and two chance nodes"

The last plies are single functions over look-up tables. Above them every chance layer has a frame. A board
without a move is worth its static evaluation less what the evaluator takes for that; among equals the first of up,
down, left, right is played.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import States, Stop, Stream, below, draw, lowest_cell, stopped
from gridlab.core.jit import kernel
from gridlab.core.run import pause
from gridlab.game2048 import kernels
from gridlab.game2048 import rules as reference
from gridlab.game2048.kernels import FOUR, LEFT, NO_MOVE, ONE, ROW, S16, THREE, TWO, UNITS, UP, ZERO, Boards, RowTables
from gridlab.game2048.rules import DIRECTIONS, Board, Rules2048
from gridlab.game2048.search import evaluators
from gridlab.game2048.search.evaluators import Evaluate, Evaluator, LineTable, Shape

# ---- Chance layers of a search as frames on a stack
#
# They stand in for a kernel that calls itself, which does not come back whole from the cache. A layer begins with a
# board after a move. New tiles are tried on it one by one, and under each the player's moves:
#
#     state         what comes next                             then
#     NEXT_TILE     the next of the tiles still to be tried     NEXT_MOVE, or NEXT_TILE where the board is known already
#                   none is left: the mean is what the layer is worth, and the layer above goes on
#     NEXT_MOVE     the next of the four directions             a deeper layer, or the last plies
#                   none is left: the tile is worth its best    NEXT_TILE


NEXT_TILE, NEXT_MOVE = 0, 1
FRAME = np.dtype(
    [
        ("state", np.int64),
        ("after", np.uint64),  # the board after a move, on which new tiles appear
        ("tiles", np.uint64),  # still to be tried, a bit each: a 2 is the lowest bit of its cell, a 4 the next
        ("weight", np.float64),  # how often the tile being tried appears
        ("board", np.uint64),  # with that tile
        ("turned", np.uint64),  # its transpose, for who needs it
        ("direction", np.int64),  # of the move to be valued next
        ("across", np.int64),  # points of a move to either side, for who counts them
        ("down", np.int64),  # points of a move up or down
        ("best", np.float64),  # of the moves valued
        ("total", np.float64),  # of the tiles tried, times how often they appear
        ("odds", np.float64),  # of all tiles together
        ("probability", np.float64),  # of this layer, for who leaves out what is improbable
    ]
)


def new_frames(layers: int) -> Any:
    """Room for so many layers, [layer] of FRAME."""
    return np.zeros(layers, FRAME).view(np.recarray)


@kernel
def open_frame(frame: Any, after: np.uint64, cells: np.uint64, twos: int, fours: int, probability: float) -> None:
    """Begin a layer: new tiles on these cells of a board."""
    frame.after, frame.tiles = after, tiles_on(cells, twos, fours)
    frame.odds, frame.total = float((twos + fours) * kernels.count(cells)), 0.0
    frame.state, frame.probability = NEXT_TILE, probability


@kernel
def put_tile(frame: Any, twos: int, fours: int) -> None:
    """Put the next new tile on the board; its moves come next."""
    tile = frame.tiles & (~frame.tiles + ONE)
    frame.tiles ^= tile
    frame.weight, frame.board = float(weight_of(tile, twos, fours)), frame.after | tile
    frame.state, frame.direction, frame.best = NEXT_MOVE, 0, NO_MOVE


@kernel
def add_tile(frame: Any, value: float) -> None:
    """The board with the tile being tried is worth so much."""
    frame.total += frame.weight * value
    frame.state = NEXT_TILE


@kernel
def tiles_on(cells: np.uint64, twos: int, fours: int) -> np.uint64:
    """The bits of the new tiles on some cells, in the order in which they are tried: a 2 is 0001, a 4 is 0010."""
    tiles = cells if twos > 0 else ZERO
    return tiles | cells << ONE if fours > 0 else tiles


@kernel
def weight_of(tile: np.uint64, twos: int, fours: int) -> int:
    """How often a new tile appears, in the odds of the game."""
    return twos if tile & UNITS != ZERO else fours


# ---- The last plies of an expectimax search: new tiles, a move, perhaps new tiles again, then the evaluator
#
# Nearly all of the time of a search goes by here, over look-up tables alone (evaluators.py); the plies above have
# frames. Arguments are many because what is called most takes its arrays one by one: a tuple of arrays
# counts a reference to each of them at every call, which costs up to a third of the speed. Tuples of numbers cost
# nothing.


Slides = NDArray[np.uint32]
Counts = NDArray[np.int64]  # [2]: boards evaluated, boards answered by the transposition table

LEAST = np.int64(-1 << 63)


class SearchSettings(NamedTuple):
    """How far a search looks, and what it leaves out."""

    depth: int
    twos: int  # odds of new tiles: so many twos for so many fours
    fours: int
    sample: int  # random cells tried at each chance node; 0 tries all
    cutoff: float  # a board less probable than this is evaluated at once


@kernel
def leaf_chance(
    after: np.uint64, turned: np.uint64, values: LineTable, gains: LineTable, shape: Shape, settings: SearchSettings,
    counts: Counts, states: States, stream: int,
) -> float:  # fmt: skip
    """The mean over new tiles, evaluated at once."""
    _, twos, fours, sample, _ = settings
    cells = kernels.empties(after)
    room = kernels.count(cells)
    if sample == 0 or room <= sample:
        counts[0] += 2 * room
        return evaluators.expected(after, turned, values, gains, shape, twos, fours)
    cells = choose_cells(cells, room, sample, states, stream)
    counts[0] += 2 * sample
    total = evaluators.summed_one_by_one(after, turned, cells, values, shape, twos, fours)
    return float(total) / ((twos + fours) * sample)


@kernel
def cells_to_try(after: np.uint64, settings: SearchSettings, states: States, stream: int) -> np.uint64:
    """The cells on which new tiles are tried: all empty ones, or a random sample of them."""
    cells = kernels.empties(after)
    room = kernels.count(cells)
    if 0 < settings.sample < room:
        return choose_cells(cells, room, settings.sample, states, stream)
    return cells


@kernel
def choose_cells(cells: np.uint64, number: int, sample: int, states: States, stream: int) -> np.uint64:
    """Some of the cells, drawn without repetition."""
    chosen = ZERO
    for drawn in range(sample):
        unit = kernels.nth_unit(cells, below(draw(states, stream), number - drawn))
        chosen |= unit
        cells ^= unit
    return chosen


@kernel
def best_move_before_tile(
    board: np.uint64, turned: np.uint64, slides: Slides, values: LineTable, gains: LineTable, shape: Shape,
    settings: SearchSettings, counts: Counts, states: States, stream: int,
) -> float:  # fmt: skip
    """The best move when only new tiles come after it."""
    best = NO_MOVE
    left, right = kernels.slide_rows(board, slides)
    up, down = kernels.slide_rows(turned, slides)
    for direction in range(4):
        slid = (up if direction == UP else down) if direction < LEFT else (left if direction == LEFT else right)
        other = kernels.transpose(slid)
        after, after_turned = (other, slid) if direction < LEFT else (slid, other)
        if after != board:
            best = max(best, leaf_chance(after, after_turned, values, gains, shape, settings, counts, states, stream))
    return best if best != NO_MOVE else float(evaluators.static(board, turned, values, shape) - shape.dead)


@kernel
def last_chance(
    after: np.uint64, probability: float, plies: int, slides: Slides, evaluator: Evaluator, settings: SearchSettings,
    keys: Boards, known: NDArray[np.float64], counts: Counts, states: States, stream: int,
) -> float:  # fmt: skip
    """The mean over new tiles when one more ply, a move, or two, a move and a tile, come after them."""
    values, gains, _, shape = evaluator
    cells = cells_to_try(after, settings, states, stream)
    odds = float((settings.twos + settings.fours) * kernels.count(cells))
    if plies == 1:
        return tiles_and_move(after, cells, odds, probability, slides, evaluator, settings, keys, known, counts)
    turned, total = kernels.transpose(after), 0.0
    tiles = tiles_on(cells, settings.twos, settings.fours)
    while tiles != ZERO:
        tile = tiles & (~tiles + ONE)
        tiles ^= tile
        weight = weight_of(tile, settings.twos, settings.fours)
        board, board_turned = after | tile, turned | kernels.transpose(tile)
        place = kernels.place_of(board, len(keys))
        if probability * weight / odds < settings.cutoff:
            counts[0] += 1
            value = float(evaluators.static(board, board_turned, values, shape))
        elif place >= 0 and keys[place] == board:
            counts[1] += 1
            value = known[place]
        else:
            value = best_move_before_tile(
                board, board_turned, slides, values, gains, shape, settings, counts, states, stream
            )
            if place >= 0:
                keys[place], known[place] = board, value
        total += weight * value
    return total / odds


@kernel
def tiles_and_move(
    after: np.uint64, cells: np.uint64, odds: float, probability: float, slides: Slides, evaluator: Evaluator,
    settings: SearchSettings, keys: Boards, known: NDArray[np.float64], counts: Counts,
) -> float:  # fmt: skip
    """The mean over new tiles when one move comes after each: most of the time of a search of odd depth goes by here.

    A new tile changes one row and one column, so the board is slid once without it, and for each tile these two lines
    again. All four moves are evaluated, legal or not, without a branch. One long function, as calls would cost more
    than what they do.
    """
    values, _, slid, shape = evaluator
    row_step, first_column, column_step, corner, dead, top_right, walls = shape
    _, twos, fours, _, cutoff = settings
    turned, total = kernels.transpose(after), 0.0
    bare_left, bare_right = kernels.slide_rows(after, slides)
    bare_up, bare_down = kernels.slide_rows(turned, slides)
    rows_left, rows_right = evaluators.look_up_slid(after, slid, ZERO, row_step)
    columns_up, columns_down = evaluators.look_up_slid(turned, slid, first_column, column_step)
    evaluated, answered = 0, 0
    while cells != ZERO:
        unit = cells & (~cells + ONE)
        cells ^= unit
        bit = np.uint64(lowest_cell(np.int64(unit)))  # type: ignore[arg-type]
        r, c = bit >> FOUR << FOUR, (bit >> TWO & THREE) << FOUR  # where the row and the column begin
        old_row, old_col = after >> r & ROW, turned >> c & ROW
        rest_r, rest_c = ~(ROW << r), ~(ROW << c)
        row_place, column_place = (r >> FOUR) * row_step, first_column + (c >> FOUR) * column_step
        old_r, old_c = row_place + old_row << ONE, column_place + old_col << ONE
        others_left, others_right = rows_left - slid[old_r], rows_right - slid[old_r | ONE]
        others_up, others_down = columns_up - slid[old_c], columns_down - slid[old_c | ONE]
        for shift in range(0 if twos > 0 else 1, 2 if fours > 0 else 1):
            weight = fours if shift else twos
            board = after | unit << np.uint64(shift)
            new_row = old_row | ONE << np.uint64(shift) + (c >> TWO)
            new_col = old_col | ONE << np.uint64(shift) + (r >> TWO)
            board_turned = turned & rest_c | new_col << c
            place = kernels.place_of(board, len(keys))
            if probability * weight / odds < cutoff:
                evaluated += 1
                total += weight * float(evaluators.static(board, board_turned, values, shape))
                continue
            if place >= 0 and keys[place] == board:
                answered += 1
                total += weight * known[place]
                continue
            slid_row, slid_col = np.uint64(slides[new_row]), np.uint64(slides[new_col])
            left, right = bare_left & rest_r | (slid_row & ROW) << r, bare_right & rest_r | slid_row >> S16 << r
            up, down = bare_up & rest_c | (slid_col & ROW) << c, bare_down & rest_c | slid_col >> S16 << c
            new_r, new_c = row_place + new_row << ONE, column_place + new_col << ONE
            by_left = (
                others_left
                + slid[new_r]
                + evaluators.look_up_lines(kernels.transpose(left), values, first_column, column_step)
            )
            by_right = others_right + slid[new_r | ONE]
            by_right += evaluators.look_up_lines(kernels.transpose(right), values, first_column, column_step)
            by_up = others_up + slid[new_c] + evaluators.look_up_lines(kernels.transpose(up), values, ZERO, row_step)
            by_down = (
                others_down
                + slid[new_c | ONE]
                + evaluators.look_up_lines(kernels.transpose(down), values, ZERO, row_step)
            )
            if corner != 0:
                by_left += corner * evaluators.tile_at_corner(left, top_right, walls)
                by_right += corner * evaluators.tile_at_corner(right, top_right, walls)
                by_up += corner * evaluators.tile_at_corner(kernels.transpose(up), top_right, walls)
                by_down += corner * evaluators.tile_at_corner(kernels.transpose(down), top_right, walls)
            best = by_left if left != board else LEAST
            best = max(best, by_right if right != board else LEAST)
            best = max(best, by_up if up != board_turned else LEAST)
            best = max(best, by_down if down != board_turned else LEAST)
            if best == LEAST:
                best = evaluators.static(board, board_turned, values, shape) - dead
            evaluated += 4
            value = float(best)
            if place >= 0:
                keys[place], known[place] = board, value
            total += weight * value
    counts[0] += evaluated
    counts[1] += answered
    return total / odds


# ---- Expectimax for 2048 by kernels: some moves ahead, all new tiles between them, then an evaluator


Values = NDArray[np.float64]  # [direction]: minus infinity where it is no move

DEEPEST, LAST_PLIES = 8, 4  # plies
LEVELS = DEEPEST // 2 - 1  # chance layers with moves after them


class Memory(NamedTuple):
    """Room for a search, and its transposition table: boards before a move, and boards after one."""

    frames: Any  # [level] of FRAME
    keys: Boards  # [level, entry]: boards before a move whose value is known
    values: NDArray[np.float64]
    after_keys: Boards  # [level, entry]: boards after a move whose value is known
    after_values: NDArray[np.float64]


class Expectimax(NamedTuple):
    """A search down to depth 4, as kernels take it: the last plies alone."""

    evaluator: Evaluator
    settings: SearchSettings
    memory: Memory
    counts: Counts


class DeepExpectimax(Expectimax):
    """A search from depth 5 on. A type of its own, so that nobody compiles frames who does not need them."""

    __slots__ = ()


def new_expectimax(evaluator: Evaluator, settings: SearchSettings, entries: int = 0) -> Expectimax:
    """A search with a transposition table of a power of two of entries a level, or none."""
    memory = Memory(
        new_frames(LEVELS), np.zeros((LEVELS, entries), np.uint64), np.zeros((LEVELS, entries)),
        np.zeros((LEVELS, entries), np.uint64), np.zeros((LEVELS, entries)),
    )  # fmt: skip
    kind = Expectimax if settings.depth <= LAST_PLIES else DeepExpectimax
    return kind(evaluator, settings, memory, np.zeros(2, np.int64))


@kernel
def forget(search: Expectimax) -> None:
    """Empty the transposition table."""
    search.memory.keys[:] = ZERO
    search.memory.after_keys[:] = ZERO


@kernel
def choose(
    search: Expectimax, board: np.uint64, values: Values, rows: RowTables, states: States, stream: int, stop: Stop
) -> int:
    """What each direction is worth, into `values`; the best, -1 if there is none. Depth 1 to 4."""
    lines, gains, _, shape = search.evaluator
    settings, memory, counts = search.settings, search.memory, search.counts
    depth, turned = settings.depth, kernels.transpose(board)
    for direction in range(4):
        after = kernels.moved(board, turned, direction, rows.slides)
        if after == board:
            value = NO_MOVE
        elif depth == 1:
            counts[0] += 1
            value = float(evaluators.static(after, kernels.transpose(after), lines, shape))
        elif depth == 2:
            value = leaf_chance(after, kernels.transpose(after), lines, gains, shape, settings, counts, states, stream)
        else:
            value = last_chance(
                after, 1.0, depth - 2, rows.slides, search.evaluator, settings, memory.keys[0], memory.values[0],
                counts, states, stream,
            )  # fmt: skip
        values[direction] = value
    return kernels.first_of_best(values)


@kernel
def choose_deep(
    search: DeepExpectimax, board: np.uint64, values: Values, rows: RowTables, states: States, stream: int, stop: Stop
) -> int:
    """The direction that a search from depth 5 on chooses."""
    evaluator, settings, memory, counts = search
    turned = kernels.transpose(board)
    for direction in range(4):
        after = kernels.moved(board, turned, direction, rows.slides)
        values[direction] = NO_MOVE
        if after != board:
            values[direction] = chance(after, rows.slides, evaluator, settings, memory, counts, states, stream, stop)
    return kernels.first_of_best(values)


@kernel
def chance(
    after: np.uint64, slides: Slides, evaluator: Evaluator, settings: SearchSettings, memory: Memory, counts: Counts,
    states: States, stream: int, stop: Stop,
) -> float:  # fmt: skip
    """What a board is worth after a move, five plies or more deep: frames down to the last chance layer."""
    frames, keys, values, after_keys, after_values = memory
    lines, shape = evaluator.values, evaluator.shape
    twos, fours = settings.twos, settings.fours
    entries = keys.shape[1]
    after_entries = entries if settings.cutoff == 0.0 else 0  # with a cutoff a board is not worth the same everywhere
    level = 0
    open_frame(frames[0], after, cells_to_try(after, settings, states, stream), twos, fours, 1.0)
    while not stopped(stop):
        frame = frames[level]
        if frame.state == NEXT_MOVE and frame.direction < 4:
            reached = kernels.moved(frame.board, frame.turned, frame.direction, slides)
            frame.direction += 1
            if reached == frame.board:
                continue
            probability = frame.probability * frame.weight / frame.odds
            plies = settings.depth - 2 * level - 4  # after the new tiles that come now
            if plies > 2:
                level += 1
                cells = cells_to_try(reached, settings, states, stream)
                open_frame(frames[level], reached, cells, twos, fours, probability)
                continue
            place = kernels.place_of(
                reached, after_entries
            )  # tiles that slide to the same place lead to the same board
            if place >= 0 and after_keys[level, place] == reached:
                counts[1] += 1
                frame.best = max(frame.best, after_values[level, place])
                continue
            value = last_chance(
                reached, probability, plies, slides, evaluator, settings, keys[level + 1], values[level + 1], counts,
                states, stream,
            )  # fmt: skip
            frame.best = max(frame.best, value)
            if place >= 0:
                after_keys[level, place], after_values[level, place] = reached, value
        elif frame.state == NEXT_MOVE:  # the tile being tried is worth its best move
            value = frame.best
            if value == NO_MOVE:
                counts[0] += 1
                value = float(evaluators.static(frame.board, frame.turned, lines, shape) - shape.dead)
            place = kernels.place_of(frame.board, entries)
            if place >= 0:
                keys[level, place], values[level, place] = frame.board, value
            add_tile(frame, value)
        elif frame.tiles != ZERO:
            put_tile(frame, twos, fours)
            frame.turned = kernels.transpose(frame.board)
            place = kernels.place_of(frame.board, entries)
            if frame.probability * frame.weight / frame.odds < settings.cutoff:
                counts[0] += 1
                add_tile(frame, float(evaluators.static(frame.board, frame.turned, lines, shape)))
            elif place >= 0 and keys[level, place] == frame.board:
                counts[1] += 1
                add_tile(frame, values[level, place])
        else:  # the layer is worth the mean of its tiles
            value = frame.total / frame.odds
            if level == 0:
                return value  # type: ignore[no-any-return]
            level -= 1
            frames[level].best = max(frames[level].best, value)
    return 0.0


# ---- Expectimax in the plainest Python: what the kernels are compared with, and the player of boards larger than 4x4
#
# The sums are taken in the same order as by the kernels, and those above the leaves in whole numbers, so values agree
# to the last bit.


@dataclass(frozen=True)
class PlainSearch:
    """A search by its settings; `stream` is needed where cells are sampled."""

    rules: Rules2048
    evaluate: Evaluate
    depth: int
    sample: int = 0
    cutoff: float = 0.0
    stream: Stream | None = None
    dead: int = 0  # what a board loses that has no move left

    def choose(self, board: Board) -> str | None:
        """The best direction, the first of equals; None if there is no move."""
        values = self.move_values(board)
        return max(values, key=values.__getitem__) if values else None

    def move_values(self, board: Board) -> dict[str, float]:
        """What each legal direction is worth."""
        found = {direction: reference.move(self.rules, board, direction)[0] for direction in DIRECTIONS}
        return {each: self.after_value(after, self.depth - 1, 1.0) for each, after in found.items() if after != board}

    def after_value(self, after: Board, depth: int, probability: float) -> float:
        """What a board is worth after a move, with so many plies to go: the mean over new tiles."""
        if depth == 0:
            return float(self.evaluate(after))
        pause()
        cells, (twos, fours) = self._cells(after), self.rules.odds
        odds = (twos + fours) * len(cells)
        total: float = 0  # whole numbers stay whole, and exact
        for cell in cells:
            for tile, weight in ((2, twos), (4, fours)):
                if weight:
                    board = reference.place(after, cell, tile)
                    total += weight * self.board_value(board, depth - 1, probability * weight / odds)
        return float(total) / odds

    def board_value(self, board: Board, depth: int, probability: float) -> float:
        """What a board is worth before a move, with so many plies to go: the best of its moves."""
        if depth == 0:
            return self.evaluate(board)
        if probability < self.cutoff:
            return float(self.evaluate(board))
        afterstates = [reference.move(self.rules, board, direction)[0] for direction in DIRECTIONS]
        values = [self.after_value(after, depth - 1, probability) for after in afterstates if after != board]
        return max(values) if values else float(self.evaluate(board) - self.dead)

    def _cells(self, after: Board) -> list[int]:
        """The cells to be tried: all empty ones, or a random sample of them."""
        cells = reference.empty_cells(after)
        if not 0 < self.sample < len(cells):
            return cells
        assert self.stream is not None
        chosen = [cells.pop((self.stream.draw() >> 32) * len(cells) >> 32) for _ in range(self.sample)]
        return sorted(chosen)
