"""The move that makes the longest row of one's own, unless that row loses; among equals the one nearest the middle."""

import json
import sys

for line in sys.stdin:
    asked, choices = json.loads(line), []
    rows, (win, _, lose) = asked["rows"], asked["rules"].split(":")[1].partition("-")
    own = {(r, c) for r, row in enumerate(rows) for c, mark in enumerate(row) if mark == asked["to_move"]}
    for name in asked["legal"]:
        r, c = (int(part) - 1 for part in (name.split(",") if "," in name else name))
        length = 1
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            ways = [[(r + s * i * down, c + s * i * right) in own for i in range(1, 10)] for s in (1, -1)]
            length = max(length, 1 + sum([*way, False].index(False) for way in ways))
        loses = bool(lose) and int(lose) <= length < int(win or 99)
        choices.append((not loses, length, -abs(2 * r + 1 - len(rows)) - abs(2 * c + 1 - len(rows[0])), name))
    print(json.dumps({"move": max(choices)[3]}), flush=True)
