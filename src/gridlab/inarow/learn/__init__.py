"""Deep Q-learning of a state value for Squava."""
