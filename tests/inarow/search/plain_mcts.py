"""UCT written with objects, sets of cells and no tricks: what the kernel is held to, visit by visit."""

import math
from dataclasses import dataclass, field

from gridlab.core.bits import Stream
from gridlab.inarow.rules import Rules

Cells = frozenset[int]


@dataclass
class Node:
    """A position; totals are for the player who moved here, `proved` (1, 0, -1 or None) is for the player to move."""

    mine: Cells
    theirs: Cells
    untried: list[int] = field(default_factory=list)
    children: dict[int, "Node"] = field(default_factory=dict)
    visits: int = 0
    total: int = 0
    proved: int | None = None


class PlainSearch:
    """One search of one position."""

    def __init__(self, rules: Rules, state: int, proofs: bool, careful: bool, exploration: float) -> None:
        self.rules, self.stream = rules, Stream(state)
        self.proofs, self.careful, self.exploration = proofs, careful, exploration
        self.winning = [cells_of(line) for line in rules.winning_lines]
        self.losing = [cells_of(line) for line in rules.losing_lines]

    def run(self, mine: Cells, theirs: Cells, playouts: int) -> Node:
        root = Node(mine, theirs, sorted(self.free(mine, theirs)))
        for _ in range(playouts):
            if self.proofs and root.proved is not None:
                break
            self.playout(root)
        return root

    def playout(self, node: Node) -> None:
        path = [node]
        while node.proved is None:
            if node.untried:
                node = self.add(node)
                path.append(node)
                break
            node = self.best_child(node)
            path.append(node)
        value = node.proved if node.proved is not None else self.play(node.mine, node.theirs)
        for i in range(len(path) - 1, -1, -1):
            if self.proofs and i + 1 < len(path):
                path[i].proved = self.proof(path[i], path[i + 1])
            if path[i].proved is not None:
                value = path[i].proved or 0
            path[i].visits += 1
            path[i].total -= value
            value = -value

    def add(self, node: Node) -> Node:
        cell = node.untried.pop(self.pick(len(node.untried)))
        own = node.mine | {cell}
        child = node.children[cell] = Node(node.theirs, own)
        free = self.free(own, node.theirs)
        if self.wins(own):
            child.proved = -1
        elif self.loses(own):
            child.proved = 1
        elif not free:
            child.proved = 0
        elif self.proofs:
            child.proved, child.untried = self.glance(child.mine, child.theirs)
        else:
            child.untried = sorted(free)
        return child

    def glance(self, mine: Cells, theirs: Cells) -> tuple[int | None, list[int]]:
        """What is clear at once, or the moves that are not clearly lost."""
        free = self.free(mine, theirs)
        safe = {cell for cell in free if not self.loses(mine | {cell})}
        threats = {cell for cell in free if self.wins(theirs | {cell})}
        if any(self.wins(mine | {cell}) for cell in free):
            return 1, []
        if not safe or len(threats) > 1 or (threats and not threats & safe):
            return -1, []
        if len(free) == 1:
            return 0, []
        return None, sorted(threats or safe)

    def best_child(self, node: Node) -> Node:
        def bound(child: Node) -> float:
            if self.proofs and child.proved == 0:
                return 0.0
            spread = self.exploration * math.sqrt(math.log(node.visits)) / math.sqrt(child.visits)
            return child.total / child.visits + spread

        children = [child for child in reversed(node.children.values()) if not (self.proofs and child.proved == 1)]
        return max(children, key=bound)

    def proof(self, node: Node, latest: Node) -> int | None:
        if node.proved is not None or latest.proved is None:
            return node.proved
        if latest.proved == -1:
            return 1
        known = [child.proved for child in node.children.values() if child.proved is not None]
        return max(-each for each in known) if not node.untried and len(known) == len(node.children) else None

    def play(self, mine: Cells, theirs: Cells) -> int:
        """A random game, for the player to move."""
        sign = 1
        left = sorted(self.free(mine, theirs))
        while left:
            moves = self.careful_moves(mine, theirs) if self.careful else left
            place = self.pick(len(moves)) if moves else 0
            cell = moves[place] if moves else -1
            if self.careful and (outcome := self.careful_outcome(mine, theirs, moves)) is not None:
                return sign * outcome
            if not self.careful:
                left[place] = left[-1]
                left.pop()
            mine = mine | {cell}
            if self.wins(mine):
                return sign
            if self.loses(mine):
                return -sign
            mine, theirs, sign = theirs, mine, -sign
            if self.careful:
                left = sorted(self.free(mine, theirs))
        return 0

    def careful_moves(self, mine: Cells, theirs: Cells) -> list[int]:
        """None where the game is decided; else moves that do not lose, those that meet a threat if there are any."""
        free = self.free(mine, theirs)
        if any(self.wins(mine | {cell}) for cell in free):
            return []
        safe = [cell for cell in sorted(free) if not self.loses(mine | {cell})]
        return [cell for cell in safe if self.wins(theirs | {cell})] or safe

    def careful_outcome(self, mine: Cells, theirs: Cells, moves: list[int]) -> int | None:
        if moves:
            return None
        return 1 if any(self.wins(mine | {cell}) for cell in self.free(mine, theirs)) else -1

    def pick(self, number: int) -> int:
        return (self.stream.draw() >> 32) * number >> 32

    def free(self, mine: Cells, theirs: Cells) -> Cells:
        return frozenset(range(self.rules.cells)) - mine - theirs

    def wins(self, stones: Cells) -> bool:
        return any(line <= stones for line in self.winning)

    def loses(self, stones: Cells) -> bool:
        return not self.wins(stones) and any(line <= stones for line in self.losing)


def cells_of(stones: int) -> Cells:
    return frozenset(cell for cell in range(stones.bit_length()) if stones >> cell & 1)
