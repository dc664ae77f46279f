"""In-a-row games for the frameworks of others."""
