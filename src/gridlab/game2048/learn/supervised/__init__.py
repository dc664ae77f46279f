"""Networks of 2048 that learn from the games of others which direction to choose.

settings        what a training is asked to do
data            which moves are learnt from, and which are kept apart
measuring       accuracy by phase of the game, confusion of directions
learner         a network that is being trained, with all that it needs to go on
curves          the picture of a training
train           from files of games to a network for players
"""

from gridlab.core.machine import import_extra

import_extra("torch", "learn")  # missed in a sentence, whoever comes in by which module
