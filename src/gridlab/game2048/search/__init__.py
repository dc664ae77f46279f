"""Search in 2048, in the order in which it is read.

evaluators                   what a board looks like: in plain Python, and as tables of lines for kernels
expectimax                   moves and new tiles ahead; reference does it in plain Python
ntuple, ntuple_search        an n-tuple network, and expectimax over it
mcts                         Monte Carlo tree search
random_moves, table_moves    no search at all; what a table of a small board says
play                         whole games by any of them, inside one kernel
"""
