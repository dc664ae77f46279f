"""2048: tiles slide and merge, and after every move a 2 or a 4 appears on an empty cell.

rules, position              the game, in plain Python
kernels                      the game for the compiler, and many games at once
search/, exact/              a move for one board; small boards, solved
records, datasets/           a played game, read from files that anybody may have written; many of them
players                      who plays
evaluate, grade, exam        how well
learn/, environment/, terminal    networks, frameworks of others, a game at the terminal
"""
