"""Played games of 2048 as datasets, in the order in which it is read; a single game is game2048.records.

curriculum                  which part of a game is recorded, and where games stop
columns, table_rows         a game as columns, and back
csv_table, parquet_table,   games as tables; Parquet and HDF5 are read by programs in quarantine
  array_tables, *_program
table_files, json_array,    files of any format
  files
reader                      games for training: random access, batches, symmetries
moves_file, sampling, moves single moves for training, of any format: mapped into memory, a dataset for PyTorch
stats, verify, split        what a file comes to, whether it is sound, its three parts
journal, settings           what a run has played so far, and what it was asked for
extend, teller              a finished file that gets more games; what is told of games while they are played
generate                    games played, checked, written, resumed
"""
