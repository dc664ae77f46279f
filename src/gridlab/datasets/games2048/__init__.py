"""Played games of 2048 as datasets, in the order in which it is read; a single game is arena.records.game2048.

curriculum             which part of a game is recorded, and where games stop
table_files, files     games as tables; files of any format
reader                 games for training: random access, batches, symmetries
stats, verify, split   what a file comes to, whether it is sound, its three parts
journal, settings      what a run has played so far, and what it was asked for
generate               games played, checked, written, resumed
"""
