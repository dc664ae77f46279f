"""Small boards of 2048, solved: the best expected score, or the best chance of a tile, of every board that can be.

layers                      boards by the sum of their tiles, made upwards; their values, worked out downwards
file, build                 a table of them on disk, and what it takes
probe, sampling, verify     questions to a table; boards drawn from it; whether it is right, and what it says as a whole
policy                      the exact mean score of a player
tables                      what the registry of games asks for
"""
