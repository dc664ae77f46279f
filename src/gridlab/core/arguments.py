"""Arguments of a wrong type are refused with a sentence, and numbers are read and written as people do.

    @typed
    def census(rules: Rules | str, workers: int | None = None) -> Census: ...

    census("tictactoe", "two")       BadNotation: census takes a whole number or None as workers, not 'two'

The annotations say what is right, so there is nothing to write twice. What a type cannot tell is left to the function:
rules and players, whose texts are read there, and numbers out of range.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from inspect import Parameter, signature
from itertools import chain, repeat
from math import isnan
from numbers import Real
from operator import index
from pathlib import Path
from reprlib import Repr
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from gridlab.core.errors import BadNotation

# ---- Numbers that people write: one way to read each kind, for commands, rules, players and files alike


MOST = 2**63 - 1
LONGEST = 24  # characters of a number; nobody means more


def whole_number(text: str, low: int = 0, high: int = MOST) -> int:
    """A whole number in a range.

    >>> whole_number("12", 1, 100)
    12
    >>> whole_number("½", 1, 100)
    Traceback (most recent call last):
    gridlab.core.errors.BadNotation: '½' is not a whole number from 1 to 100
    """
    digits = text.strip().removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) <= LONGEST and low <= int(text) <= high:
        return int(text)
    raise BadNotation(f"{shortened(text)} is not a whole number from {low} to {'2^63 - 1' if high == MOST else high}")


def check_seed(seed: int) -> int:
    """A seed; random numbers come from nothing else."""
    if not 0 <= seed <= MOST:
        raise BadNotation(f"{shortened(str(seed))} is not a seed; a whole number from 0 to 2^63 - 1 is needed")
    return seed


def number_ranges(text: str, low: int, high: int, what: str) -> list[int]:
    """A list of numbers and ranges, ascending and each once; the size of the list is known before it is made.

    >>> number_ranges("9-12,25,9", 1, 25, "plies")
    [9, 10, 11, 12, 25]
    """
    found: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        try:
            begin = whole_number(first, low, high)
            end = whole_number(last, low, high) if dash else begin
        except BadNotation as error:
            raise BadNotation(
                f"{shortened(text)} is not a list of {what} such as 9, 9-25 or 9-12,25: {error}"
            ) from error
        if end < begin:
            raise BadNotation(f"{shortened(text)} is not a list of {what}: {begin}-{end} runs backwards")
        found.update(range(begin, end + 1))
    return sorted(found)


def shortened(text: str, most: int = 40) -> str:
    """Text for a sentence, in quotation marks; its beginning if it is long."""
    return repr(text if len(text) <= most else f"{text[:most]}…")


def counted(number: int, noun: str, plural: str = "") -> str:
    """How many of something.

    >>> counted(1, "game"), counted(1500, "game"), counted(0, "ply", "plies")
    ('1 game', '1,500 games', '0 plies')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


# ---- Arguments of a wrong type are refused with a sentence, before anything is done


P = ParamSpec("P")
R = TypeVar("R")
Test = Callable[[Any], bool]


class Check(NamedTuple):
    """What an argument must be: a test, and its name in a sentence."""

    fits: Test
    words: str


Named = tuple[str, Check]


