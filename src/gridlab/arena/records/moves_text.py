"""Moves as JSON text, written and read by kernels, many times as fast as by the json module.

    {"board":[[2,0,0,0],[0,0,0,2],[0,0,0,0],[0,0,0,0]],"direction":"left","score":0},{…

The reader knows this form alone (with spaces where JSON allows them); whatever else stands there is left to
msgspec (game2048_reading), which also says what is wrong.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import lowest_cell, popcount
from gridlab.core.jit import kernel
from gridlab.core.text import write_byte, write_bytes, write_number
from gridlab.games.game2048.kernels import FIFTEEN, FOUR, Boards, walls_of
from gridlab.games.game2048.reference import DIRECTIONS
from gridlab.games.game2048.rules import Rules2048

Text = NDArray[np.uint8]

LONGEST = 176  # bytes of a move: 16 tiles of 5 digits, a score of 19, and what stands between them
WORDS = np.frombuffer(b"".join(f'"{name}"'.encode().ljust(8) for name in DIRECTIONS), np.uint8).reshape(4, 8)
BOARD = np.frombuffer(b'{"board":[[', np.uint8)
DIRECTION = np.frombuffer(b']],"direction":', np.uint8)
SCORE = np.frombuffer(b',"score":', np.uint8)
NEXT_ROW = np.frombuffer(b"],[", np.uint8)
KEY_BOARD = np.frombuffer(b'"board"', np.uint8)
KEY_DIRECTION = np.frombuffer(b'"direction"', np.uint8)
KEY_SCORE = np.frombuffer(b'"score"', np.uint8)
# As uint8, because kernels would be compiled once more for every plain number that they are called with.
SPACE, TAB, LINE_FEED, RETURN, QUOTE = np.frombuffer(b' \t\n\r"', np.uint8)
COMMA, COLON, OPEN, CLOSE, OPEN_BRACE, CLOSE_BRACE = np.frombuffer(b",:[]{}", np.uint8)
ZERO_DIGIT, NINE_DIGIT = b"09"
WRONG = -1
STANDARD = Rules2048()


class BoardShape(NamedTuple):
    """What a board is read into."""

    rows: int
    cols: int
    walls: np.uint64
    largest: int  # tile


def moves_text(
    boards: Boards, directions: NDArray[np.int8], scores: NDArray[np.int64], rules: Rules2048 = STANDARD
) -> bytes:
    """The moves of a game, without the brackets of the list."""
    room = np.empty(LONGEST * len(boards), np.uint8)
    return room[: write_moves(boards, directions, scores, rules.rows, rules.cols, room, 0)].tobytes()


def rows_text(
    number: int, boards: Boards, directions: NDArray[np.int8], scores: NDArray[np.int64], end: bytes
) -> bytes:
    """The same as lines of a table: number of the game, of the move, 16 tiles, direction, score, and this end."""
    room = np.empty((LONGEST + len(end)) * len(boards), np.uint8)
    ending = np.frombuffer(end, np.uint8)
    return room[: write_rows(number, boards, directions, scores, ending, room, 0)].tobytes()


def moves_of(
    text: bytes, count: int, rules: Rules2048 = STANDARD
) -> tuple[Boards, NDArray[np.int8], NDArray[np.int64]] | None:
    """The moves of such a text, if it holds exactly `count` of them in this form; else None."""
    if count > len(text) // 45:  # no move is as short
        return None
    boards, directions = np.empty(count, np.uint64), np.empty(count, np.int8)
    scores = np.empty(count, np.int64)
    shape = BoardShape(rules.rows, rules.cols, np.uint64(walls_of(rules)), rules.largest or 0)
    whole = read_moves(np.frombuffer(text, np.uint8), 0, shape, boards, directions, scores)
    return (boards, directions, scores) if whole else None


@kernel
def write_moves(
    boards: Boards, directions: NDArray[np.int8], scores: NDArray[np.int64], rows: int, cols: int, text: Text,
    place: int,
) -> int:  # fmt: skip
    for i in range(len(boards)):
        if i > 0:
            place = write_byte(COMMA, text, place)
        place = write_bytes(BOARD, text, place)
        for row in range(rows):
            line = boards[i] >> np.uint64(16 * row)
            for col in range(cols):
                if row > 0 and col == 0:
                    place = write_bytes(NEXT_ROW, text, place)
                elif col > 0:
                    place = write_byte(COMMA, text, place)
                exponent = int(np.int64(line & FIFTEEN))
                place = write_number(1 << exponent if exponent > 0 else 0, text, place)
                line >>= FOUR
        place = write_bytes(DIRECTION, text, place)
        for letter in WORDS[directions[i]]:
            if letter != SPACE:
                place = write_byte(letter, text, place)
        place = write_bytes(SCORE, text, place)
        place = write_number(scores[i], text, place)
        place = write_byte(CLOSE_BRACE, text, place)
    return place


@kernel
def write_rows(
    number: int, boards: Boards, directions: NDArray[np.int8], scores: NDArray[np.int64], end: Text, text: Text,
    place: int,
) -> int:  # fmt: skip
    for i in range(len(boards)):
        place = write_byte(COMMA, text, write_number(number, text, place))
        place = write_byte(COMMA, text, write_number(i, text, place))
        board = boards[i]
        for _ in range(16):
            exponent = int(np.int64(board & FIFTEEN))
            place = write_byte(COMMA, text, write_number(1 << exponent if exponent > 0 else 0, text, place))
            board >>= FOUR
        for letter in WORDS[directions[i]]:
            if letter != SPACE and letter != QUOTE:
                place = write_byte(letter, text, place)
        place = write_byte(COMMA, text, place)
        place = write_byte(COMMA, text, write_number(scores[i], text, place))
        place = write_bytes(end, text, place)
    return place


@kernel
def read_moves(
    text: Text, place: int, shape: BoardShape, boards: Boards, directions: NDArray[np.int8], scores: NDArray[np.int64]
) -> bool:
    """Whether the text is as many moves as there is room for, and nothing else."""
    for i in range(len(boards)):
        if i > 0:
            place = pass_byte(text, place, COMMA)
        place = pass_byte(text, place, OPEN_BRACE)
        place = pass_byte(text, pass_bytes(text, place, KEY_BOARD), COLON)
        place, boards[i] = read_board(text, place, shape)
        place = pass_byte(text, pass_bytes(text, pass_byte(text, place, COMMA), KEY_DIRECTION), COLON)
        place, directions[i] = read_direction(text, place)
        place = pass_byte(text, pass_bytes(text, pass_byte(text, place, COMMA), KEY_SCORE), COLON)
        place, scores[i] = read_number(text, place)
        place = pass_byte(text, place, CLOSE_BRACE)
        if place < 0:
            return False
    return pass_spaces(text, place) == len(text)


@kernel
def pass_spaces(text: Text, place: int) -> int:
    """The next place that is no space."""
    if place < 0:
        return WRONG
    while place < len(text) and text[place] in (SPACE, TAB, LINE_FEED, RETURN):
        place += 1
    return place


@kernel
def pass_byte(text: Text, place: int, byte: int) -> int:
    """The place behind this byte, or WRONG if it is not there."""
    place = pass_spaces(text, place)
    return place + 1 if 0 <= place < len(text) and text[place] == byte else WRONG


@kernel
def pass_bytes(text: Text, place: int, wanted: Text) -> int:
    place = pass_spaces(text, place)
    if place < 0 or place + len(wanted) > len(text):
        return WRONG
    for i in range(len(wanted)):
        if text[place + i] != wanted[i]:
            return WRONG
    return place + len(wanted)


@kernel
def read_number(text: Text, place: int) -> tuple[int, int]:
    """The place behind a whole number as JSON writes it, and the number."""
    begin = pass_spaces(text, place)
    if begin < 0:
        return WRONG, 0
    number, place = 0, begin
    while place < len(text) and ZERO_DIGIT <= text[place] <= NINE_DIGIT and place < begin + 18:
        number = 10 * number + int(text[place]) - ZERO_DIGIT
        place += 1
    zeros = place > begin + 1 and text[begin] == ZERO_DIGIT
    return (WRONG, 0) if place == begin or zeros else (place, number)


@kernel
def read_board(text: Text, place: int, shape: BoardShape) -> tuple[int, np.uint64]:
    """The place behind a board, and the board."""
    board = shape.walls
    place = pass_byte(text, place, OPEN)
    for row in range(shape.rows):
        shift = np.uint64(16 * row)
        place = pass_byte(text, place if row == 0 else pass_byte(text, place, COMMA), OPEN)
        for col in range(shape.cols):
            place, tile = read_number(text, place if col == 0 else pass_byte(text, place, COMMA))
            if tile == 1 or tile > shape.largest or popcount(tile) > 1:
                return WRONG, board
            if tile > 0:
                board |= np.uint64(lowest_cell(tile)) << shift
            shift += FOUR
        place = pass_byte(text, place, CLOSE)
    return pass_byte(text, place, CLOSE), board


@kernel
def read_direction(text: Text, place: int) -> tuple[int, int]:
    """The place behind a direction in quotes, and its number."""
    place = pass_spaces(text, place)
    if place < 0 or place + 8 > len(text):
        return WRONG, 0
    for direction in range(4):
        length = 0
        while length < 8 and WORDS[direction, length] != SPACE and text[place + length] == WORDS[direction, length]:
            length += 1
        if length == 8 or WORDS[direction, length] == SPACE:
            return place + length, direction
    return WRONG, 0
