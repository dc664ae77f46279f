"""Would the tests notice? Single tokens of the source are changed at random, and the tests of the module must fail.

python tools/mutants.py --number 100 --seed 1     draws a hundred, runs the tests of each, says which are caught
python tools/mutants.py --number 20 --list        shows them and the tests that would run, runs nothing

A mutant is one comparison, arithmetic or boolean operator, whole number, True, False or `not` that is another, in a
copy of the package; its number and --seed decide which. Tests are those whose path mirrors that of the module, then
those that import it, then those of its folder: the first that fails has caught it. So has a test that does not end.
What is done stands in mutants.jsonl, and the same command goes on after the last one. Exit code 1 if any survives.
"""

import argparse
import ast
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
SOURCE, TESTS = ROOT / "src" / "gridlab", ROOT / "tests"
EVERYWHERE = ("attacks", "cluster", "web")  # tests of much at once, too slow for modules that they import in passing
INSTEAD = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "+": "-", "-": "+", "*": "//", "//": "*", "/": "*", "%": "//", "**": "*",
    "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "&",
    "and": "or", "or": "and", "True": "False", "False": "True", "not": "",
}  # fmt: skip
TWO_WORDS = {
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}


class Site(NamedTuple):
    """A token that can be another: where it stands in the text, and what could stand there."""

    begin: int
    end: int
    instead: str


class Mutant(NamedTuple):
    """A change of one token of a file."""

    file: str
    line: int
    text: str  # the whole changed file
    told: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.told}"


# ---- sites


class Finder(ast.NodeVisitor):
    """The sites of a file; annotations and f-strings, whose parts have no places of their own, are left alone."""

    def __init__(self, text: str) -> None:
        self.sites: list[Site] = []
        starts, at = [], 0
        for line in text.splitlines(keepends=True):
            starts.append((at, line))
            at += len(line)
        self._starts = starts
        self._tokens = [
            (self._of_token(*token.start), self._of_token(*token.end), token.string)
            for token in tokenize.generate_tokens(io.StringIO(text).readline)
            if token.type in (tokenize.OP, tokenize.NAME)
        ]
        self.visit(ast.parse(text))

    def _of_token(self, row: int, col: int) -> int:
        return self._starts[row - 1][0] + col if row <= len(self._starts) else 1 << 60

    def _of_node(self, row: int, col: int) -> int:
        """The place of a character; ast counts bytes."""
        begin, line = self._starts[row - 1]
        return begin + len(line.encode()[:col].decode())

    def begin(self, node: ast.expr) -> int:
        return self._of_node(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt) -> int:
        return self._of_node(node.end_lineno or 0, node.end_col_offset or 0)

    def _between(self, low: int, high: int, words: str, instead: str) -> None:
        """The operator in a stretch of text that holds nothing else but brackets."""
        parts = words.split()
        found = [each for each in self._tokens if low <= each[0] and each[1] <= high and each[2] in parts]
        if len(found) == len(parts):
            self.sites.append(Site(found[0][0], found[-1][1], instead))

    def visit_Compare(self, node: ast.Compare) -> None:
        places = [node.left, *node.comparators]
        for operator, left, right in zip(node.ops, places, places[1:], strict=False):
            sign = TWO_WORDS.get(type(operator)) or (SIGNS[type(operator)], INSTEAD[SIGNS[type(operator)]])
            self._between(self.end(left), self.begin(right), *sign)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        sign = SIGNS.get(type(node.op), "")
        if sign in INSTEAD:
            self._between(self.end(node.left), self.begin(node.right), sign, INSTEAD[sign])
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        sign = SIGNS.get(type(node.op), "")
        if sign in INSTEAD:
            self._between(self.end(node.target), self.begin(node.value), f"{sign}=", f"{INSTEAD[sign]}=")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        word = "and" if isinstance(node.op, ast.And) else "or"
        for left, right in zip(node.values, node.values[1:], strict=False):
            self._between(self.end(left), self.begin(right), word, INSTEAD[word])
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._between(self.begin(node), self.begin(node.operand), "not", "")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        begin, end = self.begin(node), self.end(node)
        if isinstance(node.value, bool):
            self.sites.append(Site(begin, end, str(not node.value)))
        elif isinstance(node.value, int):
            self.sites.append(Site(begin, end, str(node.value + 1)))
            if node.value == 1:
                self.sites.append(Site(begin, end, "0"))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Nothing inside."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for each in (*node.args.defaults, *node.args.kw_defaults, *node.body):
            if each is not None:
                self.visit(each)

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test) != "TYPE_CHECKING":
            self.generic_visit(node)


