"""Frameworks of others: games as environments of Gymnasium and PettingZoo, players as bots of OpenSpiel and back.

Importing this package registers its environments where their library is installed:

    gymnasium    gridlab/2048-v0, gridlab/InARow-v0      make and make_vec
    pettingzoo   gridlab/InARow-v0                       make("aec", …)
"""

from importlib import import_module
from importlib.util import find_spec

SINGLE = {
    "gridlab/2048-v0": ("gridlab.game2048.environment.gym:Env2048", "gridlab.game2048.environment.gym:Vector2048"),
    "gridlab/InARow-v0": ("gridlab.inarow.environment.gym:InARowEnv", "gridlab.inarow.environment.gym:VectorInARow"),
}
AEC = "gridlab/InARow-v0"


def register() -> None:
    """Make the environments known to the libraries that are there."""
    if find_spec("gymnasium"):
        gymnasium = import_module("gymnasium")
        for name, (single, vector) in SINGLE.items():
            if name not in gymnasium.registry:
                gymnasium.register(name, entry_point=single, vector_entry_point=vector)
    if find_spec("pettingzoo"):
        pettingzoo = import_module("pettingzoo")
        if AEC not in pettingzoo.aec_registry:
            pettingzoo.register("aec", AEC, entry_point="gridlab.inarow.environment.pettingzoo:env")


register()
