"""Networks of 2048 that learn from the games of others which direction to choose."""

from gridlab.core.run import import_extra

import_extra("torch", "learn")  # missed in a sentence, whoever comes in by which module
