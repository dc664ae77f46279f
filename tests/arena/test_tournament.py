"""Tournaments: every pairing once, stopped and resumed, rated."""

import json
from pathlib import Path

import pytest

from gridlab.arena import match as module
from gridlab.arena.match import Tournament, pairing_seed, play_match, play_tournament, plot_ratings, read_tournament
from gridlab.arena.session import verify_records
from gridlab.core.errors import BadNotation, BadPlayer, CorruptFile, FileTrouble
from gridlab.games import game
from tests.arena.players import First, Late, add_player

RULES = game("tictactoe")
PLAYERS = ["late", "random", "first"]
FILES = ["01-02.jsonl", "01-03.jsonl", "02-03.jsonl", "tournament.json"]


@pytest.fixture(autouse=True)
def players(monkeypatch: pytest.MonkeyPatch) -> None:
    add_player(monkeypatch, "first", First)
    add_player(monkeypatch, "late", Late)


def play(folder: Path | None = None, resume: bool = False, seed: int = 2, games: int = 6) -> Tournament:
    return play_tournament(PLAYERS, RULES, folder, games, openings="random:2", seed=seed, workers=1, resume=resume)


def test_everybody_plays_everybody(tmp_path: Path) -> None:
    played = play(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == FILES
    assert not any(verify_records(path).complaints for path in tmp_path.glob("*.jsonl"))
    assert [(match.a, match.b) for match in played.matches.values()] == [
        ("late", "random"),
        ("late", "first"),
        ("random", "first"),
    ]
    for (first, second), match in played.matches.items():
        seed = pairing_seed(2, first, second)
        assert match == play_match(match.a, match.b, RULES, 6, "random:2", seed, 1)
    assert len({match.seed for match in played.matches.values()}) == 3


def test_cross_table_and_ranking() -> None:
    played = play()
    table = played.cross_table
    assert table[0] == [None, 0, 0]
    assert (table[1][0], table[2][0]) == (6, 6)
    assert (table[1][2] or 0) + (table[2][1] or 0) == 6
    assert played.ranking[-1] == 0
    report = json.loads(json.dumps(played.as_dict()))
    assert [report[key] for key in ("rules", "players", "games", "openings", "seed")] == [
        "3x3:3",
        PLAYERS,
        6,
        "random:2",
        2,
    ]
    assert report["ranking"][-1]["player"] == "late"
    assert report["ranking"][-1]["points"] == 0
    assert sum(each["points"] for each in report["ranking"]) == 18
    assert sum(each["elo"] for each in report["ranking"]) == pytest.approx(0, abs=1e-6)
    assert len(report["faults"]) == 12
    assert report["faults"][6].startswith("01-03 game 1: X, late")
    lines = str(played).splitlines()
    assert lines[0] == "3x3:3, 6 games a pairing, openings random:2, seed 2"
    assert lines[5].split()[:2] == ["3", "late"]
    assert lines[5].split()[-4:] == ["0", "0", "0", "·"]
    assert lines[-1] == "and 7 more faults"


def test_a_stopped_tournament_goes_on_after_the_last_whole_pairing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []

    def stop_at_the_last(a: str, b: str, rules: object, *others: object) -> object:
        begun.append(f"{a} {b}")
        if begun == ["late random", "late first", "random first"]:
            raise KeyboardInterrupt
        return play_between(a, b, rules, *others)  # type: ignore[arg-type]

    play_between = module.play_between
    monkeypatch.setattr(module, "play_between", stop_at_the_last)
    with pytest.raises(KeyboardInterrupt):
        play(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [*FILES[:2], FILES[3]]
    resumed = play(tmp_path, resume=True)
    assert begun[3:] == ["random first"]
    assert resumed == play()


def test_a_folder_is_not_used_twice(tmp_path: Path) -> None:
    play(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(FileTrouble, match="holds a tournament; --resume goes on with it"):
        play(tmp_path)
    with pytest.raises(FileTrouble, match="holds a tournament whose seed is 2, not 3; name another folder"):
        play(tmp_path, resume=True, seed=3)
    with pytest.raises(FileTrouble, match="whose games is 6, not 8"):
        play(tmp_path, resume=True, games=8)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_damaged_folders(tmp_path: Path) -> None:
    play(tmp_path)
    path = tmp_path / "01-03.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    with pytest.raises(CorruptFile, match=r"01-03\.jsonl line 6: the line is cut off.*remove the file"):
        play(tmp_path, resume=True)
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[:4]))
    with pytest.raises(CorruptFile, match="4 games, not 6"):
        play(tmp_path, resume=True)
    path.write_bytes((tmp_path / "01-02.jsonl").read_bytes())
    with pytest.raises(CorruptFile, match=r"01-03\.jsonl line 1: a game of another match"):
        play(tmp_path, resume=True)
    for text in ("{", "[]"):
        (tmp_path / "tournament.json").write_text(text)
        with pytest.raises(CorruptFile, match=r"tournament\.json: "):
            play(tmp_path, resume=True)
    (tmp_path / "tournament.json").unlink()
    with pytest.raises(FileTrouble, match=r"holds 01-02\.jsonl without tournament\.json"):
        play(tmp_path, resume=True)


def test_wrong_use_leaves_no_folder(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    with pytest.raises(BadPlayer, match="'random' stands twice among the players"):
        play_tournament(["random", "first", " random"], RULES, out=folder, games=2)
    with pytest.raises(BadPlayer, match="a tournament of 1 player has no games"):
        play_tournament(["random"], RULES, out=folder, games=2)
    with pytest.raises(BadPlayer, match="'nobody' is not a player"):
        play_tournament(["random", "nobody"], RULES, out=folder, games=2)
    with pytest.raises(BadNotation, match="an even number is needed"):
        play_tournament(["random", "first"], RULES, out=folder, games=3)
    assert not folder.exists()


def test_plot(tmp_path: Path) -> None:
    plot_ratings(play(), tmp_path / "ratings.svg")
    assert "<svg" in (tmp_path / "ratings.svg").read_text()
    with pytest.raises(FileTrouble, match="is not a name for a picture"):
        plot_ratings(play(), tmp_path / "ratings.doc")


def test_a_tournament_is_read_as_it_was_played(tmp_path: Path) -> None:
    played = play(tmp_path)
    assert read_tournament(tmp_path).as_dict() == played.as_dict()
    (tmp_path / "01-03.jsonl").unlink()
    found = read_tournament(tmp_path)
    assert sorted(found.matches) == [(0, 1), (1, 2)]
    assert found.cross_table[0][2] is None
    assert [found.games_of(player) for player in range(3)] == [6, 12, 6]
    assert "random" in str(found)


def test_a_tournament_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileTrouble):
        read_tournament(tmp_path)
    play(tmp_path)
    settings = json.loads((tmp_path / "tournament.json").read_text())
    for change, reason in (
        ({"version": 2}, "not the settings of a tournament of version 1"),
        ({"players": [f"random seed={number}" for number in range(101)]}, "101 players; 100 can be rated"),
        ({"seed": 3}, "a game of another match"),
        ({"games": 4}, "more than 4 games, not 4"),
    ):
        (tmp_path / "tournament.json").write_text(json.dumps(settings | change))
        with pytest.raises(FileTrouble, match=reason):
            read_tournament(tmp_path)
