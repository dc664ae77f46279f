"""What the server must refuse, and how it says so."""

import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from gridlab.core.errors import FileTrouble, MissingExtra
from gridlab.web import serve as serving
from gridlab.web.lab import Folder, _kind_of_lines, _kind_of_table
from gridlab.web.work import MOST_BODY, Guard, Settings, problem_of
from tests.conftest import Run
from tests.web.conftest import Server

pytestmark = pytest.mark.compiled


def refused(answer: httpx.Response, *statuses: int) -> str:
    assert answer.status_code in statuses, answer.text
    assert set(answer.json()) == {"error"}
    sentence: str = answer.json()["error"]
    assert "Traceback" not in sentence
    return sentence


# ---- files


@pytest.fixture
def outside(data: Path, tmp_path: Path) -> Iterator[Path]:
    """A secret beside the served folder, and links in the folder that lead to it."""
    secret = tmp_path / "secret.tb"
    secret.write_bytes((data / "tables" / "tictactoe.tb").read_bytes())
    links = {data / "link.tb": secret, data / "out": tmp_path, data / "loop": data / "loop"}
    layers = data / "bad_wins"
    layers.mkdir()
    links[layers / "layer_05.bin"] = secret
    for link, target in links.items():
        link.symlink_to(target)
    yield secret
    for link in links:
        link.unlink()
    layers.rmdir()


@pytest.mark.parametrize(
    "name",
    [
        "../secret.tb",
        "/etc/passwd",
        "tables/../../secret.tb",
        "link.tb",
        "out/secret.tb",
        "loop",
        "a\0b",
        "x" * 400,
        "~",
    ],
)
@pytest.mark.parametrize("route", ["tablebase", "terminals", "games2048", "records", "checkpoint", "ntuple"])
def test_only_files_inside_the_folder_can_be_named(api: httpx.Client, outside: Path, name: str, route: str) -> None:
    refused(api.get(f"/files/{route}", params={"file": name}), 404)


def test_a_link_inside_a_dataset_is_followed_no_further(api: httpx.Client, outside: Path) -> None:
    assert "outside" in refused(api.get("/files/terminals", params={"file": "bad_wins"}), 404)
    assert "link.tb" not in api.get("/files").text


def test_players_read_no_other_files(api: httpx.Client, outside: Path) -> None:
    for name in (str(outside), "link.tb", "../secret.tb"):
        body: dict[str, Any] = {"game": "tictactoe", "x": f"perfect tablebase={name}", "reply": True}
        refused(api.post("/play", json=body), 404)
        match = {"game": "tictactoe", "a": body["x"], "b": "random", "games": 2}
        refused(api.post("/jobs/match", json=match), 404)
        refused(api.post("/jobs/grade", json={"game": "tictactoe", "player": body["x"]}), 404)
    for player in (
        f"ntuple file={outside}",
        f"expectimax evaluator=ntuple:{outside}",
        "expectimax evaluator=ntuple:../a",
    ):
        body = {"board": "2 . . ./. . . ./. . . ./. . . .", "player": player}
        refused(api.post("/2048/play", json=body), 404)
        refused(api.post("/2048/review", json={"seed": 1, "moves": [], "player": player}), 404)
        told = api.post("/2048/play", json={"board": body["board"], "values": player}).text
        assert json.loads(told.splitlines()[-1])["status"] == 404
        refused(api.get("/2048/values", params=body), 404)
    refused(api.get("/2048/values", params=body | {"player": f"expectimax evaluator={outside}"}), 400)
    inside = {"game": "tictactoe", "x": "perfect tablebase=tables/tictactoe.tb", "reply": True}
    assert '"part": "reply"' in api.post("/play", json=inside).text


def test_a_link_that_stays_inside_is_fine(data: Path) -> None:
    (data / "again.tb").symlink_to(data / "tables" / "tictactoe.tb")
    try:
        assert Folder(data).inside("again.tb") == (data / "tables" / "tictactoe.tb").resolve()
        with pytest.raises(FileTrouble, match="outside"):
            Folder(data).inside("..")
    finally:
        (data / "again.tb").unlink()


