"""What the routes share: the served folder, exact answers, players at rest, and threads."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from gridlab.core.run import available_cores, pause
from gridlab.games.registry import GameRules
from gridlab.inarow.exact.oracle import Oracle
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules
from gridlab.inarow.solution import Budget, Move, Solution, Value
from gridlab.players.registry import Player, close_player, make_player
from gridlab.web.folder import Folder, Offered, offered
from gridlab.web.limits import GLANCE_NODES, JOB_SECONDS, QUICK_NODES, QUICK_SECONDS, Settings
from gridlab.web.work import Jobs, Lane

# ---- Exact answers for pages: remembered, and shared out so that nobody waits for somebody else's hard question
#
# A game has two oracles, each for one question at a time. One takes a glance: a tablebase, or some ten thousand nodes,
# a few hundredths of a second. The other searches longer; for it a question waits no longer than its own time allows,
# and is `unknown` if its turn did not come. Long searches that show their progress have oracles of their own; those
# that were stopped are kept for a while, and go on from there when they are asked again.


MOST_ORACLES = 6  # pairs of them; one of a pair may have a table of 84 MB
LONG_SEARCHES = 4  # under way and kept unfinished, all together; each has such a table
GLANCE_ENTRIES = 1 << 16
MOST_ANSWERS = 50_000
STEP = 0.1  # seconds between two looks whether somebody still waits

Key = tuple[Rules, Path | None, int, int]


class Shared(NamedTuple):
    """An oracle that answers one question at a time."""

    oracle: Oracle
    lock: threading.Lock


class Pair(NamedTuple):
    """The oracles of a game."""

    glance: Shared
    search: Shared

    @classmethod
    def of(cls, rules: Rules, table: Path | None) -> "Pair":
        quick = Oracle(rules, Budget(GLANCE_NODES), entries=GLANCE_ENTRIES, tablebase=table)
        return cls(Shared(quick, threading.Lock()), Shared(Oracle(rules, search_only=True), threading.Lock()))


class Truth:
    """What is known of the positions of every game."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._pairs: OrderedDict[tuple[Rules, Path | None], Pair] = OrderedDict()
        self._unfinished: OrderedDict[Key, Oracle] = OrderedDict()
        self._under_way = 0  # long searches
        self._answers: OrderedDict[Key, Solution] = OrderedDict()
        self._lock = threading.Lock()
        self._places = threading.Semaphore(max(2, available_cores()))
        self._long_places = threading.Semaphore(LONG_SEARCHES)

    def ask(self, position: Position, seconds: float = QUICK_SECONDS, nodes: int | None = QUICK_NODES) -> Solution:
        """What is known of a legal position; its value may be unknown where time or nodes were too few."""
        if position.require_legal().over:
            return ended(position)
        end = time.monotonic() + seconds
        key = self._key(position)
        known = self._known(key)
        if known and (known.exact or nodes is not None):
            return known
        pair = self._pair(position.rules, key[1])
        if not known:
            with _held(pair.glance.lock, end) as mine:
                known = pair.glance.oracle.ask(position) if mine else unknown(position)
            if known.exact:
                return self._keep(key, known)
        with _held(self._places, end) as place, _held(pair.search.lock, end if place else 0) as mine:
            if not mine:
                return known
            left = max(0.0, end - time.monotonic())
            return self._keep(key, pair.search.oracle.ask(position, budget=Budget(nodes, left)))

    def search(
        self,
        position: Position,
        seconds: float,
        tell: Callable[[int, int], object],
        show: Callable[[Solution], object],
    ) -> Solution:
        """What a long search finds; `show` hears of each move as it is known, and all of it is remembered."""
        key = self._key(position)
        known = self._known(key)
        if known and complete(known):
            return known
        with _held(self._long_places, time.monotonic() + seconds) as place:
            if not place:
                return self.ask(position)
            with self._long_oracle(key) as oracle:
                budget = Budget(None, seconds)
                found = oracle.ask(position, False, tell, budget, lambda so_far: show(self._keep(key, so_far)))
                return self._keep(key, found)

    @contextmanager
    def _long_oracle(self, key: Key) -> Iterator[Oracle]:
        """An oracle for a long search: the one that was stopped at this question, or a new one.

        Those kept make room for those under way, so that there are never more than LONG_SEARCHES tables; a search that
        came to its end will not be asked for again.
        """
        with self._lock:
            kept = self._unfinished.pop(key, None)
            self._under_way += 1
            self._make_room()
        oracle = None
        try:
            oracle = kept or Oracle(key[0], tablebase=key[1])
            yield oracle
        finally:
            known = self._known(key)
            with self._lock:
                self._under_way -= 1
                if oracle and not (known and complete(known)):
                    self._unfinished[key] = oracle
                self._make_room()

    def _make_room(self) -> None:
        while self._unfinished and len(self._unfinished) + self._under_way > LONG_SEARCHES:
            self._unfinished.popitem(last=False)

    def _key(self, position: Position) -> Key:
        return position.rules, self._folder.tablebase_of(position.rules), position.crosses, position.noughts

    def _known(self, key: Key) -> Solution | None:
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
            return self._answers.get(key)

    def _keep(self, key: Key, found: Solution) -> Solution:
        """Remember an answer, unless a better one is known; whichever is better."""
        with self._lock:
            before = self._answers.get(key)
            best = before if before and moves_known(before) > moves_known(found) else found
            self._answers[key] = best
            if len(self._answers) > MOST_ANSWERS:
                self._answers.popitem(last=False)
            return best

    def _pair(self, rules: Rules, table: Path | None) -> Pair:
        made = self._pairs.get((rules, table)) or Pair.of(rules, table)
        with self._lock:
            kept = self._pairs.setdefault((rules, table), made)
            self._pairs.move_to_end((rules, table))
            if len(self._pairs) > MOST_ORACLES:
                self._pairs.popitem(last=False)
        return kept


