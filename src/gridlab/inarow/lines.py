"""The lines of a game by symmetry: a few base masks, and what the symmetries of the board make of them.

A line has a number, its place in `rules.winning_lines + rules.losing_lines`; datasets and exports use the same.
For 5x5:5 the three rows from the edge to the middle and the diagonal are base enough: with both colours 8 masks,
which expand to all 12 lines.
"""

from typing import NamedTuple

from gridlab.core import draw
from gridlab.core.arguments import counted
from gridlab.core.draw import AsJson, facts, plain
from gridlab.games.grid import symmetries
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules


class LineClass(NamedTuple):
    """Lines that the symmetries carry into each other, as bitboards; the first is the base."""

    rules: Rules
    lines: tuple[int, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The number of each line."""
        return tuple(map(numbered_lines(self.rules).index, self.lines))

    @property
    def base_masks(self) -> tuple[int, int]:
        """The base line of crosses and of noughts as packed boards, 2 bits a cell."""
        crosses = Position(self.rules, self.lines[0], 0)
        return crosses.packed, crosses.swap_colours().packed

    @property
    def cells(self) -> list[list[int]]:
        """The cells of each line."""
        return [line_cells(self.rules)[number] for number in self.numbers]

    def as_dict(self) -> AsJson:
        return facts(self, "base_masks lines numbers cells")

    def __str__(self) -> str:
        crosses, noughts = self.base_masks
        drawn = [str(Position(self.rules, line, 0)).replace("/", "\n") for line in self.lines]
        boards = [f"{number}\n{board}" for number, board in zip(self.numbers, drawn, strict=True)]
        return f"{counted(len(boards), 'line')}, base mask X {crosses:#x}, O {noughts:#x}\n{draw.beside(boards)}"


def numbered_lines(rules: Rules) -> tuple[int, ...]:
    """All lines of a game as bitboards, each at the place that is its number."""
    return rules.winning_lines + rules.losing_lines


def line_cells(rules: Rules) -> list[list[int]]:
    """The cells of each line by number, ascending; cells count from 0 at the top left, row by row."""
    return [[cell for cell in range(rules.cells) if line >> cell & 1] for line in numbered_lines(rules)]


def line_classes(rules: Rules, lines: tuple[int, ...]) -> list[LineClass]:
    """These lines of a game (`rules.winning_lines` or `rules.losing_lines`), class by class."""
    classes: list[LineClass] = []
    for line in lines:
        if not any(line in known.lines for known in classes):
            images = (symmetry.stones(line) for symmetry in symmetries(rules.rows, rules.cols))
            classes.append(LineClass(rules, tuple(dict.fromkeys(images))))
    return classes


class LineReport(NamedTuple):
    """All lines of a game, for people and as JSON."""

    rules: Rules

    def as_dict(self) -> AsJson:
        def part(length: int | None, lines: tuple[int, ...]) -> AsJson:
            return {"length": length, "count": len(lines), "classes": plain(line_classes(self.rules, lines))}

        winning = part(self.rules.win, self.rules.winning_lines)
        return {"rules": str(self.rules), "winning": winning, "losing": part(self.rules.lose, self.rules.losing_lines)}

    def __str__(self) -> str:
        parts = []
        for name, lines in (("winning", self.rules.winning_lines), ("losing", self.rules.losing_lines)):
            if not lines:
                continue
            classes = line_classes(self.rules, lines)
            parts.append(f"{counted(len(lines), f'{name} line')} of {self.rules}, from {2 * len(classes)} base masks")
            parts += [f"class {number}: {each}" for number, each in enumerate(classes, 1)]
        return "\n\n".join(parts)
