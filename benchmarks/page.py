"""Runs the benchmarks and writes docs/benchmarks.md: claims as ratios, pictures, and what every script prints.

python benchmarks/page.py                  everything, about three quarters of an hour on a quiet machine
python benchmarks/page.py claims web       these parts alone; the others stay as they were measured
python benchmarks/page.py --page           the page alone, from what was measured before

What was measured is kept in docs/benchmarks.json; the page is made from it and nothing else.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tqdm import tqdm

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
RESULTS, PAGE = DOCS / "benchmarks.json", DOCS / "benchmarks.md"
PARTS = {
    "claims": ("claims.py", "gridlab beside other packages and its reference implementations"),
    "shapes": ("shapes.py", "Time against size, strength against time"),
    "census": ("census.py", "Counting positions"),
    "terminals": ("terminals.py", "Terminal wins of 5×5"),
    "tablebase": ("tablebase.py", "Tablebases of in-a-row games"),
    "search": ("search.py", "Exact search, proof-number search, Monte Carlo tree search"),
    "environments": ("environments.py --alone", "Environments"),
    "game2048": ("game2048.py", "Players of 2048"),
    "datasets2048": ("datasets2048.py", "Datasets of 2048 games"),
    "exact2048": ("exact2048.py", "Small boards of 2048, solved"),
    "ntuple": ("ntuple.py", "Learning n-tuple networks"),
    "dqn": ("dqn.py", "Learning Squava"),
    "startup": ("startup.py --no-cold", "From the command to the first answer"),
    "web": ("web.py", "The web lab under load"),
    "scale": ("scale.py", "Workers and clusters"),
}
TOP = """# Benchmarks

Every claim of speed is a ratio: to a package that does the same, or to the
[reference implementation](glossary.md#reference-implementation) of the [kernel](glossary.md#kernel), plain Python that
says what the kernel must do. All contenders of a claim take turns in one process, on one core, in CPU time, and each is
credited with its best of three rounds. Below the table stands what each script prints, in absolute figures.
`make bench` measures everything on your machine and writes this page; `python benchmarks/page.py NAME` measures one
part again.

Other pages quote figures too, each with its command and its machine, mostly an AMD EPYC that others used at the same
time. Ratios hold from one machine to another, more or less; absolute figures do not.

"""


def measure(name: str) -> dict[str, Any]:
    """Run one script; what it prints, and when and where that was."""
    script, _ = PARTS[name]
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        figures = Path(folder) / "figures.json"
        more = ["--json", str(figures)] if name == "claims" else []
        begun = time.perf_counter()
        done = subprocess.run(
            [sys.executable, HERE / script.split()[0], *script.split()[1:], *more],
            stdout=subprocess.PIPE, text=True, check=True, cwd=folder,
        )  # fmt: skip
        found: dict[str, Any] = {
            "date": datetime.now(UTC).date().isoformat(),
            "machine": machine(),
            "load": round(load, 1),
            "seconds": round(time.perf_counter() - begun),
            "printed": done.stdout,
        }
        return found | (json.loads(figures.read_text()) if more else {})


def machine() -> str:
    """The processor, its cores, the system and Python, in a line."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    processor = names[0] if names else platform.processor() or platform.machine()
    return f"{processor}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def page(results: dict[str, Any]) -> str:
    """The page, from what was measured."""
    parts = [TOP]
    for name, (script, title) in PARTS.items():
        if name in results:
            parts.append(f"## {title}\n\n{body(name, results[name])}{origin(script, results[name])}\n")
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def body(name: str, found: dict[str, Any]) -> str:
    if name == "claims":
        return table(found["rates"])
    pictures = "![Time against size](images/bench-size.png)\n\n![Strength against time](images/bench-strength.png)\n\n"
    return f"{pictures if name == 'shapes' else ''}```text\n{found['printed'].rstrip()}\n```\n\n"


def table(rates: list[dict[str, Any]]) -> str:
    """Claims in rows, a contender each."""
    lines = ["| what | by | per CPU second | gridlab to this |", "|---|---|---:|---:|"]
    named = ""
    for rate in rates:
        what = f"**{rate['claim']}**, {rate['unit']}" if rate["claim"] != named else ""
        named = rate["claim"]
        ratio = "" if what else f"{short(rate['ratio'])} ×"
        lines.append(f"| {what} | {rate['by']} | {short(rate['per_second'])} | {ratio} |")
    return "\n".join(lines) + "\n\n"


def short(number: float) -> str:
    """A number with three digits that count."""
    if number >= 1e6:
        return f"{number / 1e6:,.3g} million" if number < 1e9 else f"{number / 1e6:,.0f} million"
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def origin(script: str, found: dict[str, Any]) -> str:
    """How, when and where it was measured."""
    used = ", ".join(f"{name} {version}" for name, version in found.get("versions", {}).items())
    return (
        f"`python benchmarks/{script}`, {found['date']}, {found['seconds']} s, {found['machine']}"
        f"{'; ' + used if used else ''}; load before it began {found['load']}.\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--page", action="store_true", help="measure nothing")
    chosen = parser.parse_args()
    if unknown := [name for name in chosen.parts if name not in PARTS]:
        parser.error(f"there is no part {unknown[0]}; the parts are {', '.join(PARTS)}")
    results: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name in [] if chosen.page else tqdm(chosen.parts or list(PARTS), unit="script", disable=None):
        results[name] = measure(name)
        RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    PAGE.write_text(page(results))


if __name__ == "__main__":
    main()
