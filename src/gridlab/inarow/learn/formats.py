"""The files that trainings of Squava leave: described, and exported."""

from pathlib import Path

from gridlab.games.registry import game
from gridlab.learn.info import Format, Info


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
