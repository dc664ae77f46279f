"""The same bytes on a cluster as on one machine, for every command that takes one; files travel once a worker."""

import json
import shlex
from pathlib import Path

import pytest

from gridlab.core.cluster import on_cluster
from gridlab.core.files import sha256_of
from gridlab.games.registry import game
from tests.cluster.processes import DaskCluster
from tests.conftest import Run

pytestmark = pytest.mark.compiled


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative names mean nothing to workers, which live in folders of their own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")


def both(gridlab: Run, cluster: DaskCluster, *words: str) -> tuple[str, str]:
    """What a command prints here and there; `OUT` in its words is `here` and `there`."""
    printed = []
    for out, more in (("here", ["--workers", "1"]), ("there", ["--cluster", cluster.address])):
        code, text, err = gridlab(*(word.replace("OUT", out) for word in words), *more)
        assert code == 0, err
        printed.append(text)
    return printed[0], printed[1]


def test_datasets(gridlab: Run, cluster: DaskCluster) -> None:
    both(gridlab, cluster, "2048", "generate", "-g", "12", "-d", "2", "--seed", "5", "--metadata", "-o", "OUT.jsonl")
    assert Path("there.jsonl").read_bytes() == Path("here.jsonl").read_bytes()


def test_a_dataset_tells_of_its_games(gridlab: Run, cluster: DaskCluster) -> None:
    words = shlex.split("2048 generate -g 3 -d 2 --max-moves 60 --seed 1 --verbose -o t.jsonl")
    code, _, err = gridlab(*words, "--cluster", cluster.address)
    assert code == 0
    assert [line[:4] for line in err.splitlines() if "Finished" in line] == ["[1] ", "[2] ", "[3] "]


def test_matches_and_tournaments(gridlab: Run, cluster: DaskCluster) -> None:
    players = "random", "heuristic", "mcts playouts=20"
    here, there = both(
        gridlab, cluster, "tournament", *players, "--game", "tictactoe", "--games", "12", "--json", "-o", "OUT"
    )
    assert here == there
    for name in ("tournament.json", "01-02.jsonl", "01-03.jsonl", "02-03.jsonl"):
        assert Path("there", name).read_bytes() == Path("here", name).read_bytes()
    here, there = both(gridlab, cluster, "match", "random", "perfect", "--game", "tictactoe", "--games", "20", "--json")
    assert here == there


def test_exams(gridlab: Run, cluster: DaskCluster) -> None:
    both(gridlab, cluster, "exam", "sit", "tictactoe-v1", "mcts playouts=20", "--seed", "3", "-o", "OUT.jsonl")
    assert Path("there.jsonl").read_bytes() == Path("here.jsonl").read_bytes()


def test_evaluations(gridlab: Run, cluster: DaskCluster) -> None:
    words = "2048", "evaluate", "expectimax depth=2 sample=3", "--games", "10", "--json"
    here, there = (json.loads(each) for each in both(gridlab, cluster, *words))
    here["moves_per_second"] = there["moves_per_second"] = 0  # of the clock
    assert here == there
    here, there = both(gridlab, cluster, "match", "random", "ntuple", "--game", "2048", "--games", "4")
    assert here == there


def test_grades(gridlab: Run, cluster: DaskCluster) -> None:
    words = "grade", "random", "mcts playouts=30", "--game", "tictactoe", "--positions", "120", "--json"
    here, there = both(gridlab, cluster, *words)
    assert here == there
    words = "grade", "random", "perfect", "--game", "2048:2x3", "--positions", "30", "--json"
    here, there = both(gridlab, cluster, *words)
    assert here == there


@pytest.mark.long
@pytest.mark.parametrize(("preset", "episodes"), [("guide", 20), ("best", 4)])
def test_the_games_of_trainings(cluster: DaskCluster, preset: str, episodes: int) -> None:
    pytest.importorskip("torch")
    from gridlab.inarow.learn.dqn import begin, learn_all
    from gridlab.inarow.learn.settings import settings_of

    for name, address in (("here", None), ("there", cluster.address)):
        with on_cluster(address):
            learn_all(begin(game("squava"), settings_of(preset, episodes), 3, Path(name), "cpu"), Path(name), 1)
    weights = f"weights-{episodes:06}.safetensors"
    assert Path("there", weights).read_bytes() == Path("here", weights).read_bytes()


@pytest.mark.long
def test_trainings(gridlab: Run, cluster: DaskCluster) -> None:
    pytest.importorskip("torch")
    both(gridlab, cluster, *shlex.split("train squava --preset guide --episodes 40 --seed 3 -o OUT --quiet"))
    for name in ("weights-000006", "weights-000030", "weights-000040"):
        there, here = (Path(folder, f"{name}.safetensors").read_bytes() for folder in ("there", "here"))
        assert there == here


def test_files_travel_once_a_worker(gridlab: Run, cluster: DaskCluster) -> None:
    words = shlex.split("train 2048 --games 20 --tuples 5x4 --workers 1 -o small.ntuple --quiet")
    assert gridlab(*words)[0] == 0
    assert gridlab("tablebase", "build", "tictactoe", "-o", "t.tb")[0] == 0
    for _ in range(2):
        words = ["match", "ntuple file=small.ntuple", "random", "--game", "2048", "--games", "20"]
        here, there = both(gridlab, cluster, *words)
        assert here == there
    words = shlex.split("grade perfect random --game tictactoe --tablebase t.tb --positions 120 --json")
    here, there = both(gridlab, cluster, *words)
    assert here == there
    came = {digest: [each for each in cluster.files() if each.name == digest] for digest in map(sha256_of, FILES)}
    for digest, copies in came.items():
        assert 1 <= len(copies) <= 2
        assert all(sha256_of(each) == digest for each in copies)
    assert {each.name for each in cluster.files()} == set(came), "nothing else was left there"


FILES = Path("small.ntuple"), Path("t.tb")


def test_what_is_wrong_is_said_as_here(gridlab: Run, cluster: DaskCluster) -> None:
    for player in ("perfect tablebase=nothing.tb", "perfect tablebase=squava", "alpha-beta depth=99"):
        words = "match", player, "random", "--game", "tictactoe"
        code, out, err = gridlab(*words, "--workers", "1")
        assert (code, out) == (2, "")
        assert gridlab(*words, "--cluster", cluster.address) == (code, out, err)


def test_programs_do_not_travel(gridlab: Run, cluster: DaskCluster) -> None:
    words = "match", "command=cat", "random", "--game", "tictactoe", "--cluster", cluster.address
    code, _, err = gridlab(*words)
    assert code == 2
    assert err == "error: the program cat does not travel to the workers of a cluster; leave out --cluster\n"
