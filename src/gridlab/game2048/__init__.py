"""2048: tiles slide and merge, and after every move a 2 or a 4 appears on an empty cell."""
