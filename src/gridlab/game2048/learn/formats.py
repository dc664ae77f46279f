"""The files that trainings of 2048 leave: described, and exported."""

from pathlib import Path

import msgspec

from gridlab.game2048.learn.ntuple_file import MAGIC, read_head, write_small
from gridlab.learn.info import Format, Info

NTUPLE_RECIPE = ("rate", "step", "trace", "restart", "optimistic", "settle")


def _of_ntuple(path: Path) -> Info:
    head = read_head(path)
    learnt = head.learnt
    recipe = {name: getattr(learnt, name) for name in NTUPLE_RECIPE}
    facts = {
        "holds": head.kind, "rules": head.rules, "tuples": head.tuples, "numbers": head.numbers,
        "behaviour": head.behaviour, "seed": learnt.seed, "workers": learnt.workers, "games": learnt.games,
        "moves": learnt.moves, "seconds": learnt.seconds or None,
    }  # fmt: skip
    curve = tuple(
        {"games": each.games, "moves": each.moves, "seconds": each.seconds or None, "mean_score": each.mean_score}
        | {f"reached_{tile}": rate for tile, rate in each.tile_rates.items() if int(tile) >= 512}
        for each in learnt.curve
    )
    return Info(path, "n-tuple network of 2048, by temporal differences", facts, recipe, (), curve, "games")


def _half(checkpoint: Path, out: Path) -> str:
    return f"{write_small(checkpoint, out):,} bytes"


def _of_policy(path: Path) -> Info:
    from gridlab.game2048.learn import policy_networks

    saved = policy_networks.read(path)
    facts = saved.facts
    whole = bool(saved.part(policy_networks.BEST))
    told = {
        "holds": "training" if whole else "network", "method": facts.method, "rules": facts.rules,
        "behaviour": facts.behaviour, "seed": facts.seed, "epoch": facts.epoch,
        "epochs": facts.settings.get("epochs"), "best_epoch": facts.best_epoch, "steps": facts.steps,
        "seconds": facts.seconds or None, "test_accuracy": None if facts.test is None else facts.test.accuracy,
        "test_phases": None if facts.test is None else facts.test.phases,
        "confusion": None if facts.test is None else facts.test.confusion, "sha256": facts.sha256,
    }  # fmt: skip
    data = tuple(msgspec.to_builtins(each) for each in facts.data)
    kind = f"{facts.method} network of 2048, trained on games"
    return Info(path, kind, told, dict(facts.settings), data, facts.curve, "epoch")


def _onnx(checkpoint: Path, out: Path) -> str:
    from gridlab.game2048.learn.policy import write_policy_onnx
    from gridlab.game2048.learn.policy_networks import read

    return f"onnxruntime differs from torch by at most {write_policy_onnx(read(checkpoint), out):.1e}"


FORMATS = {MAGIC: Format(_of_ntuple, _half, half=True), b"gridlab 2048 policy 1": Format(_of_policy, _onnx)}
