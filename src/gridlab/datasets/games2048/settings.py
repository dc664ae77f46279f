"""What a dataset of 2048 games is asked to be: filled in, checked, and compared with a run that goes on."""

import secrets
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from gridlab.core.errors import BadNotation, BadRules, CorruptFile, FileTrouble
from gridlab.core.numbers import MOST, check_seed
from gridlab.datasets.games2048.curriculum import MAX_MOVES, WHOLE_GAME, Curriculum, stage
from gridlab.datasets.games2048.journal import Journal
from gridlab.games.game2048.rules import Rules2048
from gridlab.players.game2048 import ExpectimaxPlayer, Player2048
from gridlab.players.registry import make_player
from gridlab.search.game2048.evaluators import find_evaluator

SPEC = "spec"
RULES = Rules2048()
SEARCH = ("depth", "evaluator", "sample_cells")  # what says how expectimax plays


@dataclass(frozen=True)
class DatasetSettings:
    """What is asked for: this and the number of a game decide every byte of it but its time."""

    seed: int
    depth: int = WHOLE_GAME.depth
    evaluator: str = SPEC
    sample_cells: int = 0  # at each chance node; 0 is all
    max_moves: int = MAX_MOVES  # 0 is no limit
    curriculum: Curriculum = ""
    min_score: int = 0
    min_tile: int = 0
    metadata: bool = False
    player: str = ""  # instead of expectimax by the settings above
    rules: str = str(RULES)

    def as_dict(self) -> dict[str, Any]:
        """As journal and index have it: either a player or how expectimax plays; rules if they are not the usual."""
        left_out = (*(SEARCH if self.player else ("player",)), *(("rules",) if self.game == RULES else ()))
        return {name: value for name, value in asdict(self).items() if name not in left_out}

    @property
    def game(self) -> Rules2048:
        """What is played."""
        return Rules2048.parse(self.rules)

    def make_player(self) -> Player2048:
        if self.player:
            return make_player(self.player, self.game)
        return ExpectimaxPlayer(self.game, self.evaluator, self.depth, self.sample_cells)


def make_settings(
    seed: int | None = None,
    depth: int | None = None,
    evaluator: str | None = None,
    sample_cells: int | None = None,
    max_moves: int | None = None,
    curriculum: Curriculum = "",
    min_score: int = 0,
    min_tile: int = 0,
    metadata: bool = False,
    player: str | None = None,
    rules: str = str(RULES),
) -> DatasetSettings:
    """Settings with what was not said filled in; BadNotation where they make no sense."""
    game = Rules2048.parse(rules)
    if not game.packed:
        raise BadNotation(f"games of {game} cannot be written; the format of files is for boards of up to 4x4 cells")
    if player is None:
        search = _depth(depth, curriculum), SPEC if evaluator is None else evaluator, _cells(sample_cells, game)
        find_evaluator(search[1])
    else:
        _refuse_search(player, (depth, evaluator, sample_cells))
        make_player(player, game)  # a text that is none is refused now, not once a file has been begun
        search = WHOLE_GAME.depth, SPEC, 0  # not used
    if seed is not None:
        check_seed(seed)
    if max_moves is not None and not 0 <= max_moves <= MOST:
        raise BadNotation(f"{max_moves} moves cannot be a limit; write a number from 1, or 0 for no limit")
    for number, name in ((min_score, "score"), (min_tile, "tile")):
        if not 0 <= number <= MOST:
            raise BadNotation(f"{number} is not a {name} that games could be measured by; a number from 0 is needed")
    seed = secrets.randbits(32) if seed is None else seed
    if max_moves is None:
        max_moves = MAX_MOVES if player is None and search[1] == SPEC else 0
    return DatasetSettings(
        seed, *search, max_moves, curriculum, min_score, min_tile, metadata, player or "", str(game)
    )  # fmt: skip


def _depth(depth: int | None, curriculum: Curriculum) -> int:
    usual = stage(curriculum).depth
    if depth is not None and curriculum and depth != usual:
        raise BadNotation(f"the curriculum {curriculum} has depth {usual}; leave out --depth {depth}")
    depth = usual if depth is None else depth
    if not 2 <= depth <= 6:
        raise BadNotation(f"depth {depth} is out of range; 2 to 6 can be searched")
    return depth


def _cells(cells: int | None, game: Rules2048) -> int:
    if cells is not None and not 0 <= cells <= game.cells:
        raise BadNotation(f"{cells} cells cannot be sampled; 1 to {game.cells}, or 0 for all")
    return cells or 0


def _refuse_search(player: str, search: tuple[int | str | None, ...]) -> None:
    """A player by name has settings of its own."""
    said = [f"--{name.replace('_', '-')}" for name, value in zip(SEARCH, search, strict=True) if value is not None]
    if said:
        raise BadNotation(f"the player {player!r} says itself how it plays; leave out {', '.join(said)}")


def settings_to_resume(output: Path, asked: DatasetSettings, seed_was_said: bool) -> DatasetSettings:
    """The settings of the journal, which must be those asked for; a seed that was not said is taken from it."""
    journal = Journal(output)
    if not journal.exists():
        if output.exists():
            raise FileTrouble(f"there is nothing to resume: {output} is whole and no run of it was stopped")
        return asked
    known = settings_from(journal.settings(), journal.path, "remove it and start over")
    asked = asked if seed_was_said else replace(asked, seed=known.seed)
    of_search = SEARCH if known.player or asked.player else ()  # of no use to another player
    differing = [
        name for name, value in asdict(known).items() if value != getattr(asked, name) and name not in of_search
    ]
    if differing:
        told = ", ".join(f"{name} {getattr(known, name)!r}, not {getattr(asked, name)!r}" for name in differing)
        raise FileTrouble(f"the run to be resumed, {journal.path}, has {told}; ask for the same or start over")
    return known


def settings_from(said: dict[str, Any], place: Path, remedy: str) -> DatasetSettings:
    """The settings that a file says; of what they mean only the seed is looked at."""
    try:
        known = msgspec.convert(said, DatasetSettings)
        check_seed(known.seed)
        if not known.game.packed:
            raise BadNotation(f"games of {known.game} are in no file")
    except (msgspec.ValidationError, BadNotation, BadRules) as error:
        raise CorruptFile(f"{place} has settings of no run: {error}; {remedy}") from error
    if known.as_dict() != said:
        raise CorruptFile(f"{place} has settings of another form; {remedy}")
    return known
