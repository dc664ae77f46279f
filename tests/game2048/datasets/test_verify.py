"""Files of games: sound ones pass, and every way to forge one is named."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gridlab.core.errors import CorruptFile, FileTrouble
from gridlab.game2048 import rules as reference
from gridlab.game2048.datasets.files import export_games
from gridlab.game2048.datasets.verify import verify
from tests.conftest import Run
from tests.game2048.datasets.by_hand import RULES, game_by_hand, nested

Record = dict[str, Any]


def write(path: Path, *games: Record) -> Path:
    path.write_text("".join(json.dumps(game) + "\n" for game in games))
    return path


def test_a_sound_file(tmp_path: Path) -> None:
    games = [game_by_hand(state) for state in range(3)]
    found = verify(write(tmp_path / "a.jsonl", *games))
    assert (found.sound, found.games, found.moves) == (True, 3, sum(game["totalMoves"] for game in games))
    assert str(found).endswith("all sound; not checked: timestamp")
    (tmp_path / "a.json").write_text(json.dumps(games, indent=1))
    assert verify(tmp_path / "a.json").sound
    text = (tmp_path / "a.jsonl").read_text().replace('"left"', '"left" ').replace(",", " ,\t").replace("\n", "\r\n\n")
    (tmp_path / "b.jsonl").write_text(text)
    assert verify(tmp_path / "b.jsonl").sound


FORGED: list[tuple[str, Callable[[Record], object], int, str]] = [
    ("a field is missing", lambda game: game.pop("won"), 0, "the field won is missing"),
    ("a field too many", lambda game: game.update(author="me"), 0, "the field 'author' is not one of a game"),
    ("a score that is text", lambda game: game.update(finalScore="12"), 0, "finalScore must be a whole number from 0"),
    ("won is no truth value", lambda game: game.update(won=1), 0, "won must be true or false"),
    ("no date", lambda game: game.update(timestamp="yesterday"), 0, "is not an ISO 8601 date and time"),
    ("no offset", lambda game: game.update(timestamp="2026-01-07T12:00:00"), 0, "has no offset from UTC"),
    ("moves is not a list", lambda game: game.update(moves={}), 0, "moves must be a list"),
    ("a move is no object", lambda game: game["moves"].__setitem__(4, 7), 5, "a move is a JSON object in braces"),
    ("a move without a score", lambda game: game["moves"][2].pop("score"), 3, "the field score is missing"),
    ("a move with more", lambda game: game["moves"][2].update(hint=1), 3, "the field 'hint' is not one of a move"),
    ("a direction", lambda game: game["moves"][2].update(direction="north"), 3, 'direction "north" is none of up'),
    ("a negative score", lambda game: game["moves"][2].update(score=-4), 3, "score must be a whole number from 0"),
    ("a tile", lambda game: game["moves"][2]["board"][0].__setitem__(0, 3), 3, "3 in board is not a tile"),
    ("a large tile", lambda game: game["moves"][2]["board"][0].__setitem__(0, 65536), 3, "65536 in board is not a"),
    ("a row", lambda game: game["moves"][2]["board"].pop(), 3, "board must be 4 lists of 4 tiles"),
    ("the final board", lambda game: game["finalBoard"][0].__setitem__(0, 5), 0, "5 in finalBoard is not a tile"),
    ("the count of moves", lambda game: game.update(totalMoves=3), 0, "totalMoves is 3, but it should be"),
    ("the largest tile", lambda game: game.update(maxTile=4096), 0, "maxTile is 4096, but it should be"),
    ("victory", lambda game: game.update(won=True), 0, "won is true, but it should be false"),
    ("no moves", lambda game: game.update(moves=[], totalMoves=0), 0, "there are no moves"),
    ("a late start", lambda game: (game["moves"].pop(0), game.update(totalMoves=len(game["moves"]))), 0,
     "the first board does not hold two tiles of 2 or 4 and nothing else"),
    ("a first score", lambda game: game["moves"][0].update(score=4), 0, "the first score is 4, not 0"),
    ("a move left out", lambda game: (game["moves"].pop(9), game.update(totalMoves=len(game["moves"]))), 9,
     "the next board is not the board after the move with one new tile"),
    ("a score", lambda game: game["moves"][5].update(score=game["moves"][5]["score"] + 4), 5,
     "the score after the move is not the score before it and the tiles merged"),
    ("the final score", lambda game: game.update(finalScore=game["finalScore"] + 4), -1,
     "the score after the move is not the score before it and the tiles merged"),
    ("an early end", lambda game: early_end(game), 0, "the final board still has a move, and 7 moves are not"),
    ("a run", lambda game: game.update(movesBefore=3), 0, "only a run of the curriculum hard begins in the middle"),
    ("a hard run", lambda game: game.update(movesBefore=3, curriculum="hard"), 0, "begins without a tile of 1024"),
]  # fmt: skip


def early_end(game: Record) -> None:
    """The first seven moves, and all fields true."""
    eighth = game["moves"][7]
    game.update(moves=game["moves"][:7], totalMoves=7, finalBoard=eighth["board"], finalScore=eighth["score"])
    game.update(maxTile=max(tile for row in eighth["board"] for tile in row))


@pytest.mark.parametrize(("name", "forge", "move", "reason"), FORGED, ids=[each[0] for each in FORGED])
def test_forged_games(name: str, forge: Callable[[Record], object], move: int, reason: str, tmp_path: Path) -> None:
    good, forged = game_by_hand(1), game_by_hand(2)
    forge(forged)
    found = verify(write(tmp_path / "a.jsonl", good, forged, good))
    assert (found.games, found.flawed) == (3, 1)
    place, where, why = found.flaws[0]
    assert place == 2
    assert where == (forged["totalMoves"] if move < 0 else move)
    assert reason in why
    (tmp_path / "a.json").write_text(json.dumps([good, forged]))
    assert verify(tmp_path / "a.json").flaws[0] == (2, where, why)


def flat(move: Record) -> reference.Board:
    return tuple(tile for row in move["board"] for tile in row)


def test_an_illegal_move(tmp_path: Path) -> None:
    game = game_by_hand(2)
    number = next(i for i, move in enumerate(game["moves"]) if len(reference.legal_moves(RULES, flat(move))) < 4)
    legal = reference.legal_moves(RULES, flat(game["moves"][number]))
    game["moves"][number]["direction"] = next(each for each in reference.DIRECTIONS if each not in legal)
    reason = "the move changes nothing, so it is not legal"
    assert verify(write(tmp_path / "a.jsonl", game)).flaws == [(1, number + 1, reason)]


def test_wrong_new_tiles(tmp_path: Path) -> None:
    game = game_by_hand(2)
    after, _ = reference.move(RULES, flat(game["moves"][0]), game["moves"][0]["direction"])
    (cell,) = (i for i, tile in enumerate(flat(game["moves"][1])) if tile != after[i])
    other = next(i for i, tile in enumerate(after) if not tile and i != cell)
    full = next(i for i, tile in enumerate(after) if tile)
    for board, reason in (
        (after, "no tile appeared after the move"),
        (reference.place(after, cell, 8), "the new tile is neither 2 nor 4"),
        (reference.place(reference.place(after, cell, 2), other, 2), "the next board is not the board after the move"),
        (reference.place(after, full, 16), "the next board is not the board after the move"),
        (reference.place(after, full, 0), "the next board is not the board after the move"),
    ):
        game["moves"][1]["board"] = nested(board)
        (flaw,) = verify(write(tmp_path / "a.jsonl", game)).flaws
        assert (flaw.place, flaw.move, reason in flaw.reason) == (1, 1, True), flaw


def test_games_that_stop_at_a_limit(tmp_path: Path) -> None:
    game = game_by_hand(2)
    early_end(game)
    path = write(tmp_path / "a.jsonl", game)
    assert not verify(path).sound
    assert verify(path, max_moves=7).sound
    assert verify(write(tmp_path / "b.jsonl", {**game, "max_moves": 7})).sound
    assert not verify(write(tmp_path / "c.jsonl", {**game, "max_moves": None})).sound


def test_what_is_no_file_of_games(tmp_path: Path) -> None:
    for name, content, flaw in (
        ("a.jsonl", "", "there are no games"),
        ("b.jsonl", "nonsense\n", "this is not JSON"),
        ("c.jsonl", "[1]\n", "a game is a JSON object in braces"),
        ("d.jsonl", '{"totalMoves": 1\n', "this is not JSON"),
    ):
        (tmp_path / name).write_text(content)
        assert flaw in verify(tmp_path / name).flaws[0].reason
    with pytest.raises(FileTrouble, match="does not say its format"):
        verify(tmp_path / "a.txt")
    with pytest.raises(FileTrouble, match="cannot be read"):
        verify(tmp_path / "none.jsonl")
    (tmp_path / "e.json").write_text('{"a": 1}')
    with pytest.raises(CorruptFile, match="is not a JSON array of games"):
        verify(tmp_path / "e.json")


def test_on_the_command_line(gridlab: Run, tmp_path: Path) -> None:
    game = game_by_hand(2)
    path = str(write(tmp_path / "a.jsonl", game))
    code, out, _ = gridlab("2048", "verify", path)
    assert (code, out) == (
        0,
        f"{path}: 1 game, {game['totalMoves']} moves replayed: all sound; not checked: timestamp\n",
    )
    game["moves"][5]["score"] += 4
    path = str(write(tmp_path / "a.jsonl", game))
    code, out, _ = gridlab("2048", "verify", path)
    assert code == 1
    assert out.startswith(f"{path}, line 1, move 5: the score after the move")
    code, out, _ = gridlab("2048", "verify", path, "--json")
    assert (code, json.loads(out)["flaws"][0]["move"]) == (1, 5)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_flaw_in_the_third_game_of_a_table_is_called_game_3(tmp_path: Path, form: str) -> None:
    games = [game_by_hand(state) for state in range(4)]
    games[2]["finalScore"] += 4
    path, _ = export_games(write(tmp_path / "a.jsonl", *games), form)
    assert [flaw.place for flaw in verify(path).flaws] == [3]
