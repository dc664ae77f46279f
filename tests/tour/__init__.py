"""The tour."""
