"""Networks of Squava: used, and trained by deep Q-learning of a state value.

features, networks, judge                   a position as numbers, the network and its files, what it says in a search
settings, episodes, dqn, training           what a training is asked for, its games, its steps, all of it
"""
