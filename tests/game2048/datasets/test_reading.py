"""Reading games: text by kernels and by the json module, random access, batches, symmetries, statistics, splits."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gridlab.core.errors import BadNotation, CorruptFile, FileTrouble
from gridlab.core.run import working
from gridlab.game2048 import rules as reference
from gridlab.game2048.datasets import files
from gridlab.game2048.datasets.files import export_games, index_of, known_index, read_games
from gridlab.game2048.datasets.moves import Games, symmetric
from gridlab.game2048.datasets.settings import DatasetSettings, make_settings
from gridlab.game2048.datasets.split import split
from gridlab.game2048.datasets.verify import Statistics, Stopped, plot_statistics, statistics, statistics_of, verify
from gridlab.game2048.records import from_dict, moves_of, moves_text, packed_of, parse, tiles_of
from tests.conftest import Run
from tests.game2048.datasets.by_hand import RULES, game_by_hand, nested


def write(path: Path, games: int) -> Path:
    path.write_text("".join(json.dumps(game_by_hand(state)) + "\n" for state in range(games)))
    return path


def test_text_is_what_the_json_module_makes_of_it() -> None:
    record = game_by_hand(3)
    game, flaw = from_dict(record)
    assert flaw is None
    assert game.line().decode() == json.dumps(record, separators=(",", ":")) + "\n"
    assert game.as_dict() == record
    for text in (game.line(), json.dumps(record).encode(), json.dumps(record, indent=2).encode()):
        assert parse(text)[0].as_dict() == record
    moves = json.dumps(record["moves"])[1:-1].encode()
    found = moves_of(moves, record["totalMoves"])
    assert found is not None
    assert moves_text(*found) == json.dumps(record["moves"], separators=(",", ":"))[1:-1].encode()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[[", "[ [1,"), ('"up"', '"upp"'), ('"up"', "up"), ('"score": ', '"score": 0'), ('"score": ', '"score": -'),
        ('"score": ', '"score": 1.5'), ('"score"', '"points"'), ("}, {", "} {"), ('"board"', '"bord"'), ("2", "3"),
        ("0,", "65536,"), ("]]", "]"), ('"up"', '"UP"'), ("{", "[", ),
    ],
)  # fmt: skip
def test_text_that_kernels_leave_to_others(old: str, new: str) -> None:
    moves = game_by_hand(3)["moves"][:9]
    text = json.dumps(moves)[1:-1]
    assert moves_of(text.encode(), 9) is not None
    assert moves_of(text.encode(), 8) is None
    assert moves_of(text.encode(), 10) is None
    assert old in text
    assert moves_of(text.replace(old, new, 1).encode(), 9) is None
    for length in range(0, len(text), 7):
        assert moves_of(text[:length].encode(), 9) is None


def test_packing() -> None:
    random = np.random.default_rng(0)
    tiles = np.where(random.random((50, 4, 4)) < 0.3, 0, 2 ** random.integers(1, 16, (50, 4, 4)))
    assert (tiles_of(packed_of(tiles)) == tiles).all()
    with pytest.raises(BadNotation, match="3 is not a tile"):
        packed_of(np.full((1, 4, 4), 3))


def test_random_access(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", 6)
    games = Games(path)
    assert (len(games), games.samples) == (6, sum(game_by_hand(state)["totalMoves"] for state in range(6)))
    assert index_of(path).exists()
    for number in (5, 0, 3, -1):
        assert games[number].as_dict() == game_by_hand(number % 6)
    assert [game.moves for game in games] == Games(path).index.moves.tolist()
    with pytest.raises(IndexError, match="there is no game 6"):
        games[6]
    with pytest.raises(FileTrouble, match="is not a file of JSON lines"):
        Games(tmp_path / "a.csv")
    with pytest.raises(FileTrouble, match="cannot be read"):
        Games(tmp_path / "none.jsonl")


@pytest.mark.parametrize(
    ("offsets", "fits"),
    [((0, 5, 9), True), ((1, 5, 9), False), ((0, 5, 8), False), ((0, 5, 10), False), ((0, 9, 9), False), ((9,), True)],
)
def test_an_index_covers_the_file_from_its_beginning_to_its_end(offsets: tuple[int, ...], fits: bool) -> None:
    moves = np.full(len(offsets) - 1, 3, "<u4")
    assert files._fits(files.Index(np.array(offsets, "<u8"), moves, {}, None), 9) == fits


def test_an_index_that_does_not_fit_is_made_anew(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", 2)
    assert len(Games(path)) == 2
    write(path, 4)
    assert len(Games(path)) == 4
    damaged = bytearray(index_of(path).read_bytes())
    damaged[-1] ^= 1
    index_of(path).write_bytes(damaged)
    assert Games(path)[3].as_dict() == game_by_hand(3)
    index_of(path).write_bytes(b"nonsense")
    assert len(Games(path)) == 4
    (tmp_path / "b.jsonl").write_text("no game\n")
    with pytest.raises(CorruptFile, match=r"b.jsonl, line 1: this is not a game"):
        Games(tmp_path / "b.jsonl")
    (tmp_path / "c.jsonl").write_text('\n{"totalMoves": 3}\n')
    with pytest.raises(CorruptFile, match="game 0: moves must be a list"):
        Games(tmp_path / "c.jsonl")[0]


def test_batches_hold_every_move_once(tmp_path: Path) -> None:
    games = Games(write(tmp_path / "a.jsonl", 5))
    batches = list(games.batches(64, np.random.default_rng(1)))
    assert [len(boards) for boards, _ in batches[:-1]] == [64] * (len(batches) - 1)
    seen = sorted(
        (board.tobytes(), int(direction)) for boards, directions in batches
        for board, direction in zip(boards, directions, strict=True)
    )  # fmt: skip
    truth = sorted(
        (board.tobytes(), int(direction)) for game in games
        for board, direction in zip(tiles_of(game.boards), game.directions, strict=True)
    )  # fmt: skip
    assert seen == truth
    again = next(iter(games.batches(64, np.random.default_rng(1))))
    assert (again[0] == batches[0][0]).all()
    assert again[0].dtype == np.int32
    turned = list(games.batches(64, np.random.default_rng(1), symmetries=True))
    assert sum(len(boards) for boards, _ in turned) == games.samples


@pytest.mark.parametrize("symmetry", range(8))
def test_a_symmetry_maps_moves_along(symmetry: int) -> None:
    """Turned and moved is moved and turned."""
    boards = np.array([move["board"] for move in game_by_hand(4)["moves"][:40]], np.int32)
    for number, name in enumerate(reference.DIRECTIONS):
        directions = np.full(len(boards), number)
        images, mapped = symmetric(boards, directions, symmetry)
        moved = np.array([nested(reference.move(RULES, tuple(board.ravel().tolist()), name)[0]) for board in boards])
        turned, _ = symmetric(moved.astype(np.int32), directions, symmetry)
        for image, way, wanted in zip(images, mapped, turned, strict=True):
            after, _ = reference.move(RULES, tuple(image.ravel().tolist()), reference.DIRECTIONS[way])
            assert nested(after) == wanted.tolist()
    assert symmetry == 0 or any((symmetric(boards, directions, symmetry)[0] != boards).ravel())


@pytest.mark.compiled
def test_statistics_of_a_file_made_by_hand(gridlab: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", 4)
    games = [game_by_hand(state) for state in range(4)]
    found = statistics(read_games(path)).as_dict()
    assert found["games"] == 4
    assert found["wins"] == 0
    assert found["mean_score"] == sum(game["finalScore"] for game in games) / 4
    assert found["mean_moves"] == sum(game["totalMoves"] for game in games) / 4
    assert found["max_tile"] == max(game["maxTile"] for game in games)
    assert sum(found["max_tiles"].values()) == 4
    assert found["directions"] == {
        name: sum(move["direction"] == name for game in games for move in game["moves"])
        for name in reference.DIRECTIONS
    }
    scores = sorted(game["finalScore"] for game in games)
    assert found["score_percentiles"]["50"] == (scores[1] + scores[2]) / 2
    assert [flag.split(" is below")[0].split(" 0.0%")[0] for flag in found["flags"][:1]] == ["win rate"]
    assert any("average score" in flag for flag in found["flags"])
    code, out, _ = gridlab("2048", "stats", str(path), "--plot", "--out", str(tmp_path / "a.png"))
    assert code == 0
    assert out.startswith("📊 Dataset Statistics\n" + "=" * 60 + "\nTotal games: 4\nWins (2048+): 0 (0.0%)\n")
    assert (tmp_path / "a.png").stat().st_size > 5000
    code, out, _ = gridlab("2048", "stats", str(path), "--json")
    assert json.loads(out) == found


@pytest.mark.parametrize(
    "form",
    ["jsonl", "json", "csv", "npz", *(pytest.param(each, marks=pytest.mark.compiled) for each in ("parquet", "hdf5"))],
)
def test_reading_tells_how_far_it_is(tmp_path: Path, form: str) -> None:
    """Of every format in bytes of the file, game by game, up to its end."""
    if form in ("parquet", "hdf5"):
        pytest.importorskip({"parquet": "pyarrow", "hdf5": "h5py"}[form])
    path = write(tmp_path / "games.jsonl", 4)
    if form != "jsonl":
        path, _ = export_games(path, form)
    size = path.stat().st_size
    heard: list[tuple[float, float | None]] = []
    with working(hear=lambda what, done, total: heard.append((done, total))):
        statistics_of(path)
        verified = verify(path)
    assert not verified.flawed
    assert [total for _, total in heard] == 8 * [size]
    for part in (heard[:4], heard[4:]):
        done = [each for each, _ in part]
        assert done == sorted(done)
        assert done[-1] > 0.98 * size if form == "json" else done[-1] == size
        if form != "parquet":  # rows come in batches of some thousands
            assert len(set(done)) == 4


@pytest.mark.compiled
def test_the_tool_prints_what_stats_prints(gridlab: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", 2)
    tool = Path(__file__).parents[3] / "tools" / "analyze_dataset.py"
    done = subprocess.run([sys.executable, tool, path], capture_output=True, text=True, check=True)
    assert done.stdout == gridlab("2048", "stats", str(path))[1]


def test_red_flags() -> None:
    fine = Statistics([30_000] * 1000, [1500] * 1000, [1500] * 1000, directions=[1, 1, 1, 1])
    fine.tiles.update({2048: 999, 4096: 1})
    assert fine.flags() == []
    bad = Statistics([900] * 1000, [60] * 1000, [60] * 1000, directions=[1, 0, 1, 1])
    bad.tiles.update({128: 1000})
    assert [flag.split()[0] for flag in bad.flags()] == ["win", "average", "no", "average", "no"]
    assert bad.flags()[-1] == "no move goes down"
    bad.min_score = 500
    assert bad.flags()[0] == "win rate 0.0% of the games kept is below 50%: the player does not perform well"
    assert Statistics().flags() == ["there are no games"]
    assert "Total games: 0" in str(Statistics())


def test_a_game_that_was_stopped_raises_no_flag_for_where_it_stood() -> None:
    """900 games of 1000 have reached the tile that ends them: what they might have become nobody knows."""
    easy = Statistics([2000] * 1000, [150] * 1000, [150] * 1000, directions=[1, 1, 1, 1])
    easy.tiles.update({256: 900, 128: 100})
    easy.stopped = [Stopped(2000, 150, 256)] * 900
    assert easy.flags() == []
    easy.stopped = easy.stopped[:400]  # 600 have died: most games are lost whatever the others become
    assert [flag.split(" is")[0] for flag in easy.flags()] == ["win rate 0.0%"]
    easy.stopped = []
    assert [flag.split(" ")[0] for flag in easy.flags()] == ["win", "average", "no"]


@pytest.mark.compiled
@pytest.mark.parametrize(
    "asked",
    [["--curriculum", "easy"], ["--curriculum", "medium"], ["--max-moves", "60", "-d", "2"]],
    ids=["easy", "medium", "limit"],
)
@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_games_that_stop_early_by_order_are_not_suspicious(
    gridlab: Run, tmp_path: Path, asked: list[str], ending: str
) -> None:
    path = tmp_path / f"a.{ending}"
    code, out, _ = gridlab("2048", "generate", "-g", "12", "--seed", "1", "-o", str(path), "--quiet", *asked)
    assert code == 0
    assert "⚠️" not in out
    assert "Stopped by a limit or a curriculum: " in out
    for index in (True, False):  # the games themselves tell it
        assert "⚠️" not in gridlab("2048", "stats", str(path))[1]
        if index and ending == "jsonl":
            index_of(path).unlink()


@pytest.mark.compiled
def test_filters_are_known_from_the_index(gridlab: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    asked = ["-g", "12", "-d", "2", "--seed", "3", "--min-score", "3000", "--min-tile", "256", "--quiet"]
    code, out, _ = gridlab("2048", "generate", "-o", str(path), *asked)
    assert code == 0
    assert "\nKept: score 3,000 or more, tile 256 or more\n" in out
    assert "⚠️ win rate 0.0% of the games kept is below 50%" in out
    code, again, _ = gridlab("2048", "stats", str(path))
    assert out.startswith(again.rstrip("\n"))
    assert json.loads(gridlab("2048", "stats", str(path), "--json")[1])["min_score"] == 3000
    index_of(path).unlink()
    assert "Kept: " not in gridlab("2048", "stats", str(path))[1]


def test_very_short_games_are_in_the_report(gridlab: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", 4)
    short = sum(game_by_hand(state)["totalMoves"] < 50 for state in range(4))
    found = statistics(read_games(path))
    assert found.short == found.as_dict()["short_games"] == short
    assert f"\nVery short games (<50 moves): {short} ({short / 4:.1%})\n" in gridlab("2048", "stats", str(path))[1]
    found.lengths[0] = 49
    found.lengths[1:] = [50, 51, 52]
    assert "\nVery short games (<50 moves): 1 (25.0%)\n" in str(found)


def test_plots_need_a_name(tmp_path: Path) -> None:
    with pytest.raises(FileTrouble, match="is not a name for a picture"):
        plot_statistics(Statistics(), tmp_path / "a.txt", "a")


@pytest.mark.compiled
def test_splits(gridlab: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", 20)
    made = split(path, tmp_path / "parts", 0.7, 0.15, 0.15, seed=1)
    assert [part.games for part in made.parts.values()] == [14, 3, 3]
    lines = [line for part in made.parts.values() for line in part.path.read_text().splitlines()]
    assert sorted(json.loads(line)["finalScore"] for line in lines) == sorted(
        game_by_hand(state)["finalScore"] for state in range(20)
    )
    assert len(set(lines)) == 20
    assert {part.path.name for part in made.parts.values()} == {
        "training_games.jsonl", "validation_games.jsonl", "test_games.jsonl",
    }  # fmt: skip
    again = split(path, tmp_path / "again", 0.7, 0.15, 0.15, seed=1)
    assert [part.path.read_bytes() for part in made.parts.values()] == [
        part.path.read_bytes() for part in again.parts.values()
    ]
    with pytest.raises(BadNotation, match="are not shares"):
        split(path, tmp_path / "parts", 0.7, 0.2, 0.2)
    inside = path.rename(tmp_path / "validation_games.jsonl")
    with pytest.raises(FileTrouble, match="which is being read"):
        split(inside, tmp_path, 0.7, 0.15, 0.15)
    gridlab("2048", "export", str(inside), "--format", "npz", "--quiet")
    other = split(inside.with_suffix(".npz"), tmp_path / "other", 0.7, 0.15, 0.15, seed=1)
    assert [json.loads(line) for line in other.parts["val"].path.read_text().splitlines()] == [
        json.loads(line) for line in made.parts["val"].path.read_text().splitlines()
    ]
    code, out, _ = gridlab("2048", "split", str(inside), "--out", str(tmp_path / "c"), "--seed", "1", "--json")
    assert (code, json.loads(out)["train"]["games"]) == (0, 14)


@pytest.mark.compiled
def test_a_split_where_the_file_lies_keeps_all_of_it(gridlab: Run, tmp_path: Path) -> None:
    """The document's layout: what was generated has the name of the first part."""
    data = tmp_path / "data"
    data.mkdir()
    path = write(data / "training_games.jsonl", 20)
    all_of_it, elsewhere = path.read_bytes(), split(path, tmp_path / "elsewhere", 0.7, 0.15, 0.15, seed=0)
    code, out, _ = gridlab("2048", "split", str(path), "--out", str(data))
    kept = data / "all_games.jsonl"
    assert (code, kept.read_bytes()) == (0, all_of_it)
    assert f"{kept}: all 20 games, {Games(kept).samples:,} moves, as they were in {path}" in out
    for part in elsewhere.parts.values():
        assert (data / part.path.name).read_bytes() == part.path.read_bytes()
    assert len(Games(path)) == 14
    before = {each: each.read_bytes() for each in data.iterdir()}
    code, _, err = gridlab("2048", "split", str(path), "--out", str(data))
    assert (code, f"{kept}, where all its games are to be kept, is something else" in err) == (2, True)
    code, out, _ = gridlab("2048", "split", str(kept), "--out", str(data), "--json")  # once more, with all there
    assert (code, set(json.loads(out))) == (0, {"train", "val", "test"})
    assert {each: each.read_bytes() for each in data.iterdir()} == before


