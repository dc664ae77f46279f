"""Numbers that people write: one way to read each kind, for commands, rules, players and files alike."""

from gridlab.core.errors import BadNotation

MOST = 2**63 - 1
LONGEST = 24  # characters of a number; nobody means more


def whole_number(text: str, low: int = 0, high: int = MOST) -> int:
    """A whole number in a range.

    >>> whole_number("12", 1, 100)
    12
    >>> whole_number("½", 1, 100)
    Traceback (most recent call last):
    gridlab.core.errors.BadNotation: '½' is not a whole number from 1 to 100
    """
    digits = text.strip().removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) <= LONGEST and low <= int(text) <= high:
        return int(text)
    raise BadNotation(f"{shortened(text)} is not a whole number from {low} to {'2^63 - 1' if high == MOST else high}")


def check_seed(seed: int) -> int:
    """A seed; random numbers come from nothing else."""
    if not 0 <= seed <= MOST:
        raise BadNotation(f"{shortened(str(seed))} is not a seed; a whole number from 0 to 2^63 - 1 is needed")
    return seed


def number_ranges(text: str, low: int, high: int, what: str) -> list[int]:
    """A list of numbers and ranges, ascending and each once; the size of the list is known before it is made.

    >>> number_ranges("9-12,25,9", 1, 25, "plies")
    [9, 10, 11, 12, 25]
    """
    found: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        try:
            begin = whole_number(first, low, high)
            end = whole_number(last, low, high) if dash else begin
        except BadNotation as error:
            raise BadNotation(
                f"{shortened(text)} is not a list of {what} such as 9, 9-25 or 9-12,25: {error}"
            ) from error
        if end < begin:
            raise BadNotation(f"{shortened(text)} is not a list of {what}: {begin}-{end} runs backwards")
        found.update(range(begin, end + 1))
    return sorted(found)


def shortened(text: str, most: int = 40) -> str:
    """Text for a sentence, in quotation marks; its beginning if it is long."""
    return repr(text if len(text) <= most else f"{text[:most]}…")


def counted(number: int, noun: str, plural: str = "") -> str:
    """How many of something.

    >>> counted(1, "game"), counted(1500, "game"), counted(0, "ply", "plies")
    ('1 game', '1,500 games', '0 plies')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
