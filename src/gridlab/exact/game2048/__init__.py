"""Small boards of 2048, solved: the best expected score, or the best chance of a tile, of every board that can be.

layers                  boards by the sum of their tiles, made upwards; their values, worked out downwards
reference               the same in plain Python, for tiny boards
"""
