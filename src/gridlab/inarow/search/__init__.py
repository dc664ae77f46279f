"""Search in in-a-row games."""
