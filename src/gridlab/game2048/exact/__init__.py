"""Small boards of 2048, solved: the best expected score, or the best chance of a tile, of every board that can be.

layers, solve                   boards by the sum of their tiles, made upwards; their values, worked out downwards
reference                       the same in plain Python, for tiny boards
estimate, file, build           a table of them on disk, and what it takes
probe, sampling, verify, stats  questions to a table; choices: what there is to choose on a board
policy                          the exact mean score of a player
"""
