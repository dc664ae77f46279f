"""Complete answers: every position counted, every position listed, every win, every value."""