def typed(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with its arguments looked at first."""

    @cache
    def checks() -> tuple[list[Named], Iterable[Named], dict[str, Check]]:
        return _checks_of(function)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        placed, rest, named = checks()
        for value, (name, check) in zip(args, chain(placed, rest), strict=False):
            if not check.fits(value):
                raise _misfit(function, name, check, value)
        for name, value in kwargs.items():
            if name in named and not named[name].fits(value):
                raise _misfit(function, name, named[name], value)
        return function(*args, **kwargs)

    return call


def told(value: object) -> str:
    """A value for a sentence: its repr, if that is short, else its beginning."""
    brief = Repr()
    brief.maxstring = brief.maxother = brief.maxlong = 60
    return " ".join(brief.repr(value).split())[:120]


def whole(value: object) -> int | None:
    """A whole number of any kind as an int; None for anything else, True and False among them."""
    if type(value) is int:
        return value
    if _is_truth(value) or hasattr(value, "__len__"):  # an array of one number is none
        return None
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def is_number(value: object) -> bool:
    """Whether a value is a real number; no number (nan), True and False are none."""
    return isinstance(value, Real) and not isinstance(value, bool) and not isnan(value)


def _misfit(function: Callable[..., Any], name: str, check: Check, value: object) -> BadNotation:
    return BadNotation(f"{_name(function)} takes {check.words} as {name}, not {told(value)}")


def _name(function: Callable[..., Any]) -> str:
    """`census`, or the class that is made."""
    return function.__qualname__.removesuffix(".__init__").removesuffix(".__new__")


def _checks_of(function: Callable[..., Any]) -> tuple[list[Named], Iterable[Named], dict[str, Check]]:
    """Checks by place, for the arguments beyond these, and by name."""
    hints, placed, rest, named = get_type_hints(function), list[Named](), repeat(("", ANYTHING), 0), dict[str, Check]()
    for name, parameter in signature(function).parameters.items():
        check = check_of(hints.get(name, Any))
        if parameter.kind is Parameter.VAR_POSITIONAL:
            rest = repeat((name, check))
        elif parameter.kind is not Parameter.VAR_KEYWORD:
            named[name] = check
            if parameter.kind is not Parameter.KEYWORD_ONLY:
                placed.append((name, check))
    return placed, rest, named


def check_of(annotation: Any) -> Check:
    """The check that an annotation stands for."""
    kind = get_origin(annotation) or annotation
    if kind in (Union, UnionType):
        return _any_of([check_of(each) for each in get_args(annotation)])
    if kind is Literal:
        allowed = get_args(annotation)
        words = f"one of {', '.join(map(repr, allowed))}"
        return Check(lambda value: isinstance(value, str) and value in allowed, words)
    if kind in SIMPLE:
        return SIMPLE[kind]
    if kind in (Any, object) or not isinstance(kind, type) or _checks_itself(kind):
        return ANYTHING
    article = "an" if kind.__name__[0] in "AEIOU" else "a"
    return Check(lambda value: isinstance(value, kind), f"{article} {kind.__name__}")


def _any_of(every: list[Check]) -> Check:
    tests = tuple(each.fits for each in every)
    return Check(
        lambda value: any(fits(value) for fits in tests), " or ".join(dict.fromkeys(each.words for each in every))
    )


def _checks_itself(kind: type) -> bool:
    """Rules are read by `game`, players by `make_player`; arrays and protocols are whatever fits."""
    return hasattr(kind, "family") or getattr(kind, "_is_protocol", False) or kind.__module__.startswith("numpy")


def _is_listed(value: Any) -> bool:
    return not isinstance(value, str | bytes | Mapping) and hasattr(value, "__len__") and hasattr(value, "__getitem__")


def _is_iterable(value: Any) -> bool:
    return not isinstance(value, str | bytes) and hasattr(value, "__iter__")


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")


ANYTHING = Check(lambda value: True, "anything")
SIMPLE: dict[Any, Check] = {
    int: Check(lambda value: whole(value) is not None, "a whole number"),
    float: Check(is_number, "a number"),
    bool: Check(_is_truth, "True or False"),
    str: Check(lambda value: isinstance(value, str), "a text"),
    Path: Check(lambda value: isinstance(value, Path), "a path"),
    NoneType: Check(lambda value: value is None, "None"),
    Sequence: Check(_is_listed, "a list"),
    Iterable: Check(_is_iterable, "a list"),
    Mapping: Check(lambda value: isinstance(value, Mapping), "a dict"),
    Callable: Check(callable, "a function"),
}
