"""How fast positions are counted: the kernel beside its reference implementation, in CPU time, as a ratio.

python benchmarks/census.py [GAME]
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.inarow.exact.reference import census_by_play

from gridlab.games import game
from gridlab.inarow.exact.census import census


def main() -> None:
    rules = game(sys.argv[1] if len(sys.argv) > 1 else "tictactoe5")
    small = game("tictactoe")
    census(small)  # compiled before the clock starts
    begun = time.process_time()
    raw, _, _ = census_by_play(small)
    plain = sum(ply.total() for ply in raw) / (time.process_time() - begun)
    begun = time.process_time()
    counted = census(rules)
    seconds = time.process_time() - begun
    rate = counted.counts.legal / seconds
    print(f"reference implementation  {small}: {plain:,.0f} positions per CPU second")
    print(f"counting       {rules}: {rate:,.0f} positions per CPU second ({seconds:.1f} s of CPU)")
    print(f"ratio          {rate / plain:,.0f}")


if __name__ == "__main__":
    main()
