"""Networks of 2048 that learn from the games of others which direction to choose.

settings     what a training is asked to do; which moves are learnt from, and which are kept apart
train        from files of games to a network for players
"""

from gridlab.core.run import import_extra

import_extra("torch", "learn")  # missed in a sentence, whoever comes in by which module
