"""Matches: pairs of games, openings, faults, seeds and scores."""

from pathlib import Path

import numpy as np
import pytest

from gridlab.arena.match import Match, parse_openings, play_match
from gridlab.arena.session import find_flaw, verify_records, write_records
from gridlab.arena.statistics import PAIR_SCORES, paired, wilson
from gridlab.core.errors import BadNotation, BadPlayer
from gridlab.games import game
from gridlab.inarow.position import Outcome
from gridlab.inarow.records import Record, draw_opening
from tests.arena.players import Answers, First, Late, add_player

RULES = game("tictactoe")


def test_pairs_share_an_opening_and_exchange_colours() -> None:
    match = play_match("random", "random", RULES, 12, "random:3", seed=5, workers=1)
    openings = [record.moves[:3] for record in match.records]
    assert openings[::2] == openings[1::2]
    assert len(set(openings)) == 6
    assert {record.opening for record in match.records} == {3}
    assert len({record.moves for record in match.records}) == 12


def test_who_is_who(monkeypatch: pytest.MonkeyPatch) -> None:
    add_player(monkeypatch, "first", First)
    match = play_match("first", "random", RULES, 4, workers=1)
    assert [(record.x, record.o) for record in match.records] == [("first", "random"), ("random", "first")] * 2
    for number, record in enumerate(match.records):
        assert all(move == min(set(range(9)) - set(record.moves[:at])) for at, move in own_moves(record, number % 2))


def own_moves(record: Record, side: int) -> list[tuple[int, int]]:
    return list(enumerate(record.moves))[side::2]


def test_games_are_true_and_fit_the_record_format(tmp_path: Path) -> None:
    match = play_match("random", "random", game("squava"), 10, "random:4", workers=1)
    assert [find_flaw(record) for record in match.records] == [None] * 10
    write_records(tmp_path / "games.jsonl", match.records)
    assert not verify_records(tmp_path / "games.jsonl").complaints


def test_the_same_seed_is_the_same_match_for_any_workers() -> None:
    one = play_match("random", "random", RULES, 18, "random:2", seed=3, workers=1)
    assert play_match("random", "random", RULES, 18, "random:2", seed=3, workers=2).records == one.records
    assert play_match("random", "random", RULES, 18, "random:2", seed=4, workers=1).records != one.records


def test_a_longer_match_begins_like_a_short_one() -> None:
    short, long = (play_match("random", "random", RULES, games, seed=1, workers=1) for games in (4, 14))
    assert long.records[:4] == short.records


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("22", "the answer '22' is not a free cell of .../.../..."),
        (4.0, "the answer 4.0 is not a free cell"),
        (None, "the answer None is not a free cell"),
        (9, "the answer 9 is not a free cell"),
        (-1, "the answer -1 is not a free cell"),
    ],
)
def test_a_wrong_answer_loses(monkeypatch: pytest.MonkeyPatch, answer: object, sentence: str) -> None:
    add_player(monkeypatch, "wrong", lambda: Answers(answer))
    match = play_match("wrong", "random", RULES, 2, workers=1)
    assert (match.a_wins, match.draws, match.b_wins) == (0, 0, 2)
    assert match.records[0].result is Outcome.O_WINS
    assert match.records[1].result is Outcome.X_WINS
    assert match.records[0].reason.startswith("X, wrong, lost by a fault: ")
    assert sentence in match.faults[0]
    assert match.faults[1].startswith("game 2: O, wrong, lost by a fault: ")
    assert [find_flaw(record) for record in match.records] == [None, None]


def test_an_occupied_cell_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    add_player(monkeypatch, "stubborn", lambda: Answers(np.int64(4)))
    match = play_match("stubborn", "random", RULES, 2, workers=1)
    assert match.records[0].moves[0] == 4
    assert len(match.records[0].moves) == 2
    assert "the answer 22 is not a free cell" in match.faults[0]


def test_a_late_answer_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    add_player(monkeypatch, "late", Late)
    match = play_match("random", "late", RULES, 12, workers=1)
    assert match.a_wins == 12
    assert match.faults[0] == "game 1: O, late, lost by a fault: no answer within 2 seconds"
    assert str(match).endswith("and 7 more faults")


@pytest.mark.parametrize("answer", [0, "nothing"])
def test_players_are_closed_and_made_anew_after_a_fault(monkeypatch: pytest.MonkeyPatch, answer: object) -> None:
    seen: list[str] = []

    class Watched(Answers):
        def __init__(self) -> None:
            super().__init__(answer)
            seen.append("made")

        def close(self) -> None:
            seen.append("closed")

    add_player(monkeypatch, "watched", Watched)
    match = play_match("random", "watched", RULES, 4, workers=1)
    assert len(match.faults) == 4
    assert seen == ["made", "closed"] * 4


