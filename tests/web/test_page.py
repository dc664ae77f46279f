"""The page in a real browser: what a visitor does, and what is there to be seen."""

import re
import socket
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.conftest import in_long_runs
from tests.web.conftest import Server

pytestmark = pytest.mark.compiled


def cell(page: Page, number: int) -> Any:
    return page.locator(f".cell[data-cell='{number}']")


def turn_of_person(page: Page) -> None:
    expect(page.locator(".status")).to_contain_text(re.compile("Your move|wins|draw", re.IGNORECASE))


def test_a_full_game_against_perfect_is_not_won(page: Page) -> None:
    page.goto("/#/board?game=tictactoe&x=you&o=perfect&seed=3")
    for _ in range(5):
        turn_of_person(page)
        if "Your move" not in page.locator(".status").inner_text():
            break
        moves = page.locator(".strip button").count()
        page.locator(".cell[aria-disabled='false']").first.click()
        expect(page.locator(".strip button")).not_to_have_count(moves)
    expect(page.locator(".status")).to_contain_text(re.compile("O wins|A draw"))
    expect(page.get_by_role("region", name="Scorecard")).to_contain_text("decision")


def test_values_can_be_read_without_colour(page: Page) -> None:
    page.goto("/#/board?game=tictactoe&moves=22.12&x=you&o=you")
    expect(cell(page, 0).locator(".value")).to_have_text("W5")
    expect(cell(page, 0)).to_have_attribute("aria-label", re.compile("row 1 column 1, empty, W5, wins in 5 plies"))
    expect(page.get_by_role("region", name="Analysis")).to_contain_text("Exact, from the tablebase tictactoe.tb")
    cell(page, 0).hover()
    expect(page.locator(".line-text")).to_have_text(re.compile(r"^11 wins in 5 plies: 11 33 "))
    expect(cell(page, 0).locator(".ghost")).to_have_text("1")


def test_values_and_hints_stay_as_they_were_left(page: Page) -> None:
    page.goto("/#/board?game=tictactoe&moves=11&x=you&o=you")
    page.get_by_role("button", name="Hint").click()
    expect(cell(page, 4)).to_have_class(re.compile("best"))
    page.get_by_role("button", name="Values").click()
    expect(page.locator(".value")).to_have_count(0)
    page.reload()
    expect(page.get_by_role("button", name="Hint")).to_have_attribute("aria-pressed", "true")
    expect(cell(page, 4)).to_have_class(re.compile("best"))
    expect(page.locator(".value")).to_have_count(0)


def test_undo_redo_jump_and_the_strip(page: Page) -> None:
    page.goto("/#/board?game=tictactoe&x=you&o=you")
    strip = page.get_by_role("toolbar", name="Moves of the game")
    for number in (4, 1, 0, 8):
        cell(page, number).click()
        expect(cell(page, number)).to_have_attribute("aria-disabled", "true")
    expect(strip.get_by_role("button")).to_have_count(5)
    expect(strip.get_by_role("button", name=re.compile("blunder, a draw became a loss"))).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(cell(page, 8)).to_have_attribute("aria-disabled", "false")
    page.get_by_role("button", name="Redo").click()
    expect(cell(page, 8)).to_have_attribute("aria-disabled", "true")
    strip.get_by_role("button").nth(1).click()
    expect(cell(page, 1)).to_have_attribute("aria-disabled", "false")
    expect(cell(page, 4)).to_have_attribute("aria-disabled", "true")
    expect(strip.get_by_role("button")).to_have_count(5)


def test_undo_goes_back_to_the_persons_own_decision(page: Page) -> None:
    page.goto("/#/board?game=tictactoe&x=you&o=heuristic&seed=1")
    turn_of_person(page)
    cell(page, 0).click()
    expect(page.locator(".strip button")).to_have_count(3)
    turn_of_person(page)
    page.get_by_role("button", name="Undo").click()
    expect(cell(page, 0)).to_have_attribute("aria-disabled", "false")
    expect(page.locator(".status")).to_contain_text("Your move")


def asked_of(page: Page, part: str) -> list[str]:
    """The requests of a page that go to a part of the interface, from now on."""
    seen: list[str] = []
    page.on("request", lambda request: seen.append(request.url) if f"/api/v1{part}" in request.url else None)
    return seen


