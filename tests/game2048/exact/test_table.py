"""Tables of solved boards: the same bytes whatever happens on the way, refusals, questions, counts, damaged files."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from gridlab.core.errors import BadNotation, CorruptFile, FileTrouble, IllegalPosition, TooLarge
from gridlab.game2048.exact import build as building
from gridlab.game2048.exact.build import boards_by_sum, build_tablebase2048, estimate
from gridlab.game2048.exact.file import KIND, TableFile2048, new_directory, pack_layer, write_table
from gridlab.game2048.exact.layers import Layer, make_layers
from gridlab.game2048.exact.probe import Tablebase2048
from gridlab.game2048.exact.verify import stats, verify
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import Rules2048
from gridlab.games import tablebases
from gridlab.games.tablebases import find, open_tablebase
from tests.conftest import Run

FOOTER = KIND.footer

TINY, SMALL = Rules2048(2, 2), Rules2048(2, 3)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tiny") / "2x2.tb"
    build_tablebase2048(TINY, path, workers=1)
    return path


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("small") / "2x3.tb"
    build_tablebase2048(SMALL, path, workers=1)
    return path


# ---- building


def test_shipped_tables_are_what_is_built(tiny: Path) -> None:
    assert find("2048:2x2").read_bytes() == tiny.read_bytes()
    assert open_tablebase("2048:2x2").rules == TINY


@pytest.mark.compiled
@pytest.mark.parametrize("text", ["2048:2x3", "2048:3x2"])
def test_shipped_tables_of_six_cells(text: str, tmp_path: Path) -> None:
    build_tablebase2048(text, tmp_path / "t.tb", workers=1)
    assert find(text).read_bytes() == (tmp_path / "t.tb").read_bytes()


@pytest.mark.compiled
def test_any_number_of_workers_gives_the_same_bytes(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gridlab.game2048.exact.layers.ALONE", 1)
    monkeypatch.setattr(building, "A_PART", 1000)
    for workers in (2, 3):
        build_tablebase2048(SMALL, tmp_path / "t.tb", workers=workers)
        assert (tmp_path / "t.tb").read_bytes() == small.read_bytes()
        assert not (tmp_path / "t.tb.layers").exists()


@pytest.mark.compiled
def test_a_killed_build_goes_on_to_the_same_bytes(small: Path, tmp_path: Path) -> None:
    path, folder = tmp_path / "killed.tb", tmp_path / "killed.tb.layers"
    program = f"""
import time
from gridlab.game2048.exact import build as building

building.A_PART, write = 2000, building.write_table

def slowly(path, *rest):
    write(path, *rest)
    if len(list(path.parent.glob("*.tb"))) == 3:
        time.sleep(60)  # until it is killed

