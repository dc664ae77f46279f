"""Curves are drawn only where they are looked at."""

from tests.learn.conftest import drawn, undrawn

__all__ = ["drawn", "undrawn"]
