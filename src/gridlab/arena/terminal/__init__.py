"""Games in the terminal: what is printed and what is typed."""
