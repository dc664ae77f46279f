"""Complete datasets of all terminal wins of a game, one of each symmetry orbit."""
