"""Best-first search from and to files."""
