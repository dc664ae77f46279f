"""Players against players: games on record, matches, ratings, tournaments."""
