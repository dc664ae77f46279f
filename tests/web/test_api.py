"""The interface for programs says what the library says."""

import json
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx
import pytest

from gridlab import Oracle, Position, game, open_tablebase
from gridlab.arena.match import read_tournament
from gridlab.arena.session import find_flaw
from gridlab.game2048.position import Position2048
from gridlab.game2048.records import parse
from gridlab.inarow.records import Record
from tests.web.conftest import Ask, Server

pytestmark = pytest.mark.compiled


def finished(api: httpx.Client, kind: str, body: dict[str, Any]) -> dict[str, Any]:
    """A job, listened to until it ends."""
    begun = api.post(f"/jobs/{kind}", json=body)
    assert begun.status_code == 202, begun.text
    seen: list[dict[str, Any]] = []
    with api.stream("GET", f"/jobs/{begun.json()['id']}/events") as events:
        assert events.headers["content-type"].startswith("text/event-stream")
        seen += [json.loads(line[6:]) for line in events.iter_lines() if line.startswith("data: ")]
    assert seen[-1] == api.get(f"/jobs/{begun.json()['id']}").json()
    return seen[-1] | {"seen": seen}


# ---- in a row


@pytest.mark.parametrize("board", ["", "X.O/.X./...", "XO./OX./...", "XOX/OXO/OX."])
def test_values_are_the_oracles(ask: Ask, board: str) -> None:
    rules = game("tictactoe")
    position = Position.parse(board, rules) if board else Position(rules)
    truth, said = Oracle(rules, search_only=True).ask(position), ask("/values", game="tictactoe", board=board)
    assert (said["value"], said["distance"], said["exact"]) == (truth.value, truth.distance, True)
    assert {(each["cell"], each["value"], each["distance"]) for each in said["moves"]} == set(truth.moves)
    assert said["best"] == [position.move_text(cell) for cell in truth.best]
    assert said["source"] == "tictactoe.tb"


def test_what_is_too_expensive_is_said_and_an_opinion_is_one(ask: Ask) -> None:
    said = ask("/values", game="5x5:5")
    assert (said["exact"], said["value"], said["label"]) == (False, "unknown", "?")
    opinion = ask("/opinion", game="5x5:5")
    assert "Monte Carlo" in opinion["by"]
    assert {each["move"] for each in opinion["moves"]} <= {f"{row}{col}" for row in range(1, 6) for col in range(1, 6)}
    assert all(-1 <= each["value"] <= 1 for each in opinion["moves"])


def test_a_position_is_told_even_if_no_game_leads_to_it(ask: Ask) -> None:
    said = ask("/position", game="tictactoe", board="XXX/OOO/...")
    assert "both players" in said["flaw"]
    assert said["svg"] == Position.parse("XXX/OOO/...", game("tictactoe"))._repr_svg_()


def test_a_player_answers_and_a_finished_game_is_a_record(api: httpx.Client, ask: Ask) -> None:
    moves: list[str] = []
    body: dict[str, Any] = {"game": "tictactoe", "x": "random", "o": "perfect", "seed": 4}
    while True:
        first, reply = in_parts(api, "/play", body | {"moves": moves, "reply": True})
        assert (first["part"], first["moves"], reply["part"]) == ("game", moves, "reply")
        moves.append(reply["move"])
        if reply["position"]["over"]:
            break
    assert reply["position"]["winner"] != "X"
    record = Record.parse(ask("/game/record", body | {"moves": moves})["line"])
    assert find_flaw(record) is None
    assert (record.x, record.o, record.seed) == ("random", "perfect", 4)


def test_the_same_game_gets_the_same_answer(api: httpx.Client) -> None:
    body = {"game": "squava", "moves": ["33"], "o": "random", "seed": 9, "reply": True}
    assert in_parts(api, "/play", body) == in_parts(api, "/play", body)


def test_one_request_brings_all_that_is_shown(api: httpx.Client) -> None:
    body = {"game": "tictactoe", "next": ["22"], "o": "perfect", "reply": True, "values": True, "review": "always"}
    parts = {each["part"]: each for each in in_parts(api, "/play", body)}
    assert list(parts) == ["game", "reply", "values", "review"]
    assert parts["game"]["moves"] == ["22"]
    assert parts["reply"]["by"] == "exact"
    assert parts["values"]["board"] == parts["reply"]["position"]["board"]
    assert [step["label"] for step in parts["review"]["steps"]] == ["D", "D", "D"]


