"""What is written to disk for others to use."""
