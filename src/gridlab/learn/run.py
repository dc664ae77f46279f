"""What every training shares: where it stands, where it is kept, how it stops, and settings named and changed."""

import logging
import math
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, is_dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_type_hints

import msgspec

from gridlab.core.arguments import check_seed, shortened
from gridlab.core.errors import BadNotation, CorruptFile, FileTrouble, GridlabError, MissingExtra
from gridlab.core.run import SIGNALS
from gridlab.core.untrusted import reason_of, refusing

# ---- `--setting name=value`: any number of a recipe named and changed, the same for every trainer
#
#     changed(settings, parse_overrides(["learning_rate=0.01", "gamma=0.9"]))
#
# A recipe is a dataclass whose numbers have their ranges written at them (msgspec.Meta); a name that it does not have
# is refused with the list of those that it has.


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


# ---- What somebody has said of a training, and what a training that is gone on with was begun with


@dataclass(frozen=True)
class Asked:
    """What was said; the rest is left to the preset, to the method, or to the training that is gone on with."""

    said: dict[str, Any] = field(default_factory=dict)  # by options
    seed: int | None = None
    more: Overrides = ()  # by `--setting`

    @classmethod
    def of(cls, settings: Mapping[str, object] | Iterable[str], seed: int | None = None, **options: Any) -> "Asked":
        """What is None was not said."""
        said = {name: value for name, value in options.items() if value is not None}
        return cls(said, None if seed is None else check_seed(seed), parse_overrides(settings))

    @property
    def with_seed(self) -> dict[str, Any]:
        return self.said if self.seed is None else self.said | {"seed": self.seed}


def read_settings(found: dict[str, Any], form: type[Recipe], path: Path, strict: bool = True) -> Recipe:
    """The settings that a file of a training holds; one that is missing has its usual value."""
    with refusing(path, "a training to go on from"):
        settings = msgspec.convert(found, form, strict=strict)
    if unknown := set(found) - set(get_type_hints(form)):
        raise CorruptFile(f"{path} is not a training to go on from: it has a setting {shortened(min(unknown))}")
    return settings


def require_same(
    begun: Mapping[str, Any], wanted: Mapping[str, Any], path: object, remedy: str = "leave it out, or start again",
    error: type[GridlabError] = FileTrouble,
) -> None:  # fmt: skip
    """Refuse to go on with other settings than a training was begun with; what is not wanted is as it was."""
    for name, was in begun.items():
        if (now := wanted.get(name, was)) != was:
            raise error(f"{path} was begun with {name} {_said(was)}, not {_said(now)}; {remedy.format(name=name)}")


def _said(value: object) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


# ---- How a training tells where it stands, where it is kept, and how it hears of Ctrl-C


SAVE_EVERY = 300.0  # seconds
PICTURES = logging.getLogger("gridlab.pictures")  # hears of those that were not drawn


def training_of(path: Path) -> Path:
    """Where the training of a network is kept to go on from."""
    return path.with_name(f"{path.name}.training")


def require_new(training: Path, place: str = "file") -> None:
    """A new training begins where there is none."""
    if training.exists():
        raise FileTrouble(f"{training} is there already; --resume goes on from it, or name another {place}")


@contextmanager
def where_extras_allow() -> Iterator[None]:
    """A picture that cannot be drawn for want of a library is missed in a warning, and the training is kept."""
    try:
        yield
    except MissingExtra as missing:
        PICTURES.warning(str(missing))


@contextmanager
def saving_first(save: Callable[[], object], is_whole: Callable[[], bool]) -> Iterator[None]:
    """Whatever ends a training, what was learnt is saved before it goes up.

    An error in the middle of a step has left the network half changed, or is that of a network that is ruined: then
    what was saved before stays.
    """
    try:
        yield
    except BaseException:
        if is_whole():
            with suppress(FileTrouble):  # the first trouble is the one to tell
                save()
        raise


def advance(bar: Any, done: float, state: str) -> None:
    """So much is done of what the bar counts, and this is what the training says of itself."""
    bar.set_postfix_str(state, refresh=False)
    bar.update(max(0, round(min(done, bar.total or done)) - bar.n))  # a clock may have gone on


@contextmanager
def asked_to_stop() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed, which is asked between two steps; pressed twice, it interrupts at once."""
    pressed: list[int] = []

    def press(number: int, frame: Any) -> None:
        pressed.append(number)
        if len(pressed) > 1:
            raise KeyboardInterrupt

    before = {number: handler for number in SIGNALS if callable(handler := signal.getsignal(number))}
    for number in before:
        signal.signal(number, press)
    try:
        yield lambda: bool(pressed)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
