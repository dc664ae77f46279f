"""A dataset of 2048 games, as `gridlab 2048 generate` makes it: python generate_dataset.py --games 500"""

import sys

from gridlab.__main__ import main

if __name__ == "__main__":
    main(["2048", "generate", *sys.argv[1:]])
