"""`--setting name=value`: any number of a recipe named and changed, the same for every trainer.

    changed(settings, parse_overrides(["learning_rate=0.01", "gamma=0.9"]))

A recipe is a dataclass whose numbers have their ranges written at them (msgspec.Meta); a name that it does not have is
refused with the list of those that it has.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import is_dataclass, replace
from typing import Any, NamedTuple, TypeVar, get_type_hints

import msgspec

from gridlab.core.errors import BadNotation
from gridlab.core.numbers import shortened
from gridlab.core.untrusted import reason_of

Overrides = tuple[tuple[str, str], ...]  # names and values as they were written
Recipe = TypeVar("Recipe")

TRUTH = {"on": True, "off": False, "true": True, "false": False}


class Setting(NamedTuple):
    """A number of a recipe: where it stands, and of which form it is."""

    owner: str  # the field of the recipe that has it as one of its own; empty for the recipe itself
    form: Any


def parse_overrides(settings: Mapping[str, object] | Iterable[str]) -> Overrides:
    """`learning_rate=0.01`, or {"learning_rate": 0.01} -> ("learning_rate", "0.01")."""
    found: dict[str, str] = {}
    for text in _texts(settings):
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise BadNotation(f"{shortened(text)} sets nothing; write it as name=value, learning_rate=0.001 say")
        if name.strip() in found:
            raise BadNotation(f"{name.strip()} is set twice; say it once")
        found[name.strip()] = value.strip()
    return tuple(found.items())


def _texts(settings: Mapping[str, object] | Iterable[str]) -> Iterator[str]:
    """Settings as somebody would type them."""
    if isinstance(settings, Mapping):
        yield from (f"{name}={value}" for name, value in settings.items())
        return
    for text in settings:
        if not isinstance(text, str):
            raise BadNotation(
                f"{shortened(str(text))} is not a setting; write it as name=value, or as a dict of values"
            )
        yield text


def settings_of(recipe: Any, but: Iterable[str] = ()) -> dict[str, Setting]:
    """The numbers of a recipe by name, those of the recipes in it too."""
    found: dict[str, Setting] = {}
    for name, form in get_type_hints(type(recipe), include_extras=True).items():
        value = getattr(recipe, name, None)
        if name in but or name.startswith("_"):
            continue
        if is_dataclass(value) or hasattr(value, "_fields"):
            inside = get_type_hints(type(value), include_extras=True)
            found |= {each: Setting(name, inside[each]) for each in inside}
        elif isinstance(value, (bool, int, float)):
            found[name] = Setting("", form)
    return found


def changed(recipe: Recipe, overrides: Overrides, but: Iterable[str] = ()) -> Recipe:
    """A recipe with some of its numbers changed; `but` these names, which are not to be changed in this way."""
    known = settings_of(recipe, but)
    for name, value in values_of(overrides, {name: each.form for name, each in known.items()}).items():
        owner, change = known[name].owner, {name: value}
        if owner:
            inside: Any = getattr(recipe, owner)
            change = {owner: inside._replace(**change) if hasattr(inside, "_replace") else replace(inside, **change)}
        recipe = replace(recipe, **change)  # type: ignore[type-var]
    return recipe


def values_of(overrides: Overrides, forms: Mapping[str, Any]) -> dict[str, Any]:
    """The values of some names, each of its form."""
    for name, _ in overrides:
        if name not in forms:
            raise BadNotation(f"{shortened(name)} is not a setting here; there are {', '.join(sorted(forms))}")
    return {name: _value(name, text, forms[name]) for name, text in overrides}


def _value(name: str, text: str, form: Any) -> Any:
    try:
        value = msgspec.convert(TRUTH.get(text.lower(), text), form, strict=False)
    except (msgspec.ValidationError, ValueError) as error:
        raise BadNotation(f"{name}={shortened(text)} cannot be: {reason_of(error)}") from error
    if isinstance(value, float) and not math.isfinite(value):
        raise BadNotation(f"{name}={shortened(text)} cannot be: it is not a number")
    return value
