"""Whether a rebuilt package still does what it did: names, help, outputs and files, recorded before and compared after.

python tools/same.py record FOLDER       what this working copy does; what it writes stays in FOLDER/files
python tools/same.py compare FOLDER      runs everything again and says what differs; exit code 1 if anything does

A record holds (a) the signature of every name of `import gridlab`, and of the public methods of its classes, (b) the
help of every command and the description of the web API, (c) the exit code, stdout and stderr of the commands in
tests/attacks/commands.py and in same.txt, and the SHA-256 of every file that they write. Tables and networks may be
written in another way: theirs are compared by values, weights and moves, and those of the record must still be read.
Times are left out of texts; SOURCE_DATE_EPOCH is fixed. Every command has one worker.
"""

import argparse
import difflib
import hashlib
import inspect
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import traceback
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

import gridlab

ROOT = Path(__file__).parent.parent
AROUND = {
    "SOURCE_DATE_EPOCH": "1700000000", "PYTHONHASHSEED": "0", "COLUMNS": "100", "TERMINAL_WIDTH": "100",
    "LC_ALL": "C.UTF-8", "TZ": "UTC", "OMP_NUM_THREADS": "1",
}  # fmt: skip
IMPORTED = ("gridlab.__main__", "gridlab.cli", "numba", "h5py", "matplotlib.figure", "pyarrow.parquet", "torch")
OF_THE_MACHINE = ("doctor", "tour", "warm", "serve")  # commands that are not run
BY_CHANCE = ("tablebase sample", "tablebase export")  # commands that do another thing each time, without a seed
SIDECARS = (".index", ".moves")  # made again when they do not fit: their bytes are nobody's business
IN_ITS_OWN_WAY = (".tb", ".safetensors", ".ntuple", ".cnn", ".dual", ".transformer", ".training", ".onnx")
NO_MATTER = re.compile(r"compiling, first run only|^[^:]*: +\d+%|\d+/\d+ \[|it/s\]")  # lines of progress
TIMES = (
    (re.compile(r'("\w*(?:seconds|per_second)\w*": )[-+.e\d]+'), r"\g<1>0"),
    (re.compile(r"\b[\d,.]+ (?:µs|ms|s|min|seconds?|minutes?)\b(?!=)"), "TIME"),
    (re.compile(r"\b[\d,.]+( \w+)? (?:a|per) second"), r"N\1 a second"),
    (re.compile(r"\b[\d,.]+ (\w+)/s\b"), r"N \1/s"),
)
WALK = 300  # positions at which tables and networks are asked
CLOSE = 1e-4  # between numbers of ONNX graphs

RUNS = Path(__file__).with_suffix(".txt")  # a command a line; what is typed stands after <<<


# ---- what is recorded


def record(folder: Path) -> dict[str, Any]:
    """Everything; files stay in folder/files."""
    work = folder / "files"
    furnish(work)
    found: dict[str, Any] = {"names": names(), "help": {}, "runs": {}}
    for name in IMPORTED:
        __import__(name)
    for asked in helps():
        found["help"][" ".join(asked)] = Run(asked, work).texts()["out"]
    for line in tqdm(list(lines())):
        words, typed = read_line(line)
        before = stamps(work)
        run = Run(words, work, typed)
        after = stamps(work)
        written = sorted(name for name in after if before.get(name) != after[name])
        found["runs"][line] = run.texts() | {"files": {name: sha_of(work / name) for name in written}}
    found["api"] = api(work)
    found["contents"] = contents_in(work)
    return found


def furnish(work: Path) -> None:
    """What commands read that no command writes."""
    shutil.copytree(ROOT / "tests" / "golden" / "best_first", work / "golden", ignore=lambda _, names: {
        each for each in names if ".input." not in each
    })  # fmt: skip
    shutil.copy(next(Path(gridlab.__path__[0]).rglob("squava.safetensors")), work / "net.safetensors")
    shutil.copy(ROOT / "examples" / "bots" / "near_middle.sh", work)
    (work / "input.txt").write_text("3\nX.O\n.X.\nO..\nX\n")
    (work / "table.csv").write_text("question,ada,bob\n1,22,11\n2,13,\n3,31,33\n4,12,21\n")
    torch_file(work / "guide.pth")


