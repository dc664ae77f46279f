"""A network trained from beginning to end: games, gradient steps, checkpoints, and how well it plays on the way.

    train("squava", "runs/first", preset="best", progress=True)

The folder gets training.safetensors to go on from, weights-….safetensors for players, and curve.png. No tablebase is
used: win rates are measured by matches of the network alone, one ply deep.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gridlab.arena.match import play_match
from gridlab.core.arguments import counted, typed
from gridlab.core.draw import AsJson, Sheet, brief, shown
from gridlab.core.errors import BadRules
from gridlab.core.files import locked_folder, try_folder
from gridlab.core.progress import bar
from gridlab.core.run import import_extra
from gridlab.games.registry import game
from gridlab.inarow.rules import Rules
from gridlab.learn.info import Format, Info
from gridlab.learn.run import Asked, advance, asked_to_stop
from gridlab.players.registry import player_text

if TYPE_CHECKING:
    from gridlab.inarow.learn.dqn import Learner

GAMES = 40  # of each measurement during training
OPPONENTS = {"random": "random", "heuristic": "alpha-beta depth=3"}


@shown
class Training(NamedTuple):
    """The state of a training; `rates` are the latest scores of the network alone against each opponent."""

    folder: Path
    episode: int
    episodes: int
    rates: dict[str, float]
    row: AsJson  # of the curve, the latest that was measured

    @property
    def done(self) -> bool:
        return self.episode >= self.episodes

    def as_dict(self) -> AsJson:
        return {"folder": str(self.folder), "episode": self.episode, "episodes": self.episodes, **self.row}

    def _in_short(self) -> str:
        rates = "".join(f", {rate:.0%} against {name}" for name, rate in self.rates.items())
        return f"{brief(self.folder.name)}, squava: {self.episode:,} of {self.episodes:,} episodes{rates}"

    def _sheet(self) -> Sheet:
        return Sheet(self._in_short(), tuple(self.row), [tuple(self.row.values())], [str(self.folder)])

    def __str__(self) -> str:
        rates = ", ".join(f"{self.rates[name]:.0%} against {text}" for name, text in OPPONENTS.items() if self.rates)
        episodes = f"{self.row.get('episode', self.episode):,} of {counted(self.episodes, 'episode')}"
        return f"{self.folder}: {episodes}; the network alone scores {rates}"


@typed
def train(
    rules: Rules | str = "squava", out: Path | str = "dqn", episodes: int | None = None, preset: str | None = None,
    device: str = "auto", shaping: bool | None = None, double: bool | None = None,
    settings: Mapping[str, object] | Sequence[str] = (), seed: int | None = None, workers: int | None = None,
    resume: bool = False, progress: bool = False,
) -> Training:  # fmt: skip
    """Train the value network of Squava by deep Q-learning; Ctrl-C ends it after the round being played, and saves.

    What is None is as in preset best, seed 0; or, with `resume`, as the training was begun, and nothing else will do.
    `settings` are other numbers of the recipe, such as {"gamma": 0.9} or ["gamma=0.9"].
    """
    played = game(rules, "mnk")
    if played != game("squava"):
        raise BadRules(f"a network can be trained for squava (5x5:4-3) alone, not for {played}")
    import_extra("torch", "learn")
    from gridlab.inarow.learn import dqn  # torch is slow to import: only who trains pays for it
    from gridlab.inarow.learn.settings import settings_for

    asked = Asked.of(settings, seed, preset=preset, episodes=episodes, shaping=shaping, double=double)
    wanted, folder = None if resume else settings_for(asked), try_folder(Path(out))
    with locked_folder(folder):
        if wanted is None:
            learner = dqn.go_on(played, asked, folder, device)
        else:
            learner = dqn.begin(played, wanted, asked.seed or 0, folder, device)
        name, of = f"training, preset {learner.settings.preset}", learner.settings.episodes
        with bar(of, name, "episodes", progress, done=learner.episode) as shown, asked_to_stop() as stopped:
            dqn.learn_all(learner, folder, workers, lambda path: win_rates(path, played), _tell(shown), stopped)
    return _state_of(learner, folder)


def _state_of(learner: "Learner", folder: Path) -> Training:
    """Where a training stands when it ends; a remark if it has come to nothing."""
    recipe = learner.settings
    if not learner.steps and learner.episode == recipe.episodes:
        logging.getLogger("gridlab").warning(
            f"nothing was learnt: a step takes {recipe.batch} moves, and {recipe.episodes:,} episodes have "
            f"{len(learner.replay):,}; ask for more episodes"
        )
    row: AsJson = next((row for row in reversed(learner.curve) if OPPONENTS.keys() <= row.keys()), {})
    rates = {name: row[name] for name in OPPONENTS if name in row}
    return Training(folder, learner.episode, recipe.episodes, rates, row)


def win_rates(checkpoint: Path, rules: Rules) -> dict[str, float]:
    """The score of a network alone against weak and strong."""
    player = player_text("dqn", checkpoint=checkpoint)
    return {
        name: play_match(player, text, rules, GAMES, "random:2", seed=1, workers=1).a_score
        for name, text in OPPONENTS.items()
    }


def _tell(shown: Any) -> Callable[[AsJson], None]:
    """What the bar says: phase, ε, loss and the latest win rates."""
    from gridlab.inarow.learn.settings import NAMES

    latest: dict[str, float] = {}

    def tell(row: AsJson) -> None:
        latest.update({name: row[name] for name in OPPONENTS if name in row})
        parts = [NAMES[row["phase"]], f"ε {row['epsilon']:.2f}"] if row["phase"] else []
        parts += [f"loss {row['loss']:.3f}"] if row["loss"] is not None else []
        parts += [f"{name} {rate:.0%}" for name, rate in latest.items()]
        advance(shown, row["episode"], ", ".join(parts))

    return tell


# ---- The files that trainings leave: described, and exported


def _info(path: Path) -> Info:
    from gridlab.inarow.learn import networks as checkpoint

    saved = checkpoint.read(path, str(game("squava")))
    facts = saved.facts
    whole = any(name.startswith("optimiser.") for name in saved.tensors)
    told = {
        "holds": "training" if whole else "network", "rules": facts.rules, "behaviour": facts.behaviour,
        "seed": facts.seed, "episode": facts.episode, "episodes": facts.settings.get("episodes"), "steps": facts.steps,
        "epsilon": facts.curve[-1].get("epsilon") if facts.curve else None, "sha256": facts.sha256,
    }  # fmt: skip
    kind = "value network of Squava, by deep Q-learning"
    return Info(path, kind, told, dict(facts.settings), (), facts.curve, "episode")


def _onnx(checkpoint: Path, out: Path) -> str:
    from gridlab.inarow.learn.judge import load_judge, write_judge_onnx

    worst = write_judge_onnx(load_judge(checkpoint, game("squava", "mnk")), out)
    return f"onnxruntime differs from torch by at most {worst:.1e}"


FORMATS = {b"gridlab value network 1": Format(_info, _onnx)}
