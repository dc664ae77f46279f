"""Complete answers: every position counted, every position listed."""
