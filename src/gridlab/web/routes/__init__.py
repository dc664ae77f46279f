"""The routes under /api/v1: each parses, calls one function of the library, and answers."""
