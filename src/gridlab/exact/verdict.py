"""What the verification of a tablebase found, whichever family it is of."""

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any

FULL = "--full checks all of them"


@dataclass(frozen=True)
class Verdict(ABC):
    """What was looked at, and what is wrong with it; a family adds what it has counted, and says so."""

    file: str
    rules: str
    full: bool
    remarks: tuple[str, ...]
    complaints: tuple[str, ...]

    @property
    @abstractmethod
    def looked_at(self) -> str:
        """How much of what, in a few words."""

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return asdict(self) | {"sound": not self.complaints}

    def __str__(self) -> str:
        verdict = "sound" if not self.complaints else f"{len(self.complaints)} things are wrong"
        wrong = (f"wrong: {each}" for each in self.complaints)
        return "\n".join([f"{self.file}: {self.rules}, {self.looked_at}", *self.remarks, *wrong, verdict])
