"""Trained networks, ready to judge."""

from pathlib import Path

import torch

from gridlab.games.mnk.rules import Rules
from gridlab.learn import checkpoint
from gridlab.learn.features import lines_of
from gridlab.learn.judge import Judge


def load_judge(path: Path | str, rules: Rules) -> Judge:
    """The network of a checkpoint; the one that comes with the package if none is named. It uses one core."""
    lines_of(rules)  # another game is told before a file is looked for
    torch.set_num_threads(1)
    return Judge(checkpoint.read(path or checkpoint.SHIPPED, str(rules)).network().eval(), rules)
