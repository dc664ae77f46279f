"""What the routes share: exact answers that are remembered, players that wait for the next request."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from gridlab import Position, game
from gridlab.core.errors import BadPlayer
from gridlab.inarow.datasets.terminals.files import layer_name, write_layer
from gridlab.inarow.exact.oracle import whole_line
from gridlab.inarow.solution import Solution
from gridlab.web import lab
from gridlab.web import lab as truth_module
from gridlab.web.lab import Folder, Players, Prompt, Truth, moves_known, offered, safe_player
from gridlab.web.routes.data import terminals_info
from gridlab.web.work import NotHere, Settings

pytestmark = pytest.mark.compiled


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_the_best_line_goes_on_where_the_table_ends(folder: Folder) -> None:
    start = Position(game("squava")).play("33")
    truth, position = Truth(folder), start
    found, line = truth.ask(start), whole_line(start, lambda position: truth.ask(position, seconds=120.0))
    assert (found.source, found.value, found.distance) == ("5x5_4-3.tb", "win", 19)
    for cell in line:
        position = position.play(cell)
    assert line[: len(found.line)] == found.line
    assert len(line) == 19
    assert position.over


def test_answers_are_remembered(folder: Folder) -> None:
    truth, position = Truth(folder), Position(game("tictactoe"))
    assert truth.ask(position) is truth.ask(position)


def test_what_is_over_is_known_without_a_search(folder: Folder) -> None:
    won = Position.parse("XXXXX/OOOO./...../...../.....", game("5x5:5"))
    found = Truth(folder).ask(won)
    assert (found.value, found.distance, found.exact, found.moves) == ("loss", 0, True, ())


def test_a_glance_does_not_wait_for_a_search(folder: Folder) -> None:
    """Somebody else's hard question of the same game is being searched; an easy one is answered beside it."""
    truth, rules = Truth(folder), game("5x5:5")
    late = Position.parse("XXXX./OOOO./XOXO./OXOX./.....", rules)
    with ThreadPoolExecutor(1) as other:
        hard = other.submit(truth.ask, Position(rules).play("33"), 3.0, None)
        time.sleep(0.5)
        begun = time.monotonic()
        assert truth.ask(late).exact
        assert time.monotonic() - begun < 1.0
        assert not hard.done()
        begun = time.monotonic()
        assert not Prompt(truth, 0.3).ask(Position(rules)).exact  # its turn does not come in time
        assert time.monotonic() - begun < 1.5
        assert not hard.result().exact


def test_a_long_search_shows_what_it_knows_and_goes_on(folder: Folder) -> None:
    truth, position = Truth(folder), Position(game("4x5:4")).play("11").play("45").play("22")
    shown: list[int] = []

    def show(so_far: Solution) -> None:
        shown.append(moves_known(so_far))

    first = truth.search(position, 0.15, lambda moves, nodes: None, show)
    assert not first.exact
    assert shown == sorted(shown)
    assert truth.ask(position) == first  # remembered
    again: list[int] = []
    last = truth.search(position, 60.0, lambda moves, nodes: again.append(nodes), show)
    assert last.exact
    fresh: list[int] = []
    assert Truth(folder).search(position, 60.0, lambda moves, nodes: fresh.append(nodes), show).exact
    assert again[-1] < fresh[-1]  # what was searched before is not searched again


