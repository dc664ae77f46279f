"""What is written to disk for others to use: all terminal wins, and the files of best-first search."""
