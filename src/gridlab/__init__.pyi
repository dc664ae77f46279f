# Every name of `import gridlab`, and where it lives. `__init__.py` reads this list and loads each name when it is used;
# type checkers and editors read it as it stands. docs/python.md says what each name is for.

from gridlab.arena.evaluate import Evaluation2048 as Evaluation2048
from gridlab.arena.evaluate import evaluate as evaluate
from gridlab.arena.grade import Comparison as Comparison
from gridlab.arena.grade import Grade as Grade
from gridlab.arena.grade import compare as compare
from gridlab.arena.grade import grade as grade
from gridlab.arena.match import play_match as play_match
from gridlab.arena.match.game2048 import ScoreMatch as ScoreMatch
from gridlab.arena.match.mnk import Match as Match
from gridlab.arena.records.mnk import Record as Record
from gridlab.arena.session import Session as Session
from gridlab.arena.tournament import Tournament as Tournament
from gridlab.arena.tournament import play_tournament as play_tournament
from gridlab.core.behaviour import BEHAVIOUR as BEHAVIOUR
from gridlab.core.errors import BadNotation as BadNotation
from gridlab.core.errors import BadPlayer as BadPlayer
from gridlab.core.errors import BadRules as BadRules
from gridlab.core.errors import FileTrouble as FileTrouble
from gridlab.core.errors import GridlabError as GridlabError
from gridlab.core.errors import IllegalMove as IllegalMove
from gridlab.core.errors import IllegalPosition as IllegalPosition
from gridlab.core.errors import MissingExtra as MissingExtra
from gridlab.core.errors import PlayerFault as PlayerFault
from gridlab.core.errors import SpoiltFile as SpoiltFile
from gridlab.core.errors import TooLarge as TooLarge
from gridlab.datasets.games2048.generate import generate as generate
from gridlab.datasets.games2048.reader import Games as Games
from gridlab.datasets.terminals.build import build_terminals as build_terminals
from gridlab.datasets.terminals.dataset import Terminals as Terminals
from gridlab.datasets.terminals.dataset import open_terminals as open_terminals
from gridlab.exact.census import Census as Census
from gridlab.exact.census import census as census
from gridlab.exact.enumerate import positions as positions
from gridlab.exact.oracle import Oracle as Oracle
from gridlab.exact.tablebase.build import build_tablebase as build_tablebase
from gridlab.exact.tablebase.probe import Tablebase as Tablebase
from gridlab.exact.tablebase.probe import open_tablebase as open_tablebase
from gridlab.games import NAMED as NAMED
from gridlab.games import game as game
from gridlab.games.game2048.position import Position2048 as Position2048
from gridlab.games.game2048.rules import Rules2048 as Rules2048
from gridlab.games.laws import check_game as check_game
from gridlab.games.mnk.legality import Flaw as Flaw
from gridlab.games.mnk.legality import find_flaw as find_flaw
from gridlab.games.mnk.position import Outcome as Outcome
from gridlab.games.mnk.position import Position as Position
from gridlab.games.mnk.position import canonical as canonical
from gridlab.games.mnk.rules import Rules as Rules
from gridlab.games.mnk.solution import Solution as Solution
from gridlab.games.symmetry import Symmetry as Symmetry
from gridlab.games.symmetry import symmetries as symmetries
from gridlab.learn.training import Training as Training
from gridlab.learn.training import train as train
from gridlab.players.registry import Player as Player
from gridlab.players.registry import make_player as make_player
from gridlab.search.budget import Budget as Budget
from gridlab.search.mnk.alpha_beta import solve as solve
from gridlab.search.mnk.best_first import best_first as best_first
from gridlab.search.mnk.mcts import search as search
from gridlab.search.mnk.proof_number import prove as prove

__version__: str
__all__: list[str]
