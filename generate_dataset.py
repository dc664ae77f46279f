"""A dataset of 2048 games, as `gridlab 2048 generate` makes it: python generate_dataset.py --games 500"""

from gridlab.__main__ import main

if __name__ == "__main__":
    main("generate_dataset.py")
