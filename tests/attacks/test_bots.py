"""Programs that play badly: none of them survives its match, nor does what it has started."""

import json
import os
import re
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.attacks.harness import Attacker
from tests.attacks.test_signals import begun, gone, workers_of

pytestmark = [pytest.mark.compiled, pytest.mark.skipif(os.name == "nt", reason="process groups of POSIX")]

BEGIN = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
sys.stdout.reconfigure(line_buffering=True)
"""
CHILD = "child = subprocess.Popen(['sleep', '300'])\n"
PLAY = """
for line in sys.stdin:
    time.sleep(0.2)
    free = line.split()[1].replace("/", "").index(".")
    print(f"{free // 3 + 1}{free % 3 + 1}")
"""
BOTS = {
    "ends and leaves a child": (CHILD + "sys.exit(3)", "ended without an answer, exit code 3"),
    "is killed and leaves a child": (CHILD + "os.kill(os.getpid(), 9)", "ended by signal 9"),
    "never answers, has a child": (CHILD + "time.sleep(300)", "has not answered within 1 seconds"),
    "closes its output": ("os.close(1)\ntime.sleep(300)", "has closed its output"),
    "ignores everything": (
        "for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): signal.signal(each, signal.SIG_IGN)\n"
        + CHILD
        + "time.sleep(300)",
        "has not answered within 1 seconds",
    ),
    "floods": ("while True: print('11' * 1000)", "more than 1000 characters"),
    "speaks bytes": ("sys.stdout.buffer.write(bytes(range(256)) + b'\\n')\ntime.sleep(300)", "answers no move"),
}


def bot(folder: Path, text: str) -> str:
    path = folder / "bot.py"
    path.write_text(BEGIN + text + "\n")
    return f"command='{sys.executable} {path}' seconds=1"


@pytest.mark.parametrize("name", BOTS)
def test_a_bad_bot_loses_and_is_gone(attacker: Attacker, tmp_path: Path, name: str) -> None:
    text, sentence = BOTS[name]
    words = ["match", bot(tmp_path, text), "random", "--game", "3x3:3", "--games", "2", "--workers", "1"]
    ending = attacker.attack(*words, cwd=tmp_path)
    assert ending.code == 0, ending
    assert sentence in ending.out + ending.err, ending
    assert gone(tmp_path) == []


JSON_BOTS = {
    "lies about the board": ('for line in sys.stdin: print(\'{"move": "11"}\')', "which is occupied"),
    "speaks no JSON": ("for line in sys.stdin: print('11')", "answers no JSON"),
    "nests": ("for line in sys.stdin: print('{\"move\": ' * 9000)", "answers no JSON"),
    "sends half a line": (
        "sys.stdout.write('{\"move\": ')\nsys.stdout.flush()\ntime.sleep(300)",
        "has not answered within 1",
    ),
    "dawdles, has a child": (CHILD + "time.sleep(300)", "has not answered within 1 seconds"),
    "dies in mid-sentence": (
        "sys.stdout.write('{\"mo')\nsys.stdout.flush()\nos.kill(os.getpid(), 9)",
        "ended by signal 9",
    ),
    "floods a line": ("while True: sys.stdout.write('x' * 100000)", "more than 100000 characters"),
    "floods lines": ('while True: print(\'{"move": "11"}\')', "without being asked|which is occupied"),
    "speaks bytes": ("sys.stdout.buffer.write(bytes(range(256)) + b'\\n')\ntime.sleep(300)", "without being asked"),
}


@pytest.mark.parametrize("name", JSON_BOTS)
def test_a_bad_bot_that_should_speak_json_loses_and_is_gone(attacker: Attacker, tmp_path: Path, name: str) -> None:
    text, sentence = JSON_BOTS[name]
    player = bot(tmp_path, text) + " protocol=json retries=1"
    words = ["match", player, "random", "--game", "3x3:3", "--games", "2", "--workers", "1", "--out", "games.jsonl"]
    ending = attacker.attack(*words, cwd=tmp_path)
    assert ending.code == 0, ending
    assert re.search(sentence, ending.out + ending.err), ending
    assert attacker.run("games", "verify", "games.jsonl", cwd=tmp_path).code == 0
    assert gone(tmp_path) == []


@pytest.mark.parametrize("protocol", ["line", "json"])
@pytest.mark.parametrize("name", ["never answers, has a child", "is killed and leaves a child", "floods"])
def test_a_bad_bot_ends_an_evaluation_of_2048_and_is_gone(
    attacker: Attacker, tmp_path: Path, name: str, protocol: str
) -> None:
    player = f"{bot(tmp_path, BOTS[name][0])} protocol={protocol}"
    ending = attacker.attack("2048", "evaluate", player, "--games", "1", "--rules", "2048:2x2", cwd=tmp_path)
    assert ending.code == 2, ending
    assert "error: game 1: the player" in ending.err, ending
    assert gone(tmp_path) == []


@pytest.mark.parametrize("name", ["ends and leaves a child", "closes its output", "floods"])
def test_a_bad_bot_leaves_a_sound_file_of_answers(attacker: Attacker, tmp_path: Path, name: str) -> None:
    player = f"{bot(tmp_path, BOTS[name][0])} protocol=json"
    assert attacker.run("exam", "make", "3x3:3", "--positions", "3", "-o", "e.jsonl", cwd=tmp_path).code == 0
    assert attacker.attack("exam", "sit", "e.jsonl", player, "-o", "a.jsonl", cwd=tmp_path).code == 0
    ending = attacker.run("exam", "mark", "e.jsonl", "a.jsonl", "--json", cwd=tmp_path)
    assert ending.code == 0, ending
    blunders = json.loads(ending.out)["blunders"]
    assert blunders["missing"] + blunders["illegal"] == 3
    assert gone(tmp_path) == []


def playing(folder: Path) -> bool:
    """Whether a bot has begun, and with it the match, a child and a guard; workers that begin are not enough."""
    found = workers_of(folder)
    return len(found) >= 4 and any(each.rstrip().endswith("bot.py") for each in found)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_bots_end_with_their_match(tmp_path: Path, number: int, workers: str) -> None:
    """Also those that ignore the end of their input, and whatever they have started."""
    text = CHILD + PLAY + "time.sleep(300)"
    player = bot(tmp_path, text).replace("seconds=1", "seconds=60")
    run = begun(["match", player, "random", "--game", "3x3:3", "--games", "40", "--workers", workers], tmp_path)
    deadline = time.monotonic() + 30
    while not playing(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert playing(tmp_path)
    time.sleep(0.3)
    run.send_signal(number)
    code = run.wait(5)
    assert code == (130 if number == signal.SIGINT else -signal.SIGKILL)
    assert gone(tmp_path) == []
