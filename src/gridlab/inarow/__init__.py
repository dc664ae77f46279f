"""In-a-row games: rows × cols boards, a length that wins, optionally a length that loses.

rules, position, solution, lines, report    the game, and what there is to say of a position
kernels, reference                          the game for the compiler, and in plain Python
search/, exact/                             an answer for one position; complete answers
datasets/                                   what is written to disk for others to use
players, match, tournament, records         players against players
questions, grade, exam                      players against the truth
learn/, environment/, terminal              networks, frameworks of others, a game at the terminal
"""
