"""Search in 2048."""
