"""Programs as players: real scripts in real processes, the good and the bad."""

import os
import pickle
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from gridlab.core.errors import BadPlayer, PlayerFault
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules
from gridlab.players.command import CommandPlayer, Program

RULES = Rules(3, 3, 3)
START = Position(RULES)
RANDOM = np.random.default_rng(0)
FIRST_FREE = """
import sys
for line in sys.stdin:
    rules, board = line.split()
    row = next(row for row in board.split("/") if "." in row)
    print(board.split("/").index(row) + 1, row.index(".") + 1, sep="", flush=True)
"""
EACH = "import sys\nfor line in sys.stdin: {}"

Make = Callable[..., CommandPlayer]


@pytest.fixture
def player(tmp_path: Path) -> Iterator[Make]:
    """A player that runs a script; each is closed in the end."""
    made: list[CommandPlayer] = []

    def make(script: str, seconds: float = 10, rules: Rules = RULES) -> CommandPlayer:
        path = tmp_path / f"bot {len(made)}.py"  # a name that needs its quotation marks
        path.write_text(script)
        made.append(CommandPlayer(rules, shlex.join([sys.executable, str(path), str(tmp_path)]), seconds))
        return made[-1]

    yield make
    for each in made:
        each.close()


def program_of(player: CommandPlayer) -> Program:
    assert player._program is not None
    return player._program


def test_a_program_plays_a_game_and_is_started_once(player: Make) -> None:
    first_free = player(FIRST_FREE)
    position, processes = START, set()
    while not position.outcome():
        position = position.play(first_free.move(position, RANDOM))
        processes.add(program_of(first_free).process.pid)
    assert str(position) == "XOX/OXO/X.."
    assert len(processes) == 1


def test_it_is_told_the_rules_and_the_board(player: Make, tmp_path: Path) -> None:
    script = EACH.format("open(sys.argv[1] + '/seen', 'a').write(line), print('3, 3', flush=True)")
    squava = Rules(5, 5, 4, 3)
    position = Position(squava).play("11")
    noting = player(script, rules=squava)
    assert noting.move(position, RANDOM) == 12
    noting.close()
    assert (tmp_path / "seen").read_text() == "5x5:4-3 X..../...../...../...../.....\n"


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        (EACH.format("print('hello', flush=True)"), "answers no move: 'hello' is not a cell of a 3x3 board"),
        (EACH.format("print('44', flush=True)"), "answers no move: '44' is not a cell of a 3x3 board"),
        (EACH.format("print('22', flush=True)"), r"answers 22, which is occupied in \.\.\./\.X\./\.\.\."),
        (EACH.format("print(' ', flush=True)"), "answers an empty line"),
        (EACH.format("print('1' * 1001, flush=True)"), "answers more than 1000 characters"),
        (EACH.format("print('1' * 100_000, flush=True)"), "answers more than 1000 characters"),
        (EACH.format("sys.stdout.buffer.write(b'\\xff\\n'), sys.stdout.flush()"), "answers no move"),
        (EACH.format("sys.exit(3)"), "has ended without an answer, exit code 3"),
        ("import os, time\nos.close(1)\ntime.sleep(60)", "has closed its output"),
        ("", "has ended without an answer, exit code 0"),
    ],
)
def test_a_wrong_answer_is_a_fault(player: Make, script: str, complaint: str) -> None:
    with pytest.raises(PlayerFault, match=complaint):
        player(script).move(START.play("22"), RANDOM)


def test_a_late_answer_is_a_fault_and_ends_the_program_and_what_it_started(player: Make, tmp_path: Path) -> None:
    script = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open(sys.argv[1] + "/child", "w").write(str(child.pid))
child.wait()
"""
    late = player(script, seconds=1.5)
    started = time.monotonic()
    with pytest.raises(PlayerFault, match=r"has not answered within 1\.5 seconds"):
        late.move(START, RANDOM)
    assert time.monotonic() - started < 5
    child = int((tmp_path / "child").read_text())
    assert until(lambda: not is_running(child))


def is_running(process: int) -> bool:
    """Neither gone nor a zombie that waits for another parent than us."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def until(true: Callable[[], bool], seconds: float = 5) -> bool:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    return true()


def test_lines_that_nobody_asked_for_are_a_fault(player: Make) -> None:
    chatty = player(EACH.format("print('11\\n' * 1000, flush=True)"))
    assert chatty.move(START, RANDOM) == 0
    program_of(chatty)._reader.join(5)
    assert 1 <= program_of(chatty)._lines.qsize() <= 2  # nobody reads the rest
    with pytest.raises(PlayerFault, match="says '11' without being asked"):
        chatty.move(START, RANDOM)


def test_after_a_fault_the_program_is_started_anew(player: Make, tmp_path: Path) -> None:
    script = """
import os, sys
fresh = not os.path.exists(sys.argv[1] + "/was here")
open(sys.argv[1] + "/was here", "w").close()
for line in sys.stdin:
    print("nonsense" if fresh else "33", flush=True)
"""
    moody = player(script)
    with pytest.raises(PlayerFault, match="nonsense"):
        moody.move(START, RANDOM)
    assert [moody.move(START, RANDOM) for _ in range(2)] == [8, 8]


def test_a_program_that_ended_between_two_moves_is_a_fault_then_starts_anew(player: Make) -> None:
    once = player("print(11) if input() else 0")
    assert once.move(START, RANDOM) == 0
    program_of(once).process.wait()
    with pytest.raises(PlayerFault, match="has ended without an answer, exit code 0"):
        once.move(START, RANDOM)
    assert once.move(START, RANDOM) == 0


def test_closing_ends_programs_that_listen_and_programs_that_do_not(player: Make) -> None:
    stubborn = "import time\nprint(11 if input() else 0, flush=True)\ntime.sleep(60)"
    for script, code in [(FIRST_FREE, 0), (stubborn, -9)]:
        closing = player(script)
        closing.move(START, RANDOM)
        program = program_of(closing)
        assert program.process.poll() is None
        closing.close()
        assert program.process.poll() == code
        assert not program._reader.is_alive()
        closing.close()  # once more does no harm


def test_a_fault_leaves_no_zombie(player: Make) -> None:
    bad = player(EACH.format("print('hello', flush=True)"))
    bad._program = program = bad._start()
    with pytest.raises(PlayerFault):
        bad.move(START, RANDOM)
    assert program.process.poll() is not None
    with pytest.raises(ChildProcessError):
        os.waitpid(program.process.pid, os.WNOHANG)


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("/no/such/program --fast", "there is no such file"),
        ("/etc", "it is not an executable file"),
        ("no-such-program-anywhere", "there is none of this name on the PATH"),
    ],
)
def test_what_cannot_be_started_is_refused_at_once(command: str, reason: str) -> None:
    with pytest.raises(BadPlayer, match=f"{command} cannot be started: {reason}; name one that can"):
        CommandPlayer(RULES, command)


def test_what_only_looks_like_a_program_is_refused_when_it_is_to_start(tmp_path: Path) -> None:
    program = tmp_path / "bot"
    program.write_bytes(b"\x7fELF and no more")
    program.chmod(0o755)
    with pytest.raises(BadPlayer, match="cannot be started: Exec format error"):
        CommandPlayer(RULES, str(program)).move(START, RANDOM)


@pytest.mark.parametrize(
    ("command", "seconds", "complaint"),
    [
        ("", 10, "needs a program"),
        ("bot 'open", 10, "close every quotation mark"),
        ("bot", 0, "0 seconds is not a time limit"),
        ("bot", float("nan"), "nan seconds is not a time limit"),
        ("bot", float("inf"), "inf seconds is not a time limit"),
    ],
)
def test_settings_that_make_no_player(command: str, seconds: float, complaint: str) -> None:
    with pytest.raises(BadPlayer, match=complaint):
        CommandPlayer(RULES, command, seconds)


def test_a_player_that_has_not_started_can_be_sent_to_another_process(player: Make) -> None:
    sent: CommandPlayer = pickle.loads(pickle.dumps(player(FIRST_FREE)))
    try:
        assert sent.move(START.play("11"), RANDOM) == 1
    finally:
        sent.close()