def test_a_player_is_closed_when_a_game_breaks_off(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    class Watched(First):
        def close(self) -> None:
            seen.append("closed")

    class Broken(First):
        def move(self, *_: object) -> int:
            raise ZeroDivisionError

    add_player(monkeypatch, "watched", Watched)
    add_player(monkeypatch, "broken", Broken)
    with pytest.raises(ZeroDivisionError):
        play_match("watched", "broken", RULES, 2, workers=1)
    assert seen == ["closed"]


def test_scores_from_the_side_of_a() -> None:
    outcomes = [Outcome.X_WINS, Outcome.X_WINS, Outcome.DRAW, Outcome.O_WINS, Outcome.O_WINS, Outcome.DRAW]
    records = tuple(Record(RULES, "", "", (), outcome) for outcome in outcomes)
    match = Match(RULES, "one", "two", "random:0", 9, records)
    assert match.points.tolist() == [1, 0, 0.5, 1, 0, 0.5]
    assert match.pair_points.tolist() == [1, 1.5, 0.5]
    report = match.as_dict()
    low, high = report.pop("a_score_interval")
    assert 0.2 < low < 0.5 < high < 0.8
    assert report == {
        "a": "one",
        "b": "two",
        "rules": "3x3:3",
        "games": 6,
        "a_wins": 2,
        "b_wins": 2,
        "draws": 2,
        "a_score": 0.5,
        "faults": [],
        "seed": 9,
    }
    lines = [line.split() for line in str(match).splitlines()]
    assert ["A", "wins", "2", "33.3%", "9.7%", "to", "70.0%"] in lines
    assert lines[-1][:5] == ["score", "of", "A", "3.0", "50.0%"]


def test_wilson() -> None:
    low, high = wilson(8, 10)
    assert (round(low, 4), round(high, 4)) == (0.4902, 0.9433)  # Newcombe's tables
    assert wilson(10, 10).high == 1
    assert wilson(0, 10).low == 0


def test_the_paired_interval() -> None:
    scores = np.repeat([0.0, 1.0, 2.0], [100, 200, 100])
    low, high = paired(scores)
    error = 1.96 * scores.std() / 2 / 20  # normal: 400 pairs
    assert abs(low - (0.5 - error)) < 0.003
    assert abs(high - (0.5 + error)) < 0.003
    won, lost = paired(np.full(10, 2.0)), paired(np.zeros(10))
    assert won.high == 1
    assert lost.low == 0
    assert np.allclose([1 - won.low, 1 - won.high], [lost.high, lost.low])


def test_the_paired_interval_does_not_jump() -> None:
    alike = np.ones(50)  # every pair one game each
    wide = paired(alike)
    assert 0.03 < wide.high - 0.5 < 0.05  # another result than this may come seven times of a hundred
    alike[-1] = 1.5
    after = paired(alike)
    assert abs((after.high - after.low) / (wide.high - wide.low) - 1) < 0.05


CHANCES = {
    "alike": [0.2, 0.2, 0.2, 0.2, 0.2],
    "mostly draws": [0.01, 0.02, 0.94, 0.02, 0.01],
    "both or none": [0.5, 0, 0, 0, 0.5],
    "nearly swept": [0, 0, 0.02, 0.03, 0.95],
    "rarely lost": [0.05, 0, 0, 0.95, 0],
}


@pytest.mark.parametrize("pairs", [2, 5, 20, 100, 500])
@pytest.mark.parametrize("chances", CHANCES.values(), ids=CHANCES.keys())
def test_the_paired_interval_holds_the_truth_95_times_of_100(chances: list[float], pairs: int) -> None:
    random = np.random.default_rng(pairs)
    truth = float(PAIR_SCORES @ chances) / 2
    drawn = [paired(random.choice(PAIR_SCORES, pairs, p=chances)) for _ in range(2000)]
    assert np.mean([low <= truth <= high for low, high in drawn]) > 0.93


def test_openings_leave_the_game_open() -> None:
    random = np.random.default_rng(0)
    for _ in range(50):
        moves = draw_opening(RULES, 7, random)
        assert len(set(moves)) == 7
        assert find_flaw(Record(RULES, "", "", moves, Outcome.DRAW, opening=7)) == (
            "the game is not over after 7 moves, but its reason is 'played'"
        )
    assert parse_openings("random:12") == 12
    assert draw_opening(RULES, 0, random) == ()


@pytest.mark.parametrize(
    ("games", "openings", "seed", "sentence"),
    [
        (3, "random:0", 0, "3 games cannot be played in pairs that share an opening; an even number is needed"),
        (0, "random:0", 0, "an even number is needed"),
        (-2, "random:0", 0, "an even number is needed"),
        (2, "random", 0, "'random' is not a way to open games"),
        (2, "random:-1", 0, "'random:-1' is not a way to open games"),
        (2, "book:4", 0, "'book:4' is not a way to open games"),
        (2, "random:9", 0, "no 9 random moves were found that leave a game of 3x3:3 open"),
        (2, "random:0", -1, "'-1' is not a seed"),
    ],
)
def test_wrong_settings(games: int, openings: str, seed: int, sentence: str) -> None:
    with pytest.raises(BadNotation, match=sentence):
        play_match("random", "random", RULES, games, openings, seed, workers=1)


def test_an_unknown_player() -> None:
    with pytest.raises(BadPlayer, match="'nobody' is not a player"):
        play_match("random", "nobody", RULES, 2, workers=1)
