"""Results as JSON takes them, in one way for all of them.

    facts(grade, "player rules games")   {"player": "random", "rules": "3x3:3", "games": 100}, in the order named
    plain(value)                         text, numbers, lists and dicts, whatever a value is made of

A value that `parse` reads back (rules, a position) is its text; one that has `as_dict` says itself what there is.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from numbers import Rational
from pathlib import PurePath
from types import NoneType
from typing import Any

import msgspec


def facts(thing: Any, names: str = "") -> dict[str, Any]:
    """Fields and properties of a result by name, those named with spaces between; all fields if none is named."""
    return {name: plain(getattr(thing, name)) for name in names.split() or _fields(thing)}


def _fields(thing: Any) -> Sequence[str]:
    return [each.name for each in fields(thing)] if is_dataclass(thing) else thing._fields


def plain(value: Any) -> Any:
    """A value, and all that it holds, as JSON takes it."""
    if isinstance(value, (bool, int, float, str, NoneType)):
        return value
    if hasattr(value, "as_dict"):
        return value.as_dict()
    if hasattr(value, "parse") or isinstance(value, PurePath):
        return str(value)
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if hasattr(value, "_fields") or is_dataclass(value):
        return facts(value)
    if isinstance(value, (Sequence, Set)):
        return [plain(each) for each in value]
    if hasattr(value, "tolist"):  # of NumPy
        return value.tolist()
    return float(value) if isinstance(value, Rational) else msgspec.to_builtins(value)
