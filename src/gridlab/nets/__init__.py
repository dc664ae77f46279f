"""Networks ready to use: features in, values out. With `learn` the only door to torch."""
