"""Networks ready to use: features in, values out. With `learn` the only package that imports torch."""