def test_a_split_that_was_killed_can_be_made_again(gridlab: Run, tmp_path: Path) -> None:
    """All games are kept first: what a kill leaves then is the file, twice."""
    path = write(tmp_path / "training_games.jsonl", 8)
    (tmp_path / "all_games.jsonl").write_bytes(path.read_bytes())
    code, out, _ = gridlab("2048", "split", str(path), "--out", str(tmp_path), "--json")
    assert (code, json.loads(out)["all"]["games"]) == (0, 8)
    assert len(Games(tmp_path / "all_games.jsonl")) == 8
    assert sum(json.loads(out)[name]["games"] for name in ("train", "val", "test")) == 8


def test_a_part_that_cannot_be_written_stops_all(gridlab: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "training_games.jsonl", 8)
    all_of_it = path.read_bytes()
    (tmp_path / "test_games.jsonl").mkdir()
    code, _, err = gridlab("2048", "split", str(path), "--out", str(tmp_path))
    assert (code, "it is a folder; name a file" in err) == (2, True)
    assert path.read_bytes() == all_of_it
    assert {each.name for each in tmp_path.glob("*.jsonl")} == {"training_games.jsonl", "test_games.jsonl"}


def test_a_link_is_not_the_file_that_is_split(gridlab: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "mine.jsonl", 8)
    (tmp_path / "training_games.jsonl").symlink_to(path)
    for each in (path, tmp_path / "training_games.jsonl"):
        code, _, err = gridlab("2048", "split", str(each), "--out", str(tmp_path))
        assert (code, "which is being read" in err) == (2, True)


