"""The one list of games: a family of games is an entry here and folders of its own.

    mnk     tictactoe, squava, 5x5:4-3 …     gridlab.inarow      rules, position, players …
    2048    2048, 2048:3x3 …                 gridlab.game2048    rules, position, players …

A family names its modules, and they are imported when they are asked for: counting tic-tac-toe loads nothing of 2048.
What each must hold is drawn below; `gridlab.games.laws` says whether it does.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeVar, overload

from gridlab.core.arguments import told
from gridlab.core.errors import BadRules

if TYPE_CHECKING:
    import numpy as np

    from gridlab.game2048.rules import Rules2048
    from gridlab.inarow.rules import Rules

# ---- What gridlab asks of a game. There is no base class: whatever has these names fits
#
#     rules = game("squava")                       a small frozen value, hashable, read by `parse`, written by `str`
#     position = Position.start(random, rules)     a frozen value too
#     position.moves()                             none when the game is over
#     position.step(move, random)                  the next position with a decision in it: a move, and what chance adds
#     position.move_text(move)                     how people write a move; `parse_move` reads it
#
# `random` is the only source of chance. `gridlab.games.laws` checks a game against all of this.


Move = Any  # a cell, a direction: hashable, and equal to itself only
R = TypeVar("R", bound="GameRules")


class GameRules(Protocol):
    """The rules of one game of a family."""

    family: ClassVar[str]  # its name in FAMILIES
    sides: ClassVar[tuple[str, ...]]  # who plays, in the order of their first moves: ("X", "O"), or one name alone

    @property
    def words(self) -> str:
        """The game in a few sentences, for a player who has never heard of it."""

    @classmethod
    def parse(cls: type[R], text: str, /) -> R: ...


class GamePosition(Protocol):
    """A position of a game."""

    @property
    def rules(self) -> Any: ...

    @property
    def to_move(self) -> str:
        """One of the sides."""

    @property
    def over(self) -> bool: ...

    def moves(self) -> Sequence[Move]:
        """Every legal move, in the order that decides among equals; none when the game is over."""

    def step(self, move: Move, random: "np.random.Generator", /) -> "GamePosition":
        """The position in which the next decision is taken; IllegalMove for what is none of `moves()`."""

    def move_text(self, move: Move, /) -> str: ...

    def parse_move(self, text: str, /) -> Move: ...

    def draw(self) -> str:
        """The board for a terminal."""


class DuelPosition(GamePosition, Protocol):
    """A position of a game between two sides without chance: what matches, records, grades and exams go by."""

    @property
    def ply(self) -> int:
        """How many moves were made."""

    @property
    def winner(self) -> str | None:
        """The side that has won; None in a draw, and as long as the game goes on."""


# ---- The families


@dataclass(frozen=True)
class Family:
    """Where the parts of a family of games are: `module:name`, or a module. What is not named is that of every game."""

    name: str
    pattern: str  # how its rules begin, as a regular expression
    form: str  # how they are written, for people
    rules: str  # the class of its rules
    position: str  # the class of its positions
    players: str  # the module whose PLAYERS are its kinds of players
    match: str = "gridlab.arena.match:play_between"  # holds two players against each other
    openings: str = "gridlab.arena.match:draw_opening"  # draws random moves that leave the game open
    record: str = "gridlab.arena.session:Record"  # the class of its records
    terminal: str = "gridlab.arena.terminal:Conversation"  # plays it in the terminal
    truth: str = ""  # what each move of a position is worth: value and distance (gridlab.arena.exam)
    exams: str = "gridlab.arena.exam:BY_TRUTH"  # draws questions and judges answers
    grade: str = "gridlab.arena.assess:grade_between"  # holds players to the truth
    tablebase: str = ""  # the module that builds and asks its tablebases (gridlab.games.tablebases)
    networks: str = ""  # the module whose FORMATS are the files that trainings leave (gridlab.learn.info)
    labelled: str = ""  # the module whose `sample` writes positions of a tablebase for learning
    named: dict[str, str] = field(default_factory=dict)  # short names of games -> rules

    def load(self, part: str) -> Any:
        """The class or module behind one of these names: `family.load("players").PLAYERS`."""
        module, _, name = getattr(self, part).partition(":")
        found = import_module(module)
        return getattr(found, name) if name else found


FAMILIES = {
    "mnk": Family(
        name="mnk",
        pattern=r"\s*\d+x\d+:",
        form="ROWSxCOLS:WIN or ROWSxCOLS:WIN-LOSE, such as 3x3:3 or 5x5:4-3",
        rules="gridlab.inarow.rules:Rules",
        position="gridlab.inarow.position:Position",
        players="gridlab.inarow.players",
        openings="gridlab.inarow.records:draw_opening",
        record="gridlab.inarow.records:Record",
        terminal="gridlab.inarow.terminal:Conversation",
        exams="gridlab.inarow.questions:JUDGE",
        tablebase="gridlab.inarow.exact.tablebase.build",
        networks="gridlab.inarow.learn.training",
        labelled="gridlab.inarow.exact.tablebase.sampling",
        named={"tictactoe": "3x3:3", "tictactoe4": "4x4:4", "tictactoe5": "5x5:5", "squava": "5x5:4-3"},
    ),
    "2048": Family(
        name="2048",
        pattern=r"\s*2048\s*(:|$)",
        form="2048, 2048:ROWSxCOLS or 2048:ROWSxCOLS:FOURS, such as 2048:3x3",
        rules="gridlab.game2048.rules:Rules2048",
        position="gridlab.game2048.position:Position2048",
        players="gridlab.game2048.players",
        match="gridlab.game2048.evaluate:play_match",
        terminal="gridlab.game2048.terminal",
        exams="gridlab.game2048.exam",
        grade="gridlab.game2048.grade:grade_all",
        tablebase="gridlab.game2048.exact.tables",
        networks="gridlab.game2048.learn.ntuple_file",
        labelled="gridlab.game2048.exact.sampling",
        named={"2048": "2048"},
    ),
}


@overload
def game(text: "str | Rules", family: Literal["mnk"]) -> "Rules": ...
@overload
def game(text: "str | Rules2048", family: Literal["2048"]) -> "Rules2048": ...
@overload
def game(text: str | GameRules, family: str | None = None) -> Any: ...
def game(text: str | GameRules, family: str | None = None) -> Any:
    """The game of that name, or with those rules: `game("squava") == game("5x5:4-3")`; rules are taken as they are.

    With `family` games of any other are refused.
    """
    found = _read(text) if isinstance(text, str) else text
    if family is not None and family not in FAMILIES:
        raise BadRules(f"{told(family)} is not a family of games; the families are {', '.join(FAMILIES)}")
    own = family_of(found)
    if family is not None and own.name != family:
        raise BadRules(f"{text} is not a game for this; write {FAMILIES[family].form}")
    return found


def _read(text: str) -> GameRules:
    for family in FAMILIES.values():
        if text in family.named or re.match(family.pattern, text, re.ASCII | re.IGNORECASE):
            rules: GameRules = family.load("rules").parse(family.named.get(text, text))
            return rules
    names = ", ".join(name for family in FAMILIES.values() for name in family.named)
    forms = "; or ".join(family.form for family in FAMILIES.values())
    raise BadRules(f"{text!r} is not a game; name one of {names}, or write {forms}")


def family_of(rules: GameRules) -> Family:
    """The family that rules are of."""
    name = getattr(rules, "family", None)
    if not isinstance(name, str) or name not in FAMILIES or isinstance(rules, type):
        advice = "name one such as 'tictactoe', or take what gridlab.game gives"
        known = ", ".join(FAMILIES)
        raise BadRules(f"{told(rules)} is not the rules of a game known here; {advice}; the families are {known}")
    return FAMILIES[name]
