"""Statistics of a dataset of 2048 games, as `gridlab 2048 stats` prints them: python tools/analyze_dataset.py FILE"""

import sys

from gridlab.cli import run

if __name__ == "__main__":
    sys.exit(run(["2048", "stats", *sys.argv[1:]]))
