"""Players against players and against the truth: matches, ratings, tournaments, grades, games on record."""
