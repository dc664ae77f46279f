"""`gridlab warm` leaves nothing to compile, and knows every command."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from gridlab import cli
from gridlab.cli.warm_jobs import JOBS, TOUR
from tests.conftest import Python, Run

WITHOUT_KERNELS = {
    "lines",
    "show",
    "terminals plot",
    "train export",
    "train info",
    "exam list",
    "exam show",
    "exam print",
    "train import",
    "players",
}
MADE_OF_OTHERS = {"cluster", "doctor", "tour", "tournament", "warm", "serve"}
COMMANDS = [
    "census 3x4:3",
    "states 2x3:2 --canonical -o states.csv",
    "solve 4x4:4 XO../..../..../.... --search-only",
    "solve squava",
    "solve 5x5:4 --prove --nodes 10000",
    "match perfect 'mcts playouts=100 exploration=0.5' --game 3x4:3 --games 4 --openings random:2",
    "match best-first heuristic --game 4x4:4 --games 2",
    "tournament random 'alpha-beta depth=2' mcts --game tictactoe --games 2 -o tournament",
    "grade 'alpha-beta depth=2' random --game 3x4:3 --positions 10",
    "terminals build 3x4:3 -o wins",
    "terminals verify wins",
    "terminals export wins --format csv -o wins.csv",
    "terminals find wins --winner x --symmetric --line 1",
    "terminals merge wins -o merged",
    "tablebase build 3x4:3 -o t.tb",
    "tablebase verify t.tb",
    "tablebase probe t.tb X.../..../....",
    "tablebase probe squava ...../...../..X../...../.....",
    "tablebase stats t.tb",
    "2048 evaluate 'expectimax evaluator=spec depth=2' --games 2",
    "2048 evaluate 'expectimax evaluator=rows depth=5 cutoff=0.001' --games 1",
    "2048 evaluate 'expectimax evaluator=rows depth=2 sample=4' --games 2 --rules 2048:4x4:0.2",
    "2048 generate -g 2 -d 2 --evaluator rows --max-moves 50 --seed 3 -o games.jsonl",
    "2048 generate -g 1 --curriculum easy --seed 3 -o easy.jsonl --verbose",
    "2048 generate -g 1 --extend -o easy.jsonl",
    "2048 verify games.jsonl --max-moves 50",
    "2048 stats games.jsonl",
    "2048 export games.jsonl --format csv -o games.csv",
    "2048 verify games.csv --max-moves 50",
    "2048 export games.jsonl --format json -o games.json",
    "2048 verify games.json --max-moves 50",
    "play 2048 --seed 2",
    "play 2048 --seed 2 --against ntuple",
    "play 2048 --seed 2 --against 'expectimax depth=5'",
    "tour",
]
PROGRAM = """
import json, shlex, sys
from numba.core import event
from gridlab import cli
from gridlab.tour import stops

if __name__ == "__main__":
    stops.SECONDS, stops.EPISODES = 1, 5  # a tour that learns a little less
    with event.install_recorder("numba:compile") as compilations:
        for command in json.load(open("commands.json")):
            assert cli.run(shlex.split(command)) == 0, command
            assert not compilations.buffer, f"{command} compiled {compilations.buffer[0][1].data['dispatcher'].py_func}"
"""


def words_of(app: Any, above: tuple[str, ...] = ()) -> set[str]:
    """Every command of the command line: census, tablebase build, …"""
    found = set()
    for command in app.registered_commands:
        found.add(" ".join([*above, command.name or command.callback.__name__.replace("_", "-")]))
    for group in app.registered_groups:
        found |= words_of(group.typer_instance, (*above, group.name))
    return found


def test_every_command_is_warmed() -> None:
    commands = [command for job in JOBS for command in job.commands]
    for words in words_of(cli.app) - WITHOUT_KERNELS - MADE_OF_OTHERS:
        assert any(command.startswith(f"{words} ") for command in commands), words
    assert {job.name for job in JOBS} >= TOUR


@pytest.mark.compiled
@pytest.mark.long
def test_after_it_nothing_is_compiled(gridlab: Run, tmp_path: Path) -> None:
    code, out, _ = gridlab("warm", "--json")
    assert code == 0
    facts = json.loads(out)
    assert [each["job"] for each in facts["jobs"]] == [job.name for job in JOBS if job.possible]
    (tmp_path / "commands.json").write_text(json.dumps(COMMANDS))
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "compiling" not in done.stderr
    code, out, err = gridlab("warm")
    assert (code, err) == (0, "")
    assert out.endswith("kernels are compiled already\n")


@pytest.mark.compiled
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_ends_it_at_once(tmp_path: Path) -> None:
    """Pressed at a terminal, Ctrl-C reaches the workers too, in whatever they are doing."""
    command = [sys.executable, "-m", "gridlab", "warm"]
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as run:
        assert run.stderr is not None
        assert run.stderr.readline() == "compiling, first run only\n"
        while not any(tmp_path.rglob("*.code")):  # the first kernel: the workers are at work
            time.sleep(0.02)
        os.killpg(run.pid, signal.SIGINT)
        assert run.wait(30) == 130
        *progress, last = run.stderr.read().splitlines()
        assert last == "interrupted"
        assert all(line.startswith("compiling: ") for line in progress), progress


def test_without_the_compiler_there_is_nothing_to_do(python: Python) -> None:
    done = python("from gridlab.cli import run; run(['warm'])", NUMBA_DISABLE_JIT="1")
    assert done.stdout == "nothing is compiled while NUMBA_DISABLE_JIT is set\n"
