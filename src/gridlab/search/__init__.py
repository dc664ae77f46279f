"""An answer for one position, by looking ahead."""
