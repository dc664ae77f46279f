"""Python without assertions, and with warnings that are errors, does the same: what is promised is checked by code.

One program runs commands of every kind on sound files and on damaged ones, and tells how each has ended.
"""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gridlab
from tests.attacks.commands import snapshot

pytestmark = pytest.mark.compiled

PROGRAM = """
import json, sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from shlex import split
from gridlab import cli

for command in json.loads(sys.stdin.read()):
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = cli.run(split(command))
    sys.stdout.write(json.dumps([command, code, out.getvalue(), err.getvalue()]) + "\\n")
sys.stdout.write(json.dumps(["without assertions", sys.flags.optimize, "", ""]) + "\\n")
"""
SOUND = (
    "census 3x3:3 --json",
    "solve 3x3:3 X.O/.X./... --json",
    "solve 4x4:3 --prove --json",
    "tablebase build 3x3:3 --out new.tb --workers 1 --quiet",
    "2048 generate -g 2 -d 2 --max-moves 40 --seed 3 -o new.jsonl --workers 1 --quiet",
    "2048 generate --extend -g 1 -o new.jsonl --workers 1 --quiet",
    "2048 export new.jsonl -o new.csv --quiet",
    "2048 export new.jsonl -o new.npz --quiet",
    "match random heuristic --game 3x3:3 --games 4 --save new-records.jsonl --workers 1 --quiet",
    "terminals build 3x3:3 --plies 5-6 --out new-wins --workers 1 --quiet",
    "exam sit exam.jsonl random --workers 1 -o new-answers.jsonl --quiet",
)
READ = {  # a file, and commands that read it
    "t.tb": ("tablebase verify t.tb --seed 1", "tablebase probe t.tb X.O/.X./..."),
    "games.jsonl": ("2048 verify games.jsonl --max-moves 40", "2048 stats games.jsonl --json"),
    "games.csv": ("2048 verify games.csv --max-moves 40",),
    "games.npz": ("2048 verify games.npz --max-moves 40",),
    "wins/layer_05.bin": ("terminals verify wins", "terminals show wins 5 --at 1 --count 2"),
    "wins/manifest.json": ("terminals verify wins",),
    "records.jsonl": ("games verify records.jsonl",),
    "exam.jsonl": ("exam mark exam.jsonl answers.jsonl --json",),
    "answers.jsonl": ("exam mark exam.jsonl answers.jsonl --json",),
    "input.txt": ("best-first input.txt --steps s.txt --output o.txt --max-expansions 100",),
}


def test_assertions_promise_nothing() -> None:
    """They may tell a type checker that something is not None, or of which type; all else is checked by code."""
    for path in sorted(Path(gridlab.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Assert):
                said = ast.unparse(node.test)
                assert said.endswith(" is not None") or said.startswith("isinstance("), f"{path}: assert {said}"


@pytest.mark.parametrize(
    ("module", "name", "command", "complaint"),
    [
        ("gridlab.game2048.datasets.generate", "game_flaw", "2048 generate -g 1 -d 2 -o g.jsonl", "breaks the rules"),
        ("gridlab.inarow.search.proof_number", "flaw_of", "solve 4x4:3 --prove", "the proof found is none"),
    ],
)
@pytest.mark.parametrize("flags", [(), ("-O",)])
def test_a_flaw_of_ours_is_told_without_assertions(
    tmp_path: Path, module: str, name: str, command: str, complaint: str, flags: tuple[str, ...]
) -> None:
    """What is made is checked; here the check says no."""
    program = f"""
import sys
import {module} as module
module.{name} = lambda *_, **__: "a flaw"
from gridlab import cli
sys.exit(cli.run({command.split()!r}))
"""
    done = subprocess.run([sys.executable, *flags, "-c", program], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "g.jsonl").exists()


def endings(folder: Path, commands: list[str], *flags: str) -> list[list[object]]:
    """How each command ends, in one process."""
    done = subprocess.run(
        [sys.executable, *flags, "-c", PROGRAM],
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"},
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def damaged(content: bytes, random: np.random.Generator) -> bytes:
    """A file cut short, or with a few bytes changed."""
    if random.random() < 0.3:
        return content[: int(random.integers(len(content)))]
    changed = bytearray(content)
    for place in random.integers(len(content), size=3):
        changed[place] ^= int(random.integers(1, 256))
    return bytes(changed)


def both(lab: Path, other: Path, commands: list[str]) -> None:
    """The same endings and the same files, with and without assertions."""
    usual, optimised = endings(lab, commands), endings(other, commands, "-O", "-W", "error")
    assert (usual.pop()[1], optimised.pop()[1]) == (0, 1)
    for one, two in zip(usual, optimised, strict=True):
        assert one == two
        assert one[1] in (0, 1, 2), one


def test_without_assertions_everything_is_checked_all_the_same(lab: Path, random: np.random.Generator) -> None:
    endings(lab, [f"2048 export games.jsonl -o games.{form} --quiet" for form in ("csv", "npz")])
    commands, other = [*SOUND], lab.with_name("other")
    for name, readers in READ.items():
        commands += readers
        for number in range(0 if name.startswith("wins") else 3):
            broken = f"broken{number}-{name}"
            (lab / broken).write_bytes(damaged((lab / name).read_bytes(), random))
            commands += [each.replace(name, broken) for each in readers]
    subprocess.run(["cp", "-a", lab, other], check=True)
    both(lab, other, commands)
    left = snapshot(lab)
    assert sum(name.startswith("new") for name in left) > 8
    assert left == snapshot(other)


def test_damaged_datasets_without_assertions(lab: Path, random: np.random.Generator) -> None:
    other = lab.with_name("other")
    for name in ("wins/layer_05.bin", "wins/manifest.json"):
        place = lab / name
        content = place.read_bytes()
        place.write_bytes(damaged(content, random))
        subprocess.run(["cp", "-a", "-T", lab, other], check=True)
        both(lab, other, list(READ[name]))
        place.write_bytes(content)
