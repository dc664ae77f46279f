"""What a player from outside said when it was asked for a move: every try, with its text, its tokens and its time."""

from typing import Annotated

import msgspec

from gridlab.core.untrusted import Count

MOST_TEXT = 4000  # characters of a text that are kept
MOST_TRIES = 100  # at one question

Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
Kept = Annotated[str, msgspec.Meta(max_length=MOST_TEXT)]


class Try(msgspec.Struct, frozen=True, omit_defaults=True):
    """One answer."""

    answer: Kept  # as it came
    seconds: Seconds
    text: Kept = ""
    tokens: Count | None = None
    error: Kept = ""  # what was wrong with it


def cut(text: str) -> str:
    """As much of a text as is kept."""
    return text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 1] + "…"