def torch_file(path: Path) -> None:
    """A network as the published guide saves it, of random weights."""
    import torch

    random, shapes = np.random.default_rng(5), {"input_layer": (512, 50), "output_layer.0": (256, 512)}
    shapes |= {"hidden1": (512, 512), "hidden2": (512, 512), "output_layer.3": (1, 256)}
    weights = {f"{name}.weight": random.normal(0, 0.1, shape) for name, shape in shapes.items()}
    weights |= {f"{name}.bias": random.normal(0, 0.1, shape[0]) for name, shape in shapes.items()}
    for name in ("input_norm", "hidden1_norm", "hidden2_norm"):
        weights |= {f"{name}.{kind}": random.normal(1, 0.1, 512) for kind in ("weight", "bias")}
    state = {name: torch.from_numpy(each.astype(np.float32)) for name, each in weights.items()}
    torch.save({"q_network_state_dict": state}, path)


def lines() -> Iterator[str]:
    """Every command, as somebody would type it: those that other tests know, each with files of its own, and RUNS."""
    from tests.attacks.commands import EXAMPLES, INPUTS, NEW

    yield from (shlex.join(words) for words in INPUTS.values())
    yield "$ mkdir bare && cp wins/layer_*.bin bare"
    yield "$ sed '2s/x_wins/o_wins/' records.jsonl > wrong.jsonl"
    yield '$ sed \'2s/"score":4/"score":8/\' games.jsonl > flawed.jsonl'
    for name, words in EXAMPLES.items():
        if name not in OF_THE_MACHINE:
            own = [re.sub(f"^{NEW}(?=$|[.-])", name.replace(" ", "-"), word) for word in words]
            yield shlex.join([*name.split(), *own])
    yield from RUNS.read_text().splitlines()


def read_line(line: str) -> tuple[list[str], str]:
    """The words of a command, with one worker and no chance, and what is typed."""
    command, _, typed = line.partition(" <<< ")
    if command.startswith("$ "):
        return ["$", command[2:]], ""
    words = shlex.split(command)
    name = max((each for each in commands() if words[: len(each)] == list(each)), key=len)
    one = ["--workers", "1"] if "--workers" in commands()[name] and "--workers" not in words else []
    seed = ["--seed", "1"] if " ".join(name) in BY_CHANCE and "--seed" not in words else []
    return words + one + seed, "".join(f"{each}\n" for each in typed.split("; ") if typed)


KNOWN: dict[tuple[str, ...], set[str]] = {}


def commands() -> dict[tuple[str, ...], set[str]]:
    """Every command with its options."""
    if not KNOWN:
        from tests.attacks.commands import commands as every_command

        for name, each in every_command():
            KNOWN[tuple(name.split())] = {option for parameter in each.params for option in parameter.opts}
    return KNOWN


def helps() -> Iterator[tuple[str, ...]]:
    """Commands and groups of commands, with --help; programs of one command by their names."""
    groups = {name[:length] for name in commands() for length in range(len(name))}
    for name in sorted({*commands(), *groups}):
        yield (*name, "--help")
    for script in ("generate_dataset.py", "analyze_dataset.py", "visual.py"):
        yield (script, "--help")


class Run:
    """A command in a forked process, which need not import everything anew."""

    def __init__(self, words: list[str] | tuple[str, ...], work: Path, typed: str = "") -> None:
        self.work = work
        with tempfile.TemporaryDirectory() as folder:
            streams = [Path(folder) / name for name in ("in", "out", "err")]
            streams[0].write_text(typed)
            sys.stdout.flush()
            sys.stderr.flush()
            child = os.fork()
            if child == 0:
                self._become(list(words), streams)
            self.code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            self.out, self.err = (each.read_text(errors="replace") for each in streams[1:])

    def _become(self, words: list[str], streams: list[Path]) -> None:
        """What the process does; it never returns."""
        code = 70
        try:
            for number, (path, flags) in enumerate(
                zip(streams, (os.O_RDONLY, *[os.O_WRONLY | os.O_CREAT] * 2), strict=True)
            ):
                os.dup2(os.open(path, flags), number)
            sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, mode) for number, mode in enumerate("rww"))
            os.chdir(self.work)
            if words[0] == "$":
                os.execv("/bin/sh", ["sh", "-c", words[1]])
            script = words.pop(0) if words[0].endswith(".py") else ""
            sys.argv = [script or "gridlab", *words]
            from gridlab.__main__ import main

            main(script)
        except SystemExit as ending:
            code = int(ending.code or 0)
        except BaseException:
            traceback.print_exc()
        finally:
            with suppress(OSError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)

    def texts(self) -> dict[str, Any]:
        return {"code": self.code, "out": self._plain(self.out), "err": self._plain(self.err)}

    def _plain(self, text: str) -> str:
        """Without times, progress and the folder."""
        for pattern, instead in TIMES:
            text = pattern.sub(instead, text.replace(str(self.work), "FOLDER"))
        return "".join(line for line in text.splitlines(True) if not NO_MATTER.search(line))