def test_long_searches_have_so_many_tables_and_no_more(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those kept unfinished make room for those under way, oldest first; finished ones are not kept."""
    monkeypatch.setattr(truth_module, "LONG_SEARCHES", 3)
    lab, seen = Truth(folder), list[int]()
    empty = Position(game("5x5:5"))

    def search(position: Position, seconds: float) -> Solution:
        return lab.search(
            position, seconds, lambda moves, nodes: seen.append(len(lab._unfinished)), lambda so_far: None
        )

    starts = [empty.play(move) for move in ("11", "12", "13", "22", "23", "33")]
    for number, start in enumerate(starts, 1):
        assert not search(start, 0.2).exact
        assert len(lab._unfinished) == min(number, 3)
    assert seen[-1] == 2  # and one under way
    assert [key[2] for key in lab._unfinished] == [start.crosses for start in starts[-3:]]
    won = Position.parse("XX.O/.O../X.../....", game("4x4:4"))
    found = search(won, 60.0)
    assert found.exact
    assert len(lab._unfinished) == 2
    assert search(won, 0.0) is found  # known


def test_terminal_wins_without_a_manifest_are_remarked_on_by_their_name(tmp_path: Path) -> None:
    won = Position.parse("XXXXX/OOOO./...../...../.....", game("5x5:5"))
    (tmp_path / "wins").mkdir()
    write_layer(tmp_path / "wins" / layer_name(9), 1, [np.array([won.packed], np.uint64)])
    about = "has no manifest: read as 5x5:5, its checksums and counts cannot be checked"
    for root, name in ((tmp_path, "wins"), (tmp_path / "wins", ".")):
        here = lab.Lab(Settings(root))
        assert terminals_info(here, name).remark == f"{name} {about}"
        here.close()


def test_a_player_waits_for_the_next_request_unless_it_failed() -> None:
    players, rules = Players(), game("tictactoe")
    with players.lent("heuristic", rules) as first, players.lent("heuristic", rules) as second:
        assert second is not first
    with players.lent("heuristic", rules) as third:
        assert third in (first, second)
    with pytest.raises(ZeroDivisionError), players.lent("heuristic", rules) as failed:
        raise ZeroDivisionError
    with players.lent("heuristic", rules) as one, players.lent("heuristic", rules) as other:
        assert failed not in (one, other)
    players.close()


def test_players_are_held_to_limits(folder: Folder) -> None:
    rules = game("tictactoe")
    assert safe_player("alpha-beta depth=3", rules, folder, False) == "alpha-beta depth=3"
    assert safe_player("perfect errs=0.25", rules, folder, False) == "perfect errs=0.25"
    assert safe_player("expectimax evaluator=spec", game("2048"), folder, False) == "expectimax evaluator=spec"
    with pytest.raises(BadPlayer, match="at most 200,000"):
        safe_player("mcts playouts=300000", rules, folder, False)
    with pytest.raises(NotHere):
        safe_player("command=ls", rules, folder, False)
    assert safe_player("command=ls", rules, folder, True) == "command=ls"


def test_what_cannot_play_a_game_says_why() -> None:
    reasons = {each.name: each.reason for each in offered(game("4x4:3"), commands=True)}
    assert reasons["random"] == reasons["command"] == ""
    assert "n×n" in reasons["best-first"]


class Guest:
    """A player who says when it is closed."""

    def __init__(self, name: str, closed: list[str]) -> None:
        self._name, self._closed = name, closed

    def move(self, position: Position, random: np.random.Generator) -> int:
        return int(position.moves()[0])

    def close(self) -> None:
        self._closed.append(self._name)


def test_a_player_pushed_out_by_others_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = list[str]()
    monkeypatch.setattr(lab, "make_player", lambda text, rules, tablebase: Guest(text, closed))
    players, rules = Players(), game("tictactoe")
    for number in range(lab.MOST_AT_REST + 2):
        with players.lent(f"guest {number}", rules):
            pass
    assert closed == ["guest 0", "guest 1"]
    players.close()
    assert len(closed) == lab.MOST_AT_REST + 2


def test_a_folder_with_more_files_than_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first of them by name, up to a limit; and no more are looked at than to another."""
    for number in range(12):
        (tmp_path / f"{number:02}.safetensors").touch()
    monkeypatch.setattr("gridlab.web.lab.MOST_FOUND", 5)
    assert [each.path for each in Folder(tmp_path).listing()] == [f"{number:02}.safetensors" for number in range(5)]
    monkeypatch.setattr("gridlab.web.lab.MOST_ENTRIES", 3)
    assert [each.path for each in Folder(tmp_path).listing()] == [f"{number:02}.safetensors" for number in range(3)]


def test_players_of_a_game_that_is_forgotten_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for many games pushes others out of memory, even while these are being answered."""
    monkeypatch.setattr(lab, "MOST_GAMES", 0)
    served = lab.Lab(Settings(tmp_path))
    games = [game(text) for text in ("tictactoe", "3x4:3", "4x3:3", "2048:2x2")]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(served.offered, games * 4))
    assert all(found)
    served.close()