def test_a_click_is_one_request(page: Page) -> None:
    page.goto("/#/board?game=tictactoe&x=you&o=heuristic&seed=1")
    turn_of_person(page)
    page.get_by_role("button", name="Values").click()
    expect(page.locator(".cell .value")).to_have_count(9)
    seen = asked_of(page, "/")
    cell(page, 0).click()
    expect(page).to_have_url(re.compile(r"moves=11\.[1-3]{2}&"))
    expect(page.locator(".cell .value")).to_have_count(7)
    expect(page.get_by_role("toolbar", name="Moves of the game").get_by_role("button").last).to_contain_text(
        re.compile("[XOD]")
    )
    assert [url.rpartition("/api/v1")[2] for url in seen if "/line" not in url] == ["/play"]


def test_a_link_makes_the_position_again(page: Page, browser: Browser, server: Server) -> None:
    page.goto("/#/board?game=squava&x=you&o=you")
    for number in (12, 7):
        cell(page, number).click()
        expect(cell(page, number)).to_have_attribute("aria-disabled", "true")
    expect(page).to_have_url(re.compile("moves=33.23"))
    with browser.new_context(base_url=server.address) as context:
        other = context.new_page()
        other.goto(page.url)
        expect(cell(other, 7)).to_have_attribute("aria-label", re.compile("column 3, O"))
        expect(other.get_by_role("heading", level=1)).to_have_text("Squava")
        expect(cell(other, 1).locator(".value")).to_have_text("W20")


def test_setting_up_may_be_asked_for_before_the_server_has_answered(page: Page) -> None:
    held: list[Any] = []
    page.route("**/api/v1/play", lambda route: held.append(route))
    page.goto("/#/board?game=tictactoe&x=you&o=you")
    page.get_by_role("button", name="Set up a position").click()
    card = page.get_by_role("region", name="Set up a position")
    expect(card).to_have_count(0)
    held[0].continue_()
    expect(card.get_by_label("Board")).to_have_value(".../.../...")
    cell(page, 0).click()
    expect(card.get_by_label("Board")).to_have_value("X../.../...")


def test_a_position_is_set_up_by_clicks_and_by_text(page: Page) -> None:
    page.goto("/#/board?game=tictactoe&x=you&o=you")
    page.get_by_role("button", name="Set up a position").click()
    card = page.get_by_role("region", name="Set up a position")
    cell(page, 0).click()
    expect(card.get_by_label("Board")).to_have_value("X../.../...")
    cell(page, 0).click()
    cell(page, 1).dblclick()  # faster than the server answers
    expect(card.get_by_label("Board")).to_have_value("OO./.../...")
    expect(card).to_contain_text("No game leads here")
    expect(card.get_by_role("button", name="Play from here")).to_be_disabled()
    card.get_by_label("Board").fill("XO./.X./...")
    expect(card).to_contain_text("O is to move")
    card.get_by_role("button", name="Play from here").click()
    expect(page).to_have_url(re.compile("start=XO"))
    expect(page.locator(".status")).to_contain_text("O to move")
    expect(cell(page, 8).locator(".value")).to_have_text("L4")


def test_moves_go_out_and_come_in(page: Page) -> None:
    page.goto("/#/board?game=tictactoe&moves=22.12.11.33.21.31&x=you&o=you")
    card = page.get_by_role("region", name="Share and save")
    card.get_by_text("Paste moves").first.click()
    card.get_by_label("Moves, or a record").fill("22 11 99")
    card.get_by_role("button", name="Paste moves").click()
    expect(card).to_contain_text("is not a cell")
    card.get_by_label("Moves, or a record").fill('{"rules": "3x3:3", "moves": [11, 21, 12, 22, 13]}')
    card.get_by_role("button", name="Paste moves").click()
    expect(page.locator(".status")).to_contain_text("X wins")
    with page.expect_download() as download:
        card.get_by_role("button", name="Save record").click()
    assert '"result": "x_wins"' in download.value.path().read_text()


def test_what_is_too_expensive_is_an_opinion_and_can_be_found_out(page: Page) -> None:
    page.goto("/#/board?game=tictactoe5&x=you&o=you")
    card = page.get_by_role("region", name="Analysis")
    expect(card).to_contain_text("Too expensive to know at once")
    expect(card).to_contain_text("An opinion, not the truth")
    expect(page.locator(".value.opinion").first).to_be_visible()
    card.get_by_role("button", name="Find out exactly").click()
    expect(card.locator("progress")).to_be_visible()
    card.get_by_role("button", name="Cancel").click()
    expect(card).to_contain_text("Cancelled")


