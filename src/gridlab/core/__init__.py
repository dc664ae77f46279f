"""What everything stands on: errors, the compiler, files, workers, progress, drawing. Nothing here knows a game."""
