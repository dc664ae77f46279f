"""Best-first search for a line that wins: always on from the position that looks best, whoever is to move there.

    heuristic = hp - ho     hp  lines on which the opponent has no stone: we can still fill them
                            ho  lines on which we have none: the opponent can

"We" are the player to move at the start, at every depth. The search chooses the moves of both sides, so the line it
finds is *cooperative*: the opponent would have to allow it. Among equals the position found first is taken first, moves
are tried in row-major order, and no position is taken up twice.

A board here is one number, our stones below and the opponent's above them:   |  other  |   own   |
"""

from array import array
from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from typing import Literal, NamedTuple

from gridlab.core import draw
from gridlab.core.arguments import typed
from gridlab.core.errors import BadRules
from gridlab.games import grid
from gridlab.inarow.position import Player, Position, position_of
from gridlab.inarow.rules import Rules

MAX_EXPANSIONS = 100_000
MAX_SIZE = 7
OTHER = 64  # the lowest bit of the opponent's stones
OWN = (1 << OTHER) - 1
COUNTER = 32  # bits of a place in the queue that count the positions found

Ending = Literal["found", "nothing", "limit", "already won", "full board"]


class Start(NamedTuple):
    """A board of n×n on which n in a row win, and the player to move, whatever turn the counts of stones would give."""

    size: int
    crosses: int
    noughts: int
    player: Player

    @property
    def rules(self) -> Rules:
        return Rules(self.size, self.size, self.size)

    @property
    def own(self) -> int:
        return self.crosses if self.player == "X" else self.noughts

    @property
    def other(self) -> int:
        return self.noughts if self.player == "X" else self.crosses

    @property
    def opponent(self) -> Player:
        return "O" if self.player == "X" else "X"

    @property
    def winner(self) -> Player | None:
        """Who has a line already."""
        for player, stones in ((self.player, self.own), (self.opponent, self.other)):
            if any(stones & line == line for line in self.rules.winning_lines):
                return player
        return None

    @property
    def full(self) -> bool:
        return self.own | self.other == self.rules.board

    def play(self, cell: int) -> "Start":
        """One move later, with the other player to move."""
        crosses = self.crosses | (self.player == "X") << cell
        noughts = self.noughts | (self.player == "O") << cell
        return Start(self.size, crosses, noughts, self.opponent)

    def __str__(self) -> str:
        """The board as n lines."""
        marks = [".XO"[(self.crosses >> i & 1) + 2 * (self.noughts >> i & 1)] for i in range(self.size**2)]
        return "\n".join("".join(marks[row : row + self.size]) for row in range(0, len(marks), self.size))


class Expansion(NamedTuple):
    """A position taken from the queue, whose moves are tried next."""

    number: int  # from 1
    depth: int  # moves from the start
    hp: int
    ho: int
    board: Start

    @property
    def heuristic(self) -> int:
        return self.hp - self.ho


@draw.shown
class BestFirstResult(NamedTuple):
    """What the search came to; the line is empty unless it found one."""

    start: Start
    ending: Ending
    expansions: int
    line: tuple[int, ...] = ()

    def _in_short(self) -> str:
        line = " ".join(grid.move_text(cell, self.start.size, self.start.size) for cell in self.line)
        board = str(self.start).replace("\n", "/")
        return f"{self.start.rules} {board}: {self.ending}, {self.expansions:,} expansions, line {line or 'none'}"

    def _sheet(self) -> draw.Sheet:
        marks = str(self.start).replace("\n", "")
        numbered = {cell: str(number) for number, cell in enumerate(self.line, 1)}
        cells = [numbered.get(cell, mark) for cell, mark in enumerate(marks)]
        heading = f"{self.ending} after {self.expansions:,} expansions; the moves of the line are numbered"
        return draw.Sheet(heading, pictures=[draw.board_svg(cells, self.start.size, self.line, title=marks)])


class LineSets(NamedTuple):
    """The rows, columns and diagonals of a board. A set of lines is a number: bit i for line i."""

    cells: tuple[int, ...]  # [line]: its cells, as a bitboard
    through: tuple[int, ...]  # [cell]: the set of lines through it

    def open(self, stones: int) -> int:
        """The set of lines on which none of these stones stands."""
        return sum(1 << i for i, line in enumerate(self.cells) if not line & stones)

    def completing(self, stones: int, rival: int) -> int:
        """The free cells that complete a line of these stones."""
        found = 0
        for line in self.cells:
            missing = line & ~stones
            if not missing & missing - 1 and not missing & rival:
                found |= missing
        return found


def line_sets(size: int) -> LineSets:
    cells = Rules(size, size, size).winning_lines
    through = (sum(1 << i for i, line in enumerate(cells) if line >> cell & 1) for cell in range(size * size))
    return LineSets(cells, tuple(through))


