"""A small, real piece of everything that gridlab does, with a report to look at."""