@pytest.mark.parametrize(
    ("asked", "accepted", "said"),
    [
        ({"next": ["22", "22"]}, ["22"], "occupied"),
        ({"next": ["22", "99"]}, ["22"], "not a cell"),
        ({"next": ["22", "11"], "o": "random"}, ["22"], "random plays O"),
        ({"moves": ["11", "21", "12", "22"], "next": ["13", "33"]}, ["11", "21", "12", "22", "13"], "over"),
    ],
)
def test_moves_are_made_as_far_as_they_are_legal(
    api: httpx.Client, asked: dict[str, Any], accepted: list[str], said: str
) -> None:
    [first] = in_parts(api, "/play", {"game": "tictactoe", **asked})
    assert first["moves"] == accepted
    assert said in first["refused"]


def test_opinions_of_symmetric_moves_are_the_same(ask: Ask) -> None:
    said = ask("/opinion", game="7x9:4")
    values = {each["move"]: (each["value"], each["visits"]) for each in said["moves"]}
    for move, (value, visits) in values.items():
        row, col = int(move[0]), int(move[1])
        for other in (f"{8 - row}{col}", f"{row}{10 - col}", f"{8 - row}{10 - col}"):
            assert values[other] == (value, visits)
        assert visits >= 200
    assert said["best"] in values


def test_a_review_finds_the_blunder(ask: Ask) -> None:
    said = ask("/review", {"game": "tictactoe", "moves": ["22", "12", "11", "33", "31"]})
    assert [step["label"] for step in said["steps"][:3]] == ["D", "D", "W5"]
    assert [number for number, step in enumerate(said["steps"]) if step["blunder"]] == [1] == said["o"]["blunders"]
    assert said["steps"][1]["blunder"] == "draw->loss"
    assert said["x"] == {"decisions": 2, "kept": 2, "accuracy": 1.0, "unknown": 0, "blunders": []}


# ---- 2048


