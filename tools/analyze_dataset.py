"""Statistics of a dataset of 2048 games, as `gridlab 2048 stats` prints them: python tools/analyze_dataset.py FILE"""

from gridlab.__main__ import main

if __name__ == "__main__":
    main("analyze_dataset.py")
