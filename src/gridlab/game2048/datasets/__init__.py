"""Played games of 2048 as datasets, in the order in which it is read; a single game is game2048.records.

columns, tables, files      a game as columns; tables of them as CSV, Parquet, HDF5 and NPZ; files of any format
moves                       games and single moves for training, a dataset for PyTorch
verify, split               whether a file is sound, and what it comes to; its three parts
settings                    what a run was asked for, and what it has played so far
generate                    games played, checked, written, resumed; a finished file gets more
"""
