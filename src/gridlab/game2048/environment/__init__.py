"""2048 for the frameworks of others."""