def test_nobody_learns_where_the_folder_lies(api: httpx.Client, data: Path) -> None:
    (data / "tables" / "damaged.tb").write_bytes(b"GRIDTAB1" + bytes(100))
    try:
        sentence = refused(api.get("/files/tablebase", params={"file": "tables/damaged.tb"}), 422)
    finally:
        (data / "tables" / "damaged.tb").unlink()
    assert sentence.startswith("tables/damaged.tb")
    for name in ("2048:3x3", "tictactoe"):
        said = api.get("/players", params={"game": name}).text
        assert str(data) not in said
        assert "site-packages" not in said
        assert "src/gridlab" not in said


@pytest.mark.skipif(os.name == "nt", reason="pipes and sockets of POSIX")
def test_pipes_and_sockets_are_no_files(api: httpx.Client, data: Path) -> None:
    """Whoever opens a pipe waits for somebody to write; so many that nobody else would be answered."""
    pipe, listening = data / "x.jsonl", socket.socket(socket.AF_UNIX)
    os.mkfifo(pipe)
    listening.bind(str(data / "y.jsonl"))
    try:
        for name in ("x.jsonl", "y.jsonl"):
            for _ in range(20):
                assert "neither" in refused(api.get("/files/records", params={"file": name}), 404)
            refused(api.post("/jobs/statistics", json={"file": name}), 404)
            refused(api.post("/play", json={"game": "tictactoe", "x": f"perfect tablebase={name}", "reply": True}), 404)
        assert api.get("/files").is_success
    finally:
        pipe.unlink()
        listening.close()
        (data / "y.jsonl").unlink()


@pytest.mark.skipif(os.name == "nt" or sys.platform == "darwin", reason="names there are always text")
def test_what_is_a_pipe_by_now_is_not_waited_for(tmp_path: Path) -> None:
    """Between the look at a file and its opening anybody may put something else in its place."""
    for ending, kind_of in ((".jsonl", _kind_of_lines), (".tb", _kind_of_table)):
        os.mkfifo(tmp_path / f"pipe{ending}")
        with pytest.raises(FileTrouble, match="a pipe, a socket or a device"):
            kind_of(tmp_path / f"pipe{ending}")


def test_sentences_are_text_whatever_the_names_in_them(tmp_path: Path) -> None:
    sentence = f"{tmp_path / os.fsdecode(bytes([120, 255]))} is not a tablebase"
    assert Folder(tmp_path).plain(sentence) == "x\\udcff is not a tablebase"


def test_names_that_are_no_text_are_passed_over(tmp_path: Path) -> None:
    record = '{"rules": "3x3:3", "moves": []}'
    inside = tmp_path / os.fsdecode(b"\xfe")
    inside.mkdir()
    for path in (tmp_path / os.fsdecode(b"a\xff.jsonl"), inside / "x.jsonl", tmp_path / "good.jsonl"):
        path.write_text(record)
    assert [each.path for each in Folder(tmp_path).listing()] == ["good.jsonl"]


# ---- programs


def test_no_program_is_started(api: httpx.Client, tmp_path: Path) -> None:
    witness = tmp_path / "was-here"
    player = f'command="touch {witness}"'
    assert "--commands" in refused(api.post("/play", json={"game": "tictactoe", "x": player, "reply": True}), 403)
    refused(api.post("/jobs/match", json={"game": "tictactoe", "a": player, "b": "random"}), 403)
    refused(api.post("/jobs/grade", json={"game": "tictactoe", "player": player}), 403)
    hidden = {"game": "tictactoe", "x": f"command seconds=1 command='touch {witness}'", "reply": True}
    refused(api.post("/play", json=hidden), 403)
    assert not witness.exists()
    assert "command" not in [each["name"] for each in api.get("/players", params={"game": "tictactoe"}).json()]


def test_with_the_flag_programs_play(data: Path) -> None:
    server = Server(data, 0, "--commands")
    try:
        body = {"game": "tictactoe", "x": "command=\"sh -c 'read line; echo 22'\"", "reply": True}
        answer = httpx.post(f"{server.address}/api/v1/play", json=body, timeout=30)
        assert answer.is_success, answer.text
        assert '"move": "22"' in answer.text
    finally:
        server.stop()


