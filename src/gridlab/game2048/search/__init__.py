"""Search in 2048, in the order in which it is read.

spec_evaluator, rows_evaluator   what a board looks like, in plain Python
evaluators                       both as tables of lines, for kernels
last_plies, expectimax           moves and new tiles ahead; reference is the same in plain Python
random_moves, table_moves        no search at all; what a table of a small board says
play                             whole games by any of them, inside one kernel
"""
