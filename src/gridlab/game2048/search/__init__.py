"""Search in 2048, in the order in which it is read.

evaluators                   what a board looks like: in plain Python, and as tables of lines for kernels
expectimax                   moves and new tiles ahead, by kernels and in plain Python
ntuple, ntuple_search        an n-tuple network, and expectimax over it
mcts                         Monte Carlo tree search
play                         whole games by any of them, by chance, or by a table of a small board, inside one kernel
"""