# ---- who asks


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "192.168.1.5", "", "["])
def test_foreign_hosts_are_refused(server: Server, host: str) -> None:
    refused(httpx.get(f"{server.address}/api/v1/lab", headers={"host": host}), 421)


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "https://127.0.0.1:1"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors"},
    ],
)
def test_foreign_pages_are_refused(server: Server, headers: dict[str, str]) -> None:
    refused(httpx.post(f"{server.address}/api/v1/play", json={"game": "tictactoe"}, headers=headers), 403)
    refused(httpx.get(f"{server.address}/api/v1/files", headers=headers), 403)


def test_our_own_page_is_not(server: Server) -> None:
    answer = httpx.get(f"{server.address}/api/v1/lab", headers={"origin": server.address})
    assert answer.is_success
    assert "access-control-allow-origin" not in answer.headers


def test_names_can_be_allowed_and_addresses_of_an_open_server_are() -> None:
    def ours(settings: Settings, host: str) -> bool:
        return Guard(lambda *_: None, settings)._refusal({"host": host}) is None  # type: ignore[arg-type]

    here = Path()
    assert ours(Settings(here, hosts=("lab.example",)), "lab.example:8000")
    assert not ours(Settings(here), "lab.example")
    assert ours(Settings(here, "0.0.0.0"), "192.168.1.5:8000")
    assert not ours(Settings(here, "0.0.0.0"), "evil.example")
    assert ours(Settings(here, "::1"), "[::1]:8000")


def test_every_answer_has_the_usual_headers(server: Server) -> None:
    for path in ("/", "/js/main.js", "/health", "/api/v1/lab", "/api/v1/nothing", "/nothing"):
        headers = httpx.get(server.address + path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"


def test_the_page_needs_nobody_else(server: Server) -> None:
    from gridlab.web.app import STATIC

    with httpx.Client(base_url=server.address) as client:
        for path in STATIC.rglob("*.*"):
            text = path.read_text()
            assert "http://" not in text.replace("http://www.w3.org/2000/svg", ""), path
            assert "https://" not in text, path
            assert client.get(f"/{path.relative_to(STATIC).as_posix()}").text == text


@pytest.mark.parametrize(
    "path", ["/../pyproject.toml", "/%2e%2e/app.py", "/js/../../app.py", "/..%2fapp.py", "//etc/passwd"]
)
def test_only_the_page_is_served(server: Server, path: str) -> None:
    with httpx.Client(base_url=server.address) as client:
        request = client.build_request("GET", "/")
        request.url = request.url.copy_with(raw_path=path.encode())
        assert client.send(request).status_code == 404


# ---- how much


def test_huge_requests_are_refused(server: Server, api: httpx.Client) -> None:
    refused(api.post("/play", content=b"[" * (MOST_BODY + 1), headers={"content-type": "application/json"}), 413)

    def endless() -> Iterator[bytes]:
        for _ in range(64):
            yield b" " * (MOST_BODY // 16)

    refused(api.post("/play", content=endless(), headers={"content-type": "application/json"}), 413)
    refused(api.post("/play", content=b"[" * 100_000, headers={"content-type": "application/json"}), 400, 422)


@pytest.mark.parametrize(
    ("path", "parameters"),
    [
        ("/values", {"game": "9" * 39}),
        ("/values", {"game": "999999999x9:9"}),
        ("/values", {"game": "tictactoe", "board": "X" * 401}),
        ("/values", {"game": "tictactoe", "board": "XXX/XXX/XXX"}),
        ("/values", {"game": "2048"}),
        ("/values", {}),
        ("/2048/start", {"seed": -1}),
        ("/2048/start", {"seed": 10**30}),
        ("/2048/start", {"game": "2048:99x99"}),
        ("/2048/values", {"board": "3 . . ./. . . ./. . . ./. . . ."}),
        ("/2048/values", {"board": "[[" * 190}),
        ("/files/terminals/boards", {"file": "wins", "ply": 5, "count": 10**6}),
        ("/files/terminals/boards", {"file": "wins", "ply": 60}),
        ("/files/games2048/replay", {"file": "games/train.jsonl", "number": 99}),
        ("/opinion", {"game": "tictactoe", "board": "XXX/OO./..."}),
        ("/opinion", {"game": "tictactoe", "by": "network"}),
        ("/jobs/nothing", {}),
        ("/nothing", {}),
    ],
)
def test_nonsense_gets_a_sentence(api: httpx.Client, path: str, parameters: dict[str, str]) -> None:
    refused(api.get(path, params=parameters), 400, 404, 422)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/play", {"game": "tictactoe", "moves": ["11"] * 64}),
        ("/play", {"game": "tictactoe", "moves": ["11", "11"]}),
        ("/play", {"game": "tictactoe", "surprise": 1}),
        ("/play", {"reply": True, "game": "tictactoe"}),
        ("/play", {"reply": True, "game": "tictactoe", "x": "mcts playouts=50000000"}),
        ("/play", {"reply": True, "game": "tictactoe", "x": "alpha-beta depth=99"}),
        ("/play", {"reply": True, "game": "tictactoe", "x": "nobody"}),
        ("/play", {"reply": True, "game": "tictactoe", "x": "perfect errs=2"}),
        ("/game/record", {"game": "tictactoe"}),
        ("/jobs/match", {"game": "tictactoe", "a": "random", "b": "random", "games": 10**9}),
        ("/jobs/solve", {"game": "tictactoe", "seconds": 1e9}),
        ("/jobs/grade", {"game": "2048", "player": "random"}),
        ("/2048/play", {"board": "2 . . ./. . . ./. . . ./. . . .", "player": "expectimax table=24"}),
        ("/2048/play", {"board": "2 ./. .", "game": "2048:2x2", "player": "expectimax depth=99"}),
        ("/2048/play", {"board": "3 ./. .", "game": "2048:2x2"}),
        ("/2048/play", {"directions": ["up"] * 501}),
        ("/2048/play", {"player": "random", "count": 51}),
        ("/2048/review", {"seed": 1, "moves": ["sideways"]}),
        ("/2048/record", {"seed": 1, "moves": ["up"] * 70_001}),
        ("/2048/record", {"seed": 1, "moves": []}),
    ],
)
def test_so_do_bodies(api: httpx.Client, path: str, body: dict[str, object]) -> None:
    refused(api.post(path, json=body), 400, 404, 422)


