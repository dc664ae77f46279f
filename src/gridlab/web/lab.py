"""What the routes share: the served folder, exact answers, players at rest, and threads."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gridlab.core.workers import available_cores
from gridlab.exact.oracle import Oracle
from gridlab.games.mnk.position import Position
from gridlab.games.mnk.rules import Rules
from gridlab.games.mnk.solution import Solution
from gridlab.games.protocol import GameRules
from gridlab.players.registry import Player, close_player, make_player
from gridlab.search.budget import Budget
from gridlab.web.folder import Folder
from gridlab.web.players import Offered, offered
from gridlab.web.settings import JOB_SECONDS, QUICK_NODES, QUICK_SECONDS, Settings
from gridlab.web.work import Jobs, Lane

MOST_ORACLES = 6  # each may have a table of 84 MB
MOST_ANSWERS = 50_000
MOST_AT_REST = 12  # players
MOST_GAMES = 64  # whose players are remembered


class Truth:
    """Exact answers within a small budget, remembered: one oracle for each game, one question at a time."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._oracles: OrderedDict[tuple[Rules, Path | None], tuple[Oracle, threading.Lock]] = OrderedDict()
        self._answers: OrderedDict[tuple[Rules, Path | None, int, int], Solution] = OrderedDict()
        self._lock = threading.Lock()

    def ask(self, position: Position) -> Solution:
        """What is known of a legal position; its value may be unknown where the budget was too small."""
        table = self._folder.tablebase_of(position.rules)
        key = position.rules, table, position.crosses, position.noughts
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
                return self._answers[key]
        oracle, lock = self._oracle(position.rules, table)
        with lock:
            found = oracle.ask(position)
        self._keep(key, found)
        return found

    def search(self, position: Position, budget: Budget, tell: Callable[[int, int], object]) -> Solution:
        """The same by an oracle of its own, with a budget of its own; what it finds is remembered."""
        table = self._folder.tablebase_of(position.rules)
        found = Oracle(position.rules, table, budget).ask(position, tell=tell)
        if found.exact:
            self._keep((position.rules, table, position.crosses, position.noughts), found)
        return found

    def _oracle(self, rules: Rules, table: Path | None) -> tuple[Oracle, threading.Lock]:
        known = self._oracles.get((rules, table))
        made = known or (Oracle(rules, table, Budget(QUICK_NODES, QUICK_SECONDS)), threading.Lock())
        with self._lock:
            kept = self._oracles.setdefault((rules, table), made)
            self._oracles.move_to_end((rules, table))
            if len(self._oracles) > MOST_ORACLES:
                self._oracles.popitem(last=False)
        return kept

    def _keep(self, key: tuple[Rules, Path | None, int, int], found: Solution) -> None:
        with self._lock:
            self._answers[key] = found
            if len(self._answers) > MOST_ANSWERS:
                self._answers.popitem(last=False)


class Players:
    """Players that were made for one request and wait for the next: tables and networks are loaded once."""

    def __init__(self) -> None:
        self._at_rest: list[tuple[tuple[str, GameRules, Path | None], Player]] = []
        self._lock = threading.Lock()

    @contextmanager
    def lent(self, text: str, rules: GameRules, tablebase: Path | None = None) -> Iterator[Player]:
        """A player for one piece of work; one that fails at it is not used again."""
        key = text, rules, tablebase
        player = self._take(key) or make_player(text, rules, tablebase)
        try:
            yield player
        except BaseException:
            close_player(player)
            raise
        with self._lock:
            self._at_rest.append((key, player))
            leaving = self._at_rest[:-MOST_AT_REST]
            del self._at_rest[:-MOST_AT_REST]
        for _, each in leaving:
            close_player(each)

    def _take(self, key: tuple[str, GameRules, Path | None]) -> Player | None:
        with self._lock:
            for number, (known, player) in enumerate(self._at_rest):
                if known == key:
                    del self._at_rest[number]
                    return player
        return None

    def close(self) -> None:
        with self._lock:
            for _, player in self._at_rest:
                close_player(player)
            self._at_rest.clear()


class Lab:
    """Everything behind the routes."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.folder = Folder(settings.folder)
        self.truth = Truth(self.folder)
        self.players = Players()
        self._offered: OrderedDict[tuple[GameRules, Path | None], list[Offered]] = OrderedDict()
        self.quick = Lane("quick", 4, 200)  # what takes a moment
        self.replies = Lane("reply", max(2, available_cores()), 50)  # players, who may think
        self.jobs = Jobs(max(1, available_cores() - 1), 8, JOB_SECONDS, self.folder.plain)

    def offered(self, rules: GameRules) -> list[Offered]:
        """The kinds of players of a game; looked at once, for libraries may have to be loaded."""
        key = rules, self.folder.tablebase_of(rules)
        if key not in self._offered:
            found = offered(rules, self.settings.commands, key[1])
            self._offered[key] = [each._replace(reason=self.folder.plain(each.reason)) for each in found]
            if len(self._offered) > MOST_GAMES:
                self._offered.popitem(last=False)
        return self._offered[key]

    def close(self) -> None:
        self.jobs.close()
        self.replies.close()
        self.quick.close()
        self.players.close()
