"""The pictures of the web lab in README and docs: a server with some data, a browser, one picture a page.

python tools/screenshots.py              makes docs/images/web-*.png; needs Chromium
"""

import argparse
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

IMAGES = Path(__file__).parent.parent / "docs" / "images"
MADE = (
    "tablebase build 4x4:3 -o tables/4x4-3.tb",
    "terminals build 4x4:4 -o wins/4x4",
    "2048 generate -g 12 -d 2 --seed 1 -o games/train.jsonl",
    "match heuristic mcts --game tictactoe4 --games 12 --out games/match.jsonl",
    "tournament random heuristic mcts 'alpha-beta depth=2' --game tictactoe4 --games 40 --openings random:2 -o cup",
    "train 2048 --rules 2048:3x3 --games 20000 --workers 1 -o nets/three.ntuple",
)
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
COLOURS = 256  # of a picture; flat pages need no more
GAME = "board?game=squava&moves=12.24.43.23.33.34&x=you&o=you&seed=1"


def nothing(page: Any) -> None:
    pass


def best_line(page: Any) -> None:
    page.get_by_role("button", name="Hint").click()
    page.wait_for_timeout(700)
    page.locator(".cell.best").first.hover()
    page.wait_for_timeout(700)


def some_moves(page: Any) -> None:
    page.get_by_role("button", name="Values").click()
    page.get_by_label("Speed of autoplay").select_option("fast")
    page.get_by_role("button", name="Autoplay").click()
    page.wait_for_timeout(9000)
    page.get_by_role("button", name="Pause").click()


def values_on(page: Any) -> None:
    page.get_by_role("button", name="Values", exact=True).click()
    page.wait_for_timeout(3000)


def answered(page: Any) -> None:
    page.locator(".cell[aria-disabled='false']").first.click()
    page.wait_for_timeout(1500)


def match_and_grade(page: Any) -> None:
    match, grade = (page.get_by_role("region", name=name, exact=True) for name in ("Match", "Grade"))
    match.get_by_role("combobox", name="Game", exact=True).select_option("tictactoe")
    match.get_by_role("combobox", name="B", exact=True).select_option("random")
    match.get_by_role("button", name="Play the match").click()
    grade.get_by_role("button", name="Grade it").click()
    match.get_by_text("100 games").wait_for()
    grade.get_by_text("keep the value").wait_for()


class Shot(NamedTuple):
    """A picture to take."""

    name: str
    address: str
    width: int = 1200
    height: int = 830
    scheme: str = "light"
    act: Callable[[Any], None] = nothing


SHOTS = (
    Shot("web-board", GAME, height=860),
    Shot(
        "web-board-dark",
        "board?game=tictactoe&moves=22.12.11.33.21.23.31&x=you&o=perfect+errs%3D0.2&seed=1",
        scheme="dark",
    ),
    Shot("web-line", GAME, act=best_line, scheme="dark"),
    Shot("web-2048", "2048?seed=5", height=900, act=some_moves),
    Shot("web-puzzle", "puzzles?game=squava&level=2&number=17", act=answered),
    Shot("web-arena", "arena", height=1180, act=match_and_grade),
    Shot("web-data", "data?file=wins/4x4"),
    Shot("web-tournament", "data?file=cup", height=1180),
    Shot("web-learning", "data?file=nets/three.ntuple", height=1000, scheme="dark"),
    Shot("web-narrow", GAME, 390, 844),
    Shot("web-narrow-2048", "2048?seed=5", 390, 844, "dark", values_on),
)


@contextmanager
def server(folder: Path) -> Iterator[str]:
    for command in MADE:
        words = [sys.executable, "-m", "gridlab", *shlex.split(command), "--quiet"]
        subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    words = [sys.executable, "-m", "gridlab", "serve", "--port", "0", "--folder", str(folder)]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    found = re.search(r"http://\S+", process.stderr.readline())
    assert found
    try:
        yield found.group(0)
    finally:
        process.terminate()
        process.wait()


def take(browser: Any, address: str, shot: Shot, path: Path) -> None:
    size = {"width": shot.width, "height": shot.height}
    context = browser.new_context(viewport=size, color_scheme=shot.scheme)
    page = context.new_page()
    page.goto(f"{address}#/{shot.address}")
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(2500)
    shot.act(page)
    page.wait_for_timeout(800)
    page.screenshot(path=path)
    context.close()


def shrink(path: Path) -> None:
    """Fewer colours, well packed."""
    from PIL import Image

    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(COLOURS)
    small.save(path, optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="The pictures of the web lab.")
    parser.add_argument("--out", type=Path, default=IMAGES)
    parser.add_argument("--only", default="", help="pictures whose name holds this")
    chosen = parser.parse_args()
    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    if chromium is None:
        sys.exit("there is no Chromium here; apt-get install chromium gives one")
    chosen.out.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="lab") as folder,
        server(Path(folder)) as address,
        sync_playwright() as play,
    ):
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for shot in SHOTS:
            if chosen.only in shot.name:
                take(browser, address, shot, chosen.out / f"{shot.name}.png")
                shrink(chosen.out / f"{shot.name}.png")
        browser.close()


if __name__ == "__main__":
    main()
