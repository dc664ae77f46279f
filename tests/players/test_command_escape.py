"""Programs that try to leave something behind: whatever they start, and however gridlab ends, nothing lives on."""

import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from gridlab.core.errors import PlayerFault
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules
from gridlab.players.command import CommandPlayer
from gridlab.players.command_supervisor import system

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux finds those who have left their group")

RULES = Rules(3, 3, 3)
START = Position(RULES)
RANDOM = np.random.default_rng(0)
PLAY = """
import os, signal, sys, time
{}
open(sys.argv[1], "w").close()
for line in sys.stdin:
    free = line.split()[1].replace("/", "").index(".")
    print(f"{{free // 3 + 1}}{{free % 3 + 1}}", flush=True)
time.sleep(300)
"""
STAY = "    time.sleep(300)\n    os._exit(0)\n"
CHAIN = """
if os.fork() == 0:
    {}
    for _ in range(3000):  # each hands on to the next, and ends
        if os.fork():
            os._exit(0)
        {}
    time.sleep(300)
    os._exit(0)
"""
BOTS = {
    "a child in a session of its own": f"if os.fork() == 0:\n    os.setsid()\n{STAY}",
    "a child in a group of its own": f"if os.fork() == 0:\n    os.setpgid(0, 0)\n{STAY}",
    "a daemon, forked twice": f"""
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    os.chdir("/")
    os.closerange(0, 3)
{STAY}
os.wait()
""",
    "a daemon that keeps its output": f"""
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
{STAY}
os.wait()
""",
    "everybody ignores signals": f"""
for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGCHLD):
    signal.signal(each, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
{STAY}
""",
    "a child that is stopped": f"if os.fork() == 0:\n    os.setsid()\n    os.kill(os.getpid(), signal.SIGSTOP)\n{STAY}",
    "forty children, and theirs": """
for _ in range(40):
    if os.fork() == 0:
        os.setsid()
        os.fork()
        time.sleep(300)
        os._exit(0)
""",
    "a chain of forks": CHAIN.format("pass", "pass"),
    "a chain of sessions": CHAIN.format("os.setsid()", "os.setsid()"),
    "a tree of forks": f"""
if os.fork() == 0:
    for _ in range(6):
        os.fork()
        os.setsid() if os.getpgrp() != os.getpid() else None
{STAY}
""",
}


class Bot:
    """A program in a folder; its processes are known by the folder's name in their command lines."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        self.script, self.ready = folder / "bot.py", folder / "ready"
        self.script.write_text(PLAY.format(BOTS[name]))
        self.command = shlex.join([sys.executable, "-S", str(self.script), str(self.ready)])

    def alive(self) -> list[int]:
        """Who runs this script, the supervisor not counted; zombies that their new parent has not seen yet are dead."""
        found = []
        for each in Path("/proc").glob("[0-9]*"):
            try:
                words = (each / "cmdline").read_bytes().split(b"\0")
                state = (each / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if words[2:3] == [str(self.script).encode()] and state != "Z":
                found.append(int(each.name))
        return found

    def has_company(self) -> bool:
        """Whether it has begun what must end; a chain of forks is faster than whoever looks for it."""
        return self.name.startswith("a chain") or len(self.alive()) >= 2

    def survivors(self, seconds: float = 1.0) -> list[int]:
        end = time.monotonic() + seconds
        while (left := self.alive()) and time.monotonic() < end:
            time.sleep(0.02)
        return left


@pytest.fixture(params=BOTS)
def bot(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bot]:
    made = Bot(tmp_path, request.param)
    yield made
    for each in made.alive():
        os.kill(each, signal.SIGKILL)


def test_nobody_outlives_the_player(bot: Bot) -> None:
    player = CommandPlayer(RULES, bot.command)
    assert player.move(START, RANDOM) == 0
    assert bot.has_company()
    player.close()
    assert bot.alive() == []  # at once: whoever is asked to close has waited for it


def test_nobody_outlives_a_fault(bot: Bot) -> None:
    player = CommandPlayer(RULES, bot.command)
    player.move(START, RANDOM)
    program = player._program
    assert program is not None
    os.kill(next(each for each in bot.alive() if parent_of(each) == program.process.pid and os.getsid(each) == each), 9)
    with pytest.raises(PlayerFault, match="was ended by signal 9"):
        player.move(START, RANDOM)
    assert bot.survivors() == []


def parent_of(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


DRIVER = """
import sys, time
import numpy as np
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules
from gridlab.players.command import CommandPlayer
from gridlab.players.command_supervisor import system
players = [CommandPlayer(Rules(3, 3, 3), each) for each in sys.argv[1:]]
for each in players:
    each.move(Position(Rules(3, 3, 3)), np.random.default_rng(0))