class Prompt:
    """An oracle that answers within some seconds, exactly or not at all."""

    def __init__(self, truth: Truth, seconds: float) -> None:
        self.truth, self.seconds = truth, seconds

    def ask(self, position: Position) -> Solution:
        return self.truth.ask(position, self.seconds, None)


def ended(position: Position) -> Solution:
    """What a finished game is worth to the player who would be next."""
    outcome = position.outcome()
    assert outcome is not None
    value: Value = "draw" if outcome.winner is None else "win" if outcome.winner == position.to_move else "loss"
    return Solution(position, value, 0, (), (), at_least=value, at_most=value)


def unknown(position: Position) -> Solution:
    """Nothing."""
    return Solution(position, "unknown", None, tuple(Move(cell, "unknown", None) for cell in position.moves()), ())


def complete(found: Solution) -> bool:
    """Whether a longer search would find nothing more: the line comes last."""
    return found.exact and bool(found.line)


def moves_known(found: Solution) -> int:
    return sum(move.value != "unknown" for move in found.moves) + (found.value != "unknown")


@contextmanager
def _held(lock: "threading.Lock | threading.Semaphore", end: float) -> Iterator[bool]:
    """Hold a lock, if it can be had before `end`; whether it is held."""
    held = lock.acquire(blocking=False)
    while not held and time.monotonic() < end:
        pause()
        held = lock.acquire(timeout=STEP)
    try:
        yield held
    finally:
        if held:
            lock.release()


# ---- What the routes share: the served folder, exact answers, players at rest, and threads


MOST_AT_REST = 12  # players
MOST_GAMES = 64  # whose players are remembered


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
        """All at once: a program may take half a second to end."""
        with self._lock:
            leaving, self._at_rest = [player for _, player in self._at_rest], []
        with ThreadPoolExecutor(MOST_AT_REST) as pool:
            list(pool.map(close_player, leaving))


class Lab:
    """Everything behind the routes."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.folder = Folder(settings.folder)
        self.truth = Truth(self.folder)
        self.players = Players()
        self._offered: OrderedDict[tuple[GameRules, Path | None], list[Offered]] = OrderedDict()
        self._offering = threading.Lock()
        # Many threads, so that nothing short waits in a queue: the system shares the cores out among them.
        self.quick = Lane("quick", 16, 200)  # what takes a moment
        self.replies = Lane("reply", 32, 50)  # players, who may think
        self.jobs = Jobs(12, 12, JOB_SECONDS, self.folder.plain)

    def offered(self, rules: GameRules) -> list[Offered]:
        """The kinds of players of a game; looked at once, for libraries may have to be loaded."""
        key = rules, self.folder.tablebase_of(rules)
        known = self._offered.get(key)
        if known is None:
            found = offered(rules, self.settings.commands, key[1])
            known = [each._replace(reason=self.folder.plain(each.reason)) for each in found]
            with self._offering:  # another thread may forget this game before we return
                self._offered[key] = known
                if len(self._offered) > MOST_GAMES:
                    self._offered.popitem(last=False)
        return known

    def stop(self) -> None:
        """Stop all work and begin no more; whoever listens to it hears its end."""
        for each in (self.jobs, self.replies, self.quick):
            each.close()

    def close(self) -> None:
        self.stop()
        self.players.close()