SIGNS: dict[type, str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Div: "/", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip


def drawn(seed: int, number: int, sites: Sequence[tuple[Path, Site]]) -> Mutant:
    """One mutant, by its number."""
    path, site = random.Random(f"{seed} {number}").choice(sites)
    text = path.read_text("utf-8")
    changed = text[: site.begin] + site.instead + text[site.end :]
    compile(changed, str(path), "exec")
    line = text.count("\n", 0, site.begin)
    after = changed.split("\n")[line].strip()
    told = f"{text[site.begin : site.end]} -> {site.instead or 'nothing'} in {after}"
    return Mutant(str(path.relative_to(SOURCE)), line + 1, changed, told)


def every_site() -> list[tuple[Path, Site]]:
    """All of the package."""
    paths = sorted(SOURCE.rglob("*.py"))
    return [(path, site) for path in paths for site in Finder(path.read_text("utf-8")).sites]


# ---- tests


def tests_of(file: str) -> list[list[str]]:
    """The tests of a module in the order in which they are run: its own, those that import it, those of its folder."""
    path = Path(file)
    name = path.parent.name if path.stem == "__init__" else path.stem
    home = TESTS / path.parent
    if home == TESTS:
        own = [TESTS / "test_api.py", TESTS / "cli" / "test_cli.py"]
    elif path.stem == "__init__":
        own = [*home.glob("test_*.py")]
    else:
        own = [*home.glob(f"test_{name}.py"), *home.glob(f"{name}/**/test_*.py")]
    module = ".".join(["gridlab", *path.with_suffix("").parts]).removesuffix(".__init__")
    package, _, last = module.rpartition(".")
    imports = re.compile(rf"^\s*(?:from {module} import|import {module}\b|from {package} import .*\b{last}\b)", re.M)
    naming = [each for each, text in every_test() if imports.search(text)]
    while not list(home.glob("test_*.py")) and home != TESTS:
        home = home.parent
    around = home.glob("test_*.py") if home != TESTS else (TESTS / "cli").glob("test_*.py")
    stages: list[list[str]] = []
    for stage in (own, naming, around):
        known = {each for group in stages for each in group}
        stages.append(sorted({str(each.relative_to(ROOT)) for each in stage} - known))
    return [stage for stage in stages if stage]


@cache
def every_test() -> list[tuple[Path, str]]:
    """All tests but those of EVERYWHERE, with their texts."""
    paths = [each for each in TESTS.rglob("test_*.py") if each.relative_to(TESTS).parts[0] not in EVERYWHERE]
    return [(path, path.read_text("utf-8")) for path in sorted(paths)]


def examined(mutant: Mutant, cache: Path, seconds: float) -> dict[str, Any]:
    """Run the tests of a mutant in a copy of the package: how it ended, and what told."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "gridlab"
        shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        (copy / mutant.file).write_text(mutant.text, "utf-8")
        ended, test = "survived", ""
        for stage in tests_of(mutant.file):
            ended, test = tested(stage, Path(folder), cache, seconds)
            if ended != "survived":
                break
    return {"ended": ended, "test": test, "seconds": round(time.monotonic() - begun, 1)}


def tested(tests: Sequence[str], folder: Path, cache: Path, seconds: float) -> tuple[str, str]:
    """Whether tests fail with the package in a folder, and which does first."""
    around = os.environ | {"PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(cache)}
    words = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not long"]
    with subprocess.Popen(
        [*words, *tests], cwd=ROOT, env=around, text=True, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as run:  # fmt: skip
        try:
            said = run.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            run.communicate()
            return "late", ""
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", said, re.MULTILINE)
    if run.returncode in (0, 5):  # 5: nothing was collected
        return "survived", ""
    return "caught", failed[1] if failed else said.strip().rpartition("\n")[2][:200]


def furnished(cache: Path) -> Path:
    """A cache of kernels of its own, with those that are compiled already: a mutant's must not push out others."""
    if not cache.exists():
        told = subprocess.run([sys.executable, "-m", "gridlab", "doctor"], capture_output=True, text=True, check=False)
        found = re.search(r"^compiled kernels: .* in (.*), ", told.stdout, re.MULTILINE)
        if found and Path(found[1]).is_dir():
            shutil.copytree(found[1], cache)
    return cache


def run(mutants: Sequence[tuple[int, Mutant]], folder: Path, seed: int, seconds: float) -> list[dict[str, Any]]:
    """Examine what is not in the journal yet; everything that is known of these mutants."""
    folder.mkdir(parents=True, exist_ok=True)
    journal, cache = folder / "mutants.jsonl", furnished(folder / "kernels")
    lines = journal.read_text().splitlines() if journal.exists() else []
    known = {(each["seed"], each["number"], each["mutant"]): each for each in map(json.loads, lines)}
    found = []
    for number, mutant in mutants:
        row = known.get((seed, number, str(mutant)))
        if row is None:
            row = {"seed": seed, "number": number, "mutant": str(mutant), **examined(mutant, cache, seconds)}
            with journal.open("a") as file:
                file.write(json.dumps(row) + "\n")
        sys.stdout.write(f"{row['ended']:9}{row['seconds']:6.0f} s  {mutant}\n")
        sys.stdout.flush()
        found.append(row)
    return found


def summary(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """How many were caught, by package."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        counts.setdefault(row["mutant"].partition("/")[0], Counter())[row["ended"]] += 1
    for package, count in sorted(counts.items()):
        yield f"{package:14}{count.total() - count['survived']:4} of {count.total():4}"
    caught = sum(row["ended"] != "survived" for row in rows)
    yield f"{'caught':14}{caught:4} of {len(rows):4}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n")[0], formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--number", type=int, default=100, help="how many mutants")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=900, metavar="S", help="the most that tests may take")
    parser.add_argument("--folder", type=Path, default=Path("mutants"), help="where the journal is, and kernels")
    parser.add_argument("--list", action="store_true", help="show mutants and their tests, run nothing")
    asked = parser.parse_args()
    sites = every_site()
    mutants = [(number, drawn(asked.seed, number, sites)) for number in range(asked.number)]
    if asked.list:
        for number, mutant in mutants:
            stages = "; ".join(" ".join(stage) for stage in tests_of(mutant.file))
            sys.stdout.write(f"{number:4} {mutant}\n     {stages}\n")
        return 0
    rows = run(mutants, asked.folder.resolve(), asked.seed, asked.timeout)
    sys.stdout.write("\n".join(["", *summary(rows), ""]))
    return int(any(row["ended"] == "survived" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
