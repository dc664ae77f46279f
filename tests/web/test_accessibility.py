"""axe-core finds nothing serious, light and dark."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.conftest import in_long_runs

pytestmark = pytest.mark.compiled

PAGES = {
    "board": "board?game=tictactoe&moves=22.12&x=you&o=you",
    "over": "board?game=tictactoe&moves=22.12.11.33.21.31.23&x=you&o=perfect",
    "2048": "2048?seed=7",
    "arena": "arena",
    "data": "data?file=wins",
    "tablebase": "data?file=tables/tictactoe.tb",
    "games": "data?file=games/train.jsonl",
    "tournament": "data?file=cup",
    "puzzles": "puzzles",
    "about": "about",
}
ALWAYS = ("label-content-name-mismatch", "empty-table-header", "landmark-unique")  # findings of any impact
RULES = {"rules": {name: {"enabled": True} for name in ALWAYS}}  # one of them is an experiment of axe's


@pytest.mark.parametrize("scheme", [*in_long_runs("light"), "dark"])
@pytest.mark.parametrize(
    "name",
    ["board", "2048", "arena", "data", "tournament", "puzzles", *in_long_runs("over", "tablebase", "games", "about")],
)
def test_no_serious_finding(page: Page, name: str, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto(f"/#/{PAGES[name]}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(300)
    found = Axe().run(page, options=RULES)
    serious = [
        (each["id"], each["help"], each["nodes"][0]["html"][:200], each["nodes"][0].get("failureSummary", "")[:300])
        for each in found.response["violations"]
        if each["impact"] in ("serious", "critical") or each["id"] in ALWAYS
    ]
    assert not serious
