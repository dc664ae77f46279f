"""What goes over the wire, in the words of the field: a value is for the player to move, a distance counts plies.

A module for each of the routes of the same name; here what several of them use.
"""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

Side = Literal["X", "O"]
Direction = Literal["up", "down", "left", "right"]

GameText = Annotated[str, Field(max_length=40, description="A name, or rules such as 3x3:3, 5x5:4-3 or 2048:3x3.")]
BoardText = Annotated[str, Field(max_length=400, description="Such as X.O/.X./...; the empty board if it is empty.")]
MoveText = Annotated[str, Field(max_length=5, description="Row and column, both from 1: 23; 2,3 on large boards.")]
PlayerText = Annotated[str, Field(max_length=300, description="Such as perfect, or alpha-beta depth=4.")]
FileName = Annotated[str, Field(max_length=500, description="A file or folder inside the served folder.")]
Seed = Annotated[int, Field(ge=0, le=2**53 - 1)]
Score = Annotated[int, Field(ge=0, le=2**40)]


class ApiModel(BaseModel):
    """What is said of something."""

    @classmethod
    def taken_from(cls, thing: object, **more: Any) -> Self:
        """What the thing itself has under the same names, and more."""
        return cls(**{name: getattr(thing, name) for name in cls.model_fields if name not in more}, **more)


class Told(BaseModel):
    """What is asked for, with nothing else in it."""

    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """Why something was not done, in a sentence."""

    error: str


class RecordLine(BaseModel):
    """A finished game in the format of `gridlab games verify`, or one of 2048 as `gridlab 2048 verify` reads it."""

    line: str
