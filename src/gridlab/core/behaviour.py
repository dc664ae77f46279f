"""The version of results: it changes when they do, not when speed does. Datasets carry it."""

BEHAVIOUR = 1
