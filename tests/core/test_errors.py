"""Errors travel between processes as what they are."""

import pickle

import pytest

from gridlab.core import errors
from gridlab.core.errors import GridlabError, IllegalPosition
from gridlab.games.mnk.legality import Flaw

KINDS = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, GridlabError)]


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_can_be_pickled(kind: type[GridlabError]) -> None:
    error = IllegalPosition("a sentence", Flaw.OVERLAP) if kind is IllegalPosition else kind("a sentence")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert str(copy) == "a sentence"
    assert getattr(copy, "flaw", None) is getattr(error, "flaw", None)
