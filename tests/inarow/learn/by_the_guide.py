"""The document's features as it writes them: a board of lists, patterns as lists of cells, counted one by one.

Shares nothing with the package.
"""

Board = list[list[int]]  # 0 empty, 1 the player to move, 2 the opponent
Pattern = list[tuple[int, int]]


def win_patterns() -> list[Pattern]:
    patterns = []
    for row in range(5):
        for start_col in range(2):
            patterns.append([(row, start_col + i) for i in range(4)])
    for col in range(5):
        for start_row in range(2):
            patterns.append([(start_row + i, col) for i in range(4)])
    for start_row in range(2):
        for start_col in range(2):
            patterns.append([(start_row + i, start_col + i) for i in range(4)])
        for start_col in range(3, 5):
            patterns.append([(start_row + i, start_col - i) for i in range(4)])
    return patterns


def lose_patterns() -> list[Pattern]:
    patterns = []
    for row in range(5):
        for start_col in range(3):
            patterns.append([(row, start_col + i) for i in range(3)])
    for col in range(5):
        for start_row in range(3):
            patterns.append([(start_row + i, col) for i in range(3)])
    for start_row in range(3):
        for start_col in range(3):
            patterns.append([(start_row + i, start_col + i) for i in range(3)])
            patterns.append([(start_row + i, start_col + 2 - i) for i in range(3)])
    return patterns


def features(board: Board) -> list[float]:
    found: list[float] = [{0: 0.0, 1: 1.0, 2: -1.0}[cell] for row in board for cell in row]
    found += analyze_patterns(board) + strategic_features(board)
    while len(found) < 50:
        found.append(0.0)
    return found


def analyze_patterns(board: Board) -> list[float]:
    my_threats = opp_threats = my_chances = opp_chances = my_dangers = opp_dangers = 0
    for pattern in win_patterns():
        cells = [board[r][c] for r, c in pattern]
        mine, theirs, empty = cells.count(1), cells.count(2), cells.count(0)
        if theirs == 0:
            if mine == 3 and empty == 1:
                my_threats += 1
            elif mine == 2 and empty >= 1:
                my_chances += 1
        elif mine == 0:
            if theirs == 3 and empty == 1:
                opp_threats += 1
            elif theirs == 2 and empty >= 1:
                opp_chances += 1
    for pattern in lose_patterns():
        cells = [board[r][c] for r, c in pattern]
        mine, theirs = cells.count(1), cells.count(2)
        if theirs == 0 and mine == 2:
            my_dangers += 1
        elif mine == 0 and theirs == 2:
            opp_dangers += 1
    return [
        min(my_threats / 5.0, 1.0),
        min(opp_threats / 5.0, 1.0),
        min(my_chances / 10.0, 1.0),
        min(opp_chances / 10.0, 1.0),
        min(my_dangers / 10.0, 1.0),
        min(opp_dangers / 10.0, 1.0),
    ]


def strategic_features(board: Board) -> list[float]:
    center = [board[position // 10 - 1][position % 10 - 1] for position in (22, 23, 24, 32, 33, 34, 42, 43, 44)]
    pieces = sum(1 for row in board for cell in row if cell != 0)
    return [center.count(1) / 9.0, center.count(2) / 9.0, pieces / 25.0, (25 - pieces) / 25.0]
