"""Strong solutions: the value and distance of every position of an in-a-row game with up to 25 cells."""
