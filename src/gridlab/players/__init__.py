"""Players, made from text or handed in as objects."""