class Queue:
    """Positions found and not yet expanded, the best first; and every position ever found, with where it came from.

    The place of a position is -heuristic and a counter in one number, so the heap compares plain numbers.
    """

    def __init__(self, board: int, heuristic: int) -> None:
        self.waiting: list[int] = []
        self.boards: list[int] = []  # [counter]
        self.parents = array("q")  # [counter]
        self.visited: set[int] = set()  # the number of stones tells the player to move, so boards are enough
        self.push(board, heuristic, 0)

    def push(self, board: int, heuristic: int, parent: int) -> None:
        """Put in a position unless it was found before."""
        if board not in self.visited:
            self.visited.add(board)
            heappush(self.waiting, (-heuristic << COUNTER) + len(self.boards))
            self.boards.append(board)
            self.parents.append(parent)

    def pop(self) -> int:
        """The counter of the best position."""
        return heappop(self.waiting) & (1 << COUNTER) - 1

    def line(self, counter: int) -> list[int]:
        """The cells played from the start to a position."""
        cells: list[int] = []
        while counter:
            parent = self.parents[counter]
            cells.append((self.boards[counter] ^ self.boards[parent]).bit_length() - 1 & OTHER - 1)
            counter = parent
        return cells[::-1]


@typed
def best_first(
    position: Start | Position | str, max_expansions: int = MAX_EXPANSIONS,
    tell: Callable[[Expansion], object] | None = None,
) -> BestFirstResult:  # fmt: skip
    """Search until we have a line, nothing is left to expand, or `max_expansions` positions were expanded.

    `tell` hears of each expansion as it is made. A position that the opponent has won is not expanded. A Position, or
    the text of a board, will do where n in a row win on n×n cells.
    """
    start = start_of(position)
    if start.winner:
        return BestFirstResult(start, "already won", 0)
    if start.full:
        return BestFirstResult(start, "full board", 0)
    lines = line_sets(start.size)
    heuristic = lines.open(start.other).bit_count() - lines.open(start.own).bit_count()
    queue = Queue(start.own | start.other << OTHER, heuristic)
    expansions = 0
    while queue.waiting and expansions < max_expansions:
        counter = queue.pop()
        expansions += 1
        if tell:
            tell(expansion_of(start, queue.boards[counter], expansions, lines))
        cell = expand(start, queue, counter, lines)
        if cell is not None:
            return BestFirstResult(start, "found", expansions, (*queue.line(counter), cell))
    return BestFirstResult(start, "limit" if queue.waiting else "nothing", expansions)


def start_of(given: Start | Position | str) -> Start:
    """Where a search begins, with whoever is to move."""
    if isinstance(given, Start):
        return given
    position = position_of(given)
    rules = position.rules
    if not rules.rows == rules.cols == rules.win or rules.lose is not None or rules.rows > MAX_SIZE:
        raise BadRules(f"best-first search plays n in a row on n×n boards, such as 3x3:3; not {rules}")
    return Start(rules.rows, position.crosses, position.noughts, position.to_move)


def expand(start: Start, queue: Queue, counter: int, lines: LineSets) -> int | None:
    """Try the moves of a position in row-major order: the first that wins for us, else put all into the queue.

    A stone closes the lines through its cell that were open to the other side; nothing else in hp - ho changes.
    """
    board = queue.boards[counter]
    own, other = board & OWN, board >> OTHER
    ours = depth_of(start, own, other) % 2 == 0
    won = lines.completing(own, other) if ours else lines.completing(other, own)
    if ours and won:
        return (won & -won).bit_length() - 1
    hp, ho = lines.open(other), lines.open(own)
    heuristic = hp.bit_count() - ho.bit_count()
    closing, sign, first = (ho, 1, 0) if ours else (hp, -1, OTHER)
    for cell in cells_of(start.rules.board & ~(own | other | won)):
        queue.push(board | 1 << first + cell, heuristic + sign * (closing & lines.through[cell]).bit_count(), counter)
    return None


def depth_of(start: Start, own: int, other: int) -> int:
    """Moves from the start; it is our turn after an even number of them."""
    return (own | other).bit_count() - (start.own | start.other).bit_count()


def expansion_of(start: Start, board: int, number: int, lines: LineSets) -> Expansion:
    """A board of the search as people know it."""
    own, other = board & OWN, board >> OTHER
    crosses, noughts = (own, other) if start.player == "X" else (other, own)
    depth = depth_of(start, own, other)
    player = start.opponent if depth % 2 else start.player
    hp, ho = lines.open(other).bit_count(), lines.open(own).bit_count()
    return Expansion(number, depth, hp, ho, Start(start.size, crosses, noughts, player))


def cells_of(cells: int) -> Iterator[int]:
    """The cells of a bitboard, ascending."""
    while cells:
        yield (cells & -cells).bit_length() - 1
        cells &= cells - 1


def best_looking(start: Start) -> int:
    """The free cell after which hp - ho is highest, the first of equals: what the search would expand next."""
    lines = line_sets(start.size)
    closing = lines.open(start.own)
    free = cells_of(start.rules.board & ~(start.own | start.other))
    return max(free, key=lambda cell: (closing & lines.through[cell]).bit_count())
