"""Ways to damage what is on a disk: bytes by chance, and JSON field by field."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from gridlab.core.errors import GridlabError
from tests.attacks.harness import tried

DEEP = "[" * 100_000 + "]" * 100_000
RAW = {"@deep": DEEP, "@digits": "9" * 5000, "@huge": "1e999", "@nan": "NaN", "@open": "[[["}  # not what json can write
Path = tuple[str | int, ...]  # keys from the outside in
VALUES: tuple[Any, ...] = (0, 1, -1, 2**31, 2**63, 2**64, 1e300, 0.5, "x", "", "\0", None, [], {}, True, *RAW)


def mutated(data: bytes, random: np.random.Generator) -> bytes:
    """The same bytes, damaged in one to three places."""
    tried("files damaged by chance")
    for _ in range(random.integers(1, 4)):
        data = bytes(_damage(bytearray(data), random))
    return data


def _damage(data: bytearray, random: np.random.Generator) -> bytearray:
    if not data:
        return bytearray(random.bytes(8))
    at, length = int(random.integers(len(data))), int(random.integers(1, 64))
    piece = data[at : at + length]
    match int(random.integers(7)):
        case 0:
            data[at] ^= 1 << int(random.integers(8))
        case 1:
            data[at] = int(random.choice([0, 1, 127, 128, 255]))
        case 2:
            del data[at:]
        case 3:
            del data[at : at + length]
        case 4:
            data[at:at] = random.bytes(length)
        case 5:
            to = int(random.integers(len(data)))
            data[to : to + length], data[at : at + length] = piece, data[to : to + length]
        case _:
            data[at : at + length] = bytes(len(piece))
    return data


@dataclass(frozen=True)
class Change:
    """Something done to one place of JSON."""

    name: str
    content: Any
    path: Path
    change: Callable[[Any], Any]

    def text(self) -> bytes:
        """The JSON after it."""
        copy: Any = [json.loads(json.dumps(self.content))]
        place, (*way, last) = copy, (0, *self.path)
        for key in way:
            place = place[key]
        place[last] = self.change(place[last])
        text = json.dumps(copy[0])
        for mark, raw in RAW.items():
            text = text.replace(f'"{mark}"', raw)
        return text.encode()


def changes(content: Any) -> Iterator[Change]:
    """One thing at a time: every field to every value, left out, given twice, and strangers added."""
    for path in paths_of(content):
        found = at(content, path)
        for name, change in [*_values(found), *_rearranged(found)]:
            yield Change(f"{path} {name}", content, path, change)


def some_changes(content: Any, number: int, random: np.random.Generator) -> list[Change]:
    """A few of them, by chance."""
    every = list(changes(content))
    return [every[each] for each in random.choice(len(every), min(number, len(every)), replace=False)]


def _values(found: Any) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    for value in VALUES:
        if json.dumps(value) != json.dumps(found):
            yield f"= {str(value)[:20]}", partial(_take, value)
    if isinstance(found, int) and not isinstance(found, bool):
        yield "+ 1", lambda old: old + 1
        yield "- 1", lambda old: old - 1


def _rearranged(found: Any) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    if isinstance(found, list) and found:
        yield "doubled", lambda old: old + old
        yield "shortened", lambda old: old[:-1]
        if found != found[::-1]:
            yield "reversed", lambda old: old[::-1]
    if isinstance(found, dict):
        yield "with a stranger", lambda old: {**old, "stranger": 1}
        for key in found:
            yield f"without {key}", partial(_without, key)


def _take(value: Any, old: Any) -> Any:
    return value


def _without(key: str, old: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in old.items() if name != key}


def paths_of(content: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    inside = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, value in inside:
        yield from paths_of(value, (*path, key))


def at(content: Any, path: Path) -> Any:
    for key in path:
        content = content[key]
    return content


def answer_of(question: Callable[[], Any]) -> Any:
    """What a question comes to: an answer, or GridlabError and nothing else."""
    tried("questions")
    try:
        return question()
    except GridlabError as error:
        said = str(error)
    assert said.strip()
    assert len(said) < 2000
    return GridlabError
