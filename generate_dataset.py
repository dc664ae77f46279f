"""A dataset of 2048 games, as `gridlab 2048 generate` makes it: python generate_dataset.py --games 500"""

import sys

from gridlab.cli import run

if __name__ == "__main__":
    sys.exit(run(["2048", "generate", *sys.argv[1:]]))
