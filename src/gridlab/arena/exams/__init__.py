"""Exams: the same questions for every player, answered anywhere, marked against the truth."""
