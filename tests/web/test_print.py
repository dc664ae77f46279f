"""Pages that are printed: nothing sticks out of an A4 page, questions stay whole, and pages are as many as needed."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from gridlab.arena.assess import mark_all
from gridlab.arena.printed import print_exam, write_page

MILLIMETRE = 96 / 25.4  # CSS pixels
WIDTH = 186  # of A4 between the margins of these pages, in millimetres

RIGHT_EDGE = """() => Math.max(document.documentElement.scrollWidth,
    ...[...document.querySelectorAll("td, th, figure, svg, p")].map(each => each.getBoundingClientRect().right))"""


def printed(browser: Browser, path: Path) -> tuple[float, int]:
    """Where the rightmost part of a page ends on paper, in millimetres, and how many sheets it takes."""
    page = browser.new_page(viewport={"width": round(WIDTH * MILLIMETRE), "height": 1000})
    try:
        page.emulate_media(media="print")
        page.goto(path.as_uri())
        edge = float(page.evaluate(RIGHT_EDGE)) / MILLIMETRE
        made = page.pdf(prefer_css_page_size=True)
        (width, height) = map(float, re.findall(rb"/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]", made)[0])
        assert (round(width), round(height)) == (595, 842)  # points: A4, upright
        return edge, len(re.findall(rb"/Type\s*/Page\b", made))
    finally:
        page.close()


@pytest.mark.parametrize(
    ("exam", "questions", "sheets"), [("tictactoe-v1", 16, 1), ("squava-v1", 9, 1), ("2048-3x3-v1", 13, 2)]
)
def test_sheets(exam: str, questions: int, sheets: int, browser: Browser, tmp_path: Path) -> None:
    print_exam(exam, tmp_path / "s.html", questions, tmp_path / "a.html")
    edge, pages = printed(browser, tmp_path / "s.html")
    assert edge <= WIDTH + 0.5
    assert pages == sheets
    edge, pages = printed(browser, tmp_path / "a.html")
    assert edge <= WIDTH + 0.5
    assert pages == 1


@pytest.mark.parametrize("exam", ["squava-v1", "2048-3x3-v1"])
def test_marks(exam: str, browser: Browser, tmp_path: Path) -> None:
    """All columns are on the paper, and each person begins on a new sheet."""
    (tmp_path / "class.csv").write_text("question,Ann,Ben\n1,11,up\n2,12,down\n")
    write_page(tmp_path / "m.html", mark_all(exam, tmp_path / "class.csv"))
    edge, pages = printed(browser, tmp_path / "m.html")
    assert edge <= WIDTH + 0.5
    assert pages >= 3
