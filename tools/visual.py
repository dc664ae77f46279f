"""The winning lines of a game and their base masks, as `gridlab lines` draws them: python tools/visual.py [GAME]"""

import sys

from gridlab.__main__ import main

if __name__ == "__main__":
    sys.argv[1:] = sys.argv[1:] or ["tictactoe5"]
    main("visual.py")
