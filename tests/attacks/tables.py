"""What attacks on the tablebases of both families share: bytes damaged by chance, and commands on damaged files."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tests.attacks.damaging import mutated
from tests.attacks.harness import Attacker, Ending

Damaged = tuple[str, bytes]  # what was done to a file, and what it holds then


def by_chance(data: bytes, number: int, random: np.random.Generator) -> Iterator[Damaged]:
    """The same file, damaged by chance so many times."""
    return ((f"bytes {each}", mutated(data, random)) for each in range(number))


class Commands(NamedTuple):
    """Commands that read t.tb, and what is typed for those that ask."""

    words: tuple[tuple[str, ...], ...]
    typed: str

    def run(self, number: int, attacker: Attacker, folder: Path) -> Ending:
        """One of the commands."""
        (folder / "typed").write_text(self.typed)
        return attacker.attack(*self.words[number % len(self.words)], cwd=folder, stdin=str(folder / "typed"))

    def attack(
        self, damaged: list[Damaged], most: int, attacker: Attacker, folder: Path, random: np.random.Generator
    ) -> None:
        """Run them on some of the files, one command after the other."""
        for each, chosen in enumerate(random.choice(len(damaged), min(most, len(damaged)), replace=False)):
            (folder / "t.tb").write_bytes(damaged[chosen][1])
            self.run(each, attacker, folder)

    def require_success(self, sound: bytes, attacker: Attacker, folder: Path) -> None:
        """The sound file satisfies every command, so that attacks attack something."""
        (folder / "t.tb").write_bytes(sound)
        for number in range(len(self.words)):
            assert self.run(number, attacker, folder).code == 0
