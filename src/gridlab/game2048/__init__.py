"""2048: tiles slide and merge, and after every move a 2 or a 4 appears on an empty cell.

rules, position                             the game
kernels, reference, replay                  the game for the compiler, in plain Python, and many games at once
search/, exact/                             a move for one board; small boards, solved
records, reading, datasets/                 a played game, read from files that anybody may have written; many of them
players                                     who plays
evaluate, grade, small_boards, exam         how well
learn/, environment/, terminal              networks, frameworks of others, a game at the terminal
"""
