"""What the server offers."""

from typing import Literal

from pydantic import BaseModel, Field


class Health(BaseModel):
    """Whether the server answers."""

    status: Literal["ok"]
    version: str
    behaviour: int


class NamedGame(BaseModel):
    """A game with a name."""

    name: str
    rules: str
    family: str


class LabInfo(BaseModel):
    """What this server offers."""

    version: str
    behaviour: int
    games: list[NamedGame]
    folder: str
    learning: bool  # whether networks can be asked
    commands: bool  # whether players may start programs


class Setting(BaseModel):
    """A setting of a player."""

    name: str
    default: str | int | float
    kind: Literal["whole", "real", "text"]


class PlayerKind(BaseModel):
    """A kind of player."""

    name: str
    about: str
    settings: list[Setting]
    reason: str = Field(description="Why it cannot play this game here; empty if it can.")
