"""Played games of 2048 as datasets: made, read, verified, counted, split, exported."""
