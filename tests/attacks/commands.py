"""Every command with arguments that work, and nonsense for each of its parameters."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from gridlab.cli import app

NEW = "new"  # in an example: a name of something to write
NEW_FOLDERS = (NEW, f"{NEW}-shards")
EXAMPLES: dict[str, list[str]] = {
    "doctor": [],
    "census": ["3x3:3"],
    "states": ["3x3:3", "--out", f"{NEW}.csv"],
    "lines": ["3x3:3"],
    "show": ["3x3:3", "X.O/.X./O.X"],
    "solve": ["3x3:3", "X.O/.X./...", "--nodes", "100000", "--seconds", "5"],
    "best-first": ["input.txt", "--steps", f"{NEW}.steps", "--output", f"{NEW}.txt", "--max-expansions", "100"],
    "play": ["3x3:3", "--against", "random", "--seed", "1", "--out", f"{NEW}.jsonl"],
    "match": ["random", "heuristic", "--game", "3x3:3", "--games", "2", "--out", f"{NEW}.jsonl", "--workers", "1"],
    "tournament": ["random", "heuristic", "--game", "3x3:3", "--games", "2", "--out", NEW, "--workers", "1"],
    "grade": ["random", "--game", "3x3:3", "--positions", "20", "--tablebase", "t.tb", "--out", f"{NEW}.png"],
    "players": ["3x3:3"],
    "games verify": ["records.jsonl"],
    "terminals build": ["3x3:3", "--plies", "5", "--out", NEW],
    "terminals verify": ["wins", "--sample", "10"],
    "terminals show": ["wins", "5", "--at", "1", "--count", "2"],
    "terminals contains": ["wins", "XXX/OO./..."],
    "terminals export": ["wins", "--format", "csv", "--out", f"{NEW}.csv", "--plies", "5-6"],
    "terminals find": ["wins", "--line", "2", "--pattern", "???/???/???", "--plies", "5", "--count", "2"],
    "terminals adopt": ["bare", "--game", "3x3:3"],
    "terminals merge": ["wins", "--out", NEW, "--resume"],
    "terminals plot": ["wins", "--out", f"{NEW}.png"],
    "tablebase build": ["3x3:3", "--out", f"{NEW}.tb", "--max-ply", "4"],
    "tablebase probe": ["t.tb", "X.O/.X./..."],
    "tablebase verify": ["t.tb", "--seed", "1"],
    "tablebase stats": ["t.tb", "--out", f"{NEW}.png"],
    "tablebase sample": ["t.tb", "--positions", "20", "--out", f"{NEW}.parquet"],
    "tablebase export": ["t.tb", "--positions", "20", "--out", f"{NEW}-shards"],
    "2048 evaluate": ["expectimax depth=1", "--games", "1", "--rules", "2048", "--seed", "1"],
    "2048 generate": ["--games", "1", "--depth", "2", "--seed", "1", "--out", f"{NEW}.jsonl", "--max-moves", "50"],
    "2048 verify": ["games.jsonl", "--max-moves", "40"],
    "2048 stats": ["games.jsonl", "--out", f"{NEW}.png"],
    "2048 export": ["games.jsonl", "--format", "csv", "--out", f"{NEW}.csv"],
    "2048 split": ["games.jsonl", "--train", "0.5", "--val", "0.25", "--test", "0.25", "--out", NEW],
    "cluster": [],
    "train squava": ["--episodes", "1", "--out", NEW, "--workers", "1", "--quiet"],
    "train 2048": ["--games", "20", "--tuples", "5x4", "--workers", "1", "--out", f"{NEW}.ntuple", "--quiet"],
    "train info": ["net.safetensors"],
    "train inspect": ["...../...../..X../...../.....", "--checkpoint", "net.safetensors"],
    "exam list": [],
    "exam show": ["exam.jsonl"],
    "exam make": ["3x3:3", "--positions", "5", "--plies", "4-6", "--tablebase", "t.tb", "--out", f"{NEW}.jsonl"],
    "exam sit": ["exam.jsonl", "random", "--workers", "1", "--out", f"{NEW}.jsonl"],
    "exam mark": ["exam.jsonl", "answers.jsonl", "--key", "exam.key.jsonl", "--html", f"{NEW}.html"],
    "train import": ["net.safetensors", "--out", f"{NEW}.safetensors"],
    "exam print": ["exam.jsonl", "--out", f"{NEW}.html", "--answers", f"{NEW}-answers.html", "--questions", "5"],
    "train export": ["net.safetensors", "--onnx", "--out", f"{NEW}.onnx"],
}
TOO_LONG_HERE = ("tour", "warm", "serve")  # take no arguments to speak of; a server does not end (tests/web)
SLOW = ("train",)  # import torch
INPUTS: dict[str, list[str]] = {
    "t.tb": ["tablebase", "build", "3x3:3", "--out", "t.tb"],
    "wins": ["terminals", "build", "3x3:3", "--out", "wins"],
    "games.jsonl": ["2048", "generate", "-g", "6", "-d", "2", "--max-moves", "40", "--seed", "1", "-o", "games.jsonl"],
    "exam.jsonl": ["exam", "make", "3x3:3", "--positions", "12", "--seed", "1", "--out", "exam.jsonl"],
    "answers.jsonl": ["exam", "sit", "exam.jsonl", "random", "--workers", "1", "--out", "answers.jsonl"],
    "records.jsonl": ["match", "random", "random", "--game", "3x3:3", "--games", "4", "--out", "records.jsonl"],
}
NONSENSE = (
    "", " ", "-1", "0", "1", "-0", "+5", "1e400", "nan", "inf", "0x10", "1_000", "9" * 40, "9" * 5000, "-" + "9" * 25,
    str(2**31), str(2**63 - 1), str(2**63), "½", "٣", "x" * 300, "a/" * 2000, "/", ".", "..", "-", "--", "~", "%s%n",
    "\udcff\udc80", "a\nb", "\x1b[31m", "🤖", "loop", "folder", "gone/and/away", "nothing.tb", "node", "t.tb",
    "games.jsonl", "wins", "wins/manifest.json", "3x3:3", "squava", "999x999:9", "9" * 5000 + "x3:3", "0x0:0",
    "alpha-beta depth=" + "9" * 40, "mcts playouts=50000001", "command=", "command=./nothing", "perfect tablebase=/",
    "random:4", "random:" + "9" * 400, "1-300000000", "9-5", "5,5,5", "XXX/XXX/XXX", "O" * 9, "[[2]]", "{}", "null",
)  # fmt: skip


@dataclass(frozen=True)
class Parameter:
    """One parameter of a command: an option by its longest name, an argument by its place."""

    command: str
    option: str  # empty for an argument
    place: int
    flag: bool

    def with_value(self, value: str) -> list[str]:
        """The example of the command with this parameter changed, or added."""
        words = list(EXAMPLES[self.command])
        if self.flag:
            return [*self.command.split(), *words, self.option]
        if not self.option:
            words[self.place : self.place + 1] = [value]
        elif self.option in words:
            words[words.index(self.option) + 1] = value
        else:
            words += [self.option, value]
        return [*self.command.split(), *words]


def commands(group: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every command of the tree, with its name."""
    group = group or typer.main.get_command(app)
    for name, each in group.commands.items():
        if hasattr(each, "commands"):
            yield from commands(each, (*path, name))
        else:
            yield " ".join((*path, name)), each


def parameters() -> Iterator[Parameter]:
    """Every parameter of every command."""
    for name, command in commands():
        if name in TOO_LONG_HERE:
            continue
        place = 0
        for each in command.params:
            if each.param_type_name == "argument":
                yield Parameter(name, "", place, False)
                place += 1
            elif each.name != "help":
                listed = [option for option in each.opts if option in EXAMPLES[name]]
                yield Parameter(name, (listed or each.opts[-1:])[0], 0, bool(getattr(each, "is_flag", False)))


def snapshot(folder: Path) -> dict[str, bytes]:
    """What the files of a folder hold."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }
