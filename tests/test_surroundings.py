"""Results hang on what was asked, and on nothing around it: workers, hash seed, locale, time zone, umask, folder.

One program runs a small command of every kind; what it prints as JSON and every file it writes are compared with a
first run. A read-only install does the same.
"""

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import gridlab
from gridlab.core.files import sha256_of

pytestmark = pytest.mark.compiled

ALL_KINDS = """
import json, os, sys
from contextlib import redirect_stdout
from io import StringIO
from shlex import split
from gridlab import cli

os.umask(int(sys.argv[1], 8))
folder, workers, printed = sys.argv[2], sys.argv[3], {}
for command in sys.argv[4:]:
    words = [word.replace("OUT", folder).replace("WORKERS", workers) for word in split(command)]
    with redirect_stdout(StringIO()) as out:
        code = cli.run(words)
    if code != 0:
        sys.exit(f"{words} ends with {code}")
    printed[command] = out.getvalue() if "--json" in words and "OUT" not in command else ""
sys.stdout.write(json.dumps(printed))
"""
COMMANDS = (
    "census tictactoe --json --workers WORKERS",
    "solve tictactoe X.O/.X./... --json",
    "states tictactoe --out OUT/states.csv --workers WORKERS",
    "terminals build tictactoe --out OUT/wins --workers WORKERS",
    "tablebase build tictactoe --out OUT/t.tb --workers WORKERS",
    "match random heuristic --game tictactoe --games 24 --out OUT/match.jsonl --workers 1 --quiet",
    "tournament random 'mcts playouts=20' --game tictactoe --games 24 --out OUT/cup --workers WORKERS --json",
    "grade 'mcts playouts=20' --game tictactoe --positions 120 --workers WORKERS --json --quiet",
    "2048 generate -g 8 -d 2 --max-moves 80 --seed 1 --metadata --out OUT/games.jsonl --workers WORKERS --quiet",
    "match random 'expectimax depth=1' --game 2048 --games 6 --workers WORKERS --quiet",
    "2048 verify OUT/games.jsonl --max-moves 80 --quiet",
    "terminals verify OUT/wins --quiet",
    "tablebase verify OUT/t.tb --seed 1 --quiet",
)
POOR = """
import os, pathlib, signal, sys
for module in ("fcntl", "grp", "pwd", "resource", "termios", "tty"):
    sys.modules[module] = None
for name in (
    "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "fork", "forkpty", "getuid", "killpg", "mkfifo", "mknod",
    "pread", "preadv", "register_at_fork", "sched_getaffinity", "set_blocking", "setsid", "sysconf", "waitid",
):
    delattr(os, name)
for name in ("ITIMER_REAL", "SIGALRM", "SIGHUP", "SIGKILL", "pthread_sigmask", "setitimer"):
    delattr(signal, name)
def absent(function):
    def changed(self, *more, **named):
        missing = self.parts[:2] in (("/", "proc"), ("/", "dev"))
        return function(pathlib.Path("/nowhere") if missing else self, *more, **named)
    return changed
pathlib.Path.exists, pathlib.Path.read_text = absent(pathlib.Path.exists), absent(pathlib.Path.read_text)
"""  # what Windows or macOS do not have, taken away before anything is imported
USUAL = {"SOURCE_DATE_EPOCH": "1700000000", "PYTHONHASHSEED": "0"}

Seen = tuple[dict[str, str], dict[str, str]]  # what was printed, by command; the digests of all files


def run(
    folder: Path,
    workers: int = 2,
    umask: str = "022",
    cwd: Path | None = None,
    before: tuple[str, ...] = (),
    around: Mapping[str, str] | None = None,
    prelude: str = "",
) -> Seen:
    """Run all commands in a fresh process."""
    folder.mkdir(exist_ok=True)
    words = [*before, sys.executable, "-c", prelude + ALL_KINDS, umask, str(folder), str(workers), *COMMANDS]
    done = subprocess.run(
        words,
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd or folder,
        env={**os.environ, **USUAL, **(around or {})},
    )
    assert done.returncode == 0, done.stderr
    files = sorted(each for each in folder.rglob("*") if each.is_file())
    return json.loads(done.stdout), {str(each.relative_to(folder)): sha256_of(each) for each in files}


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    seen = run(tmp_path_factory.mktemp("surroundings") / "usual")
    assert len(seen[1]) > 10
    return seen


