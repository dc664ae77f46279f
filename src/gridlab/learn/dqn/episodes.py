"""The games of the curriculum. Some are played side by side, so that the network judges the moves of all at once.

    phase 1    half of the moves at random, half at random among those that do not lose at once
    phase 2    the network against the heuristic that looks some plies ahead, X in every second episode
    phase 3    the blended search against itself

In the second and third phase the network's moves are random with probability ε. Every game has its own source of
chance.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from gridlab.learn.dqn.curriculum import HEURISTIC, RANDOM, epsilon_of, phase_of
from gridlab.learn.dqn.replay_buffer import Moves, each_column, new_moves
from gridlab.learn.dqn.settings import Settings
from gridlab.learn.dqn.targets import rewards_of
from gridlab.nets.judge import Judge
from gridlab.search.mnk import depth_limited
from gridlab.search.mnk.board import Board
from gridlab.search.mnk.leaves import Boards
from gridlab.search.mnk.random_play import ending_by
from gridlab.search.mnk.tactics import completing

PLAYING = 0  # what a source of chance is for


@dataclass
class Game:
    """A game under way; `own` are the stones of the player to move."""

    episode: int
    random: np.random.Generator
    own: int = 0
    other: int = 0
    past: list[tuple[int, int]] = field(default_factory=list)  # own and other before every move
    result: int | None = None  # for the last mover: 1, 0, -1

    def play(self, cell: int, board: Board) -> None:
        ending = ending_by(self.own, self.other, cell, board)
        self.past.append((self.own, self.other))
        self.own, self.other = self.other, self.own | 1 << cell
        if ending:
            self.result = 0 if ending == 2 else ending

    def free(self, cells: int) -> list[int]:
        return [cell for cell in range(cells) if not (self.own | self.other) >> cell & 1]


class Table(NamedTuple):
    """Who plays, and by which recipe."""

    judge: Judge
    settings: Settings
    seed: int


def play_episodes(table: Table, episodes: range) -> Moves:
    """Play some episodes of one phase side by side; all their moves, game by game."""
    settings, board = table.settings, table.judge.board
    games = [Game(each, chance(table.seed, PLAYING, each)) for each in episodes]
    choose = chooser(table, phase_of(episodes.start, settings.episodes))
    while going := [game for game in games if game.result is None]:
        for game, cell in zip(going, choose(going), strict=True):
            game.play(cell, board)
    return joined([moves_of(game, settings.shaping) for game in games])


def chance(seed: int, purpose: int, number: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(purpose, number)))


Chooser = Callable[[list[Game]], list[int]]


def chooser(table: Table, phase: int) -> Chooser:
    """How the games of a phase find their next moves."""
    settings, judge = table.settings, table.judge
    if phase == RANDOM:
        return lambda games: [half_careful(game, judge.board) for game in games]
    if phase == HEURISTIC:
        return against_heuristic(table)
    return lambda games: judged(games, settings.training_depth, settings.training_blend, table)


def half_careful(game: Game, board: Board) -> int:
    """Any move, or as often any that does not lose at once."""
    free = game.free(board.cells)
    if game.random.random() < 0.5:
        loses = completing(game.own, board.runs, -1) & ~completing(game.own, board.runs, 1)
        free = [cell for cell in free if not loses >> cell & 1] or free
    return int(game.random.choice(free))


def against_heuristic(table: Table) -> Chooser:
    settings = table.settings
    lines, memory = depth_limited.game_of(table.judge.rules), depth_limited.new_table(1 << 12)

    def answer(game: Game) -> int:
        counts = np.zeros(2, np.int64)
        found = depth_limited.look_ahead(game.own, game.other, settings.opponent_depth, lines, memory, True, counts)
        return int(found[0])

    def choose(games: list[Game]) -> list[int]:
        learner = [game for game in games if (len(game.past) + game.episode) % 2 == 0]
        chosen = dict(zip([game.episode for game in learner], judged(learner, 1, 1.0, table), strict=True))
        return [chosen[game.episode] if game.episode in chosen else answer(game) for game in games]

    return choose


def judged(games: list[Game], depth: int, blend: float, table: Table) -> list[int]:
    """The best move of every game by a search over the network, or with probability ε a random one."""
    if not games:
        return []
    found = table.judge.moves(boards_of(games), depth, blend)
    chosen = []
    for number, game in enumerate(games):
        cell, _ = found.best(number)
        if game.random.random() < epsilon_of(game.episode, table.settings):
            cell = int(game.random.choice(game.free(table.judge.board.cells)))
        chosen.append(cell)
    return chosen


def boards_of(games: list[Game]) -> Boards:
    return np.array([(game.own, game.other) for game in games], np.int64).reshape(-1, 2)


def moves_of(game: Game, shaping: bool) -> Moves:
    """The moves of a finished game."""
    length = len(game.past)
    moves = new_moves(length)
    before = np.array([*game.past, (game.own, game.other)], np.int64)
    moves.own[:], moves.other[:] = before[:-1].T
    moves.next_own[:], moves.next_other[:] = before[1:].T
    moves.reward[:] = rewards_of(game.result or 0, length, shaping)
    moves.done[-1] = True
    return moves


def joined(parts: list[Moves]) -> Moves:
    return each_column(lambda *columns: np.concatenate(columns), *parts)