building.write_table = slowly
building.build_tablebase2048("2048:2x3", {str(path)!r}, workers=1)
"""
    run = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.DEVNULL)
    while len(list(folder.glob("[0-9]*.tb"))) < 3:
        time.sleep(0.01)
        assert run.poll() is None
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    assert not path.exists()
    kept = sorted(int(each.stem) for each in folder.glob("[0-9]*.tb"))
    assert kept[0] > 4
    (folder / ".8.tb.1.part").write_bytes(b"half a part")  # what a kill in the middle of writing leaves
    with pytest.raises(FileTrouble, match="what an earlier build has left; go on with --resume"):
        build_tablebase2048(SMALL, path)
    with pytest.raises(CorruptFile, match="does not belong to this build of 2048:2x3"):
        build_tablebase2048(SMALL, path, target=64, resume=True)
    build_tablebase2048(SMALL, path, workers=2, resume=True)
    assert path.read_bytes() == small.read_bytes()
    assert not folder.exists()


def test_what_a_build_will_take_is_said_once_and_not_of_one_that_is_refused(tmp_path: Path) -> None:
    path, folder, said = tmp_path / "t.tb", tmp_path / "t.tb.layers", list[str]()
    folder.mkdir()
    (folder / "4.tb").touch()
    with pytest.raises(FileTrouble, match="what an earlier build has left; go on with --resume"):
        build_tablebase2048(TINY, path, say=said.append)
    assert not said
    shutil.rmtree(folder)
    build_tablebase2048(TINY, path, say=said.append)
    assert said == [str(estimate(TINY))]


def test_what_is_left_of_another_build_is_not_used(tiny: Path, tmp_path: Path) -> None:
    path, folder = tmp_path / "t.tb", tmp_path / "t.tb.layers"
    folder.mkdir()
    shutil.copy(tiny, folder / "4.tb")
    with pytest.raises(CorruptFile, match=r"does not belong to this build of 2048:2x3; remove .* and start again"):
        build_tablebase2048(SMALL, path, resume=True)
    (folder / "4.tb").write_bytes(b"GRIDEXP1 and then nothing")
    with pytest.raises(CorruptFile, match=r"the end is missing.*; remove .* and start again"):
        build_tablebase2048(TINY, path, resume=True)


def test_parts_with_other_boards_are_refused(tmp_path: Path) -> None:
    """A part that passes the reader, of the right game, but whose layers hold fewer boards than there are."""
    folder = tmp_path / "t.tb.layers"
    folder.mkdir()
    layers = list(make_layers(TINY))[-4:]
    fewer = [Layer(each.sum, each.boards, each.over, each.afterstates[:-1]) for each in layers]
    packed = [pack_layer(TINY, each, np.zeros(len(each.afterstates))) for each in fewer]
    write_table(folder / f"{layers[0].sum}.tb", new_directory(TINY, 0, 0), packed)
    with pytest.raises(CorruptFile, match="does not hold the boards of sum"):
        build_tablebase2048(TINY, tmp_path / "t.tb", resume=True)


def test_parts_without_the_last_layers_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "t.tb.layers"
    folder.mkdir()
    packed = [pack_layer(TINY, each, np.zeros(len(each.afterstates))) for each in list(make_layers(TINY))[-6:-2]]
    write_table(folder / f"{packed[0].stored.sum}.tb", new_directory(TINY, 0, 0), packed)
    with pytest.raises(CorruptFile, match="does not hold the last layers, up to the sum 60; start again"):
        build_tablebase2048(TINY, tmp_path / "t.tb", resume=True)


def test_refusals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.tb"
    for rules, tile, most, sentence in (
        ("2048:5x2", 0, 0, "has more than 4 rows or columns"),
        ("2048:3x4", 0, 0, r"has 12 cells; boards of up to 9 can be solved to their end, larger ones up to a tile"),
        ("2048", 64, 0, "may have [0-9,]+ boards, more than"),
    ):
        with pytest.raises(TooLarge, match=sentence):
            build_tablebase2048(rules, path, tile or "score", max_sum=most)
    for tile in (4, 12, 64):
        with pytest.raises(
            BadNotation, match=f"{tile} is not a tile that a game of 2048:2x2 is played for; 8, 16, … 32 are"
        ):
            build_tablebase2048(TINY, path, tile)
    with pytest.raises(BadNotation, match="tiles that add up to 6 do not make a game; 8 or more are needed"):
        build_tablebase2048(TINY, path, max_sum=6)
    with monkeypatch.context() as patch:
        patch.setattr(tablebases, "available_memory", lambda: 1 << 20)
        with pytest.raises(TooLarge, match="2048:2x2 may need 250 MiB of memory and 1 MiB are free"):
            build_tablebase2048(TINY, path)
    usage = shutil.disk_usage(tmp_path)._replace(free=5000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(TooLarge, match="of disk and 5 KiB are free"):
        build_tablebase2048(TINY, path)
    assert not list(tmp_path.iterdir())


def test_the_estimate_is_a_bound() -> None:
    for text, tile, most in (("2048:2x2", 0, 0), ("2048:2x2", 16, 0), ("2048:3x3", 0, 30), ("2048", 8, 20)):
        rules = Rules2048.parse(text)
        bound = boards_by_sum(rules, tile, most)
        for layer in make_layers(rules, tile, most):
            assert layer.boards <= bound.get(layer.sum, 0) * 2 + 8  # symmetric boards have fewer images
        assert sum(bound.values()) == estimate(rules, tile, most).boards


@pytest.mark.compiled
def test_up_to_a_sum(tmp_path: Path) -> None:
    """A game that ends beyond a sum: values are those of the whole game less what comes later."""
    build_tablebase2048(Rules2048(3, 3), tmp_path / "t.tb", max_sum=24)
    table = Tablebase2048(tmp_path / "t.tb")
    assert list(table.file.layers) == list(range(4, 25, 2))
    assert not table.layer(24)[1].any()
    assert not verify(tmp_path / "t.tb", full=True).complaints
    with pytest.raises(TooLarge, match="knows boards whose tiles add up to at most 24"):
        table.probe(Position2048.parse("16 8 4/2 . ./. . .", table.rules))


# ---- questions


@pytest.mark.compiled
def test_probe(small: Path, tiny: Path, gridlab: Run) -> None:
    table = Tablebase2048(small)
    probe = table.probe(Position2048.parse("2 . 4/. 8 .", SMALL))
    assert probe.best == ["right"]
    assert probe.spread == pytest.approx(probe.values["right"] - probe.values["up"])
    over = table.probe(Position2048.parse("2 4 2/4 2 4", SMALL))
    assert (over.value, over.values, over.spread) == (0.0, {}, None)
    assert "there is no move" in str(over)
    with pytest.raises(IllegalPosition, match=r"1024 \. \./\. \. \. cannot come up in a game of 2048:2x3"):
        table.probe(Position2048.parse("1024 . ./. . .", SMALL))
    with pytest.raises(FileTrouble, match="is a table of 2048:2x3; the board is one of 2048:2x2"):
        table.probe(Position2048.parse("2 ./. 2", TINY))
    code, out, _ = gridlab("tablebase", "probe", str(tiny), "2 ./. 2")
    assert code == 0
    assert "67.696 points to come; 0.000 more than the second direction" in out


@pytest.mark.compiled
def test_images_are_worth_the_same(small: Path) -> None:
    table = Tablebase2048(small)
    one = table.values(Position2048.parse("2 . 4/. 8 .", SMALL))
    other = table.values(Position2048.parse(". 8 ./4 . 2", SMALL))
    assert [one[each] for each in ("up", "down", "left", "right")] == [
        other[each] for each in ("down", "up", "right", "left")
    ]


def test_the_chance_of_a_tile(tmp_path: Path) -> None:
    build_tablebase2048(TINY, tmp_path / "t.tb", target=16)
    table = Tablebase2048(tmp_path / "t.tb")
    assert table.mean == pytest.approx(0.96251125375)
    assert table.probe(Position2048.parse("16 2/. .", TINY)).value == 1.0
    sure = table.probe(Position2048.parse("8 8/2 .", TINY))
    assert (sure.value, sure.best) == (1.0, ["left", "right"])
    assert "chance of 16" in str(sure)


@pytest.mark.compiled
def test_statistics(small: Path, tmp_path: Path, gridlab: Run) -> None:
    found = stats(Tablebase2048(small))
    assert (found.boards, found.over, found.afters) == (21_752, 4_484, 14_883)
    assert found.start == pytest.approx(480.2582717759582)
    table = Tablebase2048(small)
    every = [
        Position2048.unpack(board, rules=SMALL) for each in found.layers for board in table.boards(each.sum).tolist()
    ]
    assert sum(each.forced for each in found.layers) == sum(len(each.moves()) == 1 for each in every) == 240
    code, out, _ = gridlab("tablebase", "stats", str(small), "--out", str(tmp_path / "s.png"), "--quiet")
    assert code == 0
    assert "21,752 boards to move up to symmetry (4,484 over), 14,883 after a move" in out
    assert (tmp_path / "s.png").stat().st_size > 1000


# ---- damaged files


@pytest.mark.compiled
def test_a_sound_file(tiny: Path, small: Path, gridlab: Run) -> None:
    assert not verify(tiny, full=True).complaints
    assert not verify(small).complaints
    code, out, _ = gridlab("tablebase", "verify", str(tiny), "--full", "--quiet")
    assert (code, out.splitlines()[-1]) == (0, "sound")


def rewritten(source: Path, target: Path, total: int, change: object) -> Path:
    """A file with one layer changed, all checksums right."""
    file = TableFile2048(source)
    packed = []
    for each in file.all_packed():
        if each.stored.sum == total:
            boards, values = file.layer(total)
            layer = Layer(total, each.stored.boards, each.stored.over, boards)
            packed.append(pack_layer(file.rules, *change(layer, values.copy())))  # type: ignore[operator]
        else:
            packed.append(each)
    write_table(target, file.directory, packed)
    return target


def test_wrong_values_and_boards_are_found(tiny: Path, tmp_path: Path) -> None:
    def other_value(layer: Layer, values: np.ndarray) -> tuple[Layer, np.ndarray]:
        values[1] = np.nextafter(values[1], 1e9)
        return layer, values

    path = rewritten(tiny, tmp_path / "t.tb", 20, other_value)
    wrong = verify(path, full=True).complaints
    assert any(each.startswith("sum 20: 1 values are not what the layers above give") for each in wrong)

    path = rewritten(tiny, tmp_path / "t.tb", 20, lambda layer, values: (layer._replace(boards=9), values))
    assert verify(path, full=True).complaints == (
        "sum 20: the directory counts 9 boards to move, 1 of them over; there are 6 and 1",
    )

    def one_board_less(layer: Layer, values: np.ndarray) -> tuple[Layer, np.ndarray]:
        return layer._replace(afterstates=layer.afterstates[1:]), values[1:]

    wrong = verify(rewritten(tiny, tmp_path / "t.tb", 20, one_board_less), full=True).complaints
    assert any("are not those that the layers below lead to" in each for each in wrong)


def test_impossible_boards_and_values_do_not_pass_the_door(tiny: Path, tmp_path: Path) -> None:
    changes = {
        "holds values that cannot be": lambda layer, values: (layer, values * np.nan),
        "holds values that": lambda layer, values: (layer, values - 1e6),
        "holds boards that cannot be, or not in order": lambda layer, values: (
            layer._replace(afterstates=layer.afterstates[::-1]), values,
        ),
        "holds boards that": lambda layer, values: (
            layer._replace(afterstates=layer.afterstates + np.uint64(1)), values,
        ),
    }  # fmt: skip
    for sentence, change in changes.items():
        path = rewritten(tiny, tmp_path / "t.tb", 20, change)
        with pytest.raises(CorruptFile, match=sentence):
            TableFile2048(path).layer(20)
        assert verify(path).complaints


@pytest.mark.compiled
def test_every_byte_matters(tiny: Path, tmp_path: Path) -> None:
    """A byte changed anywhere, or the end cut off: the file says so without being solved again."""
    data, path = tiny.read_bytes(), tmp_path / "t.tb"
    for place in range(0, len(data), 7):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x41]) + data[place + 1 :])
        assert verify(path).complaints, place
    for size in (0, 1, 8, 27, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:size])
        assert verify(path).complaints


def test_directories_that_cannot_be(tiny: Path, tmp_path: Path) -> None:
    file = TableFile2048(tiny)
    layers = list(file.all_packed())
    for change, sentence in (
        ({"rules": "2048:5x5"}, "no table of so large a board can be"),
        ({"rules": "3x3:3"}, "is not a game of 2048"),
        ({"target": "64"}, "which 2048:2x2 does not have"),
        ({"target": "many"}, "speaks of the objective 'many'"),
        ({"max_sum": 30}, "lists sums beyond 30"),
    ):
        fields = {name: getattr(file.directory, name) for name in ("rules", "behaviour", "target", "max_sum", "layers")}
        write_table(tmp_path / "t.tb", type(file.directory)(**(fields | change)), layers)
        with pytest.raises(CorruptFile, match=sentence):
            TableFile2048(tmp_path / "t.tb")
    write_table(tmp_path / "t.tb", file.directory, layers[1:])
    with pytest.raises(CorruptFile, match="lists the sum 6 where 4 should stand"):
        TableFile2048(tmp_path / "t.tb")
    write_table(tmp_path / "t.tb", file.directory, [])
    with pytest.raises(CorruptFile, match="lists no layers"):
        TableFile2048(tmp_path / "t.tb")
    assert FOOTER.size == 20


def test_on_the_command_line(gridlab: Run, tmp_path: Path, tiny: Path) -> None:
    path = tmp_path / "new" / "t.tb"
    code, out, err = gridlab("tablebase", "build", "2048:2x2", "-o", str(path))
    assert (code, out) == (0, "")
    assert "2048:2x2, score: at most 136 boards up to symmetry" in err
    assert path.read_bytes() == tiny.read_bytes()
    for words, sentence in (
        (("2048:2x2", "--max-ply", "3"), "--max-ply is for in-a-row games"),
        (("3x3:3", "--target", "8"), "--target and --max-sum are for 2048"),
        (("2048:2x2", "--target", "many"), "'many' is not a target; write score, or a tile such as 512"),
        (("2048:4x4",), "2048 has 16 cells; boards of up to 9 can be solved to their end"),
    ):
        code, _, err = gridlab("tablebase", "build", *words, "-o", str(path))
        assert code == 2
        assert sentence in err
