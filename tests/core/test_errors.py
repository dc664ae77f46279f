"""Errors travel between processes as what they are."""

import pickle

import pytest

from gridlab.core import errors
from gridlab.core.errors import GridlabError, IllegalPosition
from gridlab.inarow.position import Flaw

KINDS = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, GridlabError)]


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_can_be_pickled(kind: type[GridlabError]) -> None:
    error = IllegalPosition("a sentence", Flaw.OVERLAP) if kind is IllegalPosition else kind("a sentence")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert str(copy) == "a sentence"
    assert getattr(copy, "flaw", None) is getattr(error, "flaw", None)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_quoted_does_not_flood_the_screen(kind: type[GridlabError]) -> None:
    """The beginning says what is wrong, the end what would be right."""
    said = f"{'x' * 100_000!r} is not a game; name one of these"
    error = IllegalPosition(said, Flaw.OVERLAP) if kind is IllegalPosition else kind(said)
    assert len(str(error)) < 2000
    assert str(error).startswith("'xxx")
    assert str(error).endswith("x' is not a game; name one of these")
