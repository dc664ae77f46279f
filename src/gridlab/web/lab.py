"""What the routes share: the served folder, exact answers, players at rest, and threads."""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from gridlab.games.protocol import GameRules
from gridlab.players.registry import Player, close_player, make_player
from gridlab.web.folder import Folder
from gridlab.web.players import Offered, offered
from gridlab.web.settings import JOB_SECONDS, Settings
from gridlab.web.truth import Truth
from gridlab.web.work import Jobs, Lane

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
