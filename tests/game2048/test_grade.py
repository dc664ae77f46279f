"""Players of 2048 held to the table of a solved board."""

import json
from pathlib import Path

import numpy as np
import pytest

from gridlab.core.errors import BadNotation, BadPlayer, FileTrouble, PlayerFault
from gridlab.game2048.exact.build import build_tablebase2048
from gridlab.game2048.exact.probe import Tablebase2048
from gridlab.game2048.exact.sampling import draw_boards, draw_layers
from gridlab.game2048.grade import Grade2048, find_table, grade2048, judge
from gridlab.game2048.players import PerfectPlayer2048
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import Rules2048
from gridlab.game2048.search.play import adviser_of, has_kernel_policy
from gridlab.players.registry import make_player
from tests.conftest import Run, in_long_runs

TINY, SMALL = Rules2048(2, 2), Rules2048(2, 3)


class Worst:
    """The direction that is worth the least."""

    def __init__(self) -> None:
        self.table = Tablebase2048("2048:2x2")

    def move(self, position: Position2048, random: np.random.Generator) -> str:
        values = self.table.values(position)
        return min(values, key=values.__getitem__)


def test_perfect_gives_nothing_away() -> None:
    found = grade2048("perfect", TINY, 60, whole=True, seed=1)
    assert (found.own.accuracy, found.uniform.accuracy) == (1.0, 1.0)
    assert (found.own.mean_regret, found.uniform.mean_regret, float(found.lost.sum())) == (0.0, 0.0, 0.0)
    assert found.whole is not None
    assert found.whole.value == pytest.approx(found.best, rel=1e-12)


def test_regret_is_what_the_best_direction_is_worth_more() -> None:
    table = Tablebase2048("2048:2x3")
    position = Position2048.parse("2 . 4/. 8 .", SMALL)
    values = table.values(position)
    for direction, value in values.items():
        judged = judge(table, position.packed, direction)
        assert judged.best == "right"
        assert judged.regret == pytest.approx(values["right"] - value)
    assert judge(table, position.packed, "right").kept


@pytest.mark.compiled
@pytest.mark.parametrize("player", ["random", "expectimax depth=1"])
@pytest.mark.parametrize("positions", [5_000, *in_long_runs(40_000)])
def test_what_games_give_away_is_what_is_missing(player: str, positions: int) -> None:
    """On average exactly the mean of best play less that of the player."""
    found = grade2048(player, SMALL, positions, whole=True, seed=3)
    assert found.whole is not None
    interval = found.lost_interval
    assert interval is not None
    missing, half = found.best - found.whole.value, (interval.high - interval.low) / 2
    assert abs(float(found.lost.mean()) - missing) < 2 * half
    assert found.uniform.mean_regret > 0


def test_the_worst_player() -> None:
    found = grade2048(Worst(), TINY, 50, seed=1)
    assert found.player == "Worst"
    assert found.uniform.accuracy < 0.8
    assert found.own.worst[0].regret >= found.own.worst[-1].regret > 0
    assert "gives away" in str(found)


def test_the_same_seed_gives_the_same_grade() -> None:
    one, other = (grade2048("random", TINY, 50, seed=2).as_dict() for _ in range(2))
    assert one == other
    assert one != grade2048("random", TINY, 50, seed=3).as_dict()


def test_the_chance_of_a_tile(tmp_path: Path) -> None:
    build_tablebase2048(TINY, tmp_path / "t.tb", target=16)
    found = grade2048("random", TINY, 100, whole=True, tablebase=tmp_path / "t.tb")
    assert found.target == "16"
    assert found.whole is not None
    assert found.whole.value < found.best == pytest.approx(0.96251125375)
    assert "of the chance of 16 given away a game" in str(found)


def test_boards_are_drawn_uniformly_each_once() -> None:
    table, random = Tablebase2048("2048:2x2"), np.random.default_rng(1)
    every = [int(board) for _, boards in draw_layers(table, 74, random) for board in boards]
    assert len(set(every)) == 74  # 110 boards, 36 of them over
    seen = np.zeros(4)
    for _ in range(300):
        for position in draw_boards(table, 3, random, least_directions=2):
            assert len(position.moves()) >= 2
            seen += np.array(position.tiles) > 0
    assert seen.min() > 0.8 * seen.max()  # images by chance: no cell is empty more often than another


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(BadPlayer, match="there is no table of 2048:2x4 to grade players by; gridlab tablebase build"):
        grade2048("random", "2048:2x4")
    with pytest.raises(FileTrouble, match="is a table of 2048:2x2, not of 2048:2x3"):
        find_table(SMALL, "2048:2x2")
    with pytest.raises(BadNotation, match="0 positions are too few"):
        grade2048("random", TINY, 0)
    with pytest.raises(BadPlayer, match="plays by chance"):
        grade2048("expectimax sample=1", TINY, 10, whole=True)

    class Silly:
        def move(self, position: Position2048, random: np.random.Generator) -> str:
            return "left"

    with pytest.raises(PlayerFault, match="answers 'left' in"):
        grade2048(Silly(), TINY, 10)


def test_the_perfect_player() -> None:
    player = make_player("perfect", SMALL)
    assert isinstance(player, PerfectPlayer2048)
    assert has_kernel_policy(player, SMALL)
    assert adviser_of(player) is player
    assert str(player) == "perfect"
    assert str(PerfectPlayer2048(SMALL, "2048:2x3")) == "perfect tablebase=2048:2x3"
    position = Position2048.parse("2 . 4/. 8 .", SMALL)
    assert player.move(position, np.random.default_rng(0)) == "right"
    with pytest.raises(
        BadPlayer, match="the player perfect needs a table of 2048:3x3: gridlab tablebase build 2048:3x3"
    ):
        make_player("perfect", Rules2048(3, 3))


def test_the_usual_table_is_named_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = Rules2048(2, 2, 0.5)
    build_tablebase2048(rules, tmp_path / "half.tb")
    monkeypatch.setenv("GRIDLAB_TABLEBASE", str(tmp_path / "half.tb"))
    assert isinstance(make_player("perfect", rules), PerfectPlayer2048)
    assert isinstance(make_player("perfect", TINY), PerfectPlayer2048)  # of another game: the shipped one


def test_on_the_command_line(gridlab: Run, tmp_path: Path) -> None:
    words = ("grade", "random", "perfect", "--game", "2048:2x2", "--positions", "30", "--seed", "1", "--quiet")
    code, out, _ = gridlab(*words)
    assert code == 0
    assert out.startswith("2048:2x2, random, seed 1\n")
    code, out, _ = gridlab(*words, "--whole", "--json", "--out", str(tmp_path / "g.png"))
    assert code == 0
    both = json.loads(out)["grades"]
    assert both[1]["whole"]["value"] == pytest.approx(both[1]["best"])
    assert (tmp_path / "g.png").stat().st_size > 1000
    code, _, err = gridlab("grade", "random", "--game", "3x3:3", "--whole")
    assert (code, "--whole is for 2048" in err) == (2, True)


def test_hints_come_from_the_table(gridlab: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.StringIO("values\nquit\n"))
    code, out, _ = gridlab("play", "2048:2x3", "--tablebase", "2048:2x3", "--seed", "1")
    assert code == 0
    assert "48" in out


def test_grades_are_values() -> None:
    assert isinstance(grade2048("random", TINY, 5), Grade2048)
