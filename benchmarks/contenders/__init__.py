"""The contenders of claims.py: gridlab, its reference implementations and other packages, by what they do.

run            what a contender is
in_a_row       counting, solving and searching in-a-row games
environments   steps of environments, of many games side by side or of one
in_jax         steps of environments that jax compiles
game2048       searching, learning and solving 2048

A contender imports what it needs when it is set up, so that a package that is not installed is missed only there.
"""