def stamps(work: Path) -> dict[str, tuple[int, ...]]:
    """What tells whether a file was written."""
    found = ((path, path.stat()) for path in sorted(work.rglob("*")) if path.is_file())
    kept = ((path, stat) for path, stat in found if path.suffix != ".lock")
    return {str(path.relative_to(work)): (stat.st_ino, stat.st_size, stat.st_mtime_ns) for path, stat in kept}


def sha_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def api(work: Path) -> list[str]:
    """The description of the web API, as sorted lines of JSON."""
    words = [sys.executable, "-m", "gridlab", "serve", "--port", "0", "--folder", str(work)]
    with subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as server:
        assert server.stderr is not None
        address = re.search(r"http://\S+/", server.stderr.readline())
        try:
            assert address is not None, "the server did not say its address"
            with urllib.request.urlopen(f"{address[0]}api/v1/openapi.json", timeout=60) as answer:
                return json.dumps(json.load(answer), indent=0, sort_keys=True).splitlines()
        finally:
            server.terminate()
            server.communicate()


# ---- names


def names() -> dict[str, str]:
    """The signature of each public name, and of what its class offers."""
    found: dict[str, str] = {}
    for name in gridlab.__all__:
        thing = getattr(gridlab, name)
        found[name] = said_of(thing)
        for member in public_members(thing) if isinstance(thing, type) else ():
            found[f"{name}.{member}"] = said_of(inspect.getattr_static(thing, member, "a field"))
    return found


def public_members(owner: type) -> Iterator[str]:
    """Methods, properties and fields that a class has from this package."""
    ours = [each for each in owner.__mro__ if each.__module__.startswith("gridlab")]
    yield from sorted(
        {name for each in ours for name in (*vars(each), *inspect.get_annotations(each)) if name[0] != "_"}
    )


def said_of(thing: Any) -> str:
    """What can be said of it without the module in which it lives."""
    kind = type(thing).__name__
    if isinstance(thing, type):
        text = "class(" + ", ".join(each.__name__ for each in thing.__mro__[1:-1]) + ")" + _signature(thing)
    elif kind in ("property", "cached_property"):
        text = f"property{_signature(getattr(thing, 'fget', None) or thing.func)}"
    elif kind in ("classmethod", "staticmethod"):
        text = kind + _signature(thing.__func__)
    elif kind in ("member_descriptor", "_tuplegetter"):
        text = "field"
    else:
        text = f"function{_signature(thing)}" if callable(thing) else f"{kind} {thing!r}"
    return re.sub(r" at 0x[0-9a-f]+", "", re.sub(r"\bgridlab(\.\w+)+\.(?=\w)", "", text))


def _signature(thing: Callable[..., Any]) -> str:
    try:
        return str(inspect.signature(thing))
    except (TypeError, ValueError):  # written in C
        return "(...)"


# ---- contents of files


def contents_in(work: Path) -> dict[str, Any]:
    """What stands in tables, networks and containers, however it is written there."""
    found: dict[str, Any] = {}
    for name in stamps(work):
        if reader := READERS.get(Path(name).suffix):
            try:
                found[name] = json.loads(json.dumps(reader(work / name)))
            except Exception as error:
                found[name] = f"{type(error).__name__}: {error}".replace(str(work), "FOLDER")
    return found


def walk(rules: Any) -> Iterator[Any]:
    """The first positions of some random games, one after the other."""
    yield from islice(_walk(rules), WALK)


def _walk(rules: Any) -> Iterator[Any]:
    kind = gridlab.Position2048 if rules.family == "2048" else gridlab.Position
    random = np.random.default_rng(7)
    while True:
        position = kind.start(random, rules)
        while not position.over:
            yield position
            moves = position.moves()
            position = position.step(moves[int(random.integers(len(moves)))], random)