print("ready", flush=True)
time.sleep(60)
"""


def test_nobody_outlives_gridlab_when_it_is_killed(tmp_path: Path) -> None:
    bots = []
    for number, name in enumerate(BOTS):
        (tmp_path / str(number)).mkdir()
        bots.append(Bot(tmp_path / str(number), name))
    words = [sys.executable, "-c", DRIVER, *(each.command for each in bots)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as gridlab:
        assert gridlab.stdout is not None
        assert gridlab.stdout.readline() == "ready\n"
        assert all(each.has_company() for each in bots)
        gridlab.kill()
    assert [each.survivors() for each in bots] == [[]] * len(bots)


@pytest.mark.compiled
@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nobody_outlives_a_match(tmp_path: Path, number: int, workers: str) -> None:
    bot = Bot(tmp_path, "a daemon, forked twice")
    player = f"command={shlex.quote(bot.command)}"
    words = ["match", player, "mcts playouts=3000", "--game", "3x3:3", "--games", "1000", "--workers", workers]
    run = subprocess.Popen(
        [sys.executable, "-m", "gridlab", *words], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    end = time.monotonic() + 60
    while not bot.ready.exists() and time.monotonic() < end:
        time.sleep(0.02)
    run.send_signal(number)
    assert run.wait(10) == (130 if number != signal.SIGKILL else -signal.SIGKILL)
    assert bot.ready.exists()
    assert bot.survivors() == []


def test_players_of_many_threads_end_their_own_programs_alone(tmp_path: Path) -> None:
    bots = []
    for number in range(4):
        (tmp_path / str(number)).mkdir()
        bots.append(Bot(tmp_path / str(number), "a daemon, forked twice"))
    players = [CommandPlayer(RULES, each.command) for each in bots]
    threads = [threading.Thread(target=each.move, args=(START, RANDOM)) for each in players]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()  # the thread that has started a program is gone, and the program is not
    time.sleep(0.5)
    for number, player in enumerate(players):
        assert [len(each.alive()) for each in bots] == [0] * number + [2] * (4 - number)
        player.close()


def test_the_program_of_a_killed_supervisor_ends_with_it(tmp_path: Path) -> None:
    script = tmp_path / "bot.py"
    script.write_text("import os, sys\nfor line in sys.stdin: os.kill(os.getppid(), 9)")
    player = CommandPlayer(RULES, shlex.join([sys.executable, str(script)]))
    with pytest.raises(PlayerFault, match="was ended by signal 9"):
        player.move(START, RANDOM)
    assert not [each for each in Path("/proc").glob("[0-9]*") if str(script).encode() in _words(each)]


def _words(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


SAYS = """
import os, resource, signal, sys
sys.stdin.readline()
limit = resource.getrlimit(resource.RLIMIT_NOFILE)
ignored = [number for number in signal.valid_signals() if signal.getsignal(number) == signal.SIG_IGN]
handles = sorted(int(each) for each in os.listdir("/proc/self/fd"))[:-1]
print({**os.environ}.get("MARK"), os.getcwd(), limit[0], os.umask(0), ignored, handles, sys.argv[1:], file=sys.stderr)
print("11")
sys.stdout.flush()
"""


def test_a_program_finds_what_it_would_find_without_a_supervisor(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Environment, folder, limits, umask, signals, open files and arguments, byte for byte."""
    script = tmp_path / "says.py"
    script.write_text(SAYS)
    words = [sys.executable, str(script), "a b", "ü", os.fsdecode(b"\xff"), ""]
    subprocess.run(words, input="x\n", text=True, stdout=subprocess.DEVNULL, check=True)
    direct = capfd.readouterr().err
    player = CommandPlayer(RULES, shlex.join(words))
    player.move(START, RANDOM)
    player.close()
    assert capfd.readouterr().err == direct
    assert re.search(r"\[0, 1, 2\]", direct)


def test_the_system_is_called_with_and_without_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    assert system("getpid") == os.getpid()
    monkeypatch.delattr("_ctypes.call_cdeclfunction")
    assert system("getpid") == os.getpid()
