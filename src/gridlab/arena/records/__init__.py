"""Games on record: what was played, as a line of JSON, and whether it is true."""