def test_a_full_queue_says_so(api: httpx.Client) -> None:
    begun, full = [], None
    while full is None:
        answer = api.post("/jobs/solve", json={"game": "7x7:6", "seconds": 60})
        if answer.status_code == 202:
            begun.append(answer.json()["id"])
        else:
            full = answer
    for number in begun:
        api.delete(f"/jobs/{number}")
    assert "too much to do" in refused(full, 429)
    assert full.headers["retry-after"]
    assert len(begun) <= 24


# ---- the command


def test_it_ends_when_told_to_whatever_it_does(data: Path) -> None:
    server = Server(data)
    answer = httpx.post(f"{server.address}/api/v1/jobs/solve", json={"game": "7x7:6", "seconds": 200}, timeout=30)
    assert answer.status_code == 202
    time.sleep(0.5)
    server.process.terminate()
    _, said = server.process.communicate(timeout=20)
    assert server.process.returncode == 130
    assert "Traceback" not in said


def test_an_address_in_use_is_said(gridlab: Run, server: Server, data: Path) -> None:
    code, _, err = gridlab("serve", "--port", str(server.port), "--folder", str(data))
    assert code == 2
    assert "in use" in err


def test_the_usual_address_in_use_is_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving._listen("127.0.0.1", 0) as taken:
        monkeypatch.setattr(serving, "PORT", taken.getsockname()[1])
        with serving._listen_somewhere("127.0.0.1") as found:
            assert found.getsockname()[1] not in (0, serving.PORT)


def test_what_is_missing_is_said_without_the_server_s_folders() -> None:
    error = MissingExtra("this needs torch, which is not installed: make -C /home/me/gridlab extra-learn")
    status, said = problem_of(error, str)
    assert (status, said) == (400, "this needs torch, which is not installed; `gridlab doctor` says how to get it")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--port", "99999"], "65535"),
        (["--folder", "nowhere"], "cannot be read"),
        (["--host", "a b"], "not the name or address"),
        (["--folder", __file__], "not a folder"),
    ],
)
def test_wrong_use_is_said(gridlab: Run, arguments: list[str], sentence: str) -> None:
    code, _, err = gridlab("serve", *arguments)
    assert code == 2
    assert sentence in err