@pytest.mark.compiled
def test_parts_are_held_to_the_limit_of_the_whole(gridlab: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    gridlab("2048", "generate", "-g", "6", "-d", "2", "--max-moves", "30", "-o", str(path), "--quiet")
    gridlab("2048", "split", str(path), "--out", str(tmp_path))
    assert gridlab("2048", "verify", str(tmp_path / "training_games.jsonl"))[0] == 0


@pytest.mark.compiled
def test_exports(gridlab: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", 3)
    for form, ending in (("csv", ".csv"), ("parquet", ".parquet"), ("hdf5", ".h5"), ("npz", ".npz"), ("json", ".json")):
        code, out, _ = gridlab("2048", "export", str(path), "--format", form, "--quiet")
        target = path.with_suffix(ending)
        assert (code, out) == (0, f"{target}\n")
        assert [game.as_dict() for game in read_games(target)] == [game_by_hand(state) for state in range(3)]
    code, _, err = gridlab("2048", "export", str(path), "--format", "jsonl")
    assert (code, "which is being read; name another place" in err) == (2, True)
    (tmp_path / "b.csv").write_text("a,b\n1,2\n")
    code, _, err = gridlab("2048", "stats", str(tmp_path / "b.csv"))
    assert (code, "is not a table of games" in err) == (2, True)
    (tmp_path / "b.parquet").write_text("nothing")
    code, _, err = gridlab("2048", "stats", str(tmp_path / "b.parquet"))
    assert (code, "is not a table of games" in err) == (2, True)


def test_blank_lines_between_games(tmp_path: Path) -> None:
    """They belong to no game; the index that is kept says so, and is believed the next time."""
    lines = write(tmp_path / "a.jsonl", 3).read_text().splitlines(keepends=True)
    path = tmp_path / "blank.jsonl"
    path.write_text("\n".join(lines) + "\n \n")
    for _ in range(2):
        assert [game.as_dict() for game in Games(path)] == [game_by_hand(state) for state in range(3)]
    index = known_index(path)
    assert index is not None
    assert int(index.offsets[-1]) == path.stat().st_size


def test_settings_are_those_of_the_command(tmp_path: Path, gridlab: Run) -> None:
    """`DatasetSettings(seed=1)` is what `2048 generate --seed 1` is asked for."""
    assert DatasetSettings(seed=1) == make_settings(seed=1)
    gridlab(
        "2048", "generate", "-g", "1", "--max-moves", "3", "--seed", "1", "-o", str(tmp_path / "a.jsonl"), "--quiet"
    )
    index = known_index(tmp_path / "a.jsonl")
    assert index is not None
    assert index.settings == {**DatasetSettings(seed=1).as_dict(), "max_moves": 3}
