"""What is needed to train a network."""
