"""The bots of examples/: they really play, and the language model really speaks to a server."""

import json
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from gridlab.arena.answers import sit
from gridlab.arena.assess import Marks, mark
from gridlab.arena.exam import make_exam, read_exam
from gridlab.arena.match import play_match
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules
from gridlab.players.command import CommandPlayer
from gridlab.players.registry import make_player

BOTS = Path(__file__).parents[2] / "examples" / "bots"
LONGEST_ROW = f"command='{sys.executable} {BOTS / 'longest_row.py'}' protocol=json seconds=60"
NEAR_MIDDLE = f"command='sh {BOTS / 'near_middle.sh'}' seconds=60"


def test_the_python_bot_has_fifteen_lines_and_plays_any_board() -> None:
    code = (BOTS / "longest_row.py").read_text().split('"""\n', 1)[1].splitlines()
    assert len([line for line in code if line.strip()]) <= 16
    for rules in ("5x5:4-3", "3x11:3", "3x3:-3"):
        match = play_match(LONGEST_ROW, "random", rules, games=2, seed=1, workers=1)
        assert not match.faults
    player = make_player(LONGEST_ROW, Rules(5, 5, 4, 3))
    try:
        wins = Position.parse("XX.X./OO.O./...../...../.....", Rules(5, 5, 4, 3))
        assert player.move(wins, None) == 2  # type: ignore[arg-type]
        threat = Position.parse("XX.../OO.../...../...../.....", Rules(5, 5, 4, 3))
        assert player.move(threat, None) != 2  # type: ignore[arg-type]  # three would lose
    finally:
        player.close()  # type: ignore[attr-defined]


