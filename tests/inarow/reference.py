"""The games once more, in the plainest Python there is: boards are tuples of 0, 1, 2 and lines are walked.

Nothing here shares a mask or a table with the rest of the package. Slow, and right by inspection: tests hold
every kernel, and `Position` itself, to these functions.
"""

from collections.abc import Iterator

from gridlab.inarow.rules import Rules

Board = tuple[int, ...]


def longest_run(rules: Rules, board: Board, player: int) -> int:
    """The longest row, column or diagonal run of `player` (1 or 2), counted by walking from every cell."""
    longest = 0
    for row in range(rules.rows):
        for col in range(rules.cols):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                length, r, c = 0, row, col
                while 0 <= r < rules.rows and 0 <= c < rules.cols and board[r * rules.cols + c] == player:
                    length, r, c = length + 1, r + down, c + right
                longest = max(longest, length)
    return longest


def outcome(rules: Rules, board: Board) -> str:
    """`ongoing`, `x_wins`, `o_wins` or `draw` of a board that play has led to."""
    for player, wins, loses in ((1, "x_wins", "o_wins"), (2, "o_wins", "x_wins")):
        run = longest_run(rules, board, player)
        if rules.win is not None and run >= rules.win:
            return wins
        if rules.lose is not None and run >= rules.lose:
            return loses
    return "ongoing" if 0 in board else "draw"


def children(rules: Rules, board: Board) -> Iterator[Board]:
    """The boards one move later; none when the game is over."""
    if outcome(rules, board) != "ongoing":
        return
    player = 1 if board.count(1) == board.count(2) else 2
    for cell, value in enumerate(board):
        if value == 0:
            yield (*board[:cell], player, *board[cell + 1 :])


def positions_by_play(rules: Rules) -> list[dict[Board, int]]:
    """For every ply the boards that play reaches, each with the number of ways to reach it."""
    plies: list[dict[Board, int]] = [{(0,) * rules.cells: 1}]
    while plies[-1]:
        following: dict[Board, int] = {}
        for board, ways in plies[-1].items():
            for child in children(rules, board):
                following[child] = following.get(child, 0) + ways
        plies.append(following)
    return plies[:-1]


def canonical(rules: Rules, board: Board) -> Board:
    """The smallest of the board's images, made by flipping and transposing its rows."""
    rows = [board[start : start + rules.cols] for start in range(0, rules.cells, rules.cols)]
    images = []
    for turned in (rows, list(zip(*rows, strict=True))) if rules.rows == rules.cols else (rows,):
        for upright in (turned, turned[::-1]):
            images.append(sum((tuple(row) for row in upright), ()))
            images.append(sum((tuple(row[::-1]) for row in upright), ()))
    return min(images)
