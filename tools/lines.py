"""The source in figures: files, lines of code, imports, long functions, functions of many branches.

python tools/lines.py                    of this working copy
python tools/lines.py --against v1.0.0   beside those of another revision, which git reads
python tools/lines.py --json             for programs

A line of code is one that is not blank, comment or docstring; a file without any does not count. Branches are if, for,
while, with, except, case, the loops and conditions of comprehensions, and every `and` and `or`. Kernels, which numba
compiles, are as long as what they compute; they are left out where functions are judged.
"""

import argparse
import ast
import io
import json
import subprocess
import sys
import tarfile
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median_high
from typing import Any

ROOT = Path(__file__).parent.parent
PACKAGE = "src/gridlab"
SHORT = 60  # lines of code of a file that may have a better home in another
MANY = 12  # branches of a function
KERNELS = {"kernel", "inner", "intrinsic", "overload"}  # decorators
LONGEST = 10  # functions listed
NO_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
CHOICES = (
    ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.match_case, ast.ExceptHandler,
)  # fmt: skip
Def = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Function:
    """A function that is no kernel: where it stands, its lines of code, its branches."""

    name: str
    lines: int
    branches: int


@dataclass(frozen=True)
class Module:
    """A file of the package."""

    name: str
    lines: int
    import_lines: int
    imported: frozenset[str]  # whatever is named by imports, module or not
    functions: tuple[Function, ...]

    @classmethod
    def read(cls, path: str, text: str) -> "Module":
        tree = ast.parse(text)
        code = code_lines(text, tree)
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        of_imports = {line for node in imports for line in _span(node)} & code
        name = ".".join(Path(path).with_suffix("").parts[1:]).removesuffix(".__init__")
        found = tuple(_functions(tree, path.removeprefix(f"{PACKAGE}/"), code))
        return cls(name, len(code), len(of_imports), frozenset(_named(imports)), found)


def code_lines(text: str, tree: ast.Module) -> set[int]:
    """Numbers of the lines that are neither blank nor comment nor docstring."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | Def) and ast.get_docstring(node, clean=False) is not None:
            lines -= set(_span(node.body[0]))
    return lines


def _span(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _named(imports: list[ast.Import | ast.ImportFrom]) -> Iterator[str]:
    """What imports name; an import with dots in front is none of this package."""
    for node in imports:
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif node.module:
            yield from (f"{node.module}.{each.name}" for each in node.names)


def _functions(tree: ast.AST, prefix: str, code: set[int]) -> Iterator[Function]:
    """All that are no kernels, with those inside others."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Def):
            if not any(ast.unparse(each).split("(")[0] in KERNELS for each in node.decorator_list):
                branches = sum(_weight(each) for each in ast.walk(node))
                yield Function(f"{prefix} {node.name}", len(code & set(_span(node))), branches)
                yield from _functions(node, prefix, code)
        else:
            yield from _functions(node, prefix, code)


def _weight(node: ast.AST) -> int:
    """How many branches one node of a function adds."""
    match node:
        case ast.comprehension():
            return 1 + len(node.ifs)
        case ast.BoolOp():
            return len(node.values) - 1
    return int(isinstance(node, CHOICES))


def importers(modules: list[Module]) -> Counter[str]:
    """By how many other modules each is imported."""
    known = {each.name for each in modules}
    found: Counter[str] = Counter()
    for each in modules:
        homes = {name if name in known else name.rpartition(".")[0] for name in each.imported}
        found.update((homes & known) - {each.name})
    return found


def figures(texts: dict[str, str]) -> dict[str, Any]:
    """Everything that is counted of files, given with their paths."""
    everything = [Module.read(path, text) for path, text in texts.items()]
    modules = [each for each in everything if each.lines]
    lines = {each.name: each.lines for each in modules}
    total, of_imports = sum(lines.values()), sum(each.import_lines for each in modules)
    counted = importers(everything)
    once = [name for name in lines if counted[name] == 1]
    functions = [function for each in modules for function in each.functions]
    by_length = sorted(functions, key=lambda each: (-each.lines, each.name))
    by_branches = sorted(functions, key=lambda each: (-each.branches, each.name))
    longest = max(modules, key=lambda each: each.lines)
    return {
        "files": len(modules),
        "lines": total,
        "import_lines": of_imports,
        "import_share": round(of_imports / total, 4),
        "median_file": median_high(lines.values()),
        "longest_file": longest.lines,
        "longest_file_name": longest.name,
        "short_files": sum(each < SHORT for each in lines.values()),
        "imported_once": len(once),
        "imported_once_lines": sum(lines[name] for name in once),
        "many_branches": sum(each.branches > MANY for each in functions),
        "branchy": {each.name: each.branches for each in by_branches if each.branches > MANY},
        "longest": {each.name: each.lines for each in by_length[:LONGEST]},
        "names_imported_once": sorted(once),
    }


def here() -> dict[str, str]:
    """The files of this working copy."""
    return {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in sorted((ROOT / PACKAGE).rglob("*.py"))}


def at(revision: str) -> dict[str, str]:
    """The files of another revision."""
    done = subprocess.run(
        ["git", "archive", "--format=tar", revision, PACKAGE], cwd=ROOT, capture_output=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"git does not read {revision}: {done.stderr.decode().strip()}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        found = {each.name: archive.extractfile(each) for each in archive if each.name.endswith(".py")}
        return {name: file.read().decode() for name, file in sorted(found.items()) if file is not None}


SHOWN = {
    "files": "files with code",
    "lines": "lines of code",
    "import_lines": "lines of imports",
    "import_share": "imports, share of code",
    "median_file": "median file, lines",
    "longest_file": "longest file, lines",
    "short_files": f"files below {SHORT} lines",
    "imported_once": "modules that one other imports",
    "imported_once_lines": "lines of these",
    "many_branches": f"functions with more than {MANY} branches",
}


def _shown(key: str, value: float) -> str:
    return f"{value:.1%}" if key == "import_share" else f"{value:,}"


def _row(text: str, *cells: str) -> str:
    return text.ljust(max(map(len, SHOWN.values()))) + "".join(cell.rjust(12) for cell in cells)


def told(now: dict[str, Any], before: dict[str, Any] | None, revision: str) -> str:
    """The figures as a table, then the functions by name."""
    if before is None:
        rows = [_row(text, _shown(key, now[key])) for key, text in SHOWN.items()]
    else:
        rows = [_row("", revision[:10], "now", "of before")] + [
            _row(text, _shown(key, before[key]), _shown(key, now[key]), f"{now[key] / (before[key] or 1):.3f}")
            for key, text in SHOWN.items()
        ]
    parts = ["\n".join(rows), f"longest file: {now['longest_file_name']}"]
    for key, title in (("longest", "longest functions, in lines"), ("branchy", "functions with most branches")):
        listed = "\n".join(f"  {count:4d}  {name}" for name, count in now[key].items())
        parts.append(f"{title}, kernels left out:\n{listed}")
    return "\n\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n")[0], formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--against", metavar="REVISION", help="compare with a revision of git")
    parser.add_argument("--json", action="store_true", help="as one line of JSON")
    asked = parser.parse_args()
    now = figures(here())
    before = figures(at(asked.against)) if asked.against else None
    if asked.json:
        text = json.dumps(now if before is None else {"now": now, asked.against: before})
    else:
        text = told(now, before, asked.against or "")
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