def test_rules_of_ones_own(page: Page) -> None:
    page.goto("/#/board?game=tictactoe&x=you&o=you")
    page.get_by_role("combobox", name="Game", exact=True).select_option("own")
    for name, value in (("Rows", "3"), ("Columns", "4"), ("In a row to win", "3")):
        page.get_by_role("spinbutton", name=name, exact=True).fill(value)
    page.get_by_role("button", name="Use these rules").click()
    expect(page.locator(".cell")).to_have_count(12)
    expect(page.get_by_role("heading", level=1)).to_have_text("3×4:3")


def test_dark_mode_by_system_and_by_switch(page: Page) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    page.goto("/#/about")
    light = page.evaluate(ground)
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(ground)
    assert dark != light
    page.get_by_role("button", name="Theme: system").click()
    assert page.evaluate(ground) == light
    page.reload()
    assert page.evaluate(ground) == light
    page.get_by_role("button", name="Theme: light").click()
    page.emulate_media(color_scheme="light")
    assert page.evaluate(ground) == dark


SHIFTS = """() => new Promise((tell) => {
  let sum = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((each) => { sum += each.value; }))
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => tell(sum), 200);
})"""


@pytest.mark.parametrize("width", [390, *in_long_runs(1280)])
@pytest.mark.parametrize(
    "name", ["board?game=squava&moves=33.23&x=you&o=you", *in_long_runs("2048?seed=3", "arena", "about")]
)
def test_nothing_jumps_while_a_page_loads(page: Page, name: str, width: int) -> None:
    """The sum of all layout shifts; up to 0.1 is called good."""
    page.set_viewport_size({"width": width, "height": 850})
    page.goto(f"/#/{name}")
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(500)
    assert page.evaluate(SHIFTS) < 0.1


@pytest.mark.parametrize("name", ["board", "data?file=wins", *in_long_runs("2048", "arena", "about")])
def test_a_narrow_screen_shows_everything(page: Page, name: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"/#/{name}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.wait_for_timeout(600)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    expect(page.get_by_role("navigation", name="Pages").get_by_role("link", name="About")).to_be_in_viewport()


def test_the_keyboard_is_enough(page: Page) -> None:
    page.goto("/#/board?game=tictactoe&x=you&o=you")
    turn_of_person_or_alone = page.locator(".status")
    expect(turn_of_person_or_alone).to_contain_text("X to move")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('cell')"):
            break
    for key in ("ArrowDown", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(cell(page, 4)).to_have_attribute("aria-label", re.compile("row 2 column 2, X"))
    expect(page.locator("#live")).to_contain_text("X played 22")
    expect(cell(page, 4)).to_be_focused()
    for key in ("Home", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    expect(cell(page, 0)).to_have_attribute("aria-label", re.compile("row 1 column 1, O"))
    page.keyboard.press("u")
    expect(cell(page, 0)).to_have_attribute("aria-label", re.compile("row 1 column 1, empty"))


def test_a_server_that_goes_away_and_comes_back(browser: Browser, data: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = Server(data, port)
    with browser.new_context(base_url=server.address) as context:
        page = context.new_page()
        page.goto("/#/board?game=tictactoe&x=you&o=you")
        expect(cell(page, 4).locator(".value")).to_have_text("D")
        server.stop()
        cell(page, 4).click()
        expect(page.locator("#offline")).to_be_visible()
        expect(page.locator(".status")).to_contain_text("does not answer")
        server = Server(data, port)
        try:
            expect(page.locator("#offline")).to_be_hidden()
            expect(cell(page, 4)).to_have_attribute("aria-label", re.compile("X"))
            expect(page.locator(".status")).to_contain_text("O to move")
        finally:
            server.stop()


def test_a_wrong_link_is_said_and_can_be_left(browser: Browser, server: Server) -> None:
    with browser.new_context(base_url=server.address) as context:
        page = context.new_page()
        page.goto("/#/board?game=99x99:9")
        expect(page.locator(".status")).to_contain_text("too many")
        page.get_by_role("button", name="Start over").click()
        expect(page.locator(".cell")).to_have_count(9)