def digest(texts: Iterator[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def values_of(path: Path) -> dict[str, Any]:
    """The answers of a tablebase."""
    table = gridlab.open_tablebase(path)

    def asked(position: Any) -> str:
        try:
            return str(table.probe(position)).replace(str(path), path.name)
        except gridlab.GridlabError as error:
            return f"refused: {error}".replace(str(path), path.name)

    return {"rules": str(table.rules), "values": digest(asked(each) for each in walk(table.rules))}


def opinions_of(path: Path) -> dict[str, Any]:
    """The weights of a network, where safetensors holds them, and what it thinks of positions."""
    data = path.read_bytes()
    found: dict[str, Any] = {}
    if data[8:9] == b"{":
        from safetensors.numpy import load

        tensors = (
            f"{each.dtype}{each.shape} {hashlib.sha256(each.tobytes()).hexdigest()}" for each in load(data).values()
        )
        found["tensors"] = sorted(tensors)
    kind = path.suffix[1:]
    if kind in ("training", "safetensors") and "weights" not in path.name and path.name != "net.safetensors":
        return found | {"kind": gridlab.info_of(path).kind}  # to go on from, as same.txt does
    rules = "squava" if kind == "safetensors" else str(gridlab.info_of(path).facts.get("rules") or "2048")
    asked = {"ntuple": "ntuple file", "safetensors": "dqn checkpoint"}.get(kind, f"{kind} checkpoint")
    player, random = gridlab.make_player(f"{asked}={path}", rules), np.random.default_rng(0)
    if kind == "safetensors":
        moves = (str(player.move(each, random)) for each in walk(gridlab.game(rules)))
        return found | {"moves": digest(moves)}
    values = (json.dumps(player.values(each, random)) for each in walk(gridlab.game(rules)))  # type: ignore[attr-defined]
    return found | {"rules": rules, "values": digest(values)}


def graph_of(path: Path) -> dict[str, Any]:
    """What an ONNX graph answers."""
    import onnxruntime

    session, random = onnxruntime.InferenceSession(str(path)), np.random.default_rng(3)
    fed: dict[str, Any] = {}
    for each in session.get_inputs():
        shape = [size if isinstance(size, int) else 5 for size in each.shape]
        kind = {"tensor(bool)": np.bool_, "tensor(int64)": np.int64, "tensor(float)": np.float32}[each.type]
        fed[each.name] = (np.ones(shape) if kind is np.bool_ else random.integers(0, 2, shape)).astype(kind)
    numbers = [np.asarray(each, np.float64).ravel()[:40].tolist() for each in session.run(None, fed)]
    shapes = {each.name: [str(size) for size in each.shape] for each in session.get_inputs()}
    return {"inputs": shapes, "outputs": [each.name for each in session.get_outputs()], "numbers": numbers}


def columns_of(path: Path) -> dict[str, Any]:
    """The columns of a Parquet file."""
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(path)
    return {
        str(field): hashlib.sha256(json.dumps(column.to_pylist(), default=str).encode()).hexdigest()
        for field, column in zip(table.schema, table.columns, strict=True)
    }


def arrays_of(path: Path) -> dict[str, Any]:
    """The arrays of an NPZ or HDF5 file, and its attributes."""
    found: dict[str, Any] = {}

    def add(name: str, array: Any) -> None:
        data = array.tobytes() if array.dtype != object else json.dumps(array.tolist(), default=_plain).encode()
        found[name] = f"{array.dtype}{array.shape} {hashlib.sha256(data).hexdigest()}"

    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as arrays:
            for name in arrays.files:
                add(name, arrays[name])
        return found
    import h5py

    def visit(name: str, each: Any) -> None:
        found.update({f"{name} {key}": str(value) for key, value in each.attrs.items()})
        if isinstance(each, h5py.Dataset):
            add(name, np.asarray(each))

    with h5py.File(path) as file:
        visit("/", file)
        file.visititems(visit)
    return found


def _plain(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value.tolist()


READERS: dict[str, Callable[[Path], dict[str, Any]]] = {
    ".tb": values_of, ".onnx": graph_of, ".parquet": columns_of, ".npz": arrays_of, ".h5": arrays_of,
    **dict.fromkeys((".ntuple", ".cnn", ".dual", ".transformer", ".safetensors", ".training"), opinions_of),
}  # fmt: skip


# ---- what differs


def differences(old: dict[str, Any], new: dict[str, Any], past: dict[str, Any]) -> Iterator[str]:
    """Sentences about everything that is not as it was; `past` is how the files of the record are read now."""
    for title, kind in (("names", "gridlab."), ("help", "gridlab ")):
        for name, was, now in _pairs(old[title], new[title]):
            yield f"{kind}{name} {_changed(was, now)}"
    if old["api"] != new["api"]:
        yield f"the web API {_changed(chr(10).join(old['api']), chr(10).join(new['api']))}"
    for line, was, now in _pairs(old["runs"], new["runs"]):
        if was is None or now is None:
            yield f"`{line}` {'is run only now' if was is None else 'is no longer run'}"
            continue
        if was["code"] != now["code"]:
            yield f"`{line}` ended with {was['code']} and ends with {now['code']}: {now['err'][-300:].strip()}"
        for stream, each in (("out", "stdout"), ("err", "stderr")):
            if was[stream] != now[stream]:
                yield f"{each} of `{line}` {_changed(was[stream], now[stream])}"
        for name, before, after in _pairs(was["files"], now["files"]):
            said = _file(name, before, after, old["contents"].get(name), new["contents"].get(name))
            if said:
                yield f"{name}, of `{line}`, {said}"
    for name, was, now in _pairs(old["contents"], new["contents"]):
        if not alike(was, now):
            yield f"{name} holds other values than before: {_which(was, now)}"
    for name, was in old["contents"].items():
        if not alike(was, past.get(name)):
            yield f"{name} of the record is not read as it was: {_which(was, past.get(name))}"


def _pairs(old: dict[str, Any], new: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    return ((name, old.get(name), new.get(name)) for name in {**old, **new} if old.get(name) != new.get(name))


def _changed(was: str | None, now: str | None) -> str:
    if was is None or now is None:
        return "is new" if was is None else "is gone"
    shown = [
        line
        for line in difflib.unified_diff(was.splitlines(), now.splitlines(), lineterm="", n=0)
        if not line.startswith(("---", "+++", "@@"))
    ]
    more = f"\n    and {len(shown) - 6} lines more" if len(shown) > 6 else ""
    return "differs:" + "".join(f"\n    {line[:240]}" for line in shown[:6]) + more


def _file(name: str, before: str | None, after: str | None, was: Any, now: Any) -> str:
    if name.endswith(SIDECARS):
        return ""
    if before is None or after is None:
        return "is new" if before is None else "is no longer written"
    if name.endswith(IN_ITS_OWN_WAY):
        return ""  # by its contents
    return "has other bytes" + (", but the same contents" if was is not None and alike(was, now) else "")


def alike(was: Any, now: Any) -> bool:
    """Equal; numbers, which only ONNX graphs have here, nearly."""
    if isinstance(was, dict) and isinstance(now, dict):
        return was.keys() == now.keys() and all(alike(was[key], now[key]) for key in was)
    if isinstance(was, list) and isinstance(now, list):
        return len(was) == len(now) and all(map(alike, was, now))
    if isinstance(was, float) and isinstance(now, float):
        return abs(was - now) <= CLOSE * max(1.0, abs(was))
    return bool(was == now)


def _which(was: Any, now: Any) -> str:
    if isinstance(was, dict) and isinstance(now, dict):
        return ", ".join(key for key in {**was, **now} if not alike(was.get(key), now.get(key)))
    return f"{str(was)[:200]} became {str(now)[:200]}"


def _cpu() -> float:
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n")[0], formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("record", "compare"))
    parser.add_argument("folder", type=Path, help="where the record is")
    asked = parser.parse_args()
    if any(os.environ.get(name) != value for name, value in AROUND.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | AROUND)
    sys.path.insert(0, str(ROOT))
    folder: Path = asked.folder.resolve()
    place = folder / "record.json"
    if asked.what == "record":
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / "files").exists():
            raise SystemExit(f"{folder} holds a record already; remove it, or name another folder")
        place.write_text(json.dumps(record(folder), indent=1))
        sys.stdout.write(f"recorded in {_cpu():.0f} s of CPU\n")
        return 0
    old = json.loads(place.read_text())
    with tempfile.TemporaryDirectory() as fresh:
        new = record(Path(fresh))
    said = list(differences(old, new, contents_in(folder / "files")))
    files = sum(len(each["files"]) for each in new["runs"].values())
    about = f"{len(new['names'])} names, {len(new['help'])} helps, {len(new['runs'])} commands, {files} files"
    sys.stdout.write("\n".join([*said, f"{about}, {_cpu():.0f} s of CPU: {len(said) or 'no'} differences", ""]))
    return int(bool(said))


if __name__ == "__main__":
    sys.exit(main())