def test_the_shell_bot_takes_the_cell_nearest_the_middle() -> None:
    asked = "3x3:3 .../.../...\n5x5:4-3 ...../...../..X../...../.....\n2x10:3 X........./..........\n"
    done = subprocess.run(["sh", BOTS / "near_middle.sh"], input=asked, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["22", "23", "1,5"]
    assert not play_match(NEAR_MIDDLE, "random", "3x3:3", games=2, seed=1, workers=1).faults


def marks_of(player: str, exam: str = "tictactoe-v1") -> Marks:
    paper = read_exam(exam)
    return mark(paper, sit(paper, player))


def test_bots_know_more_than_random() -> None:
    longest = marks_of(LONGEST_ROW)
    assert longest.blunders["missing"] == longest.blunders["illegal"] == 0
    assert longest.accuracy > float(longest.random.accuracy)


ENGINE = """
import sys
taken, size, stones = set(), 19, 0
for line in sys.stdin:
    words = line.split()
    answer = ""
    if words[0] == "boardsize": size = int(words[1])
    elif words[0] == "clear_board": taken = set()
    elif words[0] == "play": taken.add(words[2])
    elif words[0] == "genmove" and len(taken) > 6: answer = "resign"
    elif words[0] == "genmove":
        free = [f"{'ABCDEFGHJKLMNOPQRST'[c]}{r}" for r in range(1, size + 1) for c in range(size)]
        answer = next(each for each in free if each not in taken)
    else:
        print("? unknown command\\n", flush=True)
        continue
    print(f"= {answer}\\n", flush=True)
"""


@pytest.fixture
def bridge(tmp_path: Path) -> Iterator[CommandPlayer]:
    (tmp_path / "engine.py").write_text(ENGINE)
    words = [sys.executable, str(BOTS / "gtp_bridge.py"), sys.executable, str(tmp_path / "engine.py")]
    player = CommandPlayer(Rules(3, 3, 3), shlex.join(words), 60, "json")
    yield player
    player.close()


def test_the_bridge_plays_what_the_engine_says(bridge: CommandPlayer) -> None:
    """A1 is the bottom left."""
    start = Position(bridge.rules)  # type: ignore[arg-type]
    assert start.move_text(bridge.move(start, None)) == "31"  # type: ignore[arg-type]
    taken = start.play("31").play("32")
    assert start.move_text(bridge.move(taken, None)) == "33"  # type: ignore[arg-type]
    match = play_match(bridge, "random", "3x3:3", games=4, seed=2, workers=1)
    assert not match.faults


class Model(BaseHTTPRequestHandler):
    """A server that speaks the protocol of chat completions; what it says is decided by the test."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        seen: list[dict[str, Any]] = self.server.seen  # type: ignore[attr-defined]
        seen.append({"path": self.path, "key": self.headers["Authorization"], **body})
        status, text = self.server.answer(body, len(seen))  # type: ignore[attr-defined]
        message = {"role": "assistant", "content": text}
        found = {
            "id": "1", "object": "chat.completion", "model": body["model"], "usage": {"total_tokens": 42},
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        }  # fmt: skip
        content = json.dumps(found if status == 200 else {"error": {"message": text}}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *words: Any) -> None:
        """Say nothing."""


Answer = Callable[[dict[str, Any], int], tuple[int, str]]
Serve = Callable[[Answer], ThreadingHTTPServer]
MODEL = f"command='{sys.executable} {BOTS / 'language_model.py'}' protocol=json seconds=30 retries=1"


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    running: list[tuple[ThreadingHTTPServer, threading.Thread]] = []

    def start(answer: Answer) -> ThreadingHTTPServer:
        server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
        server.answer, server.seen = answer, []  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        running.append((server, thread))
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_address[1]}/v1/")
        monkeypatch.setenv("OPENAI_MODEL", "small-talk")
        monkeypatch.setenv("OPENAI_API_KEY", "secret")
        return server

    yield start
    for server, thread in running:
        server.shutdown()
        server.server_close()
        thread.join(5)


def legal_of(body: dict[str, Any]) -> list[str]:
    asked = next(each["content"] for each in reversed(body["messages"]) if "Legal moves" in each["content"])
    return str(asked).rpartition("Legal moves: ")[2].split()


def test_a_language_model_sits_an_exam(serve: Serve, tmp_path: Path) -> None:
    server = serve(lambda body, number: (200, f"I thought about it.\n**Move: {legal_of(body)[0]}**"))
    exam = make_exam("3x3:3", tmp_path / "exam.jsonl", 6)
    given = sit(exam, MODEL)
    marks = mark(exam, given)
    assert marks.accuracy == float(marks.first_legal.accuracy)
    assert given.given[1].tokens == 42
    assert "I thought about it" in given.given[1].text
    first = server.seen[0]  # type: ignore[attr-defined]
    assert (first["path"], first["key"], first["model"]) == ("/v1/chat/completions", "Bearer secret", "small-talk")
    assert [each["role"] for each in first["messages"]] == ["system", "user"]
    assert "Whoever gets 3 or more" in first["messages"][1]["content"]


def test_a_model_is_told_what_was_wrong_and_servers_may_be_busy(serve: Serve, tmp_path: Path) -> None:
    def answer(body: dict[str, Any], number: int) -> tuple[int, str]:
        if number == 1:
            return 429, "too many requests"
        return 200, "move: 99" if len(body["messages"]) == 2 else f"sorry, move: {legal_of(body)[-1]}"

    server = serve(answer)
    exam = make_exam("3x3:3", tmp_path / "exam.jsonl", 1)
    found = sit(exam, MODEL).given[1]
    assert found.move == exam.questions[0].legal[-1]
    assert len(found.tries) == 2
    assert "'99' is not a cell" in found.tries[0].error
    last = server.seen[-1]["messages"]  # type: ignore[attr-defined]
    assert [each["role"] for each in last] == ["system", "user", "assistant", "user"]
    assert "'99' is not a cell" in last[3]["content"]


def test_an_endpoint_that_refuses_is_an_answer_that_is_missing(serve: Serve, tmp_path: Path) -> None:
    serve(lambda body, number: (401, "wrong key"))
    exam = make_exam("3x3:3", tmp_path / "exam.jsonl", 1)
    found = sit(exam, MODEL).given[1]
    assert not found.said
    assert "HTTP 401" in found.text
    assert "wrong key" in found.text


def test_moves_are_found_in_what_models_write(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(BOTS)
    from language_model import move_of  # type: ignore[import-not-found]

    for text, move in [
        ("move: 33", "33"),
        ("I would move to 11, no: **Move:** `22`", "22"),
        ("Move: 3, 11", "3,11"),
        ("The best is up", "up"),
        ("MOVE = Left", "left"),
        ("13 or rather 12.", "12"),
        ("no idea", None),
    ]:
        assert move_of(text, ["11", "12", "13", "22", "33", "3,11", "up", "left"]) == move, text