def in_parts(api: httpx.Client, path: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    """An answer in parts, without the words on how far it has come, and its end."""
    answer = api.post(path, json=body)
    assert answer.is_success, answer.text
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    *parts, end = [json.loads(line) for line in answer.text.splitlines()]
    assert end["part"] in ("end", "error")
    return [each for each in parts if each["part"] != "doing"] + [end] * (end["part"] == "error")


def here(state: dict[str, Any]) -> dict[str, Any]:
    return {"game": state["rules"]} | {name: state[name] for name in ("board", "score", "seed", "ply")}


def test_2048_goes_on_the_same_way_every_time(ask: Ask, api: httpx.Client) -> None:
    state = ask("/2048/start", game="2048", seed=3)
    assert state == ask("/2048/start", game="2048", seed=3)
    position, made = Position2048.parse(state["board"]), list[str]()
    for direction in ("left", "up", "right", "down"):
        asked = here(state) | {"directions": [direction]}
        (answer,) = in_parts(api, "/2048/play", asked)
        assert [answer] == in_parts(api, "/2048/play", asked)
        if direction in position.moves():
            (step,) = answer["steps"]
            slid = position.play(direction)
            position, state = Position2048.parse(step["state"]["board"], score=step["state"]["score"]), step["state"]
            new = [cell for cell in range(16) if position.tiles[cell] != slid.tiles[cell]]
            assert new == [step["spawned"]]
            assert position.score == slid.score
            made.append(direction)
        else:
            assert (answer["steps"], answer["skipped"]) == ([], 1)
    replay, values = in_parts(api, "/2048/play", {"seed": 3, "moves": made, "values": "expectimax depth=1"})
    assert replay["state"] == state
    assert [each["ply"] for each in replay["before"]] == list(range(len(made)))
    assert values["board"] == state["board"]
    assert set(values["values"]) == set(state["moves"])


def test_2048_takes_all_directions_at_once_and_skips_what_moves_nothing(ask: Ask, api: httpx.Client) -> None:
    directions = ["left", "left", "left", "left", "up", "up", "right", "down", "down", "down"]
    (together,) = in_parts(api, "/2048/play", here(ask("/2048/start", seed=5)) | {"directions": directions})
    state, steps = ask("/2048/start", seed=5), list[dict[str, Any]]()
    for each in directions:
        (answer,) = in_parts(api, "/2048/play", here(state) | {"directions": [each]})
        steps += answer["steps"]
        state = steps[-1]["state"] if steps else state
    assert together["steps"] == steps
    assert len(steps) + together["skipped"] == len(directions)


def test_2048_is_played_to_its_end_replayed_reviewed_and_recorded(ask: Ask, api: httpx.Client) -> None:
    state, moves = ask("/2048/start", seed=11), list[str]()
    while not state["over"]:
        parts = in_parts(api, "/2048/play", here(state) | {"player": "random", "count": 50})
        steps = [step for part in parts for step in part["steps"]]
        moves += [step["direction"] for step in steps]
        state = steps[-1]["state"]
    (replay,) = in_parts(api, "/2048/play", {"seed": 11, "moves": moves})
    assert replay["state"] == state
    assert len(replay["before"]) == min(50, len(moves))
    assert replay["history"][0] == [0, 0]
    assert replay["history"][-1] == [len(moves), state["score"]]
    assert len(replay["history"]) <= 200
    (review,) = in_parts(api, "/2048/review", {"seed": 11, "moves": moves, "player": "ntuple"})
    assert review["looked_at"] == review["decisions"] <= len(moves)
    assert (review["exact"], review["points"]) == (False, True)
    for each in review["worst"]:
        assert moves[each["ply"]] == each["played"] != each["best"]
        values = ask("/2048/values", board=each["state"]["board"], player="ntuple")
        assert values["best"] == each["best"]
        assert values["values"][each["best"]] - values["values"][each["played"]] == pytest.approx(each["loss"])
    game_played, _ = parse(ask("/2048/record", {"seed": 11, "moves": moves})["line"].encode())
    assert (game_played.moves, game_played.final_score) == (len(moves), state["score"])


def test_2048_says_what_cannot_be_replayed(api: httpx.Client) -> None:
    (problem,) = in_parts(api, "/2048/play", {"seed": 7, "moves": ["up"] * 20})
    assert problem["status"] == 400
    assert problem["error"].startswith("move 14 of 20 cannot be replayed: up changes nothing in ")


@pytest.mark.parametrize("rules", ["2048", "2048:3x3"])
def test_2048_values_are_of_the_legal_directions(ask: Ask, rules: str) -> None:
    state = ask("/2048/start", game=rules, seed=1)
    said = ask("/2048/values", game=rules, board=state["board"])
    assert set(said["values"]) == set(state["moves"])
    assert said["best"] == max(said["values"], key=said["values"].get)
    assert said["exact"] is False


@pytest.mark.parametrize(
    ("player", "points"),
    [("perfect", True), ("mcts playouts=20", True), ("expectimax depth=1", False)],
)
def test_2048_values_are_points_or_on_a_scale_of_their_own(ask: Ask, player: str, points: bool) -> None:
    assert ask("/2048/values", game="2048:2x2", board="2 ./. 2", player=player)["points"] is points


def test_2048_values_are_not_asked_of_those_who_have_none(api: httpx.Client) -> None:
    refused = api.get("/2048/values", params={"game": "2048:2x2", "board": "2 ./. 2", "player": "random"})
    assert refused.status_code == 400
    assert refused.json()["error"] == "'random' has no values to give; name an expectimax player"


def test_2048_is_exact_where_a_board_is_solved(ask: Ask, api: httpx.Client) -> None:
    position = Position2048.parse("2 ./. 2", game("2048:2x2"))
    said = ask("/2048/values", game="2048:2x2", board=str(position), player="perfect")
    assert (said["exact"], said["target"]) == (True, "score")
    assert said["values"] == open_tablebase("2048:2x2").values(position)
    counted = finished(api, "tablebase2048", {"file": "tables/2048-2x2.tb"})["result"]
    assert (counted["rules"], counted["target"]) == ("2048:2x2", "score")
    assert counted["boards"] == sum(each["boards"] for each in counted["layers"]) > 0
    assert {each["name"]: each["reason"] for each in ask("/players", game="2048:2x2")}["perfect"] == ""
    assert "needs a table" in {each["name"]: each["reason"] for each in ask("/players", game="2048:5x5")}["perfect"]


# ---- long work


def test_a_match_tells_how_it_goes(api: httpx.Client) -> None:
    done = finished(api, "match", {"game": "tictactoe", "a": "random", "b": "perfect", "games": 24})
    assert done["state"] == "done"
    result = done["result"]
    assert result["a_wins"] + result["draws"] + result["b_wins"] == 24
    assert result["a_wins"] == 0
    assert [point[0] for point in result["trail"]] == [8, 16, 24]
    assert result["trail"][-1][1:] == [*result["a_score_interval"], result["a_score"]]
    won = [("x_wins", "o_wins")[number % 2] for number in range(24)]
    assert all(each["result"] != by_a for each, by_a in zip(result["listed"], won, strict=True))
    assert all(each["end"] == "played" and each["moves"] for each in result["listed"])


def test_a_match_of_2048(api: httpx.Client) -> None:
    result = finished(api, "match", {"game": "2048", "a": "expectimax depth=1", "b": "random", "games": 4})["result"]
    assert result["difference"] > 0
    assert result["names"] == ["expectimax depth=1", "random"]


def test_a_grade_shows_its_blunders(api: httpx.Client) -> None:
    result = finished(api, "grade", {"game": "tictactoe", "player": "random", "positions": 60})["result"]
    assert sum(result["blunders"].values()) == len(result["mistakes"]) > 0
    assert result["mistakes"][0]["svg"].startswith("<svg")


def test_a_grade_of_2048_says_what_was_given_away(api: httpx.Client) -> None:
    result = finished(api, "grade", {"game": "2048:2x2", "player": "random", "positions": 40})["result"]
    assert result["lost_a_game"] > 0
    assert result["own_games"]["accuracy"] < 1
    assert result["mistakes"][0]["svg"].startswith("<svg")


def test_a_tournament_is_read_with_its_cross_table(api: httpx.Client, data: Path) -> None:
    result = finished(api, "tournament", {"file": "cup"})["result"]
    assert result == json.loads(json.dumps(read_tournament(data / "cup").as_dict()))
    assert result["cross_table"][0][1] + result["cross_table"][1][0] == 4
    failed = finished(api, "tournament", {"file": "wins"})
    assert (failed["state"], "tournament.json" in failed["error"]) == ("failed", True)


def test_a_search_is_done_off_the_page_and_remembered(api: httpx.Client) -> None:
    asked = {"game": "4x4:4", "board": "X.../.O../..../...."}
    assert finished(api, "solve", asked | {"seconds": 60})["result"]["exact"]
    assert api.get("/values", params=asked).json()["exact"]


def test_a_job_can_be_cancelled(api: httpx.Client) -> None:
    job = api.post("/jobs/solve", json={"game": "6x6:6", "seconds": 120}).json()
    api.delete(f"/jobs/{job['id']}")
    give_up = time.monotonic() + 20
    while api.get(f"/jobs/{job['id']}").json()["state"] in ("waiting", "running"):
        assert time.monotonic() < give_up
        time.sleep(0.05)
    assert api.get(f"/jobs/{job['id']}").json()["state"] == "cancelled"


def test_a_grade_does_not_wait_for_long_searches(api: httpx.Client) -> None:
    searches = [api.post("/jobs/solve", json={"game": "7x7:6", "seconds": 60}).json()["id"] for _ in range(3)]
    grade = api.post("/jobs/grade", json={"game": "tictactoe", "player": "random", "positions": 20}).json()
    give_up = time.monotonic() + 20
    while (state := api.get(f"/jobs/{grade['id']}").json())["state"] in ("waiting", "running"):
        assert time.monotonic() < give_up
        time.sleep(0.05)
    assert state["state"] == "done"
    assert all(api.get(f"/jobs/{each}").json()["state"] != "done" for each in searches)
    for each in searches:
        api.delete(f"/jobs/{each}")


def test_a_job_whose_client_leaves_is_cancelled(api: httpx.Client) -> None:
    job = api.post("/jobs/solve", json={"game": "7x7:7", "seconds": 120}).json()
    with api.stream("GET", f"/jobs/{job['id']}/events") as events:
        next(events.iter_lines())
    give_up = time.monotonic() + 30
    while api.get(f"/jobs/{job['id']}").json()["state"] in ("waiting", "running"):
        assert time.monotonic() < give_up
        time.sleep(0.2)
    assert api.get(f"/jobs/{job['id']}").json()["state"] == "cancelled"


# ---- data


def test_files_are_found(ask: Ask) -> None:
    kinds = {each["path"]: each["kind"] for each in ask("/files")}
    assert kinds == {
        "cup": "tournament",
        **{f"cup/{pairing}.jsonl": "records" for pairing in ("01-02", "01-03", "02-03")},
        "games/match.jsonl": "records",
        "games/small.jsonl": "games2048",
        "games/train.jsonl": "games2048",
        "nets/three.ntuple": "ntuple",
        "tables/2048-2x2.tb": "tablebase2048",
        "tables/tictactoe.tb": "tablebase",
        "wins": "terminals",
    }


def test_a_tablebase_counts_its_positions(ask: Ask) -> None:
    said = ask("/files/tablebase", file="tables/tictactoe.tb")
    assert said["rules"] == "3x3:3"
    assert sum(each["wins"] + each["draws"] + each["losses"] for each in said["plies"]) == 4520
    assert said["openings"]["value"] == "draw"


def test_terminal_wins_are_paged_and_searched(ask: Ask, api: httpx.Client) -> None:
    said = ask("/files/terminals", file="wins")
    assert sum(each["records"] for each in said["layers"]) == 135
    page = ask("/files/terminals/boards", file="wins", ply=5, first=20, count=24)
    assert (page["total"], [each["number"] for each in page["boards"]]) == (21, [20])
    assert ask("/files/terminals/contains", file="wins", board="OO./XXX/...")["found"]
    assert not ask("/files/terminals/contains", file="wins", board="X../.../...")["found"]
    found = finished(api, "find", {"file": "wins", "pattern": "XXX/???/???"})["result"]
    assert found["records"] == 135
    assert 0 < found["matches"] < 135


def test_games_can_be_replayed(ask: Ask, api: httpx.Client, data: Path) -> None:
    listed = ask("/files/games2048", file="games/train.jsonl")
    assert listed["total"] == 3
    replay = ask("/files/games2048/replay", file="games/train.jsonl", number=2)
    assert replay["total"] == len(replay["boards"]) == listed["games"][2]["moves"] + 1
    assert replay["scores"][-1] == listed["games"][2]["score"]
    assert replay["directions"][-1] is None
    part = ask("/files/games2048/replay", file="games/train.jsonl", number=2, first=29, count=5)
    assert [part[name] for name in ("boards", "scores", "directions")] == [
        replay[name][29:] for name in ("boards", "scores", "directions")
    ]
    statistics = finished(api, "statistics", {"file": "games/train.jsonl"})["result"]
    assert statistics["games"] == 3
    records = ask("/files/records", file="games/match.jsonl", count=4)
    assert (len(records["games"]), records["more"]) == (4, True)


def test_a_small_board_is_replayed_without_its_walls(ask: Ask, data: Path) -> None:
    recorded = json.loads((data / "games" / "small.jsonl").read_text())
    boards = [*(move["board"] for move in recorded["moves"]), recorded["finalBoard"]]
    replay = ask("/files/games2048/replay", file="games/small.jsonl", number=0)
    assert (replay["rows"], replay["cols"]) == (3, 2)
    assert replay["boards"] == [[tile for row in board for tile in row] for board in boards]
    assert replay["scores"] == [*(move["score"] for move in recorded["moves"]), recorded["finalScore"]]
    assert replay["directions"] == [*(move["direction"] for move in recorded["moves"]), None]
    assert all(svg.count('class="hole"') == 6 and 'width="128" height="192"' in svg for svg in replay["svgs"])


def test_a_learnt_network_tells_how_it_learnt(ask: Ask) -> None:
    said = ask("/files/ntuple", file="nets/three.ntuple")
    assert (said["rules"], len(said["tuples"]), said["weights"], said["games"]) == ("2048:3x3", 6, 6 * 16**4, 400)
    assert said["settings"]["rate"] == "tc"
    assert [each["games"] for each in said["curve"]] == sorted(each["games"] for each in said["curve"])
    advised = ask("/2048/values", game="2048:3x3", board="2 4 ./. . ./. . .", player="ntuple file=nets/three.ntuple")
    assert (bool(advised["best"]), advised["points"]) == (True, True)


def test_players_are_those_of_the_registry(ask: Ask) -> None:
    from gridlab.players.registry import kinds_of

    for name in ("tictactoe", "2048"):
        said = {each["name"]: each for each in ask("/players", game=name)}
        assert set(said) == set(kinds_of(game(name))) - {"command"}
    assert "squava" in {each["name"]: each for each in ask("/players", game="tictactoe")}["dqn"]["reason"]


@pytest.mark.long
def test_a_connection_may_be_idle(server: Server) -> None:
    """One that is closed after five seconds, as uvicorn does, loses requests that come just then."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=10)
    for pause in (6, 0):
        connection.request("GET", "/health")
        assert connection.getresponse().read()
        time.sleep(pause)
    connection.close()