def available_locales() -> set[str]:
    known = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout.split()
    return {"C", "POSIX"} | {each for each in ("tr_TR.utf8", "de_DE.utf8") if each in known}


NARROW = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}  # the locale taken as it is


def test_one_worker_and_everything_else_at_once(usual: Seen, tmp_path: Path) -> None:
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    around = {**NARROW, "TZ": "XYZ-13:30", "PYTHONHASHSEED": "12345"}
    assert run(tmp_path / "out", workers=1, umask="077", cwd=elsewhere, around=around) == usual
    assert stat.S_IMODE((tmp_path / "out" / "states.csv").stat().st_mode) == 0o600
    assert list(elsewhere.iterdir()) == [], "nothing is left where it was run"


def test_a_system_that_lacks_what_posix_has(usual: Seen, tmp_path: Path) -> None:
    """Names of the standard library that Windows or macOS do not have are taken away; the results are the same."""
    assert run(tmp_path / "out", workers=1, prelude=POOR) == usual


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 3, 8])
def test_workers(usual: Seen, tmp_path: Path, workers: int) -> None:
    assert run(tmp_path / "out", workers=workers) == usual


@pytest.mark.long
@pytest.mark.parametrize("seed", ["1", "12345"])
def test_hash_seed(usual: Seen, tmp_path: Path, seed: str) -> None:
    assert run(tmp_path / "out", around={"PYTHONHASHSEED": seed}) == usual


@pytest.mark.long
@pytest.mark.parametrize("locale", sorted(available_locales()))
def test_locale(usual: Seen, tmp_path: Path, locale: str) -> None:
    assert run(tmp_path / "out", around={**NARROW, "LC_ALL": locale, "LANG": locale}) == usual


@pytest.mark.long
@pytest.mark.parametrize("zone", ["Asia/Kathmandu", "XYZ-13:30"])
def test_time_zone(usual: Seen, tmp_path: Path, zone: str) -> None:
    assert run(tmp_path / "out", around={"TZ": zone}) == usual


@pytest.mark.long
def test_umask(usual: Seen, tmp_path: Path) -> None:
    assert run(tmp_path / "out", umask="077") == usual


@pytest.mark.long
def test_folder(usual: Seen, tmp_path: Path) -> None:
    assert run(tmp_path / "out", cwd=Path("/")) == usual


def without_privileges() -> tuple[str, ...]:
    """How to run a command so that modes stop it, as they do not stop root; nothing for whoever is not root."""
    if os.getuid() != 0:
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("root may write everywhere, and there is no setpriv to take that right away")
    return "setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner"


def test_a_read_only_install(usual: Seen, tmp_path: Path) -> None:
    install, cache, become = tmp_path / "install", tmp_path / "cache", without_privileges()
    shutil.copytree(Path(gridlab.__file__).parent, install / "gridlab", ignore=shutil.ignore_patterns("__pycache__"))
    protected = [install, *install.rglob("*")]
    for each in protected:
        each.chmod(0o555 if each.is_dir() else 0o444)
    around = {"PYTHONPATH": str(install)}
    try:
        probe = [*become, "touch", str(install / "gridlab" / "new")]
        assert subprocess.run(probe, check=False, capture_output=True).returncode != 0, "it can be written"
        assert run(tmp_path / "out", workers=1, before=become, around=around) == usual
        compiling = [*become, sys.executable, "-c", "from gridlab.core.bits import lowest_bit; lowest_bit(12)"]
        subprocess.run(
            compiling, check=True, capture_output=True, env={**os.environ, **around, "NUMBA_CACHE_DIR": str(cache)}
        )
        assert list(cache.rglob("*.code")), "what was compiled is kept elsewhere"
        assert not list(install.rglob("__pycache__"))
    finally:
        for each in protected:
            if each.is_dir():
                each.chmod(0o755)
