"""Stages of a game: which one a board is in, and which there can be."""

import numpy as np
import pytest

from gridlab.core.errors import BadNotation
from gridlab.games.game2048.kernels import unpack
from gridlab.games.game2048.stages import Stages, check_stages, packed_stages, parse_stages, stage_of


@pytest.mark.parametrize("stages", [(), (256,), (16384,), (32768,), (512, 4096), (4096, 16384, 32768)])
def test_the_stage_is_that_of_the_largest_tile(stages: Stages) -> None:
    """Every tile alone in every cell, then boards by chance with few large tiles."""
    random = np.random.default_rng(1)
    alone = [exponent << 4 * cell for exponent in range(16) for cell in range(16)]
    mixed = [int(np.bitwise_and.reduce(random.integers(0, 2**64, 3, dtype=np.uint64))) for _ in range(1000)]
    for board in [*alone, *mixed]:
        wanted = sum(max(unpack(board)) >= tile for tile in stages)
        assert stage_of(np.uint64(board), packed_stages(stages)) == wanted


def test_text() -> None:
    assert parse_stages("") == ()
    assert parse_stages("16384") == (16384,)
    assert parse_stages("4096, 16384") == (4096, 16384)
    assert packed_stages((4096, 16384)) == 0xEC
    for text, reason in (("12", "no tiles"), ("x", "no tiles"), ("-256", "no tiles"), ("512 512", "rising order")):
        with pytest.raises(BadNotation, match=reason):
            parse_stages(text)
    with pytest.raises(BadNotation, match="up to 3 tiles"):
        check_stages((256, 512, 1024, 2048))
