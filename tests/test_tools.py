"""The instruments in tools/ that count and compare the source."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = '''"""What it is for."""

import ast  # a comment
from gridlab.b import (
    one,
    two,
)


def plain(x):
    """Two lines
    of words."""
    with open(x) as file:
        return [y for y in file if y and x] if x else None


@kernel
def fast(x):
    # nothing but a comment
    return """
text"""
'''


TOKENS = """def f(x: int = 3, *, y: bool = False) -> int:
    if not x <= 1 and y is not None:
        x -= (2) * (x + 0)
    return f"{x + 1}" or [i for i in "é" if i not in "+"] or (x
        == 7)
"""


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT / "tools")
    return import_module("lines")


def test_lines_of_code_are_counted_without_words_about_it(lines: Any) -> None:
    texts = {"src/gridlab/a.py": SOURCE, "src/gridlab/b.py": "one = two = 3\n", "src/gridlab/__init__.py": "# none\n"}
    found = lines.figures(texts)
    assert (found["files"], found["lines"], found["import_lines"]) == (2, 13, 5)
    assert (found["longest_file"], found["longest_file_name"]) == (12, "gridlab.a")
    assert found["names_imported_once"] == ["gridlab.b"]
    assert found["longest"] == {"a.py plain": 3}, "a kernel is left out"
    assert lines.Module.read("src/gridlab/a.py", SOURCE).functions[0].branches == 5


def test_a_revision_is_read_as_files_are(lines: Any) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a working copy of git")
    before = lines.at("HEAD")
    assert before.keys() >= {"src/gridlab/__init__.py", "src/gridlab/__main__.py"}
    assert lines.figures(before)["lines"] > 0
    with pytest.raises(SystemExit, match="git does not read nothing-of-the-kind"):
        lines.at("nothing-of-the-kind")


def test_a_mutant_is_one_token_and_still_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    finder = import_module("mutants").Finder(TOKENS)
    assert {(TOKENS[site.begin : site.end], site.instead) for site in finder.sites} == {
        ("3", "4"), ("False", "True"), ("not", ""), ("<=", "<"), ("1", "2"), ("1", "0"), ("and", "or"),
        ("is not", "is"), ("-=", "+="), ("2", "3"), ("*", "//"), ("+", "-"), ("0", "1"), ("or", "and"),
        ("not in", "in"), ("==", "!="), ("7", "8"),
    }  # fmt: skip
    for site in finder.sites:
        compile(TOKENS[: site.begin] + site.instead + TOKENS[site.end :], "mutant", "exec")


def test_every_module_has_tests_that_mirror_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    mutants = import_module("mutants")
    sites = mutants.every_site()
    drawn = [mutants.drawn(0, number, sites) for number in range(50)]
    assert len({str(each) for each in drawn}) > 45
    assert str(mutants.drawn(0, 7, sites)) == str(drawn[7])
    for path in sorted((ROOT / "src" / "gridlab").rglob("*.py")):
        stages = mutants.tests_of(str(path.relative_to(ROOT / "src" / "gridlab")))
        assert stages, path
        assert all((ROOT / test).exists() for stage in stages for test in stage)


def test_what_mutants_are_caught_is_kept_and_not_asked_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    mutants = import_module("mutants")
    asked = []

    def examined(mutant: Any, *_: object) -> dict[str, object]:
        asked.append(mutant.line)
        return {"ended": "caught" if mutant.line == 1 else "survived", "test": "", "seconds": 2.0}

    monkeypatch.setattr(mutants, "examined", examined)
    monkeypatch.setattr(mutants, "furnished", lambda cache: cache)
    some = [(number, mutants.Mutant("core/bits.py", number, "", "1 -> 2")) for number in range(3)]
    mutants.run(some[:2], tmp_path, 5, 60.0)
    rows = mutants.run(some, tmp_path, 5, 60.0)
    assert asked == [0, 1, 2]
    assert list(mutants.summary(rows)) == ["core             1 of    3", "caught           1 of    3"]
    assert "survived" in capsys.readouterr().out


@pytest.fixture
def same(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT / "tools")
    return import_module("same")


def test_times_do_not_count_and_defaults_do(same: Any, tmp_path: Path) -> None:
    run = same.Run.__new__(same.Run)
    run.work = tmp_path
    text = f"seconds=10.0\n{tmp_path}/a, 1.5 s, 30 moves in 2 min, 1,234 a second, 5.1 games/s\n 3/20 [00:01, 2 it/s]\n"
    assert run._plain(text) == "seconds=10.0\nFOLDER/a, TIME, 30 moves in TIME, N a second, N games/s\n"
    assert run._plain('{"cpu_seconds": 1.25, "games": 3}') == '{"cpu_seconds": 0, "games": 3}'


def test_what_differs_is_said_in_sentences(same: Any) -> None:
    def state(**changed: Any) -> dict[str, Any]:
        usual = {
            "code": 0,
            "out": "a\nb",
            "err": "",
            "files": {"t.tb": "1", "t.csv": "2", "t.npz": "3", "g.index": "4"},
        }
        contents = {"t.tb": {"values": "5"}, "t.npz": {"x": "6"}, "n.onnx": {"numbers": [1.0]}}
        usual_names = {"solve": "function(a)"}
        found = {"names": usual_names, "help": {}, "api": ["{}"], "runs": {"census": usual}, "contents": contents}
        return found | changed

    old = state()
    assert list(same.differences(old, state(), old["contents"])) == []
    run = {"code": 2, "out": "a\nc", "err": "", "files": {"t.tb": "9", "t.csv": "9", "t.npz": "9", "new.csv": "9"}}
    new = state(
        names={"solve": "function(b)"},
        runs={"census": run},
        contents={"t.tb": {"values": "7"}, "t.npz": {"x": "6"}, "n.onnx": {"numbers": [1.00001]}},
    )
    assert list(same.differences(old, new, {**old["contents"], "t.tb": "CorruptFile"})) == [
        "gridlab.solve differs:\n    -function(a)\n    +function(b)",
        "`census` ended with 0 and ends with 2: ",
        "stdout of `census` differs:\n    -b\n    +c",
        "t.csv, of `census`, has other bytes",
        "t.npz, of `census`, has other bytes, but the same contents",
        "new.csv, of `census`, is new",
        "t.tb holds other values than before: values",
        "t.tb of the record is not read as it was: {'values': '5'} became CorruptFile",
    ]


def test_commands_are_run_by_one_worker_and_without_chance(same: Any) -> None:
    assert same.read_line("census 3x3:3 --json") == (["census", "3x3:3", "--json", "--workers", "1"], "")
    assert same.read_line("play tictactoe <<< 11; q") == (["play", "tictactoe"], "11\nq\n")
    words = ["tablebase", "sample", "t.tb", "--positions", "3", "-o", "a.parquet"]
    assert same.read_line(" ".join(words)) == ([*words, "--seed", "1"], "")
    assert same.read_line("$ cp a b") == (["$", "cp a b"], "")
    lines = list(same.lines())
    assert len(lines) == len(set(lines)) > 150
    for line in lines:
        same.read_line(line)


def test_a_signature_does_not_say_where_anything_lives(same: Any) -> None:
    found = same.names()
    assert found["Position.play"] == "function(self, move: int | str) -> 'Position'"
    assert found["make_player"].startswith("function(player: str | Player, rules: GameRules | str, tablebase: ")
    assert not [text for text in found.values() if "gridlab." in text or " at 0x" in text]


WALKS = {"tablebase build 3x3:3": "inarow/exact/tablebase/solve.py", "2048 generate -g 2 -d 2": "game2048/kernels.py",
         "a click on the board": "web/routes/inarow.py"}  # fmt: skip


@pytest.mark.compiled
@pytest.mark.parametrize("name", WALKS)
def test_a_way_through_the_package_stays_short(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    walks = import_module("walks")
    files = walks.walk(name)
    assert WALKS[name] in files
    assert len(files) <= walks.WALKS[name][1], f"{name} passes through {', '.join(files)}"
    assert WALKS.keys() == walks.WALKS.keys()
