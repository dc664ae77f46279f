"""Players that learn. The only door to torch; nothing here knows of players or matches."""
