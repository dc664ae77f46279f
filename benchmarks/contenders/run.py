"""What a contender is: a function that sets something up and returns the run that is timed."""

from collections.abc import Callable

Run = Callable[[], int]  # does something once and tells how many units that were
Contender = Callable[[], Run]  # sets it up


def once(work: Callable[[], object]) -> Run:
    """Something that is done as a whole; once before the clock starts, which compiles it."""

    def run() -> int:
        work()
        return 1

    run()
    return run
